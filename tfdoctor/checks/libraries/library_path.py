"""Whether LD_LIBRARY_PATH puts another copy of a library before the one that TensorFlow was built with."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import FOLLOWS, Said, said, words
from tfdoctor.facts.outcome import value_or
from tfdoctor.facts.values import LibraryFolder
from tfdoctor.findings.model import Confidence, Evidence
from tfdoctor.fixes.variables import leave_out

_OWN = "libtensorflow"


@check(
    "library-path-leak",
    prevents=Ability.IMPORT,
    explains=(*FOLLOWS, "custom-op-mismatch", "native-library-clash"),
)
def library_path_leak(case: Case) -> Found | None:
    """The libraries in the folders of LD_LIBRARY_PATH, which the loader searches first: one of TensorFlow's own names, or the
    one in which the loader misses a symbol, by the words of the failed stage.
    """
    folders = case.need(case.facts.environment.library_path)
    found = _of_tensorflow(case, folders) or _too_old(case, folders)
    if found is None:
        return None
    folder, library, text = found
    evidence = Evidence(
        "environment.library_path", f"{folder.path}/{library}", f"no other {library} before TensorFlow's own",
        "the loader's order: LD_LIBRARY_PATH before RUNPATH (ld.so(8))",
    )  # fmt: skip
    return Found(
        f"The loader takes {library} from {folder.path}, which LD_LIBRARY_PATH names, instead of the copy that belongs to this "
        "TensorFlow or its packages. The two are not of one build, so what the one asks for is missing in the other.",
        (evidence, *((text,) if text else ())),
        (leave_out(case.facts, "LD_LIBRARY_PATH", folder.path),),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        title=f"LD_LIBRARY_PATH makes the loader take another {library} than TensorFlow's own.",
    )


def _of_tensorflow(
    case: Case, folders: tuple[LibraryFolder, ...]
) -> tuple[LibraryFolder, str, Evidence | None] | None:
    """Another TensorFlow's libraries: those of C or C++, or of another environment."""
    own = value_or(case.facts.tensorflow.location, "")
    for folder in folders:
        taken = [name for name in folder.libraries if name.startswith(_OWN)]
        if taken and own and folder.path != own:
            text = said(case.facts, "undefined-symbol", "own-library-missing", "versioned-symbol")
            return folder, _framework(taken), text.evidence if text else words(case.facts, "check-failed")
    return None


def _framework(names: list[str]) -> str:
    return next((name for name in names if "_framework.so.2" in name), names[0])


def _too_old(
    case: Case, folders: tuple[LibraryFolder, ...]
) -> tuple[LibraryFolder, str, Evidence | None] | None:
    """A symbol that the loader misses tells in which library it should be; the first folder that has that one supplied it."""
    missed: Said | None = said(case.facts, "undefined-symbol")
    library = missed.told.get("library", "") if missed else ""
    if missed is None or not library:
        return None
    return next(
        ((folder, library, missed.evidence) for folder in folders if library in folder.libraries), None
    )
