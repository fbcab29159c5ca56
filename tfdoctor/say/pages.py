"""A view as a file: HTML that loads nothing, Markdown for a ticket, and the card below a notebook's cell.

Every text that a template shows is cleaned and escaped by itself, unless a filter has made markup of it. What a
machine says stands in Markdown in code spans and code blocks, where nothing is read as markup, as a mention of a person
or as a link; in sentences every character that Markdown could read is escaped.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape as escape_html
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.pages import meaning
from tfdoctor.say.charts import chart
from tfdoctor.say.clean import clean
from tfdoctor.say.fact_names import fact_name
from tfdoctor.say.fact_rows import fact_rows
from tfdoctor.say.redact.report import gaps
from tfdoctor.say.view import Code, Compatibility, View

_TEMPLATES = Path(__file__).parent / "templates"
_MARKUP = Expression(r"([\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|^[-+=#]|#(?=\d))")
_TO_FILL_IN = Expression(
    r"(?<![\w$%{/\\-])(?:CMD|COMMAND|DIR|DIRECTORY|EXTRA|FILE|HOST|IMAGE|JOB|JOBID|NAME|NODE|PACKAGE|PATH_YOU_TRUST|PID|POD|PORT|USER|VERSION)(?![\w:=])|…|\.\.\.|<\w+>"
)
"""Words in a command that stand for what only the person knows."""
_HYPHENED = Expression(r"(?<![\w./-])[a-z0-9]+(?:-[a-z0-9]+){1,8}(?![\w/-])")
_EXPLAIN = "tfdoctor explain "
_ZERO_WIDTH = "&#8203;"  # breaks a mention or a link without showing


def render_html(view: View) -> str:
    """One page for people and for screen readers, light, dark and on paper. It loads nothing, and its Content-Security-Policy allows
    the one script in it: what copies commands and searches facts. Without it everything is still there to be read.
    """
    script = "".join(_html().get_template(each).render() for each in ("copy.js", "page.js"))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = _html().get_template("page.html")
    return page.render(view=view, codes=Codes(), script=_markup(script), script_hash=digest)


def render_fragment(view: View) -> str:
    """One element for a page of somebody else's, such as a notebook: no style sheet, no class, no id, its colors are those around it.
    Its script makes the buttons that copy commands; where none may run, a click selects a command whole.
    """
    return _html().get_template("fragment.html").render(view=view)


def render_chart(block: Compatibility) -> str:
    """GPUs by versions, for a page of somebody else's, with the script that finds one GPU."""
    macro: Callable[..., str] = _html().get_template("figure.html").module.compatibility  # type: ignore[attr-defined]
    return f"{macro(block)}<script>{_html().get_template('page.js').render()}</script>"


def render_markdown(view: View) -> str:
    """As GitHub and GitLab show it, the bulk folded away."""
    return _markdown().get_template("page.md").render(view=view)


def markdown_macro(template: str, name: str) -> Callable[..., str]:
    """A part of a template, for whoever puts a document together from its parts."""
    macro: Callable[..., str] = getattr(_markdown().get_template(template).module, name)
    return macro


def html_text(words: str) -> str:
    """Cleaned and escaped, for an element or an attribute."""
    return escape_html(clean(words), quote=True)


class Codes:
    """The codes that a page speaks of, in this order: each leads to what its own page says first, at the end of this one."""

    def __init__(self) -> None:
        self.met: dict[str, str] = {}
        """Each with its meaning."""

    def parts(self, words: Sequence[str | Code]) -> Iterator[tuple[str | Code, str]]:
        """The same words, each part with the code that it names or ""."""
        for part in parts(words):
            if isinstance(part, Code):
                yield part, self._met(part.text.removeprefix(_EXPLAIN))
                continue
            for plain, name in _with_codes(part):
                yield (Code(name), self._met(name)) if name else (plain, "")

    def _met(self, name: str) -> str:
        if name not in CODES:
            return ""
        self.met.setdefault(name, meaning(name))
        return name


def _with_codes(text: str) -> Iterator[tuple[str, str]]:
    """What stands before each code, and the code. One that is an everyday word, such as `success`, is none in a sentence."""
    end = 0
    for found in _HYPHENED.finditer(text):
        if found[0] in CODES:
            yield text[end : found.start()], ""
            yield "", found[0]
            end = found.end()
    yield text[end:], ""


@cache
def _html() -> Environment:
    made = _environment(html_text)
    made.filters |= {
        "chart": chart,
        "blocks": blocks,
        "can_copy": can_copy,
        "fact_rows": fact_rows,
        "lines": lambda lines: _markup("\n".join(map(html_text, lines))),
    }
    return made


@cache
def _markdown() -> Environment:
    made = _environment(escape)
    made.filters |= {"code": _as_markup(code), "block": _as_markup(block), "cell": _as_markup(cell)}
    return made


def _environment(escape_text: Callable[[str], str]) -> Environment:
    def finalize(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            return _markup(escape_text(value))
        return value

    made = Environment(
        autoescape=True, finalize=finalize, undefined=StrictUndefined, loader=FileSystemLoader(_TEMPLATES),
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    filters: dict[str, Callable[..., Any]] = {
        "fact_name": fact_name, "kind": lambda of: type(of).__name__, "parts": parts,
    }  # fmt: skip
    made.filters |= filters
    return made


def parts(words: Sequence[str | Code]) -> Iterator[str | Code]:
    """The same words, with what stands between two backticks as code."""
    for part in words:
        if isinstance(part, Code) or part.count("`") % 2:
            yield part
        else:
            quoted = part.split("`")
            yield from (Code(each) if at % 2 else each for at, each in enumerate(quoted) if each)


def _markup(text: str) -> Markup:
    """A text that whoever calls this has escaped."""
    return Markup(text)  # noqa: S704  # the one place, and what is promised here is held by tests of hostile texts


def _as_markup(function: Callable[..., str]) -> Callable[..., Markup]:
    return lambda *given: _markup(function(*given))


def blocks(commands: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Neighboring commands that can all be copied, together; each other one alone."""
    for copied, group in groupby(commands, key=can_copy):
        together = tuple(group)
        yield from (together,) if copied else ((each,) for each in together)


def can_copy(command: str) -> bool:
    """What is shown is what is copied, byte for byte, and it can be typed as it is."""
    return clean(command) == command and not gaps(command) and not _TO_FILL_IN.search(command)


def escape(words: str) -> str:
    """A sentence that Markdown shows as it is written."""
    text = clean(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MARKUP.sub(r"\\\1", text)
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)
    text = text.replace("@", f"@{_ZERO_WIDTH}").replace("://", f":{_ZERO_WIDTH}//")
    return text.replace("www.", f"www{_ZERO_WIDTH}.")


def code(words: str) -> str:
    """A code span around any text."""
    text = clean(words).strip() or "(empty)"
    fence = "`" * (_longest_run(text) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def cell(words: str) -> str:
    """A code span in a table, whose cells end at a bar."""
    return code(words).replace("|", "\\|")


def block(lines: Sequence[str], language: str) -> str:
    """A code block around any lines."""
    texts = [clean(line) for line in lines]
    fence = "`" * max((3, *(_longest_run(text) + 1 for text in texts)))
    return "\n".join([f"{fence}{language}", *texts, fence, "", ""])


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
