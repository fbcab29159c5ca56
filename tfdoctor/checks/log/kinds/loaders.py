"""A library that a loader refused: whose it is, who wants it, and what brings the two together again."""

from __future__ import annotations

import re  # reads no log: folders in a path

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.companions import distribution, keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: folders in a path
from tfdoctor.light.records import replace

_CONDA = Expression(
    r"[\\/](?:\w{0,20}conda\d?|mambaforge|miniforge\d?|micromamba|Caskroom)[\\/]|[\\/]envs[\\/]"
)
_OF_TENSORFLOW = ("libtensorflow_framework", "libtensorflow_cc", "_pywrap_tensorflow_internal")
_PYTHON = Expression(r"^(?:libpython\d|Python$|Python3$)")
OWNERS = {
    "libgpr": "grpc-cpp (libgrpc)", "libgrpc": "grpc-cpp (libgrpc)", "libupb": "grpc-cpp (libgrpc)", "libprotobuf": "libprotobuf",
    "libabsl": "abseil-cpp (libabseil)", "libhdf5": "hdf5", "libflatbuffers": "flatbuffers", "libre2": "re2", "libsnappy": "snappy",
    "libcrypto": "openssl", "libssl": "openssl", "libcurl": "libcurl", "libjpeg": "jpeg", "libpng": "libpng", "libgif": "giflib",
    "libicu": "icu", "libsqlite3": "sqlite", "libz.": "zlib", "libomp": "llvm-openmp", "libgomp": "libgomp", "libgfortran": "libgfortran",
    "libopenblas": "libopenblas", "libmkl": "mkl",
}  # fmt: skip
"""conda's packages that the conda builds of TensorFlow are linked with (the feedstocks' host requirements, read 2026-11-22)."""


