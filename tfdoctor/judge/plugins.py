"""What the checks of plug-ins find. They are asked in a child with a clock: what they raise, or die of, is told of them and stops nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tfdoctor.base.records import replace
from tfdoctor.facts import values as v
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.engine.case import REGISTRY, Ability, Case, Check, NotApplicable
from tfdoctor.judge.engine.families import load
from tfdoctor.judge.judge import Judgement, asked, weighed
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.knowledge.model import Finding, Undecided
from tfdoctor.knowledge.plugins import LIMIT_S, LOADED, Plugin, from_whom, signed

if TYPE_CHECKING:
    from tfdoctor.base.forked import Send

NO_ANSWERS = Judgement((), (), (), ())
_LONGEST = 300  # characters of what is told of a failure
_SHORTEST_S = 1.0  # in less, nothing is said of who does not answer


def with_plugins(case: Case, left_s: float) -> tuple[Case, Judgement]:
    """The case with what became of each plug-in, also of those that only a saved report names, and what their checks answer. `left_s`:
    what there is of the examination's time.
    """
    fact = case.facts.plugins.installed
    told = {each.name: each for each in value_or(fact, ())}
    if not LOADED and not told:
        return case, NO_ANSWERS
    # Of POSIX: a browser has no processes, and no plug-in.
    from tfdoctor.base.forked import (
        all_said,
    )

    load()  # a plug-in that registers a code of ours is refused
    works = {each.name: _work(each, case) for each in LOADED.values() if each.checks}
    too_late: dict[str, tuple[dict[str, Any], str]] = {
        each: ({}, "had no time left") for each in works
    }
    heard = too_late if left_s < _SHORTEST_S else all_said(works, min(LIMIT_S, left_s))
    here = {each.name: replace(each, here=False) for each in told.values()}
    for each in LOADED.values():
        of_its_probe = told[each.name].error if each.name in told else ""
        trouble = each.error or of_its_probe or _trouble(*heard.get(each.name, ({}, "")))
        here[each.name] = v.Plugin(each.name, each.version, each.prefix, trouble)
    known = Known(tuple(here.values()), "entry points")
    facts = replace(case.facts, plugins=replace(case.facts.plugins, installed=known))
    return replace(case, facts=facts), _judgement(
        [one for said, _ in heard.values() for one in said.get("answers", ())]
    )


def _trouble(heard: dict[str, Any], ended: str) -> str:
    """What went wrong in the code of its checks; "" for nothing."""
    failed = [each["failed"] for each in heard.get("answers", ()) if "failed" in each]
    return f"the code of its checks {ended}" if ended else "; ".join(failed)[:_LONGEST]


def _work(plugin: Plugin, case: Case) -> Callable[[Send], None]:
    def work(send: Send) -> None:
        import_module(plugin.checks)
        abilities = abilities_seen(case.facts)
        for code, check in REGISTRY.items():
            if not code.startswith(f"{plugin.prefix}/"):
                continue
            try:
                answer = _answer(plugin, check, case, abilities)
            except Exception as error:  # noqa: BLE001  # its other checks are asked all the same
                answer = {
                    "failed": f"the check of {code} failed ({type(error).__name__}: {error})"[
                        :_LONGEST
                    ]
                }
            send("answers", answer)

    return work


def _answer(
    plugin: Plugin, check: Check, case: Case, abilities: frozenset[Ability]
) -> dict[str, Any]:
    """As it crosses the pipe. Raises what the check raises, and DocumentError for a finding whose parts are of other kinds."""
    answer = asked(check, case)
    if isinstance(answer, Finding):
        signature = from_whom(signed(plugin.name, plugin.version))
        signed_one = replace(answer, explanation=f"{answer.explanation} {signature}".lstrip())
        found = weighed(signed_one, check, abilities)
        document = to_json(found)
        from_json(document, Finding)
        return {
            "finding": document,
            "explains": None if found.explains is None else sorted(found.explains),
        }
    if isinstance(answer, Undecided):
        return {"undecided": to_json(answer)}
    return {"not_applicable" if isinstance(answer, NotApplicable) else "passed": check.code}


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
