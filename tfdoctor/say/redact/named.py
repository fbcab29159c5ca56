"""Secrets by what a name says, wherever names and values are written: in assignments, arguments, calls, headers, fields.

A name is judged by its words, its value by how sure the name is. Nothing else in tfdoctor decides whether a name is a secret's.
"""

# ruff: noqa: SIM905  # words read better as text
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.say.redact.rule import Rule, places

NOTHING, MAYBE, LIKELY, SURE = range(4)
"""What a name says of its value: nothing; a key of some kind, which the value shows; a secret, but for words; a secret."""

_SURE = (
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "secret",
    "requirepass",
    "masterauth",
    "pgpass",
    "sshpass",
    "passw0rd",
    "passwrd",
    "pasword",
    "pword",
    "pswd",
    "psswd",
)
_LIKELY = (
    "token", "tokens", "secrets", "passwords", "credential", "credentials", "creds", "jwt", "sid", "dsn", "sas", "auth", "pw", "sessionid", "connectionstring",
    "connstr", "psk", "otp", "totp", "accesscode", "accesssignature",
)  # fmt: skip
_OF_VARIABLES = frozenset("cookie cookies signature private authorization".split())
"""In the name of an environment variable these tell a secret, too; a program's messages use them for other things."""
_KINDS_OF_KEYS = tuple(
    "api access private encryption account auth ssh gpg signing master license deploy storage function functions secret client "
    "subscription shared session consumer admin registration webhook ingest activation".split()
)
_OPEN_KEYS = frozenset(
    "public pub primary foreign cache sort partition host row group rng prng random seed hash lookup dict feature label".split()
)
"""Keys that are no secrets."""
_NO_PASSWORDS = frozenset("bypass compass encompass surpass trespass overpass underpass getpass askpass multipass lowpass highpass bandpass".split())  # fmt: skip
_PROGRAMS = frozenset("chpasswd gpasswd htpasswd mkpasswd smbpasswd vncpasswd yppasswd".split())
_PASSES = frozenset(
    "forward backward fusion one two single double first second last next num per each multi low high band all full compiler "
    "optimization optimizer hlo mlir llvm module function graph the this pre post data training test".split()
)
"""Words before "pass" where it is a run through something."""
_OF_TEXTS = frozenset(
    "sep bos eos pad unk cls mask oov start end special stop begin image audio video prompt next first last prev new max min num "
    "n per unexpected invalid unknown control decoder encoder separator added extra each current input output sot eot class query register visual patch entity word".split()
)
"""Words before "token" where it is a piece of text (transformers, tokenizers; 2026-11)."""
_BENIGN = frozenset(
    "count counts limit len length type url uri file filename path dir directory folder name names expiry expiration expires expired "
    "ttl id ids size sizes index indices through rate conf json yaml yml txt py toml pem so cc cpp h cfg ini xml class classes "
    "embedding embeddings error errors required provider helper method version format prefix suffix strategy policy store mode".split()
)
"""Words behind the secret's with which the name is that of something about it."""
_MOST_BEHIND = 4  # words

_CAMEL = Expression(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z]+")


@lru_cache(maxsize=4096)
def strength_of(name: str) -> int:
    """What the name of a variable, an option, a field or a header says of its value."""
    words = [word.lower() for word in _CAMEL.split(name) if word]
    for place in range(len(words) - 1, max(len(words) - 2 - _MOST_BEHIND, -1), -1):
        if found := _says_word(words, place, name):
            return found
        if words[place] in _BENIGN:
            return NOTHING
    return NOTHING


def _says_word(words: list[str], place: int, name: str) -> int:
    word, before = words[place], words[place - 1] if place else ""
    joined = before + word
    if word in _PROGRAMS:
        return NOTHING
    if joined.endswith(_SURE) or (word.endswith("pwd") and joined not in ("pwd", "oldpwd")):
        return SURE
    if word.endswith("pass"):
        no_run = before not in _PASSES and bool(before or word != "pass")
        return (
            LIKELY
            if word not in _NO_PASSWORDS and (no_run or word == name.removeprefix("--"))
            else NOTHING
        )
    if (
        word in _LIKELY
        or joined in _LIKELY
        or word.endswith(("token", "credential", "credentials", "sessionid", "sessid"))
    ):
        of_text = before in _OF_TEXTS or word.removesuffix("token") in _OF_TEXTS - {""}
        return NOTHING if word.startswith("token") and of_text else LIKELY
    if word in _OF_SESSIONS and place == len(words) - 1:
        return MAYBE
    if word == "pw" or word.endswith(("rootpw", "dbpw", "bindpw")):
        return LIKELY
    return _says_key(word, before, name)


