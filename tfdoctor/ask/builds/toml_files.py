"""pyproject.toml and the locks that are TOML: uv.lock, poetry.lock, pylock.toml. What is said is found again by its key's text."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tfdoctor.ask.builds.statements import (
    Environment,
    Source,
    Span,
    Statement,
    UnreadableError,
    is_specifier,
    requirement,
)
from tfdoctor.base.version_ranges import normalised

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MOST_EXTRAS = 200


def parsed(source: Source) -> dict[str, Any]:
    """Raises UnreadableError."""
    try:
        return tomllib.loads(source.text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"it is no TOML: {error}") from error
    except RecursionError as error:
        raise UnreadableError("it is no TOML that can be read: nested too deep") from error


def pyproject(source: Source) -> tuple[Environment, ...]:
    """The project with its dependencies, and with each extra, group and Poetry group beside them."""
    document = parsed(source)
    project, tool = _table(document, "project"), _table(document, "tool")
    poetry = _table(tool, "poetry")
    base = [
        *_python(source, project.get("requires-python"), "requires-python"),
        *_listed(source, project.get("dependencies"), "dependencies"),
        *_poetry(source, _table(poetry, "dependencies"), "[tool.poetry.dependencies]"),
    ]
    further: dict[str, list[Statement]] = {"dev": []}
    for name, listed in _table(project, "optional-dependencies").items():
        further[name] = list(_listed(source, listed, name))
    further.update(_groups(source, _table(document, "dependency-groups")))
    further["dev"] += [
        *_listed(source, _table(tool, "uv").get("dev-dependencies"), "dev-dependencies"),
        *_poetry(source, _table(poetry, "dev-dependencies"), "[tool.poetry.dev-dependencies]"),
    ]
    for name, group in _table(poetry, "group").items():
        told = _poetry(
            source,
            _table({"": group}, "", "dependencies"),
            f"[tool.poetry.group.{name}.dependencies]",
        )
        further[name] = [*further.get(name, []), *told]
    own, features = _pixi(source, _table(tool, "pixi"), "tool.pixi.")
    base += own
    for name, more in features.items():
        further[name] = [*further.get(name, []), *more]
    constraints = tuple(_listed(source, _table(tool, "uv").get("constraint-dependencies"), "constraint-dependencies", "constraint"))  # fmt: skip
    return _each_beside(source, [*base, *constraints], further)


def pixi(source: Source) -> tuple[Environment, ...]:
    """A pixi.toml, with each of its features beside what all have."""
    return _each_beside(source, *_pixi(source, parsed(source), ""))


def _groups(source: Source, table: dict[str, Any]) -> Iterator[tuple[str, list[Statement]]]:
    """Each dependency group with those that it includes (PEP 735)."""
    told = {normalised(name): list(_listed(source, listed, name)) for name, listed in table.items()}
    includes = {
        normalised(name): [normalised(str(each.get("include-group"))) for each in listed if isinstance(each, dict)]
        for name, listed in table.items()
        if isinstance(listed, list)
    }  # fmt: skip
    for name in list(table)[:_MOST_EXTRAS]:
        whole = {normalised(name): None}
        waiting = [*whole]
        while waiting:
            further = dict.fromkeys(includes.get(waiting.pop(0), ()))
            waiting += [each for each in further if each not in whole]
            whole |= further
        yield name, [each for own in whole for each in told.get(own, ())]


def _each_beside(source: Source, base: list[Statement], further: dict[str, list[Statement]]) -> tuple[Environment, ...]:  # fmt: skip
    made = [Environment(source.path, "", tuple(base))]
    made += [Environment(source.path, name, (*base, *more)) for name, more in list(further.items())[:_MOST_EXTRAS] if more]  # fmt: skip
    return tuple(made)


def _table(within: Any, *names: str) -> dict[str, Any]:
    """The table of that name; {} where there is none, or something else in its place."""
    for name in names:
        within = within.get(name) if isinstance(within, dict) else None
    return within if isinstance(within, dict) else {}


def _listed(source: Source, listed: Any, key: str, kind: str = "package") -> Iterator[Statement]:
    start = _after_key(source, key)
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, str):
            continue
        place = _quoted(source, each, start) or _quoted(source, each, 0)
        if place is None:
            continue
        begin, start = place
        told = requirement(source, each, begin, form="toml", kind=kind, end=start)
        if told is not None:
            yield told


def _after_key(source: Source, key: str) -> int:
    """Where the value of a key begins; 0 where it is not found as it is written."""
    if key.startswith("["):
        return max(source.text.find(key), 0)
    found = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=", source.text, re.MULTILINE)
    return found.end() if found else 0


def _quoted(source: Source, text: str, start: int) -> tuple[int, int] | None:
    for quote in ('"', "'"):
        at = source.text.find(f"{quote}{text}{quote}", start)
        if at >= 0:
            return at, at + len(text) + 2
    return None


def _python(
    source: Source, spec: Any, key: str, written: Callable[[str], str | None] | None = None
) -> Iterator[Statement]:
    """`written`: makes of another tool's range of versions one of pip's."""
    value = (written(spec) if written else spec) if isinstance(spec, str) else None
    if isinstance(spec, str) and value and is_specifier(value):
        start = _after_key(source, key)
        begin, end = _quoted(source, spec, start) or (start, start)
        yield Statement("python", "python", value, source.span(begin, end))


def _poetry(source: Source, table: dict[str, Any], header: str) -> Iterator[Statement]:
    start = _after_key(source, header)
    for name, stated in table.items():
        for each in stated if isinstance(stated, list) else [stated]:
            version = each.get("version") if isinstance(each, dict) else each
            if not isinstance(version, str) or (isinstance(each, dict) and each.get("optional")):
                continue
            spec = poetry_range(version)
            marker = each.get("markers", "") if isinstance(each, dict) else ""
            kind = "python" if name == "python" else "package"
            yield Statement(
                kind, normalised(name), spec, _at_key(source, name, start), marker=str(marker)
            )


def _pixi(
    source: Source, table: dict[str, Any], within: str
) -> tuple[list[Statement], dict[str, list[Statement]]]:
    """What all environments on Linux have, and what each feature adds."""
    features = {
        name: list(_pixi_packages(source, _table(feature), f"{within}feature.{name}."))
        for name, feature in _table(table, "feature").items()
    }
    return list(_pixi_packages(source, table, within)), features


_PIXI_TARGETS = ("linux", "linux-64", "unix")


def _pixi_packages(source: Source, table: dict[str, Any], within: str) -> Iterator[Statement]:
    from tfdoctor.ask.builds.shell_lines import conda_spec  # its own storey of the same room

    for name in _PIXI_TARGETS:
        if target := _table(table, "target", name):
            yield from _pixi_packages(source, {**target, "target": {}}, f"{within}target.{name}.")
    for key, pip in (("dependencies", False), ("pypi-dependencies", True)):
        start = _after_key(source, f"[{within}{key}]")
        for name, stated in _table(table, key).items():
            version = stated.get("version", "*") if isinstance(stated, dict) else stated
            if not isinstance(version, str):
                continue
            span = _at_key(source, name, start)
            if pip:
                spec = "" if version == "*" else version
                yield Statement(
                    "package", normalised(name), spec if is_specifier(spec) else None, span
                )
            elif (told := conda_spec(f"{name}{'' if version == '*' else version if version[:1] in '<>=~' else '=' + version}", span, form="")) is not None:  # fmt: skip
                yield told


def _at_key(source: Source, name: str, start: int) -> Span:
    """The line of a key; the whole file's first place where it is written another way."""
    found = re.compile(rf"^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*[=.][^\n]*", re.MULTILINE | re.IGNORECASE).search(source.text, start)  # fmt: skip
    return source.span(found.start(), found.end()) if found else source.span(start, start)


