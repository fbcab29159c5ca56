"""Jupyter's kernels, by their kernelspec folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import Link, lay_out
from tfdoctor.ask.probes.python.jupyter import all_kernels, ask, data_folders
from tfdoctor.ask.probes.python.target import as_its_kernel_starts
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts, Interpreter
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Kernelspec

HOME = {"HOME": "/home/me"}
USER = "/home/me/.local/share/jupyter/kernels"


def spec(*argv: str, name: str = "A kernel") -> str:
    return json.dumps({"argv": list(argv), "display_name": name, "language": "python"})


def kernels_of(
    root: Path, files: dict[str, str], environ: dict[str, str] | None = None
) -> dict[str, Kernelspec]:
    fact = all_kernels(lay_out(root, files, HOME | (environ or {})), ["/venv"], "linux")
    return {kernel.name: kernel for kernel in fact.value} if isinstance(fact, Known) else {}


def test_a_kernel_of_the_user_with_its_interpreter(tmp_path: Path) -> None:
    files = {
        f"{USER}/TF/kernel.json": spec("/venv/bin/python", "-m", "ipykernel", name="TF 2.21"),
        "/venv/bin/python": "",
    }
    kernel = kernels_of(tmp_path, files)["tf"]
    assert kernel.display_name == "TF 2.21"
    assert kernel.argv == ("/venv/bin/python", "-m", "ipykernel")
    assert kernel.interpreter == Known("/venv/bin/python", f"{USER}/TF/kernel.json")


def test_an_interpreter_that_is_gone_is_absent(tmp_path: Path) -> None:
    kernel = kernels_of(tmp_path, {f"{USER}/old/kernel.json": spec("/gone/bin/python")})["old"]
    assert kernel.interpreter == Absent("/gone/bin/python does not exist")


def test_the_link_of_a_virtual_environment_stays(tmp_path: Path) -> None:
    files = {
        f"{USER}/tf/kernel.json": spec("/venv/bin/python"),
        "/venv/bin/python": Link("/usr/bin/python3"),
        "/usr/bin/python3": "",
    }
    assert kernels_of(tmp_path, files)["tf"].interpreter == Known(
        "/venv/bin/python", f"{USER}/tf/kernel.json"
    )


def test_a_bare_python_is_the_environments_own(tmp_path: Path) -> None:
    folder = "/venv/share/jupyter/kernels/python3"
    files = {f"{folder}/kernel.json": spec("python"), "/venv/bin/python": "", "/usr/bin/python": ""}
    kernel = kernels_of(tmp_path, files, {"PATH": "/usr/bin"})["python3"]
    assert isinstance(kernel.interpreter, Known)
    assert kernel.interpreter.value == "/venv/bin/python"


def test_a_bare_python_outside_of_an_environment_is_not_guessed(tmp_path: Path) -> None:
    files = {f"{USER}/python3/kernel.json": spec("python3"), "/usr/bin/python3": ""}
    assert isinstance(
        kernels_of(tmp_path, files, {"PATH": "/usr/bin"})["python3"].interpreter, Failed
    )


@pytest.mark.parametrize(
    ("path", "kind"), [("/opt/bin:/usr/bin", Known), ("/opt/bin", Absent), ("", Known)]
)
def test_another_program_is_looked_up_on_path(tmp_path: Path, path: str, kind: type) -> None:
    files = {f"{USER}/r/kernel.json": spec("R", "--slave"), "/usr/bin/R": ""}
    assert isinstance(kernels_of(tmp_path, files, {"PATH": path})["r"].interpreter, kind)


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", "null", "{}", '{"argv": []}', '{"argv": "python"}', '{"argv": [1]}', '{"argv": ["\\u0000"]}',
        '{"argv": ["/x"], "display_name": 5}', "[" * 100_000, '{"argv": ["\\ud800"]}', "\udcff\udcfe",
    ],
)  # fmt: skip
def test_a_broken_kernel_json_is_reported_and_the_others_stay(tmp_path: Path, content: str) -> None:
    files = {
        f"{USER}/bad/kernel.json": content,
        f"{USER}/good/kernel.json": spec("/bin/x"),
        "/bin/x": "",
    }
    kernels = kernels_of(tmp_path, files)
    assert not isinstance(kernels["bad"].interpreter, Known)
    assert isinstance(kernels["good"].interpreter, Known)
    json.dumps([kernels["bad"].argv, kernels["bad"].folder], ensure_ascii=False).encode("utf-8")


def test_folders_without_kernel_json_and_with_bad_names_are_no_kernels(tmp_path: Path) -> None:
    assert (
        kernels_of(tmp_path, {f"{USER}/empty/": "", f"{USER}/bad name/kernel.json": spec("/x")})
        == {}
    )


def test_the_search_order_outside_of_an_environment(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {"/usr/bin/python3": ""}, HOME | {"JUPYTER_PATH": "/extra"})
    assert data_folders(system, ["/usr"], "linux") == [
        ("/extra", ""),
        ("/home/me/.local/share/jupyter", ""),
        ("/usr/share/jupyter", "/usr"),
        ("/usr/local/share/jupyter", ""),
    ]


@pytest.mark.parametrize(
    ("environ", "first"), [({}, "venv"), ({"JUPYTER_PREFER_ENV_PATH": "0"}, "user")]
)
def test_a_virtual_environment_comes_before_the_user_unless_they_ask_for_the_other_order(
    tmp_path: Path, environ: dict[str, str], first: str
) -> None:
    files = {
        "/venv/pyvenv.cfg": "home = /usr/bin\n",
        "/venv/share/jupyter/kernels/python3/kernel.json": spec("/venv/bin/python", name="venv"),
        f"{USER}/python3/kernel.json": spec("/usr/bin/python3", name="user"),
    }
    assert kernels_of(tmp_path, files, environ)["python3"].display_name == first


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {"HOME": "/home/me", "XDG_DATA_HOME": "/data"}, "/data/jupyter"),
        ("linux", {"HOME": "/home/me", "JUPYTER_DATA_DIR": "/j"}, "/j"),
        ("darwin", {"HOME": "/Users/me"}, "/Users/me/Library/Jupyter"),
        (
            "win32",
            {"APPDATA": "C:/Users/me/AppData/Roaming"},
            "C:/Users/me/AppData/Roaming/jupyter",
        ),
        ("win32", {"PROGRAMDATA": "C:/ProgramData"}, "C:/ProgramData/jupyter"),
    ],
)
def test_the_users_folder_of_each_system(
    tmp_path: Path, platform: str, environ: dict[str, str], folder: str
) -> None:
    assert folder in [
        name for name, _ in data_folders(lay_out(tmp_path, {}, environ), [], platform)
    ]


def test_the_named_kernel(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {f"{USER}/tf/kernel.json": spec("/venv/bin/python")}, HOME)
    jupyter = ask(Request(system, kernel="TF"), Facts())
    assert isinstance(jupyter.examined_kernel, Known)
    assert jupyter.examined_kernel.value.name == "tf"


def test_a_kernel_that_is_not_there_is_failed_with_those_that_are(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {f"{USER}/tf/kernel.json": spec("/venv/bin/python")}, HOME)
    assert ask(Request(system, kernel="x"), Facts()).examined_kernel == Failed(
        "no kernel is called x; there are: tf", "missing"
    )


def test_no_kernels_and_none_named(tmp_path: Path) -> None:
    jupyter = ask(Request(lay_out(tmp_path, {}, HOME)), Facts())
    assert isinstance(jupyter.kernels, Absent)
    assert jupyter.examined_kernel == Absent("no kernel was named")


def test_the_examined_environments_kernels_are_found_where_it_really_lies(tmp_path: Path) -> None:
    """The interpreter's prefix is a path of this machine, also below a root."""
    system = lay_out(
        tmp_path, {"/opt/env/share/jupyter/kernels/tf/kernel.json": spec("/bin/x")}, HOME
    )
    facts = replace(
        Facts(), interpreter=Interpreter(prefix=Known(str(tmp_path / "opt/env"), "a test"))
    )
    assert isinstance(ask(Request(system), facts).kernels, Known)


def test_a_kernels_file_adds_to_the_environment(tmp_path: Path) -> None:
    """jupyter_client puts the user's values where ${NAME} stands and passes over what is no text."""
    added = {"PYTHONPATH": "/srv/lib:${PYTHONPATH}", "TF_CPP_MIN_LOG_LEVEL": "2", "N": 3}
    document = json.dumps({"argv": ["/venv/bin/python"], "display_name": "TF", "env": added})
    system = lay_out(
        tmp_path,
        {f"{USER}/tf/kernel.json": document},
        {**HOME, "PYTHONPATH": "/home/lib", "KEPT": "1"},
    )
    request = as_its_kernel_starts(Request(system=system, kernel="TF"))
    assert request.system.environ["PYTHONPATH"] == "/srv/lib:/home/lib"
    assert request.system.environ["TF_CPP_MIN_LOG_LEVEL"] == "2"
    assert request.system.environ["KEPT"] == "1"
    assert "N" not in request.system.environ
    assert as_its_kernel_starts(Request(system=system)).system is system