_OF_SESSIONS = ("session", "sess")
"""As last words of a name: a program's session has such a name, too."""
_SEVERAL = frozenset({"api", "access", "secret", "private", "ssh"})
"""Kinds of which a file of settings lists several."""


def _says_key(word: str, before: str, name: str) -> int:
    if word.endswith("keys") and (word.removesuffix("keys") or before) in _SEVERAL:
        return LIKELY
    if not word.endswith("key") or before in _OPEN_KEYS or word.removesuffix("key") in _OPEN_KEYS:
        return NOTHING
    kind = word.removesuffix("key") or before
    if kind.endswith(_KINDS_OF_KEYS) or (word == "key" and before and name.isupper()):
        return LIKELY
    return MAYBE if word == "key" else NOTHING


@lru_cache(maxsize=4096)
def is_secret_variable(name: str) -> bool:
    """Whether the value of an environment variable of this name is a secret. PWD itself is the working folder."""
    words = {word.lower() for word in _CAMEL.split(name) if word}
    return (
        strength_of(name) >= LIKELY or name.upper() == "KEY" or not _OF_VARIABLES.isdisjoint(words)
    )


_NO_SECRET = frozenset(
    """true false yes no none null nil on off ok unset undefined empty missing required optional invalid expired revoked rejected refused denied incorrect wrong
    is was not *** **** str string int bytes basic digest bearer oauth kerberos enabled disabled""".split()
)
_WRAPPED = Expression(r"[\[<(|].*[\]>)|]")
_CODE = Expression(r"(?:self|cls|args|kwargs|config|cfg|conf|settings|options|opts|params|request|env|os|user|data)\.[A-Za-z_][\w.]*")  # fmt: skip
_RANDOM = Expression(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[\w+/=.~-]{16,}")
_HEXADECIMAL = Expression(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_CHANGES = Expression(
    r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])"
)


_LETTERS = Expression(r"[A-Za-z]{20,}")


def looks_random(value: str) -> bool:
    """Whether it is a long number in hexadecimal, or letters and digits change so often that nobody has thought of it."""
    if _HEXADECIMAL.fullmatch(value):
        return True
    changes = len(_CHANGES.findall(value))
    if _LETTERS.fullmatch(
        value
    ):  # words that are written together change twice in five letters at most
        return 5 * changes > 2 * len(value)
    return _RANDOM.fullmatch(value) is not None and 5 * changes >= len(value)


_PIECE = Expression(r"(?:##|▁|Ġ|Ċ).*|.*(?:</w>|@@)")
"""How tokenizers mark a piece of a word (WordPiece, SentencePiece, byte-level BPE, subword-nmt; 2026-11)."""


def is_no_secret(value: str) -> bool:
    """Nothing, a word such as "none", a variable that is filled in later, a marker such as "[SEP]", or a piece of a word."""
    if (
        not value
        or value.casefold() in _NO_SECRET
        or value[0] in "$%<"
        or value.startswith(("{{", "!!"))
    ):
        return True
    if _PIECE.fullmatch(value):
        return True
    return _WRAPPED.fullmatch(value) is not None


_QUOTE = r"(?:\\{0,3}[\"'])"
# Behind an opening quotation mark a value goes on to the closing one, blanks included; else to the next blank.
_QUOTED = (
    r"(?:(?:[bBfFrRuU]{1,2}|\$)(?=\\{0,3}[\"']))?"
    r"(?:\"\"\"(?P<long_double>[^\"]*)|'''(?P<long_single>[^']*)"
    r"|\"(?P<double>[^\"\\\n]*(?:\\.[^\"\\\n]*)*)|'(?P<single>[^'\\\n]*(?:\\.[^'\\\n]*)*)|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]*)"
)
VALUE = rf"{_QUOTED}|(?P<bare>[^\s'\",;&<>(){{}}\[\]\\|][^\s'\",;&<>(){{}}\[\]\\]*))"
_WHOLE = (
    VALUE.removesuffix("))")
    + r"(?:[,;&](?![\w.-]{1,64}[=:])[^\s'\",;&<>(){}\[\]\\|]{1,400}){0,40}))"
)
"""Of a password, in which any sign may stand: what separates it from the next name is what a name and its value follow."""
_WORDS = VALUE.removesuffix("))") + r"(?: [A-Za-z0-9][\w'-]{0,30}){0,24}))"
"""Of a passphrase, which has several."""
ONLY_QUOTED = rf"{_QUOTED})"
_GROUPS = ("long_double", "long_single", "double", "single", "escaped", "bare")

