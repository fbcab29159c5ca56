"""The versions that all that is installed allows, and the commands made of them."""

from __future__ import annotations

import shlex

import pytest

from tests.scenarios.conftest import base, bundled
from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import is_possible
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Bound, Distribution
from tfdoctor.fix.packages import install_fitting, install_fix, update
from tfdoctor.fix.ranges import pair_here, pairs_here, range_of, releases_beside, releases_without


def environment(tensorflow: str, *bounds: Bound, **installed: str) -> Facts:
    """`tensorflow`: "tensorflow-cpu 2.16.2"; "" for none. The packages by name, with _ for -."""
    facts: Facts = from_json(base("cpu"), Facts)
    name, _, version = tensorflow.partition(" ")
    every = {
        **({name: version} if name else {}),
        **{key.replace("_", "-"): value for key, value in installed.items()},
    }
    listed = tuple(
        Distribution(each, release, f"/site/{each}.dist-info", "pip", False)
        for each, release in every.items()
    )
    own = [each for each in listed if each.name == name]
    packages = replace(
        facts.packages, installed=Known(listed, "test"), bounds=Known(bounds, "test")
    )
    absent = Absent("no TensorFlow")
    return replace(
        facts,
        packages=packages,
        tensorflow=replace(
            facts.tensorflow,
            distributions=Known(tuple(own), "test") if own else absent,
            distribution=Known(name, "test") if own else absent,
            version=Known(version, "test") if own else absent,
        ),
    )


def words(facts: Facts, *specs: str) -> list[list[str]]:
    """What pip is told, behind `pip`."""
    return [
        shlex.split(each)[3:] for each in install_fix(facts, bundled(), "Install", *specs).commands
    ]


PANDAS = Bound("numpy", "<2,>=1.22.4", "pandas", "2.1.4")
GOOGLE = Bound("protobuf", "!=4.21.0,<5.0.0.dev0,>=3.19.5", "google-api-core", "2.11.1")
TENSORBOARD = Bound("protobuf", "!=4.24.0,>=3.19.6", "tensorboard", "2.20.0")


def test_what_others_allow_narrows_what_is_needed() -> None:
    facts = environment("tensorflow-cpu 2.16.2", PANDAS, numpy="2.1.3", pandas="2.1.4")
    found = range_of(facts, bundled(), "numpy", "<2.0.0,>=1.23.5")
    assert (found.spec, found.against) == ("numpy>=1.23.5,<2", ())
    assert range_of(facts, bundled(), "numpy", ">=1.20").spec == "numpy>=1.22.4,<2"


@pytest.mark.parametrize(
    ("tensorflow", "spec"),
    [
        ("tensorflow-cpu 2.16.2", "tensorflow-probability>=0.24,<0.25"),
        ("tensorflow 2.17.1", "tensorflow-probability>=0.24,<0.25"),
        ("tensorflow-cpu 2.18.1", "tensorflow-probability>=0.24,<1"),
        ("", "tensorflow-probability>=0.24,<1"),
    ],
)
def test_a_release_that_needs_a_newer_tensorflow_is_not_taken(tensorflow: str, spec: str) -> None:
    facts = environment(tensorflow, tensorflow_probability="0.23.0")
    assert range_of(facts, bundled(), "tensorflow-probability", ">=0.24").spec == spec


def test_an_installed_version_that_must_rise_stays_in_the_lowest_major() -> None:
    facts = environment("tensorflow-cpu 2.21.0", protobuf="4.25.8")
    assert range_of(facts, bundled(), "protobuf", ">=6.31.1,<8").spec == "protobuf>=6.31.1,<7"
    fallen = environment("tensorflow-cpu 2.21.0", protobuf="8.0.0")
    assert range_of(fallen, bundled(), "protobuf", ">=6.31.1,<8").spec == "protobuf>=6.31.1,<8"


def test_who_stands_against_it_changes_too_and_the_rest_stays() -> None:
    facts = environment(
        "tensorflow-cpu 2.20.0",
        GOOGLE,
        TENSORBOARD,
        protobuf="4.25.8",
        google_api_core="2.11.1",
        tensorboard="2.20.0",
    )
    found = range_of(facts, bundled(), "protobuf", ">=5.28.3")
    assert (found.spec, found.against) == ("protobuf>=5.28.3,<6", (GOOGLE,))
    assert words(facts, "protobuf>=5.28.3") == [
        [
            "install",
            "protobuf>=5.28.3,<6",
            "google-api-core",
            "tensorboard==2.20.0",
            "tensorflow-cpu==2.20.0",
        ]
    ]
    note = install_fix(facts, bundled(), "Install", "protobuf>=5.28.3").note
    assert (
        note
        == "google-api-core 2.11.1 needs protobuf!=4.21.0,<5.0.0.dev0,>=3.19.5, so it is changed, too."
    )


