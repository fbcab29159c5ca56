"""The program that installs packages into an environment: uv where it is there, else the environment's own pip.

What is to be changed is computed by its resolver, fetched first, and then installed without network, exactly as computed and wheels only:
no code of a package runs before it is tried in the clone.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tfdoctor.apps.repair.journal import Change
from tfdoctor.apps.repair.namespace import Namespace, run_in
from tfdoctor.ask.probes.smoke.scratch import scratch_folder
from tfdoctor.base.child import ChildResult, find_program
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RESOLVE_S, FETCH_S, INSTALL_S = 120.0, 1800.0, 900.0
_LEAST_PIP = Version("22.2")  # the first with --dry-run and --report together
_ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT", "PIP_DRY_RUN", "PIP_REPORT", "PYTHONPATH", "PYTHONHOME",
              "UV_TARGET", "UV_PREFIX", "UV_SYSTEM_PYTHON", "UV_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX")  # fmt: skip
"""Variables that lead an installer to another place than the environment."""
_INDEX_OF_PIP = (
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_CONFIG_FILE",
)
_UV_LINE = Expression(r"^ ?([+~-]) ([A-Za-z0-9][\w.-]{0,200})==(\S{1,100})")
_ERROR = Expression(r"^\s*(?:(?:ERROR|error|(cause)|hint):|×|╰─▶|├─▶)\s*")
_GOES_ON = " " * 6
"""What a line begins with that goes on with the one above it."""
_NONE_AT_ALL = "(from versions: none)"
"""What pip says both of a package that the index does not have and of an index that it can't reach (pip 26.3, 2026-11-29)."""
_LONGEST_WORDS = 300


def environ() -> dict[str, str]:
    """The user's, without what leads an installer elsewhere; no bytecode is written where an installer only looks.

    Where pip can't write into an environment that sees the system's packages it would take the user's site instead.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    ours = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_USER": "0",
    }
    return {**kept, **ours}


@record
class Resolved:
    """What an installer would change, or why it can't, in its own words."""

    changes: tuple[Change, ...] = ()
    refused: str = ""


class InstallerError(Exception):
    """There is no installer for an environment; the message says what to do."""


