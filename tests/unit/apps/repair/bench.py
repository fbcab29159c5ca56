"""The stand-in's environment without its pip, laid out in milliseconds, and real uv, which gets packages from a folder of wheels: for
tests of a fix in the tests' own process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.unit.apps.repair import standin
from tests.unit.ask.probes.fake_environments import (
    add_distribution,
    facts_of,
    make_venv,
    site_of,
)
from tfdoctor.apps.repair.installer import Uv
from tfdoctor.apps.repair.plan import Step
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Distribution
from tfdoctor.knowledge.lines import Pip
from tfdoctor.knowledge.model import (
    Action,
    Confidence,
    Finding,
    Fix,
    Parameter,
    Severity,
)

TITLE = "TensorFlow 2.21.0 does not start with protobuf 4.25.3."


@dataclass(frozen=True)
class Bench:
    """An environment whose protobuf is too old for its TensorFlow, and what can be installed there."""

    root: Path

    @property
    def environment(self) -> Path:
        return self.root / "envs" / "tf"

    @property
    def site(self) -> Path:
        return site_of(self.environment)

    @property
    def wheels(self) -> Path:
        return self.root / "wheels"

    def lay_out(self) -> None:
        standin.index(self.wheels)
        make_venv(self.environment)
        files = {
            "tensorflow/__init__.py": standin.TENSORFLOW,
            "tensorflow/tools/pip_package/setup.py": "_VERSION = '2.21.0'\n",
        }
        self._add("tensorflow", "2.21.0", files, "Requires-Dist: protobuf>=6.31.1,<8.0.0")
        files = {
            "google/protobuf/__init__.py": '__version__ = "4.25.3"\n',
            "google/protobuf/more.py": "NUMBER = 1\n",
        }
        self._add("protobuf", "4.25.3", files)
        (self.root / "bin").mkdir()
        (self.root / "bin" / "uv").symlink_to(standin.uv())
        (self.root / "uv.toml").write_text(
            f'no-index = true\noffline = true\nfind-links = ["{self.wheels}"]\n'
        )

    def _add(self, name: str, version: str, files: dict[str, str], metadata: str = "") -> None:
        """For every Python: uv installs again what is tagged for another one."""
        add_distribution(self.site, name, version, files, metadata, tag="py3-none-any")

    def variables(self) -> dict[str, str]:
        return {
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin", "HOME": str(self.root), "XDG_STATE_HOME": str(self.root / "state"),
            "UV_CONFIG_FILE": str(self.root / "uv.toml"), "UV_CACHE_DIR": str(self.root / "cache"), "LANG": "C.UTF-8",
            "TFDOCTOR_NO_REQUIRE_GPU": "1",
        }  # fmt: skip

    def facts(self) -> Facts:
        """What the probes that a fix needs find there now."""
        found = facts_of(prefix=self.environment)
        inside = replace(
            found.interpreter,
            executable=Known(str(self.environment / "bin" / "python"), "test"),
            site_packages=Known((str(self.site),), "test"),
            has_pip=Known(False, "test"),
        )
        installed = tuple(self._distributions())
        of_tensorflow = tuple(each for each in installed if each.name.startswith("tensorflow"))
        return replace(
            found,
            interpreter=inside,
            packages=replace(found.packages, installed=Known(installed, "test")),
            tensorflow=replace(found.tensorflow, distributions=Known(of_tensorflow, "test")),
        )

    def _distributions(self) -> Iterator[Distribution]:
        for each in sorted(self.site.glob("*.dist-info")):
            name, _, version = each.name.removesuffix(".dist-info").partition("-")
            yield Distribution(name.replace("_", "-"), version, str(each), "pip", False)

    def installer(self) -> Uv:
        return Uv(str(self.environment / "bin" / "python"), (standin.uv(), "pip"), None)

    def installed(self) -> dict[str, str]:
        """Versions by name."""
        return {each.name: each.version for each in self._distributions()}

    def beside(self) -> list[str]:
        """What is left beside the environment."""
        return sorted(
            each.name for each in self.environment.parent.iterdir() if each != self.environment
        )


def step(kind: str = "change-packages", **parameters: Parameter) -> Step:
    """A fix of protobuf that does this."""
    action = Action(kind, "", tuple(parameters.items()))
    fix = Fix("Install a matching protobuf", (Pip("protobuf>=6.31.1,<7"),), action=action, applies=True)  # fmt: skip
    return Step(finding(fix), fix)


def finding(*fixes: Fix, code: str = "protobuf-incompatible", title: str = TITLE) -> Finding:
    return Finding(code, Severity.ERROR, Confidence.CERTAIN, title, "", (), fixes)
