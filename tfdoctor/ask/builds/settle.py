"""Makes facts of what build files say: of a range of versions the one that its installer would take, as far as that is known.

pip takes the newest that everything asked for allows. What the matrix can't tell of it is left out: a check that needs it is then
inconclusive, and nothing is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from tfdoctor.ask.builds.image_libraries import libraries
from tfdoctor.ask.builds.statements import CONDA, PIP, Environment, Statement, is_specifier
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.records import record
from tfdoctor.base.version_ranges import contains, is_possible, parts, tightest
from tfdoctor.facts.model import CudaLibraries, Facts, Host, Interpreter, Packages, TensorFlow
from tfdoctor.facts.model import Environment as Variables
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.facts.values import Distribution, Requirement, SchedulerJob, TensorFlowBuild
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.variable_names import counts

UNTOLD = Failed("the file does not tell it", "not-asked")
_LINUX, _ARM = "linux_x86_64", "linux_aarch64"
_OLDEST_FOR_NEWEST = PythonRelease("3.9")
"""For an older Python pip brings the last releases that still support it, and nobody knows here which those are."""


@record
class Settled:
    """The facts. `inferred`: of packages whose version the files leave open, how it came about, by name. `left_open`: those that are
    or may be there in a version that can't be told."""

    facts: Facts
    inferred: Mapping[str, str]
    wants_gpu: bool
    left_open: frozenset[str]


@record
class Wanted:
    """A package as all of the statements about it leave it."""

    specifier: str
    installer: str
    extras: frozenset[str] = frozenset()
    bounded_only: bool = False  # nothing but constraints name it
    upgraded: bool = False  # what the image has of it is replaced though it is in the range


def settled(environment: Environment, matrix: Matrix, python: str = "") -> Settled:
    """The environment on Linux, on x86_64 unless it says another machine. `python`: the version that the user told."""
    said = environment.statements
    image = _image(said, matrix)
    machine = (
        "aarch64"
        if any(each.name == "platform" and "arm64" in (each.value or "") for each in said)
        else "x86_64"
    )
    allowed = _pythons(said, image, python)
    one = allowed[0] if len(allowed) == 1 else None
    wanted = _wanted(said, one, machine)
    own = _tensorflows(wanted, image, matrix, allowed, machine)
    row = _row(own, matrix, machine)
    chosen = _chosen(allowed, row)
    needed = (
        {}
        if row is None
        else {name: _needed(name, row, chosen) for name in value_or(row.requires, {})}
    )
    inferred: dict[str, str] = {}
    empty = [
        Distribution(
            name, _exact(wanted[name].specifier) or version, "", wanted[name].installer, False
        )
        for name, version in matrix.empty_packages().items()
        if name in wanted and name not in TENSORFLOW_NAMES
    ]
    lost = _lost_extra(wanted, own, matrix)
    extras = {extra for name in TENSORFLOW_NAMES if name in wanted for extra in wanted[name].extras}
    asked = lost or ("the extra and-cuda" if "and-cuda" in extras else "")
    installed = [*own, *empty]
    if row is not None:
        installed += _others(
            wanted, own[0], row, needed, matrix, chosen, inferred, whole=not _unread(said),
            with_image="tensorflow" in image,
        )  # fmt: skip
    else:
        installed += [
            each
            for name, stated in wanted.items()
            if (each := _exactly(name, stated)) and name not in TENSORFLOW_NAMES
        ]
    facts = Facts(
        host=_host(environment, image, machine),
        interpreter=_interpreter(chosen, machine, image),
        packages=Packages(
            installed=Known(tuple(installed), environment.file),
            requirements=_requirements(row, needed, installed, lost),
        ),
        tensorflow=_tensorflow(own, row, asked)
        if own or not empty
        else TensorFlow(distributions=Absent("none is asked for")),
        cuda_libraries=_cuda_libraries(said, wanted, own, row, image, matrix),
        environment=Variables(_variables(said)),
    )
    wants_gpu = image.get("gpu") == "yes" or "and-cuda" in extras or bool(lost)
    return Settled(facts, inferred, wants_gpu, _left_open(said, installed, matrix))


def _left_open(
    said: Iterable[Statement], installed: Iterable[Distribution], matrix: Matrix
) -> frozenset[str]:
    """Of the packages that are asked for, or that an unread file may ask for, those whose version can't be told."""
    asked = {each.name for each in said if each.kind == "package"}
    if _unread(said):
        asked |= {each.needs for each in matrix.pairs}
    return frozenset(asked - {each.name for each in installed})


