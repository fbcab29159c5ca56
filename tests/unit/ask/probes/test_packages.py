"""Installed distributions by their metadata folders, whole and broken ones."""

from __future__ import annotations

import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tests.unit.ask.probes.fake_environments import (
    PLAIN_ENVIRON,
    add_distribution,
    add_tensorflow,
    facts_of,
)
from tfdoctor.ask.probes.python import packages
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Packages
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Requirement, Shadow, UnmetRequirement


@pytest.fixture(autouse=True)
def _empty_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")


def ask(facts: Facts, **environ: str) -> Packages:
    return packages.ask(Request(system=System(environ={**PLAIN_ENVIRON, **environ})), facts)


def names(group: Packages) -> list[tuple[str, str]]:
    assert isinstance(group.installed, Known)
    return [(item.name, item.version) for item in group.installed.value]


def unreadable(group: Packages) -> tuple[str, ...]:
    assert isinstance(group.unreadable, Known)
    return group.unreadable.value


def test_the_first_of_a_name_counts_and_names_are_normalised(tmp_path: Path) -> None:
    first, second = tmp_path / "first é", tmp_path / "second"
    add_distribution(first, "Google_Pasta", "0.2.0")
    add_distribution(second, "google.pasta", "0.1.0")
    add_distribution(second, "six", "1.17.0")
    group = ask(facts_of(first, second))
    assert names(group) == [("google-pasta", "0.2.0"), ("six", "1.17.0")]
    assert isinstance(group.installed, Known)
    assert group.installed.value[0].installer == "pip"
    assert isinstance(group.unreadable, Absent)


def test_egg_info_files_and_folders_count_and_eggs_that_no_path_names_do_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "one-1.0.egg-info").write_text("Metadata-Version: 1.0\nName: one\nVersion: 1.0\n")
    (tmp_path / "two.egg-info").mkdir()
    (tmp_path / "two.egg-info" / "PKG-INFO").write_text(
        "Metadata-Version: 2.1\nName: two\nVersion: 2.0\n"
    )
    (tmp_path / "three-3.0-py3.11.egg").write_bytes(b"PK")
    assert names(ask(facts_of(tmp_path))) == [("one", "1.0"), ("two", "2.0")]


def test_eggs_and_zip_files_on_the_path_count(tmp_path: Path) -> None:
    egg = tmp_path / "one-1.0-py3.11.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: one\nVersion: 1.0\n")
    zipped, several = tmp_path / "two-2.0-py3.11.egg", tmp_path / "vendored.zip"
    with ZipFile(zipped, "w") as archive:
        archive.writestr("EGG-INFO/PKG-INFO", "Metadata-Version: 1.0\nName: two\nVersion: 2.0\n")
    with ZipFile(several, "w", compression=ZIP_DEFLATED) as archive:
        for name in ("six", "wrapt"):
            archive.writestr(
                f"{name}-3.0.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.0\n",
            )
        archive.writestr(
            "inner/deep-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: deep\nVersion: 1.0\n"
        )
    group = ask(facts_of(egg, zipped, several))
    assert sorted(names(group)) == [
        ("one", "1.0"),
        ("six", "3.0"),
        ("two", "2.0"),
        ("wrapt", "3.0"),
    ]
    assert isinstance(group.unreadable, Absent)


def test_a_zip_file_with_an_endless_list_is_told_and_not_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.zip"
    with ZipFile(huge, "w") as archive:
        archive.writestr(
            "six-3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: six\nVersion: 3.0\n"
        )
    content = bytearray(huge.read_bytes())
    content[-10:-6] = (1 << 30).to_bytes(4, "little")
    huge.write_bytes(bytes(content))
    group = ask(facts_of(huge))
    assert names(group) == []
    assert isinstance(group.unreadable, Known)
    assert group.unreadable.value == (f"{huge}: its list of contents is too long to be read",)


