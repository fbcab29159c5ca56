"""One independent fault, one root; what follows from it is said under it."""

from __future__ import annotations

from tfdoctor.judge.causes import resolve
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Confidence, Finding, Role, Severity


def finding(
    code: str, severity: Severity = Severity.ERROR, confidence: Confidence = Confidence.CERTAIN
) -> Finding:
    return Finding(code, severity, confidence, "title", "explanation", ())


def roles(findings: tuple[Finding, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(item.code, item.role.value, item.caused_by) for item in findings]


def test_a_chain_goes_back_to_its_root() -> None:
    explains = {
        "driver-missing": frozenset({"nvml-unusable"}),
        "nvml-unusable": frozenset({"smoke-tensorflow-failed"}),
    }
    found = [
        finding("smoke-tensorflow-failed"),
        finding("nvml-unusable"),
        finding("driver-missing"),
    ]
    assert roles(resolve(found, explains)) == [
        ("driver-missing", "root", ()),
        ("nvml-unusable", "consequence", ("driver-missing",)),
        ("smoke-tensorflow-failed", "consequence", ("driver-missing",)),
    ]


def test_independent_faults_stay_several_in_mending_order() -> None:
    found = [
        finding("cuda-libraries-missing"),
        finding("driver-missing"),
        finding("numpy-abi-mismatch"),
    ]
    assert [item.code for item in resolve(found, {})] == [
        "numpy-abi-mismatch",
        "driver-missing",
        "cuda-libraries-missing",
    ]


def test_a_warning_explains_no_error_but_an_error_a_warning() -> None:
    explains = {"swap-thrashing": frozenset({"host-memory-exhausted"})}
    found = [finding("swap-thrashing", Severity.WARNING), finding("host-memory-exhausted")]
    assert {item.code: item.role for item in resolve(found, explains)} == {
        "host-memory-exhausted": Role.ROOT,
        "swap-thrashing": Role.ROOT,
    }
    explains = {"host-memory-exhausted": frozenset({"swap-thrashing"})}
    assert roles(resolve(found, explains))[1] == (
        "swap-thrashing",
        "consequence",
        ("host-memory-exhausted",),
    )


def test_a_rule_of_thumb_neither_outranks_nor_explains_what_was_measured() -> None:
    explains = {"driver-missing": frozenset({"nvml-unusable"})}
    found = [finding("driver-missing", confidence=Confidence.POSSIBLE), finding("nvml-unusable")]
    assert [(item.code, item.role) for item in resolve(found, explains)] == [
        ("nvml-unusable", Role.ROOT),
        ("driver-missing", Role.ROOT),
    ]


def test_two_that_explain_each_other_are_not_lost() -> None:
    explains = {
        "uvm-broken": frozenset({"nvml-unusable"}),
        "nvml-unusable": frozenset({"uvm-broken"}),
    }
    resolved = resolve([finding("uvm-broken"), finding("nvml-unusable")], explains)
    assert len(resolved) == 2
    assert any(item.role is Role.ROOT for item in resolved)


def test_info_is_a_note_and_explains_nothing() -> None:
    explains = {"unknown-release": frozenset({"driver-too-old"})}
    resolved = resolve(
        [finding("unknown-release", Severity.INFO), finding("driver-too-old")], explains
    )
    assert roles(resolved) == [("driver-too-old", "root", ()), ("unknown-release", "note", ())]


def test_a_driver_that_runs_no_kernel_is_mended_before_libraries() -> None:
    found = [
        finding("cuda-libraries-missing"),
        finding("smoke-driver-failed"),
        finding("smoke-tensorflow-failed"),
    ]
    assert [item.code for item in resolve(found, {})] == [
        "smoke-driver-failed",
        "cuda-libraries-missing",
        "smoke-tensorflow-failed",
    ]


def test_a_name_keeps_its_own_case_at_the_start_of_a_title() -> None:
    titles = {code: entry.name.split(" ")[0] for code, entry in CODES.items()}
    assert titles["ml-dtypes-mismatch"] == "ml_dtypes"
    assert titles["hdf5-mismatch"] == "h5py"
    assert "cudnn-version-mismatch" not in CODES["cuda-libraries-wrong-version"].name