def _lost_extra(wanted: Mapping[str, Wanted], own: list[Distribution], matrix: Matrix) -> str:
    """What asks for an extra that this release does not have yet, so that pip leaves it out; "" for nothing."""
    from packaging.version import Version  # 20 ms that few answers need

    stated = wanted.get(own[0].name) if own else None
    for extra, since in matrix.later_extras().items():
        if (
            stated is not None
            and extra in stated.extras
            and Version(own[0].version) < Version(since)
        ):
            return f"{own[0].name}[{extra}], an extra that TensorFlow has from {since} on"
    return ""


def _image(said: Iterable[Statement], matrix: Matrix) -> Mapping[str, str]:
    """What the last base image tells."""
    images = [each for each in said if each.kind == "image"]
    if not images or images[-1].value is None:
        return {}
    name = images[-1].name.removeprefix("docker.io/").removeprefix("index.docker.io/")
    told = matrix.image(name.removeprefix("library/"), images[-1].value or "latest")
    apart = any(each.name == "own-environment" for each in said)
    return {key: value for key, value in told.items() if not (apart and key == "tensorflow")}


# Python


@cache
def _features() -> tuple[PythonRelease, ...]:
    return tuple(PythonRelease(f"3.{minor}") for minor in range(5, 30))


def _pythons(
    said: Iterable[Statement], image: Mapping[str, str], python: str
) -> tuple[PythonRelease, ...]:
    """Those that all ranges allow; () where nothing tells."""
    stated = [each for each in said if each.kind == "python"]
    if python:
        return (PythonRelease(PythonRelease.parse(python).feature),)
    if stated:
        last = [each.value for each in stated if each.step == stated[-1].step]
        ranges = [each if is_specifier(each) else f"=={each}.*" for each in last if each]
        return (
            tuple(
                each
                for each in _features()
                if all(each.text in _allowed(range_) for range_ in ranges)
            )
            if ranges
            else ()
        )
    if "python" in image:
        return (PythonRelease(image["python"]),)
    if "system-python" in image and not any(each.name == "another-python" for each in said):
        return (PythonRelease(image["system-python"]),)
    return ()


@cache
def _allowed(specifier: str) -> frozenset[str]:
    """The minor releases of which any patch release is in the range."""
    bounds = [each.version.removesuffix(".*") for each in parts((specifier,))]
    return frozenset(
        each.text
        for each in _features()
        if any(
            contains(specifier, tried)
            for tried in (
                each.text,
                f"{each.text}.99",
                *(bound for bound in bounds if bound.startswith(f"{each.text}.")),
            )
        )
    )


def _chosen(allowed: tuple[PythonRelease, ...], row: Release | None) -> Fact[PythonRelease]:
    """The newest for which TensorFlow has a wheel; where there is none, and the range has an end, the newest of the range."""
    if not allowed:
        return UNTOLD
    served = {each.feature for each in value_or(row.python, ())} if row is not None else set()
    fitting = [each for each in allowed if each.feature in served]
    return Known(fitting[-1] if fitting else allowed[0], "what the file says of Python")


# packages


_MOST_BOUNDS = 50  # of one package


def _wanted(
    said: Iterable[Statement], python: PythonRelease | None, machine: str
) -> dict[str, Wanted]:
    """By name; those of which a statement leaves open what is wanted are left out, as is a range that an unread file may narrow."""
    found: dict[str, Wanted] = {}
    steps: dict[str, int] = {}
    left_open: set[str] = set()
    for each in said:
        if each.kind not in ("package", "constraint"):
            continue
        applies = _applies(each.marker, python, machine)
        if applies is False:
            continue
        if each.value is None or applies is None:
            left_open.add(each.name)
            continue
        before = found.get(each.name)
        later = before is not None and steps[each.name] != each.step and each.kind == "package"
        bounds = dict.fromkeys(
            filter(None, (*(before.specifier.split(",") if before else ()), *each.value.split(",")))
        )
        if len(bounds) > _MOST_BOUNDS:
            left_open.add(each.name)
            continue
        both = ",".join(bounds)
        if later and not is_possible(both):
            both = each.value
        bounded = each.kind == "constraint" and (before is None or before.bounded_only)
        extras = (before.extras if before else frozenset()) | set(each.extras)
        upgraded = each.upgraded or (before is not None and before.upgraded)
        found[each.name] = Wanted(both, each.installer, extras, bounded, upgraded)
        steps[each.name] = each.step
        left_open.discard(each.name) if later else None
    if _unread(said):
        left_open |= {name for name, each in found.items() if not _exact(each.specifier)}
    return {name: each for name, each in found.items() if name not in left_open}


