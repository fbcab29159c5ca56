"""Which versions of torch and jax share an environment with TensorFlow, by the bundled matrix, and what is said where none do."""

from __future__ import annotations

import pytest

from tfdoctor.apps.documents import plan
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Driver, Facts, Interpreter, Packages
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import CudaDevice, Distribution
from tfdoctor.facts.versions import ComputeCapability, DriverRelease, PythonRelease
from tfdoctor.fix.install import recipe_for
from tfdoctor.fix.machine import DescriptionError
from tfdoctor.fix.packages import sharing_an_environment
from tfdoctor.fix.plan import Plan
from tfdoctor.fix.together import Wanted, frameworks_here, wanted
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.together import verified_sets
from tfdoctor.knowledge.model import Fix
from tfdoctor.say.plan import newest_needs, plan_to_json, plan_to_page, plan_to_text
from tfdoctor.say.plan_files import file_text
from tfdoctor.say.terminal import Page

MATRIX = load_bundled()
PAGE = Page(width=100)
GPU = {"os": "linux", "gpu": "RTX 3090", "driver": "550.54.14"}
CPU = {"os": "linux", "gpu": "none"}


def planned(beside: str, **said: str) -> tuple[Plan, tuple[Fix, ...]]:
    return plan(
        MATRIX, Facts(), tensorflow="", prereleases=False, fetch=False, beside=beside, **said
    )


def asked(beside: str, **said: str) -> Plan:
    return planned(beside, **said)[0]


def best(made: Plan) -> tuple[str, ...]:
    return (made.options[0].release.tensorflow, *made.options[0].beside) if made.options else ()


