"""Which names TensorFlow and Keras had in which release, and what took the place of those that went."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending
from tfdoctor.knowledge.compiled import table

# In which releases of TensorFlow and Keras a name is: the tables of `names/`, read in the published wheels (2026-11-22).

_FOLDER = Path(__file__).with_name("names")


GONE_WITH_2 = ("tensorflow.contrib", "tensorflow.examples")
"""2.0 left them out (its release notes), though its wheel still has some of their files."""
CORE = "tensorflow_core"
"""The folder that held TensorFlow's own files in 1.15, 2.0 and 2.1 (the names of their wheels' files)."""
_BY_HAND = {
    CORE: (1, 2),
    "tensorflow.compat.v2": (1, 99),
    "tensorflow.estimator": (1, 16),
    "tensorflow.compat.v1.estimator": (1, 16),
    "tensorflow.contrib": (1, 0),
    "tensorflow.examples": (1, 0),
}
"""The first minor of 2.x without it: it came from another package (TensorFlow 2.16's release notes), or see above."""
ASKED = Expression(
    r"No module named '?(?P<missing>[\w.]{1,200})'?(?:; '[\w.]{1,100}' is not a package)?|cannot import name '?(?P<name>\w{1,100})'? from '(?P<of>[\w.]{1,200})'"
    r"|module '(?P<module>[\w.]{1,200})' has no attribute '(?P<attribute>\w{1,100})'|cannot import name '?(?P<bare>\w{1,100})'?"
)
"""A module or a name that was asked for in vain, as Python 3.6 to 3.14 say it."""
FROM = Expression(r"^\s*from (?P<of>[\w.]{1,200}) import ")
_IMPORT = Expression(r"^\s*(?:from|import) (?P<of>(?:tensorflow|keras)\.[\w.]{1,200})")
"""Python 2 leaves out of its message what it found: "No module named contrib.slim"."""
_SAME = (
    ("tensorflow._api.v1.compat.v2", "tensorflow"),
    ("tensorflow._api.v1", "tensorflow"), ("tensorflow._api.v2.compat.v2", "tensorflow"), ("tensorflow._api.v2.v2", "tensorflow"), ("tensorflow._api.v2", "tensorflow"),
    ("tensorflow.compat.v2", "tensorflow"), ("tensorflow_core", "tensorflow"), ("keras.api._v2.keras", "tensorflow.keras"),
    ("tensorflow.python.keras.api._v1.keras", "tensorflow.keras"), ("tensorflow.python.keras.api._v2.keras", "tensorflow.keras"),
    ("tensorflow_hub.tf_v1", "tensorflow.compat.v1"), ("keras.api._tf_keras.keras", "tensorflow.keras"), ("keras._tf_keras.keras", "tensorflow.keras"), ("keras.api", "keras"),
)  # fmt: skip
"""Folders and names of others that stand for a public module in some release (tensorflow_hub/tf_v1.py imports tensorflow.compat.v1)."""


@record
class Times:
    """`having` are the minors that have it ("2.5"), in order; `every` all that are known, of the same package."""

    having: tuple[str, ...]
    every: tuple[str, ...]

    @property
    def since(self) -> str:
        return self.having[0]

    @property
    def last(self) -> str:
        return self.having[-1]


def asked_in(last: Ending) -> tuple[str, str] | None:
    """The same of the exception that ended a program; None for another end."""
    return asked(last.what, last.source) if last.how == "exception" else None


def asked(what: str, source: str = "") -> tuple[str, str] | None:
    """The module and the name in it ("" for the module itself) that an exception's words ask for; None for other words."""
    found = ASKED.compiled.search(what)
    if found is None or "partially initialized" in what:
        return None
    line = FROM.compiled.match(source)
    if found["missing"] == CORE:
        return CORE, ""
    if found["missing"]:
        begun = _IMPORT.compiled.match(source)
        if begun is not None and begun["of"].endswith(f".{found['missing']}"):
            return plain(begun["of"]), ""
        deeper = line is not None and line["of"].startswith(f"{found['missing']}.")
        return plain(line["of"] if line is not None and deeper else found["missing"]), ""
    if found["bare"]:
        return (plain(line["of"]), found["bare"]) if line else None
    return plain(found["of"] or found["module"].rstrip(".")), found["name"] or found["attribute"]


def plain(module: str) -> str:
    """The name by which the tables know a module."""
    for folder, public in _SAME:
        if module == folder or module.startswith(f"{folder}."):
            found = public + module[len(folder) :]
            return found if found == module else plain(found)
    return module


def package_of(module: str) -> str:
    """ "tensorflow", "keras", or "" for what no table is about."""
    top = module.partition(".")[0].replace(CORE, "tensorflow")
    return top if top in ("tensorflow", "keras") else ""


def times(module: str, name: str = "") -> Times | None:
    """When it was there; None where no table tells it."""
    if not (package := package_of(module)):
        return None
    text, every = _table(package)
    whole = f"{module}.{name}" if name else module
    for each, (first, behind) in _BY_HAND.items():
        if whole == each or whole.startswith(f"{each}."):
            return Times(
                tuple(minor for minor in every if (first, 0) <= key(minor) < (2, behind)),
                every,
            )
    spans = _spans(text, whole) or (_inside(text, module, name) if name else "")
    return Times(_having(spans, every), every) if spans else None


def inside(table: str, part: str, name: str) -> Times | None:
    """When a part of another table of `names/` had it; None where that table does not tell."""
    text, every = _table(table)
    there, spans = _spans(text, part), _inside(text, part, name)
    return Times(_having(spans, every), every) if there and spans else None


def spelt_otherwise(module: str, name: str) -> str:
    """A name of the module that differs in capitals alone ("Adam" for "adam"), the newest one; "" for none."""
    if not package_of(module):
        return ""
    text, every = _table(package_of(module))
    found = (
        (every.index(_having(spans, every)[-1]), other)
        for other, spans in _names(text, module)
        if other.lower() == name.lower() and other != name
    )
    return max(found, default=(0, ""))[1]


def known_module(module: str) -> bool:
    package = package_of(module)
    return bool(package and _spans(_table(package)[0], module))


def _spans(text: str, module: str) -> str:
    """The rest of the module's own line; "" where there is none."""
    at = text.find(f"\n{module} ")
    return text[at + len(module) + 2 : text.find("\n", at + 1)] if at >= 0 else ""


def _inside(text: str, module: str, name: str) -> str:
    return next((spans for each, spans in _names(text, module) if each == name), "")


def _names(text: str, module: str) -> Iterator[tuple[str, str]]:
    """The names of a module with the rest of their lines."""
    at = text.find(f"\n{module} ")
    for line in text[text.find("\n", at + 1) + 1 :].split("\n") if at >= 0 else ():
        if not line.startswith(" "):
            return
        name, _, spans = line[1:].partition(" ")
        yield name, spans


def _having(spans: str, every: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for span in spans.split(","):
        first, _, last = span.partition("-")
        end = every.index(last) if last else len(every) - 1
        found += every[every.index(first) : end + 1]
    return tuple(found)


@cache
def _table(package: str) -> tuple[str, tuple[str, ...]]:
    text = (_FOLDER / f"{package}.txt").read_text("utf-8")
    return text, tuple(text[: text.index("\n")].lstrip("# ").split())


def key(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))


# What newer Pythons and setuptools took out of the standard library, as packages that are too old for them ask for it.


def gone_since(module: str, name: str = "") -> str:
    """The first Python without it ("3.12"); "" for what none has removed."""
    whole = f"{module}.{name}" if name else module.partition(".")[0]
    return str(table("python").get(whole, ""))


# TensorFlow's names by their time: those that only TensorFlow 1 has, and those that every release has.

TENSORFLOW_1_ASKED = Expression(
    r"module 'tensorflow(?:\._api\.v2(?:\.compat\.v2)?)?\.?(?P<module>[\w.]{0,60})' has no attribute '(?P<symbol>\w{1,100})'"
    r"|cannot import name '(?P<value>\w{1,100})' from 'tensorflow(?:\.(?P<folder>[\w.]{1,60}))?'"
)
"""A name that was asked of TensorFlow in vain."""
MISSING = Expression(r"No module named '(?P<module>google\.protobuf|\w{1,60})'")
"""A package that is not there; a part that a package lacks is another matter."""
OWN_NAME = Expression(
    r"cannot import name '(?P<symbol>\w{1,100})' from 'tensorflow\.(?P<module>python\.[\w.]{1,150})'"
    r"|module 'tensorflow\.(?P<inner>python\.[\w.]{1,150})' has no attribute '(?P<lacks>\w{1,100})'"
    r"|module '(?P<compiled>_pywrap_tensorflow_internal|tensorflow\.python\._pywrap\w{1,60})' has no attribute '(?P<attribute>\w{1,100})'"
)
"""A name that one file of TensorFlow asks of another one, or of its compiled part."""

_BELOW = ("", "train", "nn", "image", "random", "data", "summary")
"""Where a name is looked up that only 1.15 has: right below `tensorflow`, and in these modules."""
_NOT_1 = ("LazyLoader", "control_flow_v2_enabled", "enable_v2_behavior", "pywrap_tensorflow", "v1")
"""What only 1.15 has in its tables and a program does not ask for (the same wheels)."""
GONE_MODULES = ("contrib", "examples")
"""In neither, for 2.0 left them out (its release notes)."""


def is_old(module: str, name: str) -> bool:
    """Whether only TensorFlow 1 has it; `module` "" for what stands right below `tensorflow`."""
    top = module.partition(".")[0]
    below = f"tensorflow.{top}".rstrip(".")
    if top in GONE_MODULES or name in table("only-1").get(below, ()):
        return True
    there = times(below, name) if top in _BELOW else None
    return there is not None and there.last == "1.15" and name not in _NOT_1


def new_name(module: str, name: str) -> str:
    """What to write instead ("tf.random.normal"); "" for what TensorFlow 2 has nowhere."""
    if module.partition(".")[0] in GONE_MODULES or (not module and name in GONE_MODULES):
        return ""
    if not module and name in table("renamed"):
        return str(table("renamed")[name])
    return f"tf.compat.v1.{module}.{name}" if module else f"tf.compat.v1.{name}"
