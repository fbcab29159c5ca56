"""Whether a package with compiled operations of its own was built for another TensorFlow."""

from __future__ import annotations

import contextlib

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import FOLLOWS, Said, must_have_listened, said, words
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import UnmetRequirement
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import pip_install, pip_uninstall
from tfdoctor.fixes.packages import install_fitting, put_right


@check("custom-op-mismatch", prevents=Ability.NOTHING, explains=FOLLOWS)
def custom_op_mismatch(case: Case) -> Found | None:
    """The words of a failed import prove it; a package whose metadata asks for another TensorFlow is a warning."""
    if plugin := said(case.facts, "plugin-not-loaded"):
        return _plugin(case, plugin)
    if text := words(case.facts, "custom-op-mismatch"):
        rebuild = fix("rebuild-or-install-release-for-tensorflow")
        return Found(
            "A library with operations of its own was built for another TensorFlow.", (text,), (rebuild,)
        )
    others = case.need_outcome(case.facts.packages.built_on_another)
    if isinstance(others, Known) and others.value:
        return _by_metadata(case, others.value)
    must_have_listened(case)
    return None


_PLUGIN_FITS = {"tensorflow-directml-plugin": "==2.10.*"}
"""Its last releases, 0.3 and 0.4, work with no TensorFlow after 2.10 (its issues 331, 352 and 367, 2022 and 2023)."""


def _plugin(case: Case, told: Said) -> Found:
    """A file in tensorflow-plugins, which TensorFlow loads at its import: the file is there, what it was linked with is not."""
    file = told.told["library"].replace("\\", "/").rpartition("/")[2]
    every = value_or(case.facts.packages.installed, ())
    named = value_or(case.facts.tensorflow.plugins, ())
    known = [each for each in every if each.name in named or each.name in _PLUGIN_FITS]
    version = value_or(case.facts.tensorflow.version, "")
    shown = " and ".join(f"{each.name} {each.version}" for each in known) or f"The plug-in {file}"
    fitting = [_PLUGIN_FITS[each.name] for each in known if each.name in _PLUGIN_FITS]
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    return Found(
        f"{shown} was built for another TensorFlow than {version}. TensorFlow loads every plug-in at import, so one that does not fit keeps it "
        "from being imported. The file named is there; what it is linked with has changed.",
        (told.evidence, *(Evidence("packages.installed", f"{each.name} {each.version}", f"TensorFlow {_PLUGIN_FITS.get(each.name, 'of its own release')}") for each in known)),
        (
            *(put_right(case.facts, f"Install {name}{spec}, for which it was built", f"{name}{spec}") for spec in fitting),
            *(Fix(f"Remove {each.name} and compute without it", (pip_uninstall(case.facts, each.name),)) for each in known),
            *(() if known else (fix("remove-package-brings-plug-in-or"),)),
        ),
        title=f"{shown} does not fit TensorFlow {version}, which can't be imported with it.",
    )  # fmt: skip


def _by_metadata(case: Case, others: tuple[UnmetRequirement, ...]) -> Found:
    """Nobody loaded it: TensorFlow itself is unaffected."""
    named = " and ".join(f"{each.owner} {each.owner_version}" for each in others)
    return Found(
        f"{named} {'is' if len(others) == 1 else 'are'} compiled against another TensorFlow than the one installed. TensorFlow itself is "
        "unaffected; a program that imports such a package mostly stops with `undefined symbol`.",
        tuple(
            Evidence(
                "packages.built_on_another",
                f"{each.name} {value_or(each.installed, '')}",
                f"{each.name}{each.specifier}",
                f"Requires-Dist of {each.owner} {each.owner_version}",
            )
            for each in others
        ),
        tuple(fix for each in others for fix in _ways(case, each)),
        Confidence.LIKELY,
        Severity.WARNING,
        explains=frozenset(),
        title=f"{named} {'was' if len(others) == 1 else 'were'} built for another TensorFlow: {others[0].name}{others[0].specifier}.",
    )


def _ways(case: Case, other: UnmetRequirement) -> tuple[Fix, ...]:
    """A range that stands under an extra does not guide pip: it would leave the package as it is, so TensorFlow has to follow."""
    fitting: tuple[Fix, ...] = ()
    with contextlib.suppress(ValueError):  # a specifier that is none asks for no release
        fitting = install_fitting(case.facts, case.matrix, spec=other.specifier)
    removed = Fix(f"Remove {other.owner}, where nothing needs it", (pip_uninstall(case.facts, other.owner),))
    return (*fitting, removed) if other.extra else (_release_for_this(case, other), *fitting)


def _release_for_this(case: Case, other: UnmetRequirement) -> Fix:
    """pip finds the release whose requirement the installed TensorFlow meets, or says that there is none."""
    command = pip_install(
        case.facts, other.owner, f"{other.name}=={value_or(other.installed, '')}", options=("--upgrade",)
    )
    note = f"TensorFlow stays. Where pip finds none, {other.owner} has no release for this TensorFlow: keep the two in an environment with an older one, or remove {other.owner}."
    return Fix(f"Install the {other.owner} for this TensorFlow", (command,), note)
