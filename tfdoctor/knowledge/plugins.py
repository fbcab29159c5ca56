"""What other packages bring by entry points: pages and messages are read here as data, checks and probes only named.

Nothing of a plug-in is imported: its code runs in a child of its own (`judge/plugins.py`, `ask/probes/plugins.py`). Only the
directories where the doctor's own Python keeps its packages are looked at, never PYTHONPATH or the working directory.
"""

from __future__ import annotations

import os
import re
import site
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tfdoctor.base.records import field, record, replace
from tfdoctor.base.safe_open import list_folder, whole_of
from tfdoctor.facts.codec import DocumentError, from_json, keys
from tfdoctor.knowledge.model import CODE, Confidence, Severity

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tfdoctor.knowledge.catalog import Code
    from tfdoctor.knowledge.messages.signature import Signature

T = TypeVar("T")

GROUPS = ("checks", "probes", "messages", "pages")
LIMIT_S = 5.0  # for what one plug-in's checks or probes do
_PREFIX = re.compile(r"[a-z0-9]{2,30}")
_MOST_FILES, _MOST_BYTES = 500, 256 << 10  # of one plug-in's pages or messages; of each
_SHORTEST = 4  # bytes of an anchor, to be rare


class PluginError(ValueError):
    """What is wrong with a plug-in, in one clause."""


@record
class Plugin:
    """A package that extends tfdoctor. `checks` and `probes`: "module" or "module:function". `error`: why it has no say, or not all
    of it; "" where it has.
    """

    name: str
    version: str
    prefix: str
    checks: str = ""
    probes: str = ""
    error: str = ""


@record
class _Row:
    """A fix of its own, in the same words everywhere."""

    title: str
    commands: tuple[str, ...] = ()
    note: str = ""


@record
class _Page:
    """What the front matter of a page says. `actions`: by kind and name."""

    name: str
    explanation: str
    severity: Severity
    gpu_only: bool = False
    fixes: tuple[dict[str, str], ...] = ()
    says: dict[str, str] = field(default_factory=dict)
    consequences: tuple[str, ...] = ()
    actions: dict[str, dict[str, Any]] = field(default_factory=dict)


@record
class _Messages:
    """A file of messages."""

    code: str
    messages: dict[str, Any]


@record
class _Message:
    """A message. `near`: lines that look like it and are not meant."""

    JSON: ClassVar = "anchor samples pattern unless not=near title explanation confidence"

    anchor: str | tuple[str, ...]
    samples: tuple[str, ...]
    pattern: str = ""
    unless: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    title: str = ""
    explanation: str = ""
    confidence: Confidence = Confidence.CERTAIN


@record
class _Known:
    """A code with what belongs to it. `body`: its page behind the front matter."""

    code: Code
    says: dict[str, str]
    actions: dict[str, dict[str, dict[str, Any]]]
    body: str


LOADED: dict[str, Plugin] = {}
"""By the packages' names: those that have a say in this process. Empty unless a command asked for them."""


def load() -> None:
    """Registers the pages and messages of every plug-in that is installed beside tfdoctor. What is wrong with one is kept with it."""
    if LOADED or not _any_installed():
        return
    for name, version, entries in _installed():
        plugin = Plugin(name, version, next((each.name for each in entries), ""))
        try:
            LOADED[name] = _read(plugin, entries)
        except Exception as error:  # noqa: BLE001  # whatever reading a stranger's files raises, it is told of them and stops nothing
            kind = "" if isinstance(error, PluginError) else f"{type(error).__name__}: "
            LOADED[name] = replace(plugin, error=" ".join(f"{kind}{error}".split())[:300])


def _directories() -> list[str]:
    """Where the doctor's own Python keeps packages."""
    own = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
    return [each for each in (*site.getsitepackages(), own) if each and os.path.isdir(each)]


def _any_installed() -> bool:
    """Without importlib.metadata, whose import alone takes 20 to 80 ms of every check."""
    for directory in _directories():
        try:
            names = os.listdir(directory)
        except OSError:
            continue  # nothing can be imported from it either
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(directory, name, "entry_points.txt"), "rb") as file:
                        if b"[tfdoctor." in file.read():
                            return True
                except OSError:
                    continue  # most have none
    return False


