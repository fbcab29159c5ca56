"""How a GPU is served by a release, with what was read from the wheels' own GPU code."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.versions import ComputeCapability, DriverRelease
from tfdoctor.fix.architecture import Service, fit
from tfdoctor.fix.plan import code_of
from tfdoctor.knowledge.matrix.load import load_bundled

MATRIX = load_bundled()
NEWEST = Known(DriverRelease("580.65.06"), "test")


@pytest.mark.parametrize(
    ("version", "gpu", "service", "driver_needed"),
    [
        ("2.21.0", "8.6", Service.BINARY, None),  # runs the binary for 8.0
        ("2.21.0", "9.0", Service.PARTLY_COMPILED, "555.42.02"),
        ("2.21.0", "12.0", Service.COMPILED, "555.42.02"),
        ("2.20.0", "12.0", Service.TOO_NEW, None),  # its PTX is for sm_90a alone
        ("2.20.0", "9.0", Service.PARTLY_COMPILED, "555.42.02"),
        ("2.18.0", "9.0", Service.PARTLY_COMPILED, "545.23.06"),
        ("2.16.1", "8.0", Service.BINARY, None),
        ("2.15.1", "8.0", Service.PARTLY_COMPILED, "455.23"),
        ("2.15.1", "9.0", Service.COMPILED, "530.30.02"),  # the compiled kernels' PTX is newer: 8.1
        (
            "2.5.0",
            "8.6",
            Service.BINARY,
            None,
        ),  # build_info says compute_80, yet every kernel has a binary
        ("2.21.0", "5.2", Service.TOO_OLD, None),
    ],
)
def test_what_becomes_of_a_gpu(
    version: str, gpu: str, service: Service, driver_needed: str | None
) -> None:
    release = MATRIX.release(version)
    assert isinstance(release, Known)
    served = fit(ComputeCapability(gpu), code_of(release.value), NEWEST, MATRIX, "linux")
    assert isinstance(served, Known)
    assert served.value.service is service
    needed = served.value.driver_needed
    assert (str(needed.value) if isinstance(needed, Known) else None) == driver_needed


def test_a_driver_that_does_not_know_the_ptx_is_too_old() -> None:
    release = MATRIX.release("2.21.0")
    assert isinstance(release, Known)
    old = Known(DriverRelease("535.104.05"), "test")
    served = fit(ComputeCapability("9.0"), code_of(release.value), old, MATRIX, "linux")
    assert isinstance(served, Known)
    assert served.value.service is Service.DRIVER_TOO_OLD


def test_what_nobody_measured_is_not_claimed() -> None:
    release = MATRIX.release("2.10.1", platform="win_amd64")
    assert isinstance(release, Known)
    served = fit(ComputeCapability("9.0"), code_of(release.value), NEWEST, MATRIX, "windows")
    assert isinstance(served, Failed)
