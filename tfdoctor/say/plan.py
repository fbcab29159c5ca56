"""A plan as JSON and as one screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar

from packaging.version import Version

from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.fix.install import (
    by_hand,
    commands_of,
    folder_of,
    install_commands,
    new_environment,
    pip_install,
    recipe_for,
)
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.plan import Excluded, Obstacle, Option, Plan
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.lines import quoted
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix
from tfdoctor.say.plan_files import file_text, refused

if TYPE_CHECKING:
    from tfdoctor.say.terminal import Page, Writer

_WITHOUT_CUDA = "cuda-libraries-wrong-version"
_LABELS = {"best": "newest that works", "works": "works", "untested": "untested", "unlisted": "not listed for this GPU"}  # fmt: skip
_MARKS = {"best": ("✓", "green"), "works": ("✓", "green"), "untested": ("?", "bold magenta"), "unlisted": ("!", "bold yellow")}  # fmt: skip
_ROOM_FOR_TWO = 64
_HANG = 15
_LONGEST_PIP = 160  # characters: a longer line is shown as a requirements file


@record
class ShownOption:
    """A version that works, with the commands that install it. `proven` False: untested; `listed` False: not listed for this GPU.
    beside: what shares its environment.
    """

    JSON: ClassVar = (
        "tensorflow distribution python install with=beside cuda cudnn notes proven listed"
    )

    tensorflow: str
    distribution: str
    python: tuple[str, ...]
    install: tuple[str, ...]
    beside: tuple[str, ...]
    cuda: str
    cudnn: str
    notes: tuple[str, ...]
    proven: bool
    listed: bool


@record
class ShownExcluded:
    """A version that does not work there, and why."""

    tensorflow: str
    because: tuple[Obstacle, ...]


@record
class ShownMachine:
    """The machine that is planned for; "none" and "unknown" are words."""

    platform: str
    python: str
    driver: str
    gpus: tuple[str, ...] | str


@record
class PlanDocument:
    """What `tfdoctor plan --json` prints."""

    JSON: ClassVar = "$schema=schema_id? options excluded machine ways_out newest_needs"
    SCHEMA: ClassVar = {
        "options": "The best first.",
        "ways_out": "Where no version works: what to change.",
        "newest_needs": "What the newest version lacks on this machine.",
    }
    schema_id: ClassVar = "urn:tfdoctor:schema:plan:1.0"

    options: tuple[ShownOption, ...]
    excluded: tuple[ShownExcluded, ...]
    machine: ShownMachine
    ways_out: tuple[Fix, ...]
    newest_needs: tuple[Obstacle, ...]


def plan_to_json(plan: Plan, matrix: Matrix, ways: tuple[Fix, ...] = ()) -> dict[str, Any]:
    """The contract's document, with the machine and the way to the newest release beside it."""
    document: dict[str, Any] = to_json(
        PlanDocument(
            tuple(_option(option, plan.machine, matrix) for option in plan.options),
            tuple(ShownExcluded(item.release.tensorflow, item.because) for item in plan.excluded),
            _machine(plan.machine),
            ways,
            newest_needs(plan),
        )
    )
    return document


def _option(option: Option, machine: Machine, matrix: Matrix) -> ShownOption:
    release = option.release
    return ShownOption(
        release.tensorflow, release.distribution, tuple(each.feature for each in option.pythons),
        tuple(install_commands(release, machine, matrix, *option.beside)), tuple(option.beside), _shown(release.cuda), _shown(release.cudnn), tuple(option.notes),
        option.proven, option.listed,
    )  # fmt: skip


def _shown(fact: Fact[Any]) -> str:
    if isinstance(fact, Known):
        return str(fact.value)
    return "none" if isinstance(fact, Absent) else "unknown"


def _machine(machine: Machine) -> ShownMachine:
    gpus = machine.gpus
    named = tuple(map(str, gpus.value)) if isinstance(gpus, Known) else _shown(gpus)
    return ShownMachine(machine.platform, _shown(machine.python), _shown(machine.driver), named)


