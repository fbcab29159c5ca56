"""Code that is too old for what it runs on: names that Python took away, and a wrapper that this Python looks through."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.software.removed import gone_since

_BY_SETUPTOOLS = "distutils"
"""setuptools brings a copy of it (its _distutils), for every Python that has none of its own."""
_OLD_TOOLS = ("ImpImporter", "ImpLoader")
"""setuptools before 66.1 asks for these through its pkg_resources (its changelog, 66.1.0)."""


def is_older(saying: Saying) -> bool:
    return saying.name.startswith("stdlib-")


def too_old(told: Testimony, saying: Saying) -> Candidate:
    """Who asks for what, and since which Python it is gone."""
    module = saying.told.get("module", "") or saying.name.removeprefix("stdlib-name-gone-")
    name = saying.told.get("symbol", "") or saying.told.get("value", "")
    what, since = f"{module}.{name}" if name else module, gone_since(module, name)
    asker = _asker(told, saying)
    who = asker or "The program"
    words = f"Python {since} and newer have no {what} any more. {who} was written for an older one; TensorFlow and the GPU are not what fails."
    if module.startswith(_BY_SETUPTOOLS):
        words = f"Python {since} and newer have no {what} of their own. The package setuptools brings it, and that is not installed here, or was not activated."
    if _of_a_build(told, module):
        who = "A package that had to be built from its sources"
        words = f"Python {since} and newer have no {what} of their own. An installer builds in an environment of its own, with the setuptools that the package names: an old one, which still counts on {what}. So the release that is asked for is older than this Python, and has no ready-made file for it. A newer setuptools in your own environment changes nothing there."
    if name in _OLD_TOOLS and not asker:
        who = "A setuptools of before 66.1"
        words = f"Python {since} and newer have no {what} any more. A setuptools of before asks for it: an old one in the environment, or the one that a package too old for this Python has pip build it with."
    title = f"{who} asks for {what}, which Python removed in {since}."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _asker(told: Testimony, saying: Saying) -> str:
    """The package in whose code the exception of this line arose; "" for the user's own, or where it is not told."""
    return next(
        (each.package for each in told.endings if each.how == "exception" and place(each) == place(saying)),
        "",
    )


_OF_GAST = {
    **dict.fromkeys(("Index", "ExtSlice"), "gast==0.3.3"),
    **dict.fromkeys(("Num", "Str", "Bytes", "NameConstant", "Ellipsis"), "gast==0.2.2"),
}
"""Names that gast took away, in 0.4 and in 0.3, and the release before, which TensorFlow 2.2 to 2.4, and 1.15 to 2.1, ask for (gast's own
list of changes and their metadata)."""


def of_gast(saying: Saying) -> Candidate | None:
    """None for a name that an older gast does not have yet."""
    name = saying.told.get("symbol", "")
    if name not in _OF_GAST:
        return None
    release = _OF_GAST[name].partition("==")[2]
    words = f"gast reads Python code for TensorFlow's AutoGraph. The installed gast no longer has {name}, which this TensorFlow asks for; {release} is the last one that has it. AutoGraph then runs the function as it is, or fails."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"The installed gast is too new for this TensorFlow: it has no {name} any more.")  # fmt: skip


def _gast_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    names = [each.told.get("symbol", "") for each in told.named("gast-attribute")]
    spec = next((_OF_GAST[each] for each in names if each in _OF_GAST), "")
    return (fix("go-back-to-gast-tensorflow-asks", python=interpreter(facts), spec=spec),) if spec else ()


def older_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing of this kind was said."""
    if gast := _gast_fixes(facts, told):
        return gast
    wrapped = told.named("wrapper-dict")
    if wrapped:
        return _unwrapped(facts)
    said = [each for each in told.of("dependency-mismatch") if is_older(each)]
    return _for(facts, told, said[0]) if said else ()


def _for(facts: Facts, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    python, asker = interpreter(facts), _asker(told, saying)
    module = saying.told.get("module", "") or saying.name.removeprefix("stdlib-name-gone-")
    name = saying.told.get("symbol", "") or saying.told.get("value", "")
    if (name in _OLD_TOOLS and _by_pip(facts, told)) or _of_a_build(told, module):
        return _while_building(python)
    if module.startswith(_BY_SETUPTOOLS) or name in _OLD_TOOLS:
        return (
            fix("install-setuptools-brings", python=python),
            _older_python(module, name),
        )
    if asker and not asker.startswith(("tensorflow-core", "keras")) and asker != "tensorflow":
        update = fix(
            "update-and-keep-tensorflow-as-4", asker=asker, python=python, keeping=keeping_tensorflow(facts)
        )
        return (update, _older_python(module, name))
    return (_older_python(module, name),)


def _of_a_build(told: Testimony, module: str) -> bool:
    return module.startswith(_BY_SETUPTOOLS) and bool(told.named("build-environment"))


def _by_pip(facts: Facts, told: Testimony) -> bool:
    """pip builds a package from its sources, in an environment of its own, which asks for an old setuptools."""
    typed = value_or(facts.log.surroundings, Surroundings()).typed
    return bool(told.of("installer-stopped") or told.named("build-environment")) or any(
        "pip" in each and " install " in each for each in typed
    )


def _while_building(python: str) -> tuple[Fix, ...]:
    return (
        fix("use-python-3-11-or-older-for"),
        fix("or-keep-python-and-ask-for", python=python),
    )


def _older_python(module: str, name: str) -> Fix:
    since = gone_since(module, name)
    minor = int(since.partition(".")[2] or 0)
    return fix("use-python-still-3-or-older", value=minor - 1)


def _unwrapped(facts: Facts) -> tuple[Fix, ...]:
    return (
        fix("have-wrapt-use-python-code-no"),
        fix("install-wrapt-in-put-right-where", python=interpreter(facts), keeping=keeping_tensorflow(facts)),
    )


def wrapper(facts: Facts, saying: Saying) -> Candidate:
    """TensorFlow's dicts and tuples of tracked values, and code that looks into them."""
    symbol = saying.told.get("symbol", "_DictWrapper")
    python = facts.interpreter.version
    here = (
        f" Here that is Python {python.value}."
        if isinstance(python, Known) and python.value.feature in ("3.12", "3.13")
        else ""
    )
    words = (
        f"TensorFlow keeps a model's dicts and tuples in wrappers ({symbol}), made with the package wrapt. Since wrapt 1.15 its compiled part answers a look "
        "into such a wrapper with TypeError, where typing_extensions 4.6 and Python 3.12 expect AttributeError. Your model is in order."
        + here
    )
    return Candidate(
        saying.code,
        Confidence(saying.sure),
        (place(saying),),
        words,
        title=f"wrapt's compiled part and this Python do not go together: TensorFlow's {symbol} can't be looked into.",
    )
