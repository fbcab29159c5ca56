"""What tfdoctor says of a variable's value, against how real TensorFlow read it on the simulated driver (tests/real/variables.json)."""

from __future__ import annotations

import json

from tests.every import every
from tests.real.variables import BACKEND, KEPT, LEGACY, LOG_LEVEL, VERSIONS
from tests.unit.judge.machines import bundled
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Environment, Facts, Packages, TensorFlow
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Distribution
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.packages import keras_backend_unusable, keras_legacy
from tfdoctor.judge.process import READERS, environment_variable_ignored

DOCUMENT = json.loads(KEPT.read_text())
ROWS = [
    (name, value, version, outcome)
    for name, values in DOCUMENT["read"].items()
    for value, outcomes in values.items()
    for version, outcome in outcomes.items()
]


def facts(name: str, value: str, version: str) -> Facts:
    variables, settings = Known({name: value}, "environ"), Absent("there is none")
    return Facts(
        environment=Environment(variables=variables, keras_settings=settings),
        tensorflow=TensorFlow(version=Known(version, "METADATA")),
    )


def says_ignored(name: str, value: str, version: str) -> bool:
    return environment_variable_ignored(Case(facts(name, value, version), bundled())) is not None


@every([row for row in ROWS if row[3] in ("taken", "ignored") and row[1]])
def test_a_value_is_called_ignored_where_tensorflow_ignores_it(
    row: tuple[str, str, str, str],
) -> None:
    *variable, outcome = row
    assert says_ignored(*variable) == (outcome == "ignored")


@every([row for row in ROWS if row[0] == LOG_LEVEL])
def test_the_log_level(row: tuple[str, str, str, str]) -> None:
    """0 and nothing are read, too, and show everything."""
    name, value, version, outcome = row
    shows_all = says_ignored(name, value, version) or value.strip() in ("", "0")
    assert shows_all == (outcome == "shows")


@every([row for row in ROWS if row[0] == LEGACY])
def test_who_is_asked_for_keras_2(row: tuple[str, str, str, str]) -> None:
    """In an environment without tf-keras."""
    name, value, version, outcome = row
    given = replace(facts(name, value, version), packages=Packages(installed=Known((), "METADATA")))
    assert (keras_legacy(Case(given, bundled())) is not None) == (outcome == "Keras 2")
    assert outcome != "Keras 2" or not says_ignored(name, value, version)


@every([row for row in ROWS if row[0] == BACKEND and row[2] >= "2.16"])
def test_a_backend_that_keras_refuses(row: tuple[str, str, str, str]) -> None:
    """In an environment with TensorFlow alone; Keras 2 has one backend."""
    name, value, version, outcome = row
    keras = Distribution("keras", "3.12.0", "/site", "pip", in_user_site=False)
    given = replace(
        facts(name, value, version), packages=Packages(installed=Known((keras,), "METADATA"))
    )
    assert (keras_backend_unusable(Case(given, bundled())) is not None) == (outcome == "refused")


def test_every_variable_that_is_judged_was_tried_on_each_version() -> None:
    assert set(READERS) | {BACKEND} == set(DOCUMENT["read"])
    assert all(
        set(each) == set(VERSIONS)
        for values in DOCUMENT["read"].values()
        for each in values.values()
    )
