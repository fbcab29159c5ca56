"""Working environments that look odd: each lays one out, with real files, and says how the doctor is started there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.command import clone
from tests.real.environments import site_packages

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
CLEAN = ("env", "-i", "PATH=/usr/bin:/bin", "CUDA_VISIBLE_DEVICES=")
MOUNTED = ("unshare", "--map-root-user", "--mount", "sh", "-e", "-c")


@dataclass(frozen=True)
class Odd:
    """python: what is examined; env: variables beside the usual ones; before: what starts the doctor; cwd: where."""

    python: Path
    env: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    cwd: Path | None = None


Maker = Callable[[Path, Path], Odd]
"""Of the interpreter of a working environment, read-only, and an empty folder."""
ODDITIES: dict[str, Maker] = {}


def odd(name: str) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        ODDITIES[name] = maker
        return maker

    return keep


def without_packages(folder: Path) -> Path:
    """A virtual environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def plain(folder: Path) -> Path:
    """An interpreter that is no virtual environment, with this one's standard library and no packages."""
    base = Path(sys.base_prefix)
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / VERSION
    shutil.copy2((base / "bin" / VERSION).resolve(), python)
    skipped = shutil.ignore_patterns(
        "site-packages", "dist-packages", "test", "__pycache__", "config-*"
    )
    shutil.copytree(base / "lib" / VERSION, folder / "lib" / VERSION, symlinks=True, ignore=skipped)
    (folder / "lib" / VERSION / "site-packages").mkdir()
    return python


def packages(python: Path, folder: Path, *left_out: str) -> Path:
    """The environment's packages once more, as links; left_out: beginnings of names."""
    place = site_packages(python)

    def ignored(where: str, names: list[str]) -> set[str]:
        return {
            each
            for each in names
            if Path(where) == place and left_out and each.startswith(left_out)
        }

    shutil.copytree(
        place, folder, symlinks=True, copy_function=os.link, ignore=ignored, dirs_exist_ok=True
    )
    return folder


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def rewritten(file: Path, *changes: tuple[str, str]) -> None:
    """Changes a file that may be a link into a cache: in a copy, which replaces it."""
    text = file.read_text()
    for old, new in changes:
        assert re.search(old, text), f"{file} has no {old}"
        text = re.sub(old, new, text, count=1)
    file.unlink()
    file.write_text(text)


@odd("a wrapper that sets PYTHONPATH and execs")
def _nix(python: Path, folder: Path) -> Odd:
    bare = plain(folder / "store")
    line = (
        f'#!/bin/sh\nexport PYTHONPATH="{packages(python, folder / "lib")}"\nexec "{bare}" "$@"\n'
    )
    return Odd(script(folder / "bin" / "python3", line))


@odd("a wrapper in Python")
def _by_python(python: Path, folder: Path) -> Odd:
    text = f"#!{sys.executable}\nimport os, sys\nos.execv({str(python)!r}, [{str(python)!r}, *sys.argv[1:]])\n"
    return Odd(script(folder / "python", text))


@odd("a link to the environment's folder")
def _linked_folder(python: Path, folder: Path) -> Odd:
    (folder / "current").symlink_to(python.parent.parent)
    return Odd(folder / "current" / "bin" / "python")


@odd("a relative path")
def _relative(python: Path, folder: Path) -> Odd:
    return Odd(Path("bin/python"), cwd=python.parent.parent)


@odd("packages by pip install --target")
def _target(python: Path, folder: Path) -> Odd:
    return Odd(
        without_packages(folder / "venv"), {"PYTHONPATH": str(packages(python, folder / "target"))}
    )


@odd("several PYTHONPATH entries, some of them empty or gone")
def _several(python: Path, folder: Path) -> Odd:
    first = packages(python, folder / "first", "tensorflow", "keras")
    second = packages(python, folder / "second", "numpy")
    entries = ["", str(folder / "gone"), str(first), str(second), ""]
    return Odd(without_packages(folder / "venv"), {"PYTHONPATH": ":".join(entries)})


@odd("packages that a .pth file leads to")
def _pth(python: Path, folder: Path) -> Odd:
    bare = without_packages(folder / "venv")
    lines = f"# shared\n{packages(python, folder / 'shared')}\n/gone/for/long\n"
    (site_packages(bare) / "shared.pth").write_text(lines)
    return Odd(bare)


