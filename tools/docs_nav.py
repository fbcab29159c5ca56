"""Arranges the site's pages for mkdocs: the codes by family under their own names, every other page by itself.

A page of docs/ needs no entry anywhere to be on the site.
"""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from tfdoctor.findings.catalog import CODES, FAMILIES

FIRST = ("index.md", "coverage.md", "smoke.md", "matrix.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """mkdocs' hook between finding the files and building the navigation."""
    pages = [file.src_uri for file in files.documentation_pages()]
    others = [page for page in pages if not page.startswith("codes/") and page not in FIRST]
    first = [page for page in FIRST if page in pages]
    config.nav = [first[0], {"Finding codes": _codes(pages)}, *first[1:], *others]
    return files


def _codes(pages: list[str]) -> list[object]:
    families = [{family: _family(family, pages)} for family in FAMILIES]
    return [{"All codes": "codes/index.md"}, *families]


def _family(family: str, pages: list[str]) -> list[dict[str, str]]:
    mine = [name for name, code in CODES.items() if code.family == family]
    return [{name: f"codes/{name}.md"} for name in mine if f"codes/{name}.md" in pages]
