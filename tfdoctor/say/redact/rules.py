"""The rules of redaction, from the surest to the vaguest: what each looks for, and what takes its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdoctor.base.records import record
from tfdoctor.say.redact import keys, named, patterns
from tfdoctor.say.redact.identity import is_distinctive
from tfdoctor.say.redact.rule import Placeholders, Replace, Rule, Token

_USUAL = (
    *(
        patterns.SHAPE_SK,
        patterns.SHAPE_TWILIO,
        keys.LINE,
        patterns.SERIAL,
        patterns.GPU_UUID,
        patterns.UUID,
        patterns.MAC,
        patterns.IPV6,
        patterns.IPV4,
    ),
    *(
        patterns.OWNED,
        patterns.USER_AT_HOST,
        patterns.NAMED_USER,
        patterns.EXPORT,
        patterns.FOREIGN_HOST,
        patterns.NAMED_HOST,
    ),
)  # what a report of any machine makes needed: it has dots, colons, hyphens, an "@", "hostname", and "serialize" of a processor
_NEAR = 80  # characters around a number that tell whether it is an address or a version


def compile_usual() -> None:
    """Compiles what nearly every report needs, ahead of it: 4 ms (Python 3.11, 2026-11-23)."""
    for each in _USUAL:
        _ = each.compiled


def _hiding(holders: Placeholders) -> tuple[Replace, Replace]:
    """What stands for all that was found, and for its value alone."""

    def whole(match: re.Match[str]) -> list[str]:
        return [holders.of("secret", match[0])]

    def part(match: re.Match[str]) -> list[str]:
        return _within(match, match.span("value"), holders.of("secret", match["value"]))

    return whole, part


def key_rules(holders: Placeholders) -> Iterator[Rule]:
    """Private keys, before all else: what is known of their lines would cut the blocks."""
    whole, number = _hiding(holders)
    yield Rule(keys.BLOCK, whole, ("-----begin",))
    yield Rule(keys.OF_PUTTY, whole, ("private-lines",))
    yield Rule(keys.OF_JSON, number, holds=('kty"', "kty'", 'kty\\"'))
    yield keys.Tail(keys.TAIL, whole, ("-----end",))
    yield keys.Body(keys.LINE, whole)


@record(eq=False)
class Manifest(Rule):
    """The entries of a Kubernetes Secret, which its kind tells, not their names."""

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        if "secret" not in lowered or not patterns.SECRET_OF_KUBERNETES.search(text):
            return
        entry = patterns.ENTRY_OF_KUBERNETES.compiled
        for part in patterns.DATA_OF_KUBERNETES.compiled.finditer(text):
            yield from entry.finditer(text, *part.span())


def secret_rules(holders: Placeholders, address: Replace) -> Iterator[Rule]:
    """What nobody may read, whoever's it is. `address` says what stands for a login and its host."""
    whole, part = _hiding(holders)

    def by_name(match: re.Match[str]) -> list[str] | None:
        start, end = span = named.value_of(match)
        return _within(match, span, holders.of("secret", match.string[start:end]))

    # what an argument says is looked for before addresses and hosts go, which may stand between a program and it
    yield from (Rule(form, part, begins, holds) for begins, holds, form in patterns.PROGRAMS)
    yield Rule(patterns.KEY_PAIR, part, holds=("akia", "asia", "ltai", "akid", '"ac', "'ac"))
    yield Manifest(patterns.DATA_OF_KUBERNETES, part, holds=("data",))
    yield Rule(patterns.CONNECTED, part, ("connect(",))
    yield Rule(patterns.WEBHOOK, part, patterns.WEBHOOK_BEGINS)
    yield Rule(patterns.URL, address, ("://",))
    yield Rule(patterns.HEADER, part, patterns.HEADER_BEGINS, (":", "="))
    yield Rule(patterns.SHAPE, whole, patterns.SHAPE_BEGINS, apart=True)
    yield Rule(patterns.SHAPE_SK, whole, ("sk-",), apart=True)
    yield Rule(patterns.SHAPE_AROUND, whole, holds=patterns.SHAPE_HOLDS)
    yield Rule(patterns.SHAPE_TWILIO, whole)
    yield Rule(patterns.BY_PIPE, part, ("echo", "printf"), patterns.BY_PIPE_HOLDS)
    yield Rule(patterns.TO_CHPASSWD, part, ("echo", "printf"), ("chpasswd",))
    yield Rule(patterns.HERE_STRING, part, patterns.HERE_STRING_BEGINS, ("<<<",))
    yield Rule(patterns.SECURE_STRING, part, ("convertto-securestring",))
    yield Rule(patterns.SENT, part, ("pass",), ("send",))
    yield Rule(patterns.PGPASS, part, holds=(":5432:", ":5433:", ":6432:", ":*:"))
    yield Rule(patterns.OTHER_LANGUAGES, part, patterns.OTHER_LANGUAGES_BEGIN)
    yield Rule(patterns.USER_LOGIN, part, patterns.USER_LOGIN_BEGINS, (":",))
    yield Rule(named.LOGIN_CALL, by_name, named.LOGIN_CALL_BEGINS, ("(",))
    yield Rule(patterns.WORKING_FOLDER_OR_SECRET, part, ("pwd",))
    yield Rule(patterns.BEARER, part, patterns.BEARER_BEGINS)
    yield Rule(patterns.PARAMETER, part, patterns.PARAMETER_BEGINS, patterns.PARAMETER_HOLDS)
    yield named.Named(named.ASSIGNED, by_name, named.ROOTS)
    yield Rule(patterns.NETRC, part, ("login",))
    yield Rule(patterns.CHANNEL, part, ("/t/",))


