"""Whether a resolver accepts packages together, and whether two of the wheels that it takes hold the same file with other content.

uv resolves against one index alone: no constraint, no second index and no setting of this machine counts. Of each wheel only the list
of its files travels.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from tfdoctor.base.child import find_program, run_child
from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.outcome import value_or
from tfdoctor.knowledge.matrix.model import MatrixError, Outcome
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.tables import WITHOUT_CUDA
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.read import read_members

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RESOLVE_S = 120.0
_PLATFORM = "x86_64-manylinux_2_28"
_TAGS = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
_TAGS += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"]
_RECORD = re.compile(r"[^/]+\.dist-info/RECORD")
_NO_SOLUTION = 1  # uv's exit status; what keeps it from asking is 2
_DEPENDS = re.compile(r"depends on ([A-Za-z0-9._-]+)")


@record
class TakenWheel:
    """A wheel that the resolver takes."""

    package: str
    filename: str
    url: str
    sha256: str


@record
class Overlap:
    """Two packages that hold the same files with other content: what is installed last is what is there."""

    packages: tuple[str, str]
    files: tuple[str, ...]


@record
class Together:
    """between: of a refusal the packages that nobody can please; () where the resolver does not name them."""

    outcome: Outcome
    wheels: tuple[TakenWheel, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    between: tuple[str, ...] = ()


class Resolver:
    """Asks uv, and remembers the lists of files. Raises MatrixError where there is no uv or the index can't be asked."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files: dict[str, dict[str, str]] = {}
        try:
            self._uv = find_program("uv", os.environ)
        except FileNotFoundError:
            raise MatrixError(
                "sets of packages are resolved by uv, which is not on PATH; install it with pip install uv"
            ) from None

    def together(self, requirements: Sequence[str], python: str) -> Together:
        """These requirements for that Python on Linux on x86-64, by wheels alone."""
        words = [
            "pip",
            "compile",
            "--no-config",
            "--no-python-downloads",
            "--quiet",
            "--default-index",
            self._index.address,
        ]
        words += [
            "--python-version",
            python,
            "--python-platform",
            _PLATFORM,
            "--only-binary",
            ":all:",
            "--format",
            "pylock.toml",
            "-",
        ]
        environment = {
            name: value
            for name, value in os.environ.items()
            if name == "UV_CACHE_DIR" or not name.startswith("UV_")
        }
        ran = run_child(
            [self._uv, *words],
            timeout_s=RESOLVE_S,
            env=environment,
            stdin="\n".join(requirements).encode(),
            keep_bytes=4 << 20,
        )
        if ran.how == "exit" and ran.status == _NO_SOLUTION:
            named = dict.fromkeys(_DEPENDS.findall(ran.stderr.decode("utf-8", "replace")))
            own = {re.split(r"[\[=<>~!]", each)[0] for each in requirements}
            return Together("refused", between=tuple(each for each in named if each not in own))
        if not ran.ok:
            lines = ran.stderr.decode("utf-8", "replace").strip().splitlines()
            raise MatrixError(f"uv {ran.describe()}" + (f": {lines[0]}" if lines else ""))
        wheels = _taken(ran.stdout, python)
        overlaps = self._overlaps(wheels)
        return Together("overwritten" if overlaps else "clean", wheels, overlaps)

    def _overlaps(self, wheels: Iterable[TakenWheel]) -> tuple[Overlap, ...]:
        held = [(each.package, self._contents(each)) for each in wheels]
        found = []
        for (one, files), (other, others) in combinations(held, 2):
            both = sorted(
                name for name in files.keys() & others.keys() if files[name] != others[name]
            )
            if both:
                found.append(Overlap((one, other), tuple(both)))
        return tuple(found)

    def _contents(self, wheel: TakenWheel) -> dict[str, str]:
        """The hash of each file that is installed, by its path."""
        if wheel.filename not in self._files:
            texts, _ = read_members(self._index.session, wheel.url, [_RECORD])
            if _RECORD.pattern not in texts:
                raise MatrixError(f"{wheel.filename} has no list of its files")
            rows = (line.rsplit(",", 2) for line in texts[_RECORD.pattern].splitlines())
            self._files[wheel.filename] = {
                row[0].strip('"'): row[1] for row in rows if len(row) == 3 and row[1]
            }
        return self._files[wheel.filename]


