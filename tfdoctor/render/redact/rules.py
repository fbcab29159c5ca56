"""The rules of redaction, from the surest to the vaguest: what each looks for, and what takes its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tfdoctor.records import record
from tfdoctor.render.redact import patterns
from tfdoctor.render.redact.identity import is_distinctive
from tfdoctor.system.expressions import Expression

_USUAL = (
    *(patterns.SHAPE_SK, patterns.GPU_UUID, patterns.UUID, patterns.MAC, patterns.IPV6, patterns.IPV4),
    *(patterns.OWNED, patterns.USER_AT_HOST, patterns.NAMED_USER, patterns.EXPORT, patterns.FOREIGN_HOST),
)  # what a report of any machine makes needed: it has dots, colons, hyphens and an "@"
Replace = Callable[["re.Match[str]"], "list[str] | None"]
_LETTERS_AND_DIGITS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_NEAR = 24  # characters around a number that tell whether it is an address or a version


class Token(str):
    """What stands for a value; no rule looks into it."""

    __slots__ = ()


class Placeholders:
    """Hands out `<kind-1>`, `<kind-2>` … in the order of first sight."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Token] = {}
        self._counts: dict[str, int] = {}

    def of(self, kind: str, value: str) -> Token:
        """The token of this value; upper and lower case of a value count as one."""
        key = (kind, value.casefold())
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[key] = Token(f"<{kind}-{self._counts[kind]}>")
        return self._known[key]


@record(eq=False)
class Rule:
    """`replace` gives what stands for a match, or None where it stays as it is.

    `begins`: texts in lower case with one of which every match begins, so that it is looked for there alone.
    `holds`: texts of which a text that has a match holds one. Where there are none it is looked for everywhere.
    `apart`: no letter or digit of ASCII stands before a match ("lahf_lm", a flag of processors, holds no "hf_").
    """

    pattern: Expression | re.Pattern[str]
    replace: Replace
    begins: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    apart: bool = False

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        """From left to right, none within another. `lowered` is the text in lower case, as long as itself."""
        if not self.begins:
            yield from self._compiled.finditer(text)
            return
        end = 0
        for at in _places(lowered, self.begins):
            if self.apart and at and lowered[at - 1] in _LETTERS_AND_DIGITS:
                continue
            if at >= end and (match := self._compiled.match(text, at)):
                yield match
                end = match.end()

    def can_match(self, lowered: str) -> bool:
        """False where a look at the text shows that it has nothing for this rule."""
        return _any_in(self.holds, lowered) and _any_in(self.begins, lowered)

    def ever_matches(self, text: str, lowered: str) -> bool:
        return self.can_match(lowered) and next(self.matches(text, lowered), None) is not None

    @property
    def _compiled(self) -> re.Pattern[str]:
        return self.pattern.compiled if isinstance(self.pattern, Expression) else self.pattern


@record(eq=False)
class KeyTail(Rule):
    """The lines of a private key that begins before the text. They are looked for from the end of the key backwards."""

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        done = 0
        for end in _places(lowered, self.begins):
            start = _key_lines(text, max(done, end - _LONGEST_KEY), end)
            if start < end and (match := self._compiled.match(text, start)):
                yield match
            done = end


_LONGEST_KEY = 20_000
_KEY_LINE_BREAKS = re.compile(r"(?:\s|\\[rn])+")


def _key_lines(text: str, first: int, end: int) -> int:
    """Where the lines begin that are of Base64 alone and lead up to `end`; `end` where none does."""
    start, last = end, end
    breaks = [found.span() for found in _KEY_LINE_BREAKS.finditer(text, first, end)]
    for before, after in reversed([(first, first), *breaks]):
        line = text[after:last]
        if line:
            shortest = 1 if start == end else 16  # the last line holds what is left
            if len(line) < shortest or not patterns.KEY_LINE.fullmatch(line):
                break
            start = after
        last = before
    return start


def compile_usual() -> None:
    """Compiles what nearly every report needs, ahead of it: 4 ms (Python 3.11, 2026-11-23)."""
    for each in _USUAL:
        _ = each.compiled


def _any_in(needles: tuple[str, ...], text: str) -> bool:
    for needle in needles:
        if needle in text:
            return True
    return not needles


def _places(text: str, begins: tuple[str, ...]) -> list[int]:
    """Where in the text one of these begins, in order."""
    found: list[int] = []
    for each in begins:
        at = text.find(each)
        while at >= 0:
            found.append(at)
            at = text.find(each, at + 1)
    found.sort()
    return found


