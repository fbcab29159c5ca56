"""Dockerfiles and Containerfiles: instructions, stages, and what each stage installs.

The instructions are read here since no library reads them right: dockerfile-parse 2.0.1 misreads heredocs and a blank line in a
continuation (tried 2026-11-28). By Docker's reference of the Dockerfile, 2026-11.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping

from tfdoctor.ask.builds.shell_lines import commands, expanded, installs
from tfdoctor.ask.builds.statements import Environment, Source, Span, Statement, UnreadableError
from tfdoctor.base.records import field, record


@record
class Instruction:
    """`text` is what follows the name, from `start` of the file on; comments and line ends within it are blanks. `heredoc`: what it
    is fed, and where that begins."""

    name: str
    text: str
    start: int
    heredoc: tuple[str, int] = ("", 0)


_ESCAPE = re.compile(r"\A\ufeff?(?:#[^\n]*\n)*?#[ \t]*escape[ \t]*=[ \t]*(`)", re.IGNORECASE)
_NAME = re.compile(r"[ \t\ufeff]*(?P<name>[A-Za-z]+)(?:[ \t]+|(?=\r?\n|\Z))")
_HEREDOC = re.compile(r"<<-?[\"']?(?P<word>[A-Za-z_]\w*)[\"']?")


def instructions(text: str) -> Iterator[Instruction]:
    """In their order. A line that is none is passed over."""
    escape = "`" if _ESCAPE.search(text[:2000]) else "\\"
    lines = text.split("\n")
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    number = 0
    while number < len(lines):
        head = _NAME.match(lines[number]) if not lines[number].lstrip().startswith("#") else None
        if head is None:
            number += 1
            continue
        pieces, number = _continued(lines, number, escape)
        whole = "\n".join(pieces)
        body = whole[head.end() :]
        start = starts[number - len(pieces)] + head.end()
        heredoc = ("", 0)
        if head["name"].upper() in ("RUN", "COPY", "ADD"):
            for each in _HEREDOC.finditer(body):
                end = next(
                    (at for at in range(number, len(lines)) if lines[at].strip() == each["word"]),
                    len(lines),
                )
                heredoc = (
                    "\n".join(lines[number:end]),
                    starts[number] if number < len(starts) else len(text),
                )
                number = end + 1
        yield Instruction(head["name"].upper(), body.replace("\n", " "), start, heredoc)


def _continued(lines: list[str], number: int, escape: str) -> tuple[list[str], int]:
    """The lines of one instruction, their ends blank, and the number of the first that follows. Comments and blank lines between them
    do not end it."""
    pieces: list[str] = []
    while number < len(lines):
        line = lines[number]
        number += 1
        stripped = line.rstrip()
        if pieces and (not stripped or stripped.lstrip().startswith("#")):
            pieces.append(" " * len(line))
            continue
        goes_on = stripped.endswith(escape)
        pieces.append(stripped[:-1] + " " * (len(line) - len(stripped) + 1) if goes_on else line)
        if not goes_on:
            break
    return pieces, number


@record
class Stage:
    """A stage as far as it has been read. `base`: the earlier stage that it begins as."""

    number: int
    name: str
    base: str
    statements: list[Statement] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)


def environments(
    source: Source, arguments: Mapping[str, str] | None = None, *, every: bool = False
) -> tuple[Environment, ...]:
    """One for each stage that no other one begins as, or for every one; `arguments`: what `--build-arg` or compose sets. Raises
    UnreadableError."""
    stages = _stages(source, arguments or {})
    if not stages:
        raise UnreadableError("it has no FROM")
    continued = {each.base for each in stages}
    return tuple(
        Environment(source.path, each.name, tuple(each.statements), "linux")
        for each in stages
        if every or each is stages[-1] or not ({each.name, str(each.number)} - {""} & continued)
    )


def base(written: str, span: Span) -> Statement:
    """The image without its tag, and the tag: "" where there is none, None where a variable that is not known leaves it open."""
    if "$" in written:
        return Statement("image", "", None, span)
    whole = written.partition("@")[0]
    repository, colon, tag = whole.rpartition(":")
    name, value = (repository, tag) if colon and "/" not in tag else (whole, "")
    return Statement("image", name, value, span)


_MOST_STAGES = 200


def _stages(source: Source, given: Mapping[str, str]) -> list[Stage]:
    stages: list[Stage] = []
    before: dict[str, str] = {}
    step = 0
    for each in instructions(source.text):
        if len(stages) > _MOST_STAGES:
            raise UnreadableError(f"it has more than {_MOST_STAGES} stages")
        if each.name == "FROM":
            stages.append(_begun(source, each, {**before}, stages))
        elif each.name == "ARG":
            known = stages[-1].variables if stages else before
            for name, value, _ in _assignments(each):
                default = expanded(value, known) if value else before.get(name)
                if name in given or default is not None:
                    known[name] = given.get(name, default or "")
        elif stages:
            step = _into(stages[-1], source, each, step)
    return stages


_FROM = re.compile(r"\s*(?:--platform=(?P<platform>\S+)\s+)?(?P<image>\S+)(?:\s+as\s+(?P<name>\S+))?", re.IGNORECASE)  # fmt: skip


def _begun(source: Source, each: Instruction, before: dict[str, str], stages: list[Stage]) -> Stage:
    found = _FROM.match(each.text)
    if found is None:
        return Stage(len(stages), "", "")
    name = (found["name"] or "").lower()
    written = expanded(found["image"].strip("\"'"), before)
    earlier = next(
        (
            stage
            for stage in stages
            if written.lower() in (stage.name, str(stage.number)) and written
        ),
        None,
    )
    if earlier is not None:
        return Stage(
            len(stages),
            name,
            written.lower(),
            [*earlier.statements],
            {**earlier.variables},
        )
    stage = Stage(len(stages), name, "")
    span = source.span(each.start + found.start("image"), each.start + found.end("image"))
    stage.statements.append(base(written, span))
    if found["platform"] and "$" not in found["platform"]:
        stage.statements.append(Statement("option", "platform", found["platform"], span))
    return stage


def _into(stage: Stage, source: Source, each: Instruction, step: int) -> int:
    if each.name == "ENV":
        for name, value, (start, end) in _assignments(each):
            text = expanded(value, stage.variables)
            stage.variables[name] = text
            known = text if "$" not in text else None
            stage.statements.append(
                Statement("variable", name, known, source.span(start, end), form="value")
            )
    elif each.name == "RUN":
        text, start = each.heredoc if _is_script(each) else (_of_exec_form(each), each.start)
        told = installs(source, text, start, stage.variables, step)
        stage.statements.extend(told.statements)
        step = told.step
        stage.statements.extend(_other_tools(source, text, start))
    elif each.name in ("COPY", "ADD"):
        if "--from" not in each.text:
            source.called.update(_copied(each))
        if _CUDA.search(each.text):
            stage.statements.append(
                Statement("option", "installs-cuda", "yes", source.span(each.start, each.start))
            )
    return step


_OPTIONS = re.compile(r"^(\s*--(?:mount|network|security)=\S+)+")
_SHELL = re.compile(r"(?:(?:/usr)?/bin/)?(?:ba|da|k|z)?sh(?:\s+-\w+)*")


def _is_script(each: Instruction) -> bool:
    """Whether a shell gets the heredoc as its script; another program's input installs nothing."""
    if not each.heredoc[0]:
        return False
    command = _HEREDOC.sub("", _OPTIONS.sub("", each.text)).strip()
    first = each.heredoc[0].partition("\n")[0]
    return not (first.startswith("#!") and "sh" not in first) and (not command or bool(_SHELL.fullmatch(command)))  # fmt: skip


