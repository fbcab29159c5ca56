"""What makes one cause likelier than the others where TensorFlow only lists no GPU: a toolkit of another release, folders that a release
forgets, a terminal in which it works, a Mac without the plug-in.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.gpu.metal import plugin_ways
from tfdoctor.checks.log.around.releases import cuda_of, shown, span
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpus.drivers import built_with
from tfdoctor.checks.log.testimony import Place, Testimony
from tfdoctor.checks.log.unfound.elsewhere import fits, toolkit_told
from tfdoctor.checks.log.unfound.ways import TO_THE_EDITOR, TO_THE_KERNEL, forgotten_folders
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Confidence, Fix

_CPU = "TensorFlow shows no GPU and computes on the processor."
_WRONG, _UNREACHABLE, _METAL = "cuda-libraries-wrong-version", "cuda-libraries-unreachable", "metal-plugin-missing"  # fmt: skip
_OF_METAL = (
    "TensorFlow for macOS computes on the processor by itself. A Mac's GPU is used through tensorflow-metal alone, Apple's plug-in and a package of its own, and "
    "this log shows nothing of it. NVIDIA's driver and CUDA have nothing to do with it."
)


def of_a_mac(facts: Facts, at: tuple[Place, ...]) -> Candidate | None:
    """None where the plug-in shows anywhere, for then something else keeps it away."""
    if shown(facts).metal:
        return None
    title = (
        "This Mac's GPU is used only through the plug-in tensorflow-metal, and the log shows nothing of it."
    )
    return Candidate(
        _METAL, Confidence.LIKELY, at, _OF_METAL, question((_METAL,), "packages.installed"), title
    )


def likelier(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """None where nothing in the log speaks for one of them."""
    return _of_another_toolkit(case, told, at) or _forgotten(case, told, at) or _in_the_terminal(case, at)


def _of_another_toolkit(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """Up to 2.13 a TensorFlow uses the toolkit of its machine; later ones can bring their own libraries."""
    named, releases, cuda = toolkit_told(told), span(case, told), built_with(case, told)
    own = f"{cuda.major}.{cuda.minor}" if cuda is not None else cuda_of(releases)
    if not named or not own or not releases.before(2, 14):
        return None
    if named == own or (cuda is not None and fits(case, told, named)):
        return None
    release = value_or(case.facts.tensorflow.version, "")
    which = f"TensorFlow {release}" if release else "This TensorFlow"
    words = (
        f"The log names CUDA {named}. {which} opens the libraries of CUDA {own}, by their exact names, and a toolkit of another release does not hold "
        f"them. Both can be installed side by side. {_CPU}"
    )
    title = f"{which} opens the libraries of CUDA {own}, and the log names CUDA {named}."
    return Candidate(_WRONG, Confidence.LIKELY, at, words, question((_WRONG, "cuda-libraries-missing"), "cuda_libraries.libraries"), title)  # fmt: skip


def _forgotten(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """NVIDIA's packages were installed with it, and this release does not look into all of their folders."""
    release = str(value_or(case.facts.tensorflow.version, ""))
    installed = told.named("extra-asked-for", "nvidia-wheel-there")
    if not installed or not forgotten_folders(case):
        return None
    words = (
        f"NVIDIA's libraries were installed as packages of pip, and TensorFlow {release} does not look into all of their folders by itself: what is there is not found. "
        f"Its next release does. {_CPU}"
    )
    title = f"TensorFlow {release} does not look into all folders of NVIDIA's packages."
    return Candidate(_UNREACHABLE, Confidence.LIKELY, at, words, question((_UNREACHABLE, "cuda-libraries-missing"), "cuda_libraries.libraries"), title)  # fmt: skip


def _in_the_terminal(case: Case, at: tuple[Place, ...]) -> Candidate | None:
    """A notebook or an editor whose process was started without what the terminal's shell has."""
    around = shown(case.facts)
    if not (around.notebook or around.editor) or not around.terminal or around.service:
        return None
    words = (
        "By the words in this paste the GPU is found in a terminal, and not in what this notebook or editor starts. Driver and libraries are there, then: this process is another "
        f"Python, or was started without the terminal's LD_LIBRARY_PATH. {_CPU}"
    )
    title = "The GPU is found in the terminal; what the notebook or editor starts has another environment."
    opened = question((_UNREACHABLE, "wrong-interpreter"), "interpreter.active_with_tensorflow")
    return Candidate(_UNREACHABLE, Confidence.LIKELY, at, words, opened, title)


def likelier_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() for the code's own ways out."""
    if code == _METAL:
        release = case.facts.tensorflow.version
        return plugin_ways(case.facts, str(release.value)) if isinstance(release, Known) else ()
    if code != _UNREACHABLE:
        return ()
    if _forgotten(case, told, ()) is not None:
        return forgotten_folders(case)
    if _in_the_terminal(case, ()) is None:
        return ()
    return TO_THE_KERNEL if shown(case.facts).notebook else TO_THE_EDITOR
