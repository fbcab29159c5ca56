"""`--sysroot` reads no file of the host, whatever the links of the unpacked system name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SECRET = "9.9.9.CANARY"
SITE = "opt/venv/lib/python3.11/site-packages"
FILES = {
    "etc/os-release": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian 12"\n',
    "etc/ld.so.cache": "",
    "proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n",
    "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat\n",
    "proc/sys/kernel/osrelease": "6.1.0\n",
    "proc/cpuinfo": "model name : A processor\nflags : avx avx2\n",
    "var/log/dmesg": "[    1.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1\n",
    "sys/bus/pci/devices/0000:3b:00.0/class": "0x030200\n",
    "sys/bus/pci/devices/0000:3b:00.0/vendor": "0x10de\n",
    "sys/bus/pci/devices/0000:3b:00.0/device": "0x20b0\n",
    "opt/venv/bin/python": "",
    "opt/venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.7\n",
    f"{SITE}/tensorflow-2.21.0.dist-info/METADATA": "Name: tensorflow\nVersion: 2.21.0\nRequires-Dist: numpy\n",
    f"{SITE}/tensorflow-2.21.0.dist-info/RECORD": "tensorflow/__init__.py,,\n",
    f"{SITE}/tensorflow-2.21.0.dist-info/INSTALLER": "pip\n",
    f"{SITE}/tensorflow/__init__.py": "",
    f"{SITE}/tensorflow/python/platform/build_info.py": "build_info = {'cuda_version': '12.5.1'}\n",
    f"{SITE}/tensorflow/include/third_party/gpus/cuda/cuda_config.h": '#define TF_CUDA_VERSION "12.5.1"\n',
    f"{SITE}/extra.pth": "/opt/more\n",
    "opt/requirements.txt": "tensorflow[and-cuda]\n",
    "usr/local/share/jupyter/kernels/mine/kernel.json": '{"argv": ["/opt/venv/bin/python"], "display_name": "Mine"}',
    "usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05": "",
}
"""One file for each kind of reader."""


def lines_of_the_host(text: str) -> str:
    """What a reader of each kind would believe, with the canary in every value that it could report."""
    return (
        text.replace("2.21.0", SECRET).replace("12.5.1", SECRET).replace("535.104.05", SECRET)
        + f"{SECRET}\n"
    )


def chain(root: Path, number: int, target: str) -> str:
    """The first of more links than anybody follows; the last leads to `target`."""
    folder = root / f"chain{number}"
    folder.mkdir()
    for index in range(45):
        (folder / str(index)).symlink_to(target if index == 44 else f"/chain{number}/{index + 1}")
    return f"/chain{number}/0"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["absolute", "relative", "chain", "folder"])
def test_no_file_of_the_host_gets_into_the_report(kind: str, tmp_path: Path) -> None:
    root, host = tmp_path / "root", tmp_path / "host"
    for name, text in FILES.items():
        (host / name).parent.mkdir(parents=True, exist_ok=True)
        (host / name).write_text(lines_of_the_host(text))
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for number, name in enumerate(FILES):
        place, outside = root / name, str(host / name)
        if kind == "folder" or name.endswith("bin/python"):
            continue
        place.unlink()
        if kind == "chain":
            place.symlink_to(chain(root, number, outside))
        else:
            place.symlink_to(
                outside if kind == "absolute" else os.path.relpath(outside, place.parent)
            )
    if kind == "folder":
        for top in ("etc", "opt/venv/lib", "sys", "var"):
            shutil.rmtree(root / top)
            (root / top).symlink_to(host / top)
    done = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "check", "--sysroot", str(root), "--python", "/opt/venv", "--json", "--no-redact"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1, 3), done.stderr
    assert "CANARY" not in done.stdout + done.stderr
    assert '"schema_version"' in done.stdout
