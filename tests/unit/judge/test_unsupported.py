"""A driver whose release can't be read proves nothing about the GPUs that it leaves out."""

from __future__ import annotations

import pytest

from tfdoctor.facts.model import Driver, Facts, Host
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import DriverRelease, read_release
from tfdoctor.judge.questions.unsupported import ignored
from tfdoctor.knowledge.matrix.load import load_bundled

MATRIX = load_bundled()

GTX_1080 = PciGpu("0000:01:00.0", "nvidia", "1b80", Absent("no kernel driver holds it"))


def machine(release: str) -> Facts:
    return Facts(
        host=Host(gpus_on_bus=Known((GTX_1080,), "/sys")),
        driver=Driver(module_version=read_release(DriverRelease, release, "/proc")),
    )


@pytest.mark.parametrize("release", ["5a.1", "", "x", "²90.1", "."])
def test_a_release_that_is_none_proves_nothing(release: str) -> None:
    assert ignored(machine(release), MATRIX) == ()


def test_one_that_is_later_than_the_last_branch_does() -> None:
    (refused,) = ignored(machine("590.44.01"), MATRIX)
    assert (refused.why, refused.branch) == ("dropped", 580)
    assert ignored(machine("580.95.05"), MATRIX) == ()
