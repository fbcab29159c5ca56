"""A file that is no zip archive, though its reader needs one: a wheel that pip was given, arrays, a model, a packed data set."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.signatures.outside.errors import NO_ARCHIVE

_INSTALLERS = ("pip", "wheel", "distlib", "setuptools")
_MOSTLY = "Mostly the download broke off, or what was saved is a web page, an error message or a pointer (Git LFS) in place of the file. A wheel of TensorFlow has hundreds of megabytes, such a page a few kilobytes."


def of_archive(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None for other exceptions."""
    if NO_ARCHIVE.search(last.what) is None:
        return None
    given = told.named("pip-processing")
    by_pip = last.package in _INSTALLERS or bool(given) or bool(told.named("pip-at-work"))
    return _of_pip(facts, given[-1].told["file"] if given else "") if by_pip else _of_a_program()


def _of_pip(facts: Facts, file: str) -> Meant:
    python = interpreter(facts)
    title = (
        f"The file that pip was to install is no wheel: it is no zip archive{f' ({file})' if file else ''}."
    )
    words = f"A wheel is a zip archive, and this file is none. {_MOSTLY} Nothing was installed, and nothing of what is there was changed."
    again = Fix("Have pip fetch it itself, without what it keeps of earlier tries", (f"{python} -m pip install --no-cache-dir tensorflow",))  # fmt: skip
    if not file:
        return Meant("tensorflow-missing", title, words, (again,))
    look = "dir" if "\\" in file else "ls -l"
    own = Fix("See how large the file is, then fetch it once more from the address of the file itself", (quoted(*look.split(), file),), "On GitHub that is the button Download raw file, or the address with /raw/ in place of /blob/. A file of Git LFS comes by git lfs pull.")  # fmt: skip
    return Meant("tensorflow-missing", title, words, (own, again))


def _of_a_program() -> Meant:
    title = "A file that was to be read is no zip archive, as files of the kinds .npz, .keras, .zip and .docx are."
    words = f"The reader found another beginning in the file than an archive has. {_MOSTLY} TensorFlow is not what fails."
    look = Fix("See how large the file is and how it begins; an archive begins with PK. Then fetch or save it again", ("ls -l FILE", "head -c 200 FILE"), "The line of your program that opens it names FILE. What Keras or a package fetched, it keeps: remove it there (~/.keras), so that it is downloaded again.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (look,))
