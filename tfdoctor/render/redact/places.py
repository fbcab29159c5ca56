"""What tells one machine from another: identifiers of GPUs, addresses, names of hosts. Each pattern says what it must not take."""

from __future__ import annotations

import ipaddress
import re

from tfdoctor.light.expressions import Expression

_HEX = "[0-9A-Fa-f]"
_UUID = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

# Long or shortened as CUDA_VISIBLE_DEVICES takes it; MIG's older form is MIG-GPU-<uuid>/<instance>/<compute>
# (CUDA C++ Programming Guide, environment variables; NVIDIA MIG User Guide; 2026-11).
GPU_UUID = Expression(
    rf"\b(?:MIG-GPU-|GPU-|MIG-)(?:{_UUID}|(?=[A-Fa-f-]{{0,40}}\d){_HEX}{{4,40}}(?:-{_HEX}{{1,40}}){{0,8}})(?:/\d{{1,3}}/\d{{1,3}})?(?![\w-])",
    re.ASCII,
)
UUID = Expression(rf"(?<![\w-]){_UUID}(?![\w-])", re.ASCII)
SERIAL = Expression(
    r"(?i)serial(?P<gap>(?: number| no\.?)?[:=]? ?)(?P<value>(?=[A-Z]{0,40}\d)[A-Z0-9]{6,64})(?![A-Z0-9])"
)

# Six octets (Ethernet) or eight and twenty (EUI-64, InfiniBand). A PCI address such as 00000000:3B:00.0 has three.
MAC = Expression(
    rf"(?<![\w:.-])(?:{_HEX}{{2}}(?::{_HEX}{{2}}){{5}}(?:(?::{_HEX}{{2}}){{2}}|(?::{_HEX}{{2}}){{14}})?"
    rf"|{_HEX}{{2}}(?:-{_HEX}{{2}}){{5}})(?!\w|[:-]\w)",
    re.ASCII,
)
IPV6 = Expression(
    rf"(?<![\w:.])(?=[0-9A-Fa-f:]{{0,40}}:[0-9A-Fa-f:]{{0,40}}:){_HEX}{{0,4}}:[0-9A-Fa-f:]{{1,40}}(?:\d{{0,3}}\.\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}})?(?![\w:])",
    re.ASCII,
)
IPV4 = Expression(r"(?<![\w.+-])(?:\d{1,3}\.){3}\d{1,3}(?![\w+]|\.\w|-\w)", re.ASCII)
FOUR_NUMBERS = Expression(r"(?<![\d.])(?:\d{1,9}\.){3}\d{1,9}(?!\d)")
_VERSION_BEFORE = Expression(
    r"(?:[=<>!~]=|===|(?:versions?|release|driver|cuda|cudnn|nccl|cublas|cufft|cusolver|cusparse|curand|nvjitlink|tensorrt|toolkit|ptxas"
    r"|nvcc|cu1\d|installed|requires?|needs?|expects?|expected|wants?|asks for|built (?:for|with|against)|compiled with|loaded|\bv)[ :=(]{0,3})$",
    re.IGNORECASE,
)
_LESS_OR_MORE = Expression(r"(?:^|[\w,\s\]])[<>] ?$")

