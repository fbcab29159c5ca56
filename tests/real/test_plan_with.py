"""The sets that `plan --with` calls best, resolved again against the real index. Needs the network and uv."""

from __future__ import annotations

import os
import sys

import pytest
import requests

from tests.needs import PACKAGES
from tfdoctor.apps.documents import plan
from tfdoctor.facts.model import Facts
from tfdoctor.fix.install import recipe_for
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.wheels.index import Index, index_address
from tfdoctor.knowledge.matrix.wheels.together import Resolver

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]
DRIVERS = ("525.60.13", "535.104.05", "550.54.14", "570.86.15", "580.95.05")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    try:
        if requests.head(f"{index_address().rstrip('/')}/tensorflow/", timeout=10).ok:
            return Resolver(Index())
    except requests.RequestException:
        pass  # the skip below says it
    pytest.skip(PACKAGES)


@pytest.mark.parametrize("beside", ["torch", "jax", "jax[cuda12]", "torch,jax", "torch,jax[cuda12]"])
@pytest.mark.parametrize("gpu", ["RTX 3090", "V100"])
def test_every_best_set_resolves_and_overwrites_nothing(resolver: Resolver, gpu: str, beside: str) -> None:
    matrix = load_bundled()
    sets = set()
    for driver in DRIVERS:
        for python in PYTHONS:
            made, _ = plan(matrix, Facts(), beside=beside, gpu=gpu, driver=driver, python=python, os="linux")
            option = made.options[0]
            recipe = recipe_for(option.release, made.machine, matrix, *option.beside)
            sets.add((recipe.packages, recipe.python))
    assert len(sets) >= len(PYTHONS)
    for packages, python in sorted(sets):
        assert resolver.together(packages, python).outcome == "clean", (packages, python)
