"""Cuts a text into what stays and what is replaced, in time that grows with the text and no faster."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache, partial
from itertools import accumulate

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import field, record
from tfdoctor.say.clean import as_seen
from tfdoctor.say.redact import named, patterns
from tfdoctor.say.redact.identity import Identity, is_distinctive, is_private_folder
from tfdoctor.say.redact.rule import Placeholders, Rule, Token, places
from tfdoctor.say.redact.rules import (
    account_rules,
    host_rules,
    key_rules,
    login,
    login_and_host,
    machine_rules,
    people_rules,
    secret_rules,
)

_CUT_OFF, _SHORTEST_BEGINNING = "…", 4  # characters
_PATH_ENDS = r"(?![\w-]|\.\w)"
_LONGEST_NAME = 4096  # PATH_MAX, and more than any user's or host's name has
_LOWER = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}
_REMEMBERED = 2000  # characters: texts as long as this stand in a report once


@record(eq=False)
class Values:
    """Values of this report that no pattern could know."""

    versions: set[str] = field(default_factory=set)
    gpu_uuids: list[str] = field(default_factory=list)
    serials: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    process_names: dict[str, str] = field(default_factory=dict)
    installed: frozenset[str] = frozenset()


class Redactor:
    """One report's rules and placeholders.

    texts: all that will be redacted, where it is known. A rule that matches none of them is left out, and a text
    that no rule matches is not looked at again.
    """

    def __init__(
        self, identity: Identity, values: Values, texts: Collection[str] | None = None
    ) -> None:
        self._identity, self._values = identity, values
        self._holders = Placeholders()
        if identity.user:
            self._holders.of("user", identity.user)
        for host in sorted(set(identity.hosts) - {"localhost"}, key=len):
            self._holders.of("host", host)
        self._literals = self._known_values()
        self._key_rules = list(key_rules(self._holders))
        self._secret_rules = list(secret_rules(self._holders, self._address))
        self._rules = list(self._other_rules())
        self._done: dict[str, str] = {}
        if texts is not None:
            self._look_ahead(_Whole(texts))

    def _look_ahead(self, whole: _Whole) -> None:
        keys, secrets, others = self._key_rules, self._secret_rules, self._rules
        self._key_rules = [rule for rule in keys if whole.is_touched_by(rule)]
        self._secret_rules = [rule for rule in secrets if whole.is_touched_by(rule)]
        self._rules = [rule for rule in others if whole.is_touched_by(rule)]
        if self._secret_rules:
            self._literals = self._with_what_stands_in(whole.text)
        for value, _ in self._literals:
            whole.touch(value)
        self._done |= {text: text for text in whole.untouched()}

    def _with_what_stands_in(self, texts: str) -> list[tuple[str, Token]]:
        """The known values with the secrets of all texts: beside its name in one, a secret may stand alone in another."""
        apart = Placeholders()
        kept = {rule.pattern for rule in self._secret_rules}
        same = secret_rules(apart, partial(login, holders=apart))
        pieces = [texts]
        for rule in same:
            if rule.pattern in kept:
                pieces = apply(rule, pieces)
        told = (value for value in apart.values("secret") if _tells_itself(value))
        found = dict(self._literals)
        for value in told:
            found.setdefault(value, self._holders.of("secret", value))
        return _longest_first(found)

    def hide(self, text: str) -> str:
        """The redacted text. Half of a report's texts stand in it twice."""
        if (known := self._done.get(text)) is not None:
            return known
        hidden = _hidden(text, self._split)
        if len(text) <= _REMEMBERED:
            self._done[text] = hidden
        return hidden

    def _split(self, text: str) -> list[str]:
        lowered = _lowered(text)
        pieces = self._apply(self._key_rules, [text], lowered)
        for value, token in self._literals:
            if value in text:
                pieces = [part for piece in pieces for part in _cut(piece, value, token)]
        if _CUT_OFF in text:
            pieces = [part for piece in pieces for part in self._without_beginnings(piece)]
        return self._apply(self._rules, self._apply(self._secret_rules, pieces, lowered), lowered)

    def _apply(self, rules: list[Rule], pieces: list[str], lowered: str) -> list[str]:
        for rule in rules:
            if rule.can_match(lowered):
                pieces = apply(rule, pieces)
        return pieces

    def _without_beginnings(self, piece: str) -> list[str]:
        """Without the beginning of a secret at which a text was cut off."""
        before, cut, after = piece.partition(_CUT_OFF)
        if isinstance(piece, Token) or not cut:
            return [piece]
        said = before.rstrip()[-_LONGEST_NAME:]
        for value, token in self._literals:
            for many in range(min(len(value) - 1, len(said)), _SHORTEST_BEGINNING - 1, -1):
                if said.endswith(value[:many]):
                    kept = before.rstrip()[:-many]
                    return [part for part in (kept, token, f" {cut}{after}") if part]
        return [piece]

    def hide_variable(self, name: str, value: str) -> str:
        """The value of an environment variable, whose name says what it holds."""
        if value and named.is_secret_variable(name) and not named.is_no_secret(value):
            return self._holders.of("secret", value)
        if self._identity.names_shown:
            return self.hide(value)
        if value and patterns.USER_NAME.search(name):
            return self._holders.of("user", value)
        if patterns.HOST_NAME.search(name) and re.fullmatch(r"[A-Za-z][\w.,\[\]-]*", value):
            return value if value == "localhost" else self._holders.of("host", value)
        pieces = apply(Rule(patterns.HOST_AND_PORT, self._host_before_port), [value])
        return "".join(piece if isinstance(piece, Token) else self.hide(piece) for piece in pieces)

    def hide_host(self, name: str) -> str:
        """The name of a machine, whatever word it is."""
        shown = self._identity.names_shown or name == "localhost"
        return self.hide(name) if shown else str(self._holders.of("host", name))

    def _host_before_port(self, match: re.Match[str]) -> list[str] | None:
        if match["host"] == "localhost":
            return None
        return [self._holders.of("host", match["host"]), ":" + match["port"]]

    def _known_values(self) -> list[tuple[str, Token]]:
        """Literal values with what stands for them."""
        values, of = self._values, self._holders.of
        found = {name: Token(short) for name, short in values.process_names.items()}
        found |= {serial: of("gpu-serial", serial) for serial in values.serials}
        found |= {uuid: of("gpu-uuid", uuid) for uuid in values.gpu_uuids}
        found |= {secret: of("secret", secret) for secret in values.secrets}
        return _longest_first(found)

    def _address(self, match: re.Match[str]) -> list[str] | None:
        return (login if self._identity.names_shown else login_and_host)(match, self._holders)

    def _other_rules(self) -> Iterator[Rule]:
        holders, installed = self._holders, self._values.installed
        me = self._identity
        yield from machine_rules(holders, frozenset(self._values.versions))
        yield from self._own_homes()
        if me.names_shown:
            return
        yield from people_rules(holders, installed)
        yield from account_rules(holders, installed)
        yield from self._own_hosts()
        yield from host_rules(holders, installed)
        if is_distinctive(me.user, installed):
            yield _alone(me.user, holders.of("user", me.user))
        for person in me.people:
            if is_distinctive(person, installed):
                yield _alone(person, holders.of("user", person))

    def _own_homes(self) -> Iterator[Rule]:
        me = self._identity
        for home in dict.fromkeys((me.home, me.account_home)):
            if is_private_folder(home) and len(home) <= _LONGEST_NAME:
                home = home.rstrip("/")
                pattern = Expression(r"(?<![\w./~-])" + re.escape(home) + _PATH_ENDS)
                yield Rule(pattern, partial(_always, Token("~")), (home.lower(),))

    def _own_hosts(self) -> Iterator[Rule]:
        holders = self._holders
        for host in sorted(filter(None, self._identity.hosts), key=len, reverse=True):
            if is_distinctive(host, self._values.installed):
                yield _alone(host, holders.of("host", host))
            domain = host.partition(".")[2]
            if "." in domain and len(domain) <= _LONGEST_NAME:
                neighbour = Expression(
                    r"(?i)(?<![\w.-])(?:[\w-]{1,63}\.){1,8}" + re.escape(domain) + r"(?!\w)"
                )
                yield Rule(
                    neighbour,
                    lambda match: [holders.of("host", match[0])],
                    holds=("." + domain.lower(),),
                )


