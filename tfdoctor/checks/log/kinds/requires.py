"""What pip itself says of two packages that do not fit: who requires which range, and what is there. No text is surer."""

from __future__ import annotations

import re  # reads no log: bounds of a range of versions

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.pins import pin
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.packages import tightest
from tfdoctor.light.records import replace

_CONFLICT = "pip-conflict"
_MISSING = "pip-conflict-missing"
_SERVING = "transport-callback"
"""A connection to the program's own server was closed: it runs."""
_OF_A_CODE = {
    "numpy-abi-mismatch": ("numpy",), "numpy-alias-removed": ("numpy",), "protobuf-incompatible": ("protobuf",), "ml-dtypes-mismatch": ("ml-dtypes",),
    "keras-mismatch": ("keras", "tf-keras"), "keras-legacy-needed": ("tf-keras",), "package-import-failed": (), "custom-op-mismatch": (),
}  # fmt: skip
"""The package that a code is about: what pip says of it goes before any list of releases."""


def conflict(told: Testimony) -> Candidate | None:
    """A candidate where nothing else went wrong in this log: pip goes on after such a line, and what fails comes later."""
    if _bearable(_ours(told)) and told.named("pip-installed") and not _cut_in(told):
        return None  # pip did what it was asked for, and TensorFlow starts with what it speaks of
    return _complaint(told)


def _complaint(told: Testimony) -> Candidate | None:
    cut_in = _cut_in(told)
    found = [*_ours(told), *(each for each in told.named(_CONFLICT) if _plain(each.told["asker"]) == cut_in)]
    if not found or told.codes or told.named(_SERVING):
        return None
    if cut_in:
        found.sort(key=lambda each: _plain(each.told["asker"]) != cut_in)
    elif any(each.how != "success" for each in told.endings):
        return None
    first, more = found[0], len(found) - 1
    name, asker = _name(first), f"{first.told['asker']} {first.told['version']}"
    have = f"{first.told['value']} is installed" if "value" in first.told else "it is not installed"
    title = f"{asker} requires {name} {_range(first)}, and {have}."
    words = "pip says so itself. It installed what it was asked for and did not look whether the packages that were there still fit; they may fail when they are imported."
    if more:
        words += f" {more} more {'line says' if more == 1 else 'lines say'} the like of other packages."
    return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(first),), words, title=title)


def _cut_in(told: Testimony) -> str:
    """The package in whose code a traceback without its last line arose, where pip complains for that package; "" else."""
    last = told.endings[-1] if told.endings else None
    if last is None or any(each.how not in ("cut", "success") for each in told.endings):
        return ""
    askers = {_plain(each.told["asker"]) for each in told.named(_CONFLICT, _MISSING)}
    return last.package if last.how == "cut" and last.package in askers else ""


def around_tensorflow(told: Testimony) -> bool:
    """pip complains only of what TensorFlow starts without, or with in another release. It did its work, and whether a program
    imports the rest is not told."""
    return conflict(told) is not None and _bearable(_ours(told))


def in_words(told: Testimony) -> str:
    """What such a complaint comes to in a text that tells of no failure; "" where pip says nothing of the kind."""
    found = _complaint(told)
    if found is None or not _bearable(_ours(told)):
        return ""
    first = (_of_one(_ours(told)) or _ours(told))[0]
    return (
        f"pip did what it was asked for, and says that packages no longer fit each other: {found.title} {_matters(first)} "
        f'`python -m pip install "{_name(first)}{_range(first)}"` brings what it requires. A program that runs needs nothing.'
    )


def _matters(first: Saying) -> str:
    if _plain(first.told["asker"]) in _TENSORFLOW:
        return "TensorFlow mostly works with it all the same; if it does not start,"
    return f"That matters where a program imports {first.told['asker']}: then"


def conflict_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """The range that pip names, for what this code is about; () where pip says nothing of it."""
    found = _ours(told)
    if code == "dependency-mismatch":
        wanted = found if conflict(told) is not None else []
        wanted = [
            each for each in told.named(_CONFLICT) if _plain(each.told["asker"]) == _cut_in(told)
        ] or wanted
    else:
        wanted = [each for each in found if _plain(_name(each)) in _OF_A_CODE.get(code, ())]
    wanted = _of_one(wanted) or [each for each in wanted if each.told["asker"] == wanted[0].told["asker"]]
    if not wanted:
        return ()
    if code == "dependency-mismatch" and (released := _released(facts, wanted[0])):
        return (released,)
    if code == "dependency-mismatch" and (both := _apart(facts, told, wanted[0])):
        return (both,)
    specs = " ".join(dict.fromkeys(f'"{_name(each)}{_range(each)}"' for each in wanted))
    asker, python = wanted[0].told["asker"], interpreter(facts)
    names = " and ".join(dict.fromkeys(map(_name, wanted)))
    own = fix(
        "install-requires",
        names=names,
        asker=asker,
        version=wanted[0].told["version"],
        python=python,
        specs=specs,
    )
    if fitting := _in_step(wanted[0]):
        newer = fix(
            "take-made-for-installed-if-program", asker=asker, names=names, python=python, fitting=fitting
        )
        return (newer, replace(own, title=f"Or go back: i{own.title[1:]}"))
    return (
        own,
        fix("or-update-where-another-package-needs", asker=asker, names=names, python=python),
    )


_PREVIEW = re.compile(r"(?P<release>\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)(?:a|b|rc|\.?dev)\d")


