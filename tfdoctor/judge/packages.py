"""TensorFlow's own files and the packages beside it."""

from __future__ import annotations

import contextlib

from tfdoctor.base.records import record, replace
from tfdoctor.base.signals import SIGBUS
from tfdoctor.base.units import counted, enumerated
from tfdoctor.base.version_ranges import tightest
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, known, value_or
from tfdoctor.facts.values import (
    Distribution,
    LibraryFolder,
    PathLeak,
    RecordCheck,
    Shadow,
    UnmetRequirement,
)
from tfdoctor.fix.commands import (
    conda_install,
    interpreter,
    is_version,
    pip_install,
    pip_uninstall,
    system_install,
)
from tfdoctor.fix.driver import sudo
from tfdoctor.fix.packages import (
    by_conda,
    fitting,
    in_new_environment,
    install_fitting,
    install_fix,
    keep_one,
    moved_aside,
    reinstall,
    reinstall_package,
    update,
)
from tfdoctor.fix.ranges import (
    installed_version,
    pair_here,
    pairs_here,
    releases_beside,
    releases_without,
    specifier_for,
)
from tfdoctor.fix.variables import leave_out
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, check
from tfdoctor.judge.engine.evidence import evidence
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.build import platform_of
from tfdoctor.judge.questions.import_failures import by_words
from tfdoctor.judge.questions.last_words import exceptions, last_words
from tfdoctor.judge.questions.packages import (
    fits,
    gpu_evidence,
    has_gpu_build,
    installed,
    requirement,
    requirements_of,
    tensorflow_version,
    wanted_gpu,
)
from tfdoctor.judge.questions.requirement_conflicts import (
    LOADED_LATER,
    METADATA,
    NEEDED_TO_IMPORT,
    Misfit,
    below,
    lower_part,
    misfit_of,
    missing,
    others,
    requirement_conflicts,
    seen_to_work,
)
from tfdoctor.judge.questions.stage_output import (
    FOLLOWS,
    Said,
    died_of,
    each_said,
    failed_stage,
    first_words,
    import_chain,
    must_have_listened,
    raised_in,
    said,
    words,
)
from tfdoctor.judge.questions.variables import variables
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.lines import Environment, Harmless, Words, quoted, setting
from tfdoctor.knowledge.matrix.model import Pair
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says
from tfdoctor.knowledge.values import checked

_MISSING_SHOWN, _MOST_OTHERS = 5, 4
RECORD = "RECORD of the installed distribution"


@check("tensorflow-missing", blocks=Ability.IMPORT)
def tensorflow_missing(case: Case) -> Found | None:
    """No distribution of TensorFlow is listed, and no module of that name is found: a build without metadata counts."""
    facts = case.facts.tensorflow
    if isinstance(case.need_outcome(facts.distributions), Known):
        return None
    if isinstance(facts.location, Known) or isinstance(facts.version, Known):
        return None  # a build without metadata
    installed = value_or(case.facts.packages.installed, ())
    empty = next((each for each in installed if each.name in case.matrix.empty_packages()), None)
    if empty is not None:
        return _only_a_name(case, empty)
    aside = moved_aside(case.facts)
    return Found(
        f"pip has moved {aside.name} {aside.version} aside and was stopped ({_split(aside.folder)[1]})."
        if aside
        else "",
        (
            Evidence(
                "tensorflow.distributions",
                "none",
                "one distribution of TensorFlow",
                "the examined interpreter's sys.path",
            ),
        ),
        (
            *_check_another(case),
            *(_once_more(case, aside) if aside else ()),
            *install_fitting(case.facts, case.matrix),
        ),
        title=says("tensorflow-missing", "aside-title", aside=aside.name) if aside else "",
    )


def _only_a_name(case: Case, empty: Distribution) -> Found:
    """A package that is called as if it held TensorFlow."""
    source = case.matrix.sources[case.matrix.document["empty"]["source"]]
    return Found(
        says("tensorflow-missing", "empty"),
        (
            Evidence(
                "packages.installed",
                f"{empty.name} {empty.version}",
                "the package tensorflow",
                str(source),
            ),
        ),
        (act("change-packages", "install-tensorflow-instead", package=empty.name),),
        title=says("tensorflow-missing", "empty-title", name=empty.name),
    )


def _once_more(case: Case, aside: Distribution) -> tuple[Fix, ...]:
    """The version that was there; () where its metadata names none that can be asked for."""
    if not is_version(aside.version):
        return ()
    spec = f"{aside.name}=={aside.version}"
    note = f"Then delete what begins with ~ in {_split(aside.folder)[0]}."
    return (install_fix(case.facts, case.matrix, f"Install {spec}", spec, note=note),)


def _check_another(case: Case) -> tuple[Fix, ...]:
    """The kernels and environments here that have TensorFlow, each with the command that checks it."""
    kernels = value_or(case.facts.jupyter.with_tensorflow, ())
    others = value_or(case.facts.interpreter.others_with_tensorflow, ())
    commands = (
        *(quoted("tfdoctor", "check", "--kernel", name) for name in kernels),
        *(quoted("tfdoctor", "check", "--python", prefix) for prefix in others),
    )
    if not commands:
        return ()
    found = ((others, "environment"), (kernels, "notebook kernel"))
    here = (counted(len(each), what) for each, what in found if each)
    note = f"This machine has {' and '.join(here)} with TensorFlow."
    return (Fix("Check an environment that has TensorFlow", commands[:_MOST_OTHERS], note),)


