"""What watching kernels costs a server, and what it adds to a death: with tfdoctor's provisioner and without, in turns.

    make bench-jupyter

Everything is real: kernels of ipykernel under nbclient and under Jupyter's own server, on this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.real.environments import with_jupyter
from tests.real.kernel_deaths import DEATHS, DIES_AT, TENSORFLOW, can_die_here, kernelspecs

TURNS, RESTARTS, KERNELS, IDLE_S, FAILED_CHECKS, EACH_DEATH = 7, 4, 20, 60.0, 8, 5
PROVISIONERS = {"without": "local-provisioner", "with": "tfdoctor"}
HERE = Path(__file__).parents[1] / "tests" / "real"


@contextlib.contextmanager
def place() -> Iterator[tuple[Path, dict[str, str]]]:
    """A home that holds nothing, and the environment that names it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        yield home, {
            **os.environ, "HOME": folder, "IPYTHONDIR": f"{home}/ipython", "JUPYTER_RUNTIME_DIR": f"{home}/runtime",
            "JUPYTER_PREFER_ENV_PATH": "1", "TFDOCTOR_REPORT_DIR": f"{home}/reports", "JUPYTER_PATH": folder,
        }  # fmt: skip


def answer(program: str, *arguments: str, environ: dict[str, str], provisioner: str) -> Any:
    """What a program of tests/real says of one run."""
    done = subprocess.run(
        [str(with_jupyter()), str(HERE / program), *arguments],
        capture_output=True, text=True, check=False, env={**environ, "JUPYTER_DEFAULT_PROVISIONER_NAME": provisioner},
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def told(found: dict[str, list[float]], what: str) -> None:
    words = ", ".join(
        f"{name} {statistics.median(each):.2f} s ({min(each):.2f} to {max(each):.2f})"
        for name, each in found.items()
    )
    print(
        f"{what}: {words}; {statistics.median(found['with']) - statistics.median(found['without']):+.2f} s"
    )


def nbclient() -> None:
    """From the death to nbclient's DeadKernelError, and a whole notebook that dies."""
    after: dict[str, list[float]] = {name: [] for name in PROVISIONERS}
    whole: dict[str, list[float]] = {name: [] for name in PROVISIONERS}
    raised = set()
    with place() as (home, environ):
        for _ in range(TURNS):
            for name, provisioner in PROVISIONERS.items():
                cell = f"{DIES_AT.replace('{died}', f'{home}/died')}; os.kill(os.getpid(), 9)"
                seen = answer(
                    "notebook_program.py", "python3", cell, environ=environ, provisioner=provisioner
                )
                after[name].append(seen["at"] - float((home / "died").read_text()))
                whole[name].append(seen["took_s"])
                raised.add(seen["raised"])
    told(after, f"nbclient, from SIGKILL to {raised}, {TURNS} turns")
    told(whole, "the whole notebook")


def restarts() -> None:
    """From the death to the words and to the restarted kernel's first answer, in Jupyter's server."""
    back: dict[str, list[float]] = {name: [] for name in PROVISIONERS}
    words: list[float] = []
    cells = [f"python3={DIES_AT}; os.kill(os.getpid(), 11)", f"python3={DIES_AT}; os._exit(3)"] * (
        RESTARTS // 2
    )
    with place() as (_, environ):
        for _ in range(2):
            for name, provisioner in PROVISIONERS.items():
                seen = answer(
                    "server_program.py", "deaths", *cells, environ=environ, provisioner=provisioner
                )
                back[name] += [each["after_s"]["ended"] for each in seen]
                words += [each["after_s"]["words"] for each in seen if each["outputs"]]
    told(
        back,
        f"Jupyter's server, from the death to its word that it restarts, {2 * RESTARTS} deaths each",
    )
    print(
        f"the words stand in the cell {statistics.median(words):.2f} s after the death ({min(words):.2f} to {max(words):.2f})"
    )


def idle() -> None:
    """Twenty idle kernels: the server's own processor time and memory, after twenty seconds of rest."""
    found = {}
    with place() as (_, environ):
        for name, provisioner in PROVISIONERS.items():
            found[name] = answer(
                "server_program.py",
                "idle",
                str(KERNELS),
                str(IDLE_S),
                environ=environ,
                provisioner=provisioner,
            )
            cpu = 100 * found[name]["cpu_s"] / IDLE_S
            print(
                f"{KERNELS} idle kernels, {name}: {cpu:.2f} % of a core, {found[name]['Rss'] / 1e6:.1f} MB resident"
            )
    more = {
        key: (found["with"][key] - found["without"][key]) / 1e6
        for key in ("Rss", "Pss", "Anonymous")
    }
    cpu = 100 * (found["with"]["cpu_s"] - found["without"]["cpu_s"]) / IDLE_S
    print(
        f"with watching: {cpu:+.2f} % of a core, "
        + ", ".join(f"{key} {value:+.1f} MB" for key, value in more.items())
    )
    print(f"threads: {len(found['with']['threads'])}, without {len(found['without']['threads'])}")


def check_failed() -> None:
    """A real TensorFlow that aborts on a failed check of its own: how often its line is in the report."""
    outcomes: list[str] = []
    death = DEATHS["failed check"]
    with place() as (home, environ), kernelspecs(home, TENSORFLOW):
        for _ in range(FAILED_CHECKS):
            cells = (death.before, f"import time; time.sleep(.5)\n{death.dies}")
            answer(
                "notebook_program.py", TENSORFLOW, *cells, environ=environ, provisioner="tfdoctor"
            )
            outcomes += [
                json.loads(each.read_text())["outcome"]
                for each in (home / "reports").glob("*.json")
            ]
            shutil.rmtree(home / "reports")
    print("abort with a failed check of TensorFlow 2.21.0: " + ", ".join(sorted(outcomes)))


def deaths() -> None:
    """Each death in Jupyter's server, one after the other: seconds from the death to its report, to the words, to the
    server's word that the kernel restarts, and to the restarted kernel's first answer."""
    chosen = {name: death for name, death in DEATHS.items() if can_die_here(name)}
    cells = [f"{death.kernel}={death.cell(DIES_AT)}" for death in chosen.values()] * EACH_DEATH
    with (
        place() as (home, environ),
        kernelspecs(home, *(death.kernel for death in chosen.values())),
    ):
        seen = answer(
            "server_program.py", "deaths", *cells, environ=environ, provisioner="tfdoctor"
        )
        reports = {}
        for path in (home / "reports").glob("*.json"):
            report = json.loads(path.read_text())
            reports[report["kernel_id"]] = (report["outcome"], path.stat().st_ctime)
    for at, (name, death) in enumerate(chosen.items()):
        mine = seen[at :: len(chosen)]
        told = [reports[each["kernel"]] for each in mine]
        named = sum(outcome == death.outcome for outcome, _ in told)
        after = {
            "report": [at_s - each["died_at"] for each, (_, at_s) in zip(mine, told, strict=True)]
        }
        for what in ("words", "ended", "answered"):
            after[what] = [each["after_s"][what] for each in mine]
        spans = ", ".join(
            f"{what} {statistics.median(each):.2f} s ({min(each):.2f} to {max(each):.2f})"
            for what, each in after.items()
        )
        print(f"{name}: {death.outcome} in {named} of {len(mine)}; {spans}")


PARTS = {
    "nbclient": nbclient,
    "restarts": restarts,
    "idle": idle,
    "check-failed": check_failed,
    "deaths": deaths,
}


def main() -> None:
    """All parts, or those that are named."""
    for name in sys.argv[1:] or PARTS:
        print(
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {time.strftime('%Y-%m-%d %H:%M')}"
        )
        PARTS[name]()


if __name__ == "__main__":
    main()
