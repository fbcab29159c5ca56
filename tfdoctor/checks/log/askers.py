"""Errors that meet TensorFlow's users and are about somebody else's wish: who asks, for what, and what brings it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.signatures.catalogue import named
from tfdoctor.signatures.own_errors import NOT_ON_THE_INDEX

_CUDNN_OPENS = ("libcublas", "libcublasLt", "libnvrtc")
"""cuDNN 8 opens these by itself and says so in its own words; TensorFlow says "Could not load dynamic library"."""


def said_of_another(told: Testimony, saying: Saying) -> Candidate | None:
    """The saying's meaning where another than TensorFlow asks; None where the rest of the rules apply."""
    if saying.name in _FATAL and _FLAGS in saying.text:  # the same line, by its form alone
        return Candidate("environment-variable-refused", Confidence(saying.sure), (place(saying),))
    if saying.name in _FATAL and (message := saying.told.get("message", "").strip()):
        return Candidate(
            saying.code,
            Confidence(saying.sure),
            (place(saying),),
            title=f"TensorFlow aborted: {_short(message)}.",
        )
    if saying.name == "flags-unknown":
        return _unknown_flag(saying)
    if saying.name in _NOT_TAKEN:
        return _not_taken(saying)
    if saying.name == "flags-file":
        variable, value = saying.told["variable"], saying.told["value"]
        words = f"A value of {variable} that does not begin with -- is taken for the name of a file of flags. There is none of that name, so the program ends."
        return _of(saying, words, f"{variable}={value} is refused: without -- it is taken for a file's name.")
    if saying.name == "protobuf-runtime-version" and (asker := _asker(told, saying)):
        words = f"{asker} holds code that a newer protobuf generated than the one that is installed. TensorFlow's own code is not what fails."
        if (folder := asker.replace("-", "_")) in NOT_ON_THE_INDEX:
            return _of(saying, words, f"The _pb2.py files of {folder} were compiled by a newer protoc than the installed protobuf takes.")  # fmt: skip
        return _of(saying, words, f"{asker} needs a newer protobuf than the installed one.")
    if saying.name == "protobuf-gencode" and not saying.told["file"].startswith(_OF_TENSORFLOW):
        file, wanted, have = (
            saying.told["file"],
            saying.told["wanted"].rstrip("."),
            saying.told["version"].rstrip("."),
        )
        words = f"A package holds code that protobuf {wanted} generated from {file}, and the installed protobuf is {have}. TensorFlow's own code is not what fails."
        return _of(
            saying, words, f"The code of {file} asks for protobuf {wanted} or newer, and {have} is installed."
        )
    library, major = _opened_by_cudnn(saying)
    if major:
        words = (
            f"cuDNN itself opens {library}, so it was made for CUDA {major}. That library is not found: mostly the "
            "TensorFlow here is one for another CUDA, and a cuDNN for that CUDA is what is missing."
        )
        title = f"The cuDNN here is one for CUDA {major}, whose {library} is not found."
        return Candidate("cuda-libraries-mixed", Confidence.LIKELY, (place(saying),), words, title=title)
    return None


def _opened_by_cudnn(saying: Saying) -> tuple[str, str]:
    """The library and its CUDA; "" twice where it is another that asks."""
    match = named("library-not-loaded").hit(saying.text)
    library = match.told["library"] if match else ""
    name, _, major = library.partition(".so.")
    return (library, major) if name in _CUDNN_OPENS and major.isdecimal() else ("", "")


def _unknown_flag(saying: Saying) -> Candidate:
    variable, flag = saying.told["variable"], saying.told["flag"].partition("=")[0]
    words = f"What reads {variable} ends the program at a flag that it does not know: the name is wrong, or of another release, or the flag belongs into another variable."
    return _of(saying, words, f"{flag} in {variable} is refused: this release has no such flag.")


_NOT_TAKEN = (
    "variable-not-parsed",
    "variable-unknown-option",
    "host-memory-limit-not-parsed",
    "gpu-thread-mode",
)
_TAKEN = {
    "bool": "1, 0, true and false",
    "int64": "a number",
    "": "global, gpu_private and gpu_shared",
}
_THREADS = "TF_GPU_THREAD_MODE"
"""Its reader does not name it (gpu_device.cc, 2.21), and no other asks for a gpu_thread_mode."""


def _not_taken(saying: Saying) -> Candidate:
    variable, value = saying.told.get("variable", _THREADS), saying.told["value"]
    wanted = saying.told.get("wanted", "")
    words = f"What reads {variable} takes {_TAKEN.get(wanted, wanted)} and no other value, and ends the program where it is given one. TensorFlow itself is in order."
    if saying.name == "host-memory-limit-not-parsed":
        words = f"{variable} takes a number of megabytes. Given anything else, TensorFlow gets no pinned memory at all, the kind that copies to a GPU start from, and its first copy ends as if memory had run out."
    return _of(saying, words, f"{variable}={value} is refused.")