def _installed() -> Iterator[tuple[str, str, tuple[EntryPoint, ...]]]:
    """Name, version and our entry points of each, by name; none that can't be read."""
    from importlib.metadata import distributions

    found: dict[str, tuple[str, tuple[EntryPoint, ...]]] = {}
    for each in distributions(path=_directories()):
        try:
            own = tuple(entry for entry in each.entry_points if entry.group.startswith("tfdoctor."))
            name, version = each.metadata["Name"], each.version
        except (ValueError, TypeError, LookupError, AttributeError):
            continue  # another package's broken file, which every reader of entry points meets
        if own and name:
            found.setdefault(name, (version, own))
    return ((name, *found[name]) for name in sorted(found))


def _read(plugin: Plugin, entries: tuple[EntryPoint, ...]) -> Plugin:
    """Raises PluginError."""
    from tfdoctor.knowledge.catalog import FAMILIES

    groups = {each.group.removeprefix("tfdoctor."): each for each in entries}
    if unknown := set(groups) - set(GROUPS):
        raise PluginError(
            f"no entry point group tfdoctor.{min(unknown)}; there are {', '.join(f'tfdoctor.{each}' for each in GROUPS)}"
        )
    if len({each.name for each in entries}) > 1 or not _PREFIX.fullmatch(plugin.prefix):
        raise PluginError(
            "all its entry points need one name, of letters and digits alone: the prefix of its codes"
        )
    if len(groups) < len(entries):
        raise PluginError("it has two entry points in one group")
    if plugin.prefix in FAMILIES:
        raise PluginError(f"the prefix {plugin.prefix} is taken")
    pages = dict(_pages(plugin, _files(groups["pages"], ".md"))) if "pages" in groups else {}
    messages = (
        dict(_messages(plugin, _files(groups["messages"], ".yaml"), pages))
        if "messages" in groups
        else {}
    )
    _register(plugin, pages, messages)
    return replace(
        plugin, **{group: groups[group].value for group in ("checks", "probes") if group in groups}
    )


def _files(entry: EntryPoint, ending: str) -> Iterator[tuple[str, str]]:
    """Name and text of the files of the package that an entry point names, found without importing it. Raises PluginError and OSError."""
    from importlib.util import find_spec

    top, *rest = entry.value.split(".")
    spec = find_spec(top)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    folder = next(
        (found for each in places if os.path.isdir(found := os.path.join(each, *rest))), None
    )
    if folder is None:
        raise PluginError(f"{entry.group}: there is no package {entry.value}")
    names = [each for each in list_folder(folder) if each.endswith(ending)]
    if len(names) > _MOST_FILES:
        raise PluginError(f"{entry.group}: {entry.value} has more than {_MOST_FILES} files")
    for name in names:
        content = whole_of(os.path.join(folder, name), _MOST_BYTES)
        yield name, content.decode().removeprefix("\ufeff").replace("\r\n", "\n")


