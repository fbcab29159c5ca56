"""Whether a log shows a program that asked TensorFlow for GPUs and got none, or a TensorFlow that was built without CUDA.

Such a log often holds no other word: Windows' builds say nothing, and a variable can silence the others.
"""

from __future__ import annotations

from tfdoctor.ask.logs.machine.complaints import complaint
from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

_NONE = Expression(
    r"(?i)\bnum(?:ber)?(?: of)? (?:physical |available )?GPUs?(?: available)?\s{0,3}[:=]?\s{0,3}(?:0|\[\])\s{0,3}$"
    r"|\bGPUs? (?:is |are )?(?:: {0,3})?not available\b|\b(?:is )?GPU available\W{1,4}(?:False|\[\])|\bavailable GPUs?\W{1,4}\[\]"
    r"|^GPUs?\s{0,3}[:=]\s{0,3}none(?: detected| found| available)?\.?$|^\[?(?:Logical|Physical)Device\(name='/(?:physical_)?device:CPU:0', device_type='CPU'\)\]?$|\bGPUs? ?[:=] {0,3}\[\]\s{0,3}$"
    r"|^AssertionError: .{0,40}\bNot enough GPU hardware devices available\b"
    r"|^(?:\w{1,40}(?:Error|Exception): )GPU device not found\b|^(?:\w{1,40}(?:Error|Exception): ).{0,40}\b(?i:no) GPU(?:s| devices?)? (?:was |were )?(?:found|detected|available)\b"
)
_ASKS = Expression(
    r"list_(?:physical|logical)_devices\(.{0,20}GPU|is_gpu_available ?\(|list_gpus\b|gpu_device_name\(|get_available_gpus\("
)
_ASKING = ("list_", "is_gpu_available", "gpu_device_name", "get_available_gpus")
_ANSWER = Expression(
    r"(?i)^(?:Out ?\[\d{1,5}\]: ?)?(?:(?:it |that |which )?(?:returns?|returned|gives?(?: me)?|prints?|outputs?|results? in|result|output)\W{1,4})?(?P<value>\[\]|list\(\)|(?:\[1\] )?false|''|\"\")\.?$"
)
"""The empty answer alone on its line, as Python, a notebook or R prints it, or behind a word of who wrote it down."""
_BEHIND_A_VERSION = Expression(r"^\d{1,2}\.\d{1,3}\.\d{1,3}\S{0,12} (?:True |False )?\[\]$")
"""`print(tf.__version__, tf.config.list_physical_devices("GPU"))`."""
_CODE = Expression(
    r"(?:[!=]=|\bdevice\(|\b_device=)\s{0,3}['\"]/?(?:\w{1,20}:\w{1,20}/){0,5}device:GPU:\d"
)
"""A line of a program that speaks of a GPU, and shows none."""
_BUILT = Expression(r"is_built_with_(?:cuda|gpu_support)\(")
_WITHOUT_CUDA = "The requested device appears to be a GPU, but CUDA is not enabled"
"""A build without CUDA adds it to its refusal (core/common_runtime/colocation_graph.cc, seen in tensorflow/tensorflow#61360, 2023-07)."""
_OF_CONDA = ("tensorflow ", "tensorflow-base ", "tensorflow-gpu ")
_CONDA_BUILD = Clue(
    r"^(?:# {1,2}|[-+> ]{0,4})?tensorflow(?:-base|-gpu)?\s{1,40}\d{1,2}\.\d{1,2}\.\d{1,2}\s{1,40}(?P<build>(?:cpu|mkl|eigen)_py\d{2,3}\S{0,30})(?:\s|$)",
    _OF_CONDA,
)
"""The column Build of conda's lists: conda-forge calls its builds cpu_… and cuda…, Anaconda mkl_…, eigen_… and gpu_…
(recipes of conda-forge/tensorflow-feedstock and AnacondaRecipes/tensorflow_recipes, 2026-11-23)."""
_CPU_PACKAGE = Expression(
    r"^[-+>*|# ]{0,8}(?:Name: )?tensorflow[-_]cpu(?:(?: {1,60}|==)(?P<version>\d{1,2}\.\d{1,3}[\w.+]{0,20})(?: {1,40}\S.{0,60})?)?$"
    r"|^(?:[$>!%#] {0,2})?(?:\S{0,80}python\S{0,8} -m )?(?:uv )?pip\d? {1,3}install (?:[\w=-]{1,40} ){0,4}['\"]?tensorflow[-_]cpu(?:==(?P<asked>\d[\w.]{0,20}))?['\"]?(?: |$)"
)
"""A row of a list of packages, `pip show`, or the command that installs it."""
_ON_WINDOWS = "TensorFlow GPU support is not available on native Windows"
"""2.21 warns so wherever GPUs are listed (python/framework/config.py of its wheel, 2026-11); Keras lists them in every program."""
_FEW = 3
"""Lines of a paste that hands in the warning and little else: whoever does so asks about it."""
_EMPTY = ("[]", "False", "''", '""', "list()", "FALSE")
_WORDS = ("GPU", "gpu", "device:CPU:0")
_NEAR = 40
"""Lines between the question and its answer: TensorFlow's own lines stand there."""


