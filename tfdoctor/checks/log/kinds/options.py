"""A command line that a program refused: what it objects to, and where an empty value mostly comes from."""

from __future__ import annotations

import re  # reads no log: an empty value in the words of an option's parser

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.files.parts import AS_A_SCRIPT, EMPTY_LINE
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: an empty value in the words of an option's parser

_EMPTY = Expression(
    r"(?:: |= ?)(?:''|\"\")(?:\s|$|[.,)])|--?[\w-]{1,80}=:|expected one argument|requires (?:an argument|a value)"
)
_LONGEST = 160
_IN_A_CELL = Fix("Give the program its options in a cell, where it looks for those of a command line", note="In a cell above it: import sys; sys.argv = ['', '--data', 'data.csv'], with the names that the line says. With argparse also parser.parse_args(['--data', 'data.csv']).")  # fmt: skip
_KERNELS = ("ipykernel", "kernel_launcher", "xpython")


def refused_options(ending: Ending) -> Candidate:
    """The root of a run that ended before it began, whatever TensorFlow said of the GPU while it was imported."""
    words = ending.what if len(ending.what) <= _LONGEST else f"{ending.what[:_LONGEST]} …"
    if _of_a_kernel(ending):
        return Candidate(
            "exited-nonzero", Confidence.CERTAIN, (place(ending),),
            "A notebook's kernel is started with -f and the name of a file. argparse, optparse and their like read that same line, "
            "where the program's own options are not, and end the program before it does any work.",
            title=f"A program that reads options from its command line is run in a notebook, where it finds the kernel's own: {words.rstrip('.')}.",
        )  # fmt: skip
    program = ending.frame or "The program"
    return Candidate(
        "exited-nonzero", Confidence.CERTAIN, (place(ending),),
        f"{program} reads its own command line, does not take what stands there, and ends before it does any work. What TensorFlow "
        "says of libraries or of the GPU above that line did not end it.",
        title=f"The program refused its command line: {words.rstrip('.')}.",
    )  # fmt: skip


def option_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no command line was refused."""
    refused = [each for each in told.endings if each.how == "refused"]
    if not refused:
        return ()
    last = refused[-1]
    if _of_a_kernel(last):
        return (_IN_A_CELL if "required" in last.what else EMPTY_LINE, AS_A_SCRIPT)
    note = ""
    if _EMPTY.search(last.what):
        note = "The value is empty: mostly a shell variable that is not set there, such as SLURM_ARRAY_TASK_ID outside of an array job."
    title = "Correct the option that the line names in the command that starts the program"
    return (Fix(title, _help(last), note),)


def _of_a_kernel(refused: Ending) -> bool:
    """The program that refused is what starts notebooks' kernels."""
    return any(each in refused.frame for each in _KERNELS)


def _help(refused: Ending) -> tuple[str, ...]:
    """What prints the options that the program takes; () where its name is not told."""
    if not re.fullmatch(r"[\w.-]{1,100}", refused.frame):
        return ()
    if refused.frame.endswith(".py"):
        return (quoted("python", refused.frame, "--help"),)
    return (quoted(refused.frame, "--help"),)
