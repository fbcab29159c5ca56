"""`update` and the cache: a newer matrix counts only whole and verified, and nothing is half-written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.unit.knowledge.matrix.wheels import METADATA, Site, wheel, wheel_name
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.knowledge.matrix.load import cache_file, digest_file, load_bundled, load_in_force
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.update import fetch, harvest_new, install

TODAY = date(2026, 12, 24)
BUNDLED = load_bundled()


def without(releases: Iterable[str]) -> Matrix:
    """The bundled matrix before these releases were known."""
    document: dict[str, Any] = json.loads(json.dumps(BUNDLED.document))
    gone = set(releases)

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(each) for key, each in value.items() if key not in gone}
        if isinstance(value, list):
            return [cut(each) for each in value if not isinstance(each, str) or each not in gone]
        return value

    document["releases"] = {"tensorflow": cut(document["releases"]["tensorflow"])}
    document["defects"], document["runtime"] = [], {}
    return Matrix(document, "0" * 64, "bundled")


def content(version: str) -> bytes:
    return json.dumps({**BUNDLED.document, "version": version}).encode()


def cached(data: bytes, digest: str | None = None) -> None:
    cache_file().parent.mkdir(parents=True)
    cache_file().write_bytes(data)
    digest_file(cache_file()).write_text(digest or hashlib.sha256(data).hexdigest())


def test_a_release_that_was_unknown_is_known_after_an_update(site: Site) -> None:
    before = without(["2.21.0", "2.22.0rc0"])
    assert isinstance(before.release("2.21.0"), Failed)
    site.wheels[wheel_name("2.20.0")] = wheel("2.20.0")
    for python in ("310", "311"):
        site.wheels[wheel_name("2.21.0", python)] = wheel("2.21.0")
    added, failed = harvest_new(before, Index(), lambda each: None, TODAY)
    assert [row.release for row in added] == ["2.21.0"]
    assert failed == []
    after = load_in_force()
    assert (after.origin, after.version) == ("cache", "2026.12.24")
    found = after.release("2.21.0")
    assert isinstance(found, Known)
    release = found.value
    assert isinstance(release.cuda, Known)
    assert str(release.cuda.value) == "12.5.1"
    assert release.sources["cuda"].date == "2026-12-24"
    assert isinstance(release.python, Known)
    assert [str(each) for each in release.python.value] == ["3.10", "3.11"]


def test_what_range_reads_cannot_tell_is_unknown_of_a_fetched_release(site: Site) -> None:
    """A value that the release before had must not run on into the new one."""
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    harvest_new(without(["2.21.0", "2.22.0rc0"]), Index(), lambda each: None, TODAY)
    found = load_in_force().release("2.21.0")
    assert isinstance(found, Known)
    for name in ("ptx_isa", "ptx_target", "sass_incomplete", "sonames"):
        assert isinstance(getattr(found.value, name), Failed), name


def test_a_release_in_the_middle_leaves_its_neighbours_as_they_were(site: Site) -> None:
    before = without(["2.18.1"])
    site.wheels[wheel_name("2.18.1")] = wheel("2.18.1")
    harvest_new(before, Index(), lambda each: None, TODAY)
    after = load_in_force()
    for version in ("2.18.0", "2.19.0", "2.22.0rc0"):
        old, new = before.release(version), after.release(version)
        assert isinstance(old, Known)
        assert isinstance(new, Known)
        assert new.value == old.value


def test_yanked_releases_prereleases_of_the_past_and_older_ones_are_not_taken(site: Site) -> None:
    site.wheels = {
        wheel_name(version): wheel(version)
        for version in ("2.99.0", "2.20.0rc0", "1.15.0", "2.21.0")
    }
    site.yanked.add(wheel_name("2.99.0"))
    added, _ = harvest_new(BUNDLED_TENSORFLOW, Index(), lambda each: None, TODAY)
    assert added == []
    assert not cache_file().exists()


def test_a_wheel_that_cannot_be_read_leaves_its_row_out(site: Site) -> None:
    site.wheels[wheel_name("2.98.0")] = wheel("2.98.0")
    site.wheels[wheel_name("2.99.0", "310")] = wheel("2.99.0")
    site.wheels[wheel_name("2.99.0", "311")] = wheel("2.99.0", metadata="nothing")
    added, failed = harvest_new(BUNDLED_TENSORFLOW, Index(), lambda each: None, TODAY)
    assert [row.release for row in added] == ["2.98.0"]
    assert [each.wheel.filename for each in failed] == [wheel_name("2.99.0", "311")]
    assert isinstance(load_in_force().release("2.99.0"), Failed)


def test_wheels_of_one_release_may_differ_by_python(site: Site) -> None:
    site.wheels[wheel_name("2.99.0", "310")] = wheel("2.99.0")
    site.wheels[wheel_name("2.99.0", "311")] = wheel("2.99.0")
    other = METADATA.replace("numpy>=1.26.0", "numpy>=2")
    site.wheels[wheel_name("2.99.0", "314")] = wheel("2.99.0", metadata=other)
    harvest_new(BUNDLED_TENSORFLOW, Index(), lambda each: None, TODAY)
    found = load_in_force().release("2.99.0")
    assert isinstance(found, Known)
    assert isinstance(found.value.requires_by_python, Known)
    assert {python: set(each) for python, each in found.value.requires_by_python.value.items()} == {
        "3.14": {"numpy"}
    }
    assert isinstance(found.value.stub_for, Absent)


BUNDLED_TENSORFLOW = without([])


@pytest.mark.usefixtures("site")
class TestCache:
    @pytest.mark.parametrize(
        ("data", "digest", "origin"),
        [
            (content("2027.01.01"), None, "cache"),
            (content("2026.11.20"), None, "bundled"),  # older
            (
                content("2027.01.01")[:-100],
                hashlib.sha256(content("2027.01.01")).hexdigest(),
                "bundled",
            ),
            (content("2027.01.01"), "0" * 64, "bundled"),
            (content("2027.01.01"), "", "bundled"),
            (b"{}", None, "bundled"),
        ],
        ids=["newer", "older", "cut off", "another digest", "no digest", "no matrix"],
    )
    def test_a_cached_matrix_counts_where_it_is_newer_and_verified(
        self, data: bytes, digest: str | None, origin: str
    ) -> None:
        cached(data, digest)
        if digest == "":
            digest_file(cache_file()).unlink()
        assert load_in_force().origin == origin

    def test_an_explicit_file_goes_before_all(self, tmp_path: Path) -> None:
        cached(content("2027.01.01"))
        file = tmp_path / "own.json"
        file.write_bytes(content("2025.01.01"))
        assert (load_in_force(file).origin, load_in_force(file).version) == ("file", "2025.01.01")

    def test_a_file_with_the_right_digest_is_taken(self, tmp_path: Path) -> None:
        file = tmp_path / "own.json"
        file.write_bytes(content("2027.02.01"))
        assert (
            fetch(str(file), hashlib.sha256(file.read_bytes()).hexdigest()).version == "2027.02.01"
        )
        assert load_in_force().version == "2027.02.01"

    def test_a_file_with_another_digest_changes_nothing(self, tmp_path: Path) -> None:
        cached(content("2027.01.01"))
        file = tmp_path / "own.json"
        file.write_bytes(content("2027.02.01"))
        with pytest.raises(MatrixError, match="was asked for"):
            fetch(str(file), "0" * 64)
        assert load_in_force().version == "2027.01.01"

    def test_a_file_that_is_no_matrix_changes_nothing(self, tmp_path: Path) -> None:
        file = tmp_path / "own.json"
        file.write_bytes(b"[]")
        with pytest.raises(MatrixError, match="not a mapping"):
            fetch(str(file), hashlib.sha256(b"[]").hexdigest())
        assert not cache_file().exists()

    @pytest.mark.parametrize(
        "address", ["ftp://127.0.0.1/x", "file:///etc/passwd", "/nowhere/at/all"]
    )
    def test_other_addresses_are_refused(self, address: str) -> None:
        with pytest.raises(MatrixError):
            fetch(address, "0" * 64)

    def test_a_stop_between_the_two_files_leaves_the_bundled_matrix_in_force(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(content("2027.01.01"))
        real = os.replace

        def replace(part: str, target: str) -> None:
            if target.endswith(".sha256"):
                raise KeyboardInterrupt
            real(part, target)

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            install(content("2027.02.01"))
        assert load_in_force().origin == "bundled"
        assert sorted(each.name for each in cache_file().parent.iterdir()) == [
            "compat_matrix.json",
            "compat_matrix.sha256",
        ]

    def test_a_cache_that_cannot_be_written_is_a_clear_error(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        with pytest.raises(MatrixError, match="can't be written"):
            install(content("2027.01.01"))


def test_a_url_with_the_right_digest_is_taken(site: Site) -> None:
    data = content("2027.03.01")
    site.wheels["matrix.json"] = data
    site.ranges = False
    address = site.address.replace("/simple", "/files/matrix.json")
    assert fetch(address, hashlib.sha256(data).hexdigest()).version == "2027.03.01"
    with pytest.raises(MatrixError, match="status 404"):
        fetch(address + "x", "0" * 64)
