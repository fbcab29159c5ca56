"""Fixes fitted to the log's machine, tools and notebook, and put in order."""

from __future__ import annotations

import re
import shlex

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.broken_installs import around_tensorflow
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.containers import NODES, of_engine
from tfdoctor.checks.log.first_steps import first_steps
from tfdoctor.checks.log.gpus import MISMATCHES, of_the_image
from tfdoctor.checks.log.installed_here import under_its_name, with_a_known_version, without_idle
from tfdoctor.checks.log.macs import for_a_mac
from tfdoctor.checks.log.settings import HOSTS, instead, possible, setting
from tfdoctor.checks.log.spans import machine_of, runs_on, shown
from tfdoctor.checks.log.testimony import Testimony, hung
from tfdoctor.checks.log.words import OWN_RELEASE
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known, known, value_or
from tfdoctor.findings.actions import act, described, is_drawn, is_worded_for, placed, unanswered
from tfdoctor.findings.lines import Variables
from tfdoctor.findings.model import Confidence, Finding, Fix, Role
from tfdoctor.findings.pages import ways_out
from tfdoctor.findings.place import Place
from tfdoctor.findings.shells import typed
from tfdoctor.findings.tools import with_tool
from tfdoctor.fixes.install import install_commands
from tfdoctor.fixes.loading import guarded
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.fixes.shell import shown as surroundings_shown
from tfdoctor.matrix.model import Release
from tfdoctor.records import replace
from tfdoctor.system.expressions import Expression

# Commands of pip in the words of the tool that keeps the user's project: its environment has no pip, or forgets what pip did there.

_OTHER_PYTHON = {
    "uv-project": ("uv python pin {python}", "uv sync"),
    "poetry": ("poetry env use {python}", "poetry install"),
    "pdm": ("pdm use {python}", "pdm install"),
    "pipenv": ("pipenv --rm", "pipenv --python {python} install"),
}
"""How a project gets another Python."""


_BESIDE = Expression(r"^uv venv --python (?P<python>3\.\d{1,2}) [\w.-]{1,80}$")
_OWN = " in a new environment"
_ALLOWED = "The project's file has to allow that Python (python or requires-python in pyproject.toml, python_version in a Pipfile)."
_BROUGHT = "Where that Python is not installed: `python -m pip install uv`, then `uv python install VERSION`."


def in_the_project(fix: Fix, here: Place) -> Fix:
    """A new environment is the project's own, with another Python."""
    beside = _BESIDE.match(fix.commands[0]) if len(fix.commands) == 2 else None
    lines = next((lines for name, lines in _OTHER_PYTHON.items() if here.has(name)), ())
    if not beside or not lines or _OWN not in fix.title:
        return fix
    title = fix.title.replace(_OWN, " in the project's environment")
    commands = tuple(each.format(python=beside["python"]) for each in lines)
    return replace(fix, title=title, commands=commands, note=f"{_ALLOWED} {_BROUGHT}")


# The ways out of a finding as they can be typed where its log was written: what can't exist there is left out.

_ELSEWHERE = Expression(
    r"(?i)\bin(?:side)? (?:the (?:new )?)?(?:WSL|Ubuntu)|PowerShell|\bin windows\b|on the host|on the node|host of this container"
)
"""A fix that says first where else it is typed is right there."""
_ON_THE_HOST = {
    "docker": " (on the host)",
    "kubernetes": " (on the node; whoever runs the cluster can)",
    "apptainer": " (on the host; its administrator can)",
}
_OR = "Or "
_BEFORE_THE_START = Expression(
    r"^export (?:LD_LIBRARY_PATH|LD_PRELOAD)=|^(?:export )?\w{1,40}=\S{0,200}\$\(|^unset LD_LIBRARY_PATH"
)
"""The loader reads its variables when a process starts, and the kernel of a notebook runs before any cell; %env runs no command."""


