"""How the search goes on and ends, by literal ends of trials."""

from __future__ import annotations

from tfdoctor.apps.fit.find import Search, Wanted
from tfdoctor.apps.fit.trial import Outcome, Subject, Told
from tfdoctor.report.fit import Fit

MB = 10**6


def found(fits: int, above: Outcome, *, timeout_s: float = 900.0) -> tuple[Fit, list[int]]:
    """The answer where batches up to `fits` run and those above end so, and what was tried. 200 MB are fixed, a sample takes 1."""
    tried = list[int]()

    def run(batch: int, *, host_limit: int, timeout_s: float) -> Told:
        tried.append(batch)
        ran = batch <= fits
        peak = 200 * MB + batch * MB if ran else 0
        return Told(batch, "ran" if ran else above, 1.0, "step", "", "", peak, 3, None, (), {}, ())

    wanted = Wanted("train.py", Subject("/train.py", "build", "/python", ()), 0, timeout_s)
    return Search(wanted, run, 1000 * MB, lambda words: None).result(), tried


def test_what_takes_too_long_is_out_of_reach_and_what_is_below_is_tried() -> None:
    fit, tried = found(300, "too-slow")
    assert (fit.verdict, tried[:3]) == ("fits", [8, 256, 800])
    assert 285 <= fit.batch <= 300 < fit.larger_fails <= 315, tried


def test_nothing_ran_and_nothing_is_known() -> None:
    assert (found(0, "too-slow")[0].kind, found(0, "failed")[0].kind) == ("too-slow", "failed")
    assert found(0, "out-of-memory")[0].verdict == "nothing-fits"


def test_the_end_of_the_time_is_the_end_of_the_search() -> None:
    fit, tried = found(800, "out-of-memory", timeout_s=0.0)
    assert (tried, fit.batch, fit.bound) == ([8], 8, "time")
