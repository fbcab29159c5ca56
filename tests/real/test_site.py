"""The pages that run tfdoctor in a browser, in Debian's Chromium: `make site-tests`."""

from __future__ import annotations

import gzip
import importlib
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.public.test_logs import NAMES, log_of
from web.answers import answer

ROOT = Path(__file__).parents[2]
MACHINES = ROOT / "tests" / "machines"
SOON_MS = 60_000
CHROMIUM = shutil.which("chromium")

pytestmark = [pytest.mark.real, pytest.mark.nightly]


class Host(SimpleHTTPRequestHandler):
    """Keeps what was asked for; answers from everywhere are welcome."""

    asked: list[str]

    def log_message(self, *given: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]  # see `hosted`
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


def hosted(folder: Path) -> tuple[str, list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    server.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if (
        CHROMIUM is None
        or shutil.which("node") is None
        or not (ROOT / "web" / "node_modules" / "pyodide").is_dir()
    ):
        pytest.skip("chromium, node and web/node_modules are needed: make site-tests")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "web.build", folder], cwd=ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None or not (ROOT / "web" / "node_modules" / "axe-core").is_dir():
        pytest.skip("chromium and web/node_modules are needed: make site-tests")
    try:
        sync = importlib.import_module("playwright.sync_api")
    except ImportError:
        pytest.skip("playwright is needed: make site-tests")
    with sync.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Site:
    """One visitor. `said`: what the console held; a dialog fails the test."""

    def __init__(self, browser: Any, folder: Path, **options: Any) -> None:
        self.base, self.asked = hosted(folder)
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.base)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(f"a dialog: {dialog.message}"))

    def open(self, name: str) -> Any:
        self.page.goto(f"{self.base}/app/{name}.html")
        return self.page

    def wait(self, begun: float = 0.0) -> float:
        """Until there is an answer or a problem; the seconds since `begun`."""
        self.page.locator("#form:not([aria-busy])").wait_for(timeout=SOON_MS)
        return time.monotonic() - begun

    def explain(self, log: Path) -> float:
        """The seconds until a log's answer is there: an answer of before has said that it was done, too."""
        self.page.evaluate("document.getElementById('status').textContent = ''")
        begun = time.monotonic()
        self.page.set_input_files("#file", log)
        self.page.locator("#status", has_text="Done.").wait_for(timeout=SOON_MS)
        return time.monotonic() - begun

    def document(self) -> dict[str, Any]:
        with self.page.expect_download() as download:
            self.page.click("#save-json")
        told: dict[str, Any] = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
        return told

    def heading(self) -> str:
        return str(self.page.frame_locator("#frame").locator("h1").inner_text())

    def problems(self) -> list[str]:
        """What axe-core finds, the frame apart, which it can't enter."""
        self.page.evaluate(
            (ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
        )
        found = self.page.evaluate("axe.run(document, {iframes: false})")
        return [f"{each['id']}: {each['nodes'][0]['html'][:100]}" for each in found["violations"]]


@pytest.fixture
def site(browser: Any, built: Path) -> Iterator[Site]:
    visitor = Site(browser, built)
    yield visitor
    visitor.context.close()
    assert [each for each in visitor.said if "Security Policy" in each or "dialog" in each] == []


def command(*words: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words], cwd=folder, capture_output=True, text=True
    ).stdout


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in document.items() if key not in ("generated_at", "duration_s")
    }


def here(question: dict[str, Any]) -> dict[str, Any]:
    """The document that this Python answers, of nobody's machine as in a browser."""
    told: dict[str, Any] = json.loads(
        json.loads(answer(json.dumps(question), lambda read: None))["json"]
    )
    return told


def codes(document: dict[str, Any]) -> list[str]:
    """Titles may name this machine's own user, whom a browser does not know."""
    return [
        each["code"] for each in document["diagnoses" if "diagnoses" in document else "findings"]
    ]