def fitting(code: str, fixes: tuple[Fix, ...], here: Place) -> tuple[Fix, ...]:
    """Those that can be typed there, what others have to do last; a word of the place where none is left."""
    kept = [fix for each in fixes if (fix := _possible(each, here)) is not None]
    kept = [_on_the_host(each, here) for each in kept]
    if here.has("kubernetes", "apptainer"):
        kept.sort(key=_is_of_others)
    kept = [with_tool(in_the_project(each, here), here) for each in kept]
    if here.hosted:
        kept = [_in_a_cell(typed(each, here)) for each in kept]
    return tuple(map(_without_or, kept)) or (instead(code, here),)


def _without_or(fix: Fix) -> Fix:
    """The first is no alternative to anything, and above each other one a report writes "Or" itself."""
    title = fix.title.removeprefix(_OR)
    return replace(fix, title=title[:1].upper() + title[1:])


_NEW = Expression(r"^\S{1,200} -m venv (?P<folder>\S{1,100})$")


def _in_this_runtime(fix: Fix) -> Fix:
    """A hosted notebook has one environment, so what was meant for a new one goes into it."""
    new = _NEW.match(fix.commands[0]) if fix.commands else None
    if new is None or not all(line.startswith(new["folder"]) for line in fix.commands[1:]):
        return fix
    lines = tuple(f"python{line[line.index(' ') :]}" for line in fix.commands[1:] if " " in line)
    return replace(fix, title=fix.title.replace(_OWN, ""), commands=lines, note="It replaces the version in this runtime. Then restart the runtime.")  # fmt: skip


def _possible(fix: Fix, here: Place) -> Fix | None:
    """In the words of the place; None where it can't be done there."""
    own = _in_this_runtime(fix) if here.hosted else fix
    return placed(own, here) if is_drawn(own) else _kept(own, here)


def _kept(fix: Fix, here: Place) -> Fix | None:
    """Without the lines from the first impossible one on, for each rests on those before it; None where nothing is left."""
    if _ELSEWHERE.search(_place(fix)) and not here.hosted:
        return fix
    if here.hosted and any(_BEFORE_THE_START.search(line) for line in fix.commands):
        return None
    lines: list[str] = []
    for line in fix.commands:
        if not possible(line, here):
            break
        lines.append(line)
    if fix.commands:
        return replace(fix, commands=tuple(lines)) if lines else None
    return fix if possible(fix.note, here) else None


def _on_the_host(fix: Fix, here: Place) -> Fix:
    """Named as the host's where it is: a container can't do it."""
    elsewhere = fix.where or _ELSEWHERE.search(_place(fix)) or _is_of_others(fix)
    if elsewhere or not any(HOSTS.search(line) for line in fix.commands):
        return fix
    of = next((words for name, words in _ON_THE_HOST.items() if here.has(name)), "")
    return replace(fix, title=f"{fix.title}{of}")


def _is_of_others(fix: Fix) -> bool:
    where = ("host" in fix.title or "node" in fix.title) and not fix.where  # of a fix that no table words
    return fix.where in ("host", "node") or where or fix.note.startswith(("On the host", "On the node"))


def _place(fix: Fix) -> str:
    """The title, and the note's first sentence where that says where the fix is typed."""
    first = fix.note.partition(". ")[0]
    return f"{fix.title} {first}" if first.startswith(("In ", "On ")) else fix.title


def _noted(fix: Fix, where: str, commands: tuple[str, ...]) -> Fix:
    """The fix with other commands and `where` they are typed as the first words of its note."""
    return replace(fix, commands=commands, note=f"{where} {fix.note}".strip())


def _in_a_cell(fix: Fix) -> Fix:
    """As a cell of a notebook takes them: a shell of its own for each line keeps no variable."""
    if not fix.commands:
        return fix
    lines = tuple(line for each in fix.commands for line in _cells(each))
    return _noted(fix, "Run it in a notebook cell.", lines)


_PIP = "python -m pip "


def _cells(line: str) -> list[str]:
    if line.startswith(_PIP):
        return [f"%pip {line.removeprefix(_PIP)}"]
    return [line if line.startswith(("%", "!", "import ", "from ")) else f"!{line}"]


# What the paste shows as done already comes last: it did not help, or it was not enough.