@record
class Listed:
    """Lines, 0 for none: where a list of GPUs is shown to be empty, and where the build says that it has no CUDA."""

    none: int = 0
    cpu_build: int = 0
    xla_gpu: bool = False  # the old XLA_GPU is listed, which needs the driver alone
    conda_build: str = ""  # "cpu_py39h4655687_0", where conda's list says it
    cpu_package: str = ""  # "tensorflow-cpu 2.15.0", "tensorflow-cpu"
    gone: int = 0  # a list that is empty after another one had a GPU


def listed(lines: LineIndex[LogLine]) -> Listed:
    """Where the log shows a GPU of TensorFlow's anywhere, only what was listed after it."""
    refused = [each for each in lines.holding(_LISTS) if _in_vain(each.text)]
    named = lines.holding(("device:GPU:0", "device:GPU:1"))
    seen = [each.number for each in named if each not in refused and not _is_wish(each.text)]
    if seen:
        return Listed(gone=_gone(lines, seen[-1]))
    built = [
        each.number
        for each in lines.holding(("is_built_with",))
        if _BUILT.compiled.search(each.text)
    ]
    without = lines.first_holding(_WITHOUT_CUDA)
    without = without or _beside(lines, _BUILT) or _answer(lines, built, ("False", "FALSE"))
    none = _none(lines, [each.number for each in refused])
    said = none or without or complaint(lines)
    row, build = _by_conda(lines)
    old = bool(lines.holding(("device:XLA_GPU:0", "'/xla_gpu:0'", "CPU XLA_GPU")))
    build = build or (_cuda_by_conda(lines) if without else "")
    cpu_build = without or row or _of_windows(lines, said) or (_of_intel(lines) if said else 0)
    return Listed(
        none or (said if said != without else 0),
        cpu_build,
        old,
        build,
        _of_pip(lines) if said else "",
    )


def _none(lines: LineIndex[LogLine], refused: list[int]) -> int:
    """The line that shows an empty list."""
    words = lines.holding(_WORDS)
    asking = [each for each in lines.holding(_ASKING) if _ASKS.compiled.search(each.text)]
    asked = [each.number for each in asking]
    counted = [each.number for each in asking if "len(" in each.text]
    in_words = [each.number for each in lines.holding(("mpty array", "mpty list"))] if asked else []
    return (
        next((each.number for each in words if _NONE.compiled.search(each.text.strip())), 0)
        or next(iter((*refused, *in_words)), 0)
        or _first_of_none(lines)
        or _beside(lines, _ASKS)
        or _answer(lines, asked, _EMPTY)
        or _zero(lines, counted)
        or _mapped(lines)
        or _asked_in_a_group(lines)
    )


def _gone(lines: LineIndex[LogLine], seen: int) -> int:
    """The empty answer behind the last GPU; 0 where the program hid it itself."""
    after = [each for each in lines if each.number > seen and each.text.strip()]
    if len(after) == 1 and _says(after[0].text.strip(), _EMPTY[:1]):
        return after[0].number  # two lists, and nothing else
    asking = [each.number for each in lines.holding(_ASKING) if _ASKS.compiled.search(each.text)]
    if not asking or lines.holding(("set_visible_devices",)):
        return 0
    return _answer(LineIndex(after), [each for each in asking if each > seen], _EMPTY)


def _of_windows(lines: LineIndex[LogLine], said: int) -> int:
    warned = lines.first_holding(_ON_WINDOWS)
    alone = bool(warned) and sum(1 for each in lines if each.text.strip()) <= _FEW
    return warned if said or alone else 0


def _of_intel(lines: LineIndex[LogLine]) -> int:
    """The name of Intel's build for Windows, which has no CUDA, in somebody's words or in a list of packages."""
    return lines.first_holding("tensorflow_intel", "tensorflow-intel")


def _of_pip(lines: LineIndex[LogLine]) -> str:
    rows = (
        _CPU_PACKAGE.compiled.search(each.text.rstrip())
        for each in lines.holding(("tensorflow-cpu", "tensorflow_cpu"))
    )
    found = next((each for each in rows if each), None)
    return f"tensorflow-cpu {found['version'] or found['asked'] or ''}".strip() if found else ""


def _mapped(lines: LineIndex[LogLine]) -> int:
    """A session's own list of all its devices, which has the old XLA_GPU and no GPU."""
    mapping = lines.holding(("Device mapping:",))
    return mapping[0].number if mapping and lines.holding(("device:XLA_GPU:0",)) else 0


