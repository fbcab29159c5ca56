"""An operation that the running program does not know: which package brings it, and what loads it."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAME = "op-not-registered"
_OF_TEXT = (
    "CaseFold", "NormalizeUTF8", "Sentencepiece", "RegexSplitWithOffsets", "Wordpiece", "WhitespaceTokenize", "UnicodeScriptTokenize", "FastWordpiece",
    "FastBert", "RougeL", "SentenceFragments", "ConstrainedSequence", "SplitMerge", "TokenizerFromLogits", "PhraseTokenize", "Utf8Binarize", "TFText>",
)  # fmt: skip
_BEGINNINGS = {
    **dict.fromkeys(_OF_TEXT, "tensorflow-text"),
    "Addons>": "tensorflow-addons",
    "IO>": "tensorflow-io",
    "SimpleML": "tensorflow-decision-forests",
    "Tfq": "tensorflow-quantum",
}
"""How the operations of packages begin, and which package brings them (the REGISTER_OP lines of their sources, read by their threads of 2019 to 2024)."""


def package_of(op: str) -> str:
    """ "" for what is of no package that is known."""
    return next((package for begins, package in _BEGINNINGS.items() if op.startswith(begins)), "")


def unregistered(saying: Saying) -> Candidate | None:
    """None for another text."""
    if saying.name != _NAME:
        return None
    op, package = saying.told["op"], package_of(saying.told["op"])
    if package:
        words = f"The model was saved with operations of {package}. TensorFlow knows them once {package.replace('-', '_')} was imported in the same process, and that was not done here. The model and TensorFlow are in order."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=f"The model needs an operation of {package} ({op}), which this program did not load.")  # fmt: skip
    words = "Neither the TensorFlow that runs here nor a library that was loaded before has this operation. Either the model was saved by a newer TensorFlow, or the operation is of a package or library that the program has to import or load before it reads the model; the log does not tell which."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"The model needs the operation {op}, which this program does not know.")  # fmt: skip


_OF_CUDA = "own-op-of-another-cuda"


def compiled_by_oneself(saying: Saying) -> Candidate | None:
    """A library of operations that is beside the program, and in no package; None for another text."""
    library = saying.told.get("library", "").replace("\\", "/")
    if (
        saying.code != "custom-op-mismatch"
        or not library
        or "-packages/" in library
        or "dlopen" in saying.text
    ):
        return None
    file = library.rpartition("/")[2]
    if saying.name == _OF_CUDA:
        words = f"{file} was compiled by the nvcc of one CUDA and linked with the cudart of another one: it asks for {saying.told['symbol']}, which that cudart does not have. TensorFlow itself is not what fails."
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{file} was compiled with another CUDA than the one that it is linked with.")  # fmt: skip
    words = f"{file} was compiled by yourself or by a script of the program, for another TensorFlow than the installed one, or with another setting of _GLIBCXX_USE_CXX11_ABI: it asks for a symbol that this TensorFlow does not have under that name."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{file} was compiled for another TensorFlow than the installed one, or with other settings.")  # fmt: skip


def _compile_again(facts: Facts, cuda: bool) -> tuple[Fix, ...]:
    flags = f'{interpreter(facts)} -c "import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())"'
    own = Fix("Compile it again with the flags that the installed TensorFlow prints", (flags,), "Put them into the compile script in place of its own -I, -L, -l and -D_GLIBCXX_USE_CXX11_ABI. TensorFlow 2.10 and newer want -std=c++17.")  # fmt: skip
    toolkit = fix("let-script-take-nvcc-i-l", python=interpreter(facts))
    return (toolkit, own) if cuda else (own, toolkit)


def op_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no such operation is named."""
    own = [each for each in told.of("custom-op-mismatch") if compiled_by_oneself(each) is not None]
    if own:
        return _compile_again(facts, cuda=own[0].name == _OF_CUDA)
    said = told.named(_NAME)
    if not said:
        return ()
    op, package, python = said[0].told["op"], package_of(said[0].told["op"]), interpreter(facts)
    if "tensorflow/serving" in said[0].text or shown(facts).serving:
        return (fix("take-newer-release-tensorflow-serving-whose"),)
    if package:
        module = package.replace("-", "_")
        return (
            fix("install-in-release-made-for-tensorflow", package=package, python=python, keeping=keeping_tensorflow(facts), module=module),
        )  # fmt: skip
    return (
        fix("see-by-tensorflow-model-was-saved", python=python),
        fix("where-operation-packages-or-own-import", op=op),
    )  # fmt: skip