def _unread(said: Iterable[Statement]) -> bool:
    """Whether a file of requirements or constraints is named that is not there."""
    return any(each.name == "unread-file" for each in said)


def _applies(marker: str, python: PythonRelease | None, machine: str) -> bool | None:
    """Whether a marker holds on Linux; None where that hangs on a Python that nobody tells, or it is none."""
    return _evaluated(marker, python, machine) if marker else True


@cache
def _evaluated(marker: str, python: PythonRelease | None, machine: str) -> bool | None:
    from packaging.markers import (
        InvalidMarker,
        Marker,
        UndefinedComparison,
        UndefinedEnvironmentName,
    )

    system = {
        "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": machine,
        "platform_python_implementation": "CPython", "implementation_name": "cpython", "extra": "",
    }  # fmt: skip
    try:
        form = Marker(marker)
        answers = {
            form.evaluate(
                {
                    **system,
                    "python_version": each.feature,
                    "python_full_version": f"{each.feature}.0",
                }
            )
            for each in ((python,) if python else _features()[2:])
        }
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, ValueError, KeyError):
        return None
    return answers.pop() if len(answers) == 1 else None


def _tensorflows(
    wanted: Mapping[str, Wanted],
    image: Mapping[str, str],
    matrix: Matrix,
    allowed: tuple[PythonRelease, ...],
    machine: str,
) -> list[Distribution]:
    """The distributions of TensorFlow that will be there, the one that is imported first; [] where its version can't be told."""
    found = []
    for name in sorted(
        TENSORFLOW_NAMES & wanted.keys(), key=lambda each: (each != "tensorflow", each)
    ):
        stated = wanted[name]
        if stated.bounded_only or (name != "tensorflow" and _only_brings(name, wanted)):
            continue
        there = image.get("tensorflow", "") if name == "tensorflow" else ""
        stays = bool(there) and not stated.upgraded and contains(stated.specifier, there)
        version = there if stays else _release(name, wanted, matrix, allowed, machine)
        if version:
            found.append(Distribution(name, version, "", stated.installer, False))
        elif name == "tensorflow":
            return []
    if not found and "tensorflow" in image and not TENSORFLOW_NAMES & wanted.keys():
        found.append(Distribution("tensorflow", image["tensorflow"], "", PIP, False))
    return found


def _only_brings(name: str, wanted: Mapping[str, Wanted]) -> bool:
    """Whether the package is no second TensorFlow beside `tensorflow`: conda's are one build under several names, and
    `tensorflow-intel` is what `tensorflow` consists of on Windows."""
    plain = wanted.get("tensorflow")
    if plain is None or plain.bounded_only:
        return False
    return name == "tensorflow-intel" or (plain.installer, wanted[name].installer) == (CONDA, CONDA)


def _release(
    name: str,
    wanted: Mapping[str, Wanted],
    matrix: Matrix,
    allowed: tuple[PythonRelease, ...],
    machine: str,
) -> str:
    """The newest release that is asked for, has a wheel for the Python and takes what else is asked for; "" where the newest may
    be one that is not known here."""
    from packaging.version import InvalidVersion, Version  # 20 ms that few answers need

    stated = wanted[name]
    platform = _ARM if machine == "aarch64" else _LINUX
    exact = _exact(stated.specifier)
    if exact:
        try:
            version = Version(exact)
        except InvalidVersion:
            return ""
        if isinstance(matrix.release(exact, name, platform), Known):
            return exact
        known = (each.tensorflow for each in matrix.releases(platform, name))
        # "2.9" is 2.9.0.
        return next((each for each in known if Version(each) == version), str(version))
    empty = matrix.empty_packages().get(name)
    if empty and contains(stated.specifier, empty):
        return empty
    rows = [
        each
        for each in matrix.releases(platform, name)
        if contains(stated.specifier, each.tensorflow)
    ]
    final = [each for each in rows if not Version(each.tensorflow).is_prerelease]
    features = {each.feature for each in allowed}
    served = [
        each
        for each in final
        if not features or features & {python.feature for python in value_or(each.python, ())}
    ]
    agreeing = [each for each in served if _agrees(each, wanted, allowed)]
    if agreeing:
        return agreeing[0].tensorflow
    return (served or final)[0].tensorflow if final and _has_end(stated.specifier) else ""


