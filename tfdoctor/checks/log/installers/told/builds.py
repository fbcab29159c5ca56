"""Releases with an ending behind +, which no package index takes: their makers publish them in lists of their own."""

from __future__ import annotations

from tfdoctor.checks.log.installers.listed import Listed
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter

_JAX = "jax_cuda_releases.html"
_OF_TORCH = ("torch", "torchvision", "torchaudio")
"""JAX has a list of files for CUDA up to jaxlib 0.4.x, PyTorch an index for each ending (their pages on installing, 2026)."""


def is_local(there: Listed) -> bool:
    return "+" in there.wanted


def of_a_local_build(there: Listed) -> tuple[str, str]:
    """Title and words."""
    ending = there.wanted.partition("+")[2]
    words = f"An index such as PyPI takes no release with an ending behind +. Those who publish {there.package} keep such builds in a list of their own, which pip looks into only where it is told its address."
    return f"{there.package}{there.wanted} is on no package index: +{ending} marks a build from its makers' own list.", words  # fmt: skip


def local_build_fixes(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python, (release, _, ending) = interpreter(facts), there.wanted.partition("+")
    if there.package == "jaxlib":
        newest = Fix("Take today's jax with CUDA, which pip finds by itself, where the program runs with it", (f'{python} -m pip install --upgrade "jax[cuda12]"',), "On Linux. In a file of requirements, it takes the place of the lines with jax and jaxlib.")  # fmt: skip
        own = Fix("Or tell pip where JAX keeps the builds of that time, which are for Python 3.6 to 3.10", (f'{python} -m pip install "jaxlib{there.wanted}" --find-links {_JAX}',), f"JAX's page on installation links that list: save it as {_JAX} first.")  # fmt: skip
        return (newest, own)
    plain = Fix("Take the release without the ending, which the index has", (f'{python} -m pip install "{there.package}{release}"',))  # fmt: skip
    if there.package not in _OF_TORCH:
        return (plain,)
    return (plain, Fix(f"Or tell pip where PyTorch keeps that build: the index of {ending}", note=f"PyTorch's page \"Previous versions\" has the line with its address (--extra-index-url …/{ending}). A list of requirements takes the same option, on a line of its own."))  # fmt: skip
