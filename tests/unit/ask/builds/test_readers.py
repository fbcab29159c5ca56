"""What each reader of build files makes of a literal file: names, ranges of versions, places."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tfdoctor.ask.builds import dockerfile, notebook, requirements, services, toml_files, yaml_files
from tfdoctor.ask.builds.files import KINDS, kind_of, text_of
from tfdoctor.ask.builds.statements import Environment, Source, UnreadableError, excuses


def told(environment: Environment) -> list[tuple[str, str | None, int, int]]:
    """Of packages and Pythons: name, range, line, column."""
    return [
        (each.name, each.value, each.span.line, each.span.column)
        for each in environment.statements
        if each.kind in ("package", "constraint", "python")
    ]


def requirements_of(text: str, **others: str) -> list[tuple[str, str | None, int, int]]:
    files = {name.replace("_", "."): other for name, other in others.items()}

    def follow(name: str) -> Source | None:
        return Source(name, files[name], follow) if name in files else None

    return told(requirements.environments(Source("requirements.txt", text, follow))[0])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tensorflow==2.10.0\n", [("tensorflow", "==2.10.0", 1, 1)]),
        ("# a\n\n  TensorFlow_Text >= 2.9 , <3 # b", [("tensorflow-text", ">=2.9,<3", 3, 3)]),
        ("numpy==1.0 \\\n  --hash=sha256:ab \\\n  --hash=sha256:cd\nkeras", [("numpy", "==1.0", 1, 1), ("keras", "", 4, 1)]),
        ("numpy \\\n  >=2\n", [("numpy", ">=2", 1, 1)]),
        ("tensorflow[and-cuda]~=2.14 ; python_version < '3.12'\r\nsix\r\n", [("tensorflow", "~=2.14", 1, 1), ("six", "", 2, 1)]),
        ("tensorflow @ https://x/tensorflow-2.10.whl\n", [("tensorflow", None, 1, 1)]),
        ("tensorflow==${TF_VERSION}\n", [("tensorflow", None, 1, 1)]),
        ("-e .\n--extra-index-url https://u:p@x/\n-f links\n./local\nhttps://x/y.whl\n", []),
        ("not a requirement at all\n<<<<\n==1\n", []),
        ("numpy===1.26.4\nkeras===\nsix===sha256:ab\ngast==== 1.*\n", [("numpy", "===1.26.4", 1, 1)]),
        ("@EXPLICIT\nhttps://conda.anaconda.org/x/tensorflow-2.10.0-0.conda\n", []),
    ],
)  # fmt: skip
def test_requirements(text: str, found: list[tuple[str, str | None, int, int]]) -> None:
    assert ([] if "@EXPLICIT" in text else requirements_of(text)) == found


def test_a_list_of_urls_that_conda_wrote_is_no_environment() -> None:
    assert (
        requirements.environments(
            Source("requirements.txt", "@EXPLICIT\nhttps://x/tensorflow.conda\n")
        )
        == ()
    )


def test_files_that_requirements_name_are_read_once_and_a_circle_ends() -> None:
    found = requirements_of(
        "-r a.txt\n-c c.txt\n",
        a_txt="numpy<2\n--requirement=requirements.txt\n-r a.txt\n",
        c_txt="keras<3\n",
    )
    assert found == [("numpy", "<2", 1, 1), ("keras", "<3", 1, 1)]


def test_files_that_name_each_other_many_times_are_read_once_each() -> None:
    def follow(name: str) -> Source:
        number = int(name.removesuffix(".txt"))
        text = "".join(f"-r {number + 1}.txt\n" for _ in range(20)) if number < 15 else ""
        return Source(name, f"{text}p{number}\n", follow)

    (only,) = requirements.environments(Source("requirements.txt", "-r 0.txt\n-c 0.txt\n", follow))
    assert [(each.kind, each.name) for each in only.statements][:17] == [
        *(("package", f"p{number}") for number in range(15, -1, -1)), ("constraint", "p15"),
    ]  # fmt: skip
    assert len(only.statements) == 32


DOCKERFILE = """\
# syntax=docker/dockerfile:1
ARG V=2.10.0
FROM tensorflow/tensorflow:${V}-gpu AS base
RUN pip install --no-cache-dir "numpy<2" \\
   # a comment within

   keras==2.10.0 > /dev/null && apt-get install -y x