@odd("a package inside a zip file")
def _zipped(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    place = site_packages(own)
    with zipfile.ZipFile(folder / "pure.zip", "w") as archive:
        archive.write(place / "six.py", "six.py")
        for file in next(place.glob("six-*.dist-info")).iterdir():
            archive.write(file, f"{file.parent.name}/{file.name}")
    (place / "six.py").unlink()
    shutil.rmtree(next(place.glob("six-*.dist-info")))
    (place / "pure.pth").write_text(f"{folder / 'pure.zip'}\n")
    return Odd(own)


@odd("an egg of easy_install")
def _egg(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    place = site_packages(own)
    information = next(place.glob("termcolor-*.dist-info"))
    egg = place / f"{information.name.removesuffix('.dist-info')}-py3.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (place / "termcolor").rename(egg / "termcolor")
    shutil.copy(information / "METADATA", egg / "EGG-INFO" / "PKG-INFO")
    shutil.rmtree(information)
    (place / "easy-install.pth").write_text(f"./{egg.name}\n")
    return Odd(own)


@odd("metadata in one .egg-info file, as distributions keep it")
def _egg_info(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    information = next(site_packages(own).glob("six-*.dist-info"))
    shutil.copy(
        information / "METADATA",
        information.with_name(information.stem.replace("-info", "") + ".egg-info"),
    )
    shutil.rmtree(information)
    return Odd(own)


@odd("an environment that sees the system's packages, TensorFlow among them")
def _system_packages(python: Path, folder: Path) -> Odd:
    base = plain(folder / "system")
    packages(python, folder / "system" / "lib" / VERSION / "site-packages")
    subprocess.run(
        [base, "-m", "venv", "--without-pip", "--system-site-packages", folder / "venv"], check=True
    )
    return Odd(folder / "venv" / "bin" / "python")


@odd("dist-packages, as Debian names it")
def _debian(python: Path, folder: Path) -> Odd:
    base = plain(folder / "usr")
    place = packages(python, folder / "usr" / "lib" / "python3" / "dist-packages")
    (folder / "usr" / "lib" / VERSION / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(place)!r})\n"
    )
    return Odd(base)


@odd("a user's own packages (pip install --user)")
def _user(python: Path, folder: Path) -> Odd:
    packages(python, folder / "user" / "lib" / VERSION / "site-packages")
    return Odd(plain(folder / "plain"), {"PYTHONUSERBASE": str(folder / "user")})


@odd("a vendor's build with a local version, as in NGC's images")
def _ngc(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    information = next(site_packages(own).glob("tensorflow-*.dist-info"))
    version = information.name.removeprefix("tensorflow-").removesuffix(".dist-info")
    rewritten(
        information / "METADATA",
        (rf"(?m)^Version: {re.escape(version)}$", f"Version: {version}+nv26.10"),
    )
    rewritten(
        information / "RECORD",
        *(
            (re.escape(information.name), f"tensorflow-{version}+nv26.10.dist-info")
            for _ in range(6)
        ),
    )
    information.rename(information.with_name(f"tensorflow-{version}+nv26.10.dist-info"))
    return Odd(own)


@odd("the wheel named tensorflow-cpu")
def _cpu(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    information = next(site_packages(own).glob("tensorflow-*.dist-info"))
    rewritten(information / "METADATA", (r"(?m)^Name: tensorflow$", "Name: tensorflow_cpu"))
    information.rename(
        information.with_name(information.name.replace("tensorflow-", "tensorflow_cpu-"))
    )
    return Odd(own)


@odd("a conda environment")
def _conda(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "envs" / "tf")
    (folder / "envs" / "tf" / "conda-meta").mkdir()
    (folder / "envs" / "tf" / "conda-meta" / "history").write_text("==> 2026-11-01 09:00:00 <==\n")
    return Odd(own, {"CONDA_PREFIX": str(folder / "envs" / "tf"), "CONDA_DEFAULT_ENV": "tf"})


@odd("what an interrupted uninstall left behind")
def _left(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    (site_packages(own) / "~rpcio-1.60.0.dist-info").mkdir()
    (site_packages(own) / "~rpcio").mkdir()
    return Odd(own)


@odd("a project installed as editable, by a path hook")
def _editable(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    place = site_packages(own)
    (folder / "project" / "mine").mkdir(parents=True)
    (folder / "project" / "mine" / "__init__.py").write_text("")
    (place / "__editable___mine_finder.py").write_text("def install():\n    pass\n")
    (place / "__editable__.mine-1.0.pth").write_text(
        "import __editable___mine_finder; __editable___mine_finder.install()\n"
    )
    (place / "mine-1.0.dist-info").mkdir()
    (place / "mine-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
    )
    return Odd(own)


@odd("a sitecustomize that prints")
def _noisy(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    (site_packages(own) / "sitecustomize.py").write_text(
        "import sys\nprint('welcome to the cluster')\nprint('{\"a\": 1}', file=sys.stderr)\n"
    )
    return Odd(own)


@odd("a path with blanks and letters of another script")
def _blanks(python: Path, folder: Path) -> Odd:
    return Odd(clone(python, folder / "Projekt für Ñandú 研究" / "venv 1"))


@odd("a data folder named tensorflow where one works")
def _data(python: Path, folder: Path) -> Odd:
    (folder / "tensorflow" / "checkpoints").mkdir(parents=True)
    (folder / "keras").mkdir()
    return Odd(python, cwd=folder)


@odd("no variables at all")
def _bare(python: Path, folder: Path) -> Odd:
    return Odd(python, before=CLEAN)


@odd("a locale that is not installed, and ASCII output")
def _locale(python: Path, folder: Path) -> Odd:
    return Odd(
        python,
        {
            "LC_ALL": "xx_YY.UTF-8",
            "LANG": "xx_YY",
            "PYTHONIOENCODING": "ascii",
            "TZ": "Nowhere/At_All",
        },
    )


@odd("an LD_LIBRARY_PATH with relative, empty and missing folders")
def _search_path(python: Path, folder: Path) -> Odd:
    return Odd(python, {"LD_LIBRARY_PATH": f":lib:/gone/lib64:{folder}:"})


@odd("a preloaded library that changes nothing")
def _preload(python: Path, folder: Path) -> Odd:
    return Odd(python, {"LD_PRELOAD": "libm.so.6"})


@odd("Python told to be quiet, unbuffered, and to write no bytecode")
def _quiet(python: Path, folder: Path) -> Odd:
    variables = {
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONOPTIMIZE": "1",
        "PYTHONWARNINGS": "ignore",
    }
    return Odd(python, {**variables, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"})


@odd("one processor, the least of its time, and no core dumps")
def _least(python: Path, folder: Path) -> Odd:
    line = 'ulimit -c 0; exec nice -n 19 taskset --cpu-list 0 "$@"'
    return Odd(python, before=("sh", "-e", "-c", line, "sh"))


@odd("an environment of somebody else, and no home")
def _somebody(python: Path, folder: Path) -> Odd:
    own = clone(python, folder / "venv")
    for place in (folder / "venv").rglob("*"):
        if place.is_dir() and not place.is_symlink():  # files are links into a cache
            os.chown(place, 65534, 65534)
    return Odd(own, {"HOME": "/nonexistent", "USER": "someone"}, cwd=Path("/"))


@odd("a read-only root, with a folder for temporary files")
def _read_only(python: Path, folder: Path) -> Odd:
    line = f'mount --bind "{folder}" "{folder}"; mount -o remount,bind,ro /; exec "$@"'
    return Odd(python, {"TMPDIR": str(folder)}, before=(*MOUNTED, line, "sh"))


@odd("/tmp that takes nothing, TMPDIR elsewhere")
def _tmpdir(python: Path, folder: Path) -> Odd:
    own = "/dev/shm"  # a place of the namespace that is made here
    line = f'mount -t tmpfs none {own}; mount --bind -o ro /var/tmp /var/tmp; export TMPDIR={own}; exec "$@"'
    return Odd(python, before=(*MOUNTED, line, "sh"))


@odd("a sandbox: own processes, own host name, no network")
def _sandbox(python: Path, folder: Path) -> Odd:
    line = 'mount -t proc none /proc; exec "$@"'
    names = ("unshare", "--map-root-user", "--mount", "--pid", "--fork", "--net", "--uts", "--ipc")
    return Odd(python, before=(*names, "sh", "-e", "-c", line, "sh"))