@pytest.mark.parametrize(
    ("beside", "said", "expected"),
    [
        ("torch", {**GPU, "python": "3.12"}, ("2.20.0", "torch==2.10.0")),  # 2.21.0: refused over NCCL, or overwritten
        ("torch==2.8.0", {**GPU, "python": "3.12"}, ("2.20.0", "torch==2.8.0")),
        ("torch>=2.11", {**GPU, "python": "3.12"}, ()),
        ("torch", {**CPU, "python": "3.12"}, ("2.21.0", "torch==2.15.0")),
        ("torch", {**CPU, "python": "3.10"}, ("2.21.0", "torch==2.14.1")),  # 2.15.0 has no wheel for it
        ("jax[cuda12]", {**GPU, "python": "3.13"}, ("2.21.0", "jax[cuda12]==0.12.0.1")),
        ("jax[cuda13]", {**GPU, "python": "3.13", "driver": "580.95.05"}, ()),
        ("jax", {**GPU, "python": "3.12"}, ("2.21.0", "jax==0.12.0.1")),
        ("jax[cuda12]", {**CPU, "python": "3.12"}, ("2.21.0", "jax[cuda12]==0.12.0.1")),
        ("torch, jax[cuda12]", {**GPU, "python": "3.12"}, ("2.20.0", "torch==2.10.0", "jax[cuda12]==0.12.0.1")),
        ("jax[cuda12],torch", {**GPU, "python": "3.11"}, ("2.20.0", "jax[cuda12]==0.10.2", "torch==2.10.0")),
        ("torch,jax", {**CPU, "python": "3.10"}, ("2.21.0", "torch==2.14.1", "jax==0.6.2")),
        ("torch==2.8.0,jax[cuda12]", {**GPU, "python": "3.12"}, ()),  # each goes with it, and nobody resolved the three
        ("torch", {"os": "windows", "gpu": "none", "python": "3.12"}, ()),
    ],
)  # fmt: skip
def test_the_newest_set_that_was_resolved_and_overwrites_nothing(
    beside: str, said: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert best(asked(beside, **said)) == expected


def test_what_clashes_is_named_by_its_packages() -> None:
    made = asked("torch", **GPU, python="3.12")
    because = {each.release.tensorflow: each.because for each in made.excluded}
    assert [(each.code, each.observed) for each in because["2.21.0"]] == [
        ("cuda-libraries-mixed", "torch 2.11.0–2.15.0"),
        ("dependency-mismatch", "torch 2.7.0–2.10.0"),
        ("dependency-mismatch", "torch 2.6.0"),
    ]
    assert because["2.21.0"][1].expected == "nvidia-nccl-cu12"
    assert newest_needs(made) == because["2.21.0"]
    text = plan_to_text(made, MATRIX, PAGE)
    assert "For 2.21.0     install torch into an environment of its own\n" in text


def test_two_environments_where_none_is_shared() -> None:
    made, ways = planned("torch==2.15.0", **GPU, python="3.12")
    assert [each.title for each in ways] == [
        "Use two environments: TensorFlow 2.21.0; torch==2.15.0"
    ]
    assert ways[0].commands[-2:] == (
        "python3.12 -m venv beside-tensorflow",
        "beside-tensorflow/bin/python -m pip install torch==2.15.0",
    )
    assert (
        "is known to share an environment with torch==2.15.0"
        in plan_to_page(made, MATRIX, ways, "uv")["headline"]
    )


@pytest.mark.parametrize("form", ["commands", "requirements", "uv", "conda", "dockerfile"])
def test_every_format_has_the_whole_set(form: str) -> None:
    made = asked("torch,jax[cuda12]", **GPU, python="3.12")
    option = made.options[0]
    recipe = recipe_for(option.release, made.machine, MATRIX, *option.beside)
    text = file_text(form, recipe, made.machine, MATRIX, "a test")
    assert all(
        each in text
        for each in ("tensorflow[and-cuda]==2.20.0", "torch==2.10.0", "jax[cuda12]==0.12.0.1")
    )
    assert plan_to_json(made, MATRIX)["options"][0]["with"] == [
        "torch==2.10.0",
        "jax[cuda12]==0.12.0.1",
    ]


@pytest.mark.parametrize(
    "text",
    ["pytorch", "torch==9", "torch;rm", "jax[cuda]", "[", "torch,,numpy", "torch>=2.10,torch<2.8"],
)
def test_what_was_never_tried_is_refused_by_name(text: str) -> None:
    with pytest.raises(DescriptionError, match="known beside TensorFlow"):
        wanted(text, MATRIX)


@pytest.mark.parametrize("text", ["torch>=2.x", "torch=2.8", "torch==2.8.0;rm", "torch==$(id)"])
def test_what_is_no_range_of_versions_is_called_so(text: str) -> None:
    with pytest.raises(DescriptionError, match="isn't a version specifier"):
        wanted(text, MATRIX)


def test_a_framework_that_is_asked_for_twice_is_one() -> None:
    assert wanted("torch>=2.7, jax, torch<2.9", MATRIX) == (
        Wanted("torch", ">=2.7,<2.9"),
        Wanted("jax"),
    )


def test_another_python_is_the_way_out_where_a_framework_has_no_wheel_for_this_one() -> None:
    made, ways = planned("torch==2.15.0", **CPU, python="3.10")
    first = made.excluded[0].because[0]
    assert (first.code, first.observed) == ("python-unsupported", "3.10 (torch 2.15.0)")
    assert first.expected.split(", ")[-1] == "3.13"
    assert [each.title for each in ways] == ["Use Python 3.13: TensorFlow 2.21.0 and torch 2.15.0"]
    assert ways[0].commands[-1].endswith("tensorflow==2.21.0 torch==2.15.0")
    text = " ".join(plan_to_text(made, MATRIX, PAGE, ways).split())
    assert "no wheel for Python 3.10 (torch 2.15.0)" in text


def test_an_older_matrix_knows_no_framework() -> None:
    document = {name: each for name, each in MATRIX.document.items() if name != "together"}
    older = Matrix(document, "0" * 64, "file")
    assert older.together("2.20.0", "and-cuda", "torch") == ()
    assert older.together_in_one("2.20.0", "and-cuda") == ()
    with pytest.raises(DescriptionError, match="no framework"):
        wanted("torch", older)


def test_the_frameworks_of_an_environment() -> None:
    names = ("tensorflow", "torch", "jax", "jax-cuda13-plugin", "numpy")
    installed = tuple(Distribution(name, "1", "", "pip", False) for name in names)
    facts = Facts(packages=Packages(installed=Known(installed, "a test")))
    assert [each.framework for each in frameworks_here(facts, MATRIX)] == ["torch", "jax[cuda12]"]
    assert frameworks_here(Facts(), MATRIX) == ()


def test_every_set_of_the_matrix_is_one_that_verify_resolves() -> None:
    sets = list(verified_sets(MATRIX))
    assert len(sets) > 800
    assert (("tensorflow[and-cuda]==2.21.0", "torch==2.15.0"), "3.13", "overwritten") in sets
    assert {outcome for _, _, outcome in sets} == {"clean", "refused", "overwritten"}


def test_an_environment_whose_libraries_were_overwritten_gets_a_set_that_goes_together() -> None:
    device = CudaDevice(0, "RTX 3090", ComputeCapability("8.6"), 0, "", "")
    installed = tuple(Distribution(name, "1", "", "pip", False) for name in ("tensorflow", "torch"))
    facts = Facts(
        interpreter=Interpreter(version=Known(PythonRelease("3.12"), "a test")),
        driver=Driver(
            devices=Known((device,), "a test"), version=Known(DriverRelease("550.54.14"), "a test")
        ),
        packages=Packages(installed=Known(installed, "a test")),
    )
    fix = sharing_an_environment(facts, MATRIX)
    assert fix is not None
    assert fix.title == "Install TensorFlow 2.20.0 and torch 2.10.0 in a new environment"
    assert "'tensorflow[and-cuda]==2.20.0'" in fix.commands[1]
    assert fix.commands[1].endswith("torch==2.10.0")
    alone = replace(facts, packages=Packages(installed=Known(installed[:1], "a test")))
    assert sharing_an_environment(alone, MATRIX) is None
