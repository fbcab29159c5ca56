"""What a message means in this log: the first of its cases in the knowledge that applies, with its fixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import known
from tfdoctor.judge.engine.case import Case as Log
from tfdoctor.judge.log import exceptions, installers, rules
from tfdoctor.judge.log.candidate import Candidate, Open, question
from tfdoctor.judge.log.settings import setting
from tfdoctor.judge.log.spans import shown, span
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.log.words import fix_here, title_of, words, words_of
from tfdoctor.knowledge.messages.signature import KNOWN, PAGE, SURROUNDINGS
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.values import checked

_HOLE = re.compile(r"\{\{([a-z][\w.-]*)(\|file)?\}\}")
"""`{{group}}`, `{{message.group}}` for what another message of the log told; `|file` for the name at a path's end."""


@record
class Case:
    """What a message says here. `fixes`: the case's own. `values`: what its line told and its rule found, for the holes."""

    code: str
    confidence: str
    title: str
    explanation: str
    fixes: tuple[tuple[str, str], ...]
    open: Open | None
    values: Mapping[str, str]


Rule = Callable[[Log, Testimony, Saying], "Mapping[str, str] | None"]
_RULES: tuple[Rule, ...] = (
    rules.asker, rules.comes_with, rules.conda_package, rules.called_by_tensorflow, rules.calling_package, rules.gone_from_python, rules.keras_class,
    rules.keras_training_class, rules.file_of_package, rules.nvidia_package, rules.folder_of_library, rules.cudnn_wanted, rules.other_tensorrt,
    rules.package_of_op, rules.joined_architectures, rules.last_rocm, rules.relative_architecture, rules.cudnn_numbers, rules.debian_package,
    rules.library_of_opencv, rules.library_of_python, rules.library_owner, rules.package_of_library, rules.system_package, rules.lesser_gpu,
    rules.on_arm, rules.one_refused_piece, rules.probability_of_minor, rules.rocblas_architecture, rules.rock_not_loaded, exceptions.raised_here,
    installers.pip_list, installers.pip_unreleased, installers.pip_python, installers.pip_python_of_asker, installers.pip_python_of_old,
    installers.pip_newest, installers.pip_none, installers.pip_none_of, installers.pip_for_any_python, installers.pip_no_file,
    installers.pip_successor, installers.pip_not_on_windows, installers.pip_passed_over,
)  # fmt: skip
RULES = {each.__name__.replace("_", "-"): each for each in _RULES}
"""For what no other condition can say: each gives the values that it found, by name, or None where its case does not apply."""


def has_cases(name: str) -> bool:
    return bool(words(name)[3])


def case_of(log: Log, told: Testimony, saying: Saying) -> Case | None:
    """None where no case of the message applies: then it says nothing."""
    title, explanation, _, cases, defaults = words(saying.name)
    line = {**defaults, **{name: text for name, text in saying.told.items() if text}}
    for case in cases:
        found = _found(case.get("when", {}), log, told, saying)
        if found is None:
            continue
        own = (case.get("title", title), case.get("explanation", explanation))
        holes = [hole for text in own for hole, _ in _HOLE.findall(text)]
        others = {hole: _of_another(hole, log, told) for hole in holes if "." in hole}
        values = {
            name: text.strip().rstrip(" .") for name, text in {**line, **others, **found}.items()
        }
        lacks = any(not values.get(hole) for hole in holes)
        if lacks and (case is not cases[-1] or "when" in case):
            continue
        if lacks:  # a shortened message means the same: the code's page has words and fixes without its details
            case, own = {each: case[each] for each in case if each != "fixes"}, ("", "")
        code, opened = case.get("code", saying.code), case.get("open")
        return Case(
            code=code,
            confidence=case.get("confidence", ""),
            title=_with(values, own[0]),
            explanation=_with(values, own[1]),
            fixes=tuple((kind, what) for kind, what in case.get("fixes", ())),
            open=question((code, *opened["codes"]), opened["facts"][0]) if opened else None,
            values=values,
        )
    return None


def _of_another(hole: str, log: Log, told: Testimony) -> str:
    """The value of a fact, or what the last message of that name told; "" for none."""
    name, _, group = hole.partition(".")
    if name == SURROUNDINGS or hasattr(log.facts, name):
        return str(_value(log.facts, hole) or "")
    return next((each.told.get(group, "") for each in reversed(told.named(name))), "")


def _with(values: Mapping[str, str], text: str) -> str:
    return _HOLE.sub(lambda hole: values[hole[1]].rpartition("/" if hole[2] else "\n")[2], text)


def _found(
    when: Mapping[str, Any], log: Log, told: Testimony, saying: Saying
) -> Mapping[str, str] | None:
    """What the rule found, {} without one; None where a condition does not hold."""
    if not all(
        _CONDITIONS[key](wanted, log, told, saying) for key, wanted in when.items() if key != "rule"
    ):
        return None
    return RULES[when["rule"]](log, told, saying) if "rule" in when else {}


