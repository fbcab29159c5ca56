"""Two CUDA libraries of different releases in one process: the one asks the other for a function that it does not have."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAME = "symbol-of-newer-library"
_CODE = "cuda-libraries-wrong-version"
_PACKAGES = {
    "libnvJitLink": "nvjitlink", "libcublasLt": "cublas", "libcublas": "cublas", "libcusparse": "cusparse", "libcusolver": "cusolver",
    "libcudart": "cuda-runtime", "libnvrtc": "cuda-nvrtc", "libcufft": "cufft", "libcurand": "curand", "libcupti": "cuda-cupti",
}  # fmt: skip
"""NVIDIA's packages on the index by their libraries: nvidia-NAME-cu12 (data/compat_matrix.yaml)."""
_WITHOUT = fix("start-without-ld-library-path-in")


def of_symbol_between(saying: Saying) -> Candidate | None:
    """None for other sayings."""
    if saying.name != _NAME:
        return None
    library, asker = (
        saying.told["library"],
        saying.told.get("asker", "").replace("\\", "/").rpartition("/")[2],
    )
    title = f"{asker or 'A CUDA library'} asks {library} for {saying.told['symbol']}, and the {library} that was loaded is of another release and does not have it."
    words = f"The two belong to one release of CUDA. The loader took {library} from another place: mostly from a folder of LD_LIBRARY_PATH (a toolkit, a module, conda), which goes before the folders of the installed packages; else pip replaced one of NVIDIA's packages without the others. No file is damaged."
    opened = question((_CODE, "library-path-leak", "cuda-libraries-mixed"), "cuda_libraries.search_path")
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), words, opened, title)


def symbol_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no symbol is missing."""
    said = told.named(_NAME)
    if not said:
        return ()
    library = said[0].told["library"]
    name, _, major = library.partition(".so.")
    search = fix("or-see-copies-are-and-one", called=name)
    package = _PACKAGES.get(name, "")
    if not package or major not in ("11", "12"):
        return (_WITHOUT, search)
    newer = fix(
        "if-stays-bring-nvidias-package-holds",
        library=library,
        python=interpreter(facts),
        package=package,
        major=major,
    )
    return (_WITHOUT, newer, search)
