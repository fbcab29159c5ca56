"""What judges beside the command line: the team's policy and the matrix. A broken file is wrong usage, whatever the command is."""

from __future__ import annotations

from tfdoctor.apps.cli.parse import UsageError
from tfdoctor.base.settings_files import are_there_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.report.settings import Settings


def read_settings() -> Settings:
    """The settings in force in the working folder. Raises UsageError where their file is broken."""
    from tfdoctor.apps.cli.guard import say

    settings = _found()
    for file in settings.foreign:
        say(
            f"{file} is another user's and is not used; name a demand on the command line if it is wanted"
        )
    return settings


def refuse_broken_settings() -> str:
    """The settings' file, "" for none, to a command that has no use for them. Raises UsageError."""
    return _found().file if are_there_any() else ""


def load_plugins() -> None:
    """For a command that has no findings to tell of those that fail: a line on stderr."""
    from tfdoctor.apps.cli.guard import say
    from tfdoctor.knowledge import plugins

    plugins.load()
    for each in plugins.LOADED.values():
        if each.error:
            say(f"the plug-in {each.name} {each.version} has no say: {each.error}")


def matrix_of(name: str) -> Matrix:
    """What --matrix names, else the one in force. Raises UsageError."""
    from tfdoctor.knowledge.matrix.load import load_in_force
    from tfdoctor.knowledge.matrix.model import MatrixError

    try:
        return load_in_force(name)
    except MatrixError as error:
        raise UsageError(f"--matrix: {error}" if name else str(error)) from error


def codes_to_ignore(words: Iterable[str]) -> dict[str, str]:
    """The codes after each --ignore, with their reason. Raises UsageError for a word that is none."""
    codes = [code for word in words for part in word.split(",") if (code := part.strip())]
    if codes:
        from tfdoctor.knowledge.catalog import CODES
        from tfdoctor.knowledge.pages import unknown_code

        for code in codes:
            if code not in CODES:
                raise UsageError(f"--ignore: {unknown_code(code)}")
    return dict.fromkeys(codes, "--ignore")


def _found() -> Settings:
    from pathlib import Path

    from tfdoctor.report.settings import Settings, SettingsError, find_settings

    try:
        return find_settings(Path.cwd())
    except FileNotFoundError:  # the working folder was removed
        return Settings()
    except SettingsError as error:
        raise UsageError(str(error)) from error
