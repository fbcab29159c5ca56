"""The command lines of the commands that start often: what is typed, what variables say, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tfdoctor.apps.cli.options import CHECK, COMMANDS, DIAGNOSE, HEALTHCHECK, RUN, Command
from tfdoctor.apps.cli.parse import HelpAsked, UsageError, parse_args

DEFAULTS = {each.name: parse_args(each, [], {}).fields() for each in COMMANDS.values()}


def said(
    command: Command, arguments: list[str], environ: dict[str, str] | None = None
) -> dict[str, Any]:
    """The fields that are not as without any word."""
    fields = parse_args(command, arguments, environ or {}).fields()
    return {name: each for name, each in fields.items() if each != DEFAULTS[command.name][name]}


@pytest.mark.parametrize(
    ("command", "arguments", "fields"),
    [
        (CHECK, [], {}),
        (CHECK, ["--json", "--smoke", "none"], {"form": "json", "smoke": "none"}),
        (CHECK, ["--smoke=none", "-oreport.html"], {"smoke": "none", "output": "report.html"}),
        (CHECK, ["--ignore", "a", "--ignore=b,c"], {"ignore": ("a", "b,c")}),
        (CHECK, ["--timeout", "7"], {"timeout_s": 7.0}),
        (CHECK, ["--state"], {"state": ""}),
        (CHECK, ["--state", "--json"], {"state": "", "form": "json"}),
        (CHECK, ["--state", "FILE"], {"state": "FILE"}),
        (CHECK, ["--facts", "-"], {"facts": "-"}),
        (CHECK, ["--smoke", "tf", "--smoke", "none"], {"smoke": "none"}),
        (CHECK, ["--require-gpu", "--no-require-gpu"], {"require_gpu": False}),
        (CHECK, ["--json", "--format", "json"], {"form": "json"}),
        (DIAGNOSE, ["a.log", "--here", "-", "--no-redact"], {"here": True, "redact": False}),
        (RUN, ["--interval=0.5", "--stall-after", "7", "a"], {"interval": 0.5, "stall_after": 7.0}),
        (RUN, ["--no-faulthandler", "--no-redact", "-v", "a"], {"no_faulthandler": True, "redact": False, "verbose": True}),
        (HEALTHCHECK, ["--gpus=2", "-o", "/x", "--sysroot", "/"], {"gpus": 2, "output": "/x"}),
        (HEALTHCHECK, ["--min-free-vram", "2G", "--max-age", "36h"], {"min_free_vram": 2 << 30, "max_age": 129600.0}),
    ],
)  # fmt: skip
def test_what_is_typed(command: Command, arguments: list[str], fields: dict[str, Any]) -> None:
    assert said(command, arguments) == fields


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (DIAGNOSE, ["a.log", "--here", "-", "--", "--odd"], ["a.log", "-", "--odd"]),
        (RUN, ["--", "python", "t.py", "--report", "x"], ["python", "t.py", "--report", "x"]),
        (RUN, ["-v", "python", "-v", "--help"], ["python", "-v", "--help"]),
        (RUN, ["--", "-weird"], ["-weird"]),
        (RUN, ["--"], []),
    ],
)
def test_other_words(command: Command, arguments: list[str], words: list[str]) -> None:
    assert parse_args(command, arguments, {}).words == words


@pytest.mark.parametrize(
    ("command", "arguments", "environ", "told"),
    [
        (CHECK, ["--bogus"], {}, "no option '--bogus'; see tfdoctor check --help"),
        (CHECK, ["--smok", "tf"], {}, "no option '--smok'; did you mean --smoke?"),
        (CHECK, ["--deep=yes"], {}, "--deep takes no value"),
        (CHECK, ["--python"], {}, "--python needs a value (PATH)"),
        (CHECK, ["--python", "--json"], {}, "--python needs a value (PATH)"),
        (CHECK, ["--python", ""], {}, "--python: the value is empty; is a variable unset? Name one or leave --python out"),
        (CHECK, ["--smoke", "all"], {}, "--smoke: use one of auto, none, driver, tf, not 'all'"),
        (CHECK, ["--timeout", "0"], {}, "--timeout: must be at least 1, not 0"),
        (CHECK, ["--timeout", "nan"], {}, "--timeout: must be at least 1, not nan"),
        (CHECK, ["--timeout", "soon"], {}, "--timeout: 'soon' isn't a number"),
        (CHECK, ["--json", "--format", "html"], {}, "--json and --format html contradict each other; give one of them"),
        (CHECK, ["-q", "-v"], {}, "--quiet and --verbose contradict each other; give one of them"),
        (CHECK, ["--format", "html", "--json"], {}, "--json and --format html contradict each other; give one of them"),
        (CHECK, ["extra"], {}, "unexpected argument 'extra'; see tfdoctor check --help"),
        (CHECK, [], {"TFDOCTOR_SMOKE": "all"}, "TFDOCTOR_SMOKE: use one of auto, none, driver, tf, not 'all'"),
        (CHECK, [], {"TFDOCTOR_NO_REDACT": "maybe"}, "TFDOCTOR_NO_REDACT: 'maybe' is neither true nor false"),
        (RUN, ["--interval", "0", "a"], {}, "--interval: must be at least 0.01, not 0"),
        (DIAGNOSE, ["--here", "--python", ""], {}, "--python: the value is empty; is a variable unset? Name one or leave --python out"),
        (HEALTHCHECK, ["--state="], {}, "--state: the value is empty; is a variable unset? Name one or leave --state out"),
        (RUN, ["--report", "", "a"], {}, "--report: the value is empty; is a variable unset? Name one or leave --report out"),
        (RUN, ["--warn-signal", "KILL", "a"], {}, "--warn-signal: 'KILL' isn't a signal that a program can handle, such as USR1"),
        (HEALTHCHECK, ["--gpus", "many"], {}, "--gpus: 'many' isn't a whole number"),
        (HEALTHCHECK, ["--timeout", "0"], {}, "--timeout: it must be more than 0"),
        (HEALTHCHECK, [], {"TFDOCTOR_MAX_AGE": "soon"}, "TFDOCTOR_MAX_AGE: 'soon' isn't a time such as 90, 10m, 36h or 7d"),
    ],
)  # fmt: skip
def test_what_is_refused(
    command: Command, arguments: list[str], environ: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_args(command, arguments, environ)
    assert str(caught.value) == told


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help(command: Command, word: str) -> None:
    with pytest.raises(HelpAsked):
        parse_args(command, [word] if command is not RUN else ["-v", word, "--", "a"], {})


VALUES = {"PATH": "/x", "NAME": "x", "FILE": "/x", "[FILE]": "/x", "DIR": "/x", "CODE": "x", "S": "7", "TIME": "60", "SIZE": "1G", "N": "2",
          "REPORT.json": "/x", "FILE.json": "/x", "FILE.html": "/x", "FORM": "npd", "SIGNAL": "USR1"}  # fmt: skip
OPTIONS = [
    (command, option)
    for command in (CHECK, RUN, HEALTHCHECK)
    for option in command.options
    if option.key not in ("schema", "color")
]
"""Those that say something to a command; what the two others do is in test_schemas.py."""


def test_what_ends_the_options_is_no_value() -> None:
    with pytest.raises(UsageError, match="--report needs a value"):
        said(RUN, ["--report", "--", "python", "train.py"])


def test_a_gpu_that_checks_require_ends_no_command() -> None:
    assert said(RUN, [], {"TFDOCTOR_REQUIRE_GPU": "1"}) == {}
    assert said(RUN, [], {"TFDOCTOR_RUN_REQUIRE_GPU": "1"}) == {"require_gpu": True}


@pytest.mark.parametrize(("command", "option"), OPTIONS, ids=lambda each: each.name)
def test_each_option_has_a_variable_that_says_the_same(command: Command, option: Any) -> None:
    value = option.choices[-1] if option.choices else VALUES.get(option.word, "")
    begin = option.variables[0] if option.variables else "TFDOCTOR_"
    variable = begin + option.name[2:].upper().replace("-", "_")
    typed = said(command, [option.name, value] if option.word else [option.name])
    if option.default is not True:  # --redact says what holds anyhow
        assert typed
    assert said(command, [], {variable: value or "1"}) == typed
    assert said(command, [], {variable: ""}) == {}
    if option.off is not None:
        unsaid = said(command, [f"--no-{option.name[2:]}"])
        assert unsaid
        assert said(command, [], {variable: "0"}) == unsaid
        assert said(command, [], {variable.replace("TFDOCTOR_", "TFDOCTOR_NO_"): "1"}) == unsaid
        assert said(command, [], {variable.replace("TFDOCTOR_", "TFDOCTOR_NO_"): "0"}) == {}


def test_the_command_line_goes_before_variables_and_these_before_the_settings() -> None:
    parsed = parse_args(
        CHECK,
        ["--smoke", "tf", "--format", "html"],
        {"TFDOCTOR_SMOKE": "none", "TFDOCTOR_JSON": "1"},
    )
    assert (parsed.fields()["smoke"], parsed.fields()["form"]) == ("tf", "html")
    settings = {"smoke": "driver", "fail_on": "warning"}
    fields = parse_args(CHECK, [], {"TFDOCTOR_SMOKE": "none"}).fields(settings)
    assert (fields["smoke"], fields["fail_on"]) == ("none", "warning")
    assert parse_args(CHECK, [], {"TFDOCTOR_IGNORE": "a b,c"}).fields()["ignore"] == ("a", "b,c")


def test_variables_that_are_meant_for_check_do_the_health_check_no_harm() -> None:
    assert said(HEALTHCHECK, [], {"TFDOCTOR_FORMAT": "markdown", "TFDOCTOR_SMOKE": "auto"}) == {}
    own = {
        "TFDOCTOR_TIMEOUT": "60",
        "TFDOCTOR_HEALTHCHECK_TIMEOUT": "0.5",
        "TFDOCTOR_HEALTHCHECK_NODE": "1",
    }
    assert said(HEALTHCHECK, [], own) == {"timeout": 0.5, "node": True}
    both = {"TFDOCTOR_REQUIRE_GPU": "1", "TFDOCTOR_HEALTHCHECK_NO_REQUIRE_GPU": "1"}
    assert said(HEALTHCHECK, [], both) == {"require_gpu": False}


def test_diagnose_reads_no_variables() -> None:
    assert said(DIAGNOSE, ["a.log"], {"TFDOCTOR_FORMAT": "html", "TFDOCTOR_HERE": "1"}) == {}