_CARET = re.compile(r"\^\s*(?P<version>[0-9][0-9.]*)(?P<pre>\w*)")


def poetry_range(text: str) -> str | None:
    """Poetry's range of versions as pip would write it ("^2.10": ">=2.10,<3"); None for alternatives and what can't be read."""
    parts = []
    for part in (each.strip() for each in text.split(",")):
        caret = _CARET.fullmatch(part)
        if caret:
            numbers = [int(each) for each in caret["version"].strip(".").split(".") if each]
            at = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
            above = ".".join(map(str, [*numbers[:at], numbers[at] + 1]))
            parts.append(f">={part[1:].strip()},<{above}")
        elif part.startswith("~") and not part.startswith("~="):
            numbers = [int(each) for each in re.findall(r"\d+", part)][:3]
            above = ".".join(
                map(
                    str,
                    [*numbers[:1], numbers[1] + 1]
                    if len(numbers) > 1
                    else [n + 1 for n in numbers],
                )
            )
            parts.append(f">={part[1:].strip()},<{above}")
        elif part[:1].isdigit():
            parts.append(f"=={part}")
        elif part not in ("*", ""):
            parts.append(part)
    joined = ",".join(parts).replace(" ", "")
    return joined if is_specifier(joined) else None


def uv_lock(source: Source) -> tuple[Environment, ...]:
    return _lock(source, "package", "requires-python")


def pylock(source: Source) -> tuple[Environment, ...]:
    """PEP 751."""
    return _lock(source, "packages", "requires-python")


def poetry_lock(source: Source) -> tuple[Environment, ...]:
    return _lock(source, "package", "")  # whose Pythons are written as Poetry writes them


def _lock(source: Source, key: str, python: str) -> tuple[Environment, ...]:
    """One environment, unless the lock holds a package in two versions for two platforms or Pythons: then nobody says which."""
    document = parsed(source)
    listed = document.get(key)
    packages = (
        [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    )
    names = [normalised(str(each.get("name", ""))) for each in packages]
    spec = document.get(python) if python else _table(document, "metadata").get("python-versions")
    found = [*_python(source, spec, python or "python-versions", None if python else poetry_range)]
    places, counts = _headers(source, key), Counter(names)
    for each, name, place in zip(packages, names, places, strict=False):
        version = each.get("version")
        known = isinstance(version, str) and counts[name] == 1 and is_specifier(f"=={version}")
        found.append(
            Statement(
                "package",
                name,
                f"=={version}" if known else None,
                place,
                marker=str(each.get("marker", "")),
            )
        )
    return (Environment(source.path, "", tuple(found), complete=True),)


def _headers(source: Source, key: str) -> list[Span]:
    """The line with each package's name, in their order."""
    header = re.compile(
        rf"^\[\[{key}\]\][^\n]*\n(?:[ \t]*#[^\n]*\n)*(?P<name>[^\n]*)", re.MULTILINE
    )
    return [
        source.span(each.start("name"), each.end("name")) for each in header.finditer(source.text)
    ]
