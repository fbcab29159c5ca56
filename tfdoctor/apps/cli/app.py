"""The command line: which commands there are. Each is imported when it is asked for, and no earlier."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Annotated, Any, cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from tfdoctor import __version__
from tfdoctor.apps.cli import options
from tfdoctor.apps.cli.completion import VARIABLE, values
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.output import fold, write_result
from tfdoctor.apps.cli.settings import refuse_broken_settings

COMMANDS = (
    "check", "healthcheck", "diagnose", "fix", "run", "fit", "jupyter", "plan", "lint", "explain", "diff", "matrix", "fleet", "mcp",
)  # fmt: skip
"""Each in a module of its own: one whose options stand in `options.py` has a `main`, the others typer's `app`."""
GROUPS = {
    "Check a machine": {
        "check": (
            "Check one Python environment and this machine.",
            "tfdoctor check --python ~/envs/tf",
        ),
        "fix": (
            "Try a fix in a clone; keep it only if it helps.",
            "tfdoctor fix --python ~/envs/tf",
        ),
        "diff": ("Compare a broken report with a working one.", "tfdoctor diff theirs.json ."),
    },
    "Explain a failure": {
        "diagnose": ("Find in a log what went wrong and why.", "tfdoctor diagnose train.log"),
        "run": (
            "Run a command, watch it, and say what ended it.",
            "tfdoctor run -- python train.py",
        ),
        "jupyter": (
            "Say in the notebook why a kernel died.",
            "tfdoctor jupyter install --kernel python3",
        ),
        "explain": ("Explain a code and its fixes.", "tfdoctor explain driver-too-old"),
    },
    "Before a run": {
        "fit": ("Find the largest batch that fits.", "tfdoctor fit train.py:build"),
    },
    "Choose a version": {
        "plan": ("Find a TensorFlow that works here.", 'tfdoctor plan --gpu "RTX 3090"'),
        "lint": ("Check build files before anything is built.", "tfdoctor lint ."),
        "matrix": ("What each TensorFlow version needs.", "tfdoctor matrix show 2.21.0"),
    },
    "Automate": {
        "healthcheck": (
            "Answer a container probe in milliseconds.",
            "tfdoctor healthcheck --require-gpu",
        ),
        "fleet": (
            "Check many nodes, say how the broken ones differ.",
            "tfdoctor fleet summarize *.json",
        ),
        "mcp": ("Run an MCP server for an assistant.", "tfdoctor mcp --allow ~/runs"),
    },
}
"""What the help says of each command, and one example."""
_TOLD = {name: told for commands in GROUPS.values() for name, told in commands.items()}
_ENVIRONMENT = "Each option can also be set by an environment variable, as {name} by {variable}."
# typer's click is its own or the package of that name, by its version: the base of all its errors either way
_USAGE_ERRORS = cast(
    type[Exception],
    next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"),
)

FIRST_STEPS = f"""tfdoctor {__version__}: says why TensorFlow won't use the GPU or a run died, and what to type.

  tfdoctor check                  check the active Python environment and this machine
  tfdoctor check --python PATH    check another interpreter or environment
  tfdoctor check --json           the same as JSON
  tfdoctor fix                    try the fix in a clone, keep it only if it helps
  tfdoctor diagnose LOG           find in a log what went wrong
  tfdoctor run -- python train.py run a command and say what ended it
  tfdoctor plan                   find a TensorFlow that works here
  tfdoctor explain --list         list all known problems

All commands and options: tfdoctor --help
"""


class LazyGroup(TyperGroup):
    """Knows the commands' names without importing them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """By what they are for, each with an example."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                for name, (told, example) in commands.items():
                    formatter.write(
                        f"{fold(f'  {name:<12} {told}', formatter.width, 15)}\n{'':15}{example}\n"
                    )

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module: Any = import_module(f"tfdoctor.apps.cli.{cmd_name}_command")
        table = options.COMMANDS.get(cmd_name)
        command = typer.main.get_command(_from_table(table, module.main) if table else module.app)
        command.name, command.short_help = cmd_name, _TOLD[cmd_name][0]
        return command


TyperArgument.display_type_rich = lambda self, *, ctx: ""  # type: ignore[misc, assignment]  # the metavar says it


