"""Whose names stand in a log: machines, users and pods, by the places where collectors and schedulers write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import replace
from tfdoctor.render.redact.identity import Identity

_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,8}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LEADING = tuple(
    Expression(form)
    for form in (
        rf"^(?:<\d{{1,3}}>)?{_MONTH} [ \d]\d \d\d:\d\d:\d\d (?P<name>{_NAME}) [^\s:]{{1,60}}: ",
        rf"^\d{{4}}-\d\d-\d\dT[\d:.]{{8,20}}(?:Z|[+-]\d\d:?\d\d) (?!std(?:out|err) )(?P<name>{_NAME}) [^\s:]{{1,60}}: ",
        r"^\s*(?:Node|Node Name|nodeName|Hostname|Local host|Peer host|HOSTNAME|Pod|pod|Namespace|Container ID|Controlled By):\s+(?:\w+/)?(?P<name>[A-Za-z0-9][\w.:/-]{2,250}?)(?:/[\d.]+)?\s*$",
        rf"^(?P<name>{_NAME}):\d{{1,9}}:\d{{1,9}} \[\d{{1,3}}\] NCCL",
        rf"^\(?\w{{0,40}}\)? ?\w[\w.-]{{0,60}}@(?P<name>{_NAME})[:~ ]",
    )
)
"""Hosts, at the beginning of a line."""
_HOSTS = tuple(
    (words, Expression(form))
    for words, form in (
        (("host",), rf"(?:hostname: |diagnostic information for host: |running on this host \()(?P<name>{_NAME})"),
        ((": task",), rf"(?:srun|slurmstepd|sbatch|salloc): (?:error: )?(?P<name>{_NAME}): task"),
        ((" CANCELLED",), rf"\bON (?P<name>{_NAME}) CANCELLED"),
        (("n node",), rf"\b(?:on|On) node:? (?P<name>{_NAME})\b"),
        (("pod/",), r"\[?pod/(?P<name>[a-z0-9][\w.-]{1,250})"),
    )
)  # fmt: skip
"""Hosts anywhere in a line, with words of which such a line holds one: a look for these costs a tenth."""
_NAMED = Expression(r"^\s*Name:\s+(?P<name>[A-Za-z0-9][\w.:/-]{2,250}?)\s*$")
"""Of a pod, a container or a node, as kubectl and docker describe them; and of a package, as `pip show` does, with its version below."""
_VERSION = "Version:"
_LEADING_USER = Expression(r"^\(?\w{0,40}\)? ?(?P<name>[a-z_][\w.-]{1,62})@[A-Za-z0-9][\w.-]{0,62}[:~ ]")
_USERS = tuple(
    (words, Expression(form))
    for words, form in (
        (("/home/", "Users", "/mnt/"), r"(?:/home/|/Users/|\\\\?Users\\\\?|/mnt/[a-z]/Users/)(?P<name>[A-Za-z_][\w.-]{1,62})"),
        (("ser", "SER", "ogname", "OGNAME", "wner", "WNER"), r"(?i)\b(?:user|username|logname|owner)[=:] ?['\"]?(?P<name>[a-z_][\w.-]{1,62})\b"),
    )
)  # fmt: skip
_NOBODY = frozenset({"root", "runner", "ubuntu", "jovyan", "user", "stdout", "stderr", "kernel", "localhost", "none", "null", "true", "false"})  # fmt: skip


def with_names_of(identity: Identity, lines: Iterable[str]) -> Identity:
    """`identity` with the names that these lines tell."""
    hosts: set[str] = set(identity.hosts)
    users: set[str] = set()
    named = ""
    for line in lines:
        if named and not line.startswith(_VERSION):
            hosts.add(named)
        named = "".join(_leading((_NAMED,), line))
        hosts.update(_leading(_LEADING, line), _within(_HOSTS, line))
        users.update(_leading((_LEADING_USER,), line), _within(_USERS, line))
    hosts |= {named} if named else set()
    known = {name for name in hosts if name.lower() not in _NOBODY and not name.isdigit()}
    short = {name.partition(".")[0] for name in known}
    people = tuple(sorted(name for name in users if name.lower() not in _NOBODY))
    return replace(identity, hosts=tuple(sorted(known | short)), people=people)


def _leading(forms: tuple[Expression, ...], line: str) -> Iterator[str]:
    return (found["name"] for form in forms if (found := form.match(line[:4000])) is not None)


def _within(forms: tuple[tuple[tuple[str, ...], Expression], ...], line: str) -> Iterator[str]:
    for words, form in forms:
        if any(word in line for word in words):
            yield from (found["name"] for found in form.finditer(line[:4000]))
