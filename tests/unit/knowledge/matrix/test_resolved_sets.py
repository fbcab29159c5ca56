"""What becomes of uv's answers: a program in its place prints them as uv 0.13.9 does (2026-11-29), an index on this machine has the wheels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import make_script
from tests.unit.knowledge.matrix.test_matrix_command import run
from tests.unit.knowledge.matrix.test_together import wheel
from tests.unit.knowledge.matrix.wheels import Site
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.together import (
    Resolver,
    SetDifference,
    SetVerification,
    verify_together,
)

WANTED = ("tensorflow[and-cuda]==2.21.0", "torch==2.10.0")
LIBRARY = "nvidia/cudnn/lib/libcudnn.so.9"
WHEELS = dict(
    (
        wheel("tensorflow", "2.21.0", {"tensorflow/__init__.py": ""}),
        wheel("nvidia-cudnn-cu12", "9.3", {LIBRARY: "twelve", "nvidia/__init__.py": ""}),
        wheel("nvidia-cudnn-cu13", "9.3", {LIBRARY: "thirteen", "nvidia/__init__.py": ""}),
    )
)
REFUSED = """  error: No solution found when resolving dependencies
  cause: Because torch==2.10.0 depends on nvidia-cudnn-cu12==9.1 and there is no version of nvidia-cudnn-cu12==9.1, we can conclude that torch==2.10.0 cannot be used.
         And because you require torch==2.10.0, we can conclude that your requirements are unsatisfiable.
"""
OF_ITSELF = "  cause: Because tensorflow[and-cuda]==2.21.0 depends on torch<2 and you require torch==2.10.0, your requirements are unsatisfiable.\n"
NO_ANSWER = "  error: Request failed after 3 retries in 7.0s\n  cause: Failed to fetch: http://127.0.0.1/simple/torch/\n"

Uv = Callable[..., Resolver]


@pytest.fixture
def uv(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uv:
    """Makes a uv that takes these wheels, or says these words and ends with this status, and a resolver that asks it."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    site.wheels = WHEELS

    def made(*taken: str, said: str = "", status: int = 0) -> Resolver:
        packages = (
            f'[[packages]]\nname = "{each.partition("-")[0].replace("_", "-")}"\nversion = "1"\n'
            f'wheels = [{{ url = "{site.address.removesuffix("/simple")}/files/{each}", hashes = {{ sha256 = "0" }} }}]\n'
            for each in taken
        )
        (tmp_path / "lock").write_text('lock-version = "1.0"\n' + "".join(packages))
        (tmp_path / "said").write_text(said)
        script = f'cd {tmp_path}; echo "$@" >words; env >environment; cat >wanted; cat lock; cat said >&2; exit {status}\n'
        make_script(tmp_path / "uv", script)
        return Resolver(Index())

    return made


def test_files_that_two_of_them_bring_with_other_content(uv: Uv) -> None:
    found = uv(*WHEELS).together(WANTED, "3.12")
    assert found.outcome == "overwritten"
    assert [(each.packages, each.files) for each in found.overlaps] == [
        (("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"), (LIBRARY,))
    ]
    assert [each.package for each in found.wheels] == [
        "tensorflow",
        "nvidia-cudnn-cu12",
        "nvidia-cudnn-cu13",
    ]


def test_wheels_that_share_no_file_are_clean_and_are_read_once(uv: Uv, site: Site) -> None:
    resolver = uv(*list(WHEELS)[:2])
    assert resolver.together(WANTED, "3.12").outcome == "clean"
    sent = site.sent
    assert resolver.together(WANTED, "3.12").outcome == "clean"
    assert site.sent == sent


