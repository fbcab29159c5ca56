"""Whose machine it is, by the system and by what a log says, and which names can be told apart from ordinary words."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import names, record, replace
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.say.redact.keys import lines_of_keys
from tfdoctor.say.redact.named import is_no_secret, is_secret_variable

_SHORTEST = 3  # "ml" or "pi" as a user's name stands in too many other words
_SYSTEM_FOLDERS = (
    "",
    "usr",
    "bin",
    "etc",
    "var",
    "tmp",
    "opt",
    "dev",
    "proc",
    "sys",
    "nonexistent",
)
# Accounts, machines and words that are nobody's name and stand in reports for other things. First the usual
# accounts of systems, images and cloud machines, then what occurs in messages of TensorFlow, CUDA and Python.
_ORDINARY = frozenset(
    """
    root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody systemd sshd
    messagebus admin administrator user users username guest test tester testuser runner builder build jenkins
    gitlab github docker podman nvidia cuda cudnn tensorflow keras torch pytorch python python3 conda mamba
    anaconda miniconda jovyan jupyter notebook lab vscode code codespace coder dev developer app service server
    data work workspace home project default student teacher hadoop spark slurm ray oracle postgres mysql redis
    vagrant azureuser core cloud ubuntu debian centos fedora rocky alma rhel redhat opensuse suse arch alpine
    kali mint ec2-user sagemaker-user deck media public shared share local localhost localdomain host hostname
    machine node worker master main head login compute gpu cpu tpu ram memory disk kernel linux windows darwin
    macos wsl desktop laptop docker-desktop container image job task model train training trainer predict predictor
    batch step epoch loss layer input output error warning info debug trace log logs none null true false unknown
    known failed failure passed skipped success library libraries lib lib64 include share src site packages
    package dist wheel pip uv apt dnf yum env venv virtualenv environment system process thread driver device
    devices version release file files folder path time timeout limit size free used total name value key type
    index number range list dict tuple string bytes text json yaml html report check plan run start stop end exit
    signal open close read write load call function module class object float int long double half bool matmul
    conv add mul sub div max min mean sum range copy cast mark grant will art may june april august rich page
    frank rose hope faith grace joy young king wood stone bush banks power stack chase drew guy bill jack rob
    pat sue ray ace dash star sky sun moon rain snow summer winter the and for not with from that this here
    """.split()  # noqa: SIM905  # hundreds of words read better as text
)


@record
class Identity:
    """`home` is $HOME as the user's shell has it, `account_home` the account's in the user database.

    `secrets` are the values of variables that are named like one: a program that dies may print all that it has.
    `names_shown`: for this person's own terminal, where only secrets and addresses are hidden.
    """

    user: str = ""
    home: str = ""
    account_home: str = ""
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    people: tuple[str, ...] = ()  # others whose names a log tells
    names_shown: bool = False


def is_private_folder(home: str) -> bool:
    """False for what is no home: "/" of a service's account, or a folder of the system."""
    return home[1:3] == ":\\" or (home.startswith("/") and home.strip("/") not in _SYSTEM_FOLDERS)


@cache
def is_distinctive(name: str, installed: frozenset[str]) -> bool:
    """Whether the name, wherever it stands alone, can only be that person or machine.

    `installed` are the words in the names of installed packages: a user called "pandas" is found in home paths
    and before an "@" alone.
    """
    low = name.casefold()
    return len(low) >= _SHORTEST and not low.isdigit() and low not in our_words() | installed


@cache
def our_words() -> frozenset[str]:
    """The words of our own sentences, codes and fact names."""
    words = set(_ORDINARY)
    for code in CODES.values():
        words |= _words(code.code) | _words(code.name)
    for group in names(Facts):
        words |= _words(group)
    return frozenset(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold())) | set(
        re.findall(r"[a-z0-9_-]+", text.casefold())
    )


def words_of(names: list[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in _words(name))


_SHORTEST_SECRET = 8


def identity(environ: Mapping[str, str], *, names_shown: bool = False) -> Identity:
    """The account by the environment and by the user database, and the machine's names."""
    user, account_home = "", ""
    with contextlib.suppress(ImportError, KeyError, OSError):
        import pwd

        account = pwd.getpwuid(os.getuid())
        user, account_home = account.pw_name, account.pw_dir
    given = next(
        (
            environ[name]
            for name in ("SUDO_USER", "USER", "LOGNAME", "USERNAME")
            if environ.get(name)
        ),
        "",
    )
    return Identity(
        user=given or user,
        home=environ.get("HOME") or environ.get("USERPROFILE") or "",
        account_home=account_home,
        hosts=_hosts(environ),
        secrets=_secrets(environ),
        names_shown=names_shown,
    )


def _secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Not short ones, which may be words ("true"), nor paths to where a secret is, which tell none."""
    long = {name: value for name, value in environ.items() if len(value) >= _SHORTEST_SECRET}
    named = {
        value
        for name, value in long.items()
        if is_secret_variable(name) and not is_no_secret(value)
    }
    return tuple(sorted(value for value in named if not os.path.exists(value)))


def _hosts(environ: Mapping[str, str]) -> tuple[str, ...]:
    names = {environ.get("HOSTNAME", ""), environ.get("COMPUTERNAME", "")}
    with contextlib.suppress(OSError, AttributeError):
        names.add(os.uname().nodename)  # no look-up in the network; Windows says it in COMPUTERNAME
    names |= {name.partition(".")[0] for name in names}
    return tuple(sorted(name for name in names if name))


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
_LEADING_USER = Expression(
    r"^\(?\w{0,40}\)? ?(?P<name>[a-z_][\w.-]{1,62})@[A-Za-z0-9][\w.-]{0,62}[:~ ]"
)
_USERS = tuple(
    (words, Expression(form))
    for words, form in (
        (("/home/", "Users", "/mnt/"), r"(?:/home/|/Users/|\\\\?Users\\\\?|/mnt/[a-z]/Users/)(?P<name>[A-Za-z_][\w.-]{1,62})"),
        (("ser", "SER", "ogname", "OGNAME", "wner", "WNER"), r"(?i)\b(?:user|username|logname|owner)[=:] ?['\"]?(?P<name>[a-z_][\w.-]{1,62})\b"),
    )
)  # fmt: skip
_NOBODY = frozenset({"root", "runner", "ubuntu", "jovyan", "user", "stdout", "stderr", "kernel", "localhost", "none", "null", "true", "false"})  # fmt: skip


def with_names_of(identity: Identity, lines: Iterable[str]) -> Identity:
    """`identity` with the names that these lines tell, and what stands in those of private keys."""
    lines = list(lines)
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
    secrets = (*identity.secrets, *lines_of_keys(lines))
    people = tuple(sorted(name for name in users if name.lower() not in _NOBODY))
    return replace(identity, hosts=tuple(sorted(known | short)), people=people, secrets=secrets)


def _leading(forms: tuple[Expression, ...], line: str) -> Iterator[str]:
    return (found["name"] for form in forms if (found := form.match(line[:4000])) is not None)


def _within(forms: tuple[tuple[tuple[str, ...], Expression], ...], line: str) -> Iterator[str]:
    for words, form in forms:
        if any(word in line for word in words):
            yield from (found["name"] for found in form.finditer(line[:4000]))
