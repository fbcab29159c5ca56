"""Every code that a text can show, in each form in which it is met, alone and behind 2,000 healthy lines: the same root, first."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from tests.logs.forms import FORMS
from tests.logs.healthy import RELEASES, healthy
from tests.logs.judged import judged, log, root
from tests.logs.test_samples import fits
from tfdoctor.knowledge.messages.signature import CAUSE, Signature
from tools.build.knowledge import entries

QUICK = 40
"""Of all pairs, those that the quick tests try; chosen with a seed, so they are the same ones each time."""


def one_for_each_code() -> Iterator[tuple[Signature, str]]:
    seen: set[str] = set()
    for entry in entries():
        signature = entry.signature
        if signature.role == CAUSE and signature.code not in seen:
            seen.add(signature.code)
            yield signature, entry.samples[0]


EVERY = [(form, signature, sample) for signature, sample in one_for_each_code() for form in FORMS]
SOME = random.Random(4242).sample(EVERY, QUICK)
NAMED = {f"{signature.code}-{form}": (form, signature, sample) for form, signature, sample in SOME}
START = 12  # lines of a log in which its GPU and libraries are named


def before(sample: str) -> list[str]:
    """2,000 lines of a program that works, without what would disprove a fault of its GPU."""
    lines = healthy(RELEASES[len(sample) % len(RELEASES)], 2000)
    start = [
        each
        for each in lines[:START]
        if "reated" not in each and "opened" not in each and "Loaded" not in each
    ]
    return [*start, *lines[START:]]


def found(form: str, signature: Signature, sample: str, *, inside: bool) -> str:
    """ "" where the root is right and the first of all, else what was found instead."""
    lines = [*before(sample), sample] if inside else [sample]
    plain, answer = root(judged(log([sample]))), root(judged(FORMS[form](lines)))
    return "" if answer == plain or fits(signature, answer) else f"{answer}, not {plain}"


@pytest.mark.parametrize("name", NAMED)
def test_some_forms_of_some_codes_lead_to_the_same_root(name: str) -> None:
    assert found(*NAMED[name], inside=False) == ""


@pytest.mark.parametrize("name", list(NAMED)[::8])
def test_a_few_of_them_do_behind_two_thousand_healthy_lines(name: str) -> None:
    assert found(*NAMED[name], inside=True) == ""


def tried() -> list[tuple[str, Signature, str]]:
    """`make forms` tries all of them, which takes long; TFDOCTOR_FORMS=N the first N of a seeded order."""
    wanted = os.environ.get("TFDOCTOR_FORMS", "")
    shuffled = list(EVERY)
    random.Random(4242).shuffle(shuffled)
    return (
        EVERY if wanted == "all" else shuffled[: int(wanted)] if wanted.isdecimal() else EVERY[::31]
    )


TRIED = tried()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "inside"])
def test_a_form_of_every_code_leads_to_the_same_root(form: str, inside: bool) -> None:
    pairs = [(signature, sample) for each, signature, sample in TRIED if each == form]
    assert pairs
    wrong = {
        signature.name: said
        for signature, sample in pairs
        if (said := found(form, signature, sample, inside=inside))
    }
    assert wrong == {}


@pytest.mark.parametrize("form", FORMS)
def test_a_healthy_log_has_no_root_in_any_form(form: str) -> None:
    text = FORMS[form](healthy("2.18", 300)).replace(
        "Exited with exit code 1.", "Successfully completed."
    )
    assert judged(text).roots == ()
