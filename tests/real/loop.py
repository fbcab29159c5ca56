"""The closed loop: a broken environment, `tfdoctor fix --all --yes`, whether it is healthy, and `--undo` to the byte."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.outcomes import outcomes
from tests.real.command import check, doctor
from tests.real.stories import Story, broken, run
from tests.unit.apps.repair.standin import picture

FIX_S = 1200


@dataclass(frozen=True)
class Loop:
    """What came of one story. `kept`: what was fixed; `left`: what is still found; `verdicts`: before and after; `undone`: whether all
    is as before once every fix is undone; `program`: what the user's own program says at the end.

    `fetched`: megabytes of the wheels, at most, as far as uv tells. `seconds`: of the whole fix, and of its parts by name; `because`: the last words where it is not healthy.
    """

    name: str
    symptom: str
    kept: tuple[str, ...]
    left: tuple[str, ...]
    verdicts: tuple[str, str]
    status: int
    program: str
    because: str
    undone: bool
    seconds: dict[str, float]
    megabytes: float
    fetched: float
    installer: str

    @property
    def is_right(self) -> bool:
        """Either helped to the end, or nobody is worse off; and in each case all can be undone."""
        return self.undone and (self.verdicts[1] == "healthy" or bool(self.because))


def looped(story: Story, folder: Path, *, by_pip: bool = False) -> Loop:
    """The fix's own checks count where it ends well; else the environment is checked once more."""
    python, env = broken(story, folder, of_a_kept=True)
    symptom = run(python, story.program, env, folder)
    root, was = python.parent.parent, picture(python.parent.parent)
    env = _for_fix(env, folder, by_pip=by_pip)
    started = time.monotonic()
    done = doctor(
        "fix", "--python", python, "--all", "--yes", "-o", folder / "said.txt", env=env, cwd=folder, limit_s=FIX_S, path=env["PATH"]
    )  # fmt: skip
    took = time.monotonic() - started
    said = (
        " ".join((folder / "said.txt").read_text().split())
        if (folder / "said.txt").exists()
        else done.stderr
    )
    entries, parts = _journals(folder / "state")
    kept = [each for each in entries if each["state"] == "kept"]
    found: tuple[str, ...] = ()
    after = "healthy"
    if done.status != 0:
        checked = check(python, env=env, cwd=folder)
        found, after = tuple(checked.roots), checked.report["verdict"]
    before = entries[0]["before"]["verdict"] if entries else after
    works = run(python, story.program, env, folder) if kept else symptom
    undone = all(
        doctor("fix", "--undo", each["id"], env=env, cwd=folder, path=env["PATH"]).status == 0 for each in reversed(kept)
    )  # fmt: skip
    undone = undone and picture(root) == was and not (folder / ".environment.tfdoctor").exists()
    return Loop(
        story.name, symptom, tuple(each["code"] for each in kept), found, (before, after), done.status, works,
        "" if after == "healthy" else said[-600:], undone, {"all": round(took, 1), **parts},
        round(sum(each["kept_bytes"] for each in kept) / 1e6, 1),
        round(sum(one.get("size", 0) for each in kept for one in each["packages"]) / 1e6, 1),
        "pip" if by_pip else "uv",
    )  # fmt: skip


def _for_fix(env: dict[str, str], folder: Path, *, by_pip: bool) -> dict[str, str]:
    """A user's who has told pip of no index; uv is found unless pip has to do it."""
    left_out = (
        "PIP_FIND_LINKS",
        "PIP_CONFIG_FILE",
        "PIP_INDEX_URL",
        "PIP_EXTRA_INDEX_URL",
        "PIP_NO_INDEX",
    )
    caches = {
        f"{name.upper()}_CACHE_DIR": os.environ.get(
            f"{name.upper()}_CACHE_DIR", str(Path.home() / ".cache" / name)
        )
        for name in ("uv", "pip")
    }
    path = "/usr/sbin:/usr/bin:/sbin:/bin" if by_pip else env["PATH"]
    kept = {name: value for name, value in env.items() if name not in left_out}
    home = folder / "home-of-the-user"
    home.mkdir(exist_ok=True)
    return {
        **kept,
        **caches,
        "PATH": path,
        "HOME": str(home),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def _journals(state: Path) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """The last line of each fix in their order, and the seconds between the steps of all of them."""
    entries: list[dict[str, Any]] = []
    parts: dict[str, float] = {}
    for path in sorted(
        (state / "tfdoctor" / "fixes").glob("*.journal"), key=lambda each: int(each.stem)
    ):
        lines = [json.loads(line) for line in path.read_text().split("\n") if line]
        entries += lines[-1:]
        for one, other in pairwise(lines):
            name = f"to {other['state']}"
            parts[name] = parts.get(name, 0.0) + (_moment(other) - _moment(one))
    return entries, parts


def _moment(entry: dict[str, Any]) -> float:
    return datetime.fromisoformat(entry["at"].replace("Z", "+00:00")).timestamp()


def summary(file: Path) -> str:
    """The rows of docs/results/fix.md: each kind with how many came to healthy, and why not; then the median of what it took."""
    every = [each for each in outcomes(file) if "failed" not in each]
    failed = [f"{each['name']}: {each['failed']}" for each in outcomes(file) if "failed" in each]
    broken_ones = [each for each in every if each["symptom"] or each["verdicts"][0] != "healthy"]
    lines = ["| broken how | environments | healthy | why not |", "| --- | --- | --- | --- |"]
    for kind in sorted({_kind(each) for each in broken_ones}):
        those = [each for each in broken_ones if _kind(each) == kind]
        left = [each for each in those if not _is_healed(each)]
        reasons = "; ".join(dict.fromkeys(_reason(each) for each in left))
        lines.append(f"| {kind} | {len(those)} | {len(those) - len(left)} | {reasons} |")
    healed = [each for each in broken_ones if _is_healed(each)]
    seconds, megabytes = ([each[name] for each in healed] for name in ("seconds", "megabytes"))
    whole = statistics.median(each["all"] for each in seconds)
    parts = {
        name: statistics.median(each.get(name, 0.0) for each in seconds)
        for name in ("to cloned", "to applied", "to checked", "to kept")
    }
    fetched = [each["fetched"] for each in healed if each.get("fetched")] or [0.0]
    undone = sum(each["undone"] for each in every)
    programs = sum(not each["program"] for each in healed)
    return "\n".join((
        *lines, "", f"{len(every)} environments, {len(broken_ones)} broken; {len(healed)} brought to healthy, {programs} with the program that failed; {undone} exact at the end",
        f"median {whole:.0f} s, {statistics.median(megabytes):.0f} MB kept, {statistics.median(fetched):.1f} MB fetched, {parts}",
        *failed,
    ))  # fmt: skip


def _is_healed(outcome: dict[str, Any]) -> bool:
    return outcome["verdicts"][1] == "healthy" and bool(outcome["kept"])


def _reason(outcome: dict[str, Any]) -> str:
    """What is still found, with what was said of it; or what the user's program says where nothing is."""
    if not outcome["left"]:
        return f"nothing is found: {outcome['symptom'][:80]}"
    unsure = (
        ": the cause is likely, not confirmed"
        if "this cause is not certain" in outcome["because"]
        else ""
    )
    return f"{', '.join(outcome['left'])}{unsure}"


def _kind(outcome: dict[str, Any]) -> str:
    kinds = str(outcome["name"]).partition("/")[0]
    return "two at a time" if "+" in kinds else kinds


if __name__ == "__main__":
    sys.stdout.write(f"{summary(Path(sys.argv[1]))}\n")