def test_a_damaged_zip_file_on_the_path_is_told_and_another_file_is_none(tmp_path: Path) -> None:
    damaged, script = tmp_path / "lib.zip", tmp_path / "train.py"
    with ZipFile(damaged, "w") as archive:
        archive.writestr(
            "six-3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: six\nVersion: 3.0\n"
        )
    content = bytearray(damaged.read_bytes())
    content[content.index(b"PK\x01\x02") + 2] = 0
    damaged.write_bytes(bytes(content))
    script.write_text("print()\n")
    group = ask(facts_of(damaged, script))
    assert names(group) == []
    assert isinstance(group.unreadable, Known)
    assert [each.partition(": ")[0] for each in group.unreadable.value] == [str(damaged)]


def test_a_description_that_looks_like_a_header_is_no_header(tmp_path: Path) -> None:
    folder = add_distribution(tmp_path, "distro", "1.8.0")
    (folder / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: distro\nVersion: 1.8.0\n\nName: Antergos\nVersion: 2015\n"
    )
    assert names(ask(facts_of(tmp_path))) == [("distro", "1.8.0")]


def test_broken_metadata_is_told_and_the_folders_name_still_counts(tmp_path: Path) -> None:
    gone = add_distribution(tmp_path, "gone", "1.0")
    (gone / "METADATA").unlink()
    binary = add_distribution(tmp_path, "binary", "2.0")
    (binary / "METADATA").write_bytes(bytes(range(256)) * 16)
    folder = add_distribution(tmp_path, "folder", "3.0")
    (folder / "METADATA").unlink()
    (folder / "METADATA").mkdir()
    (tmp_path / "~ensorflow-2.21.0.dist-info").mkdir()
    group = ask(facts_of(tmp_path))
    assert names(group) == [("binary", "2.0"), ("folder", "3.0"), ("gone", "1.0")]
    assert len(unreadable(group)) == 4
    assert any("interrupted" in line for line in unreadable(group))