def secret_rules(holders: Placeholders, address: Replace) -> Iterator[Rule]:
    """What nobody may read, whoever's it is. `address` says what stands for a login and its host."""

    def whole(match: re.Match[str]) -> list[str]:
        return [holders.of("secret", match[0])]

    def part(match: re.Match[str]) -> list[str]:
        return _within(match, match.span("value"), holders.of("secret", match["value"]))

    def named(match: re.Match[str]) -> list[str] | None:
        if "strong" in match.re.groupindex and not patterns.is_secret(match):
            return None
        start, end = span = patterns.value_of(match)
        return _within(match, span, holders.of("secret", match.string[start:end])) if end > start else None

    yield Rule(patterns.PRIVATE_KEY, whole, ("-----begin",))
    yield KeyTail(patterns.KEY_TAIL, whole, ("-----end",))
    yield Rule(patterns.WEBHOOK, part, patterns.WEBHOOK_BEGINS)
    yield Rule(patterns.URL, address, ("://",))
    yield Rule(patterns.HEADER, part, patterns.HEADER_BEGINS, (":", "="))
    yield Rule(patterns.SHAPE, whole, patterns.SHAPE_BEGINS, apart=True)
    yield Rule(patterns.SHAPE_SK, whole, ("sk-",), apart=True)
    yield Rule(patterns.SHAPE_AROUND, whole, holds=patterns.SHAPE_HOLDS)
    yield Rule(patterns.SHAPE_TWILIO, whole)
    yield Rule(patterns.KAGGLE, part, holds=("key",))
    yield Rule(patterns.WANDB_LOGIN, part, ("wandb login",))
    yield Rule(patterns.DATABASE_LOGIN, part, ("mysql", "mariadb"), ("-p",))
    yield Rule(patterns.LOGIN_OPTION, part, patterns.LOGIN_BEGINS, ("-p",))
    yield Rule(patterns.WORKING_FOLDER_OR_SECRET, part, ("pwd",))
    yield Rule(patterns.BEARER, part, patterns.BEARER_BEGINS)
    yield Rule(patterns.PARAMETER, part, patterns.PARAMETER_BEGINS, patterns.PARAMETER_HOLDS)
    yield Rule(patterns.NAMED, named, patterns.NAMED_BEGINS, patterns.NAMED_HOLDS)
    yield Rule(patterns.OPTION, named, patterns.OPTION_BEGINS, patterns.OPTION_HOLDS)
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

    yield Rule(patterns.GPU_UUID, lambda match: [holders.of("gpu-uuid", match[0])], ("gpu-", "mig-"))
    yield Rule(patterns.UUID, lambda match: [holders.of("uuid", match[0])], holds=("-",))
    yield Rule(patterns.SERIAL, serial, ("serial",))
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
        name = match["name"]
        things = name.casefold() in patterns.FOLDERS_OF_THINGS
        return home(match) if not things and is_distinctive(name, installed) else None

    def owned(match: re.Match[str]) -> list[str] | None:
        name = match[0].casefold()
        nobodys = name in patterns.SYSTEM_FOLDERS or name in patterns.FOLDERS_OF_THINGS
        return [holders.of("user", match[0])] if not nobodys and is_distinctive(name, installed) else None

    def named(match: re.Match[str]) -> list[str] | None:
        name = match["name"]
        return [match["before"], holders.of("user", name)] if is_distinctive(name, installed) else None

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
    yield Rule(patterns.OWNED, owned, holds=("/.", "conda", "miniforge", "mambaforge", "micromamba"))
    yield Rule(patterns.TILDE, lambda match: ["~", holders.of("user", match["name"])], ("~",))
    yield Rule(patterns.USER_AT_HOST, user_at_host, holds=("@",))
    yield Rule(patterns.NAMED_USER, named, ("user", "logname"))


def host_rules(holders: Placeholders) -> Iterator[Rule]:
    """Names of machines that nobody has named to us."""

    def foreign(match: re.Match[str]) -> list[str] | None:
        return [holders.of("host", match[0])] if patterns.is_foreign_host(match[0]) else None

    def named(match: re.Match[str]) -> list[str] | None:
        host = match["host"]
        if host.casefold() == "localhost" or not any(char in ".-0123456789" for char in host):
            return None
        return [match["before"], holders.of("host", host)]

    def export(match: re.Match[str]) -> list[str] | None:
        if not any(char in ".-0123456789" for char in match["host"]):
            return None
        return [holders.of("host", match["host"]), ":"]

    def share(match: re.Match[str]) -> list[str] | None:
        if match["host"].casefold().startswith("wsl"):
            return None  # \\wsl.localhost and \\wsl$ are Windows' own names
        return [match["before"], holders.of("host", match["host"])]

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
    if host in ("", "localhost") or patterns.FOUR_NUMBERS.fullmatch(host) or patterns.is_public(host):
        return before
    name = holders.of("host", host)
    return [*before[:2], "@", name] if before else ["://", name]
