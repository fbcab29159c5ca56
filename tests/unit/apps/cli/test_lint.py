"""`tfdoctor lint` as a user types it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tfdoctor.apps.cli.lint_command import main
from tfdoctor.apps.cli.parse import UsageError

BAD = "tensorflow==2.10.0\nnumpy==2.0.0\n"
TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


def linted(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit status and what stands in the file that -o names."""
    answer = folder / "answer"
    return main([*arguments, "-o", str(answer), str(folder)]), answer.read_bytes().decode()


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (BAD, [], 1),
        (BAD, ["--ignore", "numpy-abi-mismatch"], 0),
        ("tensorflow==2.10.0\nnumpy<2\ntensorflow-probability\n", [], 0),
        ("tensorflow==2.10.0\nnumpy<2\ntensorflow-probability\n", ["--fail-on", "warning"], 1),
        ("tensorflow==2.21.0\n", ["--python", "3.8"], 1),
    ],
)
def test_the_exit_status(tmp_path: Path, text: str, arguments: list[str], status: int) -> None:
    (tmp_path / "requirements.txt").write_text(text, encoding="utf-8")
    assert linted(tmp_path, *arguments)[0] == status


def test_a_working_directory_that_is_gone_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match=r"^\.: No such file or directory"):
        main([])


def test_nothing_to_read_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("tensorflow = [", encoding="utf-8")
    status, text = linted(tmp_path)
    assert status == 3
    assert "No build file could be read" in text


def test_fix_writes_and_then_nothing_is_left(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_bytes(("\ufeff" + BAD.replace("\n", "\r\n")).encode())
    before = linted(tmp_path, "--diff")[1]
    assert "+numpy>=1.20,<2" in before
    assert linted(tmp_path, "--fix")[0] == 0
    assert file.read_bytes() == "\ufefftensorflow==2.10.0\r\nnumpy>=1.20,<2\r\n".encode()


def test_a_file_of_two_names_is_fixed_once(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(BAD, encoding="utf-8")
    (tmp_path / "requirements-link.txt").symlink_to(file)
    assert linted(tmp_path, "--fix")[0] == 0
    assert file.read_text(encoding="utf-8") == "tensorflow==2.10.0\nnumpy>=1.20,<2\n"


def test_what_looks_like_a_password_is_hidden_in_every_form(tmp_path: Path) -> None:
    more = "-r https://user:hunter2secret@example.org/more.txt\n"
    (tmp_path / f"requirements-{TOKEN}.txt").write_text(BAD + more, encoding="utf-8")
    for form in ("terminal", "json", "sarif", "github"):
        text = linted(tmp_path, "--format", form)[1]
        assert TOKEN not in text
        assert "hunter2secret" not in text


def test_sarif_names_rule_place_and_replacement(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(BAD, encoding="utf-8")
    (run,) = json.loads(linted(tmp_path, "--format", "sarif")[1])["runs"]
    (result,) = run["results"]
    assert (
        run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]
        == result["ruleId"]
        == "numpy-abi-mismatch"
    )
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 13}
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == place["artifactLocation"]
    assert change["replacements"] == [
        {"deletedRegion": place["region"], "insertedContent": {"text": "numpy>=1.20,<2"}}
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere"],
        ["--gpu", "RTX 9999"],
        ["--ignore", "nonsense"],
        ["--fix", "--diff"],
        ["--python", "x"],
    ],
)
def test_wrong_usage_is_one_sentence(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        main(arguments)


def test_a_file_that_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    """Read, then changed by somebody else, then written: their change stays."""
    from tfdoctor.apps.cli.lint_command import _fixed
    from tfdoctor.ask.builds.files import read
    from tfdoctor.knowledge.matrix.load import load_bundled
    from tfdoctor.report.lint import lint

    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(BAD, encoding="utf-8")
    reading = read([str(tmp_path)])
    found = lint(reading, load_bundled())
    changed = f"{BAD}six\n"
    (tmp_path / "a" / "requirements.txt").write_text(changed, encoding="utf-8")
    written, failed = _fixed(reading, found)
    assert (written, list(failed.values())) == (1, ["it was changed meanwhile"])
    assert (tmp_path / "a" / "requirements.txt").read_text(encoding="utf-8") == changed
    assert "numpy>=1.20,<2" in (tmp_path / "b" / "requirements.txt").read_text(encoding="utf-8")


def test_what_can_not_be_written_is_named_and_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit of bytes for each file of this process, as on a full disk."""
    resource = pytest.importorskip("resource")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text(BAD, encoding="utf-8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
    try:
        status = main(["--fix", "-o", "/dev/null"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert status == 3
    assert "requirements.txt: not written, File too large" in capsys.readouterr().err
    assert (tmp_path / "requirements.txt").read_text(encoding="utf-8") == BAD
