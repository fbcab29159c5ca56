"""Whose names stand in a log: machines, users and pods, by the places where collectors and schedulers write them."""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import replace
from tfdoctor.render.redact.identity import Identity

_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,8}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_HOSTS = tuple(
    Expression(form)
    for form in (
        rf"^(?:<\d{{1,3}}>)?{_MONTH} [ \d]\d \d\d:\d\d:\d\d (?P<name>{_NAME}) [^\s:]{{1,60}}: ",
        rf"^\d{{4}}-\d\d-\d\dT[\d:.]{{8,20}}(?:Z|[+-]\d\d:?\d\d) (?!std(?:out|err) )(?P<name>{_NAME}) [^\s:]{{1,60}}: ",
        rf"(?:hostname: |diagnostic information for host: |running on this host \()(?P<name>{_NAME})",
        rf"(?:srun|slurmstepd|sbatch|salloc): (?:error: )?(?P<name>{_NAME}): task",
        rf"\bON (?P<name>{_NAME}) CANCELLED",
        rf"\b(?:on|On) node:? (?P<name>{_NAME})\b",
        r"^\s*(?:Node|Node Name|nodeName|Hostname|Local host|Peer host|HOSTNAME|Pod|pod|Namespace|Container ID|Controlled By):\s+(?:\w+/)?(?P<name>[A-Za-z0-9][\w.:/-]{2,250}?)(?:/[\d.]+)?\s*$",
        r"\[?pod/(?P<name>[a-z0-9][\w.-]{1,250})",
        rf"^(?P<name>{_NAME}):\d{{1,9}}:\d{{1,9}} \[\d{{1,3}}\] NCCL",
        rf"^\(?\w{{0,40}}\)? ?\w[\w.-]{{0,60}}@(?P<name>{_NAME})[:~ ]",
    )
)
_NAMED = Expression(r"^\s*Name:\s+(?P<name>[A-Za-z0-9][\w.:/-]{2,250}?)\s*$")
"""Of a pod, a container or a node, as kubectl and docker describe them; and of a package, as `pip show` does, with its version below."""
_VERSION = "Version:"
_USERS = tuple(
    Expression(form)
    for form in (
        r"(?:/home/|/Users/|\\\\?Users\\\\?|/mnt/[a-z]/Users/)(?P<name>[A-Za-z_][\w.-]{1,62})",
        r"^\(?\w{0,40}\)? ?(?P<name>[a-z_][\w.-]{1,62})@[A-Za-z0-9][\w.-]{0,62}[:~ ]",
        r"(?i)\b(?:user|username|logname|owner)[=:] ?['\"]?(?P<name>[a-z_][\w.-]{1,62})\b",
    )
)
_NOBODY = frozenset({"root", "runner", "ubuntu", "jovyan", "user", "stdout", "stderr", "kernel", "localhost", "none", "null", "true", "false"})  # fmt: skip


def with_names_of(identity: Identity, lines: Iterable[str]) -> Identity:
    """`identity` with the names that these lines tell."""
    hosts, users, named = set(identity.hosts), set(), ""
    for line in lines:
        hosts |= {named} if named and not line.startswith(_VERSION) else set()
        found_name = _NAMED.search(line[:4000])
        named = found_name["name"] if found_name else ""
        for form in _HOSTS:
            hosts |= {found["name"] for found in form.finditer(line[:4000])}
        for form in _USERS:
            users |= {found["name"] for found in form.finditer(line[:4000])}
    hosts |= {named} if named else set()
    known = {name for name in hosts if name.lower() not in _NOBODY and not name.isdigit()}
    short = {name.partition(".")[0] for name in known}
    people = tuple(sorted(name for name in users if name.lower() not in _NOBODY))
    return replace(identity, hosts=tuple(sorted(known | short)), people=people)