class _Whole:
    """All texts in one, and which of them a rule touches: looking into it once is cheaper than into each of them."""

    def __init__(self, texts: Collection[str]) -> None:
        written, seen = list(texts), list(map(as_seen, texts))
        self._texts = written if seen == written else written + seen
        self.text = _BETWEEN.join(self._texts)
        self._lowered = _lowered(self.text)
        lengths = (len(text) + len(_BETWEEN) for text in self._texts)
        self._starts = list(accumulate(lengths, initial=0))
        self._touched: set[int] = set()

    def is_touched_by(self, rule: Rule) -> bool:
        """Whether the rule matches anywhere; notes where."""
        spans = (
            [match.span() for match in rule.matches(self.text, self._lowered)]
            if rule.may_match(self._lowered)
            else []
        )
        for span in spans:
            self._touch(*span)
        return bool(spans)

    def touch(self, value: str) -> None:
        """Notes where this value stands."""
        for at in places(self.text, (value,)):
            self._touch(at, at + len(value))

    def _touch(self, start: int, end: int) -> None:
        first, last = bisect(self._starts, start) - 1, bisect_left(self._starts, end)
        self._touched.update(range(first, last))

    def untouched(self) -> Iterator[str]:
        """The texts in which there is nothing to hide, neither as they are written nor as they are seen."""
        touched = {
            text for at, text in enumerate(self._texts) if at in self._touched or _CUT_OFF in text
        }
        return (
            text for text in self._texts if text not in touched and as_seen(text) not in touched
        )