def newest_needs(plan: Plan) -> tuple[Obstacle, ...]:
    """What would have to change on this machine for the newest release; () where that one works already."""
    if not plan.excluded:
        return ()
    first = plan.excluded[0]
    newest = max(
        (Version(option.release.tensorflow) for option in plan.options), default=Version("0")
    )
    return first.because if Version(first.release.tensorflow) > newest else ()


def called(machine: Machine) -> str:
    """What the plan is for: "Linux x86_64 · Python 3.10 · driver 470.57.02 · RTX 3090 (8.6)"."""
    parts = ["WSL2" if machine.wsl else table("platforms")[machine.platform]]
    parts += [f"Python {machine.python.value}"] if isinstance(machine.python, Known) else []
    if not isinstance(machine.gpus, Absent):
        known = f"driver {_shown(machine.driver)}"
        parts.append({Known: known, Absent: "no driver"}.get(type(machine.driver), "any driver"))
    return " · ".join([*parts, _gpus_called(machine)])


def _gpus_called(machine: Machine) -> str:
    if isinstance(machine.gpus, Absent):
        return "CPU"
    if isinstance(machine.gpus, Failed):
        return "GPU unknown"
    gpus = [
        f"{name} ({capability})" if name else f"GPU of compute capability {capability}"
        for name, capability in machine.named
    ]
    counts = {gpu: gpus.count(gpu) for gpu in gpus}
    return ", ".join(gpu if count == 1 else f"{count} × {gpu}" for gpu, count in counts.items())


def plan_to_text(
    plan: Plan,
    matrix: Matrix,
    page: Page,
    ways: tuple[Fix, ...] = (),
    upgrade: Fix | None = None,
    *,
    typed: Sequence[str] = (),
    everything: bool = False,
) -> str:
    """One screen: the newest that works with its commands, what else works, what does not; `everything`: each by itself.

    ways: what helps where nothing works. upgrade: what gets the newest release. typed: the words behind `tfdoctor plan`.
    """
    from tfdoctor.say.terminal import Writer  # needs rich, which JSON and a page do not

    out = StringIO()
    writer = Writer(page, out)
    writer.paragraph(writer.text("TensorFlow for: ", "bold") + writer.text(called(plan.machine)))
    for option in plan.options if everything else plan.options[:1]:
        writer.blank()
        _write_option(writer, plan, option, matrix, typed)
    if not plan.options:
        writer.blank()
        _write_ways(writer, plan, matrix, ways)
    if plan.options or plan.excluded:
        writer.blank()
    if not everything:
        _write_others(writer, plan)
    if plan.options:
        _write_newest(writer, plan, upgrade)
    _write_excluded(writer, plan, everything=everything)
    writer.blank()
    folded = bool(plan.excluded or plan.options[1:]) and not everything
    footer = (f"matrix {matrix.version}", "nothing was installed", *(("--all shows every version",) if folded else ()))  # fmt: skip
    writer.paragraph(writer.text(" · ".join(footer), "dim"))
    return out.getvalue()


def plan_to_page(plan: Plan, matrix: Matrix, ways: tuple[Fix, ...], form: str) -> dict[str, Any]:
    """What a page shows: the newest that works with what installs it in this format, what else works, and why the rest does not."""
    best = plan.options[0] if plan.options else None
    groups: dict[str, list[str]] = {}
    for item in plan.excluded:
        groups.setdefault(_reason(item, plan, everything=False), []).append(item.release.tensorflow)
    needs = [_phrase("way", each, plan.machine) for each in newest_needs(plan)] if best else []
    newest = (
        [(f"For {plan.excluded[0].release.tensorflow}", "; ".join(dict.fromkeys(needs)))]
        if needs
        else []
    )
    return {
        "machine": called(plan.machine),
        "headline": _best_called(best, plan) if best else _nothing_works(plan, matrix),
        "tone": {"best": "healthy", "works": "healthy"}.get(_kind(best, plan), "unknown")
        if best
        else "broken",
        "built": _built(best, plan.machine) if best else "",
        "python": [each.feature for each in best.pythons] if best else [],
        "notes": list(best.notes) if best else [],
        **(
            _installed_by(form, plan, best, matrix, _best_called(best, plan))
            if best
            else {"text": "", "refused": ""}
        ),
        "ways": to_json(ways),
        "others": [*((label, _spans(chosen, plan)) for label, chosen in _others(plan)), *newest],
        "why_not": [f"{_spans(versions, plan)}: {reason}" for reason, versions in groups.items()],
    }


