"""What other packages bring by entry points: pages and messages are read here as data, checks and probes only named.

Nothing of a plug-in is imported: its code runs in a child of its own (`judge/plugins.py`, `ask/probes/plugins.py`). Only the
directories where the doctor's own Python keeps its packages are looked at, never PYTHONPATH or the working directory.
"""

from __future__ import annotations

import os
import re
import site
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tfdoctor.base.records import record, replace

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from tfdoctor.knowledge.messages.signature import Signature

GROUPS = ("checks", "probes", "messages", "pages")
LIMIT_S = 5.0  # for what one plug-in's checks or probes do
_PREFIX = re.compile(r"[a-z0-9]{2,30}")
_PAGE = {"name": str, "explanation": str, "severity": str, "gpu_only": bool, "fixes": list, "says": dict, "consequences": list, "actions": dict}  # fmt: skip
_MESSAGE = {"anchor": (str, list), "pattern": str, "unless": list, "samples": list, "not": list, "title": str, "explanation": str, "confidence": str}  # fmt: skip


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


LOADED: dict[str, Plugin] = {}
"""By prefix: those that have a say in this process. Empty unless a command asked for them."""


def load() -> None:
    """Registers the pages and messages of every plug-in that is installed beside tfdoctor. What is wrong with one is kept with it."""
    if LOADED or not _any_installed():
        return
    for name, version, entries in _installed():
        prefix = next((each.name for each in entries), "")
        plugin = Plugin(name, version, prefix)
        try:
            LOADED[prefix] = _read(plugin, {each.group.removeprefix("tfdoctor."): each for each in entries})
        except (PluginError, OSError, ValueError, LookupError, TypeError, ImportError) as error:
            kind = "" if isinstance(error, PluginError) else f"{type(error).__name__}: "
            LOADED[prefix if prefix not in LOADED else name] = replace(plugin, error=f"{kind}{error}"[:300])


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
    """Name, version and our entry points of each, by name."""
    from importlib.metadata import distributions

    found: dict[str, tuple[str, tuple[EntryPoint, ...]]] = {}
    for each in distributions(path=_directories()):
        own = tuple(entry for entry in each.entry_points if entry.group.startswith("tfdoctor."))
        if own:
            found.setdefault(str(each.metadata["Name"]), (each.version, own))
    return ((name, *found[name]) for name in sorted(found))


def _read(plugin: Plugin, entries: dict[str, EntryPoint]) -> Plugin:
    """Raises PluginError."""
    from tfdoctor.knowledge.catalog import FAMILIES

    if unknown := set(entries) - set(GROUPS):
        raise PluginError(
            f"no entry point group tfdoctor.{min(unknown)}; there are {', '.join(f'tfdoctor.{each}' for each in GROUPS)}"
        )
    if len({each.name for each in entries.values()}) > 1 or not _PREFIX.fullmatch(plugin.prefix):
        raise PluginError(
            "all its entry points need one name, of letters and digits alone: the prefix of its codes"
        )
    if plugin.prefix in FAMILIES:
        raise PluginError(f"the prefix {plugin.prefix} is taken")
    pages = dict(_pages(plugin, _files(entries["pages"], ".md"))) if "pages" in entries else {}
    messages = (
        list(_messages(plugin, _files(entries["messages"], ".yaml"), pages)) if "messages" in entries else []
    )
    _register(plugin, pages, messages)
    return replace(
        plugin, **{group: entries[group].value for group in ("checks", "probes") if group in entries}
    )


def _files(entry: EntryPoint, ending: str) -> list[Path]:
    """The files of the package that an entry point names, found without importing it. Raises PluginError."""
    from importlib.util import find_spec
    from pathlib import Path

    top, *rest = entry.value.split(".")
    spec = find_spec(top)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    directory = next((found for each in places if (found := Path(each, *rest)).is_dir()), None)
    if directory is None:
        raise PluginError(f"{entry.group}: there is no package {entry.value}")
    return sorted(directory.glob(f"*{ending}"))


def _fields(said: Any, kinds: dict[str, Any], where: str, *needed: str) -> dict[str, Any]:
    """Raises PluginError."""
    if not isinstance(said, dict):
        raise PluginError(f"{where}: keys with values are needed")
    for key, value in said.items():
        if key not in kinds:
            raise PluginError(f"{where}: unknown key {key!r}")
        if not isinstance(value, kinds[key]):
            raise PluginError(f"{where}: {key} has a value of the wrong kind")
    for key in needed:
        if not said.get(key):
            raise PluginError(f"{where}: {key} is missing")
    return said


