"""Whether another package than TensorFlow raised the exception that ended the import or a computation."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.last_words import exceptions
from tfdoctor.checks.questions.packages import installed
from tfdoctor.checks.questions.stage_output import failed_stage, import_chain, must_have_listened
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Distribution
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes.commands import is_version, pip_install, pip_reinstall
from tfdoctor.fixes.packages import by_conda, put_right

_TENSORFLOWS = "tensorflow"
_NATIVE = ("numpy",)
"""Its own errors are those of what meets it; numpy-abi-mismatch tells them apart."""


@check(
    "package-import-failed",
    prevents=Ability.NOTHING,
    explains=("smoke-tensorflow-failed", "python-exception"),
)
def package_import_failed(case: Case) -> Found | None:
    """By the traceback of the failed stage: the last package in the chain of imports is neither TensorFlow's nor compiled, and
    it is installed.
    """
    must_have_listened(case)
    stage, chain = failed_stage(case.facts), import_chain(case.facts)
    if stage is None or not chain or chain[-1].startswith((_TENSORFLOWS, *_NATIVE)):
        return None
    said, present = exceptions(stage), installed(case, chain[-1])
    if not said or not isinstance(present, Known):
        return None
    name, version = present.value.name, present.value.version
    askers = [each for each in dict.fromkeys(chain[:-1]) if each != name]
    chain_in_words = f", which {' and then '.join(reversed(askers))} imports" if askers else ""
    return Found(
        f"The error arises inside {name} {version}{chain_in_words}, not in TensorFlow itself. Mostly this {name} does not fit what is beside it, "
        "or files of it are damaged.",
        (
            Evidence("smoke.tensorflow", said[0][:300], "TensorFlow is imported and computes", "the TensorFlow stage"),
            Evidence("packages.installed", f"{name} {version}", "a release that can be imported here", present.value.folder),
        ),
        _fixes(case.facts, present.value),
        Confidence.LIKELY,
        title=f"{name} {version}, which is imported with TensorFlow, fails: {said[0][:160]}",
    )  # fmt: skip


def _fixes(facts: Facts, present: Distribution) -> tuple[Fix, ...]:
    name, version = present.name, present.version
    if by_conda(facts, name):
        return (put_right(facts, f"Update {name}", name),)
    found = [
        Fix(f"Update {name}", (pip_install(facts, name, options=("--upgrade",)),), "To a release that fits what is beside it."),
    ]  # fmt: skip
    if is_version(version):
        found.append(
            Fix(
                f"Reinstall {name} {version}",
                (pip_reinstall(facts, f"{name}=={version}"),),
                "For damaged files; it changes no other package.",
            )
        )
    return tuple(found)