def of_loader(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the saying is no loader's of these."""
    if saying.name == "mac-symbol-missing":
        return _symbol(told, saying)
    saying = _with_asker(told, saying)
    made = {
        "dylib-not-loaded": _dylib, "directml-no-d3d12": _directml, "cudnn-part-bad-format": _bad_part,
        "protobuf-extension-symbol": _protobuf, "mach-o-other-processor": _other_processor,
    }.get(saying.name)  # fmt: skip
    if made is not None:
        return made(saying)
    if saying.name.startswith(("dll-bad-format", "winerror-193")):
        return _bad_format(saying)
    return None


def _of(saying: Saying, title: str, words: str, code: str = "") -> Candidate:
    return Candidate(code or saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _dylib(saying: Saying) -> Candidate:
    library = saying.told["library"]
    asker = _asker(saying)
    owner = asker or "The program"
    if library.startswith(_OF_TENSORFLOW) and asker not in ("", "tensorflow"):
        return _of(saying, f"{owner} does not find the TensorFlow that it was built for.", f"{library} is a part of TensorFlow that the installed release does not have under this name, or not where {owner} looks.", "custom-op-mismatch")  # fmt: skip
    if library.startswith(_OF_TENSORFLOW):
        return _of(saying, f"A part of TensorFlow is missing: {library}.", "It comes in TensorFlow's own package, so the installation is incomplete, or two packages wrote into one folder.", "tensorflow-install-broken")  # fmt: skip
    kept = next((name for stem, name in OWNERS.items() if library.startswith(stem)), "")
    of = f" It belongs to the package {kept}." if kept else ""
    conda = " This environment is conda's, and its packages are linked with one another's exact releases: here they come from different channels or times." if _in_conda(saying) else ""  # fmt: skip
    title = f"{owner} is linked with {library}, which is not in this environment."
    words = (
        f"The loader of macOS looked for {library} in the folders that it names and found none.{of}{conda}"
    )
    return _of(saying, title, words)


def _asker(saying: Saying) -> str:
    file = saying.told.get("file", "") or saying.told.get("library", "")
    found = re.search(r"(?:site|dist)-packages/(?P<folder>\w{1,100})", file)
    return found["folder"].replace("_", "-") if found else ""


def _with_asker(told: Testimony, saying: Saying) -> Saying:
    """The saying with the file that asked, where the loader names it on a line of its own."""
    asked = [each for each in told.named("asked-by-on-a-mac") if place(each) > place(saying)]
    if saying.told.get("file") or not asked:
        return saying
    return replace(saying, told={**saying.told, "file": asked[0].told["file"]})


def _in_conda(saying: Saying) -> bool:
    return bool(_CONDA.search(saying.told.get("file", "") or saying.text))


def _directml(saying: Saying) -> Candidate:
    words = (
        f"{saying.told['library']} is a part of Windows that WSL2 shows in /usr/lib/wsl/lib. It is not there, or the loader does not look there: "
        "WSL 1, an old WSL kernel, a Windows without GPU support for WSL, or a plain Linux, where DirectML never works."
    )
    found = _of(
        saying,
        f"DirectML finds no {saying.told['library']}: the GPU libraries of WSL2 are not in reach.",
        words,
    )
    return Candidate(
        found.code, found.confidence, found.places, words, question((saying.code,), "host.wsl"), found.title
    )


def _bad_part(saying: Saying) -> Candidate:
    library = saying.told["library"]
    words = (
        f"Error 193 means that a file is no 64-bit DLL: {library}, or one that it loads (zlibwapi.dll mostly), is damaged, incomplete or made for 32 "
        "bits. It was not missing: that would be error 126. Single DLLs that were copied by hand are the usual way to it."
    )
    return _of(
        saying, f"{library}, or a DLL that it loads, is damaged or made for 32 bits (error 193).", words
    )


def _bad_format(saying: Saying) -> Candidate:
    words = (
        "Error 193 means that a DLL was found and is no DLL for this Python: it is damaged or incomplete, or one of the two is made for 32 bits "
        "and the other for 64."
    )
    title = (
        "Windows refuses a DLL: it is damaged, or made for another processor than this Python (error 193)."
    )
    opened = question((saying.code, *saying.rivals), "interpreter.pointer_bits")
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, opened, title)


def _symbol(told: Testimony, saying: Saying) -> Candidate:
    owner, symbol = _asker(saying) or "The program", saying.told["symbol"]
    if told.named("symbol-of-the-system"):
        words = f"The symbol {symbol} is looked for in a library of macOS itself, which does not have it yet."
        return _of(saying, f"This macOS is older than the one that {owner} was built for.", words)
    words = f"{owner} asks for {symbol}, which the library that is found does not have: that library is of another release."
    return _of(saying, f"{owner} and a library that it is linked with are of different releases.", words)


def _other_processor(saying: Saying) -> Candidate:
    owner = _asker(saying) or "The library"
    have, need = saying.told.get("version", "another processor"), saying.told.get("wanted", "")
    runs = f"runs on {need.removesuffix('e')}" if need else "runs on another one"
    who = "Node.js" if "node_modules/" in saying.text else "Python"
    words = (
        "Macs have Apple's processor (arm64) or Intel's (x86_64), and Rosetta runs programs for Intel on Apple's. The program and all that it loads have to "
        "be for one and the same."
    )
    return _of(saying, f"{owner} is made for {have}, and this {who} {runs}.", words)


def _protobuf(saying: Saying) -> Candidate:
    words = (
        "The compiled part of this protobuf asks for a symbol that no library of it has: the file itself is broken, as those of "
        "protobuf 3.20.2 for macOS were."
    )
    return _of(
        saying, "The installed protobuf is broken on this Mac: its compiled part can't be loaded.", words
    )


def loader_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no loader of these spoke."""
    for name, made in _FIXES.items():
        said = told.named(name)
        if said:
            return made(facts, _with_asker(told, said[0]))
    return ()


def _dylib_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    library, asker = saying.told["library"], _asker(saying)
    if _PYTHON.match(library):
        return (fix("make-environment-again-with-python"),)
    if _in_conda(saying):
        version = value_or(facts.tensorflow.version, "")
        wanted = f"tensorflow={version}" if version else "tensorflow"
        return (
            fix("make-new-environment-with-tensorflow-and", wanted=wanted),
            fix("see-from-channels-present-one-was"),
        )
    return (_again(facts, asker or "tensorflow"),)


def _again(facts: Facts, package: str) -> Fix:
    if package != "tensorflow":
        own = f"{interpreter(facts)} -m pip install --upgrade {package} {keeping_tensorflow(facts)}"
        return Fix(f"Install the {package} that is made for the TensorFlow that is here", (own,), "pip chooses it where it is told to keep TensorFlow as it is.")  # fmt: skip
    what = keeping_tensorflow(facts)
    return fix("install-again-for-tensorflow-here", package=package, python=interpreter(facts), what=what)


def _symbol_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    package = _asker(saying) or "tensorflow"
    update = fix("update-macos-where-symbol-systems-line")
    if package.startswith("tensorflow"):
        older = fix("where-mac-gets-no-newer-macos")
        return (update, older)
    return (update, _again(facts, package))


def _processor_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    python, package = interpreter(facts), _asker(saying)
    look = fix("see-processor-python-for-arm64-apples", python=python)
    again = fix(
        "install-again-for-pythons-processor",
        value=package or "the package",
        python=python,
        value_2=package or "tensorflow",
    )
    if package in ("", "tensorflow") and not isinstance(facts.tensorflow.version, Known):
        again = replace(
            again,
            commands=(
                f"{python} -m pip uninstall --yes tensorflow",
                f"{python} -m pip install --no-cache-dir tensorflow",
            ),
            note="pip then takes the newest one for the processor that its Python runs on, with all that it needs.",
        )
    if saying.told.get("version") != "arm64":
        return (again, look)
    native = fix("on-mac-with-apples-processor-make")
    return (look, native)


def _directml_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    return (
        fix("under-wsl2-show-loader-folder-windows"),
        fix("if-they-are-not-bring-wsl"),
        fix("on-plain-linux-do-without-directml", python=interpreter(facts)),
    )


def _part_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    library = saying.told["library"]
    return (
        fix("see-copies-windows-finds-remove-those", library=library),
        fix("install-one-whole-cudnn-for-cuda"),
    )


def _format_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    name = distribution(saying)
    python = interpreter(facts)
    return (
        fix("see-whether-python-64-bits-tensorflow", python=python),
        fix("if-install-what-damaged-again", python=python, value=name or 'tensorflow'),
    )  # fmt: skip


def _protobuf_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    return (fix("install-protobuf-3-20-3-whose-files-for", python=interpreter(facts)),)


_FIXES = {
    "protobuf-extension-symbol": _protobuf_fixes,
    "dylib-not-loaded": _dylib_fixes,
    "mac-symbol-missing": _symbol_fixes,
    "mach-o-other-processor": _processor_fixes,
    "directml-no-d3d12": _directml_fixes,
    "cudnn-part-bad-format": _part_fixes,
    **dict.fromkeys(
        ("dll-bad-format-en", "dll-bad-format-de", "dll-bad-format-fr", "dll-bad-format-es", "dll-bad-format-pt", "dll-bad-format-ru", "dll-bad-format-zh", "winerror-193"),
        _format_fixes,
    ),
}  # fmt: skip
