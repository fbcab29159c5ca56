"""An environment's file that names packages which the channels do not have here: exact builds, or parts of another system."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.records import record

MACOS, WINDOWS, LINUX = "macOS", "Windows", "Linux"
_OF_ONE_SYSTEM = {
    MACOS: ("appnope", "cctools", "ld64", "libcxx", "libcxxabi", "libgfortran5", "llvm-openmp", "tapi", "pyobjc-core", "pyobjc-framework-cocoa", "python.app"),
    WINDOWS: (
        "console_shortcut", "icc_rt", "m2w64-gcc-libs", "m2w64-gmp", "menuinst", "msvc_runtime", "msys2-conda-epoch", "powershell_shortcut", "pywin32", "pywin32-ctypes", "pywinpty",
        "ucrt", "vc", "vc14_runtime", "vs2013_runtime", "vs2015_runtime", "vs2017_win-64", "win_inet_pton", "win_unicode_console", "wincertstore", "winpty",
    ),
    LINUX: ("_libgcc_mutex", "_openmp_mutex", "dbus", "libgcc-ng", "libgomp", "libstdcxx-ng", "libuuid", "ld_impl_linux-64", "libgcc", "libstdcxx", "secretstorage", "jeepney", "libedit"),
}  # fmt: skip
"""Packages of conda's default channel and conda-forge that are made for one system (or are asked for there alone), as exported files
of the three show them (conda/conda#6073, #7311, PolarBean/DeepSlice#12, DeepLabCut/DeepLabCut#89, MaterialEyes/exsclaim#2; read 2026-11-23)."""
_BUILDS = {"hecd8cb5": MACOS, "hca03da5": MACOS, "haa95532": WINDOWS, "h06a4308": LINUX}
"""The hash in a build's name is that of what it was compiled with: that of a plain Python package is the same for a whole system of the default channel."""
_KEPT = ("python", "tensorflow", "tensorflow-gpu")
_FEW = 3


@record
class Spec:
    """`build` "" where the file names none."""

    package: str
    build: str
    release: str = ""

    @property
    def shown(self) -> str:
        return f"{self.package} {self.release}".strip()


def exported(saying: Saying) -> Candidate | None:
    """None where conda does not list what it did not find."""
    specs = _specs(saying)
    if not specs:
        return None
    builds = [each for each in specs if each.build]
    system = _system(specs)
    names = _few([*(each for each in specs if system and each.package in _OF_ONE_SYSTEM[system]), *specs])
    if not builds and not system:
        return _nowhere(saying, specs[0].shown if len(specs) == 1 else names, len(specs))
    if saying.told.get("value") and not system:
        return _excluding(saying, names)
    of = f", and {_marks(specs, system)} show that it was made on {system}" if system else ""
    words = (
        f"The channels do not have these packages for this system. The file names {'each package with its exact build' if builds else 'packages one by one'}, as "
        f"`conda env export` writes it{of}: such a file fits the system that it was made on, for a build is compiled for one system and is taken away in time. "
        "Nothing excludes anything here, and nothing was changed."
    )
    where = f"The environment's file was exported on {system}: its packages" if system else "The environment's file names exact builds: they"  # fmt: skip
    return Candidate(saying.code, Confidence.CERTAIN if system else Confidence.LIKELY, (place(saying),), words, title=f"{where} do not exist for this system, or no longer ({names}).")  # fmt: skip


def _excluding(saying: Saying, names: str) -> Candidate:
    words = "The file names each package with its exact build, as `conda env export` writes it. Such builds were made for one system at one time, and fit the others of that time alone; some of them are not in the channels any more, and what is left excludes each other. Nothing was changed."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=f"The environment's file names exact builds, and these can't be had together here: {names}.")  # fmt: skip


def _nowhere(saying: Saying, names: str, count: int) -> Candidate:
    words = "It is not a conflict: conda looked in the channels that it was given, for the system that it runs on, and there is no package of that name and release. Mostly it is in another channel, under another name, or made for other systems alone (CUDA's packages do not exist for Macs)."
    are = "is" if count == 1 else "are"
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=f"{names} {are} not in conda's channels for this system.")  # fmt: skip