_LINE = r"(?:[ \t]{0,40}\\?(?:\r?\n[ \t]{0,40}){1,3})"
"""To the next line: indented as YAML and JSON do, behind a shell's backslash."""
_GAP = rf"(?:{_LINE}|[ \t]{{0,40}})(?:- {{1,3}})?"
_ASSIGNED = (
    rf"(?:\[\d{{1,4}}\])?{_QUOTE}?\s{{0,2}}\]?(?:\s{{0,2}}:\s{{0,2}}[A-Za-z_][\w.\[\]| ]{{0,40}}?\s{{0,2}}(?==\s{{0,2}}[bfru]{{0,2}}[\"']))?"
    rf"(?P<mark>\s{{0,4}}(?:[=-]>|:=|[?|+]{{0,2}}={{1,3}}|!=|:(?!:)|%3[Dd]|\\\\?u003[Dd]|[＝：]){_GAP})(?:[!&][\w!/.-]{{1,40}}\s{{1,40}})?(?:[|>][-+]?\s{{1,40}})?(?:\(\s{{0,40}}(?=[bfruBFRU]{{0,2}}[\"'][^\"'\n]{{0,400}}[\"']\s{{0,40}}\)))?"
)
ASSIGNED = Expression(_ASSIGNED + VALUE)
"""`NAME = V`, `"NAME": V`, `["NAME"] = V`, `NAME: str = "V"`, YAML's `NAME: |` with V in the next line."""
_PASSWORD_ASSIGNED = Expression(_ASSIGNED + _WHOLE)
_AS_ARGUMENT = (
    rf"(?:=| {{1,3}}(?!\\)| {{0,3}}\\\r?\n[ \t]{{0,40}}|{_QUOTE},? {{0,2}}(?={_QUOTE}))(?!-)"
)
_ARGUMENT = Expression(_AS_ARGUMENT + VALUE)
"""`--name V`, also as a list prints it."""
_PASSWORD_ARGUMENT = Expression(_AS_ARGUMENT + _WHOLE)
_PHRASE_ASSIGNED = Expression(_ASSIGNED + _WORDS)
_PHRASE_ARGUMENT = Expression(
    r"(?:=| {1,3})(?P<bare>[A-Za-z]{2,20}(?: [A-Za-z]{2,20}){2,24})(?![\w.=/-])"
)
"""Words that a shell has parted, of letters alone: another argument may follow one with a digit or a sign."""
_SAID = Expression(rf"[\"']? {{1,3}}(?:is|was):? {{1,3}}{VALUE}")
"""`the password is V`"""
_NAMED_IN_PROSE = Expression(rf":? {{1,3}}(?=[\"']){ONLY_QUOTED}")
"""`with password "V"`"""
_PHRASE_SAID = Expression(
    r"[\"']? {1,3}(?:is|was):? {1,3}(?P<bare>[A-Za-z]{2,20}(?: [A-Za-z]{2,20}){3,24})(?![\w=/-])"
)
"""`the passphrase is several words of letters alone`"""
_ASKED_FOR = Expression(
    rf"(?P<prompt>[ (][^\n:=\"]{{1,80}}):(?:[ \t]{{1,3}}|[ \t]?\r?\n){VALUE}[ \t\r]{{0,3}}(?=\n|$)"
)
"""`Password for bob: V`, `API key from your profile and hit enter: V`: what was typed behind a prompt."""
_TOLD = Expression(rf"(?: [a-z]{{1,20}}){{0,3}}(?:: {{1,3}}| {{0,2}}\({{1}}){VALUE}")
"""`Incorrect API key provided: V`, `invalid API key (V)`: what a program says of the one that it got."""
_REFUSED = Expression(
    r" {1,3}(?P<bare>(?=[^\s\d]{0,63}\d)(?=[^\sA-Za-z]{0,63}[A-Za-z])[^\s'\",;:()\[\]{}<>]{6,64})(?= (?:is|was|has|got|rejected|refused|failed|incorrect|invalid|expired|accepted|denied)\b)"
)
"""`password V rejected`"""
_LISTED = Expression(rf"{_ASSIGNED}[\[({{] {{0,4}}{VALUE}")
_NEXT = Expression(rf"[ \t\n]{{0,9}},[ \t\n]{{0,9}}{VALUE}")
"""`tokens = ["V", "V"]`"""
_ITEM = Expression(rf"\s{{1,40}}- {{1,3}}{VALUE}")
"""Behind the first of YAML's list, which has a dash before each."""
_BEHIND = Expression(rf"[\"']?[ \t]{{1,4}}{VALUE}")
"""`%env NAME V`"""
_CALLED_WITH = Expression(rf"{_QUOTE}\s{{0,2}},\s{{0,4}}(?:\w{{1,20}}=)?(?={_QUOTE}){ONLY_QUOTED}")
"""`setdefault("NAME", "V")`"""
_FIELD = Expression(
    rf"(?i){_QUOTE}?[\s,-]{{0,24}}{_QUOTE}?value{_QUOTE}?\s{{0,4}}[:=]{_GAP}(?:[|>][-+]?\s{{1,40}})?{VALUE}"
)
"""`"name": "NAME", "value": "V"`, on two lines in YAML."""
_ELEMENT = Expression(r">\s{0,40}(?P<bare>[^<>\s]{1,400})(?=\s{0,40}</)")
"""`<NAME>V</NAME>`"""
_PAIR = Expression(
    rf"(?:{_QUOTE}?\s{{0,4}}[=:]\s{{0,4}})?\(\s{{0,4}}{_QUOTE}[^\"'\\\n]{{1,80}}{_QUOTE}\s{{0,4}},\s{{0,4}}{ONLY_QUOTED}"
)
"""`auth=("user", "V")`"""
_CALL = Expression(rf"\(\s{{0,4}}{ONLY_QUOTED}")
"""`set_token("V")`"""

