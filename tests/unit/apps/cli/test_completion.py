"""What a shell offers while a command is typed."""

from __future__ import annotations

import pytest

from tfdoctor.apps.cli import app
from tfdoctor.apps.cli.completion import COMMANDS, completion


def offered(line: str, words: int) -> list[str] | None:
    said = completion(
        {"_TFDOCTOR_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(words)}
    )
    return said.splitlines() if said is not None else None


def test_every_command_is_offered() -> None:
    assert set(COMMANDS) == set(app.COMMANDS)
    assert offered("tfdoctor pl", 1) == ["plan"]


@pytest.mark.parametrize(
    ("line", "words", "first"),
    [
        (r"tfdoctor plan --gpu RTX\ 309", 3, r"RTX\ 3090"),
        ("tfdoctor plan --driver 525", 3, "525.60.13"),
        ("tfdoctor plan --tensorflow 2.21", 3, "2.21.0"),
        ("tfdoctor plan --python 3.12", 3, "3.12"),
        ("tfdoctor plan --cuda 11.8", 3, "11.8"),
        ("tfdoctor explain driver-too-old-", 2, "driver-too-old-for-ptx"),
        ("tfdoctor matrix show 2.20", 3, "2.20.0"),
        ("tfdoctor check --ignore gpu-abs", 3, "gpu-absent"),
        ("tfdoctor check --smoke d", 3, "driver"),
        ("tfdoctor healthcheck --no-req", 2, "--no-require-gpu"),
    ],
)
def test_values_are_offered(line: str, words: int, first: str) -> None:
    assert (offered(line, words) or [""])[0] == first


def test_kernels_are_offered_by_name(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path)) / "kernels" / "tf-gpu"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(
        '{"argv": ["/nothing"], "display_name": "TF", "language": "python"}'
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert offered("tfdoctor check --kernel tf-g", 3) == ["tf-gpu"]


def test_files_are_the_shells_and_the_rest_is_typers() -> None:
    assert offered("tfdoctor check --python /us", 3) == []
    assert offered("tfdoctor fleet ru", 2) is None
    assert offered("tfdoctor run -- python --ver", 4) is None


def test_each_shell_is_told_in_its_own_form() -> None:
    zsh = {"_TFDOCTOR_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "tfdoctor plan --os wsl"}
    assert completion(zsh) == "_arguments '*: :((\"wsl2\"))'"
    fish = {
        "_TFDOCTOR_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": "tfdoctor plan --gpu 'RTX 309",
    }
    assert (completion(fish) or "").splitlines() == ["RTX 3090", "RTX 3090 Ti"]