def _best_called(option: Option, plan: Plan) -> str:
    return f"TensorFlow {option.release.tensorflow}: {_LABELS[_kind(option, plan)]}"


def _installed_by(
    form: str, plan: Plan, option: Option, matrix: Matrix, what: str
) -> dict[str, str]:
    recipe = recipe_for(option.release, plan.machine, matrix, *option.beside)
    why = refused(form, recipe)
    return {
        "text": "" if why else file_text(form, recipe, plan.machine, matrix, what),
        "refused": why,
    }


def _kind(option: Option, plan: Plan) -> str:
    if not option.listed:
        return "unlisted"
    if not option.proven:
        return "untested"
    return "best" if option is plan.options[0] else "works"


def _write_option(
    writer: Writer, plan: Plan, option: Option, matrix: Matrix, typed: Sequence[str]
) -> None:
    kind = _kind(option, plan)
    mark = writer.symbol(*_MARKS[kind])
    title = writer.text(f" {option.release.tensorflow:<9}", "bold") + writer.text(
        f" {_LABELS[kind]}"
    )
    built = _built(option, plan.machine)
    if built and writer.width >= _ROOM_FOR_TWO:
        title += writer.text(" " * max(3, 33 - title.cell_len) + built)
    writer.paragraph(title, first=mark, hang=1)
    if built and writer.width < _ROOM_FOR_TWO:
        writer.paragraph(writer.text(built), indent=2)
    writer.whole(_commands(plan, option, matrix, typed), 6, "bold cyan")
    for note in option.notes:
        writer.paragraph(
            writer.text(note), first=writer.symbol("!", "bold yellow"), indent=2, hang=2
        )


def _built(option: Option, machine: Machine) -> str:
    if isinstance(machine.gpus, Absent) or not isinstance(option.release.cuda, Known):
        return ""
    return f"CUDA {_shown(option.release.cuda)}, cuDNN {_shown(option.release.cudnn)}"


REQUIREMENTS = "requirements-tf.txt"


def _commands(plan: Plan, option: Option, matrix: Matrix, typed: Sequence[str]) -> tuple[str, ...]:
    """What installs it; where that is a long line, by way of a requirements file."""
    recipe = recipe_for(option.release, plan.machine, matrix, *option.beside)
    pip = pip_install(recipe)
    if len(pip) <= _LONGEST_PIP:
        return commands_of(recipe)
    words = [
        *typed,
        *(() if option is plan.options[0] else ("--tensorflow", option.release.tensorflow)),
    ]
    file = quoted("tfdoctor", "plan", *words, "--format", "requirements", "-o", REQUIREMENTS)
    return (
        file,
        new_environment(recipe),
        pip_install(recipe, "-r", REQUIREMENTS),
        *by_hand(recipe, folder_of(recipe)),
    )


def _write_others(writer: Writer, plan: Plan) -> None:
    for label, chosen in _others(plan):
        _write_labelled(writer, label, _spans(chosen, plan))


def _others(plan: Plan) -> Iterator[tuple[str, list[str]]]:
    for kind, label in (
        ("works", "Also works"),
        ("untested", "Untested"),
        ("unlisted", "Not listed"),
    ):
        chosen = [
            option.release.tensorflow for option in plan.options[1:] if _kind(option, plan) == kind
        ]
        if chosen:
            yield label, chosen


def _write_labelled(writer: Writer, label: str, text: str) -> None:
    """Under its label where the terminal has room beside it."""
    if writer.width >= _ROOM_FOR_TWO:
        writer.paragraph(writer.text(text), first=writer.text(label, "bold"), indent=2, hang=_HANG)
    else:
        writer.paragraph(
            writer.text(f"{label}: " if label else "", "bold") + writer.text(text), indent=2
        )