def _copied(each: Instruction) -> Iterator[tuple[str, str]]:
    """The path of each file in the image, and in the context."""
    words = (word.text for line in commands(_of_exec_form(each), each.start, {}) for word in line)
    *files, to = [word for word in words if word[:2] != "--"] or [""]
    inside = len(files) > 1 or to.endswith(("/", "."))
    for file in files:
        yield os.path.normpath(os.path.join(to, os.path.basename(file)) if inside else to), file


_CUDA = re.compile(r"cudnn|cuda|libnv|libcu|nvidia|conda", re.IGNORECASE)
_OTHER_PYTHON = re.compile(r"python3\.\d|conda|mamba|pyenv|deadsnakes|\buv\b", re.IGNORECASE)
_OWN_ENVIRONMENT = re.compile(
    r"-m (?:venv|virtualenv)|(?<![\w-])virtualenv |uv venv|(?:conda|mamba) create|(?:uv|poetry|pdm) (?:add|sync|install)"
)


def _other_tools(source: Source, text: str, start: int) -> Iterator[Statement]:
    """That a command may bring CUDA libraries, or another Python than the system's own: then nobody says which. And that it makes an
    environment in which the image's packages are not."""
    for name, form in (
        ("installs-cuda", _CUDA),
        ("another-python", _OTHER_PYTHON),
        ("own-environment", _OWN_ENVIRONMENT),
    ):
        found = form.search(text)
        if found is not None:
            yield Statement(
                "option", name, "yes", source.span(start + found.start(), start + found.end())
            )


def _of_exec_form(each: Instruction) -> str:
    """`["pip", "install", "x"]` as a command line of the same length, so that places stay right."""
    if each.text.lstrip().startswith("["):
        try:
            json.loads(each.text)
        except (ValueError, RecursionError):
            return each.text
        return re.sub(r"[\[\],]", " ", each.text)
    return _OPTIONS.sub(lambda found: " " * len(found[0]), each.text)


_KEY = re.compile(r"\s*(?P<key>[A-Za-z_][\w.-]*)(?P<mark>=|[ \t]+|$)")


def _assignments(each: Instruction) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Names and values of ENV and ARG in both of their forms, and where each value is."""
    first = _KEY.match(each.text)
    if first is not None and first["mark"].strip() != "=" and each.name == "ENV":
        value = each.text[first.end() :].rstrip()
        yield (
            first["key"],
            value.strip("\"'"),
            (each.start + first.end(), each.start + first.end() + len(value)),
        )
        return
    for words in commands(each.text, each.start, {}):
        for word in words:
            name, equals, value = word.text.partition("=")
            if re.fullmatch(r"[A-Za-z_]\w*", name):
                yield (
                    name,
                    value if equals else "",
                    (word.start + len(name) + len(equals), word.end),
                )