def _within(match: re.Match[str], span: tuple[int, int], token: Token) -> list[str]:
    """The match with what stands at `span` of the text replaced."""
    start, end = span
    return [match.string[match.start() : start], token, match.string[end : match.end()]]


def machine_rules(holders: Placeholders, versions: frozenset[str]) -> Iterator[Rule]:
    """Numbers that stand for one machine or one device."""

    def ipv4(match: re.Match[str]) -> list[str] | None:
        before = match.string[max(match.start() - _NEAR, 0) : match.start()]
        after = match.string[match.end() : match.end() + _NEAR]
        known = patterns.is_private_ipv4(match[0], before, after, versions)
        return [holders.of("ip", match[0])] if known else None

    def ipv6(match: re.Match[str]) -> list[str] | None:
        return [holders.of("ip", match[0])] if patterns.is_private_ipv6(match[0]) else None

    def serial(match: re.Match[str]) -> list[str]:
        return _within(match, match.span("value"), holders.of("gpu-serial", match["value"]))

    yield Rule(
        patterns.GPU_UUID, lambda match: [holders.of("gpu-uuid", match[0])], ("gpu-", "mig-")
    )
    yield Rule(patterns.UUID, lambda match: [holders.of("uuid", match[0])], holds=("-",))
    yield Rule(patterns.SERIAL, serial, ("serial", "s/n"))
    yield Rule(patterns.MACHINE_NUMBER, serial, patterns.MACHINE_NUMBER_BEGINS)
    yield Rule(patterns.MAC, lambda match: [holders.of("mac", match[0])], holds=(":", "-"))
    yield Rule(patterns.IPV6, ipv6, holds=(":",))
    yield Rule(patterns.IPV4, ipv4, holds=(".",))
    yield Rule(patterns.ADDRESS_IN_NAME, lambda match: [holders.of("host", match[0])], ("ip-",))


def people_rules(holders: Placeholders, installed: frozenset[str]) -> Iterator[Rule]:
    """Homes and logins of anybody."""

    def home(match: re.Match[str]) -> list[str] | None:
        if match["name"].casefold() in patterns.SHARED_HOMES or match["name"].startswith("<"):
            return None
        return [match["base"], holders.of("user", match["name"])]

    def maybe_home(match: re.Match[str]) -> list[str] | None:
        name, base = match["name"] or match["full"], match["base"] or match["mixed"]
        things = name.casefold() in patterns.FOLDERS_OF_THINGS
        return (
            [base, holders.of("user", name)]
            if not things and is_distinctive(name, installed)
            else None
        )

    def owned(match: re.Match[str]) -> list[str] | None:
        name = match[0].casefold()
        nobodys = name in patterns.SYSTEM_FOLDERS or name in patterns.FOLDERS_OF_THINGS
        return (
            [holders.of("user", match[0])]
            if not nobodys and is_distinctive(name, installed)
            else None
        )

    def named(match: re.Match[str]) -> list[str] | None:
        name = match["name"]
        return (
            [match["before"], holders.of("user", name)] if is_distinctive(name, installed) else None
        )

    def user_at_host(match: re.Match[str]) -> list[str] | None:
        if match["host"].rsplit(".", 1)[-1] in patterns.UNITS or match["user"] == "git":
            return None
        return [holders.of("user", match["user"]), "@", holders.of("host", match["host"])]

    def share_of(match: re.Match[str]) -> list[str] | None:
        """A hidden share of Windows' is named for its user, but for the system's own."""
        if match["name"].casefold() in patterns.SHARES:
            return None
        host, user = holders.of("host", match["host"]), holders.of("user", match["name"])
        return [match["before"], host, match["gap"], user]

    yield Rule(patterns.WINDOWS_HOME, home, ("users",))
    yield Rule(patterns.UNC_HOME, home, ("\\\\",))
    yield Rule(patterns.UNC_SHARE_OF_SOMEBODY, share_of, ("\\\\",), ("$",))
    yield Rule(patterns.HOME_OF_SOMEBODY, home, patterns.HOME_BEGINS)
    yield Rule(patterns.MAYBE_A_HOME, maybe_home, patterns.MAYBE_BEGINS)
    yield Rule(
        patterns.OWNED, owned, holds=("/.", "conda", "miniforge", "mambaforge", "micromamba")
    )
    yield Rule(patterns.TILDE, lambda match: ["~", holders.of("user", match["name"])], ("~",))
    yield Rule(patterns.USER_AT_HOST, user_at_host, holds=("@",))
    yield Rule(patterns.NAMED_USER, named, ("user", "logname"))