_BETWEEN = "\n"  # as lines of a log are: a secret may stand in the line below its name


def hide_secrets(text: str) -> str:
    """A line for a terminal or a log without what nobody may read; names of hosts and folders stay."""
    return _hidden(text, lambda each: _without_secrets(each, Placeholders()))


def _hidden(text: str, split: Callable[[str], list[str]]) -> str:
    """Redacted as it is written, and as it is read where that hides more: a character that nobody sees may part a word or a secret."""
    hidden = "".join(split(text))
    seen = as_seen(hidden)
    return hidden if seen == hidden or (again := "".join(split(seen))) == seen else again


def secrets_in(text: str) -> tuple[str, ...]:
    """The values that nobody may read."""
    holders = Placeholders()
    _without_secrets(text, holders)
    return holders.values("secret")


def _without_secrets(text: str, holders: Placeholders) -> list[str]:
    pieces: list[str] = [text]
    lowered = _lowered(text)
    if any(rule.ever_matches(text, lowered) for rule in _looking()):
        for rule in _of_secrets(holders):
            pieces = apply(rule, pieces)
    return pieces


@cache
def _looking() -> tuple[Rule, ...]:
    """Rules that are asked whether there is anything to hide: making them for each text took longer than looking."""
    return _of_secrets(Placeholders())


def _of_secrets(holders: Placeholders) -> tuple[Rule, ...]:
    return (*key_rules(holders), *secret_rules(holders, lambda match: login(match, holders)))


def _tells_itself(value: str) -> bool:
    """Whether it is no word that stands in other texts for something else."""
    odd = any(char.isdigit() for char in value)
    return len(value) >= _SHORTEST_WORD or (odd and len(value) >= _SHORTEST_ODD)


_SHORTEST_WORD, _SHORTEST_ODD = 12, 6  # characters


def _longest_first(found: dict[str, Token]) -> list[tuple[str, Token]]:
    """So that none is cut by a part of it."""
    return sorted(found.items(), key=lambda item: -len(item[0]))


def _alone(name: str, token: Token) -> Rule:
    """The name where it is no part of a longer word; "_" and "-" part words here ("alice_env")."""
    pattern = re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(name[:_LONGEST_NAME])}(?![A-Za-z0-9])", re.IGNORECASE
    )
    return Rule(pattern, partial(_always, token), (name.lower(),))


def _always(token: Token, match: re.Match[str]) -> list[str]:
    return [token]


def _cut(piece: str, value: str, token: Token) -> list[str]:
    """A literal value out of a piece."""
    if isinstance(piece, Token) or value not in piece:
        return [piece]
    parts: list[str] = []
    for part in piece.split(value):
        parts += [part, token]
    return [part for part in parts[:-1] if part != ""]


def apply(rule: Rule, pieces: list[str]) -> list[str]:
    """The pieces with this rule's matches replaced; what was replaced before stays."""
    out: list[str] = []
    for piece in pieces:
        if isinstance(piece, Token):
            out.append(piece)
            continue
        last = 0
        for match in rule.matches(piece, _lowered(piece)):
            found = rule.replace(match)
            if found is not None:
                out += [piece[last : match.start()], *found]
                last = match.end()
        out.append(piece[last:] if last else piece)
    return out if len(out) == len(pieces) else _joined(out)


def _joined(pieces: list[str]) -> list[str]:
    """Texts that stand beside each other as one: the next rule looks at what is around a match."""
    out: list[str] = []
    texts: list[str] = []
    for piece in [*pieces, Token("")]:
        if not isinstance(piece, Token):
            texts.append(piece)
            continue
        if text := "".join(texts):
            out.append(text)
        out.append(piece)
        texts = []
    return out[:-1]


@lru_cache(maxsize=64)
def _lowered(text: str) -> str:
    """In lower case, for one rule after another, and of the same length, which str.lower does not promise for every language."""
    return text.lower() if text.isascii() else text.translate(_LOWER)
