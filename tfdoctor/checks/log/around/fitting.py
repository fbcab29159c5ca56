"""The ways out of a finding as they can be typed where its log was written: what can't exist there is left out."""

from __future__ import annotations

from tfdoctor.checks.log.around.instead import instead
from tfdoctor.checks.log.around.projects import by_tool, tool_of
from tfdoctor.checks.log.around.settings import HOSTS, Setting, possible
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: titles and commands of our own pages
from tfdoctor.light.records import replace

_ELSEWHERE = Expression(
    r"(?i)\bin(?:side)? (?:the (?:new )?)?(?:WSL|Ubuntu)|PowerShell|\bin windows\b|on the host|on the node|host of this container"
)
"""A title that says where else it is typed is right there."""
_ON_THE_HOST = {
    "docker": " (on the host)",
    "kubernetes": " (on the node; whoever runs the cluster can)",
    "apptainer": " (on the host; its administrator can)",
}
_SET = Expression(r"^export (?P<pairs>[A-Z_][\w]{0,60}=.{0,300})$")
_OR = "Or "
_BEFORE_THE_START = Expression(
    r"^export (?:LD_LIBRARY_PATH|LD_PRELOAD)=|^(?:export )?\w{1,40}=\S{0,200}\$\(|^unset LD_LIBRARY_PATH"
)
"""The loader reads its variables when a process starts, and the kernel of a notebook runs before any cell; %env runs no command."""
_UNSET = Expression(r"^unset (?P<names>[\w ]{1,200})$")
_PIP = Expression(r"^(?:\S{1,200}/)?python[\d.]{0,5} -m pip ")


def fitting(code: str, fixes: tuple[Fix, ...], here: Setting) -> tuple[Fix, ...]:
    """Those that can be typed there, what others have to do last; a word of the place where none is left."""
    kept = [fix for each in fixes if (fix := _kept(each, here)) is not None]
    kept = [_on_the_host(each, here) for each in kept]
    if here.has("kubernetes", "apptainer"):
        kept.sort(key=_is_of_others)
    if here.hosted:
        kept = [_in_a_cell(each) for each in kept]
    elif (tool := tool_of(here)) is not None:
        kept = [by_tool(each, tool) for each in kept]
    elif here.has("cell"):
        kept = [_by_magic(each) for each in kept]
    return tuple(map(_without_or, kept)) or (instead(code, here),)


def _without_or(fix: Fix) -> Fix:
    """The first is no alternative to anything, and above each other one a report writes "Or" itself."""
    title = fix.title.removeprefix(_OR)
    return replace(fix, title=title[:1].upper() + title[1:])


_PLAIN_INSTALL = Expression(
    r"^python[\d.]{0,5} -m pip install (?P<wanted>(?:'[^']{1,80}'|\"[^\"]{1,80}\"|[\w.\[\]=<>,~-]{1,80})(?: (?:'[^']{1,80}'|\"[^\"]{1,80}\"|[A-Za-z][\w.\[\]=<>,~-]{0,80})){0,20})$"
)


def _by_magic(fix: Fix) -> Fix:
    """A terminal's python is often another one than the kernel's. Only what is nothing but an installation is put into a cell's words."""
    found = [_PLAIN_INSTALL.match(line) for line in fix.commands]
    if not fix.commands or not all(found) or any("-m pip install -" in line for line in fix.commands):
        return fix
    lines = tuple(f"%pip install {each['wanted']}" for each in found if each)
    return replace(fix, title=f"{fix.title.rstrip('.')}. In a cell of the notebook; restart the kernel after it", commands=lines)  # fmt: skip


_NEW = Expression(r"^\S{1,200} -m venv (?P<folder>\S{1,100})$")


def _in_this_runtime(fix: Fix) -> Fix:
    """A hosted notebook has one environment, so what was meant for a new one goes into it."""
    new = _NEW.match(fix.commands[0]) if fix.commands else None
    if new is None or not all(line.startswith(new["folder"]) for line in fix.commands[1:]):
        return fix
    lines = tuple(f"python{line[line.index(' ') :]}" for line in fix.commands[1:] if " " in line)
    return replace(fix, title=fix.title.replace(", in an environment of its own", ""), commands=lines, note="It replaces what this runtime has. Restart the runtime after it.")  # fmt: skip


def _kept(fix: Fix, here: Setting) -> Fix | None:
    """Without the lines from the first impossible one on, for each rests on those before it; None where nothing is left."""
    if _ELSEWHERE.search(fix.title) and not here.hosted:
        return fix
    if here.hosted and any(_BEFORE_THE_START.search(line) for line in fix.commands):
        return None
    fix = _in_this_runtime(fix) if here.hosted else fix
    lines: list[str] = []
    for line in fix.commands:
        if not possible(line, here):
            break
        lines.append(line)
    if fix.commands:
        return replace(fix, commands=tuple(lines)) if lines else None
    return fix if possible(fix.note, here) else None


def _on_the_host(fix: Fix, here: Setting) -> Fix:
    """Named as the host's where it is: a container can't do it."""
    if here.has("kubernetes") and "(on the host)" in fix.title:
        return replace(fix, title=fix.title.replace(" (on the host)", _ON_THE_HOST["kubernetes"]))
    elsewhere = _ELSEWHERE.search(fix.title) or "host" in fix.title or "node" in fix.title
    if elsewhere or not any(HOSTS.search(line) for line in fix.commands):
        return fix
    of = next((words for name, words in _ON_THE_HOST.items() if here.has(name)), "")
    return replace(fix, title=f"{fix.title}{of}")


def _is_of_others(fix: Fix) -> bool:
    return "host" in fix.title or "node" in fix.title


def _in_a_cell(fix: Fix) -> Fix:
    """As a cell of a notebook takes them: a shell of its own for each line keeps no variable."""
    if not fix.commands:
        return fix
    lines = tuple(line for each in fix.commands for line in _cells(each))
    return replace(fix, title=f"{fix.title.rstrip('.')}. In a cell of the notebook", commands=lines)


def _cells(line: str) -> list[str]:
    if found := _SET.match(line):
        return [f"%env {each}" for each in found["pairs"].split()]
    if found := _UNSET.match(line):
        popped = "; ".join(f'os.environ.pop("{name}", None)' for name in found["names"].split())
        return [f"import os; {popped}"]
    if _PIP.match(line):
        return [_PIP.sub("%pip ", line)]
    return [line if line.startswith(("%", "!", "import ", "from ")) else f"!{line}"]