def account_rules(holders: Placeholders, installed: frozenset[str]) -> Iterator[Rule]:
    """Users and groups, as `id` and `ls -l` print them."""

    def account(name: str) -> list[str]:
        known = name.casefold() in patterns.SYSTEM_ACCOUNTS or not is_distinctive(name, installed)
        return [name] if known else [holders.of("user", name)]

    def accounts(match: re.Match[str]) -> list[str]:
        out, last = [], 0
        for each in patterns.ACCOUNT.finditer(match[0]):
            out += [match[0][last : each.start()], *account(each[0])]
            last = each.end()
        return [*out, match[0][last:]]

    def listed(match: re.Match[str]) -> list[str]:
        return [match["before"], *account(match["user"]), match["gap"], *account(match["group"])]

    yield Rule(patterns.ACCOUNTS, accounts, ("uid=", "euid=", "gid=", "egid=", "groups="))
    yield Rule(patterns.LISTED, listed, patterns.LISTED_BEGINS)


_TOLD = re.compile(r"(?i)addr|fqdn|=")
"""Behind these a host's name stands, and no word of a sentence."""


@record(eq=False)
class Peer(Rule):
    """A host whose port is told: looked for where a text has one."""

    def may_match(self, lowered: str) -> bool:
        return super().may_match(lowered) and patterns.PORT.search(lowered) is not None


def _is_odd(host: str) -> bool:
    """Whether it can't be a word."""
    return any(char in ".-0123456789" for char in host)


def host_rules(holders: Placeholders, installed: frozenset[str]) -> Iterator[Rule]:
    """Names of machines that nobody has named to us."""

    def foreign(match: re.Match[str]) -> list[str] | None:
        return [holders.of("host", match[0])] if patterns.is_foreign_host(match[0]) else None

    def named(match: re.Match[str]) -> list[str] | None:
        host = match["host"]
        if host.casefold() == "localhost" or not (
            _is_odd(host) or (_TOLD.search(match["before"]) and is_distinctive(host, installed))
        ):
            return None
        return [match["before"], holders.of("host", host)]

    def export(match: re.Match[str]) -> list[str] | None:
        return [holders.of("host", match["host"]), ":"] if _is_odd(match["host"]) else None

    def share(match: re.Match[str]) -> list[str] | None:
        if match["host"].casefold().startswith("wsl"):
            return None  # \\wsl.localhost and \\wsl$ are Windows' own names
        return [match["before"], holders.of("host", match["host"])]

    def peer(match: re.Match[str]) -> list[str] | None:
        host = match["host"]
        ordinary = not is_distinctive(host.partition(".")[0], installed) or patterns.is_public(host)
        return (
            None
            if ordinary
            else [
                match["before"],
                holders.of("host", host),
                match.string[match.end("host") : match.end()],
            ]
        )

    yield Rule(patterns.LICENSE_SERVER, peer, ("license", "lic_file"), ("@",))
    yield Peer(patterns.QUOTED_PEER, peer, ('"', "'"), (":",))
    yield Peer(patterns.TOLD_PEER, peer, patterns.TOLD_PEER_BEGINS, (":", " port "))
    yield Rule(patterns.SHARE, share, ("\\\\",))
    yield Rule(patterns.EXPORT, export, holds=(":/",))
    yield Rule(patterns.NAMED_HOST, named, patterns.NAMED_HOST_BEGINS)
    yield Rule(patterns.FOREIGN_HOST, foreign, holds=(".",))


def login(match: re.Match[str], holders: Placeholders) -> list[str] | None:
    """The login of an address; its host stays."""
    said = match["login"]
    return _within(match, match.span("login"), holders.of("secret", said)) if said else None


def login_and_host(match: re.Match[str], holders: Placeholders) -> list[str] | None:
    """Both. A host that is a number is left to the rule of such addresses."""
    host, before = match["host"] or "", login(match, holders)
    above = match.string[max(match.start() - _NEAR, 0) : match.start()]
    if "." not in host and above.endswith(patterns.OF_IMAGES):
        return before  # an image's name: a registry has a dot
    if (
        host in ("", "localhost")
        or patterns.FOUR_NUMBERS.fullmatch(host)
        or patterns.is_public(host)
    ):
        return before
    name = holders.of("host", host)
    return [*before[:2], "@", name] if before else ["://", name]
