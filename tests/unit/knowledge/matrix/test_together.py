"""Real uv against an index on this machine: what is accepted, what is refused, what overwrites what."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import sys
import zipfile

import pytest

from tests.unit.knowledge.matrix.wheels import Site
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.together import Resolver

pytestmark = pytest.mark.slow


def wheel(name: str, version: str, files: dict[str, str], *requires: str) -> tuple[str, bytes]:
    dist = f"{name.replace('-', '_')}-{version}"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(
        f"Requires-Dist: {each}\n" for each in requires
    )
    members = {
        **files,
        f"{dist}.dist-info/METADATA": metadata,
        f"{dist}.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
    }
    rows = []
    for path, text in members.items():
        digest = (
            base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        )
        rows.append(f"{path},sha256={digest},{len(text)}\n")
    members[f"{dist}.dist-info/RECORD"] = "".join(rows) + f"{dist}.dist-info/RECORD,,\n"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in members.items():
            archive.writestr(path, text)
    return f"{dist}-py3-none-any.whl", made.getvalue()


@pytest.fixture
def resolver(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Resolver:
    monkeypatch.setenv("PATH", f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("UV_CONSTRAINT", "/nowhere/of-this-machine.txt")
    library = "nvidia/cudnn/lib/libcudnn.so.9"
    site.wheels = dict(
        (
            wheel("tensorflow", "2.21.0", {"tensorflow/__init__.py": ""}, "nvidia-cudnn-cu12"),
            wheel("torch", "2.15.0", {"torch/__init__.py": ""}, "nvidia-cudnn-cu13"),
            wheel("torch", "2.10.0", {"torch/__init__.py": ""}, "nvidia-cudnn-cu12==9.1"),
            wheel("torch", "2.9.0", {"torch/__init__.py": ""}, "nvidia-cudnn-cu12==9.3"),
            wheel("nvidia-cudnn-cu12", "9.3", {library: "twelve", "nvidia/__init__.py": ""}),
            wheel("nvidia-cudnn-cu13", "9.3", {library: "thirteen", "nvidia/__init__.py": ""}),
        )
    )
    return Resolver(Index())


def test_what_overwrites_what(resolver: Resolver) -> None:
    found = resolver.together(("tensorflow==2.21.0", "torch==2.15.0"), "3.12")
    assert found.outcome == "overwritten"
    assert [(each.packages, each.files) for each in found.overlaps] == [
        (("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"), ("nvidia/cudnn/lib/libcudnn.so.9",))
    ]
    assert {each.package for each in found.wheels} == {
        "tensorflow",
        "torch",
        "nvidia-cudnn-cu12",
        "nvidia-cudnn-cu13",
    }


def test_what_goes_together_and_what_does_not(resolver: Resolver) -> None:
    assert resolver.together(("tensorflow==2.21.0", "torch==2.9.0"), "3.12").outcome == "clean"
    refused = resolver.together(("tensorflow==2.21.0", "torch==2.10.0"), "3.12")
    assert (refused.outcome, refused.between) == ("refused", ("nvidia-cudnn-cu12",))


def test_an_index_that_does_not_answer_is_no_refusal(resolver: Resolver, site: Site) -> None:
    site.page = lambda: (503, b"no")
    with pytest.raises(MatrixError, match="uv ended with status 2"):
        resolver.together(("tensorflow==2.21.0", "torch==2.9.0"), "3.12")
