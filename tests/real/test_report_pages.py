"""Reports as people open them: from a file, in Debian's Chromium. `make site-tests`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.machines.test_golden import MACHINES, redacted_report
from tests.real.test_site import browser  # noqa: F401  # a fixture
from tests.unit.report.test_death import WATCHED, report
from tfdoctor.base.records import replace
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.report.death import Timeline
from tfdoctor.say.compatibility import compatibility_view
from tfdoctor.say.pages import can_copy, render_fragment, render_html
from tfdoctor.say.report_view import report_view
from tfdoctor.say.run_view import card_view, run_view
from tfdoctor.say.view import View

pytestmark = [pytest.mark.real, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
DEATHS = (
    "container-oom-killed/counter-and-peak",
    "host-memory-leak/per-step",
    "native-crash/watched",
)
PRINTED_PX = 680  # of A4 with Chromium's margins


def dead(name: str) -> Any:
    """A run of two GPUs that lasts until its death, as the recorder keeps it."""
    run = report(next(each for each in WATCHED if each.name == name).facts())
    end = run.end.after_s if run.end else 60.0
    samples = tuple(
        {
            "t": end * at / 400, "rss_bytes": at * 10**7, "cgroup_bytes": at * 9 * 10**6, "cgroup_limit_bytes": 4 * 10**9,
            "cpu_s": end * at / 200, "available_bytes": 9 * 10**9,
            "gpus": [{"index": gpu, "used_bytes": at * 10**7, "total_bytes": 24 * 10**9, "utilization": at % 7 / 7} for gpu in range(2)],
        }
        for at in range(400)
    )  # fmt: skip
    return replace(run, timeline=Timeline(end / 400, samples), generated_at="2026-11-22T08:00:00Z")


VIEWS: dict[str, View] = {
    **{machine: report_view(redacted_report(machine)) for machine in MACHINES},
    **{name.partition("/")[0]: run_view(dead(name)) for name in DEATHS},
    "matrix": compatibility_view(load_bundled()),
}


class Reader:
    """Who opens a page: `asked` what it fetched, `said` what the console held."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.asked: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def open(self, path: Path) -> Any:
        self.page.goto(path.as_uri())
        assert self.asked == [path.as_uri()] and self.said == []
        return self.page

    def problems(self) -> list[str]:
        self.page.evaluate(
            (ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
        )
        found = self.page.evaluate("axe.run(document)")["violations"]
        return [f"{each['id']}: {each['nodes'][0]['html'][:100]}" for each in found]


@pytest.fixture
def reader(browser: Any, request: pytest.FixtureRequest) -> Iterator[Reader]:  # noqa: F811
    context = browser.new_context(**getattr(request, "param", {}))
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield Reader(context.new_page())
    context.close()


LOOKS = [
    {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    for scheme in ("light", "dark")
    for width in (1000, 390)
]


@pytest.mark.parametrize("reader", LOOKS, indirect=True, ids=str)
@pytest.mark.parametrize("name", VIEWS)
def test_a_page_asks_for_nothing_fits_and_axe_is_silent(
    reader: Reader, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_html(VIEWS[name]), encoding="utf-8")
    page = reader.open(path)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert reader.problems() == []
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PRINTED_PX, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not page.locator("button").count() or not page.locator("button").first.is_visible()


@pytest.mark.parametrize("machine", MACHINES)
def test_each_button_puts_its_command_on_the_clipboard(
    reader: Reader, machine: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_html(VIEWS[machine]), encoding="utf-8")
    page = reader.open(path)
    copied = []
    for button in page.get_by_role("button").all():
        button.click()
        page.get_by_text("Copied").first.wait_for()
        copied.append(page.evaluate("navigator.clipboard.readText()"))
        page.get_by_text("Copied").wait_for(state="detached")
    fixes = [fix for finding in redacted_report(machine).roots for fix in finding.fixes]
    assert sorted(copied) == sorted(
        each for fix in fixes for each in fix.commands if can_copy(each)
    )


def test_a_code_leads_to_its_meaning(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_html(VIEWS["two-roots"]), encoding="utf-8")
    page = reader.open(path)
    page.locator("article a[href='#code-nvml-unusable']").click()
    assert page.locator("#code-nvml-unusable + dd").is_visible()
    assert page.evaluate(
        "document.getElementById('code-nvml-unusable').getBoundingClientRect().top < innerHeight"
    )


def test_a_card_has_one_button_for_each_block_and_it_copies(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(render_fragment(VIEWS["two-roots"]) * 2, encoding="utf-8")
    page = reader.open(path)
    assert page.get_by_role("button").count() == 2 * 3 == page.locator("pre[data-copy]").count()
    page.get_by_role("button").first.click()
    page.get_by_text("Copied").first.wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == page.locator("pre[data-copy]").first.inner_text()
    )


def test_facts_are_searched(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_html(VIEWS["healthy-gpu"]), encoding="utf-8")
    page = reader.open(path)
    page.locator("summary", has_text="All facts").click()
    page.get_by_role("searchbox").fill("driver 535.230")
    assert page.locator(".facts tbody tr:visible").count() in range(1, 12)
    assert (
        page.locator("output")
        .inner_text()
        .startswith(str(page.locator(".facts tbody tr:visible").count()))
    )
    page.get_by_role("searchbox").fill("no such fact")
    assert page.locator("output").inner_text().startswith("0 of ")


def test_the_chart_shows_one_gpu_alone(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "matrix.html"
    path.write_text(render_html(VIEWS["matrix"]), encoding="utf-8")
    page = reader.open(path)
    page.get_by_label("My GPU").fill("rtx 3090")
    assert page.locator("tbody:visible").count() == 1
    assert page.locator("tbody:visible").inner_text().startswith("8.6 Ampere: ")
    assert page.locator("output").inner_text() == f"1 of {page.locator('tbody').count()}"


def test_another_script_is_not_run(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    page = render_html(VIEWS["healthy-gpu"]).replace(
        "</main>", "<script>document.title = 'run'</script></main>"
    )
    path.write_text(page, encoding="utf-8")
    reader.page.goto(path.as_uri())
    assert reader.page.title() != "run" and "Content Security Policy" in " ".join(reader.said)


def test_two_answers_in_a_notebook_leave_its_look_alone(reader: Reader) -> None:
    """Every element around them has the style that it had, and no id is there twice."""
    reader.page.set_content(
        "<style>body{font:14px serif} table{color:red} p{margin:3px} code{color:blue}</style>"
        "<h1 id=a>A</h1><p>x <code>y</code></p><table><tr><td>z</td></tr></table><svg><text>t</text></svg><div id=out></div>"
    )
    styles = "[...document.querySelectorAll('body, body > :not(#out), body > :not(#out) *')].map(each => [...getComputedStyle(each)].filter(name => !/^(height|block-size|.*-origin)$/.test(name)).map(name => name + getComputedStyle(each)[name]).join())"
    before = reader.page.evaluate(styles)
    answers = (
        render_fragment(VIEWS["two-roots"]) * 2
        + render_fragment(card_view(dead(DEATHS[0]), "/r.json")) * 2
    )
    reader.page.evaluate("html => (document.getElementById('out').innerHTML = html)", answers)
    after = reader.page.evaluate(styles)
    width = "document.documentElement.scrollWidth <= innerWidth"
    assert len(before) == len(after) and reader.page.evaluate(width)
    assert before == after
    assert sorted(
        reader.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    ) == [
        "a",
        "out",
    ]
    assert reader.asked == [] and reader.said == []
