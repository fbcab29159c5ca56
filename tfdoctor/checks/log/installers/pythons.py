"""A Python that has no build of what was asked for, as conda, poetry and uv say it; and what a machine lacks for conda or pixi."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression

_UV = ("uv-no-matching-abi", "uv-no-solution", "uv-conclusion")
_CONDA = "conda-no-solution"
_VIRTUAL = "virtual-package-missing"
_TAG = Expression(r"`?cp3(?P<minor>\d{1,2})`?")
_FEATURE = Expression(r"(?:>=|=|^|\|)(?P<feature>3\.\d{1,2})")
_OF_THE_MACHINE = {"__cuda": "an NVIDIA driver", "__glibc": "a newer C library (glibc)", "__osx": "macOS, or a newer one", "__linux": "Linux", "__unix": "Linux or macOS", "__win": "Windows", "__archspec": "a newer CPU"}  # fmt: skip


def of_python(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind, and where the log does not tell more than the line."""
    if saying.name == "poetry-python":
        return _of_poetry(saying)
    if saying.name in _UV:
        return _of_uv(told, saying) or _of_a_companion(saying)
    if saying.name == _CONDA:
        return _of_conda(told, saying)
    return _of_the_machine(saying) if saying.name == _VIRTUAL else None


def python_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where none of these was said."""
    if told.named("poetry-python"):
        return _range(told)
    if tags := _tags(told) if told.named(*_UV) else []:
        return _uv_pin(told, tags[-1])
    said = [each for each in told.named(*_UV) if _of_a_companion(each) is not None]
    if said:
        package = said[0].told["package"].lower()
        return _uv_pin(told, FILES[package].python, package)
    if told.named(_CONDA) and (possible := _conda_pythons(told)[1]):
        return _new_environment(possible[-1])
    return ()


def machine_lacks_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where conda and pixi missed nothing that a machine brings."""
    said = told.named(_VIRTUAL)
    if not said:
        return ()
    if _virtual(said[0]) != "__cuda":
        return (fix("see-what-conda-knows-machine"),)
    again = "pixi install" if told.named("of-pixi") else "conda install --channel conda-forge tensorflow"
    return (
        fix("tell-conda-cuda-to-expect", again=again),
        fix("or-install-cpu-build"),
    )  # fmt: skip


def _of_poetry(saying: Saying) -> Candidate:
    package, wanted, lacking = saying.told["package"], saying.told["wanted"], saying.told["value"]
    title = f"{package} is for Python {wanted}, and the project says that it runs on {lacking} as well."
    words = "poetry looks for releases that fit every Python that the project allows, not only the one that is used now."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_uv(told: Testimony, saying: Saying) -> Candidate | None:
    hint, tags = told.named("uv-python-hint"), _tags(told)
    if not hint or not tags:
        return None
    package = hint[0].told.get("package", "") or saying.told.get("package", "") or "a package"
    release = f" {hint[0].told['version']}" if "version" in hint[0].told else ""
    mine = _TAG.match(hint[0].told["value"])
    python = f"3.{mine['minor']}" if mine else hint[0].told["value"]
    title = f"uv finds no file of {package} for Python {python}: {package}{release} has files for Python {tags[0]} to {tags[-1]}."
    words = "uv took the newest Python that it found, or the one that the project names. The packages have ready-made files (wheels) for certain Pythons alone."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_a_companion(saying: Saying) -> Candidate | None:
    """By what is known of the package that uv names, where it lists no Pythons."""
    package = saying.told.get("package", "").lower()
    if package not in FILES:
        return None
    words = f"The package has ready-made files (wheels) for certain Pythons alone, and uv took another one. {FILES[package].note}"
    title = f"{package} has no file for the Python that uv took: {FILES[package].python} is the newest that it has one for."
    return Candidate("python-unsupported", Confidence.LIKELY, (place(saying),), words.rstrip(), title=title)


