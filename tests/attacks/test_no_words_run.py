"""No log makes the doctor print a command in which the shell would run what the log says: each word of a kept log or of a sample
that a printed command holds is written again with shell syntax behind it, and the log is judged once more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.fixes.printed import of
from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tools.build.knowledge import entries

pytestmark = [pytest.mark.nightly, pytest.mark.slow]  # judges each kept log several times
_WORD = re.compile(r"[A-Za-z0-9_./\\:@+=~-]{3,}")
_PARTS = re.compile(r"[/=:\\]")
_SYNTAX = {
    "$(touch x)": "$(touch x)",
    "`touch`": "`touch`",
    '";touch;"': ";touch;",
    "';touch;'": ";touch;",
}
"""What is put behind a word, and what of it the shell must not see."""
SHARDS = 4


def printed(text: str) -> list[str]:
    diagnosis = judged(text)
    return [line for each in diagnosis.roots for fix in of(each.finding, diagnosis.facts) for line in fix.commands]  # fmt: skip


def seen_by_the_shell(command: str, syntax: str) -> bool:
    """Whether it stands outside of quotes, or inside of double ones where these do not take it away."""
    quote, at = "", 0
    while at < len(command):
        here = command[at]
        if command.startswith(syntax, at) and (not quote or (quote == '"' and syntax[0] in "$`")):
            return True
        if here == "\\" and quote != "'":
            at += 1
        elif not quote and here in "'\"":
            quote = here
        elif here == quote:
            quote = ""
        at += 1
    return False


@cache
def texts() -> tuple[tuple[str, str], ...]:
    samples = {
        f"{each.name}: {sample}"[:80]: f"{sample}\n"
        for each in entries()
        for sample in each.samples
    }
    return (*((name, log_of(name)) for name in NAMES), *samples.items())


def shared(text: str) -> Iterator[str]:
    """Words, and parts of paths, that the log and what is printed for it have in common."""
    said = _WORD.findall(text)
    for word in {word for command in printed(text) for word in _WORD.findall(command)}:
        yield from (each for each in said if each == word or (len(each) > 4 and each in word))
        yield from (part for part in _PARTS.split(word) if len(part) > 3 and part in text)


def test_the_shell_sees_what_is_not_quoted() -> None:
    for command in ("ls a$(touch x)", 'ls "a$(touch x)"', "ls 'a'$(touch x)"):
        assert seen_by_the_shell(command, "$(touch x)")
    for command in ("ls 'a$(touch x)'", "ls a\\$(touch x)"):
        assert not seen_by_the_shell(command, "$(touch x)")
    assert not seen_by_the_shell('ls "a;touch;"', ";touch;")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_what_a_log_names_is_never_run(shard: int) -> None:
    found = []
    for name, text in texts()[shard::SHARDS]:
        for word in sorted(set(shared(text))):
            for put, syntax in _SYNTAX.items():
                lines = printed(text.replace(word, word + put))
                found += [f"{name}: {line}" for line in lines if seen_by_the_shell(line, syntax)]
    assert found == []
