"""What a log that lists the CPU's instructions makes of an illegal one: nothing is asked for that it holds."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.knowledge.model import Confidence

DIED = "Illegal instruction (core dumped)"


@pytest.mark.parametrize(
    "lines",
    [
        (DIED, "model name : Common KVM processor", "flags : fpu vme sse sse2 ht"),
        (DIED, "model name\t: Intel(R) Celeron(R) CPU J3455", "flags\t\t: fpu vme mmx sse sse2 ssse3 sse4_2"),
        ("zsh: illegal hardware instruction (core dumped)  python a.py", "$ lscpu", "Flags:                           fpu vme de mmx sse sse2"),
        ("flags : sse4_1 sse4_2", "Fatal Python error: Illegal instruction"),
    ],
)  # fmt: skip
def test_a_list_without_avx_settles_it(lines: tuple[str, ...]) -> None:
    found = judged(log(lines))
    (finding,) = (each.finding for each in found.roots)
    assert (finding.code, finding.confidence) == ("cpu-instructions-missing", Confidence.CERTAIN)
    assert "AVX," in finding.title
    assert "/proc/cpuinfo" not in str([found.open, *(fix.commands for fix in finding.fixes)])


def test_a_list_with_all_of_them_rules_it_out() -> None:
    found = judged(log((DIED, "flags : fpu vme sse sse2 avx avx2 fma")))
    assert [each.finding.code for each in found.roots] == ["native-crash"]


def test_a_list_that_lacks_what_only_some_builds_need_is_no_certainty() -> None:
    (finding,) = (each.finding for each in judged(log((DIED, "flags : fpu vme sse sse2 avx"))).roots)
    assert (finding.code, finding.confidence) == ("cpu-instructions-missing", Confidence.LIKELY)
    assert "AVX2 and FMA" in finding.title


@pytest.mark.parametrize(
    "other", ["Features : fp asimd evtstrm aes", "flags: one two three", "flags : --a=b sse"]
)
def test_another_list_says_nothing_of_avx(other: str) -> None:
    found = judged(log((DIED, other)))
    assert root(found) == "cpu-instructions-missing"
    assert found.roots[0].finding.confidence is not Confidence.CERTAIN