class TableCommand(TyperCommand):
    """Knows its options for the help and for what a shell completes, and leaves reading them to `parse.py`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing or {"-h", "--help"} & set(args):
            return super().parse_args(ctx, args)
        ctx.args = list(args)
        return args


def _from_table(command: options.Command, main: Callable[[list[str]], int]) -> typer.Typer:
    def run(context: typer.Context, **given: Any) -> None:
        raise typer.Exit(main([*context.args]))

    context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *(_parameter(each, command) for each in command.options)]
    if command.words:
        metavar, told = command.words
        argument = typer.Argument(metavar=metavar, help=told)
        words = Annotated[list[str] | None, argument]
        parameters.insert(
            1, Parameter("words", Parameter.KEYWORD_ONLY, default=None, annotation=words)
        )
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # inspect.signature reads it (PEP 362)
    run.__doc__ = command.help
    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.command(
        cls=TableCommand,
        context_settings={"allow_interspersed_args": not command.words_end},
        epilog=_epilog(command),
    )(run)
    return made


def _epilog(command: options.Command) -> str:
    example = f"Example: {_TOLD[command.name][1]}"
    first = command.options[0]
    variables = (f"{prefix}{first.key.upper()}" for prefix in command.variables[:1])
    return "\n\n".join(
        [example, *(_ENVIRONMENT.format(name=first.name, variable=each) for each in variables)]
    )


def _parameter(option: options.Option, command: options.Command) -> Parameter:
    """An option as typer reads it from a function."""
    names = "/".join(
        [*option.names[-1:], *([f"--no-{option.name[2:]}"] if option.off is not None else [])]
    )
    more: dict[str, Any] = {"metavar": option.word} if option.word else {}
    if option.word:
        more["autocompletion"] = lambda: [*(option.choices or values(command.name, option.name))]
    if option.least is not None:
        more["min"] = option.least
    kind: Any = (
        bool
        if not option.word
        else list[str]
        if option.many
        else float
        if option.least is not None
        else str
    )
    made = typer.Option(*option.names[:-1], names, help=option.help, **more)
    default = option.default or None if option.word else option.default
    name = f"{option.key}_" if iskeyword(option.key) else option.key
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind | None, made]
    )


def _version(wanted: bool) -> None:
    if wanted:
        write_result(f"tfdoctor {__version__}\n".encode())
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    name="tfdoctor",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def tfdoctor(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", "-V", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Says why TensorFlow won't use the GPU or why a run died, and gives the command that fixes it.

    Options of check, run and healthcheck can also be set by environment variables, TFDOCTOR_ and the option's name.
    """
    if context.invoked_subcommand is None:
        write_result(FIRST_STEPS.encode())


def run(arguments: list[str]) -> int:
    """The exit status of a command line. Raises UsageError for a wrong one."""
    if VARIABLE in os.environ and not arguments:  # the shell asks with the variable alone
        app(prog_name="tfdoctor")
    _refuse_unknown_command(arguments)
    if arguments[:1] not in ([], ["jupyter"]) and not {"-h", "--help", "--version"} & set(
        arguments
    ):
        refuse_broken_settings()  # a notebook's kernel starts all the same
    command: Any = typer.main.get_command(app)
    try:
        with command.make_context("tfdoctor", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort as abort:
        raise KeyboardInterrupt from abort
    except _USAGE_ERRORS as error:
        raise UsageError(_told(error)) from error
    return 0


def _refuse_unknown_command(arguments: list[str]) -> None:
    name = arguments[0] if arguments else "-"
    if name.startswith("-") or name in COMMANDS:
        return
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "tfdoctor --help lists the commands"
    raise UsageError(f"there is no command {name!r}; {hint}")


def _told(error: Any) -> str:
    """typer's words as one line, with the command whose help goes on from there."""
    words = (
        " ".join(error.format_message().split())
        .rstrip(".")
        .replace(". Did you mean", "; did you mean")
    )
    words = f"{words[:1].lower()}{words[1:].replace(': Value error,', ':')}"
    command = error.ctx.command_path if error.ctx else "tfdoctor"
    return words if words.endswith("?") else f"{words}; see {command} --help"
