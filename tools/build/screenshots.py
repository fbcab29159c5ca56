"""Pictures of a kernel's last word: real kernels that die in JupyterLab and in Notebook, light and dark.

    make screenshots

Needs Debian's chromium. A picture is kept only where the words stand in the cell that ran and nothing is wider than its place.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
CLIENTS = {"lab": "lab/tree", "notebook": "notebooks"}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
BOOK = (
    "import ctypes\nweights = list(range(8))\nprint(len(weights), 'weights loaded')",
    "# a native library that reads what is not there\nctypes.string_at(0)",
)
WIDTH, HEIGHT = 1000, 700
WORDS = "div[aria-label=tfdoctor]"
TOO_WIDE = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
PLACES = ".jp-Notebook .jp-OutputArea-output, .jp-Notebook .jp-OutputArea-output pre, .jp-Notebook .jp-OutputArea-output div"
_MOST_BYTES = 120_000
_LIMIT_MS = 60_000
_TOKEN = "screenshots"  # noqa: S105  # of a server that lives for a minute, on this machine alone


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("screenshots need Chromium: apt-get install chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        with server(home) as url:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for client in CLIENTS:
                for theme in THEMES:
                    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                    picture(page, home, url, client, theme)
                    page.close()
            browser.close()


@contextmanager
def server(home: Path) -> Iterator[str]:
    """Jupyter with tfdoctor's provisioner, in a home of its own. Its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {
        **os.environ, "HOME": str(home), "JUPYTER_PREFER_ENV_PATH": "1", "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"), "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_DEFAULT_PROVISIONER_NAME": "tfdoctor", "TFDOCTOR_REPORT_DIR": str(home / "reports"),
    }  # fmt: skip
    words = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
        f"--IdentityProvider.token={_TOKEN}", f"--ServerApp.root_dir={home}", "--LabApp.news_url=None",
    ]  # fmt: skip
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(words, env=environ, stdout=log, stderr=log, cwd=home)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, home / "log")
            yield url
        finally:
            process.terminate()
            process.wait()


def _wait_for(url: str, log: Path) -> None:
    until = time.monotonic() + _LIMIT_MS / 1000
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/api?token={_TOKEN}", timeout=5):  # noqa: S310  # http, as it stands above
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"Jupyter did not start:\n{log.read_text()}")


def picture(page: Page, home: Path, url: str, client: str, theme: str) -> None:
    """One notebook in one client, run until its kernel has died."""
    _choose_theme(home, theme)
    name = f"{client}-{theme}.ipynb"
    cells = [nbformat.v4.new_code_cell(cell) for cell in BOOK]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), home / name)
    page.goto(f"{url}/{CLIENTS[client]}/{name}?token={_TOKEN}&reset")
    run(page, len(BOOK))
    tidy(page, client)
    place = page.locator(".jp-Notebook .jp-CodeCell").nth(len(BOOK) - 1).locator(WORDS)
    if place.count() != 1:
        raise SystemExit(f"{name}: the words don't stand in the cell that ran")
    if page.eval_on_selector_all(PLACES, TOO_WIDE):
        raise SystemExit(f"{name}: something is wider than its place")
    keep(page.screenshot(), PICTURES / f"jupyter-{client}-{theme}.png")


def run(page: Page, cells: int) -> None:
    """All cells in turn; each has ended, or has the words."""
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click(timeout=_LIMIT_MS)
    page.wait_for_selector(
        ".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=_LIMIT_MS, state="attached"
    )
    for _ in range(cells):
        page.wait_for_timeout(1000)
        page.keyboard.press("Shift+Enter")
    page.wait_for_selector(WORDS, timeout=_LIMIT_MS)


def tidy(page: Page, client: str) -> None:
    """The notebook from its top, without Jupyter's own "The kernel appears to have died" above it and files beside it."""
    page.locator(".jp-Dialog .jp-mod-accept").click(timeout=_LIMIT_MS)
    if client == "lab":
        page.keyboard.press("Control+b")
    page.locator(".jp-Notebook .jp-CodeCell").first.scroll_into_view_if_needed()
    page.wait_for_timeout(500)


def _choose_theme(home: Path, theme: str) -> None:
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": THEMES[theme]}))
    (settings / "notification.jupyterlab-settings").write_text(json.dumps({"fetchNews": "false"}))


def keep(data: bytes, path: Path) -> None:
    """With 256 colours, as small as it gets."""
    image = Image.open(io.BytesIO(data)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    if path.stat().st_size > _MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size} bytes")
    print(f"{path.name}: {path.stat().st_size} bytes")  # noqa: T201  # says what it made


if __name__ == "__main__":
    main()