def _said(text: str, where: str) -> Any:
    """Raises PluginError for what is no YAML."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PluginError(f"{where}: {error}") from error


def _as(kind: type[T], said: Any, where: str) -> T:
    """What is said there as a record. Raises PluginError, also for a key that the record lacks and for nothing where something is needed."""
    known = {key: attribute for key, attribute, _ in keys(kind)}
    if isinstance(said, dict) and (unknown := [each for each in said if each not in known]):
        raise PluginError(f"{where}: unknown key {unknown[0]!r}")
    try:
        read: T = from_json(said, kind)
    except DocumentError as error:
        raise PluginError(f"{where}: {error}") from error
    for key, attribute in known.items():
        if not hasattr(kind, attribute) and not getattr(read, attribute):
            raise PluginError(f"{where}: {key} is missing")
    return read


def _pages(plugin: Plugin, files: Iterable[tuple[str, str]]) -> Iterator[tuple[str, _Known]]:
    """What each page says of its code. Raises PluginError."""
    from tfdoctor.facts.codec import to_json
    from tfdoctor.knowledge.actions import KINDS, is_known
    from tfdoctor.knowledge.catalog import Code

    read = []
    for name, text in files:
        code = f"{plugin.prefix}/{name.removesuffix('.md')}"
        if not re.fullmatch(CODE["pattern"], code):
            raise PluginError(f"{name}: the name is no code")
        front, _, body = text.removeprefix("---\n").partition("\n---\n")
        page = _as(_Page, _said(front, name), name)
        for kind, own in page.actions.items():
            if kind not in KINDS:
                raise PluginError(f"{name}: no kind of action {kind!r}")
            if others := [each for each in own if not each.startswith(f"{plugin.prefix}/")]:
                raise PluginError(
                    f"{name}: the action {others[0]!r} does not begin with {plugin.prefix}/"
                )
        rows = {
            kind: {what: to_json(_as(_Row, row, f"{name}, {what}")) for what, row in own.items()}
            for kind, own in page.actions.items()
        }
        read.append((name, code, page, rows, body))
    its_own = {
        (kind, what) for _, _, _, rows, _ in read for kind, found in rows.items() for what in found
    }
    for name, code, page, rows, body in read:
        fixes = tuple(pair for each in page.fixes for pair in each.items())
        for kind, what in fixes:
            if (kind, what) not in its_own and not is_known(kind, what):
                raise PluginError(f"{name}: no action {kind}: {what}")
        explanation = (
            f"{page.explanation.rstrip()} {from_whom(signed(plugin.name, plugin.version))}"
        )
        yield code, _Known(
            Code(
                code, plugin.prefix, page.name, explanation, page.severity, page.gpu_only, False, fixes,
                frozenset(page.consequences), frozenset(),
            ), page.says, rows, body,
        )  # fmt: skip


def _messages(
    plugin: Plugin, files: Iterable[tuple[str, str]], codes: Iterable[str]
) -> Iterator[tuple[Signature, tuple[Any, ...]]]:
    """Each with its title, explanation and so on. Raises PluginError."""
    from tfdoctor.knowledge.messages.linear import too_many_ways
    from tfdoctor.knowledge.messages.signature import Signature, costly

    for file, text in files:
        said = _as(_Messages, _said(text, file), file)
        if said.code not in codes:
            raise PluginError(f"{file}: {said.code} has no page of this plug-in")
        for name, entry in said.messages.items():
            where = f"{file}, {name}"
            one = _as(_Message, entry, where)
            anchor, *also = (one.anchor,) if isinstance(one.anchor, str) else one.anchor
            if min(len(each.encode()) for each in (anchor, *also)) < _SHORTEST:
                raise PluginError(f"{where}: an anchor has at least {_SHORTEST} bytes, to be rare")
            signature = Signature(
                f"{plugin.prefix}/{name}", said.code, anchor, tuple(also), one.pattern, one.unless, sure=one.confidence.value
            )  # fmt: skip
            if why := costly(signature.form) or too_many_ways(signature.form):
                raise PluginError(f"{where}: {why}")
            for sample in one.samples:
                if signature.hit(sample) is None:
                    raise PluginError(f"{where}: the sample {sample[:60]!r} is not recognized")
            for near in one.near:
                if signature.hit(near):
                    raise PluginError(f"{where}: {near[:60]!r} under `not` is recognized")
            own = one.explanation.rstrip()
            own = f"{own} {from_whom(signed(plugin.name, plugin.version))}" if own else ""
            words = {"title": one.title, "explanation": own}
            cases = (
                ({key: text for key, text in words.items() if text},) if "{{" in str(words) else ()
            )
            yield signature, ("", "", (), cases, {}) if cases else (one.title, own, (), (), {})


def _register(
    plugin: Plugin, pages: dict[str, _Known], messages: dict[Signature, tuple[Any, ...]]
) -> None:
    """All of it, once all of it is known to be right."""
    from tfdoctor.knowledge import catalog, says
    from tfdoctor.knowledge import pages as texts
    from tfdoctor.knowledge.actions import ADDED, named

    catalog.FAMILIES[plugin.prefix] = signed(plugin.name, plugin.version)
    for code, said in pages.items():
        catalog.CODES[code] = said.code
        catalog.EFFECTS[code] = catalog.EFFECTS_IN_LOGS[code] = said.code.effects
        says.add(code, said.says)
        texts.OTHERS[code] = said.body
        for kind, rows in said.actions.items():
            ADDED.update({named(kind, what): (row,) for what, row in rows.items()})
    if messages:
        from tfdoctor.knowledge.messages import catalogue

        catalogue.ADDED.update(messages)


def signed(name: str, version: str) -> str:
    return f"{name} {version}"


def from_whom(who: str) -> str:
    """The sentence that says whose an explanation is."""
    return f"(From {who}.)"
