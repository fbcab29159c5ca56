"""What the user asked to have examined, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfdoctor.probes.system import System


class RequestError(Exception):
    """The request can't be carried out as asked (exit status 2); the message says what, where and what to do."""


@dataclass(frozen=True)
class Request:
    """`python` and `kernel` as typed; `deep` also hashes TensorFlow's files; `child_limit_s` bounds one child."""

    system: System = field(default_factory=System)
    python: str = ""
    kernel: str = ""
    deep: bool = False
    child_limit_s: float = 10.0
