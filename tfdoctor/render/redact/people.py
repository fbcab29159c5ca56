"""What names a person: homes, logins, user@host."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

_NAME = r"[^/\\\s:;,'\"<>|*?()=~]+"
# A name may hold blanks ("/home/John Smith/venv") where a path goes on right behind it.
_SPACED = rf"{_NAME}(?: {_NAME}){{1,3}}(?=/)|{_NAME}"
HOME_OF_SOMEBODY = Expression(rf"(?P<base>/(?:home\d{{0,2}}|homes|[Uu]sers)/)(?P<name>{_SPACED})")
HOME_BEGINS = ("/home", "/users/")
_SHARED = ("u", "scratch", "data", "work", "nobackup")
"""Where clusters usually mount the disks that their users share."""
MAYBE_BEGINS = tuple(f"/{each}/" for each in _SHARED)
MAYBE_A_HOME = Expression(
    rf"(?<![\w.~-])(?P<base>/(?:{'|'.join(_SHARED)})/)(?P<name>[A-Za-z]{{2,32}}(?:[._][A-Za-z]{{1,32}})?\d{{0,8}}(?: [A-Z][a-z]{{1,32}})?)(?=/|[\s:;,'\")]|$)"
)
"""Roots below which some sites keep homes and others models: only what can't be another word is a name."""
OWNED = Expression(
    r"(?<=/)(?P<name>[^/\\\s:;,'\"<>|*?()=~]{3,64})(?=/(?:\.local|\.cache|\.conda|\.config|\.pyenv|\.virtualenvs|\.keras|\.ssh|\.nv|miniconda3?|anaconda3?|miniforge3?|mambaforge|micromamba)(?:/|\b))"
)
"""A folder with what programs put into a home is one, wherever it is."""
WINDOWS_HOME = Expression(
    r"(?P<base>(?:(?<=[A-Za-z]:[\\/])|(?<=[A-Za-z]:[\\/]{2}))(?i:users)[\\/]{1,4})"
    r"(?P<name>[^/\\:;,'\"<>|*?()=]{1,64}(?=[\\/])|[^/\\\s:;,'\"<>|*?()=]+)"
)
SHARED_HOMES = frozenset({"linuxbrew", "shared", "public", "default", "all users"})
TILDE = Expression(r"(?<![\w/.~])~(?P<name>[A-Za-z_][\w.-]*)(?=/)")
USER_AT_HOST = Expression(
    r"(?<![\w.+-])(?P<user>[A-Za-z_][\w.+-]*)@(?P<host>(?:[A-Za-z0-9-]{1,63}\.){0,8}[A-Za-z][A-Za-z0-9-]{0,62})(?![\w-]|://|\.\w)"
)
UNITS = ("service", "slice", "scope", "socket", "mount", "target")  # systemd's user@1000.service is no host
USER_NAME = Expression(
    r"(?i)^(?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME|LSFUSER|JUPYTERHUB_USER|NB_USER)$"
)
"""Names of environment variables whose values are users."""
NAMED_USER = Expression(
    r"(?P<before>(?<![A-Za-z])(?:USER|LOGNAME|USERNAME|user(?:name)?)=[\"']?)(?P<name>[A-Za-z_][\w.-]{0,63})"
)

_FOLDERS = frozenset(
    """models dataset datasets checkpoints checkpoint ckpt imagenet coco mnist cifar cifar10 cifar100 tfrecords tmp temp
    cache images videos audio raw val conda miniconda3 anaconda3 miniforge3 software apps projects project team teams
    experiments runs results outputs envs venvs""".split()  # noqa: SIM905  # words read better as text
)


def is_folder_of_things(name: str) -> bool:
    """Whether a folder below /data, /scratch and the like has a name that is nobody's."""
    return name.casefold() in _FOLDERS
