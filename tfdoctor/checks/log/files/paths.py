"""A path that can't be found for how it is written: of another machine, with an escape in it, cut at a blank, or with a character that no name may have."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.signatures.outside.paths import ESCAPES, NOT_OPENED, OF_HDF5, OF_PYTHON, UNICODE_ESCAPE

_FORBIDDEN = '<>:"|?*'
_BAD_NAME = ("22", "123", "267")
"""EINVAL, and Windows' ERROR_INVALID_NAME and ERROR_DIRECTORY."""
_DRIVES = ("/content/gdrive/My", "/content/drive/My", "/gdrive/My", "/drive/My")
_HOSTED = {"/content/": "Colab", "/kaggle/": "Kaggle"}
_RAW = 'In your files: r"C:\\data\\train" or "C:/data/train", which Windows takes, too; or pathlib.Path("data") / "train"'


def of_path(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where nothing of the path's own letters says what is wrong."""
    found = OF_PYTHON.search(last.what) or OF_HDF5.search(last.what) or NOT_OPENED.search(last.what)
    if found is None:
        return None
    file, of_python = found["file"], found.re is OF_PYTHON.compiled
    number = (found["number"] or found["windows"]) if of_python else found.groupdict().get("number", "")
    return (
        (_escaped(file) if of_python else None)
        or _cut(file)
        or _with_blanks(file)
        or _unexpanded(file)
        or _of_another_machine(facts, last, file)
        or (_forbidden(facts, last, file) if number in _BAD_NAME else None)
    )


def of_escape(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A path in quotes whose backslashes Python reads, which stops before anything runs."""
    if UNICODE_ESCAPE.search(last.what) is None:
        return None
    title = "A text in quotes holds a backslash that Python takes for the beginning of an escape (\\U or \\u): mostly a path of Windows, as C:\\Users."
    words = "In plain quotes a backslash and the letter behind it are one character. \\U wants eight digits behind it, and \\Users has none, so Python can't read the file at all. Nothing was run."
    own = Fix("Put an r before the quotes, or write slashes", note=_RAW)
    return Meant(OF_THE_PROGRAM, title, words, (own,))


def _escaped(file: str) -> Meant | None:
    """In what repr writes, a backslash that is not doubled begins an escape. Where none is doubled, the text may have been rewritten."""
    plain = file.replace("\\\\", "/")
    behind = plain.partition("\\")[2]
    name = next((each for each in ESCAPES if behind.startswith(each)), "")
    at_the_end = behind == name and name in ("n", "r")
    if not name or not (at_the_end or "\\\\" in file or name.startswith("x")):
        return None
    if at_the_end:
        title = f"The path ends in {ESCAPES[name]}: {plain.partition(chr(92))[0]} is meant."
        words = "A name that was read from a file line by line keeps the line's end, which is no part of the name."
        return Meant(OF_THE_PROGRAM, title, words, (Fix("Take the line's end off each name that is read", note="In your files: names = [line.strip() for line in open(FILE)]"),))  # fmt: skip
    title = f"The path holds {ESCAPES[name]} where a backslash was meant: {file}."
    words = "In plain quotes Python reads a backslash and the letter behind it as one character (\\t, \\n, \\a, \\b, \\f, \\r, \\v). So the path is another one than it looks in the program."
    return Meant(
        OF_THE_PROGRAM, title, words, (Fix("Put an r before the quotes, or write slashes", note=_RAW),)
    )


def _cut(file: str) -> Meant | None:
    """Google Drive's folder is called My Drive, and a list of paths that is parted at blanks cuts it."""
    if not file.endswith(_DRIVES):
        return None
    title = f"A path was cut at its space: {file} Drive/… is meant."
    words = "The folder of Google Drive is called My Drive, with a space. What parts a line at its spaces (an annotation file, a shell without quotes) takes the first part for the whole path."
    link = Fix("Lead to the folder by a name without a space, and write that name wherever the path stands; annotation files have to be made again with it", (f"!{quoted('ln', '-s', f'{file} Drive', '/content/mydrive')}",), "Newer Colab has the same folder as /content/drive/MyDrive.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (link,))


def _with_blanks(file: str) -> Meant | None:
    """A blank or quotation marks at an end of the name."""
    bare = file.strip().strip("\"'")
    if bare == file or not bare:
        return None
    what = "a space" if file.strip() != file else "quotation marks"
    where = "ends in" if file.startswith(bare) else "begins with" if file.endswith(bare) else "stands between"
    title = f"The name of the file {where} {what}: '{file}' was asked for, and mostly '{bare}' is meant."
    words = "Each character between the quotes belongs to the name. Linux and macOS take such a name as it is; Windows leaves a space at the end away, so the same program can work there."
    return Meant(OF_THE_PROGRAM, title, words, (Fix(f"Write the name without {'it' if what == 'a space' else 'them'}, or take off what stands around it", note=f"In your files: '{bare}', or path.strip(' \"') where it is read from a file or typed"),))  # fmt: skip


def _unexpanded(file: str) -> Meant | None:
    """What a shell puts another text for, and Python does not."""
    variable = file.startswith(("$", "%")) or "${" in file
    if not variable and not file.startswith("~/"):
        return None
    title = f"The path {file} was taken as it stands: Python does not put in what a shell would ({'the variable' if variable else 'the home folder for ~'})."
    words = "~ and variables are a shell's words. Python's open and TensorFlow's readers look for a folder of just that name."
    ways = "os.path.expandvars(path)" if variable else "os.path.expanduser(path)"
    return Meant(OF_THE_PROGRAM, title, words, (Fix("Put them in where the path is used", note=f"In your files: {ways}"),))  # fmt: skip


def _of_another_machine(facts: Facts, last: Ending, file: str) -> Meant | None:
    """A drive's letter where Python runs in another system, and a hosted notebook's folders on a machine of one's own."""
    here = shown(facts).service
    place = {"colab": "Colab", "kaggle": "Kaggle"}.get(here, "")
    if file[1:2] == ":" and file[2:3] in ("\\", "/") and (place or _is_posix(facts, last)):
        return _of_windows(file, place)
    whose = next((name for folder, name in _HOSTED.items() if file.startswith(folder)), "")
    on_windows = value_or(facts.host.os, "") == "windows" or any(each[1:2] == ":" for each in last.roots)
    if not whose or whose == place or not (on_windows or value_or(facts.host.os, "") == "macos"):
        return None
    title = f"{file} is a path of {whose}'s machines, and the program runs on another one."
    words = f"The notebook or program was written for {whose}, where the data are in that folder. This machine has none of that name."
    own = Fix("Fetch the data, and write the path that they have on this machine", note=f"In your files: every path that begins with {file.split('/')[1]}")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))


def _is_posix(facts: Facts, last: Ending) -> bool:
    """By the folders of its own frames: the name of a drive means nothing there."""
    return any(each.startswith("/") for each in last.roots) or value_or(facts.host.os, "") in ("linux", "macos")  # fmt: skip


def _of_windows(file: str, place: str) -> Meant:
    shown_file = file.replace("\\\\", "\\")
    where = f"{place}'s machine" if place else "this machine, which is no Windows"
    title = f"{shown_file} is a path of a Windows machine, and the program runs on {where}."
    words = f"Drives with letters are Windows' own. {'A hosted notebook runs far from your computer and sees none of its files.' if place else 'In WSL they are below /mnt; a container and another machine see none of them.'}"
    if place == "Colab":
        own = Fix("Put the data into Google Drive, and have Colab show it; or upload them by the folder symbol at the left", ("from google.colab import drive; drive.mount('/content/drive')",), "Then the path begins with /content/drive/MyDrive/.")  # fmt: skip
    elif place == "Kaggle":
        own = Fix("Upload the data as a dataset of Kaggle's, and write the path that it gets", note='In the notebook\'s side panel: "Add Input". The path begins with /kaggle/input/.')  # fmt: skip
    else:
        below = f"/mnt/{file[0].lower()}{shown_file[2:].replace(chr(92), '/')}"
        own = Fix("In WSL, write the path below /mnt; this shows whether it is there", (f"ls -ld '{below}'",), "On another Linux, bring the data there and write the path that they have.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))


def _forbidden(facts: Facts, last: Ending, file: str) -> Meant | None:
    """A character that Windows takes in no name. Elsewhere these errors mean something else."""
    windows = (
        value_or(facts.host.os, "") == "windows"
        or "\\" in last.frame
        or any("\\" in each for each in last.roots)
    )
    rest = file[2:] if file[1:2] == ":" else file
    bad = next((each for each in _FORBIDDEN if each in rest), "")
    if not windows or not bad:
        return None
    title = f"Windows takes no file or folder of that name: {file} holds the character {bad}"
    words = f"None of {' '.join(_FORBIDDEN)} may stand in a name on Windows. Mostly it is a time with colons, or an address, that a name was made of; on Linux the same program works."
    own = Fix("Write times without colons, and leave such characters out of names", note='In your files: datetime.now().strftime("%Y%m%d-%H%M%S") in place of str(datetime.now()), isoformat() or "%H:%M:%S"; name.replace(":", "-")')  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))
