"""Whether somebody wants a GPU, by what a log shows: the one place that decides it. Its words are data/knowledge/facts/wishes.yaml."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression  # reads no log: a command that was typed
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.log.spans import shown, shows_a_gpu
from tfdoctor.judge.log.testimony import Testimony

_WISH = "wish-"
"""How the messages of wishes.yaml are called."""
_BROUGHT = (
    "toolkit-release",
    "smi-banner",
    "gpu-libraries-not-opened",
    "nvidia-wheel-there",
    "conda-cuda-package",
)
"""Other messages of what only a GPU needs, or what only a GPU has TensorFlow say."""
_NAMES_A_GPU = Expression(r"(?i)gpu|\bcuda\b")


def wished(facts: Facts, told: Testimony) -> bool:
    """A GPU was asked for, is named or shown, or the log was written where GPUs are handed out."""
    around = shown(facts)
    said: tuple[Saying, ...] = value_or(facts.log.sayings, ())
    return bool(
        around.no_gpu
        or around.own_gpu
        or around.cards
        or around.device_option
        or around.granted
        or asked(facts)
        or shows_a_gpu(facts)
        or told.named(*_BROUGHT)
        or any(each.told.get("value", "") not in ("", "-1") for each in told.named("cuda-visible-devices"))
        or any(each.name.startswith(_WISH) for each in said)
    )


def asked(facts: Facts) -> bool:
    """The start asked for a GPU, in the words of a container's engine or of the command itself."""
    around = shown(facts)
    return around.asked or any(_NAMES_A_GPU.search(each) for each in around.typed)
