"""Whether there is a TensorFlow, whole and alone."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.build import platform_of
from tfdoctor.checks.questions.misfits import misfits
from tfdoctor.checks.questions.packages import (
    requirements_of,
    wanted_gpu,
)
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, words
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.values import Distribution, RecordCheck
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.commands import quoted
from tfdoctor.fixes.packages import install_fitting, keep_one, reinstall
from tfdoctor.light.records import replace

_SIGBUS, _MISSING_SHOWN = 7, 5
RECORD = "RECORD of the installed distribution"


@check("tensorflow-missing", prevents=Ability.IMPORT)
def tensorflow_missing(case: Case) -> Found | None:
    """No distribution of TensorFlow is listed, and no module of that name is found: a build without metadata counts."""
    facts = case.facts.tensorflow
    if isinstance(case.need_outcome(facts.distributions), Known):
        return None
    if isinstance(facts.location, Known) or isinstance(facts.version, Known):
        return None  # a build without metadata
    prefix = value_or(case.facts.interpreter.prefix, "this environment")
    return Found(
        f"Python finds no package named tensorflow in {prefix}.",
        (
            Evidence(
                "tensorflow.distributions",
                "none",
                "one distribution of TensorFlow",
                "the examined interpreter's sys.path",
            ),
        ),
        install_fitting(case.facts, case.matrix),
    )


@check(
    "tensorflow-mixed-distributions", prevents=Ability.NOTHING,
    explains=(
        *FOLLOWS, "tensorflow-install-broken", "dependency-mismatch", "keras-mismatch", "protobuf-incompatible",
        "ml-dtypes-mismatch", "tensorflow-cpu-only", "and-cuda-extra-lost",
    ),
)  # fmt: skip
def mixed_distributions(case: Case) -> Found | None:
    """Two or more distributions in one folder whose RECORDs name the same files; one that only pulls in another (a
    stub) owns nothing. tensorflow and tensorflow-gpu of one version are the same files on Linux.
    """
    owners = _owners(case)
    if len(owners) < 2:
        return None
    names = tuple(each.name for each in owners)
    listed = " and ".join(f"{each.name} {each.version}" for each in owners)
    works = Ability.COMPUTE in abilities_seen(case.facts)
    foreign = case.facts.tensorflow.foreign_files
    shared = (
        f"; {len(foreign.value)} shared files named by their RECORDs" if isinstance(foreign, Known) else ""
    )
    same = _same_files(case, owners)
    risk = (
        "It works for now, but updating or removing one takes files of the other along"
        if works or same
        else "What is imported is a mixture of both"
    )
    return Found(
        f"{listed} all own the folder tensorflow. {risk}.",
        (
            Evidence(
                "tensorflow.distributions",
                f"{listed}{shared}",
                "one distribution",
                "RECORD of each distribution",
            ),
        ),
        _keep_one_of(case, owners, names),
        severity=Severity.WARNING if works or same else Severity.ERROR,
    )


def _same_files(case: Case, owners: tuple[Distribution, ...]) -> bool:
    """On Linux tensorflow and tensorflow-gpu of one version were the same build under two names (2.1 to 2.11)."""
    system = case.facts.host.os
    names, versions = {each.name for each in owners}, {each.version for each in owners}
    return (
        isinstance(system, Known)
        and system.value == "linux"
        and names == {"tensorflow", "tensorflow-gpu"}
        and len(versions) == 1
    )


def _owners(case: Case) -> tuple[Distribution, ...]:
    """Those whose files are the package. A stub ("tensorflow" on Windows) only pulls in another and owns nothing."""
    present = case.need(case.facts.tensorflow.distributions)
    if len(present) < 2:
        return ()
    foreign = case.facts.tensorflow.foreign_files
    if isinstance(foreign, Absent) and isinstance(case.facts.tensorflow.record, Known):
        return ()  # their RECORDs have no file in common
    together = [each for each in present if _folder(each) == _folder(present[0])]
    platform = platform_of(case.facts)
    return tuple(
        each
        for each in together
        if not (isinstance(platform, Known) and _is_stub(case, each, platform.value))
    )


def _folder(distribution: Distribution) -> str:
    return distribution.folder.rpartition("/")[0]


def _is_stub(case: Case, distribution: Distribution, platform: str) -> bool:
    row = case.matrix.release(distribution.version, distribution.name, platform)
    return isinstance(row, Known) and isinstance(row.value.stub_for, Known)


def _keep_one_of(case: Case, owners: tuple[Distribution, ...], names: tuple[str, ...]) -> tuple[Fix, ...]:
    """With a GPU the one with CUDA, without one the newest. A nightly build is kept only if there is no release."""
    releases = [each for each in owners if "nightly" not in each.name] or list(owners)
    with_gpu = [each for each in releases if each.name in ("tensorflow", "tensorflow-gpu")] or releases
    wants_gpu = isinstance(wanted_gpu(case), Known)
    order = {each.version: position for position, each in enumerate(sorted(releases, key=_sort_key))}
    best = max(
        with_gpu if wants_gpu else releases, key=lambda each: (order[each.version], each.name == "tensorflow")
    )
    extra = "[and-cuda]" if wants_gpu and best.name == "tensorflow" and _has_extra(case) else ""
    return (keep_one(case.facts, case.matrix, names, f"{best.name}{extra}=={best.version}"),)


def _sort_key(distribution: Distribution) -> tuple[int, ...]:
    return tuple(int(part) for part in distribution.version.split(".") if part.isdigit() and part.isascii())


def _has_extra(case: Case) -> bool:
    extra = requirements_of(case.facts, "and-cuda")
    return isinstance(extra, Known) and bool(extra.value)


@check("tensorflow-install-broken", prevents=Ability.NOTHING, explains=FOLLOWS)
def install_broken(case: Case) -> Found | None:
    """Each file that RECORD lists against the disk (size, with --deep the hash), or the stage's own words. Only a
    warning where TensorFlow computed or nothing that a program reads is touched; a note where nothing could be compared.
    """
    text = words(case.facts, "tensorflow-install-broken")
    record = case.facts.tensorflow.record
    if isinstance(record, Failed) and text is None:
        case.cant_tell(record)
    damage = _damage(record.value) if isinstance(record, Known) else []
    if text is not None and isinstance(record, Known) and not damage and _keras_asks(case, text):
        text = None
    if (
        not damage
        and isinstance(case.facts.tensorflow.distributions, Known)
        and isinstance(case.facts.tensorflow.location, Absent)
    ):
        damage = ["the folder tensorflow is gone"]
    if not damage and text is None:
        return _never_compared(case)
    stage = failed_stage(case.facts)
    bus = stage is not None and stage.end.how == "signal" and stage.end.status == _SIGBUS
    unread = text is None and _harmless(record)
    works = unread or Ability.COMPUTE in abilities_seen(case.facts)
    evidence = [Evidence("tensorflow.record", each, "every file as installed", RECORD) for each in damage]
    if bus:
        evidence.append(
            Evidence(
                "smoke.tensorflow",
                "died of SIGBUS, as a cut-off library does",
                "ends well",
                "the TensorFlow stage",
            )
        )
    return Found(
        _harm(unread, works),
        (*evidence, *((text,) if text else ())),
        _ways_to_whole(case),
        severity=Severity.WARNING if works else Severity.ERROR,
    )


def _ways_to_whole(case: Case) -> tuple[Fix, ...]:
    """What an uninstalled TensorFlow left behind is put aside first: it would stay under the new one."""
    facts = case.facts.tensorflow
    if (
        not isinstance(facts.distributions, Absent)
        or not isinstance(facts.location, Known)
        or isinstance(facts.version, Known)
    ):
        return (reinstall(case.facts),)
    aside = quoted("mv", facts.location.value, f"{facts.location.value}.old")
    note = f"Nothing lists {facts.location.value} as installed: it is what an earlier TensorFlow left. It is put aside, not removed."
    return tuple(
        replace(each, commands=(aside, *each.commands), note=f"{note} {each.note}")
        for each in install_fitting(case.facts, case.matrix)
    )


def _keras_asks(case: Case, text: Evidence) -> bool:
    """A Keras of another TensorFlow asks for a module that this one, whose files are whole, never had."""
    return "No module named 'tensorflow." in text.observed and any(
        each.name in ("keras", "tf-keras") for each in misfits(case)
    )


def _never_compared(case: Case) -> Found | None:
    """A note where nothing lists the files of a TensorFlow that is there. conda, Debian and eggs write no list."""
    facts = case.facts.tensorflow
    if isinstance(facts.distributions, Absent) and isinstance(facts.location, Known):
        lost = Evidence(
            "tensorflow.distributions",
            f"none owns {facts.location.value}",
            "the metadata folder that an installer leaves",
            "the examined interpreter's sys.path",
        )
        why = "There is no metadata beside the folder tensorflow, so pip does not know of it and would install another over it"
    elif isinstance(facts.record, Absent) and (owner := _laid_by_pip(case)):
        lost = Evidence(
            "tensorflow.record",
            facts.record.reason,
            f"RECORD in {owner.folder}",
            "files that pip and uv write (PEP 376)",
        )
        why = f"The metadata of {owner.name} {owner.version} has no RECORD, so pip can neither remove nor update it"
    else:
        return None
    note = "Only where it came as a wheel: a build of your own would be replaced by the published one."
    return Found(
        f"{why}, and nothing says which files should be there: whether they are complete could not be compared.",
        (lost,),
        (replace(reinstall(case.facts), note=note),),
        severity=Severity.INFO,
    )


def _laid_by_pip(case: Case) -> Distribution | None:
    name, present = case.facts.tensorflow.distribution, case.facts.tensorflow.distributions
    if not isinstance(name, Known) or not isinstance(present, Known):
        return None
    return next(
        (each for each in present.value if each.name == name.value and each.installer in ("pip", "uv")), None
    )


def _harm(unread: bool, works: bool) -> str:
    if unread:
        return "No running program reads these files; what is built against them fails."
    if works:
        return "What was run works all the same; a program that meets the damaged part fails or crashes."
    return "Programs fail or crash where they meet the damaged files."


def _damage(record: RecordCheck) -> list[str]:
    """One line for each kind. Compiled bytecode is made again by Python and does not count."""
    kinds = (
        ("missing", record.missing, record.missing_count),
        ("of another size", record.wrong_size, record.wrong_size_count),
        ("of other content", record.wrong_hash, record.wrong_hash_count),
    )
    found = []
    for kind, paths, count in kinds:
        real = [path for path in paths if not path.endswith(".pyc")]
        if real or count > len(paths):
            number = count - (len(paths) - len(real))
            shown = ", ".join(real[:_MISSING_SHOWN])
            files = "file" if number == 1 else "files"
            found.append(f"{number} {files} {kind}: {shown}" if shown else f"{number} {files} {kind}")
    return found


def _harmless(record: object) -> bool:
    """Only headers, scripts and metadata are touched, which no running program reads."""
    if not isinstance(record, Known) or not isinstance(record.value, RecordCheck):
        return False
    checked = record.value
    lists = (checked.missing, checked.wrong_size, checked.wrong_hash)
    counts = (checked.missing_count, checked.wrong_size_count, checked.wrong_hash_count)
    if any(count > len(paths) for paths, count in zip(lists, counts, strict=True)):
        return False
    return all(_unread(path) for paths in lists for path in paths)


def _unread(path: str) -> bool:
    return (
        path.startswith("tensorflow/include/")
        or ".dist-info/" in path
        or "/bin/" in path
        or path.endswith(".pyc")
    )
