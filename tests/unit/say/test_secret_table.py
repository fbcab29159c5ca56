"""Every shape of the table in a log, an argument, a variable, a report, a notebook: in no form of what tfdoctor says of them."""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha512
from urllib.parse import quote, quote_plus

import pytest

from tests.every import every
from tests.scenarios.conftest import bundled
from tests.unit.say.reports import finding
from tests.unit.say.secret_table import (
    BELOW_A_TOKEN,
    BY_NAME,
    BY_NAME_AND_VALUE,
    HIDDEN_CHARACTERS,
    KEY,
    MANIFESTS,
    NAMES_AND_NUMBERS,
    NO_NAMES,
    NO_SECRETS,
    PASSWORD,
    PHRASE,
    PHRASES,
)
from tfdoctor.apps.assistant.answer import answer
from tfdoctor.apps.documents import diagnose
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.model import Evidence, Fix
from tfdoctor.report.death import judge_run, run_to_json
from tfdoctor.report.diagnosis import diagnosis_to_json
from tfdoctor.report.report import Report, report_to_json
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.pages import render_fragment, render_html, render_markdown
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values, hide_secrets
from tfdoctor.say.redact.report import redacted
from tfdoctor.say.report_view import report_view
from tfdoctor.say.run_view import run_view
from tfdoctor.say.terminal import VERBOSE, Page, render_text
from tfdoctor.say.ticket import render_ticket
from tfdoctor.say.view import View

NOBODY, MINE = Identity(), Identity(names_shown=True)
SHAPES = [
    *((shape, secret) for shape in BY_NAME for secret in (PASSWORD, KEY)),
    *((shape, KEY) for shape in BY_NAME_AND_VALUE),
    *((shape, PASSWORD) for shape in HIDDEN_CHARACTERS),
]
WITH_PHRASES = [(shape.replace("§", PHRASE), word) for shape in PHRASES for word in PHRASE.split()]
Forms = Callable[[str], Iterator[str]]


def hidden(text: str) -> str:
    return Redactor(NOBODY, Values()).hide(text)


def test_the_table_is_large_enough() -> None:
    assert len({*BY_NAME, *BY_NAME_AND_VALUE, *HIDDEN_CHARACTERS}) >= 150


WORD = "hunterhorse"
NAMED_AND_QUOTED = slice(
    BY_NAME.index('hf_token "§"'), BY_NAME.index('wandbApiToken "§" does not work') + 1
)
OF_PASSWORDS = (
    shape for shape in BY_NAME if shape.startswith(("password", "- password", '"password'))
)
WORDS = [
    *BELOW_A_TOKEN,
    *BY_NAME[NAMED_AND_QUOTED],
    *(shape for shape in OF_PASSWORDS if "\n" in shape and "passwords" not in shape),
]


@every(WORDS)
def test_a_word_without_a_digit_is_hidden_where_the_name_tells(shape: str) -> None:
    assert WORD not in hidden(shape.replace("§", WORD))
    assert WORD not in hide_secrets(shape.replace("§", WORD))


@every(SHAPES)
def test_each_shape_is_hidden_once_and_for_all(case: tuple[str, str]) -> None:
    shape, secret = case
    once = hidden(shape.replace("§", secret))
    assert secret not in once
    assert hidden(once) == once
    assert secret not in hide_secrets(shape.replace("§", secret))


@every([(shape, secret) for shape in MANIFESTS for secret in (PASSWORD, KEY)])
def test_whatever_a_kubernetes_secret_holds_is_hidden(case: tuple[str, str]) -> None:
    shape, secret = case
    text = shape.replace("§", secret)
    assert secret not in hidden(text)
    assert secret not in hide_secrets(text)
    assert all(secret not in form for form in in_a_report(text))


@every(WITH_PHRASES)
def test_no_word_of_a_phrase_is_shown(case: tuple[str, str]) -> None:
    text, word = case
    assert word not in hidden(text)
    assert word not in hide_secrets(text)


@every([*NO_SECRETS, *NO_NAMES])
def test_what_is_nobodys_stays(text: str) -> None:
    assert hidden(text) == text


@every(NAMES_AND_NUMBERS)
def test_what_tells_a_machine_or_a_person_goes(case: tuple[str, str]) -> None:
    text, private = case
    assert private not in hidden(text)