_MEMBER = Expression(r"\) /device:GPU:\d\s{0,3}$")
_TYPES = Expression(r"\b[A-Z][A-Za-z0-9]{1,60}:(?P<types>(?: (?:XLA_)?[CG]PU){1,4})\s{0,3}$")
"""The placer's list of a colocation group: each operation with the types of devices that are there and have a kernel of it."""


def _is_wish(text: str) -> bool:
    """A line of the program, or of the placer, that says where something shall be: it shows no GPU."""
    return bool(_CODE.compiled.search(text) or _MEMBER.compiled.search(text))


def _asked_in_a_group(lines: LineIndex[LogLine]) -> int:
    """A group of operations that the program put on a GPU, where no operation of it finds one among the devices."""
    members = [
        each.number
        for each in lines.holding(("/device:GPU:",))
        if _MEMBER.compiled.search(each.text)
    ]
    rows = (
        (_TYPES.compiled.search(each.text) for each in lines.holding((": CPU", ": XLA_")))
        if members
        else ()
    )
    types = [each["types"].split() for each in rows if each]
    return members[0] if len(types) >= _FEW and not any("GPU" in each for each in types) else 0


def _by_conda(lines: LineIndex[LogLine]) -> tuple[int, str]:
    """The line that lists a build without CUDA, and the build."""
    found = lines.first(_CONDA_BUILD)
    return (found[0].number, found[1]["build"]) if found else (0, "")


_CUDA_BUILD = Clue(
    r"^(?:# {1,2}|[-+> ]{0,4})?tensorflow(?:-base|-gpu)?\s{1,40}\d{1,2}\.\d{1,2}\.\d{1,2}\s{1,40}(?P<build>(?:cuda\d{2,4}|gpu_)py\d{2,3}\S{0,30})(?:\s|$)",
    _OF_CONDA,
)


def _cuda_by_conda(lines: LineIndex[LogLine]) -> str:
    """The build of a TensorFlow without CUDA to which conda gave the name of one with it; "" for none."""
    found = lines.first(_CUDA_BUILD)
    return found[1]["build"] if found else ""


_FIRST = Expression(r"\b\w{0,30}(?:[gG][pP][uU]s?|devices)(?:_list)?\[\s{0,3}0\s{0,3}\]")
_BELOW = 6
"""Lines between a frame's own line and its exception; a notebook shows some that follow."""


def _first_of_none(lines: LineIndex[LogLine]) -> int:
    """The exception of a program that takes the first GPU of an empty list."""
    failed = lines.holding(("IndexError: list index out of range",))
    taken = [each.number for each in lines.holding(("[0]",)) if _FIRST.compiled.search(each.text)] if failed else []  # fmt: skip
    return next(
        (each.number for each in failed if any(0 < each.number - at <= _BELOW for at in taken)), 0
    )


def _beside(lines: LineIndex[LogLine], question: Expression) -> int:
    """The first line that has the question, and the answer behind it as a comment or an arrow of who wrote it down."""
    asking = lines.holding((*_ASKING, "is_built_with"))
    return next(
        (
            each.number
            for each in asking
            if question.compiled.search(each.text) and _WRITTEN.compiled.search(each.text)
        ),
        0,
    )


_WRITTEN = Expression(
    r"\)\s{0,9}(?:#|=>|->|==>|:)\s{0,3}(?:[Rr]eturns? |[Oo]utputs? |[Pp]rints? )?(?:\[\]|False|''|\"\")\s{0,3}$"
)


_LISTS = ("available devices are [", "this machine only has: [")
"""TensorFlow's own refusal, and that of Keras' multi_gpu_model, which writes the names in small letters."""


def _in_vain(text: str) -> bool:
    """An operation was put on a GPU, and the devices that the message lists hold none."""
    listing = next((each for each in _LISTS if each in text), "")
    there = text.partition(listing)[2].partition("]")[0].lower()
    return not any(each in there for each in ("device:gpu:", "'/gpu:")) and "cpu:" in there


def _answer(lines: LineIndex[LogLine], asked: list[int], empty: tuple[str, ...]) -> int:
    """The first line that is nothing but an empty answer, behind a question; several printed answers keep their order."""
    if not asked:
        return 0
    alone = [each.number for each in lines.holding(empty) if _says(each.text.strip(" `\t"), empty)]
    return next((number for number in alone if asked[0] < number <= asked[-1] + _NEAR), 0)


def _zero(lines: LineIndex[LogLine], counted: list[int]) -> int:
    """The bare 0 behind a question that counts."""
    zeros = [each.number for each in lines if each.text.strip() == "0"] if counted else []
    return next((number for number in zeros if counted[0] < number <= counted[-1] + _NEAR), 0)


def _says(text: str, empty: tuple[str, ...]) -> bool:
    found = _ANSWER.compiled.match(text)
    value = found["value"].removeprefix("[1] ") if found else ""
    return value in empty or bool(_BEHIND_A_VERSION.compiled.match(text))
