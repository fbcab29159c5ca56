"""Environment variables: which are set, which of them change what TensorFlow does, which one a sentence speaks of."""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.knowledge.lines import setting, unsetting
from tfdoctor.knowledge.model import Fix

_PLACES = frozenset(
    """
    CONDA_DEFAULT_ENV CONDA_OVERRIDE_CUDA CONDA_OVERRIDE_GLIBC CONDA_PREFIX CONDA_SHLVL CUDA_HOME CUDA_PATH CUDA_ROOT
    CUDNN_HOME CUDNN_INSTALL_PATH CUDNN_PATH KERAS_HOME PYENV_VERSION TEMP TFDS_DATA_DIR TFHUB_CACHE_DIR TMP TMPDIR
    VIRTUAL_ENV WSL_DISTRO_NAME PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONFAULTHANDLER
    """.split()  # noqa: SIM905  # 20 names with quotation marks read worse
)
"""They say where something is, or change nothing of how TensorFlow computes."""

_PREFIXES = ("NVIDIA_", "TFDOCTOR_", "JAX_", "TF_CPP_")
_SHORTEST_FLAG = 6
_SHORTEST_VALUE = 3


def variables(facts: Facts) -> dict[str, str]:
    """Those that are set and count; {} where none is, or nobody could read them."""
    return value_or(facts.environment.variables, {})


def influential(facts: Facts) -> tuple[str, ...]:
    """Those that can change what TensorFlow does, by name."""
    return tuple(
        name
        for name in sorted(variables(facts))
        if name not in _PLACES and not name.startswith(_PREFIXES)
    )


@record
class Named:
    """A variable that a sentence speaks of. `part` is the flag in its value that is meant, "" for all of it."""

    name: str
    value: str
    part: str = ""

    @property
    def shown(self) -> str:
        return f"{self.name}={self.value}"


def named_in(sentence: str, facts: Facts) -> Named | None:
    """The variable that is set here and stands in the sentence by its name, by a flag that its value holds, or by its
    value in quotation marks."""
    words, found = words_of(sentence), variables(facts)
    by_name = [name for name in found if name in words or _as_an_option(name) in words]
    if by_name:
        longest = max(by_name, key=len)
        return Named(longest, found[longest], _flag_in(words, found[longest]))
    parts = ((name, value, _flag_in(words, value)) for name, value in found.items())
    by_flag = next((Named(name, value, part) for name, value, part in parts if part), None)
    return by_flag or next(
        (Named(name, value) for name, value in found.items() if _quotes(sentence, value)), None
    )


def _as_an_option(name: str) -> str:
    """TensorFlow calls what a variable sets by that name without its beginning: "Invalid gpu_thread_mode: x" (2.21.0); "" where
    the rest is one word, which a sentence may hold for any reason."""
    rest = name.removeprefix("TF_").lower()
    return rest if name.startswith("TF_") and rest.count("_") > 1 else ""


def _quotes(sentence: str, value: str) -> bool:
    """Whether the sentence holds the whole value in quotation marks; a bare number says too little."""
    if len(value) < _SHORTEST_VALUE or value.isdigit():
        return False
    return any(f"{mark}{value}{mark}" in sentence for mark in ("'", '"', "`"))


def words_of(sentence: str) -> set[str]:
    """Its words, each a run of letters, digits and underscores."""
    return set("".join(each if each.isalnum() or each == "_" else " " for each in sentence).split())


def _flag_in(words: set[str], value: str) -> str:
    """The first flag of a value such as "--xla_a=1 --xla_b" that is among the words, as it stands in the value."""
    for word in value.split():
        flag = word.lstrip("-").partition("=")[0]
        if word.startswith("-") and len(flag) >= _SHORTEST_FLAG and flag in words:
            return word
    return ""


def without(named: Named) -> Fix:
    """Takes away what the sentence means and no more: the one flag where others stand beside it, else the variable."""
    rest = [word for word in named.value.split() if word != named.part] if named.part else []
    note = "Lasts for this shell. Also remove the line that sets it (~/.bashrc, job script, Dockerfile, IDE)."
    if rest:
        return Fix(
            f"Remove {named.part} from {named.name}", (setting({named.name: " ".join(rest)}),), note
        )
    return Fix(f"Unset {named.name}", (unsetting(named.name),), note)
