"""Kernelspecs that come and go and leave nothing behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tfdoctor.apps.cli.app import run
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.jupyter_kernels import words_of
from tfdoctor.apps.jupyter import specs

PYTHON = {
    "argv": ["PY", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "Python 3",
    "language": "python",
    "env": {"TF_CPP_MIN_LOG_LEVEL": "0"},
    "metadata": {"debugger": True},
}


def spec(
    kernels: Path,
    name: str = "mine",
    document: dict[str, Any] | None = None,
    python: str = "/bin/sh",
) -> Path:
    folder = kernels / name
    folder.mkdir(parents=True)
    text = json.dumps(document or PYTHON, indent=3).replace("PY", python)
    (folder / "kernel.json").write_text(text + "\r\n \n", encoding="utf-8")
    (folder / "logo-64x64.png").write_bytes(b"\x89PNG")
    (folder / "kernel.js").write_text("theirs")
    return folder


def picture_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without kernels; neither the environment's own nor the machine's are met by these names."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "XDG_DATA_HOME",
        "JUPYTER_DATA_DIR",
        "JUPYTER_PATH",
        "JUPYTER_DEFAULT_PROVISIONER_NAME",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def place_of(home: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of kernels of each kind that Jupyter searches. The system's own ones can't be written to by a test."""
    if where == "user":
        return home / ".local/share/jupyter/kernels"
    if where == "data":
        monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "data"))
        return home / "data" / "kernels"
    if where == "system":
        monkeypatch.setattr(
            "tfdoctor.ask.probes.python.jupyter._SYSTEM_FOLDERS", (str(home / "usr/share/jupyter"),)
        )
        return home / "usr/share/jupyter/kernels"
    if where == "conda":
        monkeypatch.delenv("VIRTUAL_ENV", raising=False)
        (home / "conda" / "conda-meta").mkdir(parents=True)
        (home / "conda" / "bin").mkdir()
        (home / "conda" / "bin" / "python").symlink_to("/bin/sh")
        monkeypatch.setenv("CONDA_PREFIX", str(home / "conda"))
        return home / "conda" / "share/jupyter/kernels"
    if where == "named":
        monkeypatch.setenv("JUPYTER_PATH", str(home / "shared"))
        return home / "shared" / "kernels"
    environment = home / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    (environment / "bin" / "python").symlink_to("/bin/sh")
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    return environment / "share/jupyter/kernels"


