"""Functions of a library that TensorFlow looked for when it needed them, and TensorRT of another release than the build's."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_NAMES = {"nvinfer": "TensorRT (libnvinfer)", "nvinfer_plugin": "TensorRT (libnvinfer_plugin)", "cudnn": "cuDNN", "cupti": "CUPTI"}  # fmt: skip
_STUB = "stub-symbol-not-found"
_TENSORRT = ("nvinfer", "nvinfer_plugin")
MISMATCHES = ("tensorrt-mismatch", "tensorrt-linked-other")
_LOOKED = (
    "TensorFlow opens this library only when the program first needs it, could not, and ended when it asked for a function of it ({symbol}). Where the library itself is missing or lacks another one, the line "
    '"Could not load dynamic library" above names the file.'
)
_OTHER = " TensorFlow opens the very release of TensorRT that it was built with: take that one ({wanted}), or a TensorFlow that was built with the one that is there. A link from one name to the other ends in a crash."
_LACKS = " Here TensorRT's library is not what is missing: it needs {library}, and that file is not found."


def of_stub(told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text than that of a stub."""
    if saying.name != _STUB:
        return None
    name = _NAMES.get(saying.told["module"], f"CUDA's library {saying.told['module']}")
    needed = told.named("tensorrt-needs") if saying.told["module"] in _TENSORRT else ()
    words = _LOOKED.format(symbol=saying.told["symbol"])
    title = f"The program needs {name}, and TensorFlow could not open it."
    if needed:
        words += _LACKS.format(library=needed[0].told["file"])
        title = (
            f"The program needs TensorRT, and TensorRT needs {needed[0].told['file']}, which is not found."
        )
    elif saying.told["module"] in _TENSORRT and (found := _of_another_release(told)) is not None:
        wanted, there = found
        title = f"This TensorFlow opens TensorRT {wanted} (libnvinfer.so.{wanted}), and the library path leads to TensorRT {there}."
        return Candidate("cuda-libraries-wrong-version", Confidence.LIKELY, (place(saying),), f"{words}{_OTHER.format(wanted=wanted)}", title=title)  # fmt: skip
    return Candidate(
        saying.code, Confidence(saying.sure), (*map(place, needed), place(saying)), words, title=title
    )


def _of_another_release(told: Testimony) -> tuple[str, str] | None:
    """The TensorRT that is asked for, and that of a folder on the loader's list; None where the two agree or are not told."""
    for saying in told.named("file-not-opened"):
        wanted = saying.told.get("library", "").partition("libnvinfer.so.")[2].partition(".")[0]
        there = saying.text.partition("LD_LIBRARY_PATH")[2].partition("TensorRT-")[2].partition("/")[0]
        if wanted and there[:1].isdigit() and there.partition(".")[0] != wanted:
            return wanted, there
    return None


def of_tensorrt(saying: Saying) -> Candidate | None:
    """None where no two releases of TensorRT are told."""
    if saying.name not in MISMATCHES:
        return None
    wanted, there = saying.told["wanted"], saying.told["version"]
    words = (
        f"This TensorFlow was built with TensorRT {wanted}, and the process loaded TensorRT {there}. TF-TRT, the bridge between them, goes on where the two are near enough, and converts wrong, "
        "crashes or refuses where they are not. A program that does not convert with TensorRT is not concerned."
    )
    title = f"TensorRT {there} is loaded, and this TensorFlow was built with TensorRT {wanted}."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


_IMAGE = fix("convert-in-nvidias-image-tensorflow-in")
_WITHOUT = fix("or-compute-without-tensorrt-model-runs")
_OF_THE_BUILD = fix("or-bring-tensorrt-release-tensorflow-opens")


def tensorrt_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where the log names no other release of TensorRT than the one that is opened."""
    return (_IMAGE, _OF_THE_BUILD, _WITHOUT) if _of_another_release(told) is not None and told.named(_STUB) else ()  # fmt: skip
