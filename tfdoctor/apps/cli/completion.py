"""What a shell offers behind the words that are typed: commands, options and their values, without importing typer.

The scripts are typer's (`tfdoctor --install-completion`). What is not known here is left to typer.
"""

from __future__ import annotations

import os
import shlex

from tfdoctor.apps.cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tfdoctor.knowledge.matrix.query import Matrix

VARIABLE = "_TFDOCTOR_COMPLETE"  # set by the script
COMMANDS = (*options.COMMANDS, "jupyter", "matrix", "fleet")
_SYSTEMS = ("linux", "linux-aarch64", "wsl2", "windows", "macos", "macos-x86_64")


def completion(environ: Mapping[str, str]) -> str | None:
    """What the shell is told; None where typer has to say it."""
    shell = environ.get(VARIABLE, "").removeprefix("complete_")
    if shell not in _WRITTEN:
        return None
    before, begun = _typed(environ, shell)
    found = _candidates(before, begun)
    if found is None:
        return None
    return _WRITTEN[shell]([each for each in found if each.lower().startswith(begun.lower())])


def _typed(environ: Mapping[str, str], shell: str) -> tuple[list[str], str]:
    """The words behind the program's name, and the beginning of the one that is being typed."""
    if shell == "bash":
        words = _words(environ.get("COMP_WORDS", ""))
        at = int(environ.get("COMP_CWORD", "0"))
        return words[1:at], words[at] if at < len(words) else ""
    line = environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _words(line)[1:]
    return (words, "") if not words or line.endswith(" ") else (words[:-1], words[-1])


def _words(line: str) -> list[str]:
    """As a shell parts them; an open quote is closed."""
    for closing in ("", '"', "'"):
        try:
            return shlex.split(line + closing)
        except ValueError:
            continue
    return line.split()


def _candidates(before: list[str], begun: str) -> Iterable[str] | None:
    if not before and not begun.startswith("-"):
        return COMMANDS
    command = options.COMMANDS.get(before[0]) if before else None
    if before == ["explain"] and not begun.startswith("-"):
        return codes()
    if before == ["matrix", "show"] and not begun.startswith("-"):
        return _tensorflows()
    if command is None or "--" in before:
        return None
    named = {name: each for each in command.options for name in each.names}
    option = named.get(before[-1])
    if option is not None and option.word and option.alone is None:
        return option.choices or values(command.name, option.name)
    if begun.startswith("-"):
        return [
            *named,
            *(f"--no-{each.name[2:]}" for each in command.options if each.off is not None),
        ]
    return None


def values(command: str, option: str) -> Iterable[str]:
    """Nothing where it takes a file, which the shell finds itself, or what nobody can list."""
    find = _VALUES.get((command, option)) or _VALUES.get(("", option))
    return find() if find is not None else ()


def codes() -> Iterable[str]:
    from tfdoctor.knowledge.catalog import CODES

    return CODES


def _kernels() -> Iterable[str]:
    from tfdoctor.ask.probes.python.inventory import inventory
    from tfdoctor.base.sysroot import System
    from tfdoctor.facts.outcome import Known

    kernels = inventory(System()).kernels
    return [each.name for each in kernels.value] if isinstance(kernels, Known) else []


def _of_matrix(names: Callable[[Matrix], Iterable[object]]) -> Callable[[], list[str]]:
    """What the matrix in force names."""

    def find() -> list[str]:
        from tfdoctor.knowledge.matrix.load import load_in_force

        return [str(each) for each in names(load_in_force())]

    return find


def _first_drivers(matrix: Matrix) -> Iterable[object]:
    """The first driver of each CUDA version."""
    floors = {each for row in matrix.cuda_rows for each in row.driver_min.values()}
    return sorted(floors, reverse=True)


_tensorflows = _of_matrix(lambda matrix: (each.tensorflow for each in matrix.releases()))
_VALUES: dict[tuple[str, str], Callable[[], Iterable[str]]] = {
    ("", "--kernel"): _kernels,
    ("", "--ignore"): codes,
    ("plan", "--gpu"): _of_matrix(lambda matrix: (*matrix.gpu_names(), "none")),
    ("plan", "--driver"): _of_matrix(_first_drivers),
    ("plan", "--cuda"): _of_matrix(lambda matrix: (row.version for row in matrix.cuda_rows)),
    ("plan", "--tensorflow"): _tensorflows,
    ("plan", "--python"): _of_matrix(lambda matrix: reversed(matrix.pythons())),
    ("plan", "--os"): lambda: _SYSTEMS,
}


def _for_bash(found: list[str]) -> str:
    return "\n".join(each.replace(" ", "\\ ") for each in found)


def _for_zsh(found: list[str]) -> str:
    quoted = "\n".join(f'"{each}"' for each in found)
    return f"_arguments '*: :(({quoted}))'" if found else "_files"


_WRITTEN: dict[str, Callable[[list[str]], str]] = {
    "bash": _for_bash,
    "zsh": _for_zsh,
    "fish": "\n".join,
}


def complete() -> int | None:
    """The exit status where the shell asked for something that is known here, which is printed; else None."""
    from tfdoctor.knowledge.matrix.model import MatrixError

    try:
        said = completion(os.environ)
    except (MatrixError, OSError, ValueError):
        return None
    if said is None:
        return None
    if os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if said else 1
    os.write(1, f"{said}\n".encode())
    return 0