class Installer(ABC):
    """For one environment, by its interpreter."""

    name: str

    def __init__(self, python: str, program: Sequence[str], looking: Namespace | None) -> None:
        """`looking`: where it runs while it only looks, so that it can't write into the environment: uv leaves a lock file there."""
        self.python, self.program, self.looking = python, list(program), looking

    def resolve(
        self,
        requirements: Sequence[str],
        installed: Mapping[str, str],
        held: Mapping[str, str],
        *,
        alone: bool = False,
    ) -> Resolved:
        """What has to change for the requirements while all that is `held` stays; with `alone` their own requirements don't count."""
        with scratch_folder() as scratch:
            constraints = scratch / "constraints.txt"
            constraints.write_text(
                "".join(f"{name}=={version}\n" for name, version in held.items()), encoding="utf-8"
            )
            more = [*(["--no-deps"] if alone else []), "-c", str(constraints)]
            ran = self._run([*self._dry_run(), *more, *requirements], RESOLVE_S)
        if not ran.ok:
            return Resolved(refused=words_of(ran))
        changes = tuple(
            Change(name, installed.get(name, ""), version)
            for name, version in self._read(ran)
            if installed.get(name) != version
        )
        return Resolved(changes)

    def _run(self, words: Sequence[str], limit_s: float) -> ChildResult:
        return look([*self.program, *words], self.looking, limit_s)

    @abstractmethod
    def _dry_run(self) -> list[str]: ...

    @abstractmethod
    def _read(self, ran: ChildResult) -> list[tuple[str, str]]:
        """(name, version) of all that would be installed."""

    def sizes(self, pins: Sequence[str]) -> dict[str, int]:
        """The bytes of the wheels to be fetched by package, at most; without those that it does not tell beforehand."""
        return {}

    def sized(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """The changes with these sizes."""
        changes = tuple(changes)
        known = self.sizes(pins_of(changes)) if pins_of(changes) else {}
        return tuple(
            replace(each, size=known.get(each.name, 0) if each.after else 0) for each in changes
        )

    @abstractmethod
    def fetch(self, pins: Sequence[str], folder: Path) -> str:
        """Brings the wheels here; why not, "" where they are."""

    @abstractmethod
    def install(self, pins: Sequence[str], folder: Path) -> list[str]:
        """What installs exactly these, which were fetched, whatever is there, and nothing else."""

    @abstractmethod
    def uninstall(self, names: Sequence[str]) -> list[str]: ...

    @abstractmethod
    def complain(self) -> list[str]:
        """What says which requirements are not met."""

    @abstractmethod
    def writes(self, folder: Path) -> tuple[set[str], int]:
        """The files that what was fetched brings, below site-packages, and their bytes."""


class Pip(Installer):
    name = "pip"

    def _dry_run(self) -> list[str]:
        return ["install", "--dry-run", "--quiet", "--report", "-", "--only-binary", ":all:"]

    def _read(self, ran: ChildResult) -> list[tuple[str, str]]:
        try:
            found = [each["metadata"] for each in json.loads(ran.stdout)["install"]]
            return [(canonicalize_name(each["name"]), str(each["version"])) for each in found]
        except (ValueError, KeyError, TypeError):
            return []

    def fetch(self, pins: Sequence[str], folder: Path) -> str:
        words = [
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
            str(folder),
            *pins,
        ]
        ran = self._run(words, FETCH_S)
        return "" if ran.ok else words_of(ran)

    def install(self, pins: Sequence[str], folder: Path) -> list[str]:
        words = ["--no-index", "--find-links", str(folder), "--only-binary", ":all:"]
        how = ["--no-deps", "--force-reinstall", "--quiet", "--no-warn-script-location"]
        return [*self.program, "--isolated", "install", *words, *how, *pins]

    def uninstall(self, names: Sequence[str]) -> list[str]:
        return [*self.program, "--isolated", "uninstall", "--yes", "--quiet", *names]

    def complain(self) -> list[str]:
        return [*self.program, "check"]

    def writes(self, folder: Path) -> tuple[set[str], int]:
        found: set[str] = set()
        size = 0
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                found.update(each.filename for each in archive.infolist())
                size += sum(each.file_size for each in archive.infolist())
        return found, size


class Uv(Installer):
    name = "uv"

    def _dry_run(self) -> list[str]:
        return ["install", "--dry-run", "--python", self.python, "--only-binary", ":all:"]

    def _read(self, ran: ChildResult) -> list[tuple[str, str]]:
        lines = (
            _UV_LINE.match(line) for line in ran.stderr.decode("utf-8", "replace").splitlines()
        )
        return [(canonicalize_name(each[2]), each[3]) for each in lines if each and each[1] in "+~"]

    def sizes(self, pins: Sequence[str]) -> dict[str, int]:
        with scratch_folder() as scratch:
            wanted = scratch / "pins.in"
            wanted.write_text("".join(f"{each}\n" for each in pins), encoding="utf-8")
            how = ["--no-deps", "--only-binary", ":all:", "--quiet", "--format", "pylock.toml"]
            ran = self._run(["compile", *how, "--python", self.python, str(wanted)], RESOLVE_S)
        return sizes_of(ran.stdout) if ran.ok else {}

    def fetch(self, pins: Sequence[str], folder: Path) -> str:
        words = [
            "install",
            "--python",
            self.python,
            "--no-deps",
            "--only-binary",
            ":all:",
            "--target",
        ]
        ran = self._run([*words, str(folder), *pins], FETCH_S)
        return "" if ran.ok else words_of(ran)

    def install(self, pins: Sequence[str], folder: Path) -> list[str]:
        how = ["--offline", "--no-deps", "--reinstall", "--only-binary", ":all:", "--quiet"]
        return [*self.program, "install", "--python", self.python, *how, *pins]

    def uninstall(self, names: Sequence[str]) -> list[str]:
        return [*self.program, "uninstall", "--python", self.python, "--quiet", *names]

    def complain(self) -> list[str]:
        return [*self.program, "check", "--python", self.python]

    def writes(self, folder: Path) -> tuple[set[str], int]:
        files = [Path(where) / name for where, _, names in os.walk(folder) for name in names]
        return {str(each.relative_to(folder)) for each in files}, sum(
            each.lstat().st_size for each in files
        )


def sizes_of(pylock: bytes) -> dict[str, int]:
    """The largest wheel of each package of a pylock.toml (PEP 751), by name; {} for what is none."""
    try:
        packages = tomllib.loads(pylock.decode("utf-8"))["packages"]
        every = {
            each["name"]: [wheel.get("size", 0) for wheel in each.get("wheels", ())]
            for each in packages
        }
        return {
            canonicalize_name(name): max(sizes)
            for name, sizes in every.items()
            if sizes and all(sizes)
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def look(argv: Sequence[str], looking: Namespace | None, limit_s: float) -> ChildResult:
    """One program that gets or makes what is to be installed."""
    return run_in(looking, argv, timeout_s=limit_s, env=environ(), cwd="/")


def installer_for(python: str, looking: Namespace | None, *, has_pip: bool) -> Installer:
    """uv, unless pip alone knows where this user's packages come from. Raises InstallerError."""
    program = uv()
    if program and not (has_pip and _index_of_its_own(python, looking)):
        return Uv(python, (program, "pip"), looking)
    if not has_pip:
        raise InstallerError(
            "the environment has no pip, and uv is not on PATH; run `python -m ensurepip` in it, or install uv"
        )
    pip = Pip(python, (python, "-m", "pip"), looking)
    version = _pip_version(python, looking)
    if version is None:
        raise InstallerError(
            "the environment's pip does not start; run `python -m ensurepip` in it"
        )
    if version < _LEAST_PIP:
        raise InstallerError(
            f"the environment's pip {version} can't compute a change without making it; run `python -m pip install --upgrade pip` in it, or install uv"
        )
    return pip


def uv() -> str:
    """Its path; "" where it is not on PATH."""
    try:
        return find_program("uv", os.environ)
    except FileNotFoundError:
        return ""


def _index_of_its_own(python: str, looking: Namespace | None) -> bool:
    """Whether pip is told of another index than the public one, by a variable or a file, which uv does not read."""
    if any(os.environ.get(name) for name in _INDEX_OF_PIP):
        return True
    ran = look([python, "-m", "pip", "config", "list"], looking, RESOLVE_S)
    said = ran.stdout.decode("utf-8", "replace")
    return any(
        word in line
        for line in said.splitlines()
        for word in (".index-url=", ".extra-index-url=", ".find-links=")
    )


def _pip_version(python: str, looking: Namespace | None) -> Version | None:
    ran = look([python, "-m", "pip", "--version"], looking, RESOLVE_S)
    words = ran.stdout.decode("utf-8", "replace").split()
    try:
        return Version(words[1]) if ran.ok and len(words) > 1 else None
    except InvalidVersion:
        return None


def words_of(ran: ChildResult) -> str:
    """What an installer says of its failure, as one line."""
    if ran.how != "exit":
        return f"it {ran.describe()}"
    lines = [line for line in ran.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    said = ""
    for line in lines:
        if mark := _ERROR.match(line):
            said += (": " if mark[1] else " ") + line[mark.end() :].strip()
        elif said and line.startswith(_GOES_ON):
            said += f" {line.strip()}"
    said = (said or "".join(lines[-1:])).strip().rstrip(".")
    if _NONE_AT_ALL in said:
        return f"{said[: _LONGEST_WORDS // 2]}. It sees no version at all, as where this machine can't reach the index"
    return said[:_LONGEST_WORDS] or f"it {ran.describe()}"


def pins_of(changes: Iterable[Change]) -> list[str]:
    """Exactly what is there afterwards."""
    return [f"{each.name}=={each.after}" for each in changes if each.after]