run <<EOF
python3.9 -m pip install pandas==1.0 -i https://x/simple
EOF
FROM base
RUN ["pip", "install", "scipy==1.1"]
RUN conda install -y -c conda-forge conda-forge::tensorflow=2.10 python=3.9
RUN pip install --target /x six && echo pip install gast
"""


def test_a_dockerfile_with_stages_continuations_and_heredocs() -> None:
    (last,) = dockerfile.environments(Source("Dockerfile", DOCKERFILE))
    assert told(last) == [
        ("numpy", "<2", 4, 32),
        ("keras", "==2.10.0", 7, 4),
        ("python", "3.9", 9, 1),
        ("pandas", "==1.0", 9, 26),
        ("scipy", "==1.1", 12, 24),
        ("tensorflow", "==2.10.*", 13, 37),
        ("python", "==3.9.*", 13, 66),
    ]
    assert [(each.name, each.value) for each in last.statements if each.kind == "image"] == [
        ("tensorflow/tensorflow", "2.10.0-gpu")
    ]


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("<<E", ["six"]), ("--mount=type=cache,target=/x <<-'E' /bin/bash -ex", ["six"]), ("python3 <<E", []),
        ("cat > a.sh <<E && pip install gast", ["gast"]), ("<<E\n#!/usr/bin/env python", []), ("<<E\n#!/bin/sh", ["six"]),
    ],
)  # fmt: skip
def test_a_heredoc_is_a_script_where_a_shell_gets_it(head: str, found: list[str]) -> None:
    (only,) = dockerfile.environments(
        Source("Dockerfile", f"FROM x\nRUN {head}\npip install six\nE\n")
    )
    assert [each[0] for each in told(only)] == found


@pytest.mark.parametrize("text", ["", "\0" * 9, "RUN pip install six\n"])
def test_a_dockerfile_without_an_image_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="it has no FROM"):
        dockerfile.environments(Source("Dockerfile", text))


def test_variables_of_a_dockerfile_in_both_forms() -> None:
    text = 'FROM x\nARG A=1\nENV B="$A 2" C=3\\\n  D=4\nENV E  five $A\n'
    (only,) = dockerfile.environments(Source("Dockerfile", text))
    assert {each.name: each.value for each in only.statements if each.kind == "variable"} == {
        "B": "1 2",
        "C": "3",
        "D": "4",
        "E": "five 1",
    }


def test_an_argument_before_from_is_gone_after_it_unless_it_is_declared_again() -> None:
    text = "ARG V=2.9.0\nFROM a\nRUN pip install tensorflow==$V\nFROM b\nARG V\nRUN pip install tensorflow==$V\n"
    assert [told(each)[0][1] for each in dockerfile.environments(Source("Dockerfile", text))] == [
        None,
        "==2.9.0",
    ]


PROJECT = """\
[project]
requires-python = ">=3.9"
dependencies = ["tensorflow>=2.9 ; python_version<'3.12'", 'numpy<2']
[project.optional-dependencies]
gpu = ["keras>=3"]
[dependency-groups]
test = ["six", {include-group = "x"}]
[tool.poetry.dependencies]
python = "^3.9"
scipy = {version = "~1.10", optional = true}
h5py = "^3.1"
[tool.uv]
constraint-dependencies = ["protobuf<4"]
"""


def test_a_project_with_extras_groups_and_poetry() -> None:
    base, gpu, test = toml_files.pyproject(Source("pyproject.toml", PROJECT))
    shared = [
        ("python", ">=3.9", 2, 19),
        ("tensorflow", ">=2.9", 3, 17),
        ("numpy", "<2", 3, 60),
        ("python", ">=3.9,<4", 9, 1),
        ("h5py", ">=3.1,<4", 11, 1),
    ]
    bound = [("protobuf", "<4", 13, 28)]
    assert told(base) == [*shared, *bound]
    assert told(gpu) == [*shared, *bound, ("keras", ">=3", 5, 8)]
    assert told(test) == [*shared, *bound, ("six", "", 7, 9)]


@pytest.mark.parametrize(
    ("text", "range_"),
    [("^2.10", ">=2.10,<3"), ("^0.3.1", ">=0.3.1,<0.4"), ("~2.10.1", ">=2.10.1,<2.11"), ("~2", ">=2,<3"), ("2.10.0", "==2.10.0"), ("*", ""), (">=2 <3 || 4", None)],
)  # fmt: skip
def test_poetrys_ranges(text: str, range_: str | None) -> None:
    assert toml_files.poetry_range(text) == range_


LOCK = """\
version = 1
requires-python = ">=3.9"

[[package]]
name = "tensorflow"
version = "2.15.0"
dependencies = [{ name = "numpy" }]

[[package]]
name = "numpy"
version = "1.26.4"

