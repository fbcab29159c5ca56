"""Cells and defects that came from whole wheels, against what tools/harvest/read_fatbins.py wrote down of each wheel."""

from __future__ import annotations

import json
import mmap
import struct
from pathlib import Path
from typing import Any

import pytest

from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import Release
from tools.harvest import fatbins, harvest_matrix

ROOT = Path(__file__).parents[4]
CODE: dict[str, Any] = json.loads((ROOT / "data" / "gpu_code.json").read_text())
MATRIX = load_bundled()
RELEASES = tuple(MATRIX.releases("linux_x86_64", "tensorflow"))


def test_every_gpu_release_was_read() -> None:
    assert set(CODE) == {each.tensorflow for each in RELEASES}


@pytest.mark.parametrize("release", RELEASES, ids=lambda each: each.tensorflow)
def test_cells_are_what_the_wheels_hold(release: Release) -> None:
    told = harvest_matrix.gpu_code(CODE[release.tensorflow])
    for field in ("ptx_isa", "ptx_target", "ptx_isa_compiled", "sass_incomplete", "sass", "ptx"):
        fact = getattr(release, field)
        assert isinstance(fact, Known)
        found = (
            [str(each) for each in fact.value] if isinstance(fact.value, tuple) else str(fact.value)
        )
        if field == "sass" and not told["sass_incomplete"]:
            # build_info calls the architecture with PTX "compute" alone, also where its binaries are complete
            assert set(found) | set(told["ptx"]) == set(told["sass"])
        else:
            assert found == told[field], field


@pytest.mark.parametrize("release", RELEASES, ids=lambda each: each.tensorflow)
def test_search_path_defects_are_what_the_wheels_hold(release: Release) -> None:
    """The gate's libraries are opened by libtensorflow_framework: its RUNPATH has to name all their folders."""
    assert isinstance(release.sonames, Known)
    needed = {
        each.folder for each in MATRIX.nvidia_wheels if set(release.sonames.value) & set(each.holds)
    }
    framework = next(
        folders
        for name, folders in CODE[release.tensorflow]["runpath"].items()
        if "framework" in name
    )
    missing = sorted(needed - set(framework))
    defects = {
        each.kind: each
        for each in MATRIX.defects(release.tensorflow)
        if each.kind.startswith("runpath")
    }
    if not framework:
        assert set(defects) == {"runpath-absent"}
    elif missing:
        assert defects["runpath-incomplete"].detail["missing"].split() == missing
    else:
        assert not defects


def test_ptx_that_no_later_gpu_can_use_is_a_known_defect() -> None:
    for release in RELEASES:
        kinds = {each.kind for each in MATRIX.defects(release.tensorflow)}
        assert isinstance(release.ptx_target, Known)
        assert ("ptx-architecture-specific" in kinds) == release.ptx_target.value.endswith("a"), (
            release.tensorflow
        )


def test_lz4_blocks_are_unpacked() -> None:
    # "abcabcabcabc" + 5 literals: three literals, a match of 9 at offset 3, then the last literals
    packed = bytes([0x35]) + b"abc" + b"\x03\x00" + bytes([0x50]) + b"12345"
    assert fatbins.unpack(packed, 100) == b"abcabcabcabc12345"
    assert fatbins.unpack(packed, 5) == b"abcab"


def test_a_length_over_15_goes_on_in_further_bytes() -> None:
    text = bytes(range(65, 65 + 20))
    assert fatbins.unpack(bytes([0xF0, 5]) + text, 100) == text


def container(*images: tuple[int, int, bytes]) -> bytes:
    body = b"".join(
        fatbins.ENTRY.pack(
            kind, 0x101, fatbins.ENTRY.size, len(text), 0, 0, 0, 0, arch, 0, 0, 0, 0, 0
        )
        + text
        for kind, arch, text in images
    )
    return fatbins.HEADER.pack(0xBA55ED50, 1, fatbins.HEADER.size, len(body)) + body


def mapped(data: bytes) -> mmap.mmap:
    held = mmap.mmap(-1, len(data))
    held.write(data)
    return held


def test_a_container_is_read_image_by_image() -> None:
    ptx = b".version 8.5\n.target sm_90a\n.address_size 64\n"
    held = mapped(b"\0" * 8 + container((fatbins.BINARY, 80, b"cubin"), (fatbins.PTX, 90, ptx)))
    found = list(fatbins.entries(held, 8))
    assert [(each.kind, each.arch) for each in found] == [(fatbins.BINARY, 80), (fatbins.PTX, 90)]
    assert found[1].body == ptx


def test_a_container_of_an_unknown_kind_is_an_error() -> None:
    held = mapped(container((7, 80, b"")))
    with pytest.raises(ValueError, match="unknown kind 7"):
        list(fatbins.entries(held, 0))
    assert struct.calcsize("<IHHQ") == fatbins.HEADER.size