def test_twenty_logs_get_the_answers_of_the_command_line(site: Site, tmp_path: Path) -> None:
    page = site.open("log")
    times: list[float] = []
    for name in list(NAMES)[:: len(NAMES) // 20 or 1]:
        log = tmp_path / f"{name}.log"
        log.write_bytes(
            text.encode("utf-8", "surrogateescape")
            if isinstance(text := log_of(name), str)
            else text
        )
        times.append(site.explain(log))
        assert page.inner_text("#problem") == ""
        told = site.document()
        assert told == here({"what": "log", "logs": [[log.name, str(log)]]}), name
        assert codes(told) == codes(
            json.loads(command("diagnose", "--json", log.name, folder=tmp_path))
        ), name
    took = f"first answer {times[0]:.1f} s, the next {sorted(times[1:])[len(times) // 2]:.2f} s"
    print(took)  # noqa: T201  # a figure, not a limit: the machine may be busy


def test_an_answer_is_in_view_its_commands_can_be_copied_and_its_code_leads_to_its_page(
    site: Site,
) -> None:
    page = site.open("log")
    page.set_viewport_size({"width": 390, "height": 700})
    page.click("#example")
    site.wait()
    frame = page.frame_locator("#frame")
    frame.locator("a[href$='codes/cuda-libraries-missing.html']").wait_for()
    assert page.evaluate("document.getElementById('answer').getBoundingClientRect().top") < 100
    command = frame.locator("code[data-copy]").first.inner_text()
    frame.locator(".command button").first.click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == command
    assert site.problems() == []


def test_every_kept_log_gets_the_same_document_under_node(built: Path, tmp_path: Path) -> None:
    """`make web-corpus` runs this alone."""
    logs, answers = tmp_path / "logs", tmp_path / "answers"
    logs.mkdir()
    answers.mkdir()
    for name in NAMES:
        text = log_of(name)
        (logs / f"{name}.log").write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)  # fmt: skip
    program = (
        "node",
        ROOT / "web" / "corpus.mjs",
        next((built / "app").rglob("tfdoctor.zip")),
        logs,
        answers,
    )
    subprocess.run(program, check=True, capture_output=True, timeout=540)
    other = []
    for log in sorted(logs.iterdir()):
        told = json.loads((answers / f"{log.name}.json").read_text(encoding="utf-8"))
        if told != here({"what": "log", "logs": [[log.name, str(log)]]}):
            other.append(log.stem)
    print(f"{len(list(NAMES))} logs under node")  # noqa: T201  # a figure
    assert other == []


def test_a_long_training_log_is_read_in_seconds(site: Site, tmp_path: Path) -> None:
    """50 MB as Keras writes them, with the cause of the death in its last lines."""
    log = tmp_path / "training.log"
    bar = "".join(
        f"\r{step}/938 [{'=' * (step * 29 // 938)}>{'.' * (29 - step * 29 // 938)}] - ETA: 2s - loss: 0.3521 - accuracy: 0.9012"
        for step in range(1, 939)
    )
    epoch = f"Epoch 7/400\n{bar}\n938/938 [==============================] - 3s 3ms/step - loss: 0.3521 - accuracy: 0.9012\n"
    with log.open("w") as file:
        while file.tell() < 50_000_000:
            file.write(epoch)
        file.write("tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,1024,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n")  # fmt: skip
    site.open("log")
    took = site.explain(log)
    assert codes(site.document()) == ["gpu-out-of-memory"]
    print(f"{log.stat().st_size / 1e6:.0f} MB in {took:.1f} s")  # noqa: T201  # a figure, not a limit


