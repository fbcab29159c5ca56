"""Whether the backend that Keras is told to use exists and is installed."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.packages.keras_versions import keras_seen, legacy_keras_wanted
from tfdoctor.checks.questions.last_words import last_words
from tfdoctor.checks.questions.packages import fits, installed
from tfdoctor.checks.questions.stage_output import FOLLOWS, first_words
from tfdoctor.checks.questions.variables import variables
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix
from tfdoctor.fixes.commands import pip_install, quoted
from tfdoctor.light.records import record

_PACKAGES = {"tensorflow": "", "jax": "jax", "torch": "torch", "numpy": "scipy", "openvino": "openvino"}
"""Backend to the distribution that it needs beside Keras' own (Keras 3.15.1, tried 2026-11-22; openvino from 3.8 on)."""

_MEANT = {"pytorch": "torch", "tf": "tensorflow", "tensor_flow": "tensorflow", "np": "numpy"}
_VARIABLE, _FILE = "KERAS_BACKEND", "keras.json"


@record
class Choice:
    """The backend that Keras 3 takes, and where that is said: the variable goes before the file."""

    backend: str
    path: str = ""

    @property
    def evidence(self) -> Evidence:
        if self.path:
            return Evidence(
                "environment.keras_settings", f'"backend": "{self.backend}" in {self.path}', "tensorflow"
            )
        return Evidence("environment.variables", f"{_VARIABLE}={self.backend}", "tensorflow")  # fmt: skip


@check(
    "keras-backend-unusable",
    prevents=Ability.NOTHING,
    explains=(*FOLLOWS, "keras-mismatch", "dependency-mismatch"),
)
def keras_backend_unusable(case: Case) -> Found | None:
    """The backend that Keras 3 would take (the variable, else keras.json) against those that there are, and against the
    installed packages. Never where a layer was seen to compute.
    """
    choice = _chosen(case)
    if choice is None or choice.backend == "tensorflow" or keras_seen(case) or legacy_keras_wanted(case):
        return None
    keras = case.need(installed(case, "keras"))
    if not fits(keras.version, ">=3"):
        return None  # of one backend alone: Keras 2.4 to 2.15 ignore the choice
    known = choice.backend in _PACKAGES
    package = _PACKAGES.get(choice.backend, "")
    if known and (not package or isinstance(case.need_outcome(installed(case, package)), Known)):
        return None
    why = f"{package} is not installed here" if known else "Keras has no backend of that name"
    return Found(
        f"{'The package ' * known}{why}, so Keras, and with it tf.keras, stops at its import. "
        f"{'' if known else 'Names are taken as they are written, in small letters: ' + ', '.join(_PACKAGES) + '.'}".strip(),
        (choice.evidence, *_said(case)),
        _fixes(case, choice, package),
        title=f"Keras is told to use the backend {choice.backend}, but {why}.",
    )


def _chosen(case: Case) -> Choice | None:
    """As Keras 3 decides: the variable where it is not empty, else keras.json; None where neither speaks."""
    told = variables(case.facts).get(_VARIABLE, "")
    if told:
        return Choice(told)
    settings = case.need_outcome(case.facts.environment.keras_settings)
    if isinstance(settings, Absent) or "backend" not in settings.value:
        case.need_outcome(case.facts.environment.variables)
        return None
    return Choice(settings.value["backend"], settings.source)


def _said(case: Case) -> tuple[Evidence, ...]:
    first = first_words(case.facts)
    return tuple(dict.fromkeys((*((first,) if first else ()), *last_words(case.facts))))[:2]


def _fixes(case: Case, choice: Choice, package: str) -> tuple[Fix, ...]:
    meant = _MEANT.get(choice.backend.lower(), choice.backend.strip().lower())
    found = [_in_file(choice) if choice.path else _by_variable()]
    if not package and meant in _PACKAGES and meant != "tensorflow":
        name = _PACKAGES[meant]
        lacks = bool(name) and not isinstance(installed(case, name), Known)
        note = "Keras then computes with it, also where a program says tf.keras." + (
            f" {name} has to be installed, too." if lacks else ""
        )
        found.append(Fix(f"Where {meant} is meant, write it so", (f"export {_VARIABLE}={meant}",), note))
    if package:
        note = f"Where Keras is to compute with {choice.backend}; TensorFlow then only keeps it company."
        found.append(Fix(f"Install {package}", (pip_install(case.facts, package),), note))
    return tuple(found)  # fmt: skip


def _by_variable() -> Fix:
    return fix("remove-keras-backend-keras-computes-with")


def _in_file(choice: Choice) -> Fix:
    edit = r"""s/("backend"[[:space:]]*:[[:space:]]*")[^"]*"/\1tensorflow"/"""
    return Fix(
        "Let Keras compute with TensorFlow",
        (quoted("sed", "-i.bak", "-E", edit, choice.path),),
        f"It changes the one word in {choice.path} and keeps the old file beside it. `export {_VARIABLE}=tensorflow` does the same for "
        "one shell alone.",
    )