_CALLS = Expression(r"[\w\]]\(\s{0,4}\\{0,3}[\"']$")
_SETS = Expression(
    r"(?:^|[\s;|&>$`(\"'])(?P<how>%(?:set_)?env|setenv|setx|ENV|ARG|set)(?: {1,3}-\w{1,10}){0,3}[ \t]{1,3}[\"']?$"
)
_ASKS = Expression(
    r"(?i)^(?:get|read|load|fetch|find|has|is|check|missing|no|delete|remove|list|validate|count|on|test)"
)
_KIND_BEFORE = Expression(r"(?i)(?<![A-Za-z])(?:" + "|".join(_KINDS_OF_KEYS) + r") $")
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_LONGEST_NAME = 64
ROOTS = (
    "pass", "pasword", "pword", "pswd", "psswd", "pwd", "secret", "token", "cred", "key", "auth", "jwt", "sessionid", "session_id", "session-id", "connectionstring",
    "connection_string", "connection-string", "conn_str", "connstr", "sid=", "dsn=", "sas=", "pw=", "pw:", "pw\"", "session=", "sess=", "sessid=", "psk", "otp", "access_code",
    "access-code", "accesscode", "access_signature", "accesssignature",
)  # fmt: skip


def value_of(match: re.Match[str]) -> tuple[int, int]:
    """Where the value of a match stands in the text."""
    kind = next(name for name in _GROUPS if match.groupdict().get(name) is not None)
    return match.span(kind)


@record(eq=False)
class Named(Rule):
    """What stands behind a name that says that it is a secret's."""

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        done = 0
        for at in places(lowered, self.begins):
            if at < done:
                continue
            name = _name_at(text, at, done)
            done = name.end
            first = _secret_of(name, strength) if (strength := name.strength()) else None
            for match in (*filter(None, (first,)), *_listed(name, strength, first)):
                yield match
                done = match.end()


@record
class _Name:
    text: str
    start: int
    end: int

    @property
    def said(self) -> str:
        return self.text[self.start : self.end]

    def before(self, many: int = 40) -> str:
        return self.text[max(self.start - many, 0) : self.start]

    def strength(self) -> int:
        said = self.said
        found = strength_of(said.rstrip(".-"))
        if found == MAYBE and said.islower() and _KIND_BEFORE.search(self.before(16)):
            return LIKELY
        if found == MAYBE and said == "Key" and _KIND_BEFORE.search(self.before(16)):
            return LIKELY
        return found