def _pages(plugin: Plugin, files: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Code, and what the front matter of its page says. Raises PluginError."""
    import yaml

    from tfdoctor.knowledge.actions import KINDS
    from tfdoctor.knowledge.compiled import actions
    from tfdoctor.knowledge.model import CODE

    for file in files:
        code = f"{plugin.prefix}/{file.stem}"
        if not re.fullmatch(CODE["pattern"], code):
            raise PluginError(f"{file.name}: the name is no code")
        front = file.read_text(encoding="utf-8").split("\n---\n", 1)[0].removeprefix("---\n")
        try:
            said = _fields(yaml.safe_load(front), _PAGE, file.name, "name", "explanation", "severity")
        except yaml.YAMLError as error:
            raise PluginError(f"{file.name}: {error}") from error
        own = said.setdefault("actions", {})
        if unknown := set(own) - set(KINDS):
            raise PluginError(f"{file.name}: no kind of action {min(unknown)!r}")
        for kind, what in (pair for each in said.setdefault("fixes", []) for pair in each.items()):
            if what not in own.get(kind, ()) and what not in actions()["actions"].get(kind, ()):
                raise PluginError(f"{file.name}: no action {kind}: {what}")
        yield code, {**said, "body": file}


def _messages(
    plugin: Plugin, files: Iterable[Path], codes: Iterable[str]
) -> Iterator[tuple[Signature, tuple[Any, ...]]]:
    """Each with its title, explanation and so on. Raises PluginError."""
    import yaml

    from tfdoctor.knowledge.messages.signature import Signature, costly

    for file in files:
        try:
            said = yaml.safe_load(file.read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise PluginError(f"{file.name}: {error}") from error
        said = _fields(said, {"code": str, "messages": dict}, file.name, "code", "messages")
        if said["code"] not in codes:
            raise PluginError(f"{file.name}: {said['code']} has no page of this plug-in")
        for name, entry in said["messages"].items():
            where = f"{file.name}, {name}"
            one = _fields(entry, _MESSAGE, where, "anchor", "samples")
            anchors = [one["anchor"]] if isinstance(one["anchor"], str) else one["anchor"]
            signature = Signature(
                f"{plugin.prefix}/{name}", said["code"], anchors[0], tuple(anchors[1:]), one.get("pattern", ""),
                tuple(one.get("unless", ())), sure=one.get("confidence", "certain"),
            )  # fmt: skip
            if why := costly(signature.form):
                raise PluginError(f"{where}: {why}")
            for sample in one["samples"]:
                if signature.hit(sample) is None:
                    raise PluginError(f"{where}: the sample {sample[:60]!r} is not recognized")
            for near in one.get("not", ()):
                if signature.hit(near):
                    raise PluginError(f"{where}: {near[:60]!r} under `not` is recognized")
            own = one.get("explanation", "").rstrip()
            own = f"{own} {from_whom(signed(plugin.name, plugin.version))}" if own else ""
            words = {"title": one.get("title", ""), "explanation": own}
            cases = ({key: text for key, text in words.items() if text},) if "{{" in str(words) else ()
            yield signature, ("", "", (), cases, {}) if cases else (words["title"], own, (), (), {})


def _register(
    plugin: Plugin, pages: dict[str, dict[str, Any]], messages: list[tuple[Signature, tuple[Any, ...]]]
) -> None:
    from tfdoctor.knowledge import catalog, says
    from tfdoctor.knowledge import pages as texts
    from tfdoctor.knowledge.compiled import actions
    from tfdoctor.knowledge.model import Severity

    who = signed(plugin.name, plugin.version)
    catalog.FAMILIES[plugin.prefix] = who
    for code, said in pages.items():
        effects = frozenset(said.get("consequences", ()))
        catalog.CODES[code] = catalog.Code(
            code, plugin.prefix, said["name"], f"{said['explanation'].rstrip()} {from_whom(who)}", Severity(said["severity"]),
            said.get("gpu_only", False), False, tuple((kind, what) for each in said["fixes"] for kind, what in each.items()), effects, frozenset(),
        )  # fmt: skip
        catalog.EFFECTS[code] = catalog.EFFECTS_IN_LOGS[code] = effects
        says.add(code, said.get("says", {}))
        texts.OTHERS[code] = said["body"]
        for kind, rows in said["actions"].items():
            actions()["actions"].setdefault(kind, {}).update({what: [row] for what, row in rows.items()})
    if messages:
        from tfdoctor.knowledge.messages import catalogue

        catalogue.ADDED.update(dict(messages))


def signed(name: str, version: str) -> str:
    return f"{name} {version}"


def from_whom(who: str) -> str:
    """The sentence that says whose an explanation is."""
    return f"(From {who}.)"
