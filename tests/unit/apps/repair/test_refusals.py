"""Where nothing is tried, each with what to do instead; and who uses an environment."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import MOUNTS, only_root
from tests.unit.apps.cli.running import CHECKOUT
from tests.unit.ask.probes.fake_environments import BASE, FEATURE, facts_of, make_venv
from tfdoctor.apps.repair import environment
from tfdoctor.apps.repair.installer import InstallerError, installer_for, words_of
from tfdoctor.apps.repair.offer import applicable
from tfdoctor.base.child import ChildResult
from tfdoctor.base.mounts import mounts_in
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.actions import KINDS
from tfdoctor.knowledge.lines import Pip
from tfdoctor.knowledge.model import Action, Fix

FIX = Fix(
    "Install a matching protobuf",
    (Pip("protobuf>=6.31.1,<7"),),
    action=Action("change-packages", "", (("install", ("protobuf>=6.31.1,<7",)),)),
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    yield make_venv(tmp_path / "envs" / "tf")


def facts(place: Path, kind: str = "venv") -> Facts:
    found = facts_of(prefix=place)
    return replace(found, interpreter=replace(found.interpreter, environment=Known(kind, "test")))


def refused(place: Path, kind: str = "venv") -> environment.Refusal:
    found = environment.refusal(facts(place, kind), FIX)
    assert found is not None
    return found


def test_an_environment_of_ones_own_is_not_refused(place: Path) -> None:
    assert environment.refusal(facts(place), FIX) is None


def test_a_symbolic_link_to_one_is_not_refused(place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place)
    assert environment.directory_of(facts(tmp_path / "link")) == place
    assert environment.refusal(facts(tmp_path / "link"), FIX) is None


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("uv.lock", 'uv add "protobuf>=6.31.1,<7"'),
        ("poetry.lock", 'poetry add "protobuf>=6.31.1,<7"'),
        ("pdm.lock", 'pdm add "protobuf>=6.31.1,<7"'),
        ("Pipfile.lock", 'pipenv install "protobuf>=6.31.1,<7"'),
    ],
)
def test_a_project_is_changed_by_its_own_tool(tmp_path: Path, lock: str, command: str) -> None:
    project = tmp_path / "my project"
    make_venv(project / ".venv")
    (project / lock).write_text("")
    found = refused(project / ".venv")
    assert "the next install from it would undo the fix" in found.because
    assert found.instead == (f"cd '{project}'", command)


def test_pixi_keeps_its_own(tmp_path: Path) -> None:
    found = refused(make_venv(tmp_path / ".pixi" / "envs" / "default"), "conda")
    assert "pixi" in found.because
    assert found.instead == ('pixi add --pypi "protobuf>=6.31.1,<7"',)


def test_conda_changes_what_is_condas(place: Path) -> None:
    found = refused(place, "conda")
    assert found.because.startswith("conda keeps this environment")
    assert found.instead == FIX.commands


def test_condas_base_is_named(place: Path) -> None:
    (place / "condabin").mkdir()
    assert "its base environment" in refused(place, "conda").because


@pytest.mark.parametrize("kind", ["system", "pyenv", "uv", "other"])
def test_a_python_that_is_no_environment_is_left_alone(place: Path, kind: str) -> None:
    found = refused(place, kind)
    assert "not a virtual environment" in found.because
    assert found.instead == ("tfdoctor plan",)


def test_tfdoctors_own_environment_is_changed_from_outside() -> None:
    found = refused(Path(sys.prefix))
    assert "tfdoctor itself is installed in this environment" in found.because
    assert found.from_outside
    assert re.fullmatch(
        r"(uvx --from|pipx run --spec) \S+ tfdoctor fix --python \S+", found.instead[0]
    )
    assert shlex.split(found.instead[0])[-1] == os.path.realpath(sys.prefix)


def test_what_others_can_write_is_shared(place: Path) -> None:
    place.parent.chmod(0o777)
    found = refused(place)
    assert "so it is shared" in found.because
    assert found.instead == ("tfdoctor plan",)


@only_root
def test_another_users_is_left_to_them(place: Path) -> None:
    os.chown(place, 65534, 65534)
    found = refused(place)
    assert "belongs to nobody. Run tfdoctor fix as that user" in found.because


@pytest.mark.parametrize(
    ("mounts", "words"),
    [
        (
            'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"',
            "{parent} can't be written. Make an environment where you can write: tfdoctor plan",
        ),
        (
            'mount --bind "$2/lib" "$2/lib" && shift 2 && exec "$@"',
            '{place} or a directory in it is a mount of its own, so it can\'t be exchanged for another directory. Type the command: python -m pip install "protobuf>=6.31.1,<7"',
        ),
        (
            'mount --bind "$2" "$2" && shift 2 && exec "$@"',
            '{place} or a directory in it is a mount of its own, so it can\'t be exchanged for another directory. Type the command: python -m pip install "protobuf>=6.31.1,<7"',
        ),
    ],
)
def test_what_is_mounted(place: Path, mounts: str, words: str) -> None:
    """Read-only, also for root; and a directory that can't be renamed."""
    say = (
        "import sys; from pathlib import Path; from tests.unit.apps.repair import test_refusals as t;"
        "found = t.refused(Path(sys.argv[1])); print(found.because + ':', *found.instead)"
    )
    shell = (
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        mounts,
        "-",
        str(place.parent),
    )
    command = [
        *shell,
        *([str(place)] if "shift 2" in mounts else []),
        sys.executable,
        "-c",
        say,
        str(place),
    ]
    ran = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if "unshare" in ran.stderr or "mount:" in ran.stderr:
        pytest.skip(MOUNTS)
    assert ran.stdout == f"{words.format(place=place, parent=place)}\n", ran.stderr


