"""Makes a release ready to upload: `make release VERSION=0.2.0`; `make rehearsal` does the same in a copy.

It writes the version and dates the changelog, builds both distributions (the wheel from the sdist, so that nothing is
missing there), has them looked at by twine and check-wheel-contents, and tries the wheel as pip, pipx and uv tool
install it (`tools/build/trial.py`). What can't be taken back, the tag and the upload, it leaves to you and says how.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tools.build.trial import ReleaseError, run, try_wheel

ROOT = Path(__file__).parents[2]
_UNRELEASED = "## [Unreleased]\n"
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


def dated(changelog: str, version: str, day: str) -> str:
    """The changelog with what is unreleased as that version. Raises ReleaseError where there is nothing to release."""
    if f"## [{version}]" in changelog:
        raise ReleaseError(f"CHANGELOG.md has a section for {version} already")
    before, found, after = changelog.partition(_UNRELEASED)
    section = re.split(r"^## \[", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not found or not re.search(r"^- ", section, re.MULTILINE):
        raise ReleaseError(
            "CHANGELOG.md says nothing under [Unreleased]: what would a user get from this release?"
        )
    return f"{before}{_UNRELEASED}\n## [{version}] - {day}\n{after}"


def numbered(source: str, version: str) -> str:
    """`tfdoctor/__init__.py` with that version. Raises ReleaseError for one that is no step forward."""
    current = _VERSION.search(source)
    if current is None:
        raise ReleaseError("tfdoctor/__init__.py names no version")
    try:
        newer = Version(version) >= Version(current[1]) and str(Version(version)) == version
    except InvalidVersion:
        newer = False
    if not newer:
        raise ReleaseError(
            f"VERSION={version}: give a version like 1.2.3 that is not older than {current[1]}"
        )
    return _VERSION.sub(f'__version__ = "{version}"', source)


def prepare(tree: Path, version: str) -> None:
    """Writes version and changelog into the tree."""
    day = datetime.now(timezone.utc).date().isoformat()
    changes: dict[str, Callable[[str], str]] = {
        "tfdoctor/__init__.py": lambda text: numbered(text, version),
        "CHANGELOG.md": lambda text: dated(text, version, day),
    }
    for name, change in changes.items():
        file = tree / name
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def built(tree: Path) -> Path:
    """The wheel in `dist/` beside its sdist, both accepted by twine and check-wheel-contents."""
    folder = tree / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    run("uv", "build", "--quiet", "--out-dir", folder, tree)
    files = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    run("twine", "check", "--strict", *files)
    run("check-wheel-contents", folder)
    return next(folder.glob("*.whl"))


def release(version: str) -> None:
    """In this checkout, which has to be clean; the changed files stay to be committed."""
    if run("git", "-C", ROOT, "status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed: commit or stash them first")
    if run("git", "-C", ROOT, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists already")
    prepare(ROOT, version)
    try_wheel(built(ROOT), version)
    sys.stdout.write(
        f"\n{version} is ready. These can't be taken back, so they are yours to type:\n"
        f"  git commit --all --message 'Release {version}' && git tag v{version}\n"
        f"  git push --follow-tags && twine upload dist/tfdoctor-{version}*\n"
    )


def rehearse() -> None:
    """The same in a copy of what git knows of, as the next version."""
    with tempfile.TemporaryDirectory(prefix="tfdoctor-rehearsal-") as folder:
        tree = Path(folder) / "tree"
        for name in run("git", "-C", ROOT, "ls-files", "-z").split("\0"):
            if name and (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        current = _VERSION.search((tree / "tfdoctor" / "__init__.py").read_text(encoding="utf-8"))
        major, minor, _ = Version(current[1] if current else "0").release
        version = f"{major}.{minor + 1}.0"
        changelog = tree / "CHANGELOG.md"  # just after a release nothing is unreleased
        text = changelog.read_text(encoding="utf-8")
        changelog.write_text(
            text.replace(_UNRELEASED, f"{_UNRELEASED}- Rehearsed.\n"), encoding="utf-8"
        )
        prepare(tree, version)
        try_wheel(built(tree), version)
    sys.stdout.write(f"rehearsed: {version} could be released\n")


def main(arguments: list[str]) -> int:
    try:
        release(arguments[0]) if arguments else rehearse()
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{error}\n{error.stdout}{error.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main([each for each in sys.argv[1:] if each]))