def test_a_pair_that_no_metadata_holds_bounds_as_well() -> None:
    facts = environment("", numpy="1.24.4", pandas="2.0.3")
    assert range_of(facts, bundled(), "numpy", ">=1.26").spec == "numpy>=1.26,<2"
    assert words(facts, "numpy>=2.1") == [["install", "numpy>=2.1,<3", "pandas>=2.2.2"]]


def test_no_second_tensorflow_comes_with_a_companion() -> None:
    assert words(environment("tensorflow-cpu 2.16.2"), "tf-keras==2.16.*") == [
        ["install", "--no-deps", "tf-keras==2.16.*"]
    ]
    assert words(environment("tensorflow 2.16.2"), "tf-keras==2.16.*") == [
        ["install", "tf-keras==2.16.*", "tensorflow==2.16.2"]
    ]


def test_a_tensorflow_is_installed_by_the_name_that_it_has() -> None:
    (fix,) = install_fitting(environment("tensorflow-cpu 2.16.2"), bundled(), spec=">=2.18")
    assert shlex.split(fix.commands[0])[4] == "tensorflow-cpu==2.21.0"


def test_a_tensorflow_is_chosen_that_the_others_allow() -> None:
    (fix,) = install_fitting(environment("", numpy="1.24.4", pandas="2.0.3"), bundled())
    assert shlex.split(fix.commands[0])[4:] == ["tensorflow==2.21.0", "numpy>=1.26,<2"]
    old = Bound("numpy", "<1.25", "numba", "0.57.0")
    (fix,) = install_fitting(environment("", old, numpy="1.24.4", numba="0.57.0"), bundled())
    assert shlex.split(fix.commands[0])[4] == "tensorflow==2.17.1"


def test_pairs_are_of_what_is_installed_in_the_versions_that_need_it() -> None:
    old, new = (
        environment("tensorflow 2.16.2", tensorflow_probability=each)
        for each in ("0.23.0", "0.24.0")
    )
    assert [(pair.needs, pair.specifier) for pair, _ in pairs_here(old, bundled())] == [
        ("keras", "<3"), ("tensorflow", ">=2.14"), ("tensorflow", ">=2.15"),
    ]  # fmt: skip
    assert {pair.needs for pair, _ in pairs_here(new, bundled())} == {"tf-keras", "tensorflow"}
    assert releases_without(pairs_here(old, bundled())[0][0]) == ">=0.24"
    last = environment("tensorflow 2.16.1", tensorflow_addons="0.23.0")  # after which none came
    assert releases_without(pairs_here(last, bundled())[0][0]) == ""


@pytest.mark.parametrize(
    "specifier",
    [
        "",
        ">=1,<2",
        ">1.0,<1.1",
        "<2",
        "~=2.16.0",
        "==2.16.*",
        ">=1,!=1",
        "<=1.24.3,>=1.22",
        ">=5,<5.1.dev0",
    ],
)
def test_possible(specifier: str) -> None:
    assert is_possible(specifier)


@pytest.mark.parametrize(
    "specifier",
    [
        ">=2,<2",
        ">=5.28.3,<5.0.0.dev0",
        "==2.16.*,<2.16",
        ">=1,<=1,!=1",
        "~=2.16.0,~=2.17.0",
        "===broken,>2",
    ],
)
def test_impossible(specifier: str) -> None:
    assert not is_possible(specifier)


@pytest.mark.parametrize(
    ("tensorflow", "releases"),
    [("2.12.1", "<1.1"), ("2.17.1", ""), ("2.18.0", ">=1.2,<1.3"), ("2.19.0", None)],
)
def test_the_releases_of_a_plug_in_are_those_that_go_with_tensorflow(
    tensorflow: str, releases: str | None
) -> None:
    assert releases_beside(bundled(), "tensorflow-metal", "tensorflow", tensorflow) == releases


def test_what_tensorflow_needs_beside_it_is_no_range_of_a_companion() -> None:
    facts = environment("tensorflow 2.6.0", keras="2.7.0")
    pair = pair_here(facts, bundled(), "tensorflow", "keras")
    assert pair is not None
    assert pair.specifier == "==2.6.*"
    assert range_of(facts, bundled(), "keras", "").specifier == ""


def test_an_update_stays_in_what_all_others_allow() -> None:
    facts = environment(
        "tensorflow 2.17.1", Bound("scipy", "<1.14", "sklearn", "1.4.0"), scipy="1.10.0"
    )
    assert shlex.split(update(facts, bundled(), "scipy").commands[0])[-2:] == [
        "--upgrade",
        "scipy<1.14",
    ]
