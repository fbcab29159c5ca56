"""What a program that ran needs: a smaller batch, no second process, a file without locks, the reading of its own error."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.ends import behind_a_stop
from tfdoctor.checks.log.gpu_memory import dumps_of_gpus
from tfdoctor.checks.log.kinds.weights import weights_fixes
from tfdoctor.checks.log.modules.absent import module_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.uncaught import uncaught_fixes, with_a_place
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.batch import largest_batch, most_of_this_batch
from tfdoctor.light.records import replace
from tfdoctor.signatures.own_errors import MODULE

_WITHOUT_LOCKS = ("5", "37", "38", "95", "524")
"""errno of a file system that has no locks to give (Linux, asm-generic/errno.h); 11 and macOS' 35 are somebody else's lock."""


def smaller_batch(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """By this run's numbers, before the page's ways: by its steps, else by what the allocator could not give."""
    if built := weights_fixes(told):
        return built
    page = ways_out("gpu-out-of-memory")
    training = case.facts.death.training
    known = training.value if isinstance(training, Known) else None
    line = largest_batch(known) if known is not None else None
    if isinstance(line, Known) and line.value.share < 1 and isinstance(line.value.batch, Known):
        seen = "By what earlier steps of this run took: a line through the memory that is held whatever the batch and a step's peak."
        return (Fix(f"Use a batch of {line.value.batch.value:,} at most", note=seen), *page)
    share = most_of_this_batch(dumps_of_gpus(case.facts))
    if share is None:
        return page
    bound = "An upper bound: at least what was in use and what was asked for were needed, and the step might have asked for more."
    batch = known.batch if known is not None else None
    if isinstance(batch, Known):
        most = int(share * batch.value)
        return (Fix(f"Use a batch of {most:,} at most, in place of {batch.value:,}", note=bound), *page)
    return (Fix(f"Use at most {int(share * 100)} % of this batch", note=bound), *page)


def read_it(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """What the general rules say of the last exception, with the package of a module that is not installed."""
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised:
        return ()
    last = behind_a_stop(told, raised[-1])
    general = uncaught_fixes(case.facts, last, with_a_place(raised, last))
    missing = MODULE.search(last.what)
    if missing is not None and not last.package:
        return (*module_fixes(case.facts, last, missing["module"]), *general[:1])
    return general


def without_locks(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where the file system can't lock, looking for another process finds none."""
    page = ways_out("file-locked")
    unlocked = [each for each in page if any("HDF5_USE_FILE_LOCKING" in line for line in each.commands)]
    if any(each.told.get("number") in _WITHOUT_LOCKS for each in told.of("file-locked")):
        title = "Read and write without locks, for the file system has none. Two writers at once would damage the file"
        return tuple(replace(each, title=title) for each in unlocked)
    return ()


def growth_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() for what is only set too late."""
    if not told.named("growth-differs"):
        return ()
    return (
        fix("ask-for-memory-growth-on-every"),
        fix("where-program-not-own-show-one"),
    )  # fmt: skip
