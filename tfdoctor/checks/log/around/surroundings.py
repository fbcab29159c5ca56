"""What else a log tells that changes the way out: the system that wrote it, a pod, an option that is on, XLA, Ray."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.fitting import fitting
from tfdoctor.checks.log.around.macs import for_a_mac
from tfdoctor.checks.log.around.settings import setting
from tfdoctor.checks.log.first.steps import first_steps
from tfdoctor.checks.log.gpus.drivers import of_the_image
from tfdoctor.checks.log.gpus.stubs import MISMATCHES
from tfdoctor.checks.log.kinds.requires import around_tensorflow
from tfdoctor.checks.log.order.ordered import ordered
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Finding, Fix, Role
from tfdoctor.fixes.shell import shown
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: commands of our own pages, for another shell
from tfdoctor.light.records import replace

_NOT_ON_WINDOWS = Expression(
    r"\b(?:sudo|dmesg|gdb|grep|tail|head|ps -e\w|free -h|fuser|ulimit|journalctl|ldconfig|pgrep|/usr/bin/time)\b|~/"
)
_SET = Expression(r"^export (?P<name>\w{1,60})=(?P<value>\S{0,200})$")
_BEFORE = Expression(r"^(?P<name>[A-Z_]{3,60})=(?P<value>\S{1,100}) (?P<command>python.{1,200})$")
_ASKING = Expression(
    r"^(?P<before>.{1,300}?)\$\((?P<ask>python\S{0,5} -c) '(?P<code>[^']{1,300})'\)(?P<after>.{0,200})$"
)
"""A command that has the shell ask Python for a version and put the answer in."""
_QUOTED = Expression(r"(?:^|(?<= ))'(?P<word>[^'\"%]{1,200})'(?= |$)")
"""Single quotes: the command prompt hands them on to the program."""
_TEE = Expression(r" 2>&1 \| tee (?P<file>\S{1,100})$")
_KEPT = Expression(r""" "tensorflow==\$\(.{1,200}?'\)\"""")
"""Asks the shell which TensorFlow is there, so that pip keeps it; Windows' command prompt asks nobody."""
_OF_DOCKER = '"OOMKilled"'
"""`docker inspect` has it as a key; Kubernetes as a reason or a state."""
_RAY = "pid="
"""In what Ray writes before each line of a worker."""
_AS_IT_IS = "as-is"
_GPU_CREATED = ("gpu-created", "gpu-created-old")

_WITHOUT_XLA = fix("run-once-without-xla-if-then")


def fitted(finding: Finding, case: Case, told: Testimony) -> Finding:
    """The finding with the commands that can be typed where this log was written, the likeliest first."""
    facts, here = case.facts, setting(case, told)
    finding = of_the_image(finding, facts)
    fixes = first_steps(finding, case, told, here)
    if finding.code == "nccl-failed" and any("NCCL WARN" in each.text for each in told.of("nccl-failed")):
        fixes = tuple(each for each in fixes if not any("NCCL_DEBUG=" in line for line in each.commands))
    if finding.code == "container-oom-killed" and _in_a_pod(told):
        fixes = tuple(each for each in fixes if not any("docker" in line for line in each.commands))
    if finding.code == "cuda-context-poisoned" and told.named("xla-compiled"):
        words = " XLA compiled part of this program shortly before, and what it compiled runs on the GPU like any other kernel."
        fixes, finding = (
            (_WITHOUT_XLA, *fixes),
            replace(finding, explanation=f"{finding.explanation}{words}"),
        )
    if isinstance(facts.host.os, Known) and facts.host.os.value == "windows":
        fixes = tuple(fix for each in fixes if (fix := _for_windows(each)) is not None)
    fixes = fitting(finding.code, fixes or finding.fixes, here) if finding.fixes else ()
    finding = for_a_mac(ordered(replace(finding, fixes=fixes), case, told, here), facts)
    return replace(finding, fixes=tuple(map(shown, finding.fixes)))


def _in_a_pod(told: Testimony) -> bool:
    return any("OOMKilled" in each.text and _OF_DOCKER not in each.text for each in told.sayings)


def _for_windows(fix: Fix) -> Fix | None:
    """None where nothing of it can be typed there."""
    commands = [line for each in fix.commands for line in _in_cmd(each) if not _NOT_ON_WINDOWS.search(line)]
    return replace(fix, commands=tuple(commands)) if commands or not fix.commands else None


def _in_cmd(line: str) -> list[str]:
    """A shell's line for Windows' command prompt."""
    if found := _SET.match(line):
        return [f"set {found['name']}={found['value']}"]
    if line.startswith("unset "):
        return [f"set {name}=" for name in line.split()[1:]]
    line = _TEE.sub(r" > \g<file> 2>&1", _keeping(line))
    if found := _BEFORE.match(line):
        return [f"set {found['name']}={found['value']}", found["command"]]
    line = _asking(line)
    return [_QUOTED.sub(lambda found: f'"{found["word"]}"' if _outside(line, found.start()) else found[0], line)]  # fmt: skip


def _outside(line: str, place: int) -> bool:
    """Not within double quotes, where single ones are a part of the word: a marker of pip's is written so."""
    return line.count('"', 0, place) % 2 == 0


def _asking(line: str) -> str:
    """Windows' command prompt puts no answer into a line; its loop over what a command prints does."""
    found = _ASKING.match(line)
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