def test_an_example_is_explained_by_the_keyboard_alone_and_the_frame_has_its_style(
    site: Site,
) -> None:
    page = site.open("log")
    page.focus("#log")
    page.keyboard.type("Could not load dynamic library 'libcudart.so.11.0'")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert site.heading()
    header = page.frame_locator("#frame").locator("header")
    assert header.evaluate("each => getComputedStyle(each).borderLeftWidth") == "6px"
    page.click("#copy-markdown")
    page.locator("#status", has_text="Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("## tfdoctor diagnose")


def test_nothing_leaves_the_site(site: Site, built: Path) -> None:
    other, hits = hosted(built)
    page = site.open("log")
    page.click("#example")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    before = len(site.asked)
    page.fill("#log", "Killed\n")
    page.click("button.main")
    page.wait_for_timeout(100)
    site.wait()
    assert len(site.asked) == before, "after loading nothing more is asked for"
    for place in (page, page.workers[0]):
        assert (
            place.evaluate(f"fetch('{other}/index.html').then(() => 'answered', () => 'refused')")
            == "refused"
        )
    assert hits == []
    site.said.clear()  # both refusals are there


def test_a_log_packed_with_zstd_is_read(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "log.zst"
    log.write_bytes(zstandard.compress(b"Killed\n"))
    page = site.open("log")
    page.set_input_files("#file", log)
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert site.document()["input"]["files"][0]["kind"] == "zstd"
    assert site.document()["input"]["bytes"] == 7


def test_a_hostile_log_is_only_text(site: Site) -> None:
    page = site.open("log")
    page.fill(
        "#log",
        "ValueError: </script><script>alert(1)</script><img src=x onerror=alert(2)> \u202eabc \x1b[31m\nKilled",
    )
    page.click("button.main")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert page.frame_locator("#frame").locator("script, img").count() == 0


def test_a_long_log_shows_how_far_it_is_and_can_be_stopped(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "new lines.log"
    with log.open("w") as file:
        for number in range(900_000):
            file.write(
                f"{number:x} something {number * 7919 % 1000003:x} that no line before it said\n"
            )
    page = site.open("log")
    page.set_input_files("#file", log)
    page.locator("#status", has_text="Reading: ").wait_for(timeout=SOON_MS)
    assert page.locator("#progress").is_visible()
    page.click("#stop")
    site.wait()
    assert "Stopped" in page.inner_text("#problem")
    page.fill("#log", "x") if page.locator("#log:not([readonly])").count() else page.click(
        "button[type=reset]"
    )
    page.wait_for_timeout(50)
    page.fill("#log", "Killed\n")
    page.click("button.main")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert site.heading()


@pytest.mark.parametrize(
    "machine",
    [
        {"gpu": "RTX 3090", "driver": "535.104.05", "python": "3.11"},
        {"gpu": "T4", "driver": "470.57.02", "python": "3.10"},
        {"gpu": "none", "python": "3.11", "tensorflow": "2.16.*"},
        {"gpu": "RTX 3090", "driver": "580.95.05", "python": "3.11", "with": "torch"},
    ],
)
def test_a_plan_is_that_of_the_command_line_and_its_link_holds_the_choices(
    site: Site, machine: dict[str, str], tmp_path: Path
) -> None:
    page = site.open("plan")
    for name, value in machine.items():
        field = page.locator(f"[name={name}]")
        field.select_option(value) if name == "python" else field.fill(value)
    page.click("button.main")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    shown = page.locator("#plan pre").first.inner_text()
    words = [word for name, value in machine.items() for word in (f"--{name}", value)]
    told = command("plan", "--os", "linux", "--format", "commands", *words, folder=tmp_path)
    # A Python that this machine lacks.
    assert shown.strip() == told.strip() or "uv python install" in told
    page.click("#link")
    page.locator("#status", has_text="link").wait_for()
    link = page.evaluate("location.href")
    assert all(value.replace(" ", "+") in link for value in machine.values())
    page.goto("about:blank")
    page.goto(link)
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert page.locator("#plan pre").first.inner_text() == shown


def test_a_gpu_that_nobody_knows_is_said_at_its_field(site: Site) -> None:
    page = site.open("plan")
    page.fill("[name=gpu]", "GTX 1O80")
    page.click("button.main")
    page.locator("#problem:not(:empty)").wait_for(timeout=SOON_MS)
    assert "GTX 1080" in page.inner_text("#problem")
    assert page.get_attribute("[name=gpu]", "aria-invalid") == "true"


def test_reports_are_opened_and_compared_as_by_the_command_line(site: Site, tmp_path: Path) -> None:
    for name in ("healthy-gpu", "driver-too-old"):
        shutil.copy(MACHINES / name / "report.json", tmp_path / f"{name}.json")
    page = site.open("report")
    page.set_input_files("#file", tmp_path / "driver-too-old.json")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    told = json.loads(command("check", "--json", "--facts", "driver-too-old.json", folder=tmp_path))
    shown = site.document()
    assert codes(shown) == codes(told)
    file = str(tmp_path / "driver-too-old.json")
    assert without_times(shown) == without_times(
        here({"what": "report", "report": ["driver-too-old.json", file]})
    )
    page = site.open("compare")
    page.set_input_files("#a", tmp_path / "healthy-gpu.json")
    page.set_input_files("#b", tmp_path / "driver-too-old.json")
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert site.document() == json.loads(
        command("diff", "--json", "healthy-gpu.json", "driver-too-old.json", folder=tmp_path)
    )


def test_dropped_build_files_get_the_findings_of_the_command_line(
    site: Site, tmp_path: Path
) -> None:
    files = {
        "requirements.txt": "tensorflow[cuda12]==2.21.0\nnumpy<2\nkeras==2.15.0\n",
        "Dockerfile": "FROM python:3.12-slim\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
        "environment.yml": "channels: [conda-forge]\ndependencies: [python=3.12, pip, {pip: [tensorflow==2.15.0]}]\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    page = site.open("lint")
    page.set_input_files("#file", [tmp_path / name for name in files])
    page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
    assert site.document() == json.loads(command("lint", "--json", ".", folder=tmp_path))
    assert "-tensorflow[cuda12]==2.21.0" in page.locator("#lint pre").last.inner_text()
    page.fill("[name=gpu]", "MI300X")
    page.click("button.main")
    page.locator("#problem:not(:empty)").wait_for(timeout=SOON_MS)
    assert "ROCm" in page.inner_text("#problem")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Any, built: Path, scheme: str, width: int
) -> None:
    visitor = Site(browser, built, color_scheme=scheme, viewport={"width": width, "height": 900})
    pictures = ROOT / "build" / "site-pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for name in ("log", "plan", "lint", "report", "compare"):
        page = visitor.open(name)
        assert visitor.problems() == []
        if name == "log":
            page.click("#example")
        elif name == "plan":
            page.fill("[name=gpu]", "RTX 3090")
            page.click("button.main")
        elif name == "lint":
            page.set_input_files(
                "#file",
                {
                    "name": "requirements.txt",
                    "mimeType": "text/plain",
                    "buffer": b"tensorflow[and-cuda]==2.21.0\ntorch==2.15.0\nnumpy==1.20.0\nkeras==2.15.0\n",
                },
            )
        elif name == "report":
            page.set_input_files("#file", MACHINES / "two-roots" / "report.json")
        else:
            page.set_input_files("#a", MACHINES / "healthy-gpu" / "report.json")
            page.set_input_files("#b", MACHINES / "two-roots" / "report.json")
        page.locator("#answer:not([hidden])").wait_for(timeout=SOON_MS)
        page.wait_for_timeout(300)
        assert visitor.problems() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=pictures / f"{name}-{scheme}-{width}.png", full_page=True)
    visitor.context.close()


def test_a_browser_without_webassembly_is_told_what_to_do(browser: Any, built: Path) -> None:
    visitor = Site(browser, built)
    visitor.context.add_init_script("delete globalThis.WebAssembly")
    page = visitor.open("log")
    page.click("#example")
    page.locator("#problem:not(:empty)").wait_for()
    assert "WebAssembly" in page.inner_text("#problem")
    visitor.context.close()


def test_what_is_loaded_is_at_most_10_megabytes_packed(built: Path) -> None:
    files = [each for each in (built / "app").rglob("*") if each.is_file()]
    assert sum(len(gzip.compress(each.read_bytes(), 6)) for each in files) <= 10_000_000
    assert not [each for each in files if each.suffix in (".js", ".html", ".css") and re.search(r"https?://(?!www\.w3\.org)", each.read_text()) and "log.js" not in each.name]  # fmt: skip