ADDRESS_IN_NAME = Expression(
    r"\bip(?:-\d{1,3}){4}(?:\.[a-z0-9-]{1,63}){0,8}", re.ASCII
)  # Amazon's host names
FOREIGN_HOST = Expression(
    r"(?<![\w.@/\\%$-])(?:[A-Za-z][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,11}(?![\w-]|\.\w|\()", re.ASCII
)
"""Words joined by dots. `is_foreign_host` tells a host's name among them from a module's (google.protobuf.internal)."""
_ENDS = frozenset(
    ("com", "net", "org", "edu", "gov", "mil", "lan", "corp", "intranet", "localdomain", "arpa")
)
_ENDS_OF_MODULES_TOO = frozenset(
    ("local", "internal", "intra", "home", "private", "cluster", "cloud", "io", "ai", "dev", "app")
)
_COUNTRIES = frozenset(
    """de uk fr ch at nl be se fi dk es pt pl cz it ie eu jp cn kr tw hk sg au nz ca us br mx ar il ru ua tr gr hu ro
    za""".split()  # noqa: SIM905  # names read better as text
)
SHARE = Expression(r"(?<![\\\w:])(?P<before>(?:\\\\){1,2})(?P<host>[A-Za-z0-9][\w.-]{0,200})(?=\\{1,2}[\w$])")
EXPORT = Expression(
    r"(?<![\w./$@<>-])(?P<host>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,8}):(?=/[A-Za-z])", re.ASCII
)
NAMED_HOST = Expression(
    r"(?i)(?P<before>(?<![a-z])(?:hostname|nodename|nodelist|node_name|host_name|master_addr|fqdn|computername)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)"
    r"(?P<host>[A-Za-z][\w.\[\],-]{0,300})"
)
NAMED_HOST_BEGINS = (
    "hostname",
    "nodename",
    "nodelist",
    "node_name",
    "host_name",
    "master_addr",
    "fqdn",
    "computername",
)
URL = Expression(
    r"://(?:(?P<login>[^/\s'\"<>?#]+(?=@)|[^/\s@:'\"<>]{1,64}:(?!\d{1,5}[/?#])[^\s@'\"<>]{1,40}(?=@))@)?"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*)?"
)
OF_IMAGES = ("docker", "docker-daemon", "library", "oras", "shub")
"""Words before "://" behind which a container's image stands (Apptainer's user guide, "Build a Container"; 2026-11)."""
HOST_AND_PORT = Expression(
    r"(?<![\w.@-])(?P<login>)(?P<host>[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,8}):(?P<port>\d{2,5})\b"
)
HOST_NAME = Expression(
    r"(?i)(?:^|_)(?:HOST|HOSTNAME|HOSTS|NODENAME|NODELIST|NODE_LIST|NODEFILE|MASTER_ADDR|ADDR|ADDRESS)$"
)
"""Names of environment variables whose values are names of hosts."""

_PUBLIC = frozenset(
    """nvidia.com tensorflow.org keras.io google.com googleapis.com github.com githubusercontent.com github.io python.org
    numpy.org scipy.org pytorch.org kubernetes.io docker.com ubuntu.com debian.org redhat.com fedoraproject.org kernel.org
    microsoft.com apple.com intel.com amd.com arm.com gnu.org apache.org mozilla.org w3.org ietf.org stackoverflow.com
    jupyter.org readthedocs.io schedmd.com no-color.org json-schema.org protobuf.dev abseil.io""".split()  # noqa: SIM905  # names read better as text
)
_PUBLIC_LABELS = frozenset(
    "www docs doc developer download api storage blog forums support help security wiki man raw gist us grpc peps packaging slurm feature node catalog ngc".split()  # noqa: SIM905  # as above
)


def is_public(host: str) -> bool:
    """A site that anybody reads, named in messages and pages: it tells nothing of the machine."""
    labels = host.casefold().strip(".").split(".")
    return ".".join(labels[-2:]) in _PUBLIC and _PUBLIC_LABELS.issuperset(labels[:-2])


def is_foreign_host(name: str) -> bool:
    """By its end. One that could be a module's counts only with a digit or a dash, a country's behind two labels more."""
    *labels, end = name.casefold().split(".")
    if is_public(name):
        return False
    if end in _ENDS or (end in _COUNTRIES and len(labels) > 1):
        return True
    return end in _ENDS_OF_MODULES_TOO and any(char in "-0123456789" for char in name)


def is_private_ipv6(text: str) -> bool:
    if not any(character.isdigit() for character in text):
        return False  # C++'s "a::b"
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_private_ipv4(text: str, before: str, after: str, versions: frozenset[str]) -> bool:
    """An address, and no version number: NVIDIA's versions have four numbers, too ("12.5.1.2", "9.3.0.75").

    A version is what stands in a version's place anywhere in the report (`versions`), behind a comparison or
    behind the name of what has it; or what an address can't be: a number over 255 or with a leading zero.
    """
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    if text in versions or address.is_loopback or address.is_unspecified or text.startswith("255."):
        return False
    if _VERSION_BEFORE.compiled.search(before):
        return False
    return not (_LESS_OR_MORE.compiled.search(before) and not after.startswith(">"))
