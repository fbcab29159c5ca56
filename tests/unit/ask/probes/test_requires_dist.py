"""What a line of Requires-Dist asks for, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.ask.probes.python.metadata import take_inventory
from tfdoctor.ask.probes.python.requirements import RequiresDist, parse_requires_dist

ENVIRONMENT = {
    "python_version": "3.11",
    "python_full_version": "3.11.7",
    "implementation_name": "cpython",
    "implementation_version": "3.11.7",
    "platform_python_implementation": "CPython",
    "platform_machine": "x86_64",
    "platform_system": "Linux",
    "platform_release": "",
    "platform_version": "",
    "sys_platform": "linux",
    "os_name": "posix",
}


@pytest.mark.parametrize(
    ("line", "name", "specifier", "extras"),
    [
        ("numpy<2.2.0,>=1.26.0", "numpy", "<2.2.0,>=1.26.0", ("",)),
        ("numpy (>=1.17.3,<2.2.0)", "numpy", "<2.2.0,>=1.17.3", ("",)),
        ("protobuf!=4.21.0,<5.0.0dev,>=3.20.3", "protobuf", "!=4.21.0,<5.0.0.dev0,>=3.20.3", ("",)),
        (
            "tensorflow-intel==2.17.0; platform_system == 'Windows'",
            "tensorflow-intel",
            "==2.17.0",
            (),
        ),
        (
            'nvidia-cublas-cu12<13.0; extra == "and-cuda"',
            "nvidia-cublas-cu12",
            "<13.0",
            ("and-cuda",),
        ),
        ('nvidia-cuda-nvcc-cu12 ; extra == "And_CUDA"', "nvidia-cuda-nvcc-cu12", "", ("and-cuda",)),
        (
            'tensorboard~=2.19 ; sys_platform != "darwin" or os_name == "nt"',
            "tensorboard",
            "~=2.19",
            ("",),
        ),
        ('ml_dtypes ; python_version >= "3.13" and extra == "and-cuda"', "ml-dtypes", "", ()),
        ("requests[socks]>=2.21.0,<3", "requests", "<3,>=2.21.0", ("",)),
        ("wrapt>=1.11.0; python_full_version < '3.12.0'", "wrapt", ">=1.11.0", ("",)),
        ("torch @ file:///somewhere/torch.whl", "torch", "", ("",)),
        ("torch @ http://example.org/torch-1.0-py3-none-any.whl", "torch", "", ("",)),
        (
            "torch[gpu] @ https://example.org/torch.whl#sha256=00 ; python_version > '3'",
            "torch",
            "",
            ("",),
        ),
        ("torch@git+ssh://git@example.org/torch.git@v1", "torch", "", ("",)),
    ],
)
def test_real_lines(line: str, name: str, specifier: str, extras: tuple[str, ...]) -> None:
    parsed = parse_requires_dist(line, ENVIRONMENT)
    assert parsed.name == name
    assert parsed.extras == extras
    assert parsed.specifier.replace("5.0.0dev", "5.0.0.dev0") == specifier


@pytest.mark.parametrize(
    "line",
    [
        "",
        "numpy about 2",
        "numpy>=1 ; python_version",
        "numpy ; extra = 'a'",
        "numpy ; unknown == 'a'",
        "numpy ; " + "(" * 900,
        "numpy>=1" + "0" * 1000,
    ],
)
def test_what_is_no_requirement_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        parse_requires_dist(line, ENVIRONMENT)


def test_a_line_for_two_extras_counts_once() -> None:
    assert parse_requires_dist("numpy>=1", ENVIRONMENT) == RequiresDist("numpy", ">=1", ("",))


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("torch@http://example.org/torch.whl", "1.0"),
        ("https://example.org/torch.whl", "1.0"),
        ("--index-url=http://example.org", "1.0"),
        ("../torch", "1.0"),
        ("torch", "1.0@http://example.org/torch.whl"),
        ("torch", "http://example.org/torch.whl"),
        ("torch;x", "1.0"),
    ],
)
def test_a_name_or_a_version_that_leads_elsewhere_is_none(
    tmp_path: Path, name: str, version: str
) -> None:
    """An installer would fetch what stands there, if a fix named it."""
    folder = tmp_path / "torch-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    found = take_inventory([str(tmp_path)])
    assert (found.every, len(found.unreadable)) == ([], 1)