def test_it_is_asked_for_wheels_of_this_index_alone(
    uv: Uv, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_CONSTRAINT", "/of/this/machine.txt")
    monkeypatch.setenv("UV_CACHE_DIR", "/of/this/machine")
    uv().together(WANTED, "3.12")
    assert (tmp_path / "wanted").read_text() == "\n".join(WANTED)
    words = (tmp_path / "words").read_text()
    for each in (
        f"--default-index {site.address} ",
        "--no-config ",
        "--python-version 3.12 ",
        "--only-binary :all: ",
    ):
        assert each in words
    environment = (tmp_path / "environment").read_text()
    assert "UV_CACHE_DIR=/of/this/machine\n" in environment
    assert "UV_CONSTRAINT" not in environment


@pytest.mark.parametrize(
    ("said", "between"),
    [(REFUSED, ("nvidia-cudnn-cu12",)), (OF_ITSELF, ()), ("", ())],
)
def test_a_refusal_names_what_nobody_can_please(
    uv: Uv, said: str, between: tuple[str, ...]
) -> None:
    found = uv(said=said, status=1).together(WANTED, "3.12")
    assert (found.outcome, found.between, found.wheels) == ("refused", between, ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (NO_ANSWER, "uv ended with status 2: error: Request failed after 3 retries in 7.0s"),
        ("", "uv ended with status 2"),
    ],
)
def test_an_index_that_does_not_answer_is_no_refusal(uv: Uv, said: str, why: str) -> None:
    with pytest.raises(MatrixError) as told:
        uv(said=said, status=2).together(WANTED, "3.12")
    assert str(told.value) == why


def test_a_wheel_without_a_list_of_its_files(uv: Uv, site: Site) -> None:
    name = "tensorflow-2.21.0-py3-none-any.whl"
    content = WHEELS[name].replace(b"dist-info/RECORD", b"dist-info/NORECO")
    site.wheels = {name: content}
    with pytest.raises(MatrixError, match=f"^{re.escape(name)} has no list of its files$"):
        uv(name).together(WANTED, "3.12")


def test_without_uv_it_says_what_to_install(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("verify", "--pairs", "2.21.0")
    assert done.exit_code == 3
    assert done.stderr == (
        "tfdoctor: sets of packages are resolved by uv, which is not on PATH; install it with pip install uv\n"
    )


def of_two_releases() -> Matrix:
    """The matrix with two sets alone, for each of two TensorFlows one."""
    bundled = load_bundled()
    rows = [
        {
            "tensorflow": [each],
            "extra": "",
            "beside": "torch",
            "outcomes": {"2.9.0": {"refused": []}},
        }
        for each in ("2.21.0", "2.20.0")
    ]
    table = {
        **bundled.document["together"],
        "rows": rows,
        "sets": [],
        "releases": {"torch": ["2.9.0"]},
    }
    return Matrix({**bundled.document, "together": table}, "0" * 64, "file")


def test_verify_names_the_set_that_is_answered_otherwise(uv: Uv) -> None:
    """Torch 2.9.0 is refused in that matrix and clean here."""
    steps: list[int] = []
    found = verify_together(of_two_releases(), ["2.21.0"], uv(), lambda: steps.append(1))
    assert (found.sets, len(steps), found.exit_code) == (1, 1, 1)
    assert found.to_text() == (
        "tensorflow==2.21.0 torch==2.9.0 on Python 3.13: matrix refused, resolved clean\n"
        "1 sets resolved and their lists of files compared: 1 differences\n"
    )
    assert json.loads(found.to_json())["differences"] == [
        {
            "requirements": ["tensorflow==2.21.0", "torch==2.9.0"],
            "python": "3.13",
            "matrix": "refused",
            "published": "clean",
        }
    ]


def test_verify_of_all_releases_that_are_answered_as_the_matrix_says(uv: Uv) -> None:
    found = verify_together(of_two_releases(), [], uv(status=1), lambda: None)
    assert (found.sets, found.differences, found.left, found.exit_code) == (2, (), (), 0)


@pytest.mark.parametrize(
    ("error", "why", "status"),
    [(KeyboardInterrupt(), "stopped", 130), (MatrixError("no answer"), "no answer", 1)],
)
def test_a_run_that_is_stopped_tells_what_it_found_and_what_is_left(
    uv: Uv, error: BaseException, why: str, status: int
) -> None:
    def progress() -> None:
        if steps:
            raise error
        steps.append(1)

    steps: list[int] = []
    found = verify_together(of_two_releases(), [], uv(), progress)
    assert (found.sets, len(found.differences), found.left) == (2, 1, ("2.20.0",))
    assert (found.stopped, found.exit_code) == (why, status)
    assert found.to_text().endswith("Not all sets of TensorFlow 2.20.0 were resolved. Name these versions to verify the rest.\n")  # fmt: skip


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (SetVerification("1", 1, ()), 0),
        (SetVerification("1", 1, (), ("2.20.0",), "no answer"), 3),
        (SetVerification("1", 1, (SetDifference(WANTED, "3.12", "clean", "refused"),)), 1),
    ],
)
def test_the_exit_status_says_how_far_it_came(found: SetVerification, status: int) -> None:
    assert found.exit_code == status