def test_metadata_that_is_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    folder = add_distribution(tmp_path, "numpy", "2.0.1")
    for name in ("METADATA", "INSTALLER"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
    group = ask(facts_of(tmp_path))
    assert names(group) == [("numpy", "2.0.1")]
    assert unreadable(group) == (f"{folder}: not a file but a directory, a pipe, or a device",)


def test_two_metadata_folders_of_one_name_are_told_and_the_later_one_counts(tmp_path: Path) -> None:
    old, new = (
        add_distribution(tmp_path, "numpy", "2.0.1"),
        add_distribution(tmp_path, "numpy", "1.26.4"),
    )
    os.utime(old, (1, 1))
    os.utime(new, (2, 2))
    group = ask(facts_of(tmp_path))
    assert names(group) == [("numpy", "1.26.4")]
    assert "two metadata folders" in unreadable(group)[0]


def test_a_folder_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    assert "File name too long" in unreadable(ask(facts_of(tmp_path / ("x" * 300))))[0]


def test_what_the_interpreter_did_not_say_is_failed_here_too() -> None:
    facts = Facts()
    facts = replace(
        facts,
        interpreter=replace(
            facts.interpreter,
            sys_path=Failed("it hung", "missing"),
            site_packages=Failed("it hung", "missing"),
        ),
    )
    assert ask(facts).installed == Failed("it hung", "missing")


METADATA = """Requires-Dist: numpy>=1.26.0
Requires-Dist: six (>=1.12.0)
Requires-Dist: tensorflow-intel==2.21.0; platform_system == "Windows"
Requires-Dist: old-python-only; python_version < "3.7"
Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"
Requires-Dist: gcs; extra == "gcs-filesystem"
Requires-Dist: ;;; no requirement"""


def test_requirements_are_those_whose_markers_hold(tmp_path: Path) -> None:
    add_tensorflow(tmp_path, metadata=METADATA)
    numpy = add_distribution(tmp_path, "numpy", "1.24.0")
    cudnn = add_distribution(tmp_path, "nvidia-cudnn-cu12", "9.28.0.42")
    group = ask(facts_of(tmp_path))
    assert isinstance(group.requirements, Known)
    assert group.requirements.value == (
        Requirement("numpy", ">=1.26.0", Known("1.24.0", str(numpy)), "", False),
        Requirement("six", ">=1.12.0", Absent("six is not installed"), "", False),
        Requirement(
            "nvidia-cudnn-cu12",
            "<10.0,>=9.3.0.75",
            Known("9.28.0.42", str(cudnn)),
            "and-cuda",
            True,
        ),
    )
    assert any("no requirement" in line for line in unreadable(group))


def test_what_the_requirements_lack_themselves_is_told_with_who_asks(tmp_path: Path) -> None:
    """TensorFlow asks for keras, keras for optree, optree for a newer typing-extensions; nobody asks for the last one."""
    add_tensorflow(
        tmp_path, metadata="Requires-Dist: keras>=3.12\nRequires-Dist: typing_extensions>=3.6.6"
    )
    add_distribution(
        tmp_path,
        "keras",
        "3.15.1",
        metadata='Requires-Dist: optree\nRequires-Dist: torch; extra == "torch"',
    )
    add_distribution(
        tmp_path,
        "optree",
        "0.20.0",
        metadata="Requires-Dist: typing-extensions>=4.10.0\nRequires-Dist: keras",
    )
    old = add_distribution(tmp_path, "typing_extensions", "4.0.1")
    add_distribution(tmp_path, "unrelated", "1.0", metadata="Requires-Dist: six>=99")
    group = ask(facts_of(tmp_path))
    asked = UnmetRequirement(
        "optree", "0.20.0", "typing-extensions", ">=4.10.0", Known("4.0.1", str(old))
    )
    assert group.unmet_below == Known((asked,), "Requires-Dist of each")


def test_compiled_packages_that_ask_for_another_tensorflow(tmp_path: Path) -> None:
    """One without libraries (tf-keras) is no custom op, and one whose range holds is right."""
    tensorflow = add_tensorflow(tmp_path)
    wanted = "Requires-Dist: tensorflow<2.19,>=2.18.0"
    add_distribution(
        tmp_path, "tensorflow_text", "2.18.1", {"tensorflow_text/core/_ops.so": "x"}, wanted
    )
    add_distribution(tmp_path, "tf_keras", "2.18.0", {"tf_keras/__init__.py": ""}, wanted)
    add_distribution(
        tmp_path, "fitting", "1.0", {"fitting/_ops.so": "x"}, "Requires-Dist: tensorflow>=2.21"
    )
    group = ask(facts_of(tmp_path))
    asked = UnmetRequirement(
        "tensorflow-text",
        "2.18.1",
        "tensorflow",
        "<2.19,>=2.18.0",
        Known("2.21.0", str(tensorflow)),
    )
    assert group.built_on_another == Known((asked,), "Requires-Dist of each")


CLASSES = "libtensorflow_framework.so.2 _ZN10tensorflow10DEVICE_CPUE"
C_INTERFACE = "libtensorflow_framework.so.2 TF_GetCode"


def _with_range_under_extras(site: Path, name: str, symbols: str, *more: str) -> None:
    """Requires-Dist as tensorflow-io 0.37.1 and tensorflow-io-gcs-filesystem 0.37.1 have it."""
    lines = [
        f"Requires-Dist: {each} <2.17.0,>=2.16.0 ; extra == '{each}'"
        for each in ("tensorflow", "tensorflow-cpu")
    ]
    add_distribution(site, name, "0.37.1", {f"{name}/_ops.so": symbols}, "\n".join((*lines, *more)))


def test_a_range_under_an_extra_counts_for_what_is_linked_with_tensorflows_classes(
    tmp_path: Path,
) -> None:
    """The file system of Google's cloud uses the C interface, which does not change from release to release."""
    tensorflow = add_tensorflow(tmp_path)
    _with_range_under_extras(tmp_path, "tensorflow_io", CLASSES)
    _with_range_under_extras(tmp_path, "tensorflow_io_gcs_filesystem", C_INTERFACE)
    asked = UnmetRequirement(
        "tensorflow-io",
        "0.37.1",
        "tensorflow",
        "<2.17.0,>=2.16.0",
        Known("2.21.0", str(tensorflow)),
        "tensorflow",
    )
    assert ask(facts_of(tmp_path)).built_on_another == Known((asked,), "Requires-Dist of each")


def test_a_range_under_an_extra_that_is_met_is_right(tmp_path: Path) -> None:
    add_tensorflow(tmp_path)
    more = "Requires-Dist: tensorflow>=2.21 ; extra == 'newer'"
    _with_range_under_extras(tmp_path, "tensorflow_io", CLASSES, more)
    assert isinstance(ask(facts_of(tmp_path)).built_on_another, Absent)


def test_tensorflow_is_what_a_package_asks_for_whatever_its_distributions_name(
    tmp_path: Path,
) -> None:
    """tensorflow-text 2.16.1 says so of `tensorflow`, and under its extra what was true of the release before."""
    add_tensorflow(tmp_path, name="tensorflow-cpu", version="2.15.1")
    lines = (
        "Requires-Dist: tensorflow<2.17,>=2.16.1",
        "Requires-Dist: tensorflow-cpu<2.16,>=2.15.0 ; extra == 'tensorflow_cpu'",
    )
    add_distribution(
        tmp_path,
        "tensorflow-text",
        "2.16.1",
        {"tensorflow_text/_ops.so": CLASSES},
        "\n".join(lines),
    )
    found = ask(facts_of(tmp_path)).built_on_another
    assert isinstance(found, Known)
    assert [(each.owner, each.name, each.specifier, each.extra) for each in found.value] == [
        ("tensorflow-text", "tensorflow", "<2.17,>=2.16.1", "")
    ]


def test_a_stale_extra_says_nothing_beside_a_requirement_that_is_met(tmp_path: Path) -> None:
    """tensorflow-text 2.15.0."""
    add_tensorflow(tmp_path, name="tensorflow-cpu", version="2.15.1")
    lines = (
        "Requires-Dist: tensorflow<2.16,>=2.15.0",
        "Requires-Dist: tensorflow-cpu<2.14,>=2.13.0 ; extra == 'tensorflow_cpu'",
    )
    add_distribution(
        tmp_path,
        "tensorflow-text",
        "2.15.0",
        {"tensorflow_text/_ops.so": CLASSES},
        "\n".join(lines),
    )
    assert isinstance(ask(facts_of(tmp_path)).built_on_another, Absent)


def test_the_ranges_in_which_others_hold_what_tensorflow_needs(tmp_path: Path) -> None:
    """Not what TensorFlow has no part in, not what is under an extra, and not TensorFlow's own."""
    add_tensorflow(tmp_path, metadata="Requires-Dist: numpy>=1.26")
    add_distribution(tmp_path, "numpy", "1.26.4")
    lines = (
        "numpy<2,>=1.22.4",
        "pytz>=2020",
        "protobuf<5",
        "numpy<1.20; python_version < '3.6'",
        "tensorflow-cpu>=2.15",
        "numpy>=9; extra == 'all'",
    )
    add_distribution(
        tmp_path, "pandas", "2.1.4", metadata="\n".join(f"Requires-Dist: {each}" for each in lines)
    )
    bounds = ask(facts_of(tmp_path)).bounds
    assert isinstance(bounds, Known)
    assert [(each.name, each.specifier, each.owner) for each in bounds.value] == [
        ("numpy", "<2,>=1.22.4", "pandas"),
        ("tensorflow", ">=2.15", "pandas"),
    ]


def test_requirements_that_have_all_of_theirs(tmp_path: Path) -> None:
    add_tensorflow(tmp_path, metadata="Requires-Dist: keras>=3.12")
    assert isinstance(ask(facts_of(tmp_path)).unmet_below, Absent)


def test_without_tensorflow_there_are_no_requirements(tmp_path: Path) -> None:
    assert isinstance(ask(facts_of(tmp_path)).requirements, Absent)


def _stdlib(tmp_path: Path) -> Path:
    stdlib = tmp_path / "lib" / "python3.11"
    stdlib.mkdir(parents=True)
    for name in ("os.py", "random.py", "typing.py", "turtle.py", "profile.py"):
        (stdlib / name).touch()
    return stdlib


def test_files_of_the_working_folder_that_hide_modules(tmp_path: Path) -> None:
    here = tmp_path / "working"
    for name in (
        "random.py",
        "profile.py",
        "os.py",
        "tensorflow.py",
        "notes.txt",
        "mine.py",
        "my model.py",
    ):
        (here / name).touch()
    (here / "keras").mkdir()
    (here / "numpy").mkdir()
    (here / "numpy" / "__init__.py").touch()
    group = ask(facts_of(_stdlib(tmp_path)))
    assert group.shadowing == Known(
        (
            Shadow("numpy", str(here / "numpy"), "working folder"),
            Shadow("random", str(here / "random.py"), "working folder"),
            Shadow("tensorflow", str(here / "tensorflow.py"), "working folder"),
        ),
        "the working folder and PYTHONPATH",
    )


def test_only_what_python_can_import_hides_a_module(tmp_path: Path) -> None:
    here = tmp_path / "working"
    (here / "random").touch()
    (here / "numpy").write_text("notes")
    (here / "tensorflow").symlink_to(tmp_path / "nowhere")
    (here / "keras.py").symlink_to(tmp_path / "nowhere")
    os.mkfifo(here / "typing.py")
    (here / "six.py").mkdir()
    (here / "six.py" / "__init__.py").touch()
    assert isinstance(ask(facts_of(_stdlib(tmp_path))).shadowing, Absent)


def test_a_folder_of_pythonpath_hides_too_and_real_installations_do_not(tmp_path: Path) -> None:
    real, wrong = tmp_path / "real", tmp_path / "wrong one"
    add_tensorflow(real)
    wrong.mkdir()
    (wrong / "typing.py").touch()
    group = ask(facts_of(_stdlib(tmp_path), real), PYTHONPATH=f"{real}:{wrong}:/nonexistent")
    assert group.shadowing == Known(
        (Shadow("typing", str(wrong / "typing.py"), "PYTHONPATH"),),
        "the working folder and PYTHONPATH",
    )


def test_a_working_folder_that_pythonpath_names_hides_wherever_one_works(tmp_path: Path) -> None:
    here = tmp_path / "working"
    (here / "random.py").touch()
    group = ask(facts_of(_stdlib(tmp_path)), PYTHONPATH=str(here))
    assert group.shadowing == Known(
        (Shadow("random", str(here / "random.py"), "PYTHONPATH"),),
        "the working folder and PYTHONPATH",
    )


def test_an_empty_working_folder_hides_nothing(tmp_path: Path) -> None:
    assert isinstance(ask(facts_of(_stdlib(tmp_path))).shadowing, Absent)


def test_nothing_can_be_imported_from_a_removed_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert isinstance(ask(facts_of(_stdlib(tmp_path))).shadowing, Absent)


def test_the_user_site_hides_the_environments_own(tmp_path: Path) -> None:
    user, site = tmp_path / "user", tmp_path / "site"
    add_distribution(user, "numpy", "2.0.0")
    add_distribution(user, "only-here", "1.0")
    add_distribution(site, "numpy", "1.26.4")
    facts = facts_of(user, site)
    facts = replace(
        facts, interpreter=replace(facts.interpreter, user_site=Known(str(user), "test"))
    )
    group = ask(facts)
    assert isinstance(group.user_site_shadowing, Known)
    assert group.user_site_shadowing.value == ("numpy",)
    assert names(group)[0] == ("numpy", "2.0.0")
