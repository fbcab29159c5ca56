"""An installer that stopped at something it can't use: a published file that is broken, a path of another machine, a folder of others, a
package that is damaged in a cache, a machine without what a build asks for, a tool of another release."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence

_UNTOUCHED = "Nothing was installed, and nothing of what is there was changed."
_METADATA, _MEMORY = "pip-invalid-metadata", "memory-error"
DAMAGED = "conda-package-damaged"
LONGEST_PATH = 260
"""Characters of a path on Windows, unless the limit is lifted (Microsoft's page on MAX_PATH)."""
_BESIDE = 30
"""conda unpacks into a folder beside the last one, whose name can be longer by that."""
_OF_THE_MACHINE = {"__cuda": "an NVIDIA driver", "__glibc": "a newer C library (glibc)", "__osx": "macOS, or a newer one", "__linux": "Linux", "__win": "Windows", "__archspec": "a newer processor"}  # fmt: skip
_OTHERS_FOLDERS = ("\\program files", "\\programdata\\")


def unusable(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    if saying.code == "python-unsupported" and told.named(_METADATA):
        return _metadata(told, saying)
    if saying.name == _MEMORY:
        return _out_of_memory(told, saying)
    if saying.name == "pip-file-in-use" and of_others(saying):
        return _may_not_write(told, saying)
    made = _MADE.get(saying.name)
    return made(told, saying) if made is not None else None


def _of(saying: Saying, title: str, words: str, code: str = "") -> Candidate:
    return Candidate(code or saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _invalid(told: Testimony, saying: Saying) -> Candidate:
    what = saying.told.get("package") or saying.told.get("asker", "")
    words = f"A wheel is a zip archive with one folder of metadata. pip opened this one and found it otherwise, so it was published broken, or arrived so. No other Python and no reinstallation of the same release helps. {_UNTOUCHED}"
    why = f" ({saying.told['message']}: {saying.told['file']})" if "file" in saying.told else ""
    return _of(saying, f"The file of {what} that pip got is no valid wheel{why}.", words)


def _metadata(told: Testimony, saying: Saying) -> Candidate | None:
    """The release that pip passes over, where it is the one that was asked for."""
    said = [each for each in told.named(_METADATA) if each.told["package"] == saying.told.get("package", "")]
    if not said:
        return None
    what = f"{said[0].told['package']} {said[0].told['version']}"
    words = f"The file is there, and its list of requirements is written in a way that the rules do not allow. Older pips overlooked that; pip 24.1 and newer pass over such a release, and then say that they find none. It says nothing of this Python. {_UNTOUCHED}"
    title = f"pip 24.1 and newer refuse {what}: its metadata is not valid."
    return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(said[0]), place(saying)), words, title=title)  # fmt: skip


def _of_a_build(told: Testimony, saying: Saying) -> Candidate:
    path = saying.told.get("file") or saying.told.get("value", "")
    words = f"In a conda environment `pip freeze` writes where conda's own packages were built, as NAME @ file://…, in place of their releases. Those folders existed on the machine that built them and nowhere else; here it is {path}. {_UNTOUCHED}"
    return _of(saying, "The list of requirements names folders of the machine where conda built its packages.", words)  # fmt: skip


def of_others(saying: Saying) -> bool:
    """Access denied below a folder of Windows that administrators alone may write."""
    file = saying.told.get("file", "").replace("\\\\", "\\").lower()
    return saying.told.get("number") == "5" and any(each in file for each in _OTHERS_FOLDERS)


def _may_not_write(told: Testimony, saying: Saying) -> Candidate:
    file = saying.told["file"].replace("\\\\", "\\")
    words = f"This Python was installed for all users of the machine, so its packages are where only an administrator may write ({file}). In an environment of one's own anyone may. What was installed so far may be half done."
    title = "pip may not write into the folder of this Python: the user has no permission for it."
    return _of(saying, title, words, "tensorflow-missing")


def _damaged(told: Testimony, saying: Saying) -> Candidate:
    package = saying.told.get("package") or saying.told.get("module", "a package")
    words = f"conda unpacks what it downloads into a cache and links it into the environment from there. Of {package} files are missing in the cache: the download broke off, the disk or a quota was full, or another conda wrote at the same time. The environment is not made, or only in part."
    if near_the_limit(told, saying):
        words += f" On Windows a path over {LONGEST_PATH} characters can't be unpacked either, and the one that is missing here comes near that."
    code = "tensorflow-install-broken" if package.startswith("tensorflow") else "tensorflow-missing"
    title = f"The {package} in conda's cache of packages is damaged or incomplete."
    return _of(saying, title, words, code)


def near_the_limit(told: Testimony, saying: Saying) -> bool:
    """The folder in the cache and the file that is missing below it, on Windows."""
    folder = saying.told.get("file") or saying.told.get("value", "")
    lacking = max((len(each.told["file"]) for each in told.named("conda-path-lacking")), default=0)
    return "\\" in folder and len(folder.strip()) + lacking + _BESIDE > LONGEST_PATH


def _virtual(told: Testimony, saying: Saying) -> Candidate:
    name = virtual(saying)
    brings = _OF_THE_MACHINE.get(name, name)
    words = f"conda and pixi have packages of their own for what a machine brings, and {name} stands for {brings}. What was asked for needs it, and this machine, or the one that the project is said to be for, does not have it. In an image that is being built, in CI and on a login node there is no GPU's driver, though the program may find one later."
    return _of(saying, f"What was asked for needs {name} ({brings}), which is not on this machine.", words)


def virtual(saying: Saying) -> str:
    return saying.told.get("library") or saying.told["package"]


def _bazel(told: Testimony, saying: Saying) -> Candidate:
    wanted = saying.told.get("wanted") or saying.told["value"]
    there = told.named("bazel-there")
    have = f", and {there[0].told['version']} is here" if there else ""
    side = {"upgrade": f"{wanted} or newer", "downgrade": f"{wanted} or older"}.get(saying.told.get("message", ""), wanted)  # fmt: skip
    words = "TensorFlow's sources are built with Bazel, and each release of them with certain releases of it. The build was not started; nothing is damaged."
    return _of(saying, f"This source of TensorFlow is built with Bazel {side}{have}.", words)


def _undeclared(told: Testimony, saying: Saying) -> Candidate:
    rule = saying.told["value"]
    words = f"Bazel allows a rule only the headers that it was told of, and {rule} includes others, which the lines below name. It learns the folders of Python, NumPy, the compiler and CUDA when ./configure runs, and keeps them: where one of these was updated, moved, or is reached by a link (a virtual environment, /usr/lib64), what it keeps is no longer true. The source itself is in order."
    return _of(
        saying,
        f"Bazel's idea of where headers lie is out of date, or another one than the compiler's: {rule} includes what it was not told of.",
        words,
    )


def _fmod(told: Testimony, saying: Saying) -> Candidate:
    words = "Windows 10 2004 computed a function wrongly (fmod), and the OpenBLAS inside of NumPy 1.19.4 gives wrong results with it. So that NumPy tests it when it is imported, and refuses. NumPy 1.19.5 brings an OpenBLAS that goes around it; an update of Windows from 2021 puts it right. TensorFlow is not what fails."
    return _of(saying, "NumPy 1.19.4 refuses to run on this Windows, for a fault of Windows.", words)


def _required(told: Testimony, saying: Saying) -> Candidate:
    got = saying.told
    words = "setup.py looks for a release of each requirement by itself, one after the other, and takes the newest before it knows what others ask for. pip looks at all of them together. The package was not installed to its end."
    title = f"{got['asker']} asks for {got['module']} {got['wanted']}, and {got['version']} is installed."
    return _of(saying, title, words)


def _out_of_memory(told: Testimony, saying: Saying) -> Candidate | None:
    """Memory that pip itself did not get; None where the program is what ran out."""
    of_pip = any(each.package == "pip" and place(each) == place(saying) for each in told.endings)
    if not of_pip:
        return None
    words = "pip keeps what it downloads in a cache, and older pips hold the whole file in memory for that, some 500 MB of TensorFlow's. Without the cache that is not needed."
    return _of(saying, "pip ran out of memory while it kept the file that it had downloaded.", words)


_MADE: dict[str, Callable[[Testimony, Saying], Candidate]] = {
    "pip-invalid-wheel": _invalid,
    "pip-path-of-a-build": _of_a_build,
    "pip-may-not-write": _may_not_write,
    DAMAGED: _damaged,
    "virtual-package-missing": _virtual,
    "bazel-release": _bazel,
    "bazel-undeclared": _undeclared,
    "numpy-windows-fmod": _fmod,
    "installed-but-required": _required,
}