def _name_at(text: str, at: int, first: int) -> _Name:
    """The whole name in which a word stands."""
    head = text[max(at - _LONGEST_NAME, first) : at]
    tail = text[at : at + 2 * _LONGEST_NAME]
    start = at - (len(head) - len(head.rstrip(_NAME_CHARACTERS)))
    return _Name(text, start, at + len(tail) - len(tail.lstrip(_NAME_CHARACTERS)))


def _secret_of(name: _Name, strength: int) -> re.Match[str] | None:
    """The first form in which a secret follows the name."""
    for match in _candidates(name, strength):
        if (
            match is not None
            and not _closes(match, name)
            and _is_secret(match, name.said, strength)
        ):
            return match
    return None


def _candidates(name: _Name, strength: int) -> Iterator[re.Match[str] | None]:
    text, end = name.text, name.end
    following = text[end : end + 1]
    if following in ("", ".", "/"):
        return
    yield from _marked(name, strength)
    if following in " \t\"'":
        yield _set_by(name)
    if following in " :\"'":
        yield from _said_of(name, strength)
    if strength < LIKELY:
        return
    if following in "\"'\\" and _CALLS.search(name.before()):
        yield _CALLED_WITH.compiled.match(text, end)
    if following in "\"'\\, \n":
        yield _FIELD.compiled.match(text, end)
    if following == ">":
        yield _ELEMENT.compiled.match(text, end)
    if following in "(= :\"'" and name.said.lower().endswith(("auth", "credentials")):
        yield _PAIR.compiled.match(text, end)
    if (
        following == "("
        and not name.said.lower().endswith(("auth", "credentials"))
        and not _ASKS.match(name.said)
    ):
        yield _CALL.compiled.match(text, end)


def _said_of(name: _Name, strength: int) -> Iterator[re.Match[str] | None]:
    """In a sentence, or behind a prompt."""
    if strength == MAYBE:
        yield _random_in(_SAID.compiled.match(name.text, name.end))
    if strength >= LIKELY:
        yield from (_in_prose(name, strength), _typed(name, strength), _told(name))
    if strength == SURE:
        yield _REFUSED.compiled.match(name.text, name.end)


def _marked(name: _Name, strength: int) -> Iterator[re.Match[str] | None]:
    """An assignment, or an argument of its own."""
    text, end = name.text, name.end
    assigned, argument = (
        (_PASSWORD_ASSIGNED, _PASSWORD_ARGUMENT) if strength == SURE else (ASSIGNED, _ARGUMENT)
    )
    phrase = name.said.lower().endswith("phrase")
    if phrase:
        yield _phrase(_PHRASE_ASSIGNED.compiled.match(text, end))
    yield assigned.compiled.match(text, end)
    if name.said.startswith("-"):
        if phrase:
            yield _phrase(_PHRASE_ARGUMENT.compiled.match(text, end))
        yield argument.compiled.match(text, end)


def _listed(name: _Name, strength: int, first: re.Match[str] | None) -> Iterator[re.Match[str]]:
    """Those of a list that nobody writes by chance, behind the `first`, if that was found: a list of tokens holds pieces of texts
    more often.
    """
    if strength < LIKELY or (first and "- " not in name.text[name.end : value_of(first)[0]]):
        return
    following = _NEXT if first is None else _ITEM
    match = _LISTED.compiled.match(name.text, name.end) if first is None else _behind(first, _ITEM)
    while match is not None:
        start, end = value_of(match)
        value = name.text[start:end]
        of_the_list = following is _ITEM and "\n" in match[0]
        meant = of_the_list or (strength == SURE and match["bare"] is None)
        if (meant and not is_no_secret(value)) or looks_random(value):
            yield match
        match = _behind(match, following)


def _behind(match: re.Match[str], following: Expression) -> re.Match[str] | None:
    _, end = value_of(match)
    quoted = match.string[end : end + 1] in "\"'"
    found: re.Match[str] | None = following.compiled.match(match.string, end + quoted)
    return found


def _set_by(name: _Name) -> re.Match[str] | None:
    """`%env NAME V` and its like; without one of these words only what nobody writes by chance."""
    match: re.Match[str] | None = _BEHIND.compiled.match(name.text, name.end)
    if match is None:
        return None
    start, end = value_of(match)
    value, how = name.text[start:end], _SETS.search(name.before())
    if looks_random(value):
        return match
    plain = value.isalpha() and value.islower() and len(value) < 12
    return match if how and not (plain and how["how"] in ("set", "ENV", "ARG")) else None


