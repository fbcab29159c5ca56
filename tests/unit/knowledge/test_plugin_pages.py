"""What is read of plug-ins as data, without their code: pages and messages that count, and why others are refused."""

from __future__ import annotations

import os
import shutil
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.documents import ROOT
from tfdoctor.knowledge import actions, catalog, pages, says
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages import catalogue
from tfdoctor.knowledge.model import Severity
from tfdoctor.knowledge.plugins import LOADED, Plugin, PluginError, _pages, load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLE = ROOT / "examples" / "plugin"
SAID = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
ENTRIES = {group.removeprefix("tfdoctor."): own["acme"] for group, own in SAID.items()}
"""Of the example, by group."""
PAGE = "---\nname: A name\nexplanation: Why\nseverity: error\nfixes: [{{ask: acme/platform}}]\n{}---\nA body.\n"
ACTION = "actions: {ask: {acme/platform: {title: Ask for a newer image}}}\n"
ACME = Plugin("acme-tfdoctor", "1.0", "acme")


def tables() -> tuple[dict[Any, Any], ...]:
    """What a plug-in is registered in."""
    return (
        LOADED,
        catalog.FAMILIES,
        catalog.CODES,
        catalog.EFFECTS,
        catalog.EFFECTS_IN_LOGS,
        pages.OTHERS,
        actions.ADDED,
        catalogue.ADDED,
        says._all(),
    )


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where this Python keeps its packages, and none is. What a test registers is forgotten again."""
    monkeypatch.setattr(site, "PREFIXES", [str(tmp_path / "prefix")])
    monkeypatch.setattr(site, "ENABLE_USER_SITE", False)
    folder = Path(site.getsitepackages()[0])
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(folder)
    before = [dict(each) for each in tables()]
    yield folder
    for table, was in zip(tables(), before, strict=True):
        table.clear()
        table.update(was)


def put(folder: Path, name: str, entries: str | bytes) -> None:
    """What pip leaves of a package in site-packages."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_bytes(
        entries if isinstance(entries, bytes) else entries.encode()
    )


def of_groups(entries: dict[str, str], prefix: str) -> str:
    return "".join(f"[tfdoctor.{group}]\n{prefix} = {value}\n" for group, value in entries.items())


def put_files(folder: Path, files: dict[str, str], prefix: str = "own") -> None:
    """A package of these pages and messages."""
    package = folder / f"{prefix}_doctor"
    package.mkdir()
    for name, text in files.items():
        (package / name).write_text(text)
    groups = {
        "pages": package.name,
        **({"messages": package.name} if any("yaml" in each for each in files) else {}),
    }
    put(folder, f"{prefix}-doctor", of_groups(groups, prefix))


def reason(folder: Path, files: dict[str, str]) -> str:
    """Why the package of these files has no say."""
    known = list(catalog.CODES)
    put_files(folder, files)
    load()
    assert list(catalog.CODES) == known, "what is refused registers nothing"
    return LOADED["own-doctor"].error


def test_the_example_is_known_like_a_page_of_ours_and_not_imported(packages: Path) -> None:
    shutil.copytree(EXAMPLE / "acme_tfdoctor", packages / "acme_tfdoctor")
    put(packages, "acme-tfdoctor", of_groups(ENTRIES, "acme"))
    load()
    assert list(LOADED.values()) == [
        Plugin("acme-tfdoctor", "1.0", "acme", "acme_tfdoctor.checks", "acme_tfdoctor.probes:ask")
    ]
    assert not [each for each in sys.modules if each.startswith("acme_tfdoctor")]
    assert catalog.FAMILIES["acme"] == "acme-tfdoctor 1.0"
    code = catalog.CODES["acme/old-driver"]
    assert (code.family, code.severity, code.gpu_only) == ("acme", Severity.ERROR, True)
    assert code.explanation == (
        "Acme's base image is tested with drivers of branch 570 and newer alone. (From acme-tfdoctor 1.0.)"
    )
    assert says.says("acme/old-driver", "found", image="X", needed=570, driver="550.54.15") == (
        "X needs a driver of branch 570 or newer (you have 550.54.15)."
    )
    fix = act("install-driver", "acme/driver")
    assert (fix.title, fix.commands) == (
        "Move the job to a machine with driver 570",
        ("acmectl move --driver 570",),
    )
    page = pages.page_of("acme/old-driver")
    assert "acmectl move --driver 570\n" in page
    assert "The image names itself in /etc/acme-image" in page
    [(message, words)] = catalogue.ADDED.items()
    assert (message.name, message.code, message.anchor) == (
        "acme/license",
        "acme/license-expired",
        "acme_layers: license",
    )
    assert words == (
        "", "", (), ({"title": "The license {{file}} of Acme's library has expired."},), {},
    )  # fmt: skip


