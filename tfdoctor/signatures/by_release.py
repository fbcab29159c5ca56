"""In which releases of TensorFlow and Keras a name is: the tables of `names/`, read in the published wheels (2026-11-22).

`python -m tools.names_by_release` makes them. A name that is asked for in vain tells by them which side is too new or too old.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record

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
        return (plain(line["of"]), found["bare"]) if line else _by_its_name(found["bare"])
    return plain(found["of"] or found["module"].rstrip(".")), found["name"] or found["attribute"]


def _by_its_name(name: str) -> tuple[str, str] | None:
    """Python 3.6 does not say where it looked, and an egg shows no line of its source: a module of Keras by that name, where
    there is one alone."""
    if "_" not in name.strip("_"):
        return None
    parents = {line.partition(" ")[0] for line in _table("keras")[0].split("\n") if f".{name} " in line}
    parents = {each.removesuffix(f".{name}") for each in parents if each.endswith(f".{name}")}
    return (parents.pop(), name) if len(parents) == 1 else None


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
                tuple(minor for minor in every if _key(minor) < (2, behind) and _key(minor) >= (first, 0)),
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
    at = text.find(f"\n{module} ")
    found: list[tuple[int, str]] = []
    for line in text[text.find("\n", at + 1) + 1 :].split("\n") if at >= 0 else ():
        if not line.startswith(" "):
            break
        other, _, spans = line[1:].partition(" ")
        if other.lower() == name.lower() and other != name:
            found.append((every.index(_having(spans, every)[-1]), other))
    return max(found, default=(0, ""))[1]


def known_module(module: str) -> bool:
    package = package_of(module)
    return bool(package and _spans(_table(package)[0], module))


def _spans(text: str, module: str) -> str:
    """The rest of the module's own line; "" where there is none."""
    at = text.find(f"\n{module} ")
    return text[at + len(module) + 2 : text.find("\n", at + 1)] if at >= 0 else ""


def _inside(text: str, module: str, name: str) -> str:
    at = text.find(f"\n{module} ")
    if at < 0:
        return ""
    for line in text[text.find("\n", at + 1) + 1 :].split("\n"):
        if not line.startswith(" "):
            return ""
        if line.startswith(f" {name} "):
            return line[len(name) + 2 :]
    return ""


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


def _key(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))