def _spans(chosen: Iterable[str], plan: Plan) -> str:
    """Neighbors as one span: "2.8.0–2.14.0, 2.16.1"."""
    works = (option.release.tensorflow for option in plan.options)
    every = sorted((*works, *(item.release.tensorflow for item in plan.excluded)), key=Version)
    places = sorted(every.index(version) for version in chosen)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(
        every[run[0]] if len(run) == 1 else f"{every[run[0]]}–{every[run[-1]]}" for run in runs
    )


def _write_newest(writer: Writer, plan: Plan, upgrade: Fix | None) -> None:
    needs = newest_needs(plan)
    if not needs:
        return
    ways = list(dict.fromkeys(_phrase("way", each, plan.machine) for each in needs))
    _write_labelled(writer, f"For {plan.excluded[0].release.tensorflow}", "; ".join(ways))
    if upgrade and upgrade.commands:
        writer.whole(
            upgrade.commands, _HANG + 2 if writer.width >= _ROOM_FOR_TWO else 6, "bold cyan"
        )
        _write_labelled(writer, "", upgrade.note)


def _phrase(what: str, obstacle: Obstacle, machine: Machine) -> str:
    expected = obstacle.expected
    shown = expected.removeprefix(">=") if what == "way" else expected.replace(">=", "≥ ")
    pattern: str = table(what).get(obstacle.code, "needs {expected} (you have {observed})")
    return pattern.format(
        expected=shown,
        observed=obstacle.observed,
        newest=expected.rpartition(", ")[2],
        name=obstacle.observed.partition(" ")[0],
        system=table("platforms")[machine.platform],
    )


def _write_ways(writer: Writer, plan: Plan, matrix: Matrix, ways: tuple[Fix, ...]) -> None:
    cross = writer.symbol("✗", "bold red")
    writer.paragraph(writer.text(_nothing_works(plan, matrix), "bold"), first=cross, hang=2)
    for number, way in enumerate(ways, start=1):
        writer.blank()
        writer.paragraph(writer.text(way.title), first=writer.text(f"{number}."), indent=2, hang=3)
        writer.whole(way.commands, 9, "bold cyan")
        if way.note:
            writer.paragraph(writer.text(way.note), indent=5)


def _nothing_works(plan: Plan, matrix: Matrix) -> str:
    machine = plan.machine
    if not plan.excluded and plan.asked:
        known = [each.tensorflow for each in matrix.releases(machine.platform)]
        span = f"{known[-1]} to {known[0]} are" if known else "no version is for this system"
        return f"No TensorFlow {plan.asked} for {table('platforms')[machine.platform]} is known; {span}."
    if all(_WITHOUT_CUDA in {each.code for each in item.because} for item in plan.excluded):
        major = f"cuda{machine.cuda.value.major}" if isinstance(machine.cuda, Known) else "-"
        empty = " and ".join(each for each in matrix.empty_packages() if each.endswith(major))
        said = f" The packages {empty} are empty." if empty else ""
        return f"No TensorFlow for this Python was built with this CUDA. Leave --cuda out.{said}"
    whose = "the machine described" if machine.described else "this machine"
    if plan.beside:
        names = " and ".join(f"{each.framework}{each.specifier}" for each in plan.beside)
        return f"No TensorFlow {plan.asked or 'version'} that works on {whose} is known to share an environment with {names}."
    return f"No TensorFlow {plan.asked or 'version'} works on {whose}."


def _write_excluded(writer: Writer, plan: Plan, *, everything: bool) -> None:
    """Versions with the same first reason on one line; `everything`: all reasons of each version."""
    groups: dict[str, list[str]] = {}
    for item in plan.excluded:
        groups.setdefault(_reason(item, plan, everything=everything), []).append(
            item.release.tensorflow
        )
    for number, (reason, versions) in enumerate(groups.items()):
        label = "Not available" if number == 0 or writer.width < _ROOM_FOR_TWO else ""
        _write_labelled(writer, label, f"{_spans(versions, plan)}: {reason}")


def _reason(item: Excluded, plan: Plan, *, everything: bool) -> str:
    phrases = [_phrase("why", each, plan.machine) for each in item.because]
    return "; ".join(phrases if everything else phrases[:1])
