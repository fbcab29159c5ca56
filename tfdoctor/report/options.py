"""What is demanded of one examination."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.base.records import field, record
from tfdoctor.judge.engine.policy import Policy

# The whole command's time limits, where none is given.
WITH_TENSORFLOW_S, WITHOUT_TENSORFLOW_S = (
    120.0,
    20.0,
)


@record
class Options:
    """What is demanded of the examination. `ignore` maps codes to reasons; `timeout_s` None: the default.

    settings: the file that some of it is from, "" where there is none.
    """

    smoke: str = "auto"
    policy: Policy = field(default_factory=Policy)
    ignore: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    settings: str = ""

    @property
    def limit_s(self) -> float:
        return limit_of(self.smoke, self.timeout_s)


def limit_of(smoke: str, timeout_s: float | None) -> float:
    """Seconds that the whole command may take."""
    if timeout_s is not None:
        return timeout_s
    return WITH_TENSORFLOW_S if smoke in ("auto", "tf") else WITHOUT_TENSORFLOW_S
