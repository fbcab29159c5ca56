"""What uv tells of the sizes of the wheels, and what the plan says of them."""

from __future__ import annotations

from tfdoctor.apps.cli.fix_run import _to_fetch
from tfdoctor.apps.repair.installer import sizes_of
from tfdoctor.apps.repair.journal import Change
from tfdoctor.apps.repair.plan import Changes

PYLOCK = b"""lock-version = "1.0"
[[packages]]
name = "protobuf"
version = "6.33.6"
wheels = [
    { url = "https://example.org/protobuf-6.33.6-cp39-abi3-manylinux2014_x86_64.whl", size = 323436, hashes = {} },
    { url = "https://example.org/protobuf-6.33.6-py3-none-any.whl", size = 170656, hashes = {} },
]
[[packages]]
name = "Not_Told"
wheels = [{ url = "https://example.org/not_told-1.whl", hashes = {} }]
[[packages]]
name = "of-no-wheel"
"""


def test_the_largest_wheel_of_each_counts() -> None:
    assert sizes_of(PYLOCK) == {"protobuf": 323436}
    assert [
        sizes_of(each) for each in (b"", b"packages = 1", b"\xff", b"[[packages]]\nwheels = 1")
    ] == [{}] * 4


def test_what_is_not_known_is_said() -> None:
    known, unknown = Change("a", "1", "2", 323436), Change("b", "1", "2")
    gone = Change("c", "1", "")
    assert (
        _to_fetch(Changes((known, gone)))
        == "Download: at most 0.3 MB. On the disk: known once it is fetched."
    )
    assert _to_fetch(Changes((known, unknown))).startswith(
        "Download: at most 0.3 MB and 1 of unknown size."
    )
    assert _to_fetch(Changes((unknown,))).startswith("Download: unknown beforehand.")