_OPTION = Expression(r"--gpus\b|--nv\b|--device nvidia\.com/gpu|--gres=gpu")
"""By which a container or a job asks for a GPU."""
_EDITED = "In your files"
"""A file has to be changed before the command, which so is another one than that which was typed."""
_FILLING = ("sudo", "-y", "--yes", "--assumeyes", "-U", "--upgrade", "--no-cache-dir", "--user", "-q", "-c=0")
_DONE_PIP = Expression(r"^(?:\S{1,200}/)?(?:python[\d.]{0,5} -m pip|pip[\d.]{0,4}) install ")


def done_last(fixes: tuple[Fix, ...], facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """In their order, with those that were done behind the others."""
    around = shown(facts)
    known = [_words(each) for each in around.typed]
    seen = bool(told.named("smi-banner"))
    return tuple(sorted(fixes, key=lambda each: _is_done(each, known, seen=seen, asked=around.asked)))


def _is_done(fix: Fix, known: list[frozenset[str]], *, seen: bool, asked: bool) -> bool:
    if not fix.commands:
        return asked and bool(_OPTION.search(f"{fix.title} {fix.note}"))
    if _EDITED in fix.note:
        return False
    return all(_was_typed(_words(line), known) or (seen and line == "nvidia-smi") for line in fix.commands)


def _was_typed(words: frozenset[str], known: list[frozenset[str]]) -> bool:
    """The very words, or some of those that were typed: one installation may have named more packages."""
    return any(words <= each for each in known)


def _words(line: str) -> frozenset[str]:
    """What is left of a command when its ways of writing are taken off: pip's several names, quotes, options that change nothing here."""
    line = _DONE_PIP.sub("pip install ", line.removeprefix("sudo "))
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation that the paste cuts off
        words = line.split()
    return frozenset(each for each in words if each not in _FILLING)


# A TensorFlow that the log's Python has no wheel for is installed with another Python, in an environment of its own.

_NAMED = Expression(r"\btensorflow(?:\[and-cuda\])?==(?P<version>\d{1,2}\.\d{1,3}\.\d{1,3})\b")
_INSTALLABLE_OWN = Expression(r"-m venv|^uv venv|^conda create|^docker|^py -3")
"""It brings its Python along."""


def installable(fix: Fix, case: Case, here: Place) -> Fix:
    """`fix`, or the same with a Python that the release has; a hosted notebook has one Python alone."""
    python = case.facts.interpreter.version
    row = _release(fix, case)
    if row is None or not isinstance(python, Known) or here.hosted or runs_on(row, case.facts):
        return fix
    for_cpu = isinstance(row.and_cuda, Known) and not any("[and-cuda]" in line for line in fix.commands)
    of_log = machine_from_facts if for_cpu else machine_of
    machine = replace(of_log(case.facts), python=Failed("another one is needed", "missing"))
    note = f"This version has no wheel for the log's Python {python.value.feature}."
    return replace(
        fix, commands=install_commands(row, machine, case.matrix), note=f"{note} {fix.note}".strip()
    )


def _release(fix: Fix, case: Case) -> Release | None:
    """The one that a fix installs into the environment that is there; None for none, and for one that the matrix does not hold."""
    if any(_INSTALLABLE_OWN.search(line) for line in fix.commands):
        return None
    named = next((found["version"] for line in fix.commands if (found := _NAMED.search(line))), "")
    return known(case.matrix.release(named) if named else Failed("none is named", "missing"))


# A variable that a shell is told does not reach the kernel of a notebook: its own description has to hold it.

_LEADS = Expression(r"^export LD_LIBRARY_PATH=|'export LD_LIBRARY_PATH=.{0,600} >> ")
KERNEL = 'python -m ipykernel install --user --name tensorflow-gpu --env LD_LIBRARY_PATH "$LD_LIBRARY_PATH"'
CHOOSE = "A notebook's kernel reads neither the start files of a shell nor bin/activate. The last line writes the variable into a kernel of its own (ipykernel's option --env): choose the kernel tensorflow-gpu in the notebook."


def for_the_kernel(fix: Fix, here: Place) -> Fix:
    """With the step that takes LD_LIBRARY_PATH into the notebook's kernel, where the log is a notebook's."""
    if not here.has("notebook") or here.hosted or here.has("windows", "macos", "kubernetes"):
        return fix
    if KERNEL in fix.commands or not any(_LEADS.search(line) for line in fix.commands):
        return fix
    own = ("python -m pip install ipykernel",) if any("activate" in line for line in fix.commands) else ()
    return replace(fix, commands=(*fix.commands, *own, KERNEL), note=f"{fix.note} {CHOOSE}".strip())


# The free question that decides, before a driver is installed or a machine is restarted.

_DEAR = Expression(
    r"nvidia-driver|\breboot\b|akmod|\bdkms\b|linux-headers|mokutil|libnvidia-compute|nvidia-container-toolkit"
)
"""It changes the system for everybody, or ends all that runs on it."""
_DRIVER_THERE = act("look", "driver")
_WHICH_VERSIONS = act("look", "driver-module-vs-library")
_NEVER_KNOWN = ("driver-library-unreachable",)
"""A process that does not find a library can't tell whether it is there."""
_QUESTIONS_ASKING = ("nvidia-smi", "ldconfig -p")
_STUBS = ("cuinit-stub", "stub-library-name", "stub-library-words", "stubs-on-the-path")
_QUESTIONS_ELSEWHERE = ("windows", "macos", "wsl", "jetson", "docker", "kubernetes", "apptainer")
"""There the driver is the host's, or asked otherwise."""
_FIRST = {
    "driver-missing": _DRIVER_THERE,
    "driver-library-unreachable": _DRIVER_THERE,
    "driver-module-not-loaded": _DRIVER_THERE,
    "driver-versions-differ": _WHICH_VERSIONS,
}


def question_first(finding: Finding, fixes: tuple[Fix, ...], told: Testimony, here: Place) -> tuple[Fix, ...]:
    """Where the cause is not certain and the first way out is expensive: the question of its code, or a way out that is free."""
    own = None if here.hosted or here.has(*_QUESTIONS_ELSEWHERE) else _FIRST.get(finding.code)
    if finding.code in _NEVER_KNOWN and own is not None and fixes:
        asks = any(line.startswith(_QUESTIONS_ASKING) for line in fixes[0].commands)
        return fixes if asks or told.named(*_STUBS) else (own, *fixes)
    if finding.confidence is Confidence.CERTAIN or not fixes or not _is_dear(fixes[0]):
        return fixes
    return tuple(sorted(fixes, key=_is_dear)) if own is None else (own, *fixes)


def _is_dear(fix: Fix) -> bool:
    return any(_DEAR.search(line) for line in fix.commands)


# The ways out in the order of this log: those that can be done here, the free question first, what was done already last.


def ordered(finding: Finding, case: Case, told: Testimony, here: Place) -> Finding:
    """The finding with its ways out in their order. None is lost but for one that another stands for."""
    fixes = tuple(installable(each, case, here) for each in finding.fixes)
    fixes = tuple(typed(for_the_kernel(each, here), here) for each in fixes)
    fixes = done_last(fixes, case.facts, told)
    return replace(finding, fixes=_begun(question_first(finding, fixes, told, here)))


def _begun(fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Without the word that stands between them wherever they are shown, and that is wrong before the first."""
    return tuple(_ordered_without_or(each) for each in fixes)


def _ordered_without_or(fix: Fix) -> Fix:
    title = fix.title.removeprefix(_OR)
    return fix if title == fix.title else replace(fix, title=f"{title[:1].upper()}{title[1:]}")


# What else a log tells that changes the way out: the system that wrote it, a pod, an option that is on, XLA, Ray.

_NOT_ON_WINDOWS = Expression(
    r"\b(?:sudo|dmesg|gdb|grep|tail|head|ps -e\w|free -h|fuser|ulimit|journalctl|ldconfig|pgrep|/usr/bin/time)\b|~/"
)
_BEFORE = Expression(r"^(?P<name>[A-Z_]{3,60})=(?P<value>\S{1,100}) (?P<command>python.{1,200})$")
_SURROUNDINGS_ASKING = Expression(
    r"^(?P<before>.{1,300}?)\$\((?P<ask>python\S{0,5} -c) '(?P<code>[^']{1,300})'\)(?P<after>.{0,200})$"
)
"""A command that has the shell ask Python for a version and put the answer in."""
_QUOTED = Expression(r"(?:^|(?<= ))'(?P<word>[^'\"%]{1,200})'(?= |$)")
"""Single quotes: the command prompt hands them on to the program."""
_TEE = Expression(r" 2>&1 \| tee (?P<file>\S{1,100})$")
_MAKES = Expression(r"^python(?P<version>3(?:\.\d{1,2})?)(?= -m venv )")
_IN_A_NEW_ONE = Expression(r"^(?P<folder>\.?\w[\w.-]{0,80})/bin/(?=\w)")
"""A new environment's programs; Windows has the launcher py, and Scripts for bin."""
_KEPT = Expression(r""" "tensorflow==\$\(.{1,200}?'\)\"""")
"""Asks the shell which TensorFlow is there, so that pip keeps it; Windows' command prompt asks nobody."""
_RAY = "pid="
"""In what Ray writes before each line of a worker."""
_AS_IT_IS = "as-is"
_GPU_CREATED = ("gpu-created", "gpu-created-old")

_WITHOUT_XLA = act("unset-variable", "run-once-without-xla")


def fitted(finding: Finding, case: Case, told: Testimony) -> Finding:
    """The finding with the commands that can be typed where this log was written, the likeliest first."""
    facts, here = case.facts, setting(case, told)
    finding = of_the_image(finding, facts)
    fixes = first_steps(finding, case, told, here)
    if finding.code == "nccl-failed" and any("NCCL WARN" in each.text for each in told.of("nccl-failed")):
        fixes = tuple(each for each in fixes if not any("NCCL_DEBUG=" in line for line in each.commands))
    if finding.code == "cuda-context-poisoned" and told.named("xla-compiled"):
        words = " XLA compiled part of this program shortly before, and what it compiled runs on the GPU like any other kernel."
        fixes, finding = (
            (_WITHOUT_XLA, *fixes),
            replace(finding, explanation=f"{finding.explanation}{words}"),
        )
    if isinstance(facts.host.os, Known) and facts.host.os.value == "windows":
        fixes = tuple(fix for each in fixes if (fix := _for_windows(each, here)) is not None)
    fixes = under_its_name(finding.code, fixes or finding.fixes, facts, case.matrix) if finding.fixes else ()
    fixes = with_a_known_version(fixes, facts, case.matrix)
    fixes = tuple(map(described, without_idle(fixes, facts)))
    fixes = fitting(finding.code, fixes, here) if finding.fixes else ()
    finding = for_a_mac(ordered(replace(finding, fixes=fixes), case, told, here), facts)
    fixes = tuple(guarded(surroundings_shown(each), case.trusts) for each in unanswered(finding.fixes, facts))
    return replace(finding, fixes=fixes)


def _for_windows(fix: Fix, here: Place) -> Fix | None:
    """None where nothing of it can be typed there; as it is where it says that it is typed elsewhere (in WSL)."""
    if is_worded_for(fix, here) or _ELSEWHERE.search(_place(fix)):
        return fix
    commands = [line for each in fix.commands for line in _in_cmd(each) if not _NOT_ON_WINDOWS.search(line)]
    return replace(fix, commands=tuple(commands)) if commands or not fix.commands else None


def _in_cmd(line: str) -> list[str]:
    """A shell's line for Windows' command prompt."""
    if isinstance(line, Variables):
        return [line]
    line = _TEE.sub(r" > \g<file> 2>&1", _keeping(line))
    if found := _BEFORE.match(line):
        return [f"set {found['name']}={found['value']}", found["command"]]
    line = _IN_A_NEW_ONE.sub(r"\g<folder>\\Scripts\\", _MAKES.sub(r"py -\g<version>", _asking(line)))
    return [_QUOTED.sub(lambda found: f'"{found["word"]}"' if _outside(line, found.start()) else found[0], line)]  # fmt: skip


def _outside(line: str, place: int) -> bool:
    """Not within double quotes, where single ones are a part of the word: a marker of pip's is written so."""
    return line.count('"', 0, place) % 2 == 0


def _asking(line: str) -> str:
    """Windows' command prompt puts no answer into a line; its loop over what a command prints does."""
    found = _SURROUNDINGS_ASKING.match(line)
    if found is None:
        return line
    code = found["code"].replace('"', '\\"')
    return f"for /f %v in ('{found['ask']} \"{code}\"') do {found['before']}%v{found['after']}"


def _keeping(line: str) -> str:
    """pip leaves TensorFlow alone where it is not named and what is installed allows that; named alone, it stays, too."""
    rest = _KEPT.sub("", line)
    if rest == line:
        return line
    others = [word for word in rest.partition(" install ")[2].split() if not word.startswith("-")]
    return rest if others else f"{rest} tensorflow"


def ray_hides(told: Testimony) -> bool:
    """Whether those that see no GPU are workers of Ray: it hides all GPUs from one that asks for none."""
    answers = [each for each in told.sayings if each.name.startswith("cuinit-")]
    return bool(answers) and all(_RAY in each.process for each in answers)


def settled(finding: Finding, told: Testimony) -> bool:
    """A worker of Ray that asked for no GPU, while another one has its own, or another TensorRT beside work that was done, and nothing failed."""
    if finding.code == "cuda-libraries-wrong-version":
        said = told.of(finding.code)
        return bool(said) and all(each.name in MISMATCHES for each in said) and told.computed
    if finding.code == "dependency-mismatch":
        return around_tensorflow(told) or _ran_as_it_is(finding.code, told)
    if finding.code == "gpu-computes-wrong":  # Metal gives up a piece of work and goes on
        said = told.of(finding.code)
        went_on = told.computed and not told.ended_badly
        return bool(said) and all(each.name == "metal-command-buffer" for each in said) and went_on
    return (
        finding.code == "gpu-hidden"
        and finding.role is Role.ROOT
        and ray_hides(told)
        and bool(told.named(*_GPU_CREATED))
        and not told.ended_badly
    )


def _ran_as_it_is(code: str, told: Testimony) -> bool:
    """AutoGraph could not read a function, and says that it runs as it is."""
    said = told.of(code)
    return bool(said) and all(_AS_IT_IS in each.text for each in said) and not told.ended_badly


# A log that ends after something began: what it waits for, as far as its last lines tell.

_STACKS = act("look", "program-stacks")
_CODES = {
    "celery": "stalled",
    "nccl": "stalled",
    "server-localhost": "stalled",
    "large-alloc": "host-oom-killed",
}
"""Where the last lines tell what is likely; the other kinds only tell that nothing else is told."""
_TITLES = {
    "celery": "The log ends where a Celery worker began a task: if it is stuck, TensorFlow was usually loaded before Celery forked its workers.",
    "nccl": "The log ends after the GPUs were connected (NCCL): if the program is stuck, they can't reach each other.",
    "server-localhost": "The worker waits for others that can't be reached: every address in its cluster is localhost.",
    "large-alloc": "The log ends right after very large allocations: if the program died there, memory ran out.",
}
_WORDS = {
    "celery": "Celery's default pool forks its workers, without the parent's threads. If the parent imported TensorFlow or loaded the model, the first prediction in a worker waits for those threads forever. A slow first prediction looks the same.",
    "nccl": "NCCL was set up on all GPUs, and neither a step nor an error follows. If it stays like this, the first exchange hangs: usually direct transfers (P2P) that the IOMMU or PCIe switches block, or the driver. A first step that compiles also takes minutes.",
    "server-localhost": "The server waits for all tasks of its cluster. On one machine these addresses are right and another task has not started; across machines localhost is each machine itself, so they never meet.",
    "large-alloc": "tcmalloc reports large allocations, which is no error. But nothing follows, and a program killed for lack of memory can't print anything.",
}
_FIXES: dict[str, tuple[Fix, ...]] = {
    "celery": (
        act("start-otherwise", "run-celery-in-one-process"),
        act("edit-program", "load-model-in-celery-task"),
        _STACKS,
    ),
    "nccl": (
        act("set-variable", "disable-direct-gpu-transfers"),
        act("set-variable", "run-on-one-gpu"),
        _STACKS,
    ),
    "server-localhost": (
        act("set-variable", "use-machines-real-names-in-tf-config"),
        act("look", "test-port"),
        _STACKS,
    ),
    "large-alloc": (
        act("use-less-memory"),
        act("look", "kernel-log-oom"),
    ),
}


def open_end(facts: Facts, told: Testimony) -> Candidate | None:
    """A rule of thumb where no cause and no end is told; None where the last lines do not tell what is likely."""
    end = facts.log.open_end
    others = any(code != "killed-by-user" for code in told.codes)
    if not isinstance(end, Known) or end.value.kind not in _CODES or others:
        return None
    if not (hung(facts) or (not told.codes and not told.endings)):
        return None
    kind, at = end.value.kind, (end.value.file, end.value.line)
    return Candidate(_CODES[kind], Confidence.POSSIBLE, (at,), _WORDS[kind], title=_TITLES[kind])


def open_end_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the code does not rest on the log's end."""
    found = open_end(facts, told)
    end = facts.log.open_end
    return (
        _FIXES[end.value.kind] if found is not None and found.code == code and isinstance(end, Known) else ()
    )


def unfinished(facts: Facts, told: Testimony) -> str:
    """What to say of a log that ends too early, for a headline; "" of another."""
    if told.cut:
        return f"The log ends within a traceback (line {told.endings[-1].line}), before its error. Add the lines that follow: the last one says what failed."
    end = known(facts.log.open_end)
    if end is None:
        return ""
    after = {
        "epoch": "after an epoch began, before its first step",
        "progress": "before the first step of its progress bar",
        "server": "where a server of the cluster waits for its other tasks",
        "shuffle": "while a shuffle buffer is being filled",
        "nccl-alone": "where NCCL was set up, before any step",
        "gpus": "where several GPUs begin to work together, before any step",
        "celery": "where Celery's worker began a task",
        "stopped": "in ^C, before any step",
    }[end.kind]
    then = {
        "server": "If it is stuck there, another task has not started or can't be reached: check its log and the addresses in TF_CONFIG.",
        "gpus": "If it is stuck there, the GPUs can't reach each other, usually because of NCCL's direct transfers (P2P), an IOMMU, or ACS: try NCCL_P2P_DISABLE=1, then one GPU (CUDA_VISIBLE_DEVICES=0); NCCL_DEBUG=INFO shows where it waits. Or the first step is still compiling.",
        "shuffle": "If the program (or the notebook kernel) died there, memory ran out: use a smaller number in .shuffle(…), or shuffle file names before the files are read. If it is still running, wait until the buffer is full.",
        "stopped": "Someone pressed Ctrl-C; or, in a notebook cell (Colab, Kaggle), the platform ended the command, usually because RAM ran out: the RAM curve shows that. If you stopped it because it was stuck, `py-spy dump` shows where in the next run.",
        "nccl-alone": "If it is stuck there, try NCCL_P2P_DISABLE=1, then one GPU.",
    }.get(
        end.kind,
        "The first step takes minutes if it compiles or fills buffers. If the program ended there, this log does not show how (exit status, kernel log); if it is stuck, `py-spy dump` shows where.",
    )
    return f"The log ends {after} (line {end.line}), without a failure or an end. {then}"


# A page's commands for the release that wrote the log.

_KEEPING = (
    "tensorflow-install-broken", "tensorflow-cpu-only", "tensorflow-mixed-distributions", "dependency-mismatch",
    "and-cuda-extra-lost", "custom-op-mismatch", "native-crash", "image-lacks-cuda-libraries", "cuda-libraries-missing",
    "cuda-libraries-wrong-version", "cudnn-incomplete",
)  # fmt: skip
"""Codes whose page installs the release that is there once more, or adds to it."""
_EXAMPLE = Expression(r"tensorflow(?P<extra>\[and-cuda\])?==(?P<version>\d[\w.]{1,20})")
_DOCKERFILE = "In your files: FROM "
"""A page's example of a Dockerfile, which begins with an image of its own."""
_PINNED = Expression(r"nvidia-[\w-]{3,40}[=<]=?\d|cuda-libraries-\d")


def adapted(code: str, case: Case) -> tuple[Fix, ...]:
    """The page's, with the log's own release; commands for another release's libraries are left out."""
    if code not in _KEEPING:
        return ways_out(code)
    own = value_or(case.facts.tensorflow.version, "")
    fitting = []
    for way in (each for each in ways_out(code) if not each.note.startswith(_DOCKERFILE)):
        named = {found["version"] for line in way.commands for found in _EXAMPLE.finditer(line)}
        others = any(_PINNED.search(line) for line in way.commands) or any(
            each in way.title for each in named
        )
        if not others:
            fitting.append(replace(way, commands=tuple(_with_release(line, own) for line in way.commands)))
    return tuple(fitting)


def _with_release(line: str, own: str) -> str:
    def put(found: re.Match[str]) -> str:
        extra = found["extra"] or ""
        return f"tensorflow{extra}=={own}" if own else f"tensorflow{extra}"

    if _EXAMPLE.search(line) and not own and "[and-cuda]" not in line:
        return _EXAMPLE.sub(lambda _: f'"tensorflow=={OWN_RELEASE}"', line)
    return _EXAMPLE.sub(put, line)


# What the place needs: Docker's toolkit for GPUs, a Python that TensorFlow has wheels for.

_WITHOUT_TOOLKIT = ("docker-no-device-driver", "docker-unknown-runtime", "docker-invalid-runtime", "toolkit-program-missing")  # fmt: skip


def toolkit(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where Docker itself says that it knows no such device, the host lacks the toolkit; to start the container again is no way."""
    if told.named("kubernetes-insufficient-gpu"):
        return NODES
    if not told.named(*_WITHOUT_TOOLKIT):
        return of_engine(case.facts) or _asked_in_vain(case)
    install = [
        each
        for each in ways_out("container-without-gpu")
        if any("nvidia-ctk" in line for line in each.commands)
    ]
    title = "Install the NVIDIA Container Toolkit (on the host)"
    note = "First add NVIDIA's repository, as its installation guide shows."
    return tuple(replace(each, title=title, note=note) for each in install)


def _asked_in_vain(case: Case) -> tuple[Fix, ...]:
    """() where the start of the container is not seen to have asked for a GPU."""
    if not shown(case.facts).asked:
        return ()
    title = "Test the GPU in a plain container (on the host)"
    first, *others = ways_out("container-without-gpu")
    return (replace(first, title=title), *others)


def pythons(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release that was asked for, with a Python that it has wheels for; or the newest where any was asked for."""
    said = next((each for each in told.of("python-unsupported") if "wanted" in each.told), None)
    exact = re.fullmatch(r"==(?P<version>\d[\w.]{1,20})", said.told["wanted"]) if said else None
    row: Fact[Release] = Failed("any release", "missing")
    if said is not None and exact is not None:
        name = said.told.get("package", "tensorflow").lower().replace("_", "-")
        own = case.matrix.release(exact["version"], name)
        row = own if isinstance(own, Known) else case.matrix.release(exact["version"])
    if not isinstance(row, Known):
        return ()
    machine = replace(machine_from_facts(case.facts), python=Failed("another one is needed", "missing"))
    return (
        Fix(
            f"Create an environment for TensorFlow {row.value.tensorflow}",
            install_commands(row.value, machine, case.matrix),
            "If that Python is not installed: `uv venv --python VERSION`.",
        ),
        *ways_out("python-unsupported")[:1],
    )