def test_the_nearest_mount_counts() -> None:
    lines = [
        "27 1 254:0 / / rw - ext4 /dev/vda rw",
        "30 27 0:50 / /home rw - nfs4 server:/home rw",
        "31 30 0:51 / /home/me/scratch rw - tmpfs tmpfs rw",
    ]
    mounts = mounts_in(lines)
    found = [
        environment.nearest(mounts, Path(each))
        for each in ("/home/me/envs", "/home/me/scratch/a", "/srv", "/home")
    ]
    assert [each.kind if each else "" for each in found] == ["nfs4", "tmpfs", "ext4", "nfs4"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("nfs4", "a network file system (nfs4)"),
        ("fuse.sshfs", "a network file system"),
        ("overlay", "a layered file system (overlay)"),
    ],
)
def test_some_file_systems_are_refused(kind: str, words: str) -> None:
    found = environment.of_its_mount(FIX, Path("/home/me/envs/tf"), kind)
    assert found is not None and words in found.because and found.instead == FIX.commands


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "zfs", "f2fs"])
def test_the_usual_ones_are_not(kind: str) -> None:
    assert environment.of_its_mount(FIX, Path("/home/me/envs/tf"), kind) is None


def test_files_of_others_inside_are_found(place: Path) -> None:
    assert environment.others_files(place) == ""
    if os.geteuid() == 0:
        os.lchown(place / "bin" / "python", 65534, 65534)
        assert environment.others_files(place) == str(place / "bin" / "python")


def test_a_program_of_the_environment_uses_it(place: Path) -> None:
    assert environment.users(place) == ()
    with subprocess.Popen(
        [place / "bin" / "python", "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        found = environment.in_use(place)
        program.communicate(b"\n")
    assert found is not None
    assert f"(PID {program.pid})" in found.because
    assert "--in-use" in found.because


def test_who_has_loaded_a_library_of_it_uses_it(place: Path) -> None:
    library = next((BASE / "lib" / FEATURE / "lib-dynload").glob("_bisect*.so"), None)
    if library is None:
        pytest.skip("this Python has no such library")
    (place / "lib" / library.name).write_bytes(library.read_bytes())
    code = f"import ctypes; ctypes.CDLL({str(place / 'lib' / library.name)!r}); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        found = environment.users(place)
        program.communicate(b"\n")
    assert [each.endswith(f"(PID {program.pid})") for each in found] == [True]


@pytest.mark.parametrize(
    "kind", sorted(set(KINDS) - {"change-packages", "reinstall", "new-environment"})
)
def test_what_belongs_to_the_user_or_the_machine_is_never_applied(kind: str) -> None:
    """Drivers, reboots, limits, GPU settings, processes, files and shell variables, whatever a report says of them."""
    assert not applicable(replace(FIX, applies=True, action=Action(kind)))


def test_a_fix_that_does_not_say_all_is_not_applied() -> None:
    assert not applicable(FIX)
    assert not applicable(replace(FIX, applies=True, action=None))


def test_without_uv_and_pip_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(
        InstallerError, match=r"has no pip, and uv is not on PATH; run `python -m ensurepip`"
    ):
        installer_for("/nonexistent/python", None, has_pip=False)


UV_REFUSES = """Using Python 3.11.7 environment at: tf
error: No solution found when resolving dependencies
  cause: Because a==1 depends on b>=6 and you require a==1, we can conclude that you require b>=6.
         And because you require b==4, we can conclude that your requirements are unsatisfiable.

"""
"""uv 0.13.9 (2026-11-29)."""
OLD_UV_REFUSES = """  × No solution found when resolving dependencies:
  ╰─▶ Because only b==4 is available and you require b>=6, we can conclude that
      your requirements are unsatisfiable.
"""
"""An earlier uv."""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES. Someone may have tampered with them.", "THESE PACKAGES DO NOT MATCH THE HASHES. Someone may have tampered with them"),
        ("ERROR: No version (from versions: none)", "No version (from versions: none). It sees no version at all, as where this machine can't reach the index"),
        ("WARNING: retrying\nerror: Failed to fetch `x`\n  Caused by: dns error", "Failed to fetch `x`"),
        (UV_REFUSES, "No solution found when resolving dependencies: Because a==1 depends on b>=6 and you require a==1, we can conclude that you require b>=6. And because you require b==4, we can conclude that your requirements are unsatisfiable"),
        (OLD_UV_REFUSES, "No solution found when resolving dependencies: Because only b==4 is available and you require b>=6, we can conclude that your requirements are unsatisfiable"),
        ("ERROR: No a\nERROR: No b\n\nThe conflict is caused by:\n    a 1 depends on b<2\n", "No a No b"),
        ("Traceback (most recent call last):\n  File x\n\nMemoryError\n", "MemoryError"),
        ("", "it ended with status 1"),
    ],
)  # fmt: skip
def test_an_installer_is_quoted_in_one_line(said: str, words: str) -> None:
    assert words_of(ChildResult("exit", 1, b"", said.encode(), 1.0)) == words


def test_an_installer_that_came_to_no_end_is_not_quoted() -> None:
    assert words_of(ChildResult("timeout", -1, b"", b"error: x", 120.0)) == (
        "it did not answer within 120 s"
    )
