"""Every finding code with its words, as its page in docs/codes says: compiled by `make knowledge`.

The one vocabulary of all commands. A code is never reused for another meaning, nor are two merged. A code that concerns
the GPU alone is lowered to info by `--no-require-gpu`. Families and codes stand in the order in which faults have to be
fixed.
"""

from __future__ import annotations

from pathlib import Path

from tfdoctor.base.records import record
from tfdoctor.knowledge.compiled import compiled
from tfdoctor.knowledge.model import Severity

COMPILED = Path(__file__).parent / "codes.json"


@record
class Code:
    """One entry of the vocabulary. `name`: what it means in one sentence, for lists. `explanation`: Markdown.

    logs_only: no check of a machine finds it. effects: the codes that follow from it wherever it is found; `effects_in_logs` besides, where codes show in a program's
    output or in the way it ends.
    """

    code: str
    family: str
    name: str
    explanation: str
    severity: Severity
    gpu_only: bool
    logs_only: bool
    fixes: tuple[tuple[str, str], ...]
    effects: frozenset[str]
    effects_in_logs: frozenset[str]


_READ = compiled(COMPILED)
FAMILIES: dict[str, str] = _READ["families"]
"""Each with what its codes speak of."""
CODES: dict[str, Code] = {
    name: Code(
        name,
        said["family"],
        said["name"],
        said["explanation"],
        Severity(said["severity"]),
        said["gpu_only"],
        said["logs_only"],
        tuple((kind, what) for kind, what in said["fixes"]),
        frozenset(said["effects"]),
        frozenset(said["effects_in_logs"]),
    )
    for name, said in _READ["codes"].items()
}
EFFECTS: dict[str, frozenset[str]] = {name: code.effects for name, code in CODES.items()}
EFFECTS_IN_LOGS: dict[str, frozenset[str]] = {
    name: code.effects | code.effects_in_logs for name, code in CODES.items()
}