def _specs(saying: Saying) -> list[Spec]:
    """The list below the heading, as `logs/passages/specs.py` read it."""
    found = (each.split("=") for each in saying.told.get("message", "").split())
    return [
        Spec(parts[0], parts[2] if len(parts) > 2 else "", parts[1] if len(parts) > 1 else "")
        for parts in found
    ]


def _few(specs: list[Spec]) -> str:
    names = list(dict.fromkeys(each.package for each in specs))
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")


def _system(specs: list[Spec]) -> str:
    """The one that most of the telling lines are of; "" for none."""
    counts = {system: len(_telling(specs, system)) for system in _OF_ONE_SYSTEM}
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] and list(counts.values()).count(counts[best]) == 1 else ""


def _telling(specs: list[Spec], system: str) -> list[str]:
    return [
        each.package
        for each in specs
        if each.package in _OF_ONE_SYSTEM[system]
        or any(of == system and hash_ in each.build for hash_, of in _BUILDS.items())
    ]


def _marks(specs: list[Spec], system: str) -> str:
    found = _telling(specs, system)[:2]
    return " and ".join(found) if len(found) > 1 else f"{found[0]}, for instance,"


_OF_WINDOWS = "powershell -Command \"(Get-Content environment.yml) -replace '^( *- [^=]+=[^=]+)=.*$','$1' | Set-Content environment-here.yml\""
"""Takes the builds alone; the command prompt has no sed."""


def exported_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no such list stands in the log."""
    said = [each for each in told.named("conda-no-solution") if _specs(each)]
    if not said:
        return ()
    specs = _specs(said[0])
    system = _system(specs)
    if not system and not any(each.build for each in specs):
        return _elsewhere(specs)
    foreign = [each.package for each in specs if system and each.package in _OF_ONE_SYSTEM[system]]
    without = f" | grep -vE '^ *- ({'|'.join(dict.fromkeys(foreign))})(=|$)'" if foreign else ""
    strip = f"sed -E -e '/^ *- ({'|'.join(_KEPT)})=/s/=[^=]+$//' -e '/^ *- ({'|'.join(_KEPT)})=/!s/^( *- [A-Za-z0-9_.-]+)=[^=].*$/\\1/' environment.yml{without} > environment-here.yml"
    return (
        Fix(
            "Take the builds out of the file, leave the releases to conda but for Python and TensorFlow, and create the environment from that",
            (
                _OF_WINDOWS if value_or(facts.host.os, "") == "windows" else strip,
                "conda env create --file environment-here.yml",
            ),
            "environment.yml stands for your file. Where one of the packages is still not found, delete its line: what TensorFlow needs comes by itself.",
        ),
        Fix(
            "On the machine where the environment is, write the file once more with what was asked for alone; that fits other systems",
            ("conda env export --from-history > environment.yml",),
            "Where the file is somebody else's, look for one for your system beside it (environment_linux.yml, requirements.txt).",
        ),
    )


_BY_PIP = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "keras",
    "tensorflow-probability",
    "tensorflow-hub",
    "tensorflow-addons",
)
"""Packages that pip has in all their releases, conda in a few."""


def _elsewhere(specs: list[Spec]) -> tuple[Fix, ...]:
    names = [each.package for each in specs]
    if names[0] in _BY_PIP and specs[0].release and len(specs) == 1:
        name, release = names[0], specs[0].release
        own = Fix(
            f"Let pip bring {name} {release}: take its line out of the file, create the environment, and install it there",
            ("conda env create --file environment.yml", f'python -m pip install "{name}=={release}"'),
            "environment.yml stands for your file. Between the two lines: conda activate, with the environment's name. The line can also stand under `- pip:` in the file, with == for the release.",
        )
        return (own, Fix("Or see which releases conda-forge has for this system", (f"conda search --override-channels --channel conda-forge {name}",)))  # fmt: skip
    look = Fix("See whether the largest channel has it for this system", (f"conda search --override-channels --channel conda-forge {names[0]}",), f"If it is there, add `- conda-forge` under channels in the file. If not, take the line with {names[0]} out of the file.")  # fmt: skip
    pip = Fix("Where it is a Python package, let pip bring it: move its line under `- pip:` at the end of the file, with == for the release")  # fmt: skip
    return (look, pip)