@pytest.mark.parametrize("where", ["user", "data", "named", "environment", "conda", "system"])
@pytest.mark.parametrize("options", [(), ("--wrap",), ("--in-place",)])
def test_what_was_installed_goes_without_a_trace(
    home: Path, where: str, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = place_of(home, where, monkeypatch)
    spec(kernels)
    before = picture_of(kernels)
    assert run(["jupyter", "install", "--kernel", "mine", *options]) == 0
    assert picture_of(kernels) != before
    assert run(["jupyter", "remove", "--kernel", "mine"]) == 0
    assert picture_of(kernels) == before


def test_from_a_folder_of_others_it_goes_to_the_users_own_and_away_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = place_of(home, "system", monkeypatch)
    spec(kernels)
    own = place_of(home, "user", monkeypatch)
    before = picture_of(kernels)
    # Root may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != kernels)
    assert run(["jupyter", "install", "--kernel", "mine"]) == 0
    assert picture_of(kernels) == before
    assert os.listdir(own) == ["mine-tfdoctor"]
    assert run(["jupyter", "remove"]) == 0
    assert picture_of(kernels) == before
    assert os.listdir(own) == []


def test_the_spec_beside_starts_the_same_program_by_the_provisioner(tmp_path: Path) -> None:
    folder = spec(tmp_path)
    ours = specs.write_beside(folder, "mine", tmp_path)
    document = specs.read(ours)
    assert ours == tmp_path / "mine-tfdoctor"
    assert document["argv"] == specs.read(folder)["argv"]
    assert document["metadata"]["kernel_provisioner"] == {"provisioner_name": "tfdoctor"}
    assert document["env"] == {"TF_CPP_MIN_LOG_LEVEL": "0"}
    assert (ours / "logo-64x64.png").read_bytes() == b"\x89PNG"


def test_a_wrapped_spec_has_one_placeholder_and_no_word_of_ipykernel(home: Path) -> None:
    kernels = home / ".local/share/jupyter/kernels"
    spec(kernels)
    assert run(["jupyter", "install", "--kernel", "mine", "--wrap"]) == 0
    words = specs.read(kernels / "mine-tfdoctor")["argv"]
    assert words[1:] == ["jupyter", "kernel", "--python", "/bin/sh", "-f", "{connection_file}"]
    assert sum("{" in word for word in words) == 1
    assert not any("ipykernel" in word for word in words)


def test_a_kernel_of_another_kind_is_wrapped_by_its_name(home: Path) -> None:
    kernels = home / ".local/share/jupyter/kernels"
    spec(
        kernels,
        "ir",
        {"argv": ["PY", "--slave", "{connection_file}"], "display_name": "R", "language": "R"},
    )
    assert run(["jupyter", "install", "--kernel", "ir", "--wrap"]) == 0
    assert "--kernel" in specs.read(kernels / "ir-tfdoctor")["argv"]


@pytest.mark.parametrize(
    "before",
    [
        ("env", "A=b"),
        ("sh", "-c", 'exec "$@"', "sh"),
        ("/opt/conda/bin/conda", "run", "-n", "tf"),
    ],
)
def test_what_starts_a_kernel_through_a_launcher_stays_as_it_is(
    home: Path, before: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The spec's own value is set, and taken back after the test.
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "")
    kernels = home / ".local/share/jupyter/kernels"
    spec(
        kernels,
        document={**PYTHON, "argv": [*before, *PYTHON["argv"]]},
        python="/opt/tf/bin/python",
    )
    rest = ["/opt/tf/bin/python", "-m", "ipykernel_launcher", "-f", "file.json"]
    assert words_of("mine", "file.json") == [*before, *rest]


def test_in_place_changes_the_metadata_alone(tmp_path: Path) -> None:
    folder = spec(tmp_path)
    before = specs.read(folder)
    specs.write_in_place(folder, "mine")
    after = specs.read(folder)
    assert {**after, "metadata": before["metadata"]} == before
    assert after["metadata"]["debugger"] is True


def test_the_wish_to_interrupt_stands_in_the_mark_and_is_undone_with_it(tmp_path: Path) -> None:
    folder = spec(tmp_path)
    before = (folder / "kernel.json").read_bytes()
    specs.write_in_place(folder, "mine", interrupts=True)
    assert specs.mark_of(specs.read(folder))[specs.INTERRUPT] == specs.BEFORE_KILL
    assert specs.undo(folder) == ""
    assert (folder / "kernel.json").read_bytes() == before
    ours = specs.write_beside(folder, "mine", tmp_path, interrupts=True)
    assert specs.mark_of(specs.read(ours))[specs.INTERRUPT] == specs.BEFORE_KILL
    assert specs.INTERRUPT not in specs.mark_of(
        specs.read(specs.write_beside(folder, "mine", tmp_path))
    )


def test_a_wrapped_kernel_is_not_interrupted(home: Path) -> None:
    spec(home / ".local/share/jupyter/kernels")
    with pytest.raises(UsageError, match="leave out --interrupt-before-kill"):
        run(["jupyter", "install", "--kernel", "mine", "--wrap", "--interrupt-before-kill"])


def test_what_the_user_changed_since_is_kept(tmp_path: Path) -> None:
    folder = spec(tmp_path)
    specs.write_in_place(folder, "mine")
    document = specs.read(folder)
    (folder / "kernel.json").write_text(json.dumps({**document, "display_name": "Changed"}))
    assert "was changed since" in specs.undo(folder)
    assert specs.read(folder) == {
        **json.loads(json.dumps(PYTHON).replace("PY", "/bin/sh")),
        "display_name": "Changed",
    }
    assert sorted(os.listdir(folder)) == ["kernel.js", "kernel.json", "logo-64x64.png"]


def test_files_that_others_put_there_stay(tmp_path: Path) -> None:
    ours = specs.write_beside(spec(tmp_path), "mine", tmp_path)
    (ours / "notes.txt").write_text("mine")
    assert "stays" in specs.undo(ours)
    assert os.listdir(ours) == ["notes.txt"]


@pytest.mark.parametrize(
    ("document", "because"),
    [
        (
            {**PYTHON, "metadata": {"kernel_provisioner": {"provisioner_name": "slurm"}}},
            "the provisioner slurm",
        ),
        ({**PYTHON, "metadata": []}, "isn't a kernelspec"),
    ],
)
def test_what_stands_in_the_way_is_said_and_nothing_is_written(
    tmp_path: Path, document: dict[str, Any], because: str
) -> None:
    folder = spec(tmp_path, document=document)
    before = picture_of(tmp_path)
    for attempt in (
        lambda: specs.write_beside(folder, "mine", tmp_path),
        lambda: specs.write_in_place(folder, "mine"),
    ):
        with pytest.raises(specs.SpecError, match=because):
            attempt()
    assert picture_of(tmp_path) == before


def test_a_folder_of_the_users_by_that_name_is_not_touched(tmp_path: Path) -> None:
    folder = spec(tmp_path)
    spec(tmp_path, "mine-tfdoctor")
    with pytest.raises(specs.SpecError, match="is not tfdoctor's"):
        specs.write_beside(folder, "mine", tmp_path)


def test_wrong_usage_names_the_kernels(home: Path) -> None:
    spec(home / ".local/share/jupyter/kernels")
    with pytest.raises(UsageError, match="mine"):
        run(["jupyter", "install", "--kernel", "none"])
    with pytest.raises(UsageError, match="--in-place"):
        run(["jupyter", "install", "--wrap", "--in-place"])


def test_status_says_of_each_kernel_why(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kernels = home / ".local/share/jupyter/kernels"
    spec(kernels)
    spec(kernels, "gone", python="/nowhere/python")
    spec(
        kernels,
        "far",
        {**PYTHON, "metadata": {"kernel_provisioner": {"provisioner_name": "slurm"}}},
    )
    (kernels / "broken").mkdir()
    (kernels / "broken" / "kernel.json").write_text("{")
    run(["jupyter", "install", "--kernel", "mine", "--wrap"])
    capfd.readouterr()
    assert run(["jupyter", "status"]) == 0
    said = capfd.readouterr().out
    assert "mine: a death would not be seen" in said
    assert "tfdoctor jupyter install --kernel mine" in said
    assert "mine-tfdoctor: a death would be seen" in said
    assert "/nowhere/python does not exist" in said
    assert "Another provisioner starts it: slurm" in said
    assert "Its kernelspec is broken" in said


def test_a_pipe_in_place_of_a_kernelspec_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kernel.json")
    with pytest.raises(specs.SpecError, match=r"kernel\.json"):
        specs.read(tmp_path)


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999"])
@pytest.mark.parametrize("in_place", [True, False])
def test_a_number_that_json_does_not_have_is_not_written(
    number: str, in_place: bool, tmp_path: Path
) -> None:
    folder = spec(tmp_path / "kernels")
    text = (folder / "kernel.json").read_text().replace("true", number)
    (folder / "kernel.json").write_text(text)
    before = picture_of(tmp_path)
    with pytest.raises(specs.SpecError, match="JSON has no form for"):
        if in_place:
            specs.write_in_place(folder, "mine")
        else:
            specs.write_beside(folder, "mine", tmp_path / "ours")
    assert picture_of(tmp_path) == before


def test_half_a_surrogate_is_written_as_every_reader_takes_it(tmp_path: Path) -> None:
    folder = spec(tmp_path / "kernels", document={**PYTHON, "display_name": "half \ud800"})
    ours = specs.write_beside(folder, "mine", tmp_path / "ours")
    assert json.loads((ours / "kernel.json").read_text(encoding="utf-8"))[
        "display_name"
    ].startswith("half \ud800")
