"""A working TensorFlow is called so, whatever beside it can't be read; and what breaks beside it is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real import sandbox
from tests.real.command import NO_FOLDERS, Run, doctor
from tests.real.environments import site_packages

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("side-facts"),
]

NOT_EVEN_ROOT = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)
"""Root reads everything; without these capabilities permissions hold for it, too."""
IN_A_NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-e", "-c")


@pytest.fixture(scope="module")
def copy(tensorflow_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the environment by hard links: files may be replaced, never written into."""
    folder = tmp_path_factory.mktemp("side") / "venv"
    original = tensorflow_python.parent.parent
    linked = subprocess.run(
        ["cp", "-al", original, folder], capture_output=True, text=True, check=False
    )
    if linked.returncode:  # the cache lies on another disk, or its files are another user's
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "-a", original, folder], check=True)
    return folder / "bin" / "python"


def check(
    python: Path, *before: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> Run:
    return doctor(
        "check", "--python", python, "--json", "--no-redact", before=before, cwd=cwd, env={**os.environ, **(env or {})}
    )  # fmt: skip


def works(run: Run) -> None:
    assert (run.report["verdict"], run.status) == ("healthy", 0), run.stdout
    assert run.roots == []


@pytest.fixture
def closed(copy: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file or folder of the environment, replaced by a copy that nobody may read."""
    path = next(site_packages(copy).glob(request.param))
    if path.is_file():
        text = path.read_bytes()
        path.unlink()
        path.write_bytes(text)
    path.chmod(0)
    yield path
    path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize(
    "closed",
    ["grpcio-*.dist-info/METADATA", "wrapt-*.dist-info", "tensorflow-*.dist-info/RECORD"],
    indirect=True,
)
def test_metadata_that_nobody_may_read(closed: Path, copy: Path) -> None:
    works(check(copy, *NOT_EVEN_ROOT))


def test_a_pythonpath_that_nobody_may_read(copy: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0)
    works(check(copy, *NOT_EVEN_ROOT, env={"PYTHONPATH": str(tmp_path)}))
    tmp_path.chmod(0o755)


def test_an_empty_record(copy: Path) -> None:
    record = next(site_packages(copy).glob("tensorflow-*.dist-info/RECORD"))
    text = record.read_bytes()
    record.unlink()
    record.write_bytes(b"")
    try:
        works(check(copy))
    finally:
        record.write_bytes(text)


def test_numpy_without_its_metadata(copy: Path, tmp_path: Path) -> None:
    """It is neither missing nor a stranger's numpy that should be renamed."""
    metadata = next(site_packages(copy).glob("numpy-*.dist-info"))
    metadata.rename(tmp_path / metadata.name)
    try:
        run = check(copy, env={"PYTHONPATH": str(site_packages(copy))})
        works(run)
        static = doctor("check", "--python", copy, "--json", "--smoke", "none")
        assert static.roots == []
    finally:
        (tmp_path / metadata.name).rename(metadata)


def test_a_working_folder_that_nobody_may_read_or_that_is_gone(copy: Path, tmp_path: Path) -> None:
    enter = f'cd "{tmp_path}"; chmod 0 .; exec "$@"'
    works(check(copy, "sh", "-e", "-c", enter, "sh", *NOT_EVEN_ROOT))
    tmp_path.chmod(0o755)
    gone = tmp_path / "gone"
    works(
        check(
            copy, "sh", "-e", "-c", f'mkdir "{gone}"; cd "{gone}"; rmdir "{gone}"; exec "$@"', "sh"
        )
    )


@pytest.mark.parametrize(
    ("at_exit", "code"),
    [
        ("lambda: __import__('time').sleep(999)", "smoke-timeout"),
        ("__import__('os').abort", "native-crash"),
    ],
    ids=["hangs", "dies"],
)
def test_what_happens_after_the_last_computation_is_a_warning(
    at_exit: str, code: str, copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import atexit\natexit.register({at_exit})\n")
    run = check(copy, env={"PYTHONPATH": str(tmp_path)})
    assert (run.report["verdict"], run.status, run.roots) == ("degraded", 0, [code])
    assert run.finding(code)["severity"] == "warning"


@pytest.mark.parametrize(
    "mounts",
    ["umount -l /sys", "mount -t proc -o subset=pid proc /proc"],
    ids=["no /sys", "/proc subset=pid"],
)
def test_hidden_system_folders(mounts: str, copy: Path) -> None:
    works(check(copy, "unshare", "--mount", "sh", "-e", "-c", f'{mounts}; exec "$@"', "sh"))


REFUSED = {
    "statfs, prlimit64": (137, 138, 302),
    "setsid, prctl, pidfd_open, kcmp": (112, 157, 434, 312),
}


@pytest.mark.parametrize("numbers", REFUSED.values(), ids=REFUSED)
def test_refused_system_calls(numbers: tuple[int, ...], copy: Path) -> None:
    joined = ",".join(map(str, numbers))
    works(check(copy, sys.executable, sandbox.__file__, joined, "1", "--"))


def test_no_folder_for_temporary_files(copy: Path) -> None:
    """This one does break TensorFlow."""
    run = check(copy, *IN_A_NAMESPACE, f'{NO_FOLDERS}; exec "$@"', "sh")
    assert (run.roots, run.status) == (["temporary-folder-missing"], 1)
