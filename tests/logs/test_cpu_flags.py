"""What a log that lists the CPU's instructions makes of an illegal one."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

DIED = "Illegal instruction (core dumped)"


@pytest.mark.parametrize("died", [DIED, "Fatal Python error: Illegal instruction"])
def test_a_list_without_avx_asks_for_nothing_that_it_holds(died: str) -> None:
    found = judged(log((died, "flags : fpu vme sse sse2 ht")))
    (finding,) = (each.finding for each in found.roots)
    assert "AVX," in finding.title
    assert "/proc/cpuinfo" not in str([found.open, *(fix.commands for fix in finding.fixes)])


def test_a_list_with_all_of_them_rules_it_out() -> None:
    found = judged(log((DIED, "flags : fpu vme sse sse2 avx avx2 fma")))
    assert [each.finding.code for each in found.roots] == ["native-crash"]


@pytest.mark.parametrize("other", ["Features : fp asimd evtstrm aes", "flags : --a=b sse"])
def test_another_list_says_nothing_of_avx(other: str) -> None:
    found = judged(log((DIED, other)))
    assert root(found) == "cpu-instructions-missing"
    assert found.roots[0].finding.confidence.value != "certain"
