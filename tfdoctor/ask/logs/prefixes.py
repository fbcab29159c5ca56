"""Who wrote a line, and the line without what a collector put before it.

Journals, syslog, container runtimes, Kubernetes, MPI, Slurm, Ray and CI each put a time, a host, a rank or a name before
what a program wrote. Any of them may stand inside another.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from tfdoctor.ask.logs.forms.colab import ROW
from tfdoctor.base.expressions import Expression

_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_STAMP = r"\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_ANY_MONTH = r"[^\W\d_]{3,5}\.?"
"""journalctl writes the month in the user's language ("lip", "févr.", "Okt")."""

# Each has its group "who" where it names a process. Tried one after the other, and again on what is left.
_ALWAYS = (
    ROW,
    *(
        Expression(form)
        for form in (
            rf"(?:<\d{{1,3}}>)?(?:{_ANY_MONTH} [ \d]\d \d\d:\d\d:\d\d|{_ISO}) (?!std(?:out|err) )\S{{1,255}} (?!kernel: )[^\s:\[\]]{{1,60}}(?:\[(?P<who>\d{{1,9}})\])?: ",  # syslog, journald
            rf"(?:{_MONTH} [ \d]\d \d\d:\d\d:\d\d|{_ISO}) \S{{1,255}} kernel: ",
            rf"{_ISO} (?:stdout|stderr) [FP] ",  # CRI
            rf"{_ISO} ?(?:\||\t)? ?(?=\S|\s|$)",  # GitHub Actions and other CI, `docker logs -t`
            rf"\[?{_STAMP}\]?[ \t]{{1,2}}(?=\S|\s|$)(?![IWEF] tensorflow)",
            r"\[\d{1,6},(?P<who>\d{1,6})\]<std(?:out|err)>:? ?",  # mpirun --tag-output
            rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} [ \d]\d \d\d:\d\d:\d\d \d{{4}}\[(?P<who>\d{{1,6}})\]<std(?:out|err)>:? ?",  # horovodrun
            r"\[(?P<who>\d{1,6})\]<std(?:out|err)>:? ?",
            r"\[(?P<who>rank ?\d{1,6})\]:? ?",
            r"\[pod/(?P<who>[\w./-]{1,250})\] ",  # kubectl logs --prefix
            r"\((?P<who>(?:[\w.]{1,60} )?pid=\d{1,9})(?:, ip=[\d.]{7,15})?\) ",  # Ray
            r"\((?P<who>raylet)(?:, ip=[\d.]{7,15})?\) ",
            r"\d{1,9} \| \d{10,13} \| ",
            r"(?P<who>[A-Za-z][\w.-]{0,60}) \| \d\d:\d\d:\d\d(?:[.,]\d{1,9})? ",  # application platforms (DigitalOcean)
            r"(?:> ?){1,8}(?=\S|$)(?!>> )",  # a quotation; not Python's prompt
        )
    ),
)
_RANK = Expression(r" {0,6}(?P<who>\d{1,6}): ?")  # srun --label
# mpiexec -prepend-rank, concurrently
_BRACKETED = Expression(r"\[(?P<who>(?:[A-Za-z][\w.-]{0,40}[-_.]?)?\d{1,4})\]:? ")
_SERVICE = Expression(r"\A(?P<who>[\w.-]{1,60}?) {0,40}\| ?")  # docker compose, foreman
# It numbers the containers of a service.
_OF_COMPOSE = Expression(r"[\w.-]{1,60}[_-]\d{1,3} {1,40}\| ")
_LAUNCHERS = ("srun: ", "slurmstepd")  # what they say themselves has no rank
_USUAL = 0.6  # of the first lines have it: then it is a prefix


class Prefixes:
    """Learns from the first lines which of the doubtful prefixes this log has."""

    def __init__(self, sample: Iterable[str]) -> None:
        lines = [line for line in sample if line.strip() and not line.startswith(_LAUNCHERS)][:400]
        self.of_colab = any(ROW.match(line) for line in lines)
        self._doubtful = [form for form in (_RANK, _BRACKETED, _SERVICE) if _usual(form, lines)]
        self.of_compose = _SERVICE in self._doubtful and any(
            _OF_COMPOSE.match(line) for line in lines
        )

    def parted(self, line: str) -> tuple[str, str]:
        """(process, text)."""
        who = ""
        for _ in range(4):
            before = line
            for form in (*_ALWAYS, *self._doubtful):
                found = form.match(line)
                if found and found.end():
                    line = line[found.end() :]
                    who = found.groupdict().get("who") or who
            if line == before:
                break
        return who, line


def _usual(form: Expression, lines: list[str]) -> bool:
    """Most lines have it, and it names few. "0: " before one line is a result; before all it is a rank."""
    named = Counter(found["who"] for line in lines if (found := form.match(line)))
    total = sum(named.values())
    return total >= 3 and total > len(lines) * _USUAL and len(named) <= max(2, total / 3)


def of_json(line: str) -> str:
    """The message of a line of Docker's json-file or a collector's."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(document, dict):
        return line
    for key in ("log", "message", "textPayload", "msg"):
        if isinstance(document.get(key), str):
            return str(document[key]).rstrip("\n")
    return line