def _of(view: View, document: dict[str, object]) -> Iterator[str]:
    yield from (
        render_markdown(view),
        render_html(view),
        render_fragment(view),
        render_json(document),
    )
    yield from (render_text(view, Page(120)), render_text(view, Page(120, amount=VERBOSE)))
    yield json.dumps(document, ensure_ascii=False)


def _diagnosed(name: str, data: bytes) -> Iterator[str]:
    for whose in (NOBODY, MINE):
        told = diagnose([(name, io.BytesIO(data))], bundled(), whose)
        yield from _of(diagnosis_view(told), diagnosis_to_json(told))
        yield json.dumps(answer(diagnosis_to_json(told)), ensure_ascii=False)


def in_a_log(text: str) -> Iterator[str]:
    said = text.replace("\n", " ")
    log = f'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    {said}\nValueError: {said}\n{text}\n'
    yield from _diagnosed("a.log", log.encode())


def in_a_notebook(text: str) -> Iterator[str]:
    error = {
        "output_type": "error", "ename": "ValueError", "evalue": text,
        "traceback": ["Traceback (most recent call last)", f"----> 1 {text}", f"ValueError: {text}"],
    }  # fmt: skip
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "source": [text],
        "outputs": [error],
    }
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    yield from _diagnosed("a.ipynb", json.dumps(notebook).encode())


def in_an_argument(text: str) -> Iterator[str]:
    for command in (("python", "train.py", text), ("python", "train.py", *text.split(" "))):
        run = judge_run(Facts(), bundled(), command=command, status=1, samples=(), interval_s=0.2)
        told = redacted(run, NOBODY)
        yield from _of(run_view(told), run_to_json(told))


def in_a_variable(text: str) -> Iterator[str]:
    environment = replace(Facts().environment, variables=Known({"XLA_FLAGS": text}, "environ"))
    yield from _reported(Report(facts=replace(Facts(), environment=environment)))


def in_a_report(text: str) -> Iterator[str]:
    told = finding(
        title=text,
        explanation=text,
        evidence=(Evidence("driver.version", text, text, text),),
        fixes=(Fix(text, (text,), text),),
    )
    yield from _reported(Report(summary=text, findings=(told,)))


def _reported(report: Report) -> Iterator[str]:
    told = redacted(report, NOBODY)
    yield from _of(report_view(told), report_to_json(told))
    yield from (
        render_ticket(report_view(told)),
        json.dumps(answer(report_to_json(told)), ensure_ascii=False),
    )


def _open(place: Forms, text: str, *secrets: str) -> list[str]:
    return [f"{each} in {form[:40]}" for form in place(text) for each in secrets if each in form]


@pytest.mark.parametrize(
    "every_so_many",
    [pytest.param(9, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.nightly)],
)  # whole documents in every form
@pytest.mark.parametrize(
    "place", [in_a_log, in_a_notebook, in_an_argument, in_a_variable, in_a_report]
)
def test_no_form_of_any_document_shows_one(place: Forms, every_so_many: int) -> None:
    found = {
        shape: _open(place, shape.replace("§", secret), secret)
        for shape, secret in SHAPES[::every_so_many]
    }
    found |= {
        shape: _open(place, shape.replace("§", PHRASE), *PHRASE.split())
        for shape in PHRASES[::every_so_many]
    }
    assert {shape: forms for shape, forms in found.items() if forms} == {}


