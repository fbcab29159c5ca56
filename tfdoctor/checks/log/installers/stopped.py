"""pip knew what to install and installed nothing: a download that broke off, a Python or a package that another tool looks after."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import (
    Expression,  # reads no log: a command that was typed, which is asked of elsewhere
)

_HASH, _BROKEN, _MANAGED, _FOREIGN = (
    "pip-hash-differs", "pip-download-broken", "python-externally-managed", "pip-not-its-own",
)  # fmt: skip
_LOCKED = "poetry-hash-unknown"
_UNTOUCHED = "Nothing was installed, and nothing of what is there was changed."


def stopped(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    made = {_HASH: _hash, _BROKEN: _broken, _MANAGED: _managed, _FOREIGN: _foreign, _LOCKED: _locked}.get(
        saying.name
    )
    return made(facts, told, saying) if made is not None else None


def _of(saying: Saying, title: str, words: str) -> Candidate:
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _hash(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    package = _damaged(told)
    title = f"pip refused the file of {package} that it got: it is not, byte for byte, the one that the index announced." if package else "pip refused a file that it got: it is not, byte for byte, the one that the index announced."  # fmt: skip
    words = f"An index names the hash of each file, and the one of what arrived differs. With a large file such as TensorFlow's that is mostly a download that broke off or was changed on its way (a proxy, a mirror), or an earlier such file in pip's cache. A file of requirements with hashes of its own can also be out of date. {_UNTOUCHED}"
    return _of(saying, title, words)


def _damaged(told: Testimony) -> str:
    said = told.named("pip-hash-of")
    return said[0].told["package"] if said else ""


def _broken(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    words = f"The connection to the index, or to a proxy or mirror in its place, broke off or was too slow while pip fetched a file. TensorFlow's file has some 500 MB, so it is the one that a slow line loses. {_UNTOUCHED}"
    return _of(saying, "pip's download broke off: nothing was installed.", words)


def _managed(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    words = f"This Python belongs to the system (Debian, Ubuntu, Raspberry Pi OS, Homebrew), whose own tools need its packages; so pip may not install into it (PEP 668). In an environment of one's own it may. {_UNTOUCHED}"
    return _of(saying, "pip may not install into the system's own Python: nothing was installed.", words)


def _foreign(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    package = saying.told["package"]
    title = f"pip can't replace {package}: another tool installed it (conda, apt, an old setup.py)."
    words = f"pip has to replace {package} for what was asked for, and it can't remove it: the list of its files, which pip needs for that, is not there. {_UNTOUCHED}"
    return _of(saying, title, words)


def _locked(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    package, release = saying.told["package"], saying.told["version"]
    title = f"poetry.lock does not know the file of {package} {release} that poetry got: it was written for other files, or before this one came."
    words = f"A lock file names the hash of each file that may be installed, and that of {saying.told['file']} is not among them. Mostly the lock file is older than that file, or poetry's cache held another list when it was written; seldom the file arrived damaged. {_UNTOUCHED}"
    return _of(saying, title, words)


def _locked_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    package = told.named(_LOCKED)[0].told["package"]
    return (
        Fix(
            "Empty poetry's cache, write the lock file anew, and install from it",
            ("poetry cache clear --all --no-interaction .", "poetry lock", "poetry install"),
            f"Poetry 1 keeps the releases with poetry lock --no-update. A poetry of the newest release, and `poetry update {package}`, do as well.",
        ),
    )


def stopped_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where pip was not stopped so, or another code is asked for."""
    for name, made in ((_FOREIGN, _foreign_fixes), (_MANAGED, _managed_fixes), (_HASH, _again), (_BROKEN, _again), (_LOCKED, _locked_fixes)):  # fmt: skip
        said = told.named(name)
        if said and said[0].code == code:
            return made(facts, told)
    return ()


def asked_for(facts: Facts) -> str:
    """What pip was told to install, as it was typed; "tensorflow" where the log does not show it."""
    typed = value_or(facts.log.surroundings, Surroundings()).typed
    by_pip = (each.partition(" install ")[2].strip() for each in typed if "pip" in each.partition(" install ")[0])  # fmt: skip
    what = _INDEX.sub("", next(filter(None, by_pip), "")).strip()
    return what if what and not any(each in what for each in _SHELL) else "tensorflow"


_INDEX = Expression(
    r"(?:^|(?<= ))(?:-i|--(?:extra-)?index(?:-url)?|--trusted-host|-f|--find-links)[ =]\S{1,300} ?"
)
"""Where it was to look: no command of ours leads to another index, whatever a log says."""
_SHELL = ("`", "$", ";", "&", "|", "<", ">", "--user", "--break-system", "#", "'", '"', "\\")
"""What would mean something else in another shell, or just what is to be left out."""


def _again(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    python, what = interpreter(facts), asked_for(facts)
    return (
        Fix(
            "Fetch it once more, without what pip keeps of earlier tries, and with patience",
            (f"{python} -m pip install --no-cache-dir --timeout 120 --retries 10 {quoted_names(what)}",),
            "Behind a proxy or a mirror, try once without it: pip config list shows both.",
        ),
    )


def quoted_names(what: str) -> str:
    """Brackets mean something to zsh."""
    return " ".join(f'"{each}"' if "[" in each else each for each in what.split())


def _managed_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    return (
        Fix(
            "Make an environment of your own, and install there",
            ("python3 -m venv tf", f"tf/bin/python -m pip install {quoted_names(asked_for(facts))}"),
            "Where Debian or Ubuntu say that venv is missing: sudo apt install python3-venv. Programs then start with tf/bin/python, or after `source tf/bin/activate`.",
        ),
    )


def _foreign_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    said = told.named(_FOREIGN)[0]
    package, python = said.told["package"], interpreter(facts)
    what = asked_for(facts)
    over = Fix(
        f"Let pip put its own {package} over the one that is there",
        (
            f"{python} -m pip install --ignore-installed {package}",
            f"{python} -m pip install {quoted_names(what)}",
        ),
        f"The files of the old one stay beside it. In conda, `conda update {package}` in place of the first line is cleaner.",
    )
    new = Fix("Or install into a new environment, where nothing is in the way", ("python3 -m venv tf", f"tf/bin/python -m pip install {quoted_names(what)}"))  # fmt: skip
    return (new, over) if "debian" in said.text.lower() else (over, new)