def _said(names: Iterable[str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether one of these messages stands in the log."""
    return bool(told.named(*names))


def _after(names: Iterable[str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether one of these messages stands after this one."""
    return any(place(each) > place(saying) for each in told.named(*names))


def _alone(wanted: bool, log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether no message of another code tells a cause, and no work follows."""
    return (all(code == saying.code for code in told.codes) and not told.informed) is wanted


def _group(patterns: Mapping[str, str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether what each of these groups holds has such a text; what a line does not tell has none."""
    texts = ((saying.told.get(name), pattern) for name, pattern in patterns.items())
    return all(text is not None and bool(re.search(pattern, text)) for text, pattern in texts)


def _has(names: Iterable[str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether the line told each of these groups."""
    return all(saying.told.get(name) for name in names)


def _frame(packages: Iterable[str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether the exception of the line arose in the code of one of these packages."""
    return told.package_at(saying) in packages


def _place(names: Iterable[str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether the log shows that it was written in one of these places."""
    return setting(log, told).has(*names)


def _fact(values: Mapping[str, str], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether each of these facts is known, or its value has such a text. What the log shows of where it ran is a fact, too."""
    return all(_is_so(_value(log.facts, path), form) for path, form in values.items())


def _value(facts: Facts, path: str) -> object:
    """None for one that is not known."""
    group, _, name = path.partition(".")
    if group == SURROUNDINGS:
        return getattr(shown(facts), name)
    fact = getattr(getattr(facts, group), name)
    return known(fact)


def _is_so(value: object, form: str) -> bool:
    if form == KNOWN:
        return bool(value)
    text = (
        " ".join(map(str, value))
        if isinstance(value, tuple)
        else ""
        if value is None
        else str(value)
    )
    return bool(re.search(form, text))


def _releases(
    wanted: tuple[tuple[int, int] | None, tuple[int, int] | None],
    log: Log,
    told: Testimony,
    saying: Saying,
) -> bool:
    """Whether TensorFlow is one of these for sure: the first and the last minor, None for an open end."""
    (first, last), here = wanted, span(log, told)
    return (first is None or here.since(*first)) and (last is None or here.newest <= tuple(last))


def _not(conditions: Mapping[str, Any], log: Log, told: Testimony, saying: Saying) -> bool:
    """Whether none of these conditions, and none of these facts, holds."""
    facts = conditions.get("fact", {})
    others = {key: wanted for key, wanted in conditions.items() if key != "fact"}
    return not any(
        _is_so(_value(log.facts, path), form) for path, form in facts.items()
    ) and not any(_CONDITIONS[key](wanted, log, told, saying) for key, wanted in others.items())


_CONDITIONS: Mapping[str, Callable[[Any, Log, Testimony, Saying], bool]] = {
    "said": _said,
    "after": _after,
    "group": _group,
    "has": _has,
    "frame": _frame,
    "place": _place,
    "fact": _fact,
    "releases": _releases,
    "alone": _alone,
    "not": _not,
}
"""By the keys of `when`."""


def _fixes(code: str, facts: Facts, case: Case) -> Iterable[Fix]:
    for kind, what in case.fixes:
        if kind == PAGE:
            yield from ways_out(code)
        else:
            yield _filled(kind, what, facts, case.values)


def _filled(kind: str, what: str, facts: Facts, values: Mapping[str, str]) -> Fix:
    """With what the log told, where that can be such a name."""
    return fix_here(facts, kind, what, **{key: checked(key, text) for key, text in values.items()})


# What a message makes likely: by its cases, or by itself.


def weighed(log: Log, told: Testimony, saying: Saying) -> Candidate | None:
    """What the first case that applies says; None where none does."""
    found = case_of(log, told, saying)
    if found is None:
        return None
    alone = by_itself(log.facts, saying)
    if found.confidence:
        alone = replace(alone, confidence=Confidence(found.confidence), open=found.open)
    fixes = tuple(_fixes(found.code, log.facts, found))
    return replace(
        alone, code=found.code, title=found.title, explanation=found.explanation, fixes=fixes
    )


def situated(log: Log, told: Testimony, name: str, places: tuple[Place, ...], **values: str) -> Candidate | None:  # fmt: skip
    """The same for what several lines tell together; `values` are what a line would tell."""
    found = weighed(log, told, Saying(name, "", "cause", "likely", *places[0], "", told=values))
    return None if found is None else replace(found, places=places)


def by_itself(facts: Facts, saying: Saying) -> Candidate:
    """One step less sure where none of the facts that decide is known."""
    alone = plain(facts, saying)
    open_facts = [path for path in saying.decided_by if _value(facts, path) is None]
    if not saying.rivals or len(open_facts) < len(saying.decided_by) or not open_facts:
        return alone
    certain = alone.confidence is Confidence.CERTAIN
    opened = question((saying.code, *saying.rivals), open_facts[0])
    return replace(
        alone, confidence=Confidence.LIKELY if certain else alone.confidence, open=opened
    )


def plain(facts: Facts, saying: Saying) -> Candidate:
    """The line's own code at its place, as sure as the message is."""
    words, title = words_of(saying.name), title_of(facts, saying)
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), _by_line(saying, words), title=_by_line(saying, title))  # fmt: skip


def _by_line(saying: Saying, text: str) -> str:
    """With what the line told; "", so that the code's page speaks, where it told less."""
    values = {name: told.strip().rstrip(" .") for name, told in saying.told.items()}
    return _with(values, text) if all(values.get(hole) for hole, _ in _HOLE.findall(text)) else ""
