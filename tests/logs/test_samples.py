"""The ring of words: each sample of the catalogue, as a log of its own and inside a long healthy one, leads to its code.

The samples stand in `data/knowledge/`; here they are given the prefixes, colours, breaks and encodings of real life.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator

import pytest

from tests.logs.error_lines import error_lines_called_fine
from tests.logs.healthy import RELEASES, healthy
from tests.logs.judged import judged, log, root
from tfdoctor.judge.causes import HOW_IT_ENDED
from tfdoctor.knowledge.messages.signature import CAUSE, Signature
from tools.build.knowledge import Entry, entries

CAUSES = tuple(each for each in entries() if each.signature.role == CAUSE)
OTHERWISE = {
    (
        "worker-lost",
        "host-oom-killed",
    ): "mpirun's line also tells the signal by which the worker died",
    (
        "cuda-libraries-missing",
        "cuda-libraries-mixed",
    ): "dlerror names another library than the one asked for",
}
"""A sample that says more than its signature: what the whole line leads to, and why."""


def _first_samples() -> Iterator[tuple[Signature, str]]:
    seen: set[str] = set()
    for entry in CAUSES:
        signature = entry.signature
        if signature.code not in seen and signature.code not in HOW_IT_ENDED:
            seen.add(signature.code)
            yield signature, entry.samples[0]


FIRST = tuple(_first_samples())
EACH = 8  # of so many one is tried in the quick run, too: a log of 2,000 lines takes half a second
each_cause = pytest.mark.parametrize("entry", CAUSES, ids=lambda each: each.name)


def fits(signature: Signature, found: str) -> bool:
    ways = {signature.code, *signature.rivals}
    if signature.code in HOW_IT_ENDED and found not in ways:
        return found not in ("noise-only", "unrecognised")  # the line also says why
    return found in ways or (signature.code, found) in OTHERWISE


@each_cause
def test_each_sample_alone_leads_to_its_code(entry: Entry) -> None:
    for sample in entry.samples:
        diagnosis = judged(log([sample]))
        assert fits(entry.signature, root(diagnosis)), sample
        assert error_lines_called_fine(sample, diagnosis) == []


@pytest.mark.parametrize("release", RELEASES)
def test_a_healthy_log_has_no_root(release: str) -> None:
    diagnosis = judged(log(healthy(release, 2000)))
    assert diagnosis.verdict == "noise-only"
    assert diagnosis.roots == ()


@pytest.mark.parametrize(
    ("signature", "sample"),
    [
        pytest.param(*each, id=each[0].code, marks=() if place % EACH == 0 else pytest.mark.slow)
        for place, each in enumerate(FIRST)
    ],
)
def test_inside_two_thousand_healthy_lines_the_root_is_the_same(
    signature: Signature, sample: str
) -> None:
    release = RELEASES[len(sample) % len(RELEASES)]
    lines = healthy(release, 2000)
    start = [
        line
        for line in lines[:12]
        if "reated" not in line and "opened" not in line and "Loaded" not in line
    ]
    diagnosis = judged(log([*start, *lines[20:], sample]))
    assert root(diagnosis) == root(judged(log([sample])))
    assert diagnosis.roots[0].lines[0].line == len(start) + len(lines[20:]) + 1


def _wrapped(line: str) -> str:
    return "\n".join(
        textwrap.wrap(
            line, 80, drop_whitespace=False, break_long_words=True, break_on_hyphens=False
        )
    )


DRESSES: dict[str, Callable[[str], str | bytes]] = {
    "journald": lambda text: f"Nov 22 04:00:01 n17 train[4242]: {text}\n",
    "syslog": lambda text: f"<30>2026-11-22T04:00:01.123456+00:00 n17 train[4242]: {text}\n",
    "cri": lambda text: f"2026-11-22T04:00:01.123456789Z stderr F {text}\n",
    "docker": lambda text: json.dumps({"log": f"{text}\n", "stream": "stderr", "time": "2026-11-22T04:00:01Z"}) + "\n",
    "mpirun": lambda text: f"[1,3]<stderr>:{text}\n",
    "horovodrun": lambda text: f"Sun Nov 22 04:00:01 2026[3]<stderr>:{text}\n",
    "ray": lambda text: f"(train pid=4242, ip=10.0.0.7) {text}\n",
    "actions": lambda text: f"2026-11-22T04:00:01.1234567Z {text}\n",
    "quoted": lambda text: f"> {text}\n",
    "coloured": lambda text: f"\x1b[0;31m{text[:7]}\x1b[0m{text[7:]}\x1b[K\n",
    "progress": lambda text: f" 12/100 [==>......] - ETA: 3s\r 13/100 [==>......] - ETA: 3s\x08\x08\x08\r{text}\n",
    "html": lambda text: "<pre>" + text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("'", "&#39;") + "</pre>\n",
    "crlf": lambda text: f"{text}\r\n",
    "utf-16": lambda text: f"{text}\r\n".encode("utf-16"),
    "utf-16-be": lambda text: f"first line\n{text}\n".encode("utf-16-be"),
    "bom": lambda text: f"{text}\n".encode("utf-8-sig"),
    "latin": lambda text: b"caf\xe9 \xff\xfe\n" + text.encode("utf-8") + b"\n",
    "lone-cr": lambda text: f"one\rtwo\r{text}\rfour\r",
}  # fmt: skip


@pytest.mark.slow  # each dress of every fourth first sample, each time other ones
@pytest.mark.parametrize(("number", "dress"), list(enumerate(DRESSES)))
def test_a_dressed_line_leads_to_the_same_root(number: int, dress: str) -> None:
    wrong = {}
    for signature, sample in FIRST[number % 4 :: 4]:
        plain, dressed = root(judged(log([sample]))), root(judged(DRESSES[dress](sample)))
        if dressed != plain:
            wrong[signature.name] = (plain, dressed)
    assert wrong == {}


def test_a_paste_that_was_broken_at_eighty_columns_leads_to_the_same_root() -> None:
    wrong = {}
    for signature, sample in FIRST:
        filler = "2024-02-02 02:02:02.000000: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1 of no interest, and longer than a line"
        if len(sample) <= 100:
            continue
        plain, broken = (
            root(judged(log([sample]))),
            root(judged(log([_wrapped(filler), _wrapped(sample), _wrapped(filler)]))),
        )
        if broken != plain:
            wrong[signature.name] = (plain, broken)
    assert wrong == {}


@pytest.mark.parametrize("engine", ["each", "tree", "hyperscan"])
def test_every_engine_gives_the_same_answer(engine: str) -> None:
    text = log(
        [
            line
            for number, (_, sample) in enumerate(FIRST)
            for line in (sample, f"step {number} loss 0.5")
        ]
    )
    assert judged(text, engine=engine).diagnoses == judged(text).diagnoses


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_a_log_that_is_fed_piece_by_piece_says_the_same(piece: int) -> None:
    text = log([*healthy("2.18", 60), *(sample for _, sample in FIRST[:12])])
    assert judged(text, piece=piece).diagnoses == judged(text).diagnoses
