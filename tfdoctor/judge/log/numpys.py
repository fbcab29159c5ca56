"""NumPy 1 and 2, and packages that were compiled for another NumPy than the installed one."""

from __future__ import annotations

from tfdoctor.base.version_ranges import is_possible
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import updated
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, range_here
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import project_of
from tfdoctor.knowledge.pages import ways_out

_OF_NUMPY_1 = ("numpy-array-api", "numpy-1-under-2")
_SIZES, _API_VERSION = "numpy-dtype-size", "numpy-api-version"
_FIRST = {
    ("numpy.ufunc", "216", "192"): "1.16", ("numpy.ndarray", "88", "80"): "1.20", ("numpy.ndarray", "96", "80"): "1.22", ("numpy.ndarray", "96", "88"): "1.22", ("numpy.dtype", "88", "96"): "2.0",
}  # fmt: skip
"""By the object, its length when the part was compiled, and its length here: the first NumPy that the part can work with."""
_API = {
    0xB: "1.13", 0xC: "1.14", 0xD: "1.16", 0xE: "1.20", 0xF: "1.22", 0x10: "1.23", 0x11: "1.25", 0x12: "2.0",
}  # fmt: skip
"""The first NumPy of each C API version (numpy/core/setup_common.py and numpy/_core/meson.build, read 2026-11-22)."""
_KEPT_OLD_NAMES = ((2, 6), (2, 11))
"""These run with NumPy 1.20 to 1.23: 1.24 removed names that some of them use. The metadata of 2.6 says ~=1.19.2, and conda's build of it was seen
to fail with what that brings (conda/conda#11046)."""
_FIRST_FOR_NUMPY_2 = (2, 18)


def of_abi(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """Which side is older, and whose compiled part asks; None where no line tells."""
    if saying.code != "numpy-abi-mismatch":
        return None
    lowest, who, at = _lowest(saying), _compiled_part(told), (place(saying),)
    release, sure = own_minor(case.facts), Confidence.CERTAIN
    others: tuple[Fix, ...] = (updated(case.facts, who),) if who else ()
    if lowest:
        spec = range_here(case, told, "numpy", f">={lowest}", "" if lowest == "2.0" else "<2")
        newer = (fix_here(case.facts, "change-packages", "numpy-in-range", range=spec),)
        possible = newer if is_possible(spec) else others or ways_out("numpy-abi-mismatch")
        return of_page(
            "numpy-abi-mismatch",
            "newer",
            at,
            values={"who": who or "A compiled part", "lowest": lowest},
            sure=sure,
            fixes=possible,
        )
    if saying.name == "numpy-return-value" and release and _KEPT_OLD_NAMES[0] <= release <= _KEPT_OLD_NAMES[1]:  # fmt: skip
        name = value_or(case.facts.tensorflow.version, "")
        old = (fix_here(case.facts, "change-packages", "numpy-1-20-to-1-23", called=name),)
        return of_page("numpy-abi-mismatch", "returned", at, values={"version": name}, fixes=old)
    named = [each.told["version"] for each in told.named("numpy-1-under-2", "numpy-2-named") if "version" in each.told]  # fmt: skip
    if saying.name not in _OF_NUMPY_1 and not (saying.name == _SIZES and who):
        return None
    older = fix_here(
        case.facts, "change-packages", "numpy-in-range", range=range_here(case, told, "numpy", "<2")
    )
    fixes = others if release and release >= _FIRST_FOR_NUMPY_2 else (older, *others)
    return of_page(
        "numpy-abi-mismatch",
        "for-numpy-1",
        at,
        values={"who": who or "A compiled module", "version": (*named, "2")[0]},
        sure=sure,
        fixes=fixes,
    )


def _lowest(saying: Saying) -> str:
    """The first NumPy that the compiled part can work with, where the installed one is older; "" else."""
    wanted, have = saying.told.get("wanted", ""), saying.told.get("version", "")
    if saying.name == _SIZES:
        return _FIRST.get((saying.told["symbol"], wanted, have), "")
    try:
        older = saying.name == _API_VERSION and int(have, 16) < int(wanted, 16)
    except ValueError:
        return ""
    return _API.get(int(wanted, 16), "") if older else ""


def _compiled_part(told: Testimony) -> str:
    """The package, other than TensorFlow, whose compiled part one of these lines is about; "" where no frame is told."""
    for saying in told.named(*_OF_NUMPY_1, _SIZES):
        compiled = [
            each.told["module"]
            for each in told.named("cython-frame")
            if place(each) < place(saying)
        ]
        last = told.raised_at(saying)
        through = last.through if last is not None else ()
        who = next(
            (each for each in reversed(through) if each not in ("numpy", "IPython", "ipykernel")),
            "",
        )
        who = project_of(compiled[-1]) if compiled and compiled[-1] != "numpy" else who
        if who and not who.startswith("tensorflow"):
            return who
    return ""