def test_a_message_in_plain_words_and_its_codes_effects(packages: Path) -> None:
    said = "code: own/a\nmessages: {one: {anchor: [left the, building], samples: [he left the building], confidence: likely, title: Gone, explanation: Elvis.}}"
    put_files(packages, {"a.md": page("consequences: [driver-missing]\n"), "a.yaml": said})
    load()
    assert LOADED["own-doctor"].error == ""
    assert catalog.EFFECTS["own/a"] == catalog.EFFECTS_IN_LOGS["own/a"] == {"driver-missing"}
    [(message, words)] = catalogue.ADDED.items()
    assert (message.anchor, message.also, message.sure) == ("left the", ("building",), "likely")
    assert words == ("Gone", "Elvis. (From own-doctor 1.0.)", (), (), {})


def test_a_page_as_windows_writes_it(packages: Path) -> None:
    put_files(packages, {"a.md": ""})
    (packages / "own_doctor" / "a.md").write_bytes(
        b"\xef\xbb\xbf" + page("").replace("\n", "\r\n").encode()
    )
    load()
    assert (LOADED["own-doctor"].error, pages.OTHERS["own/a"]) == ("", "A body.\n")


def test_a_plug_in_of_the_users_own_packages_counts(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "ENABLE_USER_SITE", True)
    monkeypatch.setattr(site, "USER_SITE", str(tmp_path / "user"))
    put(tmp_path / "user", "their-doctor", of_groups({"checks": "theirs"}, "their"))
    load()
    assert list(LOADED) == ["their-doctor"]


def test_none_that_is_only_on_the_path_or_of_other_groups(packages: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(tmp_path / "project"))  # as PYTHONPATH does; the fixture takes it back
    put(tmp_path / "project", "evil-doctor", of_groups({"checks": "evil"}, "evil"))
    put(packages, "other", "[console_scripts]\nother = other:main\n")
    (packages / "bare-1.0.dist-info").mkdir()
    load()
    assert LOADED == {}


def test_another_packages_broken_file_hides_none(packages: Path) -> None:
    put(packages, "broken", b"[other]\nname = \xff\n")
    put(packages, "other", "[console_scripts]\nother = other:main\n")
    put(packages, "own-doctor", of_groups({"checks": "own"}, "own"))
    load()
    assert list(LOADED) == ["own-doctor"]


def test_they_are_read_once(packages: Path) -> None:
    put(packages, "own-doctor", of_groups({"checks": "own"}, "own"))
    load()
    put(packages, "later", of_groups({"checks": "later"}, "later"))
    load()
    assert list(LOADED) == ["own-doctor"]


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ("[tfdoctor.rules]\nown = a\n", "no entry point group tfdoctor.rules; there are tfdoctor.checks, tfdoctor.probes, tfdoctor.messages, tfdoctor.pages"),
        ("[tfdoctor.checks]\nown = a\n[tfdoctor.probes]\nother = b\n", "all its entry points need one name, of letters and digits alone: the prefix of its codes"),
        ("[tfdoctor.checks]\nmy-own = a\n", "all its entry points need one name, of letters and digits alone: the prefix of its codes"),
        ("[tfdoctor.checks]\nown = a\nown = b\n", "it has two entry points in one group"),
        ("[tfdoctor.checks]\nnotes = a\n", "the prefix notes is taken"),
        ("[tfdoctor.pages]\nown = nowhere.pages\n", "tfdoctor.pages: there is no package nowhere.pages"),
        ("[tfdoctor.pages]\nown = json.pages\n", "tfdoctor.pages: there is no package json.pages"),
    ],
)  # fmt: skip
def test_entry_points_that_are_refused(packages: Path, entries: str, why: str) -> None:
    put(packages, "own-doctor", entries)
    load()
    assert LOADED["own-doctor"].error == why


