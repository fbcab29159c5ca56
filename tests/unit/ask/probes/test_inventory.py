"""The environments and kernels that a user may work with."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.ask.probes.python.inventory import inventory
from tfdoctor.base.sysroot import System


def lay_out(folder: Path, *distributions: str) -> Path:
    site = folder / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    for name in distributions:
        (site / f"{name}-1.0.dist-info").mkdir()
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to("/bin/sh")
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    return folder


def script(folder: Path, python: Path, first: str = "#!{}\nimport sys\n") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "jupyter-lab").write_text(first.format(python))
    (folder / "jupyter-lab").chmod(0o755)


def test_the_environment_behind_a_server_on_path_is_found(tmp_path: Path) -> None:
    env = lay_out(tmp_path / "env", "jupyter_client", "tfdoctor")
    script(tmp_path / "bin", env / "bin/python")
    found = inventory(System(environ={"PATH": str(tmp_path / "bin")})).environments[0]
    assert (found.prefix, found.found_by, found.starts_kernels) == (
        str(env),
        "jupyter-lab on PATH",
        True,
    )
    assert "tfdoctor" in found.distributions


def test_a_first_line_that_is_too_long_for_the_kernel_is_read_as_pip_writes_it(
    tmp_path: Path,
) -> None:
    env = lay_out(tmp_path / "env", "jupyter_client")
    script(tmp_path / "bin", env / "bin/python", "#!/bin/sh\n'''exec' {} \"$0\" \"$@\"\n' '''\n")
    assert inventory(System(environ={"PATH": str(tmp_path / "bin")})).environments[0].prefix == str(
        env
    )


def test_the_active_environment_is_there_once(tmp_path: Path) -> None:
    env = lay_out(tmp_path / "env", "numpy")
    script(env / "bin", env / "bin/python")
    found = inventory(
        System(environ={"PATH": str(env / "bin"), "VIRTUAL_ENV": str(env)})
    ).environments
    assert [each.prefix for each in found].count(str(env)) == 1
    assert not next(each for each in found if each.prefix == str(env)).starts_kernels