[[package]]
name = "numpy"
version = "2.0.0"
"""


def test_a_lock_with_two_versions_of_a_package_does_not_say_which() -> None:
    (only,) = toml_files.uv_lock(Source("uv.lock", LOCK))
    assert told(only) == [
        ("python", ">=3.9", 2, 19),
        ("tensorflow", "==2.15.0", 5, 1),
        ("numpy", None, 10, 1),
        ("numpy", None, 14, 1),
    ]


CONDA = """\
name: x
dependencies:
  - python=3.9
  - conda-forge::tensorflow==2.10.0
  - &n numpy>=1.20
  - pip:
    - keras>=2,<3
    - --no-deps
variables:
  TF_USE_LEGACY_KERAS: 1
"""


def test_an_environment_of_conda() -> None:
    (only,) = yaml_files.conda(Source("environment.yml", CONDA))
    assert told(only) == [
        ("python", "==3.9.*", 3, 5),
        ("tensorflow", "==2.10.0", 4, 5),
        ("numpy", ">=1.20", 5, 5),
        ("keras", ">=2,<3", 7, 7),
    ]
    assert [(each.name, each.value) for each in only.statements if each.kind == "variable"] == [
        ("TF_USE_LEGACY_KERAS", "1")
    ]


def test_aliases_that_would_explode_are_read_where_they_stand() -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"] + [
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    (only,) = yaml_files.conda(
        Source("environment.yml", "\n".join([*rows, "dependencies: [tensorflow]"]))
    )
    assert told(only) == [("tensorflow", "", 10, 16)]


@pytest.mark.parametrize(
    "text",
    [
        "{{ x }}\ndependencies:\n - tensorflow\n",
        "dependencies:\n\t- tensorflow\n",
        "[" * 100_000,
        "- " * 5_000,
    ],
)
def test_yaml_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        yaml_files.conda(Source("environment.yml", text))


def test_the_cells_of_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": "!pip install keras"},
        {
            "cell_type": "code",
            "source": [
                "import x\n",
                "!pip install -q tensorflow==2.10.0\n",
                "%env TF_USE_LEGACY_KERAS=1\n",
            ],
        },
        {"cell_type": "code", "source": "%%bash\npip install 'numpy<2'"},
        {"cell_type": "code", "source": ['!{sys.executable} -m pip install "six"', 3]},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    (only,) = notebook.environments(Source("a.ipynb", text))
    assert [each[:2] for each in told(only)] == [
        ("tensorflow", "==2.10.0"),
        ("numpy", "<2"),
        ("six", ""),
    ]
    first = only.statements[0].span
    assert text[first.start : first.end] == "tensorflow==2.10.0"


def images(*environments: Environment) -> list[tuple[str, str, str | None, dict[str, str | None]]]:
    return [
        (each.name, *next((one.name, one.value) for one in each.statements if one.kind == "image"),
         {one.name: one.value for one in each.statements if one.kind == "variable"})
        for each in environments
    ]  # fmt: skip


COMPOSE = """\
x-env: &env
  TF_USE_LEGACY_KERAS: "1"
services:
  named:
    image: registry:5000/a/b:${TAG:-2.10.0-gpu}@sha256:0
    environment: [A=1, B]
  built:
    image: ours
    build: {context: ., dockerfile: Dockerfile, target: base, args: {V: "3.9"}}
    environment: {<<: *env, C: $C}
