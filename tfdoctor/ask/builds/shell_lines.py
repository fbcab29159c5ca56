"""Shell commands that install Python packages, with the place of each word. Understood as far as installers need it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tfdoctor.ask.builds import requirements
from tfdoctor.ask.builds.statements import (
    CONDA,
    PIP,
    Source,
    Span,
    Statement,
    is_specifier,
    requirement,
)
from tfdoctor.base.records import record, replace


@record
class Word:
    """A word of a command. `text` is what the shell makes of it, variables put in as far as they are known."""

    text: str
    start: int
    end: int


_PIECES = re.compile(
    r"(?P<space>[ \t\r]+)|(?P<comment>#[^\n]*)|(?P<separator>&&|\|\||[;|&\n()])|(?P<redirection>\d?[<>]+&?\d?)"
)
_PLAIN = re.compile(r"[^\s\"'\\;|&()<>]+")


def commands(text: str, start: int, variables: Mapping[str, str]) -> Iterator[list[Word]]:
    """The simple commands of a text that begins at `start` of its file, each as its words."""
    words: list[Word] = []
    at, redirected = 0, False
    while at < len(text):
        found = _PIECES.match(text, at)
        if found is None:
            word, at = _word(text, at, start, variables)
            words += [] if redirected else [word]
            redirected = False
            continue
        at = found.end()
        redirected = found.lastgroup == "redirection" or (redirected and found.lastgroup == "space")
        if found.lastgroup == "separator":
            yield words
            words = []
    yield words


def _word(text: str, at: int, start: int, variables: Mapping[str, str]) -> tuple[Word, int]:
    begin, parts = at, []
    while at < len(text):
        mark = text[at]
        if mark == "'":
            end = text.find("'", at + 1)
            end = len(text) if end < 0 else end
            parts.append(text[at + 1 : end])
            at = end + 1
        elif mark == '"':
            piece, at = _in_double_quotes(text, at + 1)
            parts.append(expanded(piece, variables))
        elif mark == "\\":
            parts.append("" if text[at + 1 : at + 2] == "\n" else text[at + 1 : at + 2])
            at += 2
        elif found := _PLAIN.match(text, at):
            parts.append(expanded(found[0], variables))
            at = found.end()
        else:
            break
    return Word("".join(parts), start + begin, start + min(at, len(text))), max(at, begin + 1)


def _in_double_quotes(text: str, at: int) -> tuple[str, int]:
    begin = at
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return text[begin:at], at + 1


_REFERENCE = re.compile(
    r"\$(?:\{(?P<braced>\w+)(?::?(?P<how>[-+])(?P<other>[^{}]*))?\}|(?P<name>\w+))"
)


_LONGEST_VALUE = 10_000  # characters that variables add: `A=$A$A` doubles with each line


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """With the values of the variables that are known; the others stay as they are written, and so does what makes it too long."""
    room = _LONGEST_VALUE

    def value(found: re.Match[str]) -> str:
        nonlocal room
        known = variables.get(found["braced"] or found["name"])
        if found["how"] == "-":
            known = known or found["other"]
        elif found["how"] == "+":
            known = found["other"] if known else ""
        room -= len(known or "")
        return known if known is not None and room >= 0 else found[0]

    return _REFERENCE.sub(value, text) if "$" in text else text


@record
class Installs:
    """What the commands of one step tell. `steps`: the number of the last one."""

    statements: tuple[Statement, ...]
    step: int


_PREFIXES = (
    "sudo",
    "env",
    "exec",
    "time",
    "command",
    "nice",
    "then",
    "do",
    "else",
    "if",
    "!",
    "{",
    "set",
)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_SETS = ("export", "declare", "local", "readonly")
_PIP = re.compile(r"pip(?:3(?:\.(?P<minor>\d{1,2}))?)?")
_PYTHON = re.compile(r"python(?:3(?:\.(?P<minor>\d{1,2}))?)?|pypy3?|\$\{?PYTHON\w*\}?")
_CONDAS = ("conda", "mamba", "micromamba")
_TAKE_A_VALUE = {
    PIP: frozenset("""-i --index-url --extra-index-url -f --find-links -t --target --prefix --root --platform --python-version
        --implementation --abi --trusted-host --proxy --timeout --retries --cache-dir --log --src --upgrade-strategy --python -p
        --progress-bar --global-option --config-settings -C --no-binary --only-binary --report --cert --torch-backend --group --extra
        --index --default-index --exclude-newer --resolution --prerelease -e --editable""".split()),  # noqa: SIM905  # quoted one by one they read worse
    CONDA: frozenset(("-n", "--name", "-p", "--prefix", "-c", "--channel", "--file", "-f", "--solver", "--repodata-fn")),
}  # fmt: skip
_FILES = {"-r": "package", "--requirement": "package", "--requirements": "package", "-c": "constraint", "--constraint": "constraint", "--constraints": "constraint"}  # fmt: skip


def installs(
    source: Source, text: str, start: int, variables: Mapping[str, str], step: int
) -> Installs:
    """What the installers among the commands bring; each installer is a step of its own."""
    found: list[Statement] = []
    known = {**variables}  # what the commands set counts for those that follow
    for words in commands(text, start, known):
        if all(_ASSIGNED.match(each.text) or each.text in _SETS for each in words):
            parts = (each.text.partition("=") for each in words if each.text not in _SETS)
            known.update((name, value) for name, _, value in parts)
        told = tuple(_of_command(source, words, step + 1))
        if told:
            found += told
            step += 1
    return Installs(tuple(found), step)


def _of_command(source: Source, words: list[Word], step: int) -> Iterator[Statement]:
    rest = list(words)
    while rest and (rest[0].text in _PREFIXES or _ASSIGNED.match(rest[0].text)):
        rest = rest[1:]
    if rest and rest[0].text.rpartition("/")[2] == "xargs":
        rest = [
            each for each in rest[1:] if not each.text.startswith("-") and not each.text.isdigit()
        ]
    if not rest:
        return
    rest[:1] = [Word(each, rest[0].start, rest[0].end) for each in rest[0].text.split()] or rest[:1]
    program = rest[0].text.rpartition("/")[2]
    python = _PYTHON.fullmatch(program)
    pip = _PIP.fullmatch(program)
    names = [each.text for each in rest]
    if python and names[1:3] == ["-m", "pip"]:
        yield from _python(source, python, rest[0], step)
        yield from _pip(source, rest[3:], step)
    elif pip:
        yield from _python(source, pip, rest[0], step)
        yield from _pip(source, rest[1:], step)
    elif program == "uv" and names[1:2] == ["pip"]:
        yield from _pip(source, rest[2:], step)
    elif program in ("uv", "poetry", "pdm") and names[1:2] == ["add"]:
        yield from _packages(source, rest[2:], step, PIP)
    elif program in _CONDAS and {"install", "create"} & set(names[1:3]):
        at = next(at for at, name in enumerate(names) if name in ("install", "create"))
        yield from _conda(source, rest[at + 1 :], step)


_UPGRADE = re.compile(r"-[a-zA-Z]*[UI]|--(?:upgrade|force-reinstall|ignore-installed)")


def _python(source: Source, found: re.Match[str], word: Word, step: int) -> Iterator[Statement]:
    """`python3.11 -m pip` says which Python it is."""
    minor = found.groupdict().get("minor")
    if minor:
        yield Statement(
            "python", "python", f"3.{minor}", source.span(word.start, word.end), step=step
        )


def _pip(source: Source, words: list[Word], step: int) -> Iterator[Statement]:
    """`pip --no-cache-dir install …`; an installation into another directory is no part of the environment."""
    names = [each.text for each in words]
    if "install" not in names or any(
        each.partition("=")[0] in ("-t", "--target", "--root", "--prefix") for each in names
    ):
        return
    at = names.index("install")
    upgraded = any(map(_UPGRADE.fullmatch, names))
    if all(each.startswith("-") for each in names[:at]):
        for each in _packages(source, words[at + 1 :], step, PIP):
            yield replace(each, upgraded=upgraded)


def _packages(source: Source, words: list[Word], step: int, installer: str) -> Iterator[Statement]:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.text.partition("=")
        if word.text.startswith("-"):
            short = word.text[:2] if word.text[1:2] != "-" else ""
            last = _last_of_several(word.text)
            if name in _FILES or last in _FILES or (short in _FILES and len(word.text) > 2):
                joined = (
                    value
                    if equals
                    else word.text[2:]
                    if short in _FILES and len(word.text) > 2
                    else ""
                )
                file = joined or (rest.pop(0).text if rest else "")
                kind = _FILES.get(name) or _FILES.get(short) or _FILES[last]
                yield from _of_file(source, file, kind, step, source.span(word.start, word.end))
            elif {name, last} & _TAKE_A_VALUE[installer] and not equals and rest:
                rest.pop(0)
            continue
        told = requirement(source, word.text, word.start, form="shell", step=step, end=word.end)
        if told is not None:
            yield told


def _last_of_several(option: str) -> str:
    """The last of short options in one word, which alone can take a value: "-n" of "-yn"; "" where there is one alone."""
    return f"-{option[-1]}" if re.fullmatch(r"-[A-Za-z]{2,3}", option) else ""


def _of_file(source: Source, path: str, kind: str, step: int, span: Span) -> Iterator[Statement]:
    other = source.named(path) if path else None
    if other is None:
        yield Statement("option", "unread-file", path, span, step=step)
    else:
        yield from requirements.statements(other, kind=kind, step=step)


def _conda(source: Source, words: list[Word], step: int) -> Iterator[Statement]:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        if word.text.startswith("-"):
            if {name, _last_of_several(word.text)} & _TAKE_A_VALUE[CONDA] and not equals and rest:
                rest.pop(0)
            continue
        told = conda_spec(word.text, source.span(word.start, word.end), step=step, form="shell")
        if told is not None:
            yield told


_CONDA_SPEC = re.compile(r"(?:[^\s:]+::)?(?P<name>[A-Za-z0-9_.-]+?)\s*(?P<spec>(?:[<>=!~ ].*)?)")
_BARE = re.compile(r"[0-9][^=]*")


def conda_spec(text: str, span: Span, *, step: int = 0, form: str = "yaml") -> Statement | None:
    """A package as conda matches it ("channel::name=2.10=build"): one "=" and a version without operator mean a prefix."""
    found = _CONDA_SPEC.fullmatch(text.strip()) if len(text) < 300 else None
    if found is None:
        return None
    name, spec = found["name"].lower().replace("_", "-"), found["spec"].strip()
    value = conda_range(spec)
    kind = "python" if name == "python" else "package"
    return Statement(
        kind, name, value, span, installer=CONDA, form=form if value is not None else "", step=step
    )


def conda_range(spec: str) -> str | None:
    """conda's range of versions as pip would write it; None for one that has no such form."""
    parts = []
    for part in spec.replace(" ", "").split(","):
        text = part
        if text.startswith("="):
            exact = text.startswith("==")
            version = text.lstrip("=").partition("=")[0]
            if not version:
                return None
            text = f"=={version}" if exact or version.endswith("*") else f"=={version}.*"
        elif _BARE.fullmatch(text):
            text = f"=={text}"
        elif text in ("", "*"):
            continue
        if text.endswith("*"):
            text = text.removesuffix("*").removesuffix(".") + ".*"
        if text.startswith(("<", ">", "~=")):
            text = text.removesuffix(".*")
        parts.append(text)
    joined = ",".join(parts)
    return joined if is_specifier(joined) else None
