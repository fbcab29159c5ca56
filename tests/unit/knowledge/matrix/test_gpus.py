"""GPU names as drivers, lspci, shops and people write them."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.knowledge.matrix.gpus import words
from tfdoctor.knowledge.matrix.load import load_bundled

MATRIX = load_bundled()


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("GeForce RTX 3090", "8.6"),
        ("NVIDIA GeForce RTX 3090", "8.6"),
        ("RTX3090", "8.6"),
        ("rtx 3090 ti", "8.6"),
        ("V100", "7.0"),
        ("Tesla V100-SXM2-16GB", "7.0"),
        ("Tesla V100-DGXS-32GB", "7.0"),
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("A100 80GB PCIe", "8.0"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("NVIDIA H100 NVL", "9.0"),
        ("H200", "9.0"),
        ("NVIDIA GH200 480GB", "9.0"),
        ("GRID T4-16Q", "7.5"),
        ("NVIDIA A40-48Q", "8.6"),
        ("Quadro RTX 6000", "7.5"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9"),
        ("NVIDIA RTX A6000", "8.6"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0"),
        ("GeForce GTX 1080 Ti", "6.1"),
        ("GeForce GTX 1060 6GB", "6.1"),
        ("GeForce GTX 1070 with Max-Q Design", "6.1"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "8.9"),
        ("NVIDIA GeForce GTX TITAN X", "5.2"),
        ("NVIDIA TITAN X (Pascal)", "6.1"),
        ("NVIDIA TITAN V", "7.0"),
        ("Tesla K80", "3.7"),
        ("GA102 [GeForce RTX 3090]", "8.6"),
        ("NVIDIA B200", "10.0"),
        ("NVIDIA B300 SXM6 AC", "10.3"),
        ("NVIDIA RTX PRO 4000 Blackwell SFF Edition", "12.0"),
        ("NVIDIA H20-3e", "9.0"),
        ("NVIDIA GeForce RTX 5090 D v2", "12.0"),
        ("NVIDIA A800 40GB Active", "8.0"),
        ("NVIDIA RTX 6000D", "12.0"),
        ("Tesla V100-SXM3-32GB-H", "7.0"),
        ("NVIDIA RTX A2000 Embedded GPU", "8.6"),
        ("NVIDIA A40-12", "8.6"),
        ("GRID A100DX-1-10CME", "8.0"),
        ("NVIDIA H100L-7-94C", "9.0"),
        ("NVIDIA RTX Pro 6000 Blackwell DC-2-48Q", "12.0"),
        ("GRID T4-2B4", "7.5"),
        ("NVIDIA RTX PRO 1000 Blackwell Generation Laptop GPU", "12.0"),
        ("RTX PRO 1000", "12.0"),
        ("RTX PRO 6000", "12.0"),
        ("DGX Spark", "12.1"),
        ("Jetson Orin", "8.7"),
        ("Orin (nvgpu)", "8.7"),
        ("NVIDIA Thor", "11.0"),
        ("RTX 9999", None),
        ("GeForce RTX 30900", None),
        ("NVIDIA", None),
        ("", None),
    ],
)
def test_a_gpu_is_known_by_its_name(name: str, capability: str | None) -> None:
    found = MATRIX.gpu(name)
    if capability is None:
        assert isinstance(found, Failed)
    else:
        assert isinstance(found, Known)
        assert str(found.value) == capability


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("MI300X", "ROCm"),
        ("AMD Radeon RX 7900 XTX", "ROCm"),
        ("gfx1100", "ROCm"),
        ("Apple M3 Max", "tensorflow-metal"),
        ("M4", ""),  # Maxwell's, by NVIDIA
        ("M2 Pro", "tensorflow-metal"),
        ("Intel Arc A770", "--gpu none"),
        ("Intel UHD Graphics 620", "--gpu none"),
        ("GTX 1O80", ""),
        ("RTX A2000", ""),
    ],
)
def test_another_vendors_gpu_gets_one_sentence(name: str, word: str) -> None:
    told = "" if isinstance(MATRIX.gpu(name), Known) else MATRIX.other_gpu(name)
    assert word in told if word else told == ""


def test_no_name_of_nvidias_is_taken_for_another_vendors() -> None:
    assert [
        name
        for name in MATRIX.gpu_names()
        if MATRIX.other_gpu(name) and name != "M4" and name != "M6"
    ] == []


def test_no_two_capabilities_share_a_name() -> None:
    """Else the first in the file would win silently."""
    seen: dict[str, str] = {}
    for capability, names in MATRIX.document["gpus"]["names"].items():
        for name in names:
            for key in (" ".join(words(name)), "".join(words(name))):
                assert seen.setdefault(key, capability) == capability, name
