"""Two processes in one log, of which one sees the GPU: what differs between them is the answer, and nothing is to be installed."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression  # reads no log: a command that was typed
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.libraries import TO_THE_EDITOR, TO_THE_KERNEL
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Place, place
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

CODE = "cuda-libraries-unreachable"
FOLLOWS = ("cuda-libraries-missing", "image-lacks-cuda-libraries", "cuda-libraries-wrong-version", "tensorflow-cpu-only")  # fmt: skip
"""What a process without the GPU looks like by itself."""
_NONE = ("gpu-libraries-not-opened", "no-gpu-counted", "cuda-libraries-error")
_SEEN = ("gpu-listed", "gpu-created", "gpu-created-old")
_VARIABLE = Expression(
    r"[$#%>] {0,3}(?P<variable>(?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|XLA_FLAGS|PATH))="
)


def sees_the_gpu_elsewhere(facts: Facts) -> Candidate | None:
    """None where no GPU is listed, or none was missed by another process."""
    if gone := shown(facts).gpu_gone:
        return _gone((0, gone))
    said: tuple[Saying, ...] = value_or(facts.log.sayings, ())
    none = [each for each in said if each.name in _NONE]
    listed = [each for each in said if each.name in _SEEN]
    if not none or not listed or shown(facts).service:
        return None
    first, last = (
        (none[-1], listed[0]) if place(none[-1]) < place(listed[0]) else (listed[-1], none[0])
    )
    starts = [
        each
        for each in said
        if each.name == "python-at-a-prompt" and place(first) < place(each) <= place(last)
    ]
    if not starts and first.file == last.file:
        # else one process may say both: another framework, another device
        return (
            _gone(place(last))
            if (first.name, last.name) == ("gpu-listed", "no-gpu-counted")
            else None
        )
    variable = next(
        (found["variable"] for each in starts if (found := _VARIABLE.search(each.text))), ""
    )
    fixes: tuple[Fix, ...] = (act("look", "variables-in-both"),)
    differs = says("cuda-libraries-unreachable", "by-python-or-variable")
    if shown(facts).notebook or shown(facts).editor:
        fixes = (*fixes, *(TO_THE_KERNEL[:2] if shown(facts).notebook else TO_THE_EDITOR))
        differs = says("cuda-libraries-unreachable", "by-a-starter")
    if variable:
        differs = says("cuda-libraries-unreachable", "by-a-variable", variable=variable)
    at, others = (place(none[0]), place(listed[0])), ("wrong-interpreter",)
    return of_page(
        "cuda-libraries-unreachable", "one-of-two", at, others=others, fact="environment.variables", fixes=fixes, values={"differs": differs},
    )  # fmt: skip


def _gone(at: Place) -> Candidate:
    """A list with a GPU, and an empty one after it, and no word of what happened between them."""
    return of_page(
        "cuda-libraries-unreachable", "gone", (at,), sure=Confidence.POSSIBLE, others=("container-lost-gpu", "gpu-hidden"), fact="environment.variables",
        fixes=(act("look", "variables-in-both"), act("look", "gpu-where-program-runs")),
    )  # fmt: skip
