"""TensorFlow read from its files: whose they are, what they were built with, whether they are whole."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import (
    TENSORFLOW_FILES,
    add_distribution,
    add_tensorflow,
    facts_of,
    record_line,
    request_for,
)
from tfdoctor.ask.probes.tensorflow import tensorflow
from tfdoctor.base.records import replace
from tfdoctor.facts.model import TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import RecordCheck


@pytest.fixture(autouse=True)
def _empty_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")


def ask(*folders: Path, deep: bool = False) -> TensorFlow:
    return tensorflow.ask(replace(request_for(), deep=deep), facts_of(*folders))


def record_of(group: TensorFlow) -> RecordCheck:
    assert isinstance(group.record, Known), group.record
    return group.record.value


def test_a_whole_installation(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    group = ask(tmp_path)
    assert group.distribution == Known("tensorflow", str(folder))
    assert group.version == Known("2.21.0", str(folder))
    assert group.location == Known(str(tmp_path / "tensorflow"), "sys.path")
    assert group.wheel_tag == Known("cp311-cp311-manylinux_2_17_x86_64", str(folder / "WHEEL"))
    assert record_of(group) == RecordCheck(3, (), 0, (), 0, (), 0, False)
    assert isinstance(group.foreign_files, Absent)
    assert isinstance(group.build, Known)
    assert group.build.value.cpu_flags == ("avx",)


def test_none_at_all(tmp_path: Path) -> None:
    group = ask(tmp_path)
    assert isinstance(group.distributions, Absent)
    assert isinstance(group.location, Absent)
    assert isinstance(group.version, Absent)
    assert isinstance(group.build, Absent)
    assert isinstance(group.record, Absent)


def test_of_two_distributions_the_files_tell_the_owner(tmp_path: Path) -> None:
    first = add_tensorflow(tmp_path, "2.21.0", "tensorflow")
    later = add_distribution(
        tmp_path,
        "tensorflow-cpu",
        "2.20.0",
        {
            "tensorflow/__init__.py": "# another\n",
            "tensorflow/tools/pip_package/setup.py": "_VERSION = '2.20.0'\n",
        },
    )
    group = ask(tmp_path)
    assert isinstance(group.distributions, Known)
    assert [item.name for item in group.distributions.value] == ["tensorflow", "tensorflow-cpu"]
    # build_info.py is the first one's, __init__.py the second's, which lists no build_info.py: a draw by hashes.
    assert group.distribution == Known("tensorflow", str(first))
    assert isinstance(group.foreign_files, Known)
    assert (
        f"tensorflow/__init__.py ({later.name.removesuffix('.dist-info')})"
        in group.foreign_files.value
    )


def test_the_last_installed_distribution_owns_what_it_overwrote(tmp_path: Path) -> None:
    add_tensorflow(tmp_path, "2.21.0", "tensorflow")
    cpu_files = {path: f"{text}# the CPU build\n" for path, text in TENSORFLOW_FILES.items()}
    later = add_distribution(tmp_path, "tensorflow-cpu", "2.21.0", cpu_files)
    assert ask(tmp_path).distribution == Known("tensorflow-cpu", str(later))


def test_a_stub_owns_nothing(tmp_path: Path) -> None:
    add_distribution(
        tmp_path, "tensorflow", "2.18.0", metadata="Requires-Dist: tensorflow-intel==2.18.0"
    )
    real = add_tensorflow(tmp_path, "2.18.0", "tensorflow-intel")
    assert ask(tmp_path).distribution == Known("tensorflow-intel", str(real))


def test_files_without_metadata_still_say_their_version(tmp_path: Path) -> None:
    for path, text in TENSORFLOW_FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    group = ask(tmp_path)
    assert isinstance(group.distribution, Absent)
    assert group.version == Known("2.21.0", str(tmp_path / "tensorflow/tools/pip_package/setup.py"))


def test_the_files_version_wins_over_stale_metadata(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path, "2.21.0")
    (tmp_path / "tensorflow/tools/pip_package/setup.py").write_text("_VERSION = '2.19.1'\n")
    group = ask(tmp_path)
    assert isinstance(group.version, Known)
    assert group.version.value == "2.19.1"
    assert record_of(group).wrong_size == ()  # as long as the file that it replaced
    assert folder.exists()


def test_a_release_candidate_keeps_its_suffix(tmp_path: Path) -> None:
    add_tensorflow(tmp_path, "2.22.0rc0")
    (tmp_path / "tensorflow/tools/pip_package/setup.py").write_text("_VERSION = '2.22.0'\n")
    group = ask(tmp_path)
    assert isinstance(group.version, Known)
    assert group.version.value == "2.22.0rc0"


def test_missing_and_truncated_files_are_found_by_size(tmp_path: Path) -> None:
    files = {
        **TENSORFLOW_FILES,
        "tensorflow/libtensorflow_cc.so.2": "x" * 1000,
        "tensorflow/a, b.py": "1\n",
        "tensorflow/include/é.h": "2\n",
    }
    add_distribution(tmp_path, "tensorflow", "2.21.0", files)
    (tmp_path / "tensorflow/libtensorflow_cc.so.2").write_text("x" * 950)
    (tmp_path / "tensorflow/include/é.h").unlink()
    check = record_of(ask(tmp_path))
    assert check == RecordCheck(
        6, ("tensorflow/include/é.h",), 1, ("tensorflow/libtensorflow_cc.so.2",), 1, (), 0, False
    )


def test_a_changed_file_of_the_same_size_is_found_by_hash_when_asked(tmp_path: Path) -> None:
    add_tensorflow(tmp_path)
    path = tmp_path / "tensorflow/__init__.py"
    path.write_text(path.read_text().replace("tools", "t00ls"))
    assert record_of(ask(tmp_path)).wrong_hash == ()
    deep = record_of(ask(tmp_path, deep=True))
    assert deep.hashed
    assert deep.wrong_hash == ("tensorflow/__init__.py",)


def test_hashes_that_outlast_the_examination_cost_no_other_answer(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    with (folder / "RECORD").open("a", encoding="utf-8") as file:
        # Half a second's work.
        file.writelines(f"tensorflow/include/{number}.h,sha256=x,1\n" for number in range(200_000))
    request = replace(request_for(tmp_path), deep=True, deadline=time.monotonic())
    group = tensorflow.ask(request, facts_of(tmp_path))
    assert isinstance(group.version, Known)
    assert isinstance(group.record, Failed)
    assert "--timeout" in group.record.error


def test_compiled_files_scripts_and_metadata_do_not_count(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    with (folder / "RECORD").open("a") as record:
        record.write(
            "../../../bin/saved_model_cli,sha256=x,332\ntensorflow/__pycache__/__init__.cpython-311.pyc,,\n"
        )
        record.write("tensorflow-2.21.0.dist-info/direct_url.json,sha256=x,10\n")
    assert record_of(ask(tmp_path)).files == 3


def test_fifty_thousand_missing_files_are_counted_and_twenty_named(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    with (folder / "RECORD").open("a") as record:
        record.writelines(
            record_line(f"tensorflow/include/{number}.h", b"") + "\n" for number in range(50_000)
        )
        record.write(record_line("tensorflow/python/_lost.so", b"1234") + "\n")
    check = record_of(ask(tmp_path))
    assert check.missing_count == 50_001
    assert len(check.missing) == 20
    assert check.missing[0] == "tensorflow/python/_lost.so"


def test_a_record_with_lines_that_are_none_leaves_it_open(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    with (folder / "RECORD").open("a") as record:
        record.write("cut off in the mid")
    assert isinstance(ask(tmp_path).record, Failed)
    (tmp_path / "tensorflow/__init__.py").write_text("")
    assert record_of(ask(tmp_path)).wrong_size == ("tensorflow/__init__.py",)


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 100])
def test_a_record_that_is_none_leaves_it_open(tmp_path: Path, content: bytes) -> None:
    folder = add_tensorflow(tmp_path)
    (folder / "RECORD").write_bytes(content)
    group = ask(tmp_path)
    assert isinstance(group.record, Failed)
    assert group.distribution == Known("tensorflow", str(folder))


def test_records_and_headers_that_are_pipes_are_not_waited_for(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    other = add_distribution(tmp_path, "numpy", "2.0.1")
    for path in (
        other / "RECORD",
        folder / "RECORD",
        tmp_path / "tensorflow/python/platform/build_info.py",
    ):
        path.unlink()
        os.mkfifo(path)
    group = ask(tmp_path)
    assert isinstance(group.record, Failed)
    assert group.record.error.endswith(
        "not a file but a directory, a pipe, or a device: '" + str(folder / "RECORD") + "'"
    )
    assert group.version == Known("2.21.0", str(folder))


def test_without_a_record_nothing_says_what_should_be_there(tmp_path: Path) -> None:
    folder = add_tensorflow(tmp_path)
    (folder / "RECORD").unlink()
    group = ask(tmp_path)
    assert isinstance(group.record, Absent)
    assert group.distribution == Known("tensorflow", str(folder))


def test_condas_own_name_of_the_build(tmp_path: Path) -> None:
    prefix, site = tmp_path / "env", tmp_path / "env/lib/python3.11/site-packages"
    add_tensorflow(site)
    facts = facts_of(site, prefix=prefix)
    assert isinstance(tensorflow.ask(request_for(), facts).conda_build, Absent)
    (prefix / "conda-meta").mkdir()
    for name in (
        "tensorflow-base-2.18.0-cpu_py311h1_0",
        "tensorflow-2.18.0-cuda126py311hcd65ccb_251",
        "history",
    ):
        (prefix / "conda-meta" / f"{name}.json").write_text("{}")
    found = tensorflow.ask(request_for(), facts).conda_build
    assert found == Known("cuda126py311hcd65ccb_251", str(prefix / "conda-meta"))
