"""What the checks of plug-ins find. They are asked in a child with a clock: what they raise, or die of, is told of them and stops nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tfdoctor.base.records import replace
from tfdoctor.facts import values as v
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.engine.case import REGISTRY, Case, NotApplicable
from tfdoctor.judge.engine.families import load
from tfdoctor.judge.judge import Judgement, answer_of, weighed
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.knowledge.model import Finding, Undecided
from tfdoctor.knowledge.plugins import LIMIT_S, LOADED, Plugin, from_whom, signed

if TYPE_CHECKING:
    from tfdoctor.base.forked import Send

NO_ANSWERS = Judgement((), (), (), ())


def with_plugins(case: Case) -> tuple[Case, Judgement]:
    """The case with what became of each plug-in, also of those that only a saved report names, and what their checks answer."""
    fact = case.facts.plugins.installed
    told = {each.name: each for each in value_or(fact, ())}
    if not LOADED and not told:
        return case, NO_ANSWERS
    from tfdoctor.base.forked import all_said  # of POSIX: a browser has no processes, and no plug-in

    load()  # a plug-in that registers a code of ours is refused
    heard = all_said(
        {each.prefix: _work(each, case) for each in LOADED.values() if each.checks and not each.error},
        LIMIT_S,
    )
    here = {each.name: replace(each, here=False) for each in told.values()}
    for each in LOADED.values():
        asked = told[each.name].error if each.name in told else ""  # by its probe
        ended = heard[each.prefix][1] if each.prefix in heard else ""
        trouble = each.error or asked or (ended and f"the code of its checks {ended}")
        here[each.name] = v.Plugin(each.name, each.version, each.prefix, trouble)
    known = Known(tuple(here.values()), "entry points")
    facts = replace(case.facts, plugins=replace(case.facts.plugins, installed=known))
    return replace(case, facts=facts), _judgement(
        [one for said, _ in heard.values() for one in said["answers"]]
    )


def _work(plugin: Plugin, case: Case) -> Callable[[Send], None]:
    def work(send: Send) -> None:
        import_module(plugin.checks)
        abilities = abilities_seen(case.facts)
        for code, check in REGISTRY.items():
            if not code.startswith(f"{plugin.prefix}/"):
                continue
            answer = answer_of(check, case)
            if isinstance(answer, Finding):
                signature = from_whom(signed(plugin.name, plugin.version))
                found = weighed(
                    replace(answer, explanation=f"{answer.explanation} {signature}".lstrip()),
                    check,
                    abilities,
                )
                explains = None if found.explains is None else sorted(found.explains)
                send("answers", {"finding": to_json(found), "explains": explains})
            elif isinstance(answer, Undecided):
                send("answers", {"undecided": to_json(answer)})
            else:
                send("answers", {"not_applicable" if isinstance(answer, NotApplicable) else "passed": code})

    return work


def _judgement(answers: list[dict[str, Any]]) -> Judgement:
    findings = [
        replace(
            from_json(each["finding"], Finding),
            explains=None if each["explains"] is None else frozenset(each["explains"]),
        )
        for each in answers
        if "finding" in each
    ]
    return Judgement(
        tuple(replace(each, fixes=tuple(replace(fix, applies=False) for fix in each.fixes)) for each in findings),
        tuple(from_json(each["undecided"], Undecided) for each in answers if "undecided" in each),
        tuple(each["passed"] for each in answers if "passed" in each),
        tuple(each["not_applicable"] for each in answers if "not_applicable" in each),
    )  # fmt: skip