def _phrase(match: re.Match[str] | None) -> re.Match[str] | None:
    """None where the first word says that there is none, or it is another line's."""
    bare = match["bare"] if match else None
    if match is None or bare is None or "\n" in match.string[match.start() : match.start("bare")]:
        return None
    return None if is_no_secret(bare.partition(" ")[0]) else match


_OF_SENTENCES = frozenset(
    """a again an and are as at be been but by can cannot does empty entered for from given has have if in incorrect invalid is it
    missing must needed no not of on only or please required retry set should so than that the then this to too try until was when
    which will with without wrong you your""".split()
)
"""Words that a sentence about a passphrase has, and none that is drawn from a list of words (EFF's long list; 2026-11)."""
_LEAST_OF_PHRASE = 4  # words


def _said_phrase(match: re.Match[str] | None) -> re.Match[str] | None:
    """Of what is said of a passphrase only words that make no sentence: "is correct horse battery staple"."""
    words = match["bare"].lower().split() if match else []
    plain = next((at for at, word in enumerate(words) if word in _OF_SENTENCES), len(words))
    return match if plain >= _LEAST_OF_PHRASE else None


def _told(name: _Name) -> re.Match[str] | None:
    return _random_in(_TOLD.compiled.match(name.text, name.end))


def _random_in(match: re.Match[str] | None) -> re.Match[str] | None:
    """The match whose value nobody has thought of."""
    if match is None:
        return None
    start, end = value_of(match)
    return match if looks_random(match.string[start:end].rstrip(".")) else None


def _typed(name: _Name, strength: int) -> re.Match[str] | None:
    """What stands behind a prompt to the end of its line, where it is no word."""
    match: re.Match[str] | None = _ASKED_FOR.compiled.match(name.text, name.end)
    if match is None:
        return None
    start, end = value_of(match)
    value = name.text[start:end]
    asked = strength == SURE and match["prompt"].startswith(" for ")
    by_person = asked and (_IN_WORDS.match(value) or _ENTER.search(name.before()))
    return match if by_person or looks_random(value) else None


_ENTER = Expression(
    r"(?i)(?:^|\n)[^\n]{0,20}\b(?:enter|type|input|repeat|retype|confirm)(?: (?:the|your|new|old|current|same))?(?: ssh| gpg| key| vault| sudo)? $"
)
"""A prompt, and no message, stands before it."""
_OF_CREDENTIALS = Expression(
    r"(?i)(?<![a-z])(?:access|admin|api|auth|authentication|authorization|bearer|bot|bootstrap|client|csrf|deploy|device|github|gitlab|hf|"
    r"hub|hugging ?face|identity|job|jwt|kaggle|login|npm|oauth|personal|pypi|refresh|registration|security|service|session|sign-?in|slack|"
    r"user|wandb)[ _-]token$"
)
"""Tokens that no tokenizer has."""
_OF_ACCESS = Expression(
    r"(?i)\b(?:access|auth\w*|bearer|credentials?|denied|expired|forbidden|log(?:ged|ging)?[ -]?in|refused|rejected|revoked|"
    r"sign(?:ed|ing)?[ -]?in|unauthori[sz]ed|40[13])\b"
)
"""What is said of a token that opens something, and of no piece of a text."""
_LEAST_ALONE = 8
"""Characters of a word that nothing but the name "token" accompanies: pieces of texts are shorter, and stand in a list or a sentence.
No line of the kept logs is of that kind (2026-11)."""
_IN_WORDS = Expression(r"(?=.*\d)(?=.*[A-Za-z])|\d{4}|.*[!@#$%^&*+=?~]")
"""What is said to be a password and is no word of the sentence."""


def _in_prose(name: _Name, strength: int) -> re.Match[str] | None:
    """`the password is V`, `with password "V"`: a sentence may say something else of a password."""
    if name.said.lower().endswith("phrase") and (
        said := _said_phrase(_PHRASE_SAID.compiled.match(name.text, name.end))
    ):
        return said
    for form in (_SAID, _NAMED_IN_PROSE):
        match: re.Match[str] | None = form.compiled.match(name.text, name.end)
        if match is None:
            continue
        start, end = value_of(match)
        value, bare = name.text[start:end], match.groupdict().get("bare") is not None
        if not bare and len(value) >= 4 and " " not in value and _opens(name, match.end()):
            return match
        least = 4 if bare or strength == LIKELY or name.said.lower() == "secret" else 0
        told = _IN_WORDS.match(value) or looks_random(value)
        if not least or (len(value) >= least and told and not _of_text(name)):
            return match
    return None