def _lines(count: int, width: int = 64) -> list[str]:
    """As a key's file has them; the last one is shorter."""
    whole = "".join(
        b64encode(sha512(bytes([number])).digest()).decode()[:-2] for number in range(count)
    )
    cut = [whole[at : at + width] for at in range(0, width * count, width)]
    return [*cut[:-1], cut[-1][: width // 2 - 3] + "="]


def _reported_summary(text: str) -> Iterator[str]:
    yield from _reported(Report(summary=text))


BODY = _lines(5)
URL_SAFE = str.maketrans("+/", "-_")
BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
BLOCKS = {
    "behind a message": [f"ValueError: bad key {BEGIN}", *BODY, END],
    "the error after it": [BEGIN, *BODY, END, "ValueError: bad key"],
    "cut off, the error after it": [BEGIN, *BODY, "ValueError: bad key"],
    "its end alone": ["ValueError: bad key", *BODY[1:], END],
    "its middle alone": ["ValueError: bad key", *BODY[1:4]],
    "its beginning alone": ["ValueError: bad key", BEGIN, *BODY[:2]],
    "indented": ["ValueError: bad key", *(f"        {line}" for line in (BEGIN, *BODY, END))],
    "by a logger": [f"2026-11-28 10:00:0{at % 10} INFO root: {line}" for at, line in enumerate((BEGIN, *BODY, END, "ValueError: bad key"))],
    "by a logger, cut off": [f"[pod-7] {line}" for line in (*BODY[2:], END, "ValueError: bad key")],
    "quoted": [f"> {line}" for line in ("ValueError: bad key", BEGIN, *BODY, END)],
    "of OpenSSH": ["ValueError: bad key", "-----BEGIN OPENSSH PRIVATE KEY-----", *_lines(5, 70), "-----END OPENSSH PRIVATE KEY-----"],
    "encrypted": [
        "ValueError: bad key", "-----BEGIN RSA PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "",
        *BODY, "-----END RSA PRIVATE KEY-----",
    ],
    "of PGP": ["ValueError: bad key", "-----BEGIN PGP PRIVATE KEY BLOCK-----", "", *BODY, "-----END PGP PRIVATE KEY BLOCK-----"],
    "of PuTTY": ["ValueError: bad key", "PuTTY-User-Key-File-2: ssh-rsa", "Private-Lines: 5", *BODY, "Private-MAC: 00ff"],
    "in JSON": ['ValueError: bad {"private_key": "' + "\\n".join((BEGIN, *BODY, END)) + '\\n"}'],
    "in JSON, its beginning": ['ValueError: bad {"x": "' + "\\n".join((BEGIN, *BODY[:3]))],
    "in JSON, its end": ["ValueError: bad " + "\\n".join((*BODY[2:], END)) + '\\n"}'],
    "on one line": ["ValueError: bad key " + " ".join((BEGIN, *BODY, END))],
    "a list of lines": ["ValueError: bad key " + repr([BEGIN, *BODY, END])],
    "with carriage returns": [f"{line}\r" for line in ("ValueError: bad key", BEGIN, *BODY, END)],
    "in a traceback": [
        "Traceback (most recent call last):", '  File "a.py", line 1, in <module>', f'    load("""{BEGIN}', *BODY, END, "ValueError: bad key",
    ],
    "an attribute of YAML": ["key: |", *(f"  {line}" for line in (BEGIN, *BODY, END)), "ValueError: bad key"],
    "in an address": ["ValueError: bad https://example.org/?key=" + "%0A".join(quote(line) for line in (BEGIN, *BODY, END))],
    "in a form": ["ValueError: bad body key=" + "%0D%0A".join(quote_plus(line) for line in (BEGIN, *BODY))],
    "a JSON Web Key": ['ValueError: bad {"kty":"RSA","n":"abc","d":"' + '","p":"'.join(line.translate(URL_SAFE) for line in BODY[:2]) + '"}'],
    "a JSON Web Key in a string": [r'ValueError: bad "{\"kty\": \"EC\", \"crv\": \"P-256\", \"d\": \"' + BODY[0].translate(URL_SAFE) + r'\"}"'],
    "another program's words between": [BEGIN, BODY[0], "Epoch 1/10", *BODY[1:], END, "ValueError: bad key"],
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_no_line_of_a_private_key_is_shown(name: str) -> None:
    log = "\n".join(BLOCKS[name])
    parts = [part for line in (*BODY, *_lines(5, 70)) for part in (line[:12], line[-12:])]
    assert any(part in log for part in parts)
    assert [
        part for form in _diagnosed("a.log", log.encode() + b"\n") for part in parts if part in form
    ] == []
    assert _open(_reported_summary, log, *parts) == []


def test_what_stands_around_a_key_stays() -> None:
    told = diagnose(
        [("a.log", io.BytesIO("\n".join(BLOCKS["the error after it"]).encode()))],
        bundled(),
        NOBODY,
    )
    assert told.diagnoses[0].title == "The program ended with ValueError: bad key."