@check("tensorflow-mixed-distributions", blocks=Ability.NOTHING)
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
        f"; {len(foreign.value)} shared files named by their RECORDs"
        if isinstance(foreign, Known)
        else ""
    )
    same = _same_files(case, owners)
    risk = (
        "It works for now, but updating or removing one takes files of the other along"
        if works or same
        else "What is imported is a mixture of both"
    )
    return Found(
        says("tensorflow-mixed-distributions", "found", listed=listed, risk=risk),
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
    names, versions = {each.name for each in owners}, {each.version for each in owners}
    one_build = names == {"tensorflow", "tensorflow-gpu"} and len(versions) == 1
    return one_build and known(case.facts.host.os) == "linux"


def _owners(case: Case) -> tuple[Distribution, ...]:
    """Those whose files are the package. A stub ("tensorflow" on Windows) only pulls in another and owns nothing."""
    present = case.need(case.facts.tensorflow.distributions)
    if len(present) < 2:
        return ()
    foreign = case.facts.tensorflow.foreign_files
    if isinstance(foreign, Absent) and isinstance(case.facts.tensorflow.record, Known):
        return ()  # their RECORDs have no file in common
    together = [each for each in present if _folder(each) == _folder(present[0])]
    platform = value_or(platform_of(case.facts), "")
    return tuple(each for each in together if not (platform and _is_stub(case, each, platform)))


def _folder(distribution: Distribution) -> str:
    return distribution.folder.rpartition("/")[0]


def _is_stub(case: Case, distribution: Distribution, platform: str) -> bool:
    row = known(case.matrix.release(distribution.version, distribution.name, platform))
    return row is not None and isinstance(row.stub_for, Known)


def _keep_one_of(
    case: Case, owners: tuple[Distribution, ...], names: tuple[str, ...]
) -> tuple[Fix, ...]:
    """With a GPU the one with CUDA, without one the newest. A nightly build is kept only if there is no release."""
    releases = [each for each in owners if "nightly" not in each.name] or list(owners)
    with_gpu = [
        each for each in releases if each.name in ("tensorflow", "tensorflow-gpu")
    ] or releases
    wants_gpu = isinstance(wanted_gpu(case), Known)
    order = {
        each.version: position for position, each in enumerate(sorted(releases, key=_sort_key))
    }
    best = max(
        with_gpu if wants_gpu else releases,
        key=lambda each: (order[each.version], each.name == "tensorflow"),
    )
    has_extra = value_or(requirements_of(case.facts, "and-cuda"), ())
    extra = "[and-cuda]" if wants_gpu and best.name == "tensorflow" and has_extra else ""
    return (keep_one(case.facts, case.matrix, names, f"{best.name}{extra}=={best.version}"),)


def _sort_key(distribution: Distribution) -> tuple[int, ...]:
    return tuple(
        int(part) for part in distribution.version.split(".") if part.isdigit() and part.isascii()
    )


@check("tensorflow-install-broken", blocks=Ability.NOTHING)
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
    bus = died_of(case.facts, SIGBUS)
    unread = text is None and _harmless(record)
    works = unread or Ability.COMPUTE in abilities_seen(case.facts)
    evidence = [
        Evidence("tensorflow.record", each, "every file as installed", RECORD) for each in damage
    ]
    if bus:
        evidence.append(
            Evidence("smoke.tensorflow", "died of SIGBUS", "ends well", "the TensorFlow stage")
        )
    return Found(
        _harm(unread, works),
        (*evidence, text),
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
    aside = _renaming(facts.location.value, f"{facts.location.value}.old")
    note = "The directory is left over from an earlier TensorFlow; it is renamed, not deleted."
    return tuple(
        replace(
            each,
            title="Rename the leftover directory and reinstall TensorFlow",
            commands=(aside, *each.commands),
            note=f"{note} {each.note}".rstrip(),
        )
        for each in install_fitting(case.facts, case.matrix)
    )


def _keras_asks(case: Case, text: Evidence) -> bool:
    """A Keras of another TensorFlow asks for a module that this one, whose files are whole, never had."""
    return "No module named 'tensorflow." in text.observed and any(
        each.name in ("keras", "tf-keras") for each in requirement_conflicts(case)
    )


def _never_compared(case: Case) -> Found | None:
    """What nothing lists as installed: an error where pip was stopped in the middle, unless TensorFlow computed; else a note.
    conda, Debian and eggs write no list.
    """
    facts = case.facts.tensorflow
    if isinstance(facts.distributions, Absent) and isinstance(facts.location, Known):
        lost = Evidence(
            "tensorflow.distributions",
            f"none owns {facts.location.value}",
            "the metadata folder that an installer leaves",
            "the examined interpreter's sys.path",
        )
        why = "There is no metadata beside the folder tensorflow, so pip does not know of it and would install another over it"
    elif isinstance(facts.record, Absent) and (owner := _without_a_list(case)):
        lost = Evidence(
            "tensorflow.record",
            facts.record.reason,
            f"RECORD in {owner.folder}",
            "files that pip and uv write (PEP 376)",
        )
        why = f"The metadata of {owner.name} {owner.version} has no RECORD, so pip can neither remove nor update it"
    else:
        return None
    if aside := moved_aside(case.facts):
        return _stopped(case, lost, aside)
    note = (
        "Only where it came as a wheel: a build of your own would be replaced by the published one."
    )
    return Found(
        says("tensorflow-install-broken", "never-compared", why=why),
        (lost,),
        (replace(reinstall(case.facts), note=note),),
        severity=Severity.INFO,
    )


def _stopped(case: Case, lost: Evidence, aside: Distribution) -> Found:
    """pip moves the old files aside, then lays the new ones, then writes what it has laid."""
    site = aside.folder.rpartition("/")[0]
    works = Ability.COMPUTE in abilities_seen(case.facts)
    return Found(
        f"pip was stopped while it replaced {aside.name} {aside.version}: its files are moved aside ({_split(aside.folder)[1]}), and nothing "
        f"lists the new ones as installed. {_harm(unread=False, works=works)}",
        (lost, Evidence("packages.interrupted", aside.folder, "nothing that pip moved aside")),
        (replace(reinstall(case.facts), note=f"Then delete what begins with ~ in {site}."),),
        Confidence.LIKELY,
        Severity.WARNING if works else Severity.ERROR,
        title=says("tensorflow-install-broken", "stopped-title", aside=aside.name),
    )


def _without_a_list(case: Case) -> Distribution | None:
    """The one whose files are imported, where pip or uv laid it, or was stopped before it said so."""
    name, present = case.facts.tensorflow.distribution, case.facts.tensorflow.distributions
    if not isinstance(name, Known) or not isinstance(present, Known):
        return None
    return next(
        (
            each
            for each in present.value
            if each.name == name.value
            and (
                each.installer in ("pip", "uv")
                or (not each.installer and each.folder.endswith(".dist-info"))
            )
        ),
        None,
    )


def _harm(unread: bool, works: bool) -> str:
    if unread:
        return "No running program reads these files; what is built against them fails."
    if works:
        return "TensorFlow works, but programs that use the damaged part fail or crash."
    return ""


def _damage(record: RecordCheck) -> list[str]:
    """One line for each kind. Compiled bytecode is made again by Python and does not count."""
    kinds = (
        ("missing", record.missing, record.missing_count),
        ("wrong size", record.wrong_size, record.wrong_size_count),
        ("wrong content", record.wrong_hash, record.wrong_hash_count),
    )
    found = []
    for kind, paths, count in kinds:
        real = [path for path in paths if not path.endswith(".pyc")]
        if real or count > len(paths):
            number = count - (len(paths) - len(real))
            shown = real[:_MISSING_SHOWN]
            more = [f"{number - len(shown)} more"] if number > len(shown) else []
            found.append(f"{kind}: {', '.join(shown + more)}")
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


@check("tensorflow-cpu-only", blocks=Ability.GPU)
def cpu_only(case: Case) -> Found | None:
    """The build says neither CUDA nor ROCm, no plug-in is installed, a GPU is there, and the matrix knows a GPU build
    of this release for this platform.
    """
    build = case.need(case.facts.tensorflow.build)
    if not isinstance(build.cuda, Absent) or not isinstance(build.rocm, Absent):
        return None
    if value_or(case.facts.tensorflow.plugins, ()):
        return None
    case.need(wanted_gpu(case))
    platform = case.need(platform_of(case.facts))
    version = tensorflow_version(case)
    if not has_gpu_build(case, platform, str(version)):
        return None
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    promised = under_a_cuda_name(case)
    return Found(
        says("tensorflow-cpu-only", "promised", promised=promised) if promised else "",
        (
            Evidence("tensorflow.build", f"{name} {version}: {build.cuda.reason}", "a build with CUDA", "build_info of the installed package"),
            gpu_evidence(case),
        ),
        _gpu_build(case, name, str(version), platform),
        title=says("tensorflow-cpu-only", "to-be-built-title", name=name, version=version) if case.policy.to_be_built else "",
    )  # fmt: skip


def under_a_cuda_name(case: Case) -> str:
    """conda's name of a build that promises CUDA; "" for any other."""
    build = value_or(case.facts.tensorflow.conda_build, "")
    return build if build.startswith(("cuda", "gpu_")) else ""


def _gpu_build(case: Case, name: str, version: str, platform: str) -> tuple[Fix, ...]:
    """The same version with CUDA if there is one, else the newest that fits. What conda installed, conda replaces, unless it
    has only another build of that name to give."""
    if under_a_cuda_name(case):
        release = fitting(case.facts, case.matrix)
        return (
            (in_new_environment(case.facts, case.matrix, release),) if release is not None else ()
        )
    if by_conda(case.facts, name):
        return (
            Fix(
                "Install conda's CUDA build",
                (
                    conda_install(
                        case.facts,
                        f"tensorflow={version}=cuda*",  # conda-forge's tensorflow-cpu has none
                        options=("--channel", "conda-forge"),
                    ),
                ),
            ),
        )
    for other in ("tensorflow", "tensorflow-gpu"):
        row = known(case.matrix.release(version, other, platform))
        if other != name and row and value_or(row.gpu, False):
            extra = "[and-cuda]" if isinstance(row.and_cuda, Known) else ""
            return (keep_one(case.facts, case.matrix, (name,), f"{other}{extra}=={version}"),)
    return install_fitting(case.facts, case.matrix)


@check("and-cuda-extra-lost", blocks=Ability.GPU)
def extra_lost(case: Case) -> Found | None:
    """Something shows that [and-cuda] was asked for, the build has CUDA, a GPU is there, and a requirement of the extra
    is not installed.
    """
    asked = case.facts.tensorflow.requested_extra_cuda
    if not isinstance(asked, Known) or not asked.value:
        return None
    build = case.need(case.facts.tensorflow.build)
    if isinstance(build.cuda, Absent):
        return None
    case.need(wanted_gpu(case))
    missing = [
        each
        for each in case.need(requirements_of(case.facts, "and-cuda"))
        if isinstance(each.installed, Absent)
    ]
    if not missing:
        return None
    version, name = (
        str(tensorflow_version(case)),
        value_or(case.facts.tensorflow.distribution, "tensorflow"),
    )
    spec = f"{name}[and-cuda]=={version}"
    return Found(
        says("and-cuda-extra-lost", "not-yet", asked=asked.source) if case.policy.to_be_built else says("and-cuda-extra-lost", "found"),
        (
            Evidence("packages.requirements", f"not installed: {', '.join(each.name for each in missing)}", f"all packages of {spec}", "TensorFlow's own metadata (extra and-cuda)"),
            Evidence("tensorflow.requested_extra_cuda", asked.source),
        ),
        (
            Fix(
                "Install the CUDA libraries in this environment",
                (pip_install(case.facts, spec),),
                "Keeps your TensorFlow version.",
            ),
        ),
    )  # fmt: skip


@check("metal-plugin-mismatch", blocks=Ability.IMPORT)
def metal_plugin(case: Case) -> Found | None:
    """A release of tensorflow-metal that is known not to load beside this TensorFlow, or the loader's words about its library."""
    plugin = case.need(installed(case, PLUGIN))
    text, version = words(case.facts, "metal-plugin-mismatch"), str(tensorflow_version(case))
    pair = pair_here(case.facts, case.matrix, PLUGIN, "tensorflow")
    served = pair is None or fits(version, pair.specifier)
    if served and text is None:
        return None
    other = releases_beside(case.matrix, PLUGIN, "tensorflow", version)
    expected = (
        f"TensorFlow {pair.specifier}"
        if pair and other is None
        else f"{PLUGIN} {other or ''}".strip()
    )
    observed = f"{PLUGIN} {plugin.version} with TensorFlow {version}"
    told = Evidence("packages.installed", observed, expected, pair.source if pair else "")
    without = Fix("Remove the plug-in and use the CPU", (pip_uninstall(case.facts, PLUGIN),))
    return Found(
        says("metal-plugin-mismatch", "found"),
        (None if served else told, text),
        (*(() if served else plugin_ways(case.facts, case.matrix, version)[:1]), without),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        title=""
        if served
        else says(
            "metal-plugin-mismatch",
            "title",
            plugin=PLUGIN,
            version=plugin.version,
            tensorflow=version,
        ),
    )


@check("tensorflow-shadowed", blocks=Ability.NOTHING)
def tensorflow_shadowed(case: Case) -> Found | None:
    """By what the probe found before the real module on the search path. From PYTHONPATH it meets every program and is
    an error unless TensorFlow was seen to be imported; from one folder it is a warning.
    """
    shadows = case.need(case.facts.packages.shadowing)
    if not shadows:
        return None
    text = words(case.facts, "tensorflow-shadowed", "tensorflow-lacks-attribute")
    always = [each for each in shadows if each.place == "PYTHONPATH"]
    folders = tuple(dict.fromkeys(_split(each.path)[0] for each in always))
    harmful = bool(always) and Ability.IMPORT not in abilities_seen(case.facts)
    return Found(
        "",
        (*(_evidence(each) for each in shadows), text),
        (  # what is in a folder of PYTHONPATH may be another program's, so it is not renamed at first
            leave_out(case.facts, "PYTHONPATH", *folders) if folders else None,
            _rename(shadows),
        ),
        Confidence.CERTAIN if text or failed_stage(case.facts) is None else Confidence.LIKELY,
        Severity.ERROR if harmful else Severity.WARNING,
        title=_shadow_title(shadows, always),
    )


def _shadow_title(shadows: tuple[Shadow, ...], always: list[Shadow]) -> str:
    first = (always or list(shadows))[0]
    by = ", by PYTHONPATH," if always else ""
    return f"{first.path}{by} is imported instead of the real {first.module}."


def _split(path: str) -> tuple[str, str]:
    """Folder and name, of a path of this system or of a Windows report."""
    end = max(path.rfind("/"), path.rfind("\\"))
    return path[:end] or "/", path[end + 1 :]


def _evidence(shadow: Shadow) -> Evidence:
    return Evidence(
        "packages.shadowing",
        f"{shadow.path} ({shadow.place})",
        f"no {shadow.module} before the real one",
        "Python's search order (sys.path)",
    )


def _renaming(path: str, other: str) -> Words:
    return Harmless("mv {{path}} {{other}}", path=path, other=other)


def _rename(shadows: tuple[Shadow, ...]) -> Fix:
    """All of them: each alone is enough to stand in the way."""
    places = [_split(each.path) for each in shadows]
    names = list(dict.fromkeys(name for _, name in places))
    commands = tuple(
        _renaming(each.path, f"{folder}/my_{name}")
        for each, (folder, name) in zip(shadows, places, strict=True)
    )
    return Fix(f"Rename {enumerated(names)}", commands)


@check("fix-interrupted", blocks=Ability.NOTHING)
def fix_interrupted(case: Case) -> Found | None:
    """The environment is as it was, unless the changed directory is in its place, which nothing has proven yet."""
    found = case.need(case.facts.packages.interrupted_fix)
    return Found(
        says("fix-interrupted", "unproven", id=found.id)
        if found.exchanged
        else says("fix-interrupted", "unchanged", id=found.id),
        (
            Evidence(
                "packages.interrupted_fix",
                f"fix {found.id}",
                "none",
                "the journals of tfdoctor fix",
            ),
        ),
        (act("start-otherwise", "recover-fix"),),
        severity=Severity.WARNING if found.exchanged else Severity.INFO,
    )


@check("user-site-leak", blocks=Ability.NOTHING)
def user_site_leak(case: Case) -> Found | None:
    """By the packages that the user site puts before the environment's own, unless TensorFlow itself lives there. It
    explains the conflicts of those packages that are in range in the environment itself.
    """
    leaked = case.need(case.facts.packages.user_site_shadowing)
    if not leaked or _lives_there(case):
        return None
    leaking = [name.partition(" ")[0].partition("==")[0] for name in leaked]
    wrong = [each for each in requirement_conflicts(case) if each.name in leaking]
    explained = frozenset(each.code for each in wrong) - {
        each.code for each in requirement_conflicts(case) if each.name not in leaking
    }
    # The environment has one of its own behind it.
    imported = value_or(case.facts.tensorflow.distribution, "")
    whole = imported in leaking and failed_or_without_gpu(case)
    if whole:
        explained |= frozenset(OF_ANOTHER_TENSORFLOW)
    misfits = any(each.severity is Severity.ERROR for each in wrong)
    breaks = whole or (misfits and Ability.COMPUTE not in abilities_seen(case.facts))
    verb = "does" if len(wrong) == 1 else "do"
    harm = (
        f" The leaked {' and '.join(each.name for each in wrong)} {verb} not fit this TensorFlow."
        if wrong
        else ""
    )
    folder = value_or(case.facts.interpreter.user_site, "the user site (~/.local)")
    uninstall = quoted(interpreter(case.facts), "-m", "pip", "uninstall", "--yes", *leaking)
    return Found(
        f"Python takes {', '.join(leaked)} from {folder}.{harm}",
        (Evidence("packages.user_site_shadowing", ", ".join(leaked), "none", "Python's search order (sys.path)"),),
        (
            act("set-variable", "ignore-user-site"),
            Fix("Uninstall the packages in the user site", (uninstall,), "This affects every environment that uses the user site."),
        ),
        severity=Severity.ERROR if breaks else Severity.WARNING,
        explains=explained,
        title=says("user-site-leak", "whole-title", folder=folder) if whole else "",
    )  # fmt: skip


OF_ANOTHER_TENSORFLOW = (
    *FOLLOWS, "cuda-libraries-missing", "cuda-libraries-unreachable", "cuda-libraries-wrong-version", "cuda-libraries-mixed",
    "cudnn-version-mismatch", "cudnn-incomplete", "image-lacks-cuda-libraries", "and-cuda-extra-lost", "tensorflow-cpu-only",
    "libdevice-missing", "ptxas-missing", "tensorflow-mixed-distributions",
)  # fmt: skip
"""What a TensorFlow shows that was installed for another place than the one in which it is imported now."""


def failed_or_without_gpu(case: Case) -> bool:
    """It was not seen to do its work: it failed, or a GPU is there that it was not seen to use."""
    if value_or(case.facts.driver.devices, ()):
        return Ability.GPU not in abilities_seen(case.facts)
    return failed_stage(case.facts) is not None


def _lives_there(case: Case) -> bool:
    """A TensorFlow that is in the user site itself has its packages there on purpose (`pip install --user`)."""
    distributions = case.facts.tensorflow.distributions
    return isinstance(distributions, Known) and all(
        each.in_user_site for each in distributions.value
    )


@check("pythonpath-leak", blocks=Ability.NOTHING)
def pythonpath_leak(case: Case) -> Found | None:
    """Of the packages that PYTHONPATH puts first: one that was built for another Python, that TensorFlow's requirements do not
    take, or in whose code the failed stage's error arose.
    """
    leaks = case.need(case.facts.packages.path_leaks)
    wrong = _misfits(case, leaks)
    blamed = raised_in(case.facts)
    bad = [each for each in leaks if each.built_for or each.name in wrong or each.name == blamed]
    if not bad:
        return None
    said = first_words(case.facts) if any(each.name == blamed for each in bad) else None
    breaks = (
        said is not None
        or any(each.built_for for each in bad)
        or any(each.severity is Severity.ERROR for each in wrong.values())
    )
    broken = breaks and Ability.COMPUTE not in abilities_seen(case.facts)
    entries, told = (
        tuple(dict.fromkeys(each.entry for each in bad)),
        enumerated([_told(each) for each in bad]),
    )
    return Found(
        says("pythonpath-leak", "found", told=told, entries=enumerated(list(entries)), instead=_instead(bad), pythonpath_harm=_pythonpath_harm(case, bad, wrong)),
        (
            *(_pythonpath_evidence(case, each, wrong) for each in bad),
            Evidence("environment.variables", f"PYTHONPATH={variables(case.facts).get('PYTHONPATH', '')}"),
            said,
        ),
        (leave_out(case.facts, "PYTHONPATH", *entries),),
        Confidence.CERTAIN if said else Confidence.LIKELY,
        Severity.ERROR if broken else Severity.WARNING,
        None if broken else frozenset(each.code for each in wrong.values()),
        says("pythonpath-leak", "title", told=told),
    )  # fmt: skip


def _misfits(case: Case, leaks: tuple[PathLeak, ...]) -> dict[str, Misfit]:
    """What the leaked versions do to TensorFlow, by name: Python takes them, so they are what is judged as installed."""
    leaked = {each.name for each in leaks if each.version}
    return {each.name: each for each in requirement_conflicts(case) if each.name in leaked}


def _told(leak: PathLeak) -> str:
    return f"{leak.name} {leak.version}".strip()


def _instead(bad: list[PathLeak]) -> str:
    """What it would take without that entry."""
    hidden = [f"{each.name} {each.hides}".strip() for each in bad if each.hidden_folder]
    if not hidden:
        return "which this environment has none of"
    return f"instead of the environment's own {enumerated(hidden)}"


def _pythonpath_harm(case: Case, bad: list[PathLeak], wrong: dict[str, Misfit]) -> str:
    foreign = [each for each in bad if each.built_for]
    if foreign:
        return f"Their compiled parts are for Python {foreign[0].built_for} and can't be loaded into {_here(case)}."
    if wrong:
        return f"TensorFlow needs {enumerated([each.spec for each in wrong.values()])}."
    return "Importing it fails there."


def _here(case: Case) -> str:
    version = case.facts.interpreter.version
    return f"Python {version.value.feature}" if isinstance(version, Known) else "this Python"


def _pythonpath_evidence(case: Case, leak: PathLeak, wrong: dict[str, Misfit]) -> Evidence:
    observed = f"{_told(leak)} in {leak.entry}"
    if leak.built_for:
        observed += f", built for Python {leak.built_for}"
        return Evidence(
            "packages.path_leaks", observed, _here(case), "the tags of its compiled files"
        )
    if leak.name in wrong:
        return Evidence(
            "packages.path_leaks",
            observed,
            f"{leak.name} {wrong[leak.name].expected}",
            wrong[leak.name].source,
        )
    return Evidence(
        "packages.path_leaks", observed, "the environment's own", "Python's search order (sys.path)"
    )


@check("noexec-mount", blocks=Ability.IMPORT)
def noexec_mount(case: Case) -> Found | None:
    """TensorFlow is on a mount that forbids to run code from it."""
    mount = case.need(case.facts.tensorflow.noexec_mount)
    text = words(case.facts, "noexec-mount", "map-segment")
    return Found(
        says("noexec-mount", "found", mount=mount),
        (evidence(case, "tensorflow.noexec_mount", "a mount without noexec"), text),
        (
            act("new-environment", "on-another-mount"),
            Fix(
                "Allow code on this mount",
                (sudo(case.facts, quoted("mount", "-o", "remount,exec", mount)),),
                "Until the next mount; /etc/fstab makes it permanent. On a shared machine the option is often set on purpose.",
            ),
        ),
        Confidence.CERTAIN if text else Confidence.LIKELY,
    )


@check("numpy-abi-mismatch", blocks=Ability.COMPUTE)
def numpy_abi(case: Case) -> Found | None:
    """NumPy's version against the range of this release, or the words of a failed import. Where NumPy is in range, the
    words speak of the package in whose code the error arose.
    """
    text = words(case.facts, "numpy-abi-mismatch")
    misfit = misfit_told(case, "numpy", text)
    if misfit is None and (text is None or _built_for_another_numpy(case)):
        return None
    if misfit is None and (extension := raised_in(case.facts)) not in ("", "numpy", "tensorflow"):
        return _other_extension(case, extension, text)
    present = known(installed(case, "numpy"))
    new = present is not None and fits(present.version, ">=2")
    newer = install_fitting(case.facts, case.matrix, spec=">=2.18") if new else ()
    return _found(case, "numpy", misfit, text, newer)


def _other_extension(case: Case, name: str, text: Evidence | None) -> Found:
    """NumPy and all that TensorFlow requires fit; another package that is imported along was built for another NumPy."""
    present = installed(case, name)
    shown = f"{name} {present.value.version}" if isinstance(present, Known) else name
    return Found(
        says("numpy-abi-mismatch", "other-extension"),
        (Evidence("packages.installed", shown, "a release built for the NumPy installed"), text),
        (update(case.facts, case.matrix, name),),
        title=says("numpy-abi-mismatch", "other-extension-title", shown=shown),
    )


_GENCODE = (
    "protobuf-descriptors",
    "protobuf-gencode",
    "protobuf-version-error",
    "protobuf-runtime-version",
)


@check("protobuf-incompatible", blocks=Ability.IMPORT)
def protobuf_runtime(case: Case) -> Found | None:
    """protobuf's version against the range of this release, the words of a failed import, or a variable that asks
    for the C++ implementation, which protobuf 4.21 dropped.
    """
    forced = _forced_protobuf(case)
    if forced is not None:
        return forced
    text = words(case.facts, *_GENCODE)
    misfit = misfit_told(case, "protobuf", text)
    if misfit is None and text is None:
        return None
    return _found(case, "protobuf", misfit, text)


_CHOICE, _DROPPED = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "cpp"
"""With cpp chosen, `import tensorflow` fails so from protobuf 4.21 on (its release notes, May 2022; run with
4.25 under 2.15.1 and 7.36 under 2.21.0, 2026-11-20)."""


def _forced_protobuf(case: Case) -> Found | None:
    """A variable, often set on some forum's advice, asks protobuf for an implementation that its wheels have dropped."""
    if variables(case.facts).get(_CHOICE, "").lower() != _DROPPED:
        return None
    text, present = words(case.facts, "protobuf-no-cpp"), installed(case, "protobuf")
    if text is None and not (isinstance(present, Known) and fits(present.value.version, ">=4.21")):
        return None
    version = f"protobuf {present.value.version}" if isinstance(present, Known) else "protobuf"
    return Found(
        says("protobuf-incompatible", "forced-protobuf"),
        (
            Evidence(
                "environment.variables",
                f"{_CHOICE}={_DROPPED}",
                "not set",
                "protobuf's wheels from 4.21 on hold upb and python",
            ),
            text,
        ),
        (act("unset-variable", "unset-protobuf-implementation"),),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        title=says(
            "protobuf-incompatible",
            "forced-protobuf-title",
            choice=_CHOICE,
            dropped=_DROPPED,
            version=version,
        ),
    )


_COMPILED = ("ml-dtypes", "h5py", "scipy")
"""Requirements of TensorFlow that are compiled against NumPy: an old one of them fails with NumPy's own words."""


def _built_for_another_numpy(case: Case) -> Misfit | None:
    """The requirement that is to blame for NumPy's words where NumPy itself is in range."""
    return next((each for each in requirement_conflicts(case) if each.name in _COMPILED), None)


def numpy_words(case: Case, misfit: Misfit | None) -> Evidence | None:
    """NumPy's words, where this package is to blame for them."""
    numpy_fits = all(each.name != "numpy" for each in requirement_conflicts(case))
    return (
        words(case.facts, "numpy-abi-mismatch")
        if misfit is not None and numpy_fits and _built_for_another_numpy(case) == misfit
        else None
    )


def misfit_told(case: Case, name: str, text: Evidence | None) -> Misfit | None:
    """What the versions tell. Where the stage has said it already, nothing else needs to be known."""
    try:
        return misfit_of(case, name)
    except Inconclusive:
        if text is None:
            raise
        return None


def _found(
    case: Case, name: str, misfit: Misfit | None, text: Evidence | None, more: tuple[Fix, ...] = ()
) -> Found:
    """What does not fit is the title; without a version that tells, the code's own."""
    return Found(
        "",
        (misfit.evidence if misfit else None, text),
        (*install_range(case, name, misfit), *more),
        Confidence.CERTAIN if text or misfit is None else misfit.confidence,
        Severity.ERROR if text or misfit is None else misfit.severity,
        title=_title([misfit], case) if misfit and misfit.installed else "",
    )


def install_range(case: Case, name: str, misfit: Misfit | None) -> tuple[Fix, ...]:
    """The version that fits; where only the text tells, what TensorFlow's metadata asks for."""
    stated = known(requirement(case, name))
    spec = misfit.spec if misfit else f"{name}{stated.specifier}" if stated else ""
    return (
        (install_fix(case.facts, case.matrix, f"Install a matching {name}", spec),) if spec else ()
    )


@check("ml-dtypes-mismatch", blocks=Ability.IMPORT)
def ml_dtypes(case: Case) -> Found | None:
    """The version of ml_dtypes against the range of this release, or the words of a failed import."""
    text = words(case.facts, "ml-dtypes-mismatch")
    misfit = misfit_told(case, "ml-dtypes", text)
    text = text or numpy_words(case, misfit)
    if misfit is None and text is None:
        return None
    return _found(case, "ml-dtypes", misfit, text)


@check("keras-mismatch", blocks=Ability.NOTHING)
def keras_versions(case: Case) -> Found | None:
    """The versions of keras and tf-keras against what this release asks for, or the words of a failed use. Only worth
    knowing where a layer was seen to compute.
    """
    text = words(case.facts, "keras-mismatch")
    legacy = legacy_keras_wanted(case)
    second = _tf_keras_misfit(case, legacy)
    first = (
        None
        if legacy and isinstance(installed(case, "tf-keras"), Known)
        else _keras_misfit(case, text)
    )
    if first is not None and not legacy and keras_seen(case):
        first = replace(first, severity=Severity.INFO)
    if first is None or first.severity is Severity.INFO:
        first = _keras_of_a_companion(case) or first
    wrong = [each for each in (first, second) if each is not None]
    if not wrong and text is None:
        return None
    specs = [each.spec for each in wrong if text or each.severity is not Severity.INFO]
    return Found(
        says("keras-mismatch", "found"),
        (*(each.evidence for each in wrong), text),
        (
            install_fix(
                case.facts,
                case.matrix,
                f"Install a matching {' and '.join(each.name for each in wrong)}",
                *specs,
            ),
        )
        if specs
        else install_range(case, "keras", None)
        if text
        else (),
        Confidence.CERTAIN if text else min(each.confidence for each in wrong),
        Severity.ERROR if text else min(each.severity for each in wrong),
        title=_title(wrong, case),
    )


def _keras_of_a_companion(case: Case) -> Misfit | None:
    """Keras 3 as the keras of a TensorFlow that works with it, beside a package that needs Keras 2."""
    present, stated = installed(case, "keras"), requirement(case, "keras")
    version = tensorflow_version(case)
    if (
        not isinstance(present, Known)
        or not isinstance(stated, Known)
        or (version.major, version.minor) >= (2, 16)
    ):
        return None
    for pair, release in pairs_here(case.facts, case.matrix):
        if pair.needs == "keras" and not fits(present.value.version, pair.specifier):
            expected = tightest(pair.specifier, stated.value.specifier)
            return Misfit(
                "keras", present.value.version, expected, pair.source, Severity.WARNING, Confidence.LIKELY, (f"{pair.package} {release}",)
            )  # fmt: skip
    return None


def _title(wrong: list[Misfit], case: Case) -> str:
    """Which of them is missing, or does not fit."""
    if not wrong:
        return ""
    first = wrong[0]
    if not first.installed:
        return f"{first.name}, which tf.keras is made of, is not installed."
    asker = " and ".join(first.asked_by) or f"TensorFlow {tensorflow_version(case)}"
    return f"{asker} needs {first.spec} ({case.has} {first.installed})."


def _keras_misfit(case: Case, text: Evidence | None) -> Misfit | None:
    stated = requirement(case, "keras")
    if isinstance(installed(case, "keras"), Absent):
        if not isinstance(stated, Known) or missing(case) != ("keras",):
            return None
        return Misfit(
            "keras", "", stated.value.specifier, METADATA, Severity.ERROR, Confidence.CERTAIN
        )
    if isinstance(stated, Absent) and text is None:
        return None  # before 2.6 Keras was a part of TensorFlow itself
    return misfit_told(case, "keras", text) or _other_minor(case, text)


def _other_minor(case: Case, text: Evidence | None) -> Misfit | None:
    """keras of another minor than TensorFlow's, where nobody saw the two work and the metadata let it in."""
    present, pair = (
        installed(case, "keras"),
        pair_here(case.facts, case.matrix, "tensorflow", "keras"),
    )
    if not isinstance(present, Known) or pair is None:
        return None
    if text is None and seen_to_work(case, "keras", present.value.version):
        return None
    if fits(present.value.version, pair.specifier):
        return None
    return Misfit(
        "keras",
        present.value.version,
        pair.specifier,
        pair.source,
        Severity.ERROR,
        Confidence.LIKELY,
    )


def _tf_keras_misfit(case: Case, legacy: bool) -> Misfit | None:
    """tf-keras of another minor than TensorFlow's."""
    pair, version = (
        pair_here(case.facts, case.matrix, "tf-keras", "tensorflow"),
        str(tensorflow_version(case)),
    )
    present = known(installed(case, "tf-keras"))
    if present is None or pair is None or fits(version, pair.specifier):
        return None
    severity = Severity.ERROR if legacy and not keras_seen(case) else Severity.WARNING
    own = _of_same_minor(case, "tf-keras").removeprefix("tf-keras")
    return Misfit("tf-keras", present.version, own, pair.source, severity, Confidence.LIKELY)


def keras_seen(case: Case) -> bool:
    """Whether a layer of tf.keras computed right: then the pair works at least in part."""
    smoke = known(case.facts.smoke.tensorflow)
    return smoke is not None and any(
        each.name == "keras" and each.status == "passed" for each in smoke.computations
    )


def legacy_keras_wanted(case: Case) -> bool:
    """TF_USE_LEGACY_KERAS as TensorFlow reads it (tensorflow/python/util/lazy_loader.py of 2.21.0)."""
    return variables(case.facts).get("TF_USE_LEGACY_KERAS", "") in ("true", "True", "1")


@check("keras-legacy-needed", blocks=Ability.NOTHING)
def keras_legacy(case: Case) -> Found | None:
    """TF_USE_LEGACY_KERAS or the stage's words ask for Keras 2, from 2.15 or 2.16 on, and tf-keras is not installed. Companions
    that are written for Keras 2 are a warning.
    """
    text, wanted = _legacy_words(case), legacy_keras_wanted(case)
    if not wanted and text is None:
        return _companions(case)
    version = tensorflow_version(case)
    since = (2, 15) if wanted else (2, 16)  # tests/real/variables.json (2026-11-28)
    if (version.major, version.minor) < since or isinstance(
        case.need_outcome(installed(case, "tf-keras")), Known
    ):
        return None
    spec = _of_same_minor(case, "tf-keras")
    asked = Evidence(
        "environment.variables",
        "TF_USE_LEGACY_KERAS=1 and no tf-keras",
        spec,
        "tf-keras is released for one minor release of TensorFlow each",
    )
    return Found(
        says("keras-legacy-needed", "legacy-keras-wanted")
        if wanted
        else says("keras-legacy-needed", "not-installed"),
        (asked if wanted else None, text),
        (
            install_fix(case.facts, case.matrix, "Install tf-keras", spec),
            act("unset-variable", "unset-legacy-keras") if wanted else None,
        ),
        severity=Severity.ERROR,
        title=says("keras-legacy-needed", "legacy-keras-wanted-title") if wanted else "",
    )


def _legacy_words(case: Case) -> Evidence | None:
    """The stage's words that ask for Keras 2. "Keras cannot be imported" is said of whichever Keras is wanted: without the
    variable of Keras 3, whatever kept it from being imported.
    """
    wanted, known = (
        legacy_keras_wanted(case),
        not isinstance(case.facts.environment.variables, Failed),
    )
    for each in each_said(case.facts, "keras-legacy-needed"):
        if each.signature != "keras-not-imported" or wanted or not known:
            return each.evidence
    return None


def _companions(case: Case) -> Found | None:
    """Packages that are written for Keras 2 and can't be imported beside Keras 3. TensorFlow itself is unaffected."""
    version = tensorflow_version(case)
    if (version.major, version.minor) < (2, 16):
        return None
    lacking = [
        each for each in pairs_here(case.facts, case.matrix) if _lacks_keras_2(case, each[0])
    ]
    if not lacking:
        return None
    first, shown = lacking[0][0], f"{lacking[0][0].package} {lacking[0][1]}"
    needed = (
        "tf-keras, which is not installed"
        if first.needs == "tf-keras"
        else "Keras 2, but this TensorFlow includes Keras 3"
    )
    return Found(
        says("keras-legacy-needed", "companion"),
        tuple(
            Evidence(
                "packages.installed",
                f"{pair.package} {present} with TensorFlow {version}",
                f"{pair.needs} {pair.specifier}".strip(),
                pair.source,
            )
            for pair, present in lacking
        ),
        _for_keras_2(case, [pair for pair, _ in lacking]),
        Confidence.LIKELY,
        Severity.WARNING,
        explains=frozenset(),
        title=says("keras-legacy-needed", "package-title", shown=shown, needed=needed),
    )


def _lacks_keras_2(case: Case, pair: Pair) -> bool:
    """Beside a TensorFlow that includes Keras 3."""
    if pair.needs == "tf-keras":
        return isinstance(case.need_outcome(installed(case, "tf-keras")), Absent)
    return pair.needs == "keras" and not fits("3.0", pair.specifier)


def _for_keras_2(case: Case, lacking: list[Pair]) -> tuple[Fix, ...]:
    """tf-keras, and a release that takes it; for a package without one a TensorFlow that it was made for."""
    newer = {each.package: releases_without(each) for each in lacking if each.needs == "keras"}
    tf_keras = isinstance(case.need_outcome(installed(case, "tf-keras")), Absent)
    found = []
    if specs := [f"{package}{spec}" for package, spec in newer.items() if spec]:
        found.append(
            install_fix(
                case.facts,
                case.matrix,
                f"Update {' and '.join(newer)}",
                *specs,
                *([_of_same_minor(case, "tf-keras")] if tf_keras else []),
            )
        )
    elif any(each.needs == "tf-keras" for each in lacking):
        found.append(
            install_fix(
                case.facts, case.matrix, "Install tf-keras", _of_same_minor(case, "tf-keras")
            )
        )
    ended = [package for package, spec in newer.items() if not spec]
    older = fitting(case.facts, case.matrix, spec="<2.16", any_python=True) if ended else None
    found += (
        [in_new_environment(case.facts, case.matrix, older, *ended)] if older is not None else []
    )
    found += [
        act(
            "change-packages",
            "remove-package-without-keras-3",
            package=each,
            uninstall=pip_uninstall(case.facts, each),
        )
        for each in ended
    ]
    return tuple(found)


_PACKAGES = {
    "tensorflow": "",
    "jax": "jax",
    "torch": "torch",
    "numpy": "scipy",
    "openvino": "openvino",
}
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
                "environment.keras_settings",
                f'"backend": "{self.backend}" in {self.path}',
                "tensorflow",
            )
        return Evidence("environment.variables", f"{_VARIABLE}={self.backend}", "tensorflow")


@check("keras-backend-unusable", blocks=Ability.NOTHING)
def keras_backend_unusable(case: Case) -> Found | None:
    """The backend that Keras 3 would take (the variable, else keras.json) against those that there are, and against the
    installed packages. Never where a layer was seen to compute.
    """
    choice = _chosen(case)
    if (
        choice is None
        or choice.backend == "tensorflow"
        or keras_seen(case)
        or legacy_keras_wanted(case)
    ):
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
        "" if known else f"Valid: {', '.join(_PACKAGES)}.",
        (choice.evidence, *_said(case)),
        _fixes(case, choice, package),
        title=says("keras-backend-unusable", "title", backend=choice.backend, why=why),
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
    found = (
        list(_in_file(choice)) if choice.path else [act("unset-variable", "unset-keras-backend")]
    )
    if not package and meant in _PACKAGES and meant != "tensorflow":
        name = _PACKAGES[meant]
        lacks = bool(name) and not isinstance(installed(case, name), Known)
        note = "Keras then computes with it, also where a program says tf.keras." + (
            f" {name} has to be installed, too." if lacks else ""
        )
        found.append(Fix(f"Use the {meant} backend", (setting({_VARIABLE: meant}),), note))
    if package:
        found.append(Fix(f"Install {package}", (pip_install(case.facts, package),)))
    return tuple(found)


def _in_file(choice: Choice) -> tuple[Fix, Fix]:
    edit = (
        r"""sed -i.bak -E 's/("backend"[[:space:]]*:[[:space:]]*")[^"]*"/\1tensorflow"/' {{file}}"""
    )
    return (
        Fix(
            "Set KERAS_BACKEND to tensorflow",
            (setting({_VARIABLE: "tensorflow"}),),
            "Lasts for this shell.",
        ),
        Fix(
            f"Set Keras to TensorFlow in {_FILE}",
            (Words(edit, file=choice.path),),
            f"The old file is kept as {_FILE}.bak.",
        ),
    )


_ABOUT = {
    "typing-extensions-name": "typing-extensions",
    "param-spec": "typing-extensions",
    "gast-attribute": "gast",
    "argspec-gone": "wrapt",
    "formatargspec-gone": "wrapt",
}
"""The package that each of these messages is about, which is too old for what uses it."""


@check("dependency-mismatch", blocks=Ability.COMPUTE)
def dependencies(case: Case) -> Found | None:
    """What is installed against Requires-Dist of TensorFlow and of what it needs, as far as no other code speaks of the
    package. The words of a failed import make it certain, or show a package whose files are gone.
    """
    if damaged := _incomplete(case):
        return damaged
    wrong = (*others(case), *_below(case))
    text, about = _dependency_told(case, wrong)
    if not wrong and text is None:
        return _damaged(case)
    if text is None and (later := _loaded_later(case, wrong)):
        return later
    severity = min((each.severity for each in wrong), default=Severity.ERROR)
    confidence = min((each.confidence for each in wrong), default=Confidence.CERTAIN)
    counted = [
        each for each in wrong if severity is Severity.INFO or each.severity is not Severity.INFO
    ]
    specs = [each.spec for each in counted]
    if severity is Severity.INFO and text is None and failed_stage(case.facts) is not None:
        return None  # nothing that is known of other machines says that it works here, where TensorFlow fails
    works = " It is known to work all the same." if severity is Severity.INFO else ""
    return Found(
        says("dependency-mismatch", "asked", asked=_asked(counted), works=works)
        if wrong
        else says("dependency-mismatch", "unnamed"),
        (*(each.evidence for each in wrong), text),
        ()
        if works
        else (install_fix(case.facts, case.matrix, f"Install {' '.join(specs)}", *specs),)
        if specs
        else (update(case.facts, case.matrix, about),)
        if about
        else (),
        Confidence.CERTAIN if text else confidence,
        Severity.ERROR if text else severity,
        title=_dependency_title(counted),
    )


def _loaded_later(case: Case, wrong: tuple[Misfit, ...]) -> Found | None:
    """What TensorFlow's computing does not load, where it was seen to compute: missing, or older than what TensorFlow was built with."""
    if Ability.COMPUTE not in abilities_seen(case.facts):
        return None
    found = [
        each
        for each in wrong
        if each.name in LOADED_LATER
        and not each.asked_by
        and not installed_version(case.facts, LOADED_LATER[each.name][0])
        and (not each.installed or not fits(each.installed, lower_part(each.expected)))
    ]
    if not found:
        return None
    specs = [each.spec for each in found]
    return Found(
        " ".join((says("dependency-mismatch", "asked", asked=_asked(found), works=""), says("dependency-mismatch", "later", what=enumerated([LOADED_LATER[each.name][1] for each in found])))),
        tuple(each.evidence for each in found),
        (install_fix(case.facts, case.matrix, f"Install {' '.join(specs)}", *specs),),
        min(each.confidence for each in found),
        Severity.WARNING,
        title=_dependency_title(found),
        untried=True,
    )  # fmt: skip


def _dependency_title(wrong: list[Misfit]) -> str:
    """Which package is missing or does not fit; of several the first."""
    if not wrong:
        return ""
    missing = [each.name for each in wrong if not each.installed]
    if missing:
        return f"{', '.join(missing[:4])}, which TensorFlow needs, {'is' if len(missing) == 1 else 'are'} not installed."
    more = f" ({len(wrong) - 1} more beside it)" if len(wrong) > 1 else ""
    return f"{wrong[0].name} {wrong[0].installed} is not what is asked for: {wrong[0].spec}{more}."


def _below(case: Case) -> tuple[Misfit, ...]:
    """Not those that have a finding of their own."""
    unmet = below(case)
    conflicts = requirement_conflicts(case) if unmet else ()
    own = {each.name for each in conflicts if each.code != "dependency-mismatch"}
    return tuple(each for each in unmet if each.name not in own)


def _dependency_told(case: Case, wrong: tuple[Misfit, ...]) -> tuple[Evidence | None, str]:
    """What the failed stage says of one of these, or of a package that asks for one; and which package is too old by that."""
    for each in each_said(case.facts, "dependency-mismatch", "module-missing", "package-asked-for"):
        if each.signature in _ABOUT or _speaks_of(each, wrong):
            return each.evidence, _ABOUT.get(each.signature, "")
    blamed = raised_in(case.facts)
    if blamed and any(blamed in (each.name, *each.asked_by) for each in wrong):
        return first_words(case.facts), ""
    return next((text for each in wrong if (text := numpy_words(case, each))), None), ""


def _speaks_of(said: Said, wrong: tuple[Misfit, ...]) -> bool:
    """A requirement that is not installed, or one that asks for it: Keras calls what can't be imported not installed."""
    if said.signature == "module-missing":
        return said.told["module"].split(".")[0] in [
            _module(each.name) for each in wrong if not each.installed
        ]
    return said.told["module"] in [_module(name) for each in wrong for name in each.asked_by]


def _asked(wrong: list[Misfit]) -> str:
    """Who asks for what: TensorFlow itself, or a package that it needs."""
    own = [each.spec for each in wrong if not each.asked_by]
    parts = [f"TensorFlow's metadata asks for {', '.join(own)}."] if own else []
    for each in wrong:
        if each.asked_by:
            askers, verb = " and ".join(each.asked_by), "asks" if len(each.asked_by) == 1 else "ask"
            parts.append(f"{askers}, which TensorFlow needs, {verb} for {each.spec}.")
    return " ".join(parts)


_IMPORTED_WHERE_THERE = ("keras", "h5py")
"""Without them `import tensorflow` succeeds; one that is damaged ends it, or the first use of tf.keras (2.21.0, 2026-11-28)."""


def _incomplete(case: Case) -> Found | None:
    """A requirement of which files are gone, empty or cut off that its import needs first."""
    damaged = value_or(case.facts.packages.damaged, ())
    if not damaged:
        return None
    named = [f"{each.name} {each.version}" for each in damaged]
    needed = any(each.name in (*NEEDED_TO_IMPORT, *_IMPORTED_WHERE_THERE) for each in damaged)
    return Found(
        f"{enumerated(named)}, which TensorFlow needs, {'is' if len(named) == 1 else 'are'} installed, but files that the import reads first "
        "are missing or cut off.",
        (
            *(
                Evidence(
                    "packages.damaged",
                    f"{each.name}: {each.count} missing or cut off"
                    + "".join(f", such as {file}" for file in each.files[:1]),
                    "as installed",
                    "RECORD of the package",
                )
                for each in damaged
            ),
            first_words(case.facts),
        ),
        tuple(reinstall_package(case.facts, each.name, each.version) for each in damaged),
        severity=Severity.ERROR if needed else Severity.WARNING,
        title=f"{enumerated(named)} {'is' if len(named) == 1 else 'are'} damaged: files are missing or cut off.",
    )


def _damaged(case: Case) -> Found | None:
    """A requirement that is listed as installed while Python misses it, or it misses a part of itself."""
    text = said(case.facts, "module-missing")
    if text is None:
        return None
    module, _, part = text.told["module"].partition(".")
    own = value_or(requirements_of(case.facts), ())
    named = [
        each for each in own if _module(each.name) == module and isinstance(each.installed, Known)
    ]
    if not named or (part and raised_in(case.facts) != named[0].name):
        return None
    release = f"{named[0].name}=={value_or(named[0].installed, '')}"
    return Found(
        says("dependency-mismatch", "damaged"),
        (
            text.evidence,
            Evidence(
                "packages.installed", release, "the package that its metadata lists", METADATA
            ),
        ),
        (reinstall_package(case.facts, named[0].name, value_or(named[0].installed, "")),),
        severity=Severity.ERROR,
        title=says("dependency-mismatch", "damaged-title", name=named[0].name),
    )


_MODULES = {
    "absl-py": "absl",
    "protobuf": "google",
    "google-pasta": "pasta",
    "grpcio": "grpc",
    "libclang": "clang",
    "tensorflow-estimator": "tensorflow_estimator",
}


def _module(distribution: str) -> str:
    return _MODULES.get(distribution, distribution.replace("-", "_"))


@check("setuptools-lacks-pkg-resources", blocks=Ability.NOTHING)
def setuptools_without_pkg_resources(case: Case) -> Found | None:
    """A setuptools without pkg_resources beside a release of a companion that imports that at its start."""
    present = case.need(installed(case, "setuptools"))
    hit = [
        (pair, f"{pair.package} {version}")
        for pair, version in pairs_here(case.facts, case.matrix)
        if pair.needs == "setuptools" and not fits(present.version, pair.specifier)
    ]
    if not hit:
        return None
    needed, users = hit[0][0], [shown for _, shown in hit]
    return Found(
        "Importing it fails: No module named 'pkg_resources'.",
        (
            Evidence(
                "packages.installed",
                f"setuptools {present.version} with {', '.join(users)}",
                f"setuptools {needed.specifier}",
                needed.source,
            ),
        ),
        (
            install_fix(
                case.facts, case.matrix, "Downgrade setuptools", f"setuptools{needed.specifier}"
            ),
        ),
        title=says("setuptools-lacks-pkg-resources", "title", users=enumerated(users)),
    )


@check("numpy-alias-removed", blocks=Ability.COMPUTE)
def numpy_alias(case: Case) -> Found | None:
    """By the failed stage's words alone. Where TensorFlow's own metadata forbids this NumPy, TensorFlow is the code that is
    meant; else the package in which the error arose.
    """
    must_have_listened(case)
    text = words(case.facts, "numpy-alias-removed")
    if text is None:
        return None
    stated, blamed = requirement(case, "numpy"), raised_in(case.facts)
    own = isinstance(stated, Known) and not stated.value.satisfied
    if isinstance(stated, Known) and own and blamed in ("", "tensorflow", "numpy"):
        return _tensorflow_is_older(case, text, stated.value.specifier)
    older = install_fix(
        case.facts,
        case.matrix,
        "Downgrade NumPy",
        "numpy<1.24",
        note="If the package has no newer version.",
    )
    if not isinstance(present := installed(case, blamed), Known) or blamed == "numpy":
        note = "The traceback's last line before the error names its file."
        return Found(says("numpy-alias-removed", "unnamed"), (text,), (Fix("Update the package named in the traceback", note=note), older))  # fmt: skip
    shown = f"{blamed} {present.value.version}"
    newer = update(
        case.facts, case.matrix, blamed, "To a release that was written after NumPy 1.24."
    )
    return Found(
        "", (text,), (newer, older), title=says("numpy-alias-removed", "named-title", shown=shown)
    )


def _tensorflow_is_older(case: Case, text: Evidence, specifier: str) -> Found:
    present = installed(case, "numpy")
    numpy = present.value.version if isinstance(present, Known) else "1.24 or newer"
    release = value_or(case.facts.tensorflow.version, "")
    return Found(
        says("numpy-alias-removed", "tensorflow-is-older", specifier=specifier),
        (Evidence("packages.installed", f"numpy {numpy}", f"numpy {specifier}", METADATA), text),
        (install_fix(case.facts, case.matrix, "Downgrade NumPy", f"numpy{specifier}"),),
        title=says(
            "numpy-alias-removed", "tensorflow-is-older-title", release=release, numpy=numpy
        ),
    )


_BRING_ABSEIL = (
    "pyarrow",
    "tink",
    "torch",
    "jaxlib",
    "ray",
    "onnx",
    "sentencepiece",
    "scikit-learn",
)
"""Packages whose wheels hold C++ libraries that were seen to meet TensorFlow's (TensorFlow issues 98563 and 99464, Arrow
issue 40088, tink-py issue 25; 2024 and 2025)."""


@check("native-library-clash", blocks=Ability.COMPUTE)
def native_library_clash(case: Case) -> Found | None:
    """By the failed stage's words alone; which package is meant is likely where one of those known for it is installed."""
    must_have_listened(case)
    text = words(case.facts, "native-library-clash")
    if text is None:
        return None
    present = [
        each.value for name in _BRING_ABSEIL if isinstance(each := installed(case, name), Known)
    ]
    pairs = {
        each.name: pair_here(case.facts, case.matrix, "tensorflow", each.name) for each in present
    }
    beside = {name: pair.specifier for name, pair in pairs.items() if pair is not None}
    older = [
        each
        for each in present
        if each.name in beside and not fits(each.version, beside[each.name])
    ]
    suspects = older or present
    shown = " and ".join(f"{each.name} {each.version}" for each in suspects[:3])
    order = act("edit-program", "import-other-package-first")
    return Found(
        "TensorFlow hangs or aborts.",
        (text, *(Evidence("packages.installed", f"{each.name} {each.version}", beside.get(each.name, "")) for each in suspects[:3])),
        (
            *(install_fix(case.facts, case.matrix, f"Update {each.name}", f"{each.name}{beside[each.name]}") for each in older),
            _older_tensorflow(case),
            order,
        ),
        Confidence.CERTAIN,
        title=says("native-library-clash", "shown-title", shown=shown) if shown else "",
    )  # fmt: skip


def _older_tensorflow(case: Case) -> Fix | None:
    """Those before the first that clashes with pyarrow were seen to clash with none."""
    pair = pair_here(case.facts, case.matrix, "tensorflow", "pyarrow")
    if pair is None:
        return None
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    return install_fix(
        case.facts, case.matrix, "Downgrade TensorFlow", f"{name}{releases_without(pair)}"
    )


_JUDGED_ELSEWHERE = ("tensorflow", "numpy")
"""NumPy's own errors are those of what meets it; numpy-abi-mismatch tells them apart."""


@check("package-import-failed", blocks=Ability.NOTHING)
def package_import_failed(case: Case) -> Found | None:
    """By the traceback of the failed stage: the last package in the chain of imports is neither TensorFlow's nor compiled, and
    it is installed. Or of a package that nobody imported: by what it is known to need.
    """
    refused = _refuses_what_is_here(case) if failed_stage(case.facts) is None else None
    return refused or _raised_by_another(case)


_REFUSED = ("numpy", "ml-dtypes", "tensorflow", "typing-extensions")
"""Of these a companion needs certain versions. What needs a certain Keras or setuptools has a code of its own."""


def _refuses_what_is_here(case: Case) -> Found | None:
    """A companion that can't be imported beside the version of a package that suits TensorFlow. TensorFlow itself is unaffected."""
    plugins = value_or(case.facts.tensorflow.plugins, ())
    wrong = [
        (pair, version, present)
        for pair, version in pairs_here(case.facts, case.matrix)
        if pair.needs in _REFUSED
        and not pair.brings
        and pair.package not in plugins
        and (present := installed_version(case.facts, pair.needs))
        and not fits(present, pair.specifier)
    ]
    if not wrong or any(each.name == wrong[0][0].needs for each in requirement_conflicts(case)):
        return None
    first, version, present = wrong[0]
    ours = [pair for pair, _, _ in wrong if pair.package == first.package]
    fitting = tightest(*filter(None, (releases_without(each) for each in ours)))
    own = value_or(case.facts.tensorflow.distribution, "")
    kept = f"{own if first.needs == 'tensorflow' else first.needs}=={present}"
    update = pip_install(case.facts, f"{first.package}{fitting}", kept)
    return Found(
        says("package-import-failed", "refuses", name=first.package),
        tuple(
            Evidence("packages.installed", f"{each.package} {shown} with {each.needs} {beside}", f"{each.needs} {each.specifier}", each.source)
            for each, shown, beside in wrong
        ),
        (Fix(f"Install the {first.package} for {first.needs} {present}", (update,)),) if fitting else (),
        Confidence.LIKELY,
        Severity.WARNING,
        explains=frozenset(),
        title=says("package-import-failed", "refuses-title", name=first.package, version=version, needed=f"{first.needs}{tightest(*(each.specifier for each in ours))}", has=case.has, present=present),
    )  # fmt: skip


def _raised_by_another(case: Case) -> Found | None:
    must_have_listened(case)
    stage, chain = failed_stage(case.facts), import_chain(case.facts)
    if stage is None or not chain or chain[-1].startswith(_JUDGED_ELSEWHERE):
        return None
    said, present = exceptions(stage), installed(case, chain[-1])
    if not said or not isinstance(present, Known):
        return None
    name, version = present.value.name, present.value.version
    askers = [each for each in dict.fromkeys(chain[:-1]) if each != name]
    chain_in_words = f", which {' and then '.join(reversed(askers))} imports" if askers else ""
    return Found(
        says("package-import-failed", "found", name=name, version=version, chain_in_words=chain_in_words),
        (
            Evidence("smoke.tensorflow", said[0][:300], "TensorFlow is imported and computes", "the TensorFlow stage"),
            Evidence("packages.installed", f"{name} {version}", "a release that can be imported here", present.value.folder),
        ),
        _import_fixes(case.facts, case.matrix, present.value),
        Confidence.LIKELY,
        title=f"{name} {version}, which is imported with TensorFlow, fails: {said[0][:160]}",
    )  # fmt: skip


def _import_fixes(facts: Facts, matrix: Matrix, present: Distribution) -> tuple[Fix, ...]:
    name, version = present.name, present.version
    newer = update(facts, matrix, name, "To a release that fits what is beside it.")
    if by_conda(facts, name) or not is_version(version):
        return (newer,)
    return (
        newer,
        reinstall_package(facts, name, version, "For damaged files; it changes no other package."),
    )


_IMPORT = ("ImportError:", "OSError:", "error while loading shared libraries:", "NotFoundError:")

_OTHERS = (
    "cuda-libraries-missing", "driver-library-unreachable", "tensorflow-install-broken", "cudnn-incomplete", "cupti-unavailable",
    "libcuda-not-opened", "libcuda-plain-name",
)  # fmt: skip
"""Codes and signatures of sentences in which a library has a meaning of its own."""


@check("shared-library-missing", blocks=Ability.IMPORT)
def shared_library_missing(case: Case) -> Found | None:
    """By the loader's words in an import that failed. What belongs to CUDA, the driver or TensorFlow itself has codes of its own."""
    must_have_listened(case)
    told = _library_told(case)
    if told is None:
        return None
    library, blamed = told.told["library"], raised_in(case.facts)
    present = installed(case, blamed) if blamed else None
    owner = (
        f"{blamed} {present.value.version}"
        if isinstance(present, Known)
        else "TensorFlow or a package that it imports"
    )
    return Found(
        says("shared-library-missing", "found", owner=owner),
        (told.evidence,),
        _ways(case, library, blamed),
        title=says("shared-library-missing", "title", library=library),
    )


def _library_told(case: Case) -> Said | None:
    from tfdoctor.knowledge.messages.catalogue import first

    for each in each_said(case.facts, "file-not-opened"):
        line = each.evidence.observed
        if any(word in line for word in _IMPORT) and not first(line, *_OTHERS):
            return each
    return None


def _ways(case: Case, library: str, blamed: str) -> tuple[Fix, ...]:
    stem, _, version = library.removeprefix("lib").partition(".so")
    stem, version = stem.lower(), version.lstrip(".")
    if by_conda(case.facts, "tensorflow", "tensorflow-base", stem, blamed):
        return _by_conda(case, stem, version)
    packages = table("system").get(f"lib{stem}.so", "").split()
    commands = system_install(case.facts, apt=packages[0], dnf=packages[1]) if packages else ()
    if packages and commands:
        return (Fix(f"Install {library}", commands, "It adds this library and what it needs."),)
    note = "`apt-file search` (Debian, Ubuntu) or `dnf provides` (Fedora) tell which package of the system brings it. A package with compiled parts may also be newer or older than what is beside it."
    return (Fix(f"Install the package with {library}", note=note),)


def _by_conda(case: Case, stem: str, version: str) -> tuple[Fix, ...]:
    """conda's builds are linked with conda's own libraries, whose file names carry the release where each breaks the last."""
    present = installed(case, stem)
    exact = f"{stem}={version}" if version.count(".") >= 1 else stem
    found = []
    if isinstance(present, Known) or version.count(".") >= 1:
        found.append(Fix(f"Install {exact}", (conda_install(case.facts, exact),)))
    found.append(
        Fix("Update TensorFlow and its libraries with conda", (conda_install(case.facts, "tensorflow", options=("--update-deps",)),),
            "It may bring another release of TensorFlow, too."))  # fmt: skip
    return tuple(found)


@check("custom-op-mismatch", blocks=Ability.NOTHING)
def custom_op_mismatch(case: Case) -> Found | None:
    """The words of a failed import prove it; a package whose metadata asks for another TensorFlow is a warning."""
    if plugin := said(case.facts, "plugin-not-loaded"):
        return _plugin(case, plugin)
    if text := words(case.facts, "custom-op-mismatch"):
        return Found(
            says("custom-op-mismatch", "found"), (text,), (act("edit-program", "recompile-op"),)
        )
    others = case.need_outcome(case.facts.packages.built_on_another)
    if isinstance(others, Known) and others.value:
        return _by_metadata(case, others.value)
    must_have_listened(case)
    return None


def _plugin(case: Case, told: Said) -> Found:
    """A file in tensorflow-plugins, which TensorFlow loads at its import: the file is there, what it was linked with is not."""
    file = told.told["library"].replace("\\", "/").rpartition("/")[2]
    every = value_or(case.facts.packages.installed, ())
    named = value_or(case.facts.tensorflow.plugins, ())
    version = value_or(case.facts.tensorflow.version, "")
    made_for = {
        pair.package: pair.specifier
        for pair, _ in pairs_here(case.facts, case.matrix)
        if pair.needs == "tensorflow"
        and not pair.brings
        and (not version or not fits(version, pair.specifier))
    }
    known = [each for each in every if each.name in named or each.name in made_for]
    shown = " and ".join(f"{each.name} {each.version}" for each in known) or f"The plug-in {file}"
    fitting = [made_for[each.name] for each in known if each.name in made_for]
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    return Found(
        says("custom-op-mismatch", "plugin"),
        (told.evidence, *(Evidence("packages.installed", f"{each.name} {each.version}", f"TensorFlow {made_for.get(each.name, 'of its own release')}") for each in known)),
        (
            *(install_fix(case.facts, case.matrix, f"Install TensorFlow {spec.strip('=.*')}", f"{name}{spec}") for spec in fitting),
            *(Fix(f"Remove {each.name}", (pip_uninstall(case.facts, each.name),)) for each in known),
            None if known else act("change-packages", "remove-or-update-plug-in"),
        ),
        title=says("custom-op-mismatch", "plugin-title", shown=shown, version=version),
    )  # fmt: skip


def _by_metadata(case: Case, others: tuple[UnmetRequirement, ...]) -> Found:
    """Nobody loaded it: TensorFlow itself is unaffected."""
    named = " and ".join(f"{each.owner} {each.owner_version}" for each in others)
    return Found(
        "Importing it usually fails with `undefined symbol`.",
        tuple(
            Evidence(
                "packages.built_on_another",
                f"{each.name} {value_or(each.installed, '')}",
                f"{each.name}{each.specifier}",
                f"Requires-Dist of {each.owner} {each.owner_version}",
            )
            for each in others
        ),
        tuple(fix for each in others for fix in _custom_op_ways(case, each)),
        Confidence.LIKELY,
        Severity.WARNING,
        explains=frozenset(),
        title=f"{named} {'needs' if len(others) == 1 else 'need'} {others[0].name}{others[0].specifier}.",
    )


def _custom_op_ways(case: Case, other: UnmetRequirement) -> tuple[Fix | None, ...]:
    """A range that stands under an extra does not guide pip: it would leave the package as it is, so TensorFlow has to follow."""
    fitting: tuple[Fix, ...] = ()
    with contextlib.suppress(ValueError):  # a specifier that is none asks for no release
        fitting = install_fitting(
            case.facts, case.matrix, spec=other.specifier, along=(other.owner,)
        )
    removed = Fix(
        f"Remove {other.owner} if nothing needs it", (pip_uninstall(case.facts, other.owner),)
    )
    return (*fitting, removed) if other.extra else (_release_for_this(case, other), *fitting)


def _release_for_this(case: Case, other: UnmetRequirement) -> Fix | None:
    """The release of the same minor where the two go together. Else pip finds the one whose requirement the installed TensorFlow
    meets, or says that there is none; it would bring another where the one here has another name.
    """
    title, note = (
        f"Install the {other.owner} for this TensorFlow",
        "If there is none, use an older TensorFlow.",
    )
    if spec := _of_same_minor(case, other.owner):
        return install_fix(case.facts, case.matrix, title, spec, note=note)
    if value_or(case.facts.tensorflow.distribution, "") != other.name:
        return None
    pin = f"{other.name}=={value_or(other.installed, '')}"
    return Fix(title, (pip_install(case.facts, other.owner, pin, options=("--upgrade",)),), note)


def _of_same_minor(case: Case, package: str) -> str:
    """ "tf-keras==2.16.*" for TensorFlow 2.16; "" for a package that is not released for one minor each."""
    version = str(tensorflow_version(case))
    return next(
        (
            f"{package}{specifier_for(each.specifier, version)}"
            for each in case.matrix.pairs
            if each.package == package and "{minor}" in each.specifier
        ),
        "",
    )


_OWN = "libtensorflow"


@check("library-path-leak", blocks=Ability.IMPORT)
def library_path_leak(case: Case) -> Found | None:
    """The libraries in the folders of LD_LIBRARY_PATH, which the loader searches first: one of TensorFlow's own names, or the
    one in which the loader misses a symbol, by the words of the failed stage.
    """
    folders = case.need(case.facts.environment.library_path)
    found = _of_tensorflow(case, folders) or _too_old(case, folders)
    if found is None:
        return None
    folder, library, text = found
    evidence = Evidence(
        "environment.library_path", f"{folder.path}/{library}", f"no other {library} before TensorFlow's own",
        "the loader's order: LD_LIBRARY_PATH before RUNPATH (ld.so(8))",
    )  # fmt: skip
    return Found(
        says("library-path-leak", "found", path=folder.path),
        (evidence, text),
        (leave_out(case.facts, "LD_LIBRARY_PATH", folder.path),),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        title=says("library-path-leak", "title", library=library),
    )


def _of_tensorflow(
    case: Case, folders: tuple[LibraryFolder, ...]
) -> tuple[LibraryFolder, str, Evidence | None] | None:
    """Another TensorFlow's libraries: those of C or C++, or of another environment."""
    own = value_or(case.facts.tensorflow.location, "")
    for folder in folders:
        taken = [name for name in folder.libraries if name.startswith(_OWN)]
        if taken and own and folder.path != own:
            text = said(case.facts, "undefined-symbol", "own-library-missing", "versioned-symbol")
            return (
                folder,
                _framework(taken),
                text.evidence if text else words(case.facts, "check-failed"),
            )
    return None


def _framework(names: list[str]) -> str:
    return next((name for name in names if "_framework.so.2" in name), names[0])


def _too_old(
    case: Case, folders: tuple[LibraryFolder, ...]
) -> tuple[LibraryFolder, str, Evidence | None] | None:
    """A symbol that the loader misses tells in which library it should be; the first folder that has that one supplied it."""
    missed: Said | None = said(case.facts, "undefined-symbol")
    library = missed.told.get("library", "") if missed else ""
    if missed is None or not library:
        return None
    return next(
        ((folder, library, missed.evidence) for folder in folders if library in folder.libraries),
        None,
    )


PLUGIN = "tensorflow-metal"


@check("metal-plugin-missing", blocks=Ability.GPU)
def metal_plugin_missing(case: Case) -> Found | None:
    """An Apple GPU, no plug-in, and no GPU that TensorFlow shows. An error where a GPU is required, else a loss."""
    bus = value_or(case.facts.host.gpus_on_bus, ())
    foreign = value_or(case.facts.interpreter.machine, "arm64") != "arm64" or "x86_64" in value_or(
        case.facts.tensorflow.wheel_tag, ""
    )
    if foreign or not any(each.vendor == "apple" for each in bus):
        return None  # foreign-architecture speaks of a Python for Intel's Macs
    if not isinstance(case.need_outcome(installed(case, PLUGIN)), Absent):
        return None
    smoke = case.facts.smoke.tensorflow
    if isinstance(smoke, Known) and value_or(smoke.value.gpus, ()):
        return None
    version = str(tensorflow_version(case))
    return Found(
        says("metal-plugin-missing", "found"),
        (
            evidence(case, "host.gpus_on_bus", observed="Apple's GPU"),
            Evidence("packages.installed", f"no {PLUGIN}", f"a {PLUGIN} that fits TensorFlow {version}", "Apple, Get started with tensorflow-metal"),
        ),
        plugin_ways(case.facts, case.matrix, version),
        Confidence.CERTAIN,
        None if case.policy.require_gpu else Severity.WARNING,
    )  # fmt: skip


def plugin_ways(facts: Facts, matrix: Matrix, version: str) -> tuple[Fix, ...]:
    """The release of the plug-in that loads beside this TensorFlow; where none does, the newest TensorFlow that has one."""
    accept = act("words", "accept-cpu")
    python, beside = (
        installed_version(facts, "python"),
        releases_beside(matrix, PLUGIN, "tensorflow", version),
    )
    here = not python or releases_beside(matrix, PLUGIN, "python", python) is not None
    if beside is not None and here:
        has_one = any(each.name == PLUGIN for each in value_or(facts.packages.installed, ()))
        verb = "Change the version of" if has_one else "Install"
        return (install_fix(facts, matrix, f"{verb} {PLUGIN}", f"{PLUGIN}{beside}"), accept)
    return (*_with_plugin(facts, matrix, version, here=here), accept)


def _with_plugin(facts: Facts, matrix: Matrix, version: str, *, here: bool) -> tuple[Fix, ...]:
    """The newest TensorFlow that the plug-in loads beside, in an environment of its own where it has no wheel for this Python."""
    newest = matrix.pairs_of(PLUGIN, "tensorflow")[-1]
    release = fitting(facts, matrix, spec=newest.specifier, any_python=not here)
    if release is None:
        return ()
    minor = release.minor
    pair = (
        f"tensorflow~={minor}.0",
        f"{PLUGIN}{releases_beside(matrix, PLUGIN, 'tensorflow', release.tensorflow)}",
    )
    title = f"Install TensorFlow {minor} with the plug-in"
    if here:
        return (
            install_fix(
                facts, matrix, title, *pair, note=f"No release of the plug-in works with {version}."
            ),
        )
    feature = value_or(release.python, ())[-1].feature
    folder = f"tensorflow-{minor}"
    commands = (
        Environment(folder, by=f"python{feature}"),
        quoted(Words("{{folder}}/bin/python", folder=folder), Words("-m pip install"), *pair),
    )
    note = f"The plug-in has no wheel for Python {installed_version(facts, 'python')}; this makes an environment of Python {feature}."
    return (Fix(title, commands, note),)


@check("wrong-interpreter", blocks=Ability.NOTHING)
def wrong_interpreter(case: Case) -> Found | None:
    """No TensorFlow here, and one in the environment that is active; never where --python chose the interpreter. A
    kernel of this environment whose Python is gone is a warning.
    """
    if isinstance(case.need_outcome(case.facts.tensorflow.version), Known):
        return _kernel_without_python(case)
    chosen = value_or(case.facts.interpreter.chosen_by, "")
    if chosen.startswith("--python"):
        return None
    other = case.need(case.facts.interpreter.active_with_tensorflow)
    here = interpreter(case.facts)
    return Found(
        says("wrong-interpreter", "found", here=here),
        (
            Evidence(
                "interpreter.executable",
                here,
                f"the Python of {other}",
                "the environment that has TensorFlow",
            ),
            Evidence("interpreter.chosen_by", chosen or "unknown"),
        ),
        (_use_other(case, other),),
        title=says("wrong-interpreter", "title", other=other),
    )


def _kernel_without_python(case: Case) -> Found | None:
    """A kernel of this environment whose Python is gone: the environment was moved, copied or rebuilt."""
    prefix = known(case.facts.interpreter.prefix)
    lost = next(
        (
            each
            for each in value_or(case.facts.jupyter.kernels, ())
            if prefix
            and each.folder.startswith(f"{prefix}/")
            and isinstance(each.interpreter, Absent)
        ),
        None,
    )
    if lost is None:
        return None
    started = lost.argv[0] if lost.argv else "nothing"
    register = (interpreter(case.facts), "-m", "ipykernel", "install")
    return Found(
        says("wrong-interpreter", "kernel-without-python", name=lost.name, started=started),
        (
            Evidence(
                "jupyter.kernels",
                f"{lost.folder}: {started}",
                interpreter(case.facts),
                "argv of kernel.json",
            ),
        ),
        (
            Fix(
                "Register the notebook kernel again",
                (quoted(*register, "--sys-prefix", "--name", checked("kernel", lost.name)),),
            ),
        ),
        severity=Severity.WARNING,
        explains=frozenset(),
    )


def _use_other(case: Case, other: str) -> Fix:
    folder = other.rstrip("/")
    python = folder if folder.rpartition("/")[2].startswith("python") else f"{folder}/bin/python"
    kernel = case.facts.jupyter.examined_kernel
    if isinstance(kernel, Known):
        name = python.rpartition("/bin/")[0].rpartition("/")[2] or "tensorflow"
        commands = (
            _ipykernel_into(case, python),
            quoted(python, "-m", "ipykernel", "install", "--user", "--name", name),
        )
        return Fix(
            "Register that environment as a Jupyter kernel",
            commands,
            f"Then choose the kernel {name} in the notebook.",
        )
    return Fix(
        "Use the environment that has TensorFlow",
        (quoted("tfdoctor", "check", "--python", python),),
    )


def _ipykernel_into(case: Case, python: str) -> str:
    """By pip where that environment has it, else by uv, which makes environments without."""
    if not value_or(case.facts.interpreter.active_has_pip, True):
        return quoted("uv", "pip", "install", "--python", python, "ipykernel")
    return quoted(python, "-m", "pip", "install", "ipykernel")


by_words(
    "protobuf-two-runtimes",
    "Both register the same messages, and one aborts.",
    act("edit-program", "import-tensorflow-first-and-align-protobuf"),
)
by_words(
    "hdf5-mismatch",
    "HDF5 aborts the program.",
    act("unset-variable", "unset-ld-library-path"),
    act("change-packages", "h5py-and-hdf5-from-one-source"),
)
by_words(
    "openmp-duplicate",
    "Results are wrong, or the program ends.",
    act("change-packages", "openmp-packages-from-one-source"),
)
