"""Whose machine it is, and which of these names can be told apart from ordinary words."""

from __future__ import annotations

import re
from functools import cache

from tfdoctor.facts.model import Facts
from tfdoctor.findings.catalog import CODES
from tfdoctor.light.records import names, record

_SHORTEST = 3  # "ml" or "pi" as a user's name stands in too many other words
_SYSTEM_FOLDERS = ("", "usr", "bin", "etc", "var", "tmp", "opt", "dev", "proc", "sys", "nonexistent")
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
    """

    user: str = ""
    home: str = ""
    account_home: str = ""
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    people: tuple[str, ...] = ()  # others whose names a log tells


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
        words |= _words(code.name) | _words(code.title)
    for group in names(Facts):
        words |= _words(group)
    return frozenset(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold())) | set(re.findall(r"[a-z0-9_-]+", text.casefold()))


def words_of(names: list[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in _words(name))
