"""Whether what starts often has become slower or takes more memory: the import, the static check, a log, the health check, beside
those of another commit.

    python -m benchmarks.starts [COMMIT] [PYTHON]

Without arguments the commit before this one, and the interpreter that runs this. Both are run in turn in one environment, each
first in every second turn; what counts is the median of the ratios. Nothing else should be at work on the machine: the load is told.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import PYTHON, in_turn, table

HERE = Path(__file__).parents[1]
RUNS, BUDGET_S = 41, 240.0
LOG = "E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:265] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"


def main() -> None:
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD~1"
    examined = sys.argv[2] if len(sys.argv) > 2 else PYTHON
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        _git("worktree", "add", "--quiet", "--detach", str(before), commit)
        try:
            log = Path(folder) / "training.log"
            log.write_text(LOG, encoding="utf-8")
            _compare(before, commit, examined, log)
        finally:
            _git("worktree", "remove", "--force", str(before))


def _compare(before: Path, commit: str, examined: str, log: Path) -> None:
    for checkout in (before, HERE):
        subprocess.run(
            [PYTHON, "-m", "tools.build.knowledge"], cwd=checkout, check=True, capture_output=True
        )
        subprocess.run([PYTHON, "-m", "compileall", "-q", "tfdoctor"], cwd=checkout, check=True)
    started = (
        ["check", "--json", "--smoke", "none", "--python", examined],
        ["diagnose", str(log)],
        ["healthcheck"],
    )
    imports = ("import tfdoctor", "import tfdoctor.apps.api")
    for title, program in (
        *zip(imports, imports, strict=True),
        *(
            (
                f"tfdoctor {words[0]}",
                f"sys.argv = {['tfdoctor', *words]!r}; from tfdoctor.apps.cli.entry import main; main()",
            )
            for words in started
        ),
    ):
        commands = {
            name: [PYTHON, "-c", f"import sys; sys.path.insert(0, {str(checkout)!r}); {program}"]
            for name, checkout in ((commit, before), ("here", HERE))
        }
        load = os.getloadavg()[0]
        samples = in_turn(commands, RUNS, budget_s=BUDGET_S)
        print(
            f"{title} (load {load:.1f}, then {os.getloadavg()[0]:.1f}; {len(samples['here'])} turns)"
        )
        print(table(samples, commit))


def _git(*words: str) -> None:
    subprocess.run(["git", "-C", str(HERE), *words], check=True)


if __name__ == "__main__":
    main()