def _agrees(row: Release, wanted: Mapping[str, Wanted], allowed: tuple[PythonRelease, ...]) -> bool:
    """Whether an installer can have all of it: it goes back to an older release until it can."""
    python = _chosen(allowed, row)
    both = (
        (stated.specifier, _needed(name, row, python))
        for name, stated in wanted.items()
        if name in value_or(row.requires, {})
    )
    return all(is_possible(",".join(filter(None, each))) for each in both)


def _exact(specifier: str) -> str:
    """The one version that a range allows; "" where it allows several."""
    exact = {
        each.version
        for each in parts((specifier,))
        if each.operator in ("==", "===") and not each.version.endswith(".*")
    }
    return exact.pop() if len(exact) == 1 else ""


def _has_end(specifier: str) -> bool:
    return any(each.operator in ("<", "<=", "==", "===", "~=") for each in parts((specifier,)))


def _exactly(name: str, stated: Wanted) -> Distribution | None:
    version = _exact(stated.specifier)
    return (
        Distribution(name, version, "", stated.installer, False)
        if version and not stated.bounded_only
        else None
    )


def _row(own: list[Distribution], matrix: Matrix, machine: str) -> Release | None:
    if not own:
        return None
    row = matrix.release(own[0].version, own[0].name, _ARM if machine == "aarch64" else _LINUX)
    return known(row)


def _others(
    wanted: Mapping[str, Wanted],
    own: Distribution,
    row: Release,
    metadata: Mapping[str, str],
    matrix: Matrix,
    python: Fact[PythonRelease],
    inferred: dict[str, str],
    *,
    whole: bool,
    with_image: bool,
) -> Iterator[Distribution]:
    """The packages beside TensorFlow. Those that it requires and nobody names count where pip is known to bring a wrong one, and
    the files are read as a whole. `with_image`: the base image has a TensorFlow and what that requires."""
    needed = {**metadata}
    for name, specifiers in _bounds_beside(wanted, matrix).items():
        needed[name] = tightest(needed.get(name, ""), *specifiers)
    bounds = _unbounded(row, matrix, python)
    unbounded = (
        bounds if own.installer == PIP and own.name in wanted and whole and not with_image else {}
    )
    if whole and (keras := _brought(wanted, own, needed, matrix)):
        inferred["keras"] = f"TensorFlow {row.tensorflow} brings Keras {keras} or later."
        yield Distribution("keras", keras, "", PIP, False)
    for name in dict.fromkeys((*wanted, *unbounded)):
        stated = wanted.get(name, Wanted("", PIP, bounded_only=True))
        if name in TENSORFLOW_NAMES or (stated.bounded_only and name not in needed):
            continue
        version = _exact(stated.specifier)
        there = with_image and name in metadata
        if not version and (
            _follows(name, stated, row, matrix)
            or (there and _stays(stated, metadata[name], bounds.get(name, "")))
        ):
            continue
        if not version:
            version, how = _taken(
                name, stated, needed.get(name, ""), unbounded.get(name, ""), matrix, python
            )
            if how:
                inferred[name] = how
        if version:
            yield Distribution(name, version, "", stated.installer, False)


def _bounds_beside(wanted: Mapping[str, Wanted], matrix: Matrix) -> dict[str, list[str]]:
    """What the metadata of the packages that are asked for bounds, by name: an installer keeps to it."""
    found: dict[str, list[str]] = {}
    for pair in (each for each in matrix.pairs if each.stated and each.package in wanted):
        asked = wanted[pair.package].specifier
        ends = [each.version for each in parts((pair.of,)) if each.operator == "<"]
        if asked and is_possible(f"{asked},{pair.stated}") and not any(is_possible(f"{asked},>={end}") for end in ends):  # fmt: skip
            found.setdefault(pair.needs, []).append(pair.specifier)
    return found


def _follows(name: str, stated: Wanted, row: Release, matrix: Matrix) -> bool:
    """Whether an installer finds the version of TensorFlow's own minor, which the package's metadata asks for."""
    return matrix.brings(name) and is_possible(f"{stated.specifier},=={row.minor}.*".lstrip(","))


