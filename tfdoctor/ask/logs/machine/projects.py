"""The tool that keeps the environment in which a log was written: poetry, pdm, pipenv, pipx."""

from __future__ import annotations

from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine

_PIPX = Clue(
    r"^(?:\S{1,80}\s?)?[$#%>]?\s{0,3}pipx (?:install|run|upgrade|reinstall) (?P<program>[A-Za-z][\w.-]{0,60})|[\\/]pipx[\\/]venvs[\\/](?P<folder>[A-Za-z][\w.-]{0,60})[\\/]",
    ("pipx",),
)
"""Each program has an environment of its own there, which the program's name stands for."""
_PROJECTS = (
    ("poetry", Clue(r"^(?:\S{1,80}\s?)?[$#%>]?\s{0,3}poetry (?:add|install|run|update|lock)\b|\[tool\.poetry\b|[\\/]pypoetry[\\/]|\b(?:with|using|use|by) [*`_]{0,2}[Pp]oetry\b", ("oetry",))),
    ("pdm", Clue(r"^(?:\S{1,80}\s?)?[$#%>❯]?\s{0,3}pdm (?:add|install|run|update|lock|sync)\b|\[tool\.pdm\b|\b(?:with|using|use) [*`_]{0,2}(?:pdm|PDM)\b", ("pdm", "PDM"))),
    ("pipenv", Clue(r"^(?:\S{1,80}\s?)?[$#%>❯]?\s{0,3}pipenv (?:install|run|lock|sync|update|shell)\b|\bPipfile\.lock\b|^Pipfile: |\bpipenv\.(?:exceptions|patched)\b|\b(?:with|using|use) [*`_]{0,2}[Pp]ipenv\b", ("ipenv", "Pipfile"))),
)  # fmt: skip
"""Tools that keep a project's environment by a file of wishes: what pip installs there, their next call removes."""


def project(lines: LineIndex[LogLine]) -> str:
    """ "poetry", "pipx:deepface"; "" for none."""
    if found := lines.first(_PIPX):
        return f"pipx:{found[1]['program'] or found[1]['folder']}"
    return next((name for name, clue in _PROJECTS if lines.first(clue)), "")
