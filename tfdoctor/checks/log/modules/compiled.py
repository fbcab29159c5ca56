"""An add-on of TensorFlow whose compiled part was never there: a package's file that was made without it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.testimony import place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NOT_THERE = ".so: cannot open shared object file: No such file or directory"


def own_file_absent(last: Ending, name: str) -> bool:
    """The loader names the add-on's own file, and not one that this file needs."""
    before = last.what.partition(_NOT_THERE)[0]
    return before != last.what and f"/{name.replace('-', '_')}/" in before and "site-packages/" in before


def without_its_file(last: Ending, name: str) -> Candidate:
    note = FILES[name].note if name in FILES else ""
    words = f"{name} brings compiled operations, which TensorFlow loads when {name} is imported, and the file is not there. pip takes it for installed all the same. Mostly there is no build of it for this system or processor, or the installation was cut short. {note}"
    return Candidate("custom-op-mismatch", Confidence.LIKELY, (place(last),), words.rstrip(), title=f"The compiled part of {name} is not there: mostly it was not made for this system.")  # fmt: skip


def absent_fixes(facts: Facts, name: str) -> tuple[Fix, ...]:
    python, there = interpreter(facts), FILES.get(name)
    look = Fix(
        "See the processor and the system, and whether the package brought compiled files. It changes nothing",
        (f"{python} -c 'import platform; print(platform.machine(), platform.platform())'", f"{python} -m pip show --files {name}"),
        "No name in the list ends in .so: this file of the package was made without them.",
    )  # fmt: skip
    again = Fix("Where the list names the file, fetch the package once more", (f"{python} -m pip install --force-reinstall --no-deps --no-cache-dir {name}",))  # fmt: skip
    other = Fix(f"Else take the package that took its place, {there.instead}", (f"{python} -m pip install {there.instead}",), "Its functions have other names.") if there and there.instead else Fix(f"Else run it on Linux with an Intel or AMD processor, or build {name} from its sources")  # fmt: skip
    return (look, again, other)
