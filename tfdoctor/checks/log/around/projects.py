"""Commands of pip in the words of the tool that keeps the user's project: its environment has no pip, or forgets what pip did there."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: commands of our own pages
from tfdoctor.light.records import record, replace

_WORD = r"(?:'[^']{1,80}'|\"[^\"]{1,80}\"|[A-Za-z][\w.\[\]=<>,~-]{0,80})"
_INSTALL = Expression(
    rf"^python[\d.]{{0,5}} -m pip install (?P<newest>--upgrade )?(?P<wanted>{_WORD}(?: {_WORD}){{0,20}})(?: \$\(.{{1,300}}\))?$"
)
"""Nothing but an installation; a question for the TensorFlow that is there, which a project keeps by itself, may stand behind it."""
_ASKING = Expression(r"\"(?P<package>[\w-]{1,40})~=\$\(python\S{0,5} -c '[^']{1,200}'\)\.0\"")
"""The release that goes with the installed TensorFlow: a resolver of a project finds it by itself, and the shell's Python is another one."""
_PYTHON = Expression(r"^python[\d.]{0,5} (?P<rest>-[mc] .{1,400})$")


@record
class Tool:
    """How it installs, how it brings up to date, and what stands before a command of its environment."""

    install: str
    newest: str
    before: str
    python: tuple[str, ...] = ()  # gives the project another Python; {python} stands for it


_TOOLS = {
    "uv-project": Tool("uv add", "uv add --upgrade", "", ("uv python pin {python}", "uv sync")),
    "uv-pip": Tool("uv pip install", "uv pip install --upgrade", ""),
    "poetry": Tool("poetry add", "poetry add", "poetry run", ("poetry env use {python}", "poetry install")),
    "pdm": Tool("pdm add", "pdm add", "pdm run", ("pdm use {python}", "pdm install")),
    "pipenv": Tool(
        "pipenv install", "pipenv upgrade", "pipenv run", ("pipenv --rm", "pipenv --python {python} install")
    ),
}


_BESIDE = Expression(r"^uv venv --python (?P<python>3\.\d{1,2}) [\w.-]{1,80}$")
_OWN = ", in an environment of its own"
_ALLOWED = "The project's file has to allow that Python (python or requires-python in pyproject.toml, python_version in a Pipfile)."
_BROUGHT = "Where that Python is not installed: `python -m pip install uv`, then `uv python install VERSION`."


def tool_of(here: Setting) -> Tool | None:
    """None where the log shows no such tool."""
    if app := next((each.partition(":")[2] for each in here.names if each.startswith("pipx:")), ""):
        return Tool(f"pipx inject {app}", f"pipx inject --force {app}", f"pipx runpip {app}")
    return next((tool for name, tool in _TOOLS.items() if here.has(name)), None)


def by_tool(fix: Fix, tool: Tool) -> Fix:
    """The same with the tool's own words, as far as it has some for it."""
    beside = _BESIDE.match(fix.commands[0]) if len(fix.commands) == 2 else None
    if beside and tool.python and _OWN in fix.title:
        lines = tuple(each.format(python=beside["python"]) for each in tool.python)
        title = fix.title.replace(_OWN, ", in the project's environment")
        return replace(fix, title=title, commands=lines, note=f"{_ALLOWED} {_BROUGHT}")
    return replace(fix, commands=tuple(_in_words(line, tool) for line in fix.commands))


def _in_words(line: str, tool: Tool) -> str:
    line = _ASKING.sub(lambda found: found["package"], line)
    if found := _INSTALL.match(line):
        if "--upgrade pip" in line:
            return (
                line
                if "--upgrade pipenv" in line or tool.before.startswith("pipx")
                else f"{tool.before} {line}".lstrip()
            )
        wanted = found["wanted"]
        if found["newest"] and tool.newest == tool.install:
            wanted = " ".join(f"{each}@latest" if each[0].isalpha() and tool.install == "poetry add" else each for each in wanted.split())  # fmt: skip
        return f"{tool.newest if found['newest'] else tool.install} {wanted}"
    other = _PYTHON.match(line)
    if other is None or not tool.before:
        return line
    if tool.before.startswith("pipx"):
        rest = other["rest"]
        return f"{tool.before} {rest.removeprefix('-m pip ')}" if rest.startswith("-m pip ") else line
    return f"{tool.before} {line}"