def _released(facts: Facts, first: Saying) -> Fix | None:
    """A preview asks for nightly builds of its own day, which an index does not keep: what it became asks for releases."""
    preview = _PREVIEW.match(first.told["version"])
    if preview is None or "nightly" not in _name(first):
        return None
    asker = first.told["asker"]
    return fix(
        "take-release-in-place-preview-asks",
        asker=asker,
        version=first.told["version"],
        python=interpreter(facts),
        release=preview["release"],
        called=_name(first),
    )


def _of_one(wanted: list[Saying]) -> list[Saying]:
    """All that ask for one and the same TensorFlow, where one release can be all of that; [] for less than two."""
    same = [each for each in wanted if _plain(_name(each)) in _TENSORFLOW]
    alike = len(same) > 1 and same[0] is wanted[0] and together(*map(_range, same))
    return [_with_range(same)] if alike else []


def _with_range(same: list[Saying]) -> Saying:
    first = same[0]
    return replace(first, told={**first.told, "wanted": tightest(*map(_range, same)) or _range(first)})


def _apart(facts: Facts, told: Testimony, first: Saying) -> Fix | None:
    """Where pip's lines show that TensorFlow and another package ask for ranges that exclude each other: no release of what they ask for
    helps, and pip finds another release of one of the two. None where one release can be both."""
    every = [each for each in told.named(_CONFLICT) if _plain(_name(each)) == _plain(_name(first))]
    own = next((each for each in every if _plain(each.told["asker"]) in _TENSORFLOW), None)
    other = next(
        (each for each in every if own is not None and together(_range(own), _range(each)) is False), None
    )
    if own is None or other is None:
        return None
    asker = other.told["asker"]
    tensorflow = "tensorflow" if _plain(own.told["asker"]) == "tensorflow-intel" else own.told["asker"]
    return fix(
        "let-pip-look-for-goes-with",
        asker=asker,
        version=own.told["version"],
        called=_name(first),
        python=interpreter(facts),
        tensorflow=tensorflow,
    )


def _in_step(first: Saying) -> str:
    """The release of a companion for the TensorFlow that is there; "" where that is older than it wants, or no rule is known."""
    have = first.told.get("value", "")
    minor = re.match(r"2\.\d{1,3}", have)
    if _plain(_name(first)) not in _TENSORFLOW or minor is None or not _is_below(_range(first), have):
        return ""
    return pin(_plain(first.told["asker"]), minor[0])


def _is_below(wanted: str, have: str) -> bool:
    """Whether all that is asked for is older than what is there."""
    bound = re.search(r"<=?(\d+)\.(\d+)", wanted)
    numbers = tuple(int(each) for each in have.split(".")[:2])
    return bound is not None and (int(bound[1]), int(bound[2])) <= numbers


def _ours(told: Testimony) -> list[Saying]:
    """TensorFlow's own requirements first, then those of packages around it. Others' conflicts are not TensorFlow's: they count where
    pip's complaint is all that the text holds, for then it is what is asked about.
    """
    every = told.named(_CONFLICT, _MISSING)
    own = [each for each in every if _plain(each.told["asker"]) in _TENSORFLOW]
    near = [each for each in every if each not in own and _near(each)]
    if near and all(
        map(_is_borne, own)
    ):  # a companion that the TensorFlow here does not suit weighs more than what it starts with
        near.sort(key=lambda each: _plain(_name(each)) not in _TENSORFLOW)
        own, near = near, own
    alone = all(
        each.name in (_CONFLICT, _MISSING) or each.name.startswith(("pip-at", "pip-fetches"))
        for each in told.sayings
    )
    return own + near if own or near or not alone else list(every)


_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-macos")


_BORNE = (
    "absl-py", "astunparse", "flatbuffers", "google-pasta", "grpcio", "libclang", "opt-einsum", "packaging", "requests", "six", "tensorboard",
    "tensorflow-io-gcs-filesystem", "termcolor", "typing-extensions", "wheel", "wrapt",
)  # fmt: skip
"""Requirements of TensorFlow whose next releases it starts with: it imports them for parts that did not change, or not at all.
numpy, protobuf, keras, tensorflow-estimator, ml-dtypes, gast and h5py are not among them: each stopped it in some release (data/compat_matrix.yaml)."""


def _bearable(found: list[Saying]) -> bool:
    """Nothing that stops TensorFlow itself: other packages' wishes, and its own where a newer release does."""
    return not any(_plain(each.told["asker"]) in _TENSORFLOW and not _is_borne(each) for each in found)


def _is_borne(saying: Saying) -> bool:
    if (
        _plain(_name(saying)) == "numpy"
    ):  # before 2 its binary interface stayed; an older one than it asks for does
        return saying.told.get("value", "").startswith("1.")
    return _plain(_name(saying)) in _BORNE and "value" in saying.told


def _near(saying: Saying) -> bool:
    of = (_plain(saying.told["asker"]), _plain(_name(saying)))
    return any(each.startswith(("tensorflow", "keras", "tf-", "tensorboard")) for each in of)


def _name(saying: Saying) -> str:
    return saying.told["package"]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _range(saying: Saying) -> str:
    """ "<2.14,>=2.13.1" as people write it: ">=2.13.1,<2.14"."""
    return tightest(saying.told["wanted"]) or saying.told["wanted"]


def together(*wanted: str) -> bool | None:
    """Whether one release can be what all of them ask for; None where a range can't be read.

    Tried are the releases that they name, and one right above each.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # costs too much where nothing is asked

    try:
        sets = [SpecifierSet(each) for each in wanted]
    except InvalidSpecifier:
        return None
    named = [one.version.removesuffix(".*") for each in sets for one in each]
    tried = [*named, *(f"{each}.post1" for each in named), *(f"{each}.99" for each in named)]
    return any(all(each.contains(one, prereleases=True) for each in sets) for one in tried)