def _stays(stated: Wanted, needed: str, too_new: str) -> bool:
    """Whether an installer may leave the version that the image has, which nobody tells: one that TensorFlow can work with is in the
    range."""
    ends = (stated.specifier, needed, f"<{too_new}" if too_new else "")
    return not stated.upgraded and is_possible(",".join(filter(None, ends)))


def _needed(name: str, row: Release, python: Fact[PythonRelease]) -> str:
    """What TensorFlow's metadata asks of a package; where that hangs on a Python that nobody tells, what it asks for each."""
    listed = value_or(row.requires, {}).get(name, ())
    one = known(python)
    answers = [(each.spec, _applies(each.marker, one, "x86_64")) for each in listed]
    if all(applies is not None for _, applies in answers):
        return tightest(*(spec for spec, applies in answers if applies))
    ends = {_upper_end(spec) for spec, applies in answers if applies is not False}
    return ends.pop() if len(ends) == 1 else ""


def _upper_end(specifier: str) -> str:
    return tightest(*(str(each) for each in parts((specifier,)) if each.operator in ("<", "<=")))


def _unbounded(row: Release, matrix: Matrix, python: Fact[PythonRelease]) -> dict[str, str]:
    """The packages for which this TensorFlow's metadata lacks an upper bound that it needs, and the first version that is too new."""
    found = {}
    for defect in matrix.defects(row.tensorflow):
        name = defect.kind.removesuffix("-bound-missing")
        if name != defect.kind and name in defect.detail:
            found[name] = defect.detail[name].lstrip("<")
    return {
        name: version
        for name, version in found.items()
        if _exists_for(name, version, matrix, python)
    }


def _exists_for(name: str, version: str, matrix: Matrix, python: Fact[PythonRelease]) -> bool:
    """Whether pip can bring that version to the Python; where nobody tells it, whether to any."""
    return not isinstance(python, Known) or all(
        contains(each.specifier, version)
        for each in matrix.pairs_of("python", name)
        if contains(each.of, python.value.feature)
    )


def _brought(
    wanted: Mapping[str, Wanted], own: Distribution, needed: Mapping[str, str], matrix: Matrix
) -> str:
    """The oldest Keras that TensorFlow can bring, where something else that is asked for is known to hang on it; "" else."""
    concerned = any(
        each.needs == "keras" and each.package in wanted.keys() - TENSORFLOW_NAMES
        for each in matrix.pairs
    )
    if not concerned or "keras" in wanted or own.installer != PIP:
        return ""
    lowest = (each.version for each in parts((needed.get("keras", ""),)) if each.operator == ">=")
    return next(lowest, "")


def _taken(
    name: str,
    stated: Wanted,
    needed: str,
    too_new: str,
    matrix: Matrix,
    python: Fact[PythonRelease],
) -> tuple[str, str]:
    """The version that pip takes of a range, and how that is known; "" where it is not."""
    if stated.installer == CONDA:
        return "", ""
    both = tightest(stated.specifier, needed)
    range_ = both if is_possible(both) else tightest(stated.specifier)
    if too_new and contains(range_, too_new):
        return too_new, _newest(name, too_new)
    candidates = [
        each
        for each in _mentioned(matrix, name, needed, stated.specifier)
        if contains(range_, each)
    ]
    if not candidates:
        return "", ""
    if _has_end(range_):
        return candidates[-1], f"Of {name}{range_} it takes {candidates[-1]} or later."
    if isinstance(python, Known) and python.value < _OLDEST_FOR_NEWEST:
        return "", ""
    return candidates[-1], _newest(name, candidates[-1])


def _newest(name: str, version: str) -> str:
    return (
        f"The file has no upper bound for {name}, so pip installs the newest, {version} or later."
    )


def _mentioned(matrix: Matrix, name: str, *ranges: str) -> list[str]:
    """The versions of a package that are known by name, the newest last."""
    from packaging.version import Version  # 20 ms that few answers need

    known = (*_known_ranges(matrix, name), *ranges)
    found = {each.version.removesuffix(".*") for each in parts(known)}
    return sorted(found, key=Version)


@cache
def _known_ranges(matrix: Matrix, name: str) -> tuple[str, ...]:
    of = tuple(each.of for each in matrix.pairs if each.package == name)
    return of + tuple(
        each.specifier for each in matrix.pairs if each.needs == name and "{" not in each.specifier
    )


