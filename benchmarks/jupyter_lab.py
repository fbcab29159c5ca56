"""How soon a death is named in JupyterLab: the report, and the words in the cell as a browser shows them.

    make bench-jupyter-lab

Real kernels in a real JupyterLab in headless Chromium; what can't die here (no memory cgroup to write to) is left out.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

import nbformat
from playwright.sync_api import Page, sync_playwright

from tests.real.kernel_deaths import DEATHS, DIES_AT, Death, can_die_here, kernelspecs
from tools.build.screenshots import WORDS, run, server

TURNS, LIMIT_MS = 2, 60_000
RESTARTS = ".jp-Dialog .jp-mod-accept"
"""JupyterLab's own word that the kernel died and restarts."""


def main() -> None:
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {time.strftime('%Y-%m-%d %H:%M')}"
    )
    chosen = {name: death for name, death in DEATHS.items() if can_die_here(name)}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        os.environ["JUPYTER_PATH"] = folder
        with kernelspecs(home, *(death.kernel for death in chosen.values())), server(home) as url:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            for turn in range(TURNS):
                for at, (name, death) in enumerate(chosen.items()):
                    page = browser.new_page()
                    print(f"{name}: {died(page, home, url, f'{turn}-{at}', death)}")
                    page.close()
            browser.close()


def died(page: Page, home: Path, url: str, name: str, death: Death) -> str:
    """Seconds from the death to the report, to the words in the cell, and to JupyterLab's word that the kernel restarts."""
    marked = home / f"{name}.died"
    cells = ["print('before')", death.cell(DIES_AT.replace("{died}", str(marked)))]
    kernel = {"kernelspec": {"name": death.kernel, "display_name": death.kernel}}
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=kernel
    )
    nbformat.write(book, home / f"{name}.ipynb")
    reports = set((home / "reports").glob("*.json"))
    page.goto(f"{url}/lab/tree/{name}.ipynb?token=screenshots&reset")
    run(page, len(cells))
    words_at = time.time()
    page.wait_for_selector(RESTARTS, timeout=LIMIT_MS)
    restarts_at, died_at = time.time(), float(marked.read_text())
    (path,) = set((home / "reports").glob("*.json")) - reports
    outcome = json.loads(path.read_text())["outcome"]
    there = page.locator(".jp-Notebook .jp-CodeCell").nth(len(cells) - 1).locator(WORDS).count()
    return (
        f"{outcome}, words in the cell {there == 1}; report {path.stat().st_ctime - died_at:.2f} s, "
        f"words {words_at - died_at:.2f} s, restarts {restarts_at - died_at:.2f} s"
    )


if __name__ == "__main__":
    main()