"""


def test_the_services_of_a_compose_file_and_the_dockerfiles_that_they_build() -> None:
    built = Source(
        "Dockerfile",
        "ARG V=3.8\nFROM python:$V AS base\nRUN pip install six\nFROM base\nRUN pip install gast\n",
    )
    named, of_file = services.compose(Source("compose.yaml", COMPOSE, {"./Dockerfile": built}.get))
    assert images(named, of_file) == [
        ("named", "registry:5000/a/b", "2.10.0-gpu", {"A": "1"}),
        ("built", "python", "3.9", {"C": None, "TF_USE_LEGACY_KERAS": "1"}),
    ]
    assert told(of_file) == [("six", "", 3, 17)]


MANIFEST = """\
apiVersion: v1
---
kind: TFJob
spec: {tfReplicaSpecs: {Worker: {template: {spec: {containers: [{name: a, image: "tensorflow/tensorflow:2.15.0-gpu", env: [{name: A, value: "1"}, {name: B, valueFrom: {}}]}]}}}}}
---
&loop
x: *loop
"""


def test_the_containers_of_a_manifest_at_any_depth() -> None:
    assert images(*services.kubernetes(Source("job.yaml", MANIFEST))) == [
        ("a", "tensorflow/tensorflow", "2.15.0-gpu", {"A": "1"})
    ]


@pytest.mark.parametrize(
    "text", ["/* " * 80_000, '"' + '\\"' * 80_000, '"\\' * 80_000, ", " * 80_000]
)
def test_a_devcontainer_that_ends_within_a_comment_or_string_is_refused_in_time(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(UnreadableError):
        services.devcontainer(Source("devcontainer.json", text))
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a/Dockerfile", "dockerfile"), ("Dockerfile.gpu", "dockerfile"), ("Dockerfile_ubuntu_2204", "dockerfile"), ("gpu.dockerfile", "dockerfile"), ("Containerfile", "dockerfile"),
        ("requirements-gpu.txt", "requirements"), ("dev-requirements.in", "requirements"), ("requirements/base.txt", "requirements"),
        ("constraints.txt", "requirements"), ("pyproject.toml", "pyproject"), ("uv.lock", "uv-lock"), ("pylock.gpu.toml", "pylock"),
        ("environment.yaml", "conda"), ("conda-gpu.yml", "conda"), ("a b.ipynb", "notebook"), ("docker-compose.gpu.yml", "compose"), ("compose.yaml", "compose"), ("job.yaml", "kubernetes"), ("readme.txt", None), ("docker.py", None),
    ],
)  # fmt: skip
def test_a_file_is_known_by_its_name(path: str, kind: str | None) -> None:
    found = kind_of(path)
    assert (found.name if found else None) == kind


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"a\xff", "utf-8"), (b"\xef\xbb\xbfa", "utf-8-sig"), ("a\n".encode("utf-16"), "utf-16")],
)
def test_a_text_is_written_in_the_bytes_that_it_was_read_from(data: bytes, encoding: str) -> None:
    text, found = text_of(data)
    assert (found, text.encode(found, "surrogateescape" if found != "utf-16" else "strict")) == (
        encoding,
        data,
    )


def test_an_excuse_has_codes_and_a_reason() -> None:
    text = "a # tfdoctor: ignore numpy-abi-mismatch, keras-mismatch because it is vendored\nb // tfdoctor: ignore glibc-too-old\n"
    assert [(each.line, each.codes, each.reason) for each in excuses(Source("x", text))] == [
        (1, ("numpy-abi-mismatch", "keras-mismatch"), "it is vendored"),
        (2, ("glibc-too-old",), ""),
    ]


_PIECES = st.sampled_from(
    ["tensorflow", "==2.10", "\n", "\\\n", " ", "FROM x", "RUN ", "pip install ", "\"", "'", "$V", "${V:-", "}", "<<E", "E\n", "[", "]", "=", "#", ";",
     "dependencies:\n", " - ", "[[package]]\n", "name = ", "{", "&a", "*a", ",", "!", "%", "\r", "\ufeff", "-r x", "ENV A", "ARG A", "\t", ":", "\x00", "é"]
)  # fmt: skip


@example("FROM xE\nENV A==2.10-r x")
@given(st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_any_text_is_read_or_refused_and_each_place_is_in_it(text: str) -> None:
    source = Source("a/requirements/x.txt", text, lambda name: Source(name, text))
    for kind in KINDS:
        try:
            environments = kind.reader(source)
        except UnreadableError:
            continue
        for each in (
            statement for environment in environments for statement in environment.statements
        ):
            assert 0 <= each.span.start <= each.span.end <= len(text)
            assert each.span.line <= text.count("\n") + 1


def test_values_that_double_with_each_line_stay_as_they_are_written() -> None:
    text = (
        "FROM ubuntu\nENV A=xxxxxxxxxx\n" + "ENV A=$A$A\n" * 40 + "RUN pip install tensorflow==$A\n"
    )
    (stage,) = dockerfile.environments(Source("Dockerfile", text))
    assert max(len(each.value or "") for each in stage.statements) <= 20_000


def test_a_dockerfile_of_very_many_stages_is_refused() -> None:
    text = "".join(f"FROM ubuntu AS s{n}\n" for n in range(300))
    with pytest.raises(UnreadableError, match="more than 200 stages"):
        dockerfile.environments(Source("Dockerfile", text))


def test_lines_that_json_writes_in_another_way_are_not_looked_for_one_by_one() -> None:
    line = "!pip install \\u0073ix\\n"  # json.dumps would write the s as it is
    text = (
        '{"cells": [{"cell_type": "code", "source": [' + ", ".join([f'"{line}"'] * 20_000) + "]}]}"
    )
    began = time.process_time()
    (only,) = notebook.environments(Source("a.ipynb", text))
    assert len(only.statements) == 20_000
    assert time.process_time() - began < 20  # without a bound: minutes