def _of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """None where it is not the environment's Python that excludes all builds."""
    fixed, possible = _conda_pythons(told)
    if not (fixed and possible):
        return None
    only = possible[0] if len(possible) == 1 else f"{possible[0]} to {possible[-1]}"
    whose = "which was asked for" if told.named("conda-asked-python") else "which this environment has"
    title = f"conda has no build of {_conda_package(told)} for Python {fixed}, {whose}: only for {only}."
    words = "conda keeps the Python of an environment, or the one that is asked for. So it can install only what was built for that one, and lists what it would have for others."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_the_machine(saying: Saying) -> Candidate:
    name = _virtual(saying)
    brings = _OF_THE_MACHINE.get(name, name)
    words = f"conda and pixi have virtual packages for what a machine brings; {name} stands for {brings}."
    if name == "__cuda":
        words += " While an image is built, in CI and on a login node there is no GPU driver, though the program may find one later."
    title = f"The build that was asked for needs {brings} ({name}), which is missing on this machine."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _virtual(saying: Saying) -> str:
    return next(saying.told[each] for each in ("library", "package", "module") if each in saying.told)


def _tags(told: Testimony) -> list[str]:
    """The Pythons that uv found files for, the oldest first."""
    found = {f"3.{each['minor']}" for tag in told.named("uv-python-tags") for each in _TAG.finditer(tag.told["message"])}  # fmt: skip
    return sorted(found, key=key)


def _conda_package(told: Testimony) -> str:
    """What conda has no build of, with the release that was asked for."""
    if (spec := _spec(told)) is not None:
        return (
            f"{spec.told['package'].removesuffix('-base')} {spec.told.get('wanted', '').lstrip('=')}".rstrip()
        )
    said = (*told.named("conda-asked"), *told.named("conda-not-installable"))
    return said[0].told["package"] if said else "TensorFlow"


def _conda_pythons(told: Testimony) -> tuple[str, list[str]]:
    """The environment's Python, where it is what excludes every build, and those that there are builds for."""
    said = told.named("conda-python")
    own = told.named("conda-own-python", "conda-asked-python")
    if own and (listed := _listed(told, {each.told["version"] for each in own})):
        return own[0].told["version"], listed
    pinned, refused = _pinned(told)
    if pinned and not refused:
        return "", []
    fixed = pinned or next((each.told["version"] for each in said if each.told["message"].startswith("conflicts")), "")  # fmt: skip
    possible = {each.told["version"] for each in said if each.told["message"].startswith("can")}
    return fixed, sorted(possible - {fixed}, key=key)


def _pinned(told: Testimony) -> tuple[str, bool]:
    """The Python that conda keeps because the environment has it, and whether that itself is refused; "" where no pin is shown."""
    for pin in told.named("conda-pin"):
        for each in told.named("conda-python"):
            if place(pin) <= place(each) <= (pin.file, pin.line + 1):
                return each.told["version"], each.told["message"].startswith("conflicts")
    return "", False


def _spec(told: Testimony) -> Saying | None:
    """Of the packages that conda lists with their Pythons, TensorFlow's, else the first."""
    said = told.named("conda-spec-python")
    return next(
        (each for each in said if each.told["package"].startswith("tensorflow")), said[0] if said else None
    )


def _listed(told: Testimony, own: set[str]) -> list[str]:
    """The Pythons that there are builds for, as ">=3.6,<3.7.0a0|3.7.*" tells them; without the environment's own."""
    spec = _spec(told)
    found = (
        {each["feature"] for each in _FEATURE.finditer(spec.told["message"])} if spec is not None else set()
    )
    if told.named("conda-asked-python") and found & own:
        return []  # there are builds for it, so something else is in the way
    return sorted(found - own, key=key)


def _range(told: Testimony) -> tuple[Fix, ...]:
    said, range_ = told.named("poetry-python")[0], told.named("poetry-python-range")
    value = range_[0].told["value"] if range_ else said.told["wanted"].replace(" ", "")
    return (fix("say-in-project-pythons-for-and", value=value),)


def _uv_pin(told: Testimony, newest: str, package: str = "") -> tuple[Fix, ...]:
    package = package or next((each.told["package"] for each in told.named("uv-python-hint") if "package" in each.told), "tensorflow")  # fmt: skip
    return (
        Fix(f"In a project, have uv use Python {newest}", (f"uv python pin {newest}", "uv sync"), "For a script: `uv run --python " + newest + " SCRIPT`."),
        fix("without-project-make-environment-with", newest=newest, package=package),
    )  # fmt: skip


def _new_environment(feature: str) -> tuple[Fix, ...]:
    name = f"python-{feature}"
    return (fix("make-new-environment-with-python", feature=feature, called=name),)
