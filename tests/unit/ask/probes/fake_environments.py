"""Small environments laid out by hand: real interpreters behind links, packages of a few literal files."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import sys
from pathlib import Path

from tfdoctor.ask.probes.request import Request
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.versions import PythonRelease

BASE = Path(sys.base_prefix)
FEATURE = f"python{sys.version_info[0]}.{sys.version_info[1]}"
PLAIN_ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


def make_venv(folder: Path, **config: str) -> Path:
    """A virtual environment of the Python that runs the tests, as `python -m venv --without-pip` makes one."""
    (folder / "bin").mkdir(parents=True)
    site_of(folder).mkdir(parents=True)
    real = BASE / "bin" / FEATURE
    (folder / "bin" / "python").symlink_to(real)
    (folder / "bin" / "python3").symlink_to("python")
    lines = {
        "home": str(real.parent),
        "include-system-site-packages": "false",
        "version": platform.python_version(),
        **config,
    }
    (folder / "pyvenv.cfg").write_text(
        "".join(f"{key} = {value}\n" for key, value in lines.items())
    )
    return folder


def site_of(folder: Path) -> Path:
    return folder / "lib" / FEATURE / "site-packages"


def make_script(path: Path, text: str) -> Path:
    """An executable shell script that stands where an interpreter is expected."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def add_distribution(
    site: Path,
    name: str,
    version: str,
    files: dict[str, str] | None = None,
    metadata: str = "",
    tag: str = "cp311-cp311-manylinux_2_17_x86_64",
) -> Path:
    """Installs literal files with METADATA, WHEEL, INSTALLER and a right RECORD. Returns the metadata folder."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    own = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}\n\nAbout it.\n",
        "WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n",
        "INSTALLER": "pip\n",
    }
    everything = {**(files or {}), **{f"{folder.name}/{key}": text for key, text in own.items()}}
    lines = []
    for path, text in everything.items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        lines.append(record_line(path, text.encode()))
    (folder / "RECORD").write_text("\n".join([*lines, f"{folder.name}/RECORD,,", ""]))
    return folder


def record_line(path: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    quoted = f'"{path}"' if "," in path else path
    return f"{quoted},sha256={digest},{len(data)}"


TENSORFLOW_FILES = {
    "tensorflow/__init__.py": "from tensorflow.python import tools\n",
    "tensorflow/python/platform/build_info.py": (
        "import collections\n"
        "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'sm_89', 'compute_90']), "
        "('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), ('is_rocm_build', False)])\n"
    ),
    "tensorflow/tools/pip_package/setup.py": "_VERSION = '2.21.0'\n",
}
CUDA_CONFIG = """
#define TF_CUDA_VERSION "12.5.1"
#define TF_CUDART_VERSION "12"
#define TF_CUPTI_VERSION "12"
#define TF_CUBLAS_VERSION "12"
#define TF_CUSOLVER_VERSION "11"
#define TF_CURAND_VERSION "10"
#define TF_CUFFT_VERSION "11"
#define TF_CUSPARSE_VERSION "12"
#define TF_CUDNN_VERSION "9"
#define TF_CUDA_TOOLKIT_PATH ""
#define TF_CUDA_COMPUTE_CAPABILITIES 60, 89, 90
"""


def add_tensorflow(
    site: Path, version: str = "2.21.0", name: str = "tensorflow", metadata: str = ""
) -> Path:
    files = TENSORFLOW_FILES | {
        "tensorflow/tools/pip_package/setup.py": f"_VERSION = '{version}'\n"
    }
    return add_distribution(site, name, version, files, metadata)


def request_for(python: Path | str = "", *, root: Path | None = None, **environ: str) -> Request:
    system = System(root or Path("/"), {**PLAIN_ENVIRON, **environ})
    return Request(python=str(python), system=system, child_limit_s=5.0)


def facts_of(*folders: Path, prefix: Path | None = None) -> Facts:
    """What the interpreter's probe would have found for these folders of sys.path."""
    facts = Facts()
    interpreter = replace(
        facts.interpreter,
        sys_path=Known(tuple(map(str, folders)), "test"),
        site_packages=Known(tuple(map(str, folders)), "test"),
        version=Known(PythonRelease("3.11.7"), "test"),
        implementation=Known("cpython", "test"),
        machine=Known(os.uname().machine, "test"),
    )
    if prefix is not None:
        interpreter = replace(
            interpreter, prefix=Known(str(prefix), "test"), environment=Known("venv", "test")
        )
    return replace(facts, interpreter=interpreter)
