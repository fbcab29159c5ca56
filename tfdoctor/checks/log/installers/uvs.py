"""What uv asks for in vain because it resolves for all systems at once; and the TensorFlow that a lock file names for others' systems alone."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_NOWHERE = "uv-nowhere"


def nowhere(told: Testimony, saying: Saying) -> Candidate | None:
    """None where uv does not name what there is no release of."""
    said = told.named(_NOWHERE)
    if not said or saying.name != "uv-no-solution":
        return None
    what, asker = _what(said[0]), _asker(said[0])
    if not asker:
        title = f"There is no {what} on the index, and what you ask for needs it."
        words = (
            "uv found no such release, so nothing was installed, and nothing of what is there was changed."
        )
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    title = f"{asker} asks for {what}, and there is no such release."
    words = f"uv looks for one set of releases for every system, also for those that you do not have. For one of them {asker} names {what}, which is not on the index. pip asks for this system's needs alone, and so does `uv pip`. Nothing was installed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


_RUN = ("uv-no-solution", "uv-conclusion")
_PROJECT = "uv-project-python"


def of_project(told: Testimony, saying: Saying) -> Candidate | None:
    """The Pythons of the project, or the one that runs, where uv names them as what excludes the rest; None elsewhere."""
    said = told.named(_PROJECT) if saying.name in _RUN else ()
    if not said:
        return None
    value, wanted = said[0].told["value"], said[0].told["wanted"].rstrip(",")
    if said[0].told["host"] == "current":
        title = f"What was asked for needs Python{wanted}, and uv uses Python {value}."
        words = "uv takes the newest Python that it finds, or the one of the environment. The packages are made for certain Pythons alone. Nothing was installed."
    else:
        title = f"The project says that it runs on Python {value}, and what it asks for needs Python{wanted}."
        words = "uv looks for releases for every Python that the project allows, not only the one that is used now. Of the oldest ones that it names, there is no such set. Nothing was installed."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(said[0]), place(saying)), words, title=title)  # fmt: skip


def project_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where uv did not name the Pythons as what stands in the way."""
    said = told.named(_PROJECT) if told.named(*_RUN) else ()
    if not said:
        return ()
    wanted = said[0].told["wanted"].rstrip(",")
    if said[0].told["host"] == "requested":
        return (Fix("Say in the project which Pythons it is for, and let uv look again", ("uv sync",), f'In pyproject.toml first: requires-python = "{wanted}" under project.'),)  # fmt: skip
    feature = ".".join(wanted.lstrip(">=~").split(",")[0].split(".")[:2])
    return (Fix(f"Make the environment with a newer Python: {feature}", (f"uv venv --python {feature}", "uv sync"), "In a project, uv python pin keeps it."),) if wanted.startswith((">", "~", "=")) else ()  # fmt: skip


def uv_fixes(told: Testimony) -> tuple[Fix, ...]:
    """The next step where uv's reasons are its own sentences alone; () where uv said nothing."""
    if not told.named(*_RUN):
        return ()
    return (
        Fix("Install for this system and this Python alone, in place of all that the project allows", ("uv pip install --requirement pyproject.toml",), "uv's last sentence names what excludes what: loosen that bound in pyproject.toml where this finds nothing, too."),
        Fix("Or say which systems the project is for, and let uv look again", ("uv sync",), "In pyproject.toml first, under tool.uv: environments = [\"sys_platform == 'linux'\"], with your own system."),
    )  # fmt: skip


def nowhere_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where uv did not name such a release."""
    said = told.named(_NOWHERE) if told.named("uv-no-solution") else []
    if not said:
        return ()
    package, asker, release = (said[0].told.get(each, "") for each in ("package", "asker", "version"))
    if not asker:
        return (Fix(f"Let uv choose the release of {package}", (f"uv add {package}",), "Take the version off its line in pyproject.toml first."),)  # fmt: skip
    return (
        Fix(
            f"Leave out {asker} {release}: uv takes a release whose needs are all there",
            (f'uv add "{asker}!={release}"',),
            f"In pyproject.toml, take {asker}=={release} off first where it stands there.",
        ),
        Fix(
            f"Or install {asker} {release} for this system alone",
            (f"uv pip install {asker}=={release}",),
            "In a project: environments = [\"sys_platform == 'linux'\"] under tool.uv in pyproject.toml, with your own system, then uv lock.",
        ),
    )


def _what(said: Saying) -> str:
    wanted = said.told.get("wanted", "").rstrip(",")
    return f"{said.told['package']} {wanted.removeprefix('==')}".strip()


def _asker(said: Saying) -> str:
    return f"{said.told['asker']} {said.told['version']}" if "asker" in said.told else ""


def for_apple(told: Testimony) -> tuple[Fix, ...]:
    """A TensorFlow with a file for Apple's processors, where uv took one without; () elsewhere."""
    hint = told.named("uv-platform-hint")
    if not hint or not hint[0].told["value"].endswith("arm64") or "arm64" in hint[0].told["message"]:
        return ()
    if not hint[0].told["value"].startswith("macosx"):
        return ()
    return (
        Fix(
            "Ask for a TensorFlow that has a file for Apple's processors: 2.13 and newer",
            ('uv add "tensorflow>=2.13"',),
            "Another package asks for TensorFlow without a bound, so uv went back to an old release. Where uv then finds no set of releases, take a newer release of that package.",
        ),
    )