def _requirements(
    row: Release | None, needed: Mapping[str, str], installed: list[Distribution], lost: str
) -> Fact[tuple[Requirement, ...]]:
    """TensorFlow's own, as far as the files tell what is installed of them. `lost`: an extra that pip leaves out."""
    if row is None or not isinstance(row.requires, Known):
        return UNTOLD
    found = []
    by_name = {each.name: each for each in reversed(installed)}
    for name, spec in needed.items():
        here = by_name.get(name)
        if here is None:
            found.append(Requirement(name, spec, UNTOLD, "", True))
        else:
            found.append(
                Requirement(
                    name, spec, Known(here.version, "the file"), "", contains(spec, here.version)
                )
            )
    left_out = value_or(row.and_cuda, {}) if lost else {}
    found += [
        Requirement(name, each[0].spec, Absent(lost), "and-cuda", False)
        for name, each in left_out.items()
    ]
    return Known(tuple(found), row.requires.source)


# the groups


_CONTAINERS = {
    "linux": "docker",
    "compose": "docker",
    "kubernetes": "kubernetes",
    "apptainer": "apptainer",
}


def _host(environment: Environment, image: Mapping[str, str], machine: str) -> Host:
    told = environment.file
    return Host(
        os=Known("linux", told),
        machine=Known(machine, told),
        container=Known(_CONTAINERS[environment.system], told)
        if environment.system in _CONTAINERS
        else UNTOLD,
        scheduler=Known(SchedulerJob("slurm", UNTOLD), told)
        if environment.system == "slurm"
        else UNTOLD,
        gpu_device_nodes=_device_nodes(environment.statements),
        glibc=Absent("musl") if image.get("libc") == "musl" else UNTOLD,
    )


def _device_nodes(said: Iterable[Statement]) -> Fact[tuple[str, ...]]:
    """Absent where the file that starts the container or job requests no GPU."""
    requests = [each for each in said if each.kind == "option" and each.name == "gpu-request"]
    return Absent("the file requests no GPU") if requests and requests[-1].value == "no" else UNTOLD


def _interpreter(
    python: Fact[PythonRelease], machine: str, image: Mapping[str, str]
) -> Interpreter:
    libc: Fact[str] = Known("musl", "the base image") if image.get("libc") == "musl" else UNTOLD
    return Interpreter(version=python, machine=Known(machine, "the build files"), libc=libc)


def _tensorflow(own: list[Distribution], row: Release | None, asked: str) -> TensorFlow:
    if not own:
        return TensorFlow()
    build = UNTOLD if row is None else _build(row)
    return TensorFlow(
        distributions=Known(tuple(own), "the build files"),
        distribution=Known(own[0].name, "the build files"),
        version=Known(own[0].version, "the build files"),
        build=build,
        requested_extra_cuda=Known(True, asked) if asked else UNTOLD,
    )


def _build(row: Release) -> Fact[TensorFlowBuild]:
    """As its wheels are built."""
    own = TensorFlowBuild(row.cuda, row.cudnn, row.nccl, Absent("a wheel of the index"), value_or(row.sass, ()), value_or(row.ptx, ()), ())  # fmt: skip
    return Known(own, "the published wheel")


def _cuda_libraries(
    said: Iterable[Statement],
    wanted: Mapping[str, Wanted],
    own: list[Distribution],
    row: Release | None,
    image: Mapping[str, str],
    matrix: Matrix,
) -> CudaLibraries:
    """Those of the base image, where nothing else brings any: no wheel of NVIDIA's, no package of conda's or of the system's."""
    brought = (
        row is None
        or own[0].installer == CONDA
        or any(
            each.kind == "option" and each.name in ("installs-cuda", "unread-file") for each in said
        )
        or any(name.startswith("nvidia-") for name in wanted)
        or any(each.extras for name, each in wanted.items() if name in TENSORFLOW_NAMES)
    )
    if brought or row is None or not isinstance(row.cuda, Known):
        return CudaLibraries()
    return CudaLibraries(libraries=libraries(row, image, matrix))


def _variables(said: Iterable[Statement]) -> Fact[dict[str, str]]:
    found = {
        each.name: each.value
        for each in said
        if each.kind == "variable" and counts(each.name) and each.value is not None
    }
    return Known(found, "the build files") if found else UNTOLD