def _taken(lock: bytes, python: str) -> tuple[TakenWheel, ...]:
    """The one wheel of each package that an installer takes."""
    version = tuple(map(int, python.split(".")))[:2]
    tags = [
        *cpython_tags(version, platforms=_TAGS),
        *compatible_tags(version, f"cp{version[0]}{version[1]}", _TAGS),
    ]
    rank = {tag: at for at, tag in reversed(list(enumerate(tags)))}
    found = []
    for package in tomllib.loads(lock.decode("utf-8")).get("packages", ()):
        best: tuple[int, TakenWheel] | None = None
        for wheel in package.get("wheels", ()):
            filename = wheel["url"].rpartition("/")[2].replace("%2B", "+")
            try:
                own = min(
                    (rank[tag] for tag in parse_wheel_filename(filename)[3] if tag in rank),
                    default=None,
                )
            except InvalidWheelFilename:
                own = None
            if own is not None and (best is None or own < best[0]):
                name = canonicalize_name(package["name"])
                best = own, TakenWheel(name, filename, wheel["url"], wheel["hashes"]["sha256"])
        if best is None:
            raise MatrixError(f"{package['name']} has no wheel for Python {python}")
        found.append(best[1])
    return tuple(found)


@record
class SetDifference:
    """A set that a resolver answers otherwise today."""

    requirements: tuple[str, ...]
    python: str
    matrix: str
    published: str

    def __str__(self) -> str:
        return f"{' '.join(self.requirements)} on Python {self.python}: matrix {self.matrix}, resolved {self.published}"


@record
class SetVerification:
    """What a run found. A newer release of anything that TensorFlow or the other framework requires can make a difference.

    left: of a run that ended early the TensorFlow releases whose sets were not all resolved; `stopped` why it ended.
    """

    matrix: str
    sets: int
    differences: tuple[SetDifference, ...]
    left: tuple[str, ...] = ()
    stopped: str = ""
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        if self.interrupted:
            return 130
        return 1 if self.differences else 3 if self.left else 0

    def to_text(self) -> str:
        lines = [*map(str, self.differences)]
        lines += [f"{self.sets} sets resolved and their lists of files compared: {len(self.differences)} differences"]  # fmt: skip
        if self.left:
            lines += [f"Not all sets of TensorFlow {', '.join(self.left)} were resolved. Name these versions to verify the rest."]  # fmt: skip
        return "".join(f"{line}\n" for line in lines)

    def to_json(self) -> str:
        told = {"matrix": self.matrix, "sets": self.sets, "differences": to_json(self.differences), "left": self.left}  # fmt: skip
        return json.dumps(told, indent=1) + "\n"


def verify_together(
    matrix: Matrix, releases: Iterable[str], resolver: Resolver, progress: Callable[[], None]
) -> SetVerification:
    """Resolves the matrix' sets of these TensorFlow releases again, of all for (), as far as the index answers and nobody interrupts."""
    wanted, found, number = set(releases), [], 0
    by_release: dict[str, list[tuple[tuple[str, ...], str, Outcome]]] = {}
    for each in verified_sets(matrix):
        by_release.setdefault(each[0][0].rpartition("==")[2], []).append(each)
    left = [release for release in by_release if not wanted or release in wanted]
    try:
        while left:
            for requirements, python, stated in by_release[left[0]]:
                told = resolver.together(requirements, python).outcome
                number += 1
                progress()
                if told != stated:
                    found.append(SetDifference(requirements, python, stated, told))
            left.pop(0)
    except (MatrixError, KeyboardInterrupt) as error:
        why, interrupted = str(error) or "stopped", isinstance(error, KeyboardInterrupt)
        return SetVerification(matrix.version, number, tuple(found), tuple(left), why, interrupted)
    return SetVerification(matrix.version, number, tuple(found))


def verified_sets(matrix: Matrix) -> Iterator[tuple[tuple[str, ...], str, Outcome]]:
    """What to ask for, for which Python, and what the matrix says: each pair for the newest Python that both have wheels for, and the
    sets of several for theirs."""
    for release in matrix.releases():
        pythons = {each.feature for each in value_or(release.python, ())}
        for extra in ("", "and-cuda"):
            for framework in matrix.frameworks():
                if (not extra and framework.endswith("]")) or (extra and framework in WITHOUT_CUDA):
                    continue  # these follow from the others
                for each in matrix.together(release.tensorflow, extra, framework):
                    common = [one for one in each.pythons if one.feature in pythons]
                    if common:
                        asked = set_of(release.tensorflow, extra, {framework: each.release})
                        yield asked, max(common).feature, each.outcome
            for told, served in matrix.together_in_one(release.tensorflow, extra):
                asked = set_of(release.tensorflow, extra, told)
                yield from ((asked, each.feature, "clean") for each in served)


def set_of(tensorflow: str, extra: str, beside: Mapping[str, str]) -> tuple[str, ...]:
    """The requirements of TensorFlow with its extra and of what is beside it."""
    own = f"tensorflow[{extra}]" if extra else "tensorflow"
    return f"{own}=={tensorflow}", *(f"{name}=={version}" for name, version in beside.items())
