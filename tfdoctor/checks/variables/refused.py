"""Whether an environment variable has a value that ends the program that reads it."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.last_words import sentences
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened
from tfdoctor.checks.questions.variables import Named, named_in, variables, without
from tfdoctor.facts.outcome import Failed
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes.commands import check_again

_OWN_CODE = frozenset(
    """
    CUDA_VISIBLE_DEVICES CUDA_HOME CUDA_PATH CUDA_LAUNCH_BLOCKING KERAS_BACKEND KERAS_HOME LD_LIBRARY_PATH LD_PRELOAD
    NVIDIA_VISIBLE_DEVICES PYTHONPATH TF_USE_LEGACY_KERAS TMPDIR VIRTUAL_ENV
    CONDA_PREFIX
    """.split()  # noqa: SIM905  # 15 names with quotation marks read worse
)
"""Other checks judge these, or they hold folders, which a sentence may name for many reasons."""

_REFUSING = (
    "unknown", "invalid", "illegal", "unsupported", "not supported", "n't", "not ", "cannot", "must", "fail", "unable",
    "malformed", "pars", "expected", "out of range", "no such",
)  # fmt: skip
"""One of these stands in a sentence that refuses something; a sentence without them only mentions the variable."""


@check("environment-variable-refused", prevents=Ability.NOTHING, explains=(*FOLLOWS, "smoke-driver-failed"))
def environment_variable_refused(case: Case) -> Found | None:
    """By the words of an interpreter that does not start, else by a sentence of the failed stage that names the variable and
    refuses its value.
    """
    said = _by_python(case)
    if said is None:
        must_have_listened(case)
        said = _by_tensorflow(case) or _by_docstrings(case)
    if said is None:
        return None
    named, evidence = said
    if named.name == _OPTIMIZE:
        return _without_docstrings(case, named, evidence)
    what = f"{named.part} in {named.name}" if named.part else named.shown
    return Found(
        f"What reads {named.name} does not take this value and ends the program. TensorFlow itself is in order.",
        (
            Evidence("environment.variables", named.shown, f"no {named.part or named.name}, or a value that is taken"),
            evidence,
        ),
        (_checked(case, without(named)),),
        title=f"{what} is refused.",
    )  # fmt: skip


_OPTIMIZE = "PYTHONOPTIMIZE"
_NO_DOCSTRING = ("NoneType", "__doc__", "docstring")
"""What an exception says where code works on its own documentation and finds none."""


def _without_docstrings(case: Case, named: Named, evidence: Evidence) -> Found:
    once = fix("keep-optimisation-leaves-docstrings-in")  # fmt: skip
    return Found(
        f"From 2 on {_OPTIMIZE} (like `python -OO`) makes Python throw away docstrings, and code that is imported here works on its own. "
        "TensorFlow and Keras began to allow for that in 2025 and 2026.",
        (Evidence("environment.variables", named.shown, "not set, or 1", "TensorFlow issue 96900, Keras pull request 22189"), evidence),
        (_checked(case, without(named)), once),
        Confidence.LIKELY,
        title=f"{named.shown} removes the docstrings that the import needs.",
    )  # fmt: skip


def _by_docstrings(case: Case) -> tuple[Named, Evidence] | None:
    """PYTHONOPTIMIZE as Python reads it (Python/initconfig.c of 3.13): a number counts, any other text is 1."""
    text = variables(case.facts).get(_OPTIMIZE, "").strip()
    if not text.isdigit() or int(text) < 2:
        return None
    for sentence in sentences(case.facts):
        if any(each in sentence for each in _NO_DOCSTRING):
            source = "the TensorFlow stage"
            return Named(_OPTIMIZE, text), Evidence(
                "smoke.tensorflow", sentence[:300], "TensorFlow is imported and computes", source
            )
    return None


def _by_tensorflow(case: Case) -> tuple[Named, Evidence] | None:
    for sentence in sentences(case.facts):
        if any(each in sentence.lower() for each in _REFUSING):
            named = named_in(sentence, case.facts)
            if named is not None and named.name not in _OWN_CODE:
                source = "the TensorFlow stage"
                return named, Evidence(
                    "smoke.tensorflow", sentence[:300], "TensorFlow is imported and computes", source
                )
    return None


def _by_python(case: Case) -> tuple[Named, Evidence] | None:
    """An interpreter that does not start says which of its variables it can't read."""
    answer = case.facts.interpreter.implementation
    if not isinstance(answer, Failed):
        return None
    named = named_in(answer.error, case.facts)
    if named is None or not named.name.startswith("PYTHON") or named.name in _OWN_CODE:
        return None
    return named, Evidence("interpreter.implementation", answer.error[:300], "it starts")


def _checked(case: Case, fix: Fix) -> Fix:
    return Fix(fix.title, fix.commands, f"{fix.note} `{check_again(case.facts)}` afterwards shows that it helped.")  # fmt: skip