_OF_TENSORFLOW = ("tensorflow/", "tsl/", "xla/", "tensorboard/", "google/")
_FLAGS = "parse_flags_from_env.cc"
_FATAL = ("fatal-line", "fatal-line-absl", "check-failed-line")


def _short(words: str) -> str:
    text = words.rstrip(".")
    return text if len(text) <= 160 else f"{text[:160]} …"


def _of(saying: Saying, words: str, title: str) -> Candidate:
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _asker(told: Testimony, saying: Saying) -> str:
    """The package in whose code the exception of this line was raised, if it is not TensorFlow."""
    raised = [
        each.package for each in told.endings if each.how == "exception" and place(each) == place(saying)
    ]
    return (
        raised[0]
        if raised and raised[0] and raised[0] not in ("tensorflow", "tensorflow-core", "protobuf")
        else ""
    )


def protobuf_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow's own generated code is what does not fit."""
    asked = [each for each in told.named("protobuf-runtime-version") if _asker(told, each)]
    others = [each for each in told.named("protobuf-gencode") if not each.told["file"].startswith(_OF_TENSORFLOW)]  # fmt: skip
    if others:
        wanted = others[0].told["wanted"].rstrip(".")
        newer = fix("install-protobuf-or-newer", wanted=wanted, python=interpreter(facts))
        return (newer, fix("or-take-older-release-package-whose"))
    if not asked:
        return ()
    pip, asker = f"{interpreter(facts)} -m pip install", _asker(told, asked[0])
    if asked[0].told["symbol"] == "builder":
        note = "pip may warn: TensorFlow 2.9.1 to 2.11 ask for less than 3.20. They run with 3.20.3 all the same."
        return (
            Fix(
                "Install protobuf 3.20.3, which has it and still takes code of older generators",
                (f"{pip} protobuf==3.20.3",),
                note,
            ),
        )
    if (folder := asker.replace("-", "_")) in NOT_ON_THE_INDEX:
        again = (f"{pip} 'grpcio-tools<1.49'", f"{interpreter(facts)} -m grpc_tools.protoc -I. --python_out=. {folder}/protos/*.proto", f"{pip} --no-deps .")  # fmt: skip
        return (Fix(f"Compile the .proto files of {folder} once more with an older compiler, in the folder that holds {folder} (models/research), and install it from there", again, "The files that end in _pb2.py were made on this machine by a newer protoc than the installed protobuf can read, and an older Python has no newer protobuf. This compiler makes code for protobuf 3.19 to 4."),)  # fmt: skip
    return (
        fix("install-protobuf-tensorflow-2-18-and-newer", pip=pip),
        fix("with-older-tensorflow-let-pip-find", asker=asker, pip=pip, keeping=keeping_tensorflow(facts)),
    )


def cudnn_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where cuDNN asked for nothing."""
    asked = [major for each in told.sayings if (major := _opened_by_cudnn(each)[1])]
    if asked[:1] != ["12"]:
        return ()
    return (fix("for-tensorflow-2-5-to-2-14-are", python=interpreter(facts)),)


def variable_fixes(told: Testimony) -> tuple[Fix, ...]:
    """About the variable that a line names; () where none does."""
    if told.named("allocator-no-statistics"):
        return (
            fix("remove-tf-gpu-allocator-usual-allocator"),
            fix("update-tensorflow-from-2-6-on-allocator"),
        )  # fmt: skip
    unknown = told.named("flags-unknown")
    if unknown:
        variable = unknown[0].told["variable"]
        note = "It removes all flags, for this shell. Where there are others, set it again without the one that is named, and correct the line that sets it."
        return (Fix(f"Remove the flag from {variable}", (f"unset {variable}",), note),)
    named = told.named("flags-file")
    if named:
        variable, value = named[0].told["variable"], named[0].told["value"]
        return (
            Fix(
                "Write the flag with its two dashes", (quoted("export", f"{variable}=--{value.lstrip('-')}"),)
            ),
            fix("or-remove-variable", variable=variable),
        )
    return _without(told)


def _without(told: Testimony) -> tuple[Fix, ...]:
    """() where no line names the variable."""
    refused = (
        _THREADS if each.name == "gpu-thread-mode" else each.told.get("variable", "")
        for each in told.of("environment-variable-refused")
    )
    variable = next(filter(None, refused), "")
    if not variable:
        return ()
    note = "For this shell. Where a job script, an image or a notebook's kernelspec sets it, take it away or correct it there."
    own = Fix(f"Remove {variable}", (f"unset {variable}",), note)
    if any(each.told["wanted"] == "bool" for each in told.named("variable-not-parsed")):
        return (own, fix("or-write-what-meant-as-1", variable=variable))
    return (own,)