def _opens(name: _Name, end: int) -> bool:
    """Whether the name, or the sentence around it and its value, says that it opens something."""
    if len([word for word in _CAMEL.split(name.said) if word]) > 1:
        return True
    if not name.said.lower().startswith("token"):
        return False
    before, after = (
        name.before(60).rpartition("\n")[2],
        name.text[end : end + 60].partition("\n")[0],
    )
    if not before.strip() and not after.strip(" \t\r\"'.,;") and end - name.end >= _LEAST_ALONE:
        return True
    told = _OF_CREDENTIALS.search(before + name.said)
    return told is not None or any(_OF_ACCESS.search(part) for part in (before, after))


def _of_text(name: _Name) -> bool:
    """Whether the word before it makes it a piece of text: "unexpected token '}1'"."""
    return (name.before().lower().split() or [""])[-1] in _OF_TEXTS


def _is_secret(match: re.Match[str], name: str, strength: int) -> bool:
    """A number of tokens, "password: required", "$TOKEN" and a reference to a variable are none."""
    start, end = value_of(match)
    value, groups = match.string[start:end], match.groupdict()
    if is_no_secret(value):
        return False
    mark, bare = groups.get("mark") or "=", groups.get("bare") is not None
    if bare and not _is_alone(match, start, end):
        return False
    if bare and _is_code(value, name, match.string[end : end + 1], mark):
        return False
    if strength == MAYBE:
        return looks_random(value.rstrip(".")) and ("=" in mark or not bare)
    if strength == SURE:
        return True
    if not bare:
        return len(value) >= 3
    if value.replace(".", "").replace("_", "").isdigit():
        return False
    below = "\n" in match.string[match.start() : start] and name.lower().endswith("token")
    if below and len(value) >= _LEAST_ALONE and value[0].islower() and value[-1].isalpha():
        return True
    return (
        "=" in mark
        or (len(value) >= 8 and any(char.isdigit() for char in value))
        or looks_random(value)
    )


_TO_ITS_END = Expression(r"[ \t]*(?:#[^\n]*|\\)?\r?(?:\n|$)")


def _is_alone(match: re.Match[str], start: int, end: int) -> bool:
    """False for the first word of a sentence, or the next name, in the line behind the name's own."""
    if "\n" not in match.string[match.start() : start] or _TO_ITS_END.match(match.string, end):
        return True
    value = match.string[start:end]
    return not value.endswith((":", "=")) and _IN_WORDS.match(value) is not None


def _closes(match: re.Match[str], name: _Name) -> bool:
    """Whether the value's quotation mark closes what was opened before the name: a prompt such as "Password: "."""
    quote = match.string[value_of(match)[0] - 1]
    if quote not in "\"'" or match.string[name.end : name.end + 1] in ('"', "'", "\\"):
        return False
    return re.search(quote + r"(?:[\w-]{1,20} ){0,4}$", name.before()) is not None


def _is_code(value: str, name: str, following: str, mark: str) -> bool:
    """A call, an element, a field, a requirement's version, or the variable of the same name."""
    if "==" in mark or _CODE.fullmatch(value):
        return True
    read = following in ("(", "[") and re.fullmatch(r"[A-Za-z_.]+", value) is not None
    return read or value == name


LOGIN_CALL = Expression(
    rf"(?:log_?in\w{{0,20}}|comet_ml\.\w{{2,20}})\(\s{{0,4}}(?:{_QUOTE}[^\"'\\\n]{{1,80}}{_QUOTE}\s{{0,2}},\s{{0,4}}|(?!\w{{0,12}}(?:key|token|pass))\w{{1,20}}=[^,()\n]{{1,80}},\s{{0,4}}){{0,3}}"
    rf"(?:\w{{0,12}}(?:key|token|pass|password|passwd|secret)=)?{ONLY_QUOTED}"
)
"""`wandb.login(key="V")`, `smtp.login("user", "V")`, `comet_ml.Experiment("V")`"""
LOGIN_CALL_BEGINS = ("login", "log_in", "comet_ml.")