def page(said: str) -> str:
    return f"---\nname: A name\nexplanation: Why\nseverity: error\n{said}---\nA body.\n"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("fixes: [look]\n", "a.md: fixes[0]: an object is expected, not 'look'"),
        ("fixes: [{ask: nothing}]\n", "a.md: no action ask: nothing"),
        ("what: is this\n", "a.md: unknown key 'what'"),
        pytest.param(f"{'long' * 200}: is this\n", "a.md: unknown key 'longlong", id="long"),
        ("name: ''\n", "a.md: name is missing"),
        ("severity: bad\n", "a.md: severity: 'bad' is none of error, warning, info"),
        ("says: [\n", "a.md: while parsing a flow node"),
        ("actions: {dance: {}}\n", "a.md: no kind of action 'dance'"),
        ("actions: {install-driver: {needed: {title: T, commands: [mine]}}}\n", "a.md: the action 'needed' does not begin with own/"),
        ("actions: {ask: {own/one: {title: T, commands: a line}}}\n", "a.md, own/one: commands: a list is expected, not 'a line'"),
        ("says: {a: &a [x, x, x], b: &b [*a, *a, *a], c: [*b, *b, *b]}\n", "a.md: says.a: a text is expected, not a list"),
        pytest.param(f"says: {'[' * 500}\n", "RecursionError: maximum recursion depth exceeded", id="deep"),
        pytest.param(f"says: {{a: {'x' * (300 << 10)}}}\n", "OSError: [Errno 27] it is larger than 262144 bytes", id="large"),
    ],
)  # fmt: skip
def test_pages_that_are_refused(packages: Path, said: str, why: str) -> None:
    told = reason(packages, {"a.md": page(said)})
    assert told.startswith(why)
    assert len(told) <= 300


def test_a_page_without_front_matter(packages: Path) -> None:
    assert reason(packages, {"a.md": "# A title\n"}) == "a.md: an object is expected, not null"


def test_a_file_whose_name_is_no_code(packages: Path) -> None:
    assert reason(packages, {"My_Page.md": page("")}) == "My_Page.md: the name is no code"


def test_what_is_no_file_among_its_pages(packages: Path) -> None:
    put_files(packages, {"a.md": page("")})
    os.mkfifo(packages / "own_doctor" / "b.md")
    load()
    assert "not a file but a directory, a pipe, or a device" in LOADED["own-doctor"].error


def test_too_many_pages(packages: Path) -> None:
    assert (
        reason(packages, {f"c{number}.md": "" for number in range(501)})
        == "tfdoctor.pages: own_doctor has more than 500 files"
    )


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("anchor: left, samples: [right]", "a.yaml, m: the sample 'right' is not recognized"),
        ("anchor: let, samples: [let]", "a.yaml, m: an anchor has at least 4 bytes, to be rare"),
        ("anchor: [left, by], samples: [left by]", "a.yaml, m: an anchor has at least 4 bytes, to be rare"),
        ("anchor: left, samples: [left], not: [he left]", "a.yaml, m: 'he left' under `not` is recognized"),
        ("anchor: left", "a.yaml, m: samples: is missing"),
        ("anchor: left, pattern: 'left (a+)b', samples: [left ab]", "a.yaml, m: a pattern has no repeat without a bound: write {0,200} for *, {1,200} for +"),
        ("anchor: left, pattern: 'left (a{1,9}){1,9}b', samples: [left ab]", "a.yaml, m: the pattern can be matched in too many ways against 'left aaaaaaaaaaaaaaa': let no branch and no repeat take what its neighbor takes"),
    ],
)  # fmt: skip
def test_messages_that_are_refused(packages: Path, message: str, why: str) -> None:
    said = f"code: own/a\nmessages: {{m: {{{message}}}}}"
    assert reason(packages, {"a.md": page(""), "a.yaml": said}) == why
    assert catalogue.ADDED == {}


def test_a_message_of_a_code_that_is_not_its_own(packages: Path) -> None:
    said = "code: driver-missing\nmessages: {m: {anchor: left, samples: [left]}}"
    assert (
        reason(packages, {"a.md": page(""), "a.yaml": said})
        == "a.yaml: driver-missing has no page of this plug-in"
    )


def test_an_action_of_one_page_is_a_fix_on_another() -> None:
    found = dict(_pages(ACME, [("a.md", PAGE.format("")), ("b.md", PAGE.format(ACTION))]))
    assert [each.code.fixes for each in found.values()] == [(("ask", "acme/platform"),)] * 2


def test_an_action_that_no_page_has_is_refused() -> None:
    with pytest.raises(PluginError, match=r"a\.md: no action ask: acme/platform"):
        list(_pages(ACME, [("a.md", PAGE.format(""))]))
