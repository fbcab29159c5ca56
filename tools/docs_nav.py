"""Arranges the site's pages for mkdocs: the codes by family under their own names, every other page by itself. A code's page is what
`tfdoctor explain` prints.

A page of docs/ needs no entry anywhere to be on the site.
"""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from tfdoctor.documents import explain as page_of
from tfdoctor.documents import is_checked
from tfdoctor.findings.catalog import CODES, FAMILIES

FIRST = ("index.md", "smoke.md", "matrix.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """mkdocs' hook between finding the files and building the navigation."""
    pages = [file.src_uri for file in files.documentation_pages()]
    others = [page for page in pages if not page.startswith("codes/") and page not in FIRST]
    first = [page for page in FIRST if page in pages]
    config.nav = [first[0], {"Finding codes": _codes(pages)}, *first[1:], *others]
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """mkdocs' hook for what stands on a page."""
    folder, _, name = page.file.src_uri.rpartition("/")
    if folder != "codes":
        return markdown
    return markdown + _list() if name == "index.md" else page_of(name.removesuffix(".md"))


def _list() -> str:
    lines = []
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}", ""]
        for code in (each for each in CODES.values() if each.family == family):
            mark = "" if is_checked(code.code) else " °"
            lines.append(f"- [{code.code}]({code.code}.md){mark} – {code.name}")
    return "\n".join(lines) + "\n"


def _codes(pages: list[str]) -> list[object]:
    families = [{family: _family(family, pages)} for family in FAMILIES]
    return [{"All codes": "codes/index.md"}, *families]


def _family(family: str, pages: list[str]) -> list[dict[str, str]]:
    mine = [name for name, code in CODES.items() if code.family == family]
    return [{name: f"codes/{name}.md"} for name in mine if f"codes/{name}.md" in pages]
