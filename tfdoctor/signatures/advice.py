"""What a message itself tells its reader to do, in its own words: whoever wrote it knew what fails."""

from __future__ import annotations

import re
from math import prod

from tfdoctor.light.expressions import Expression

_SENTENCE = Expression(r"[^.!?;'\"]{0,300}(?:[.!?;](?![\s'\"]|$)[^.!?;'\"]{0,200}){0,6}")
_TELLS = Expression(
    r"(?i)^\W{0,3}(?:please\b|(?:try|consider|use|set|unset|pass|install|upgrade|update|downgrade|reinstall|rebuild|recompile|disable|enable|increase|decrease|reduce|remove|run|call|make sure|ensure|specify|add|restart|"
    r"to (?:fix|avoid|solve|resolve|disable|enable) this|you (?:can|must|need to|should|may|have to)|you can (?:override|disable|avoid|fix|suppress) this|it (?:can|must|should) be (?:set|fixed|disabled)|perhaps you)\b)|\bplease (?:use|set|try|upgrade|update|install|check|make|specify|provide|see|run|pass|rebuild|consider|remove|add|restart|call)\b"
    r"|\b(?:must|should|needs? to) be (?:set|installed|updated|upgraded|rebuilt|called|enabled|disabled)\b|\btry (?:setting|using|running|installing|upgrading|reducing|increasing|to)\b|\bset (?:the )?(?:environment variable )?(?-i:[A-Z][A-Z_]{3,40})\b"
)
_NOT_ADVICE = Expression(
    r"(?i)see above for traceback|file an? (?:issue|bug)|report (?:this|it|an? )|open an issue|if you want to see a list|report_tensor_allocations|search for the root cause|call arguments received|rebuild TensorFlow with the appropriate"
)
_INSIDE_A_WORD = Expression(r"(?<=\w)'(?=\w)")
"""The apostrophe of "can't" ends no quotation."""
_SHORTEST, _LONGEST = 12, 240


def advice_in(message: str) -> str:
    """The sentences of a message that tell its reader to do something, at most two; "" for none."""
    found = []
    whole = _INSIDE_A_WORD.compiled.sub("\N{RIGHT SINGLE QUOTATION MARK}", message.replace(" vs. ", " vs "))
    for match in _SENTENCE.finditer(whole):
        words = " ".join(match[0].split()).strip(" ,:").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        if _SHORTEST <= len(words) <= _LONGEST and _TELLS.search(words) and not _NOT_ADVICE.search(words):
            found.append(words)
    return ". ".join(found[:2])


def message_of(text: str) -> str:
    """Without what a log writes before it: time, severity, file and line, or the exception's name."""
    text = re.sub(r"^.{0,200}?\.(?:cc|h|cu\.cc):\d{1,6}\] ", "", text)
    return re.sub(r"^[\w.]{1,120}(?:Error|Exception): ", "", text)


_ARRAY = Expression(
    r"Unable to allocate (?:array of )?(?P<size>[\d.]{1,12} [KMGTP]?i?B) for an array with shape .{0,120}? and data type (?P<kind>\w{1,20})"
)


_TENSOR = Expression(
    r"OOM when allocating tensor (?:with|of) shape ?\[(?P<shape>\d{1,10}(?:,\d{1,10}){0,7})\](?: and type (?P<kind>\w{1,20}))?"
)
_BYTES = {"double": 8, "int64": 8, "complex64": 8, "complex128": 16, "float64": 8, "half": 2, "bfloat16": 2, "float16": 2, "int8": 1, "uint8": 1, "bool": 1}  # fmt: skip
"""By TensorFlow's own names of its types (core/framework/types.cc, read 2026-11-22); all others have four, or are rare."""


def tensor_of(text: str) -> tuple[tuple[int, ...], int]:
    """The shape of the tensor that did not fit, and its bytes; ((), 0) where none is told."""
    found = _TENSOR.search(text)
    if not found:
        return (), 0
    shape = tuple(map(int, found["shape"].split(",")))
    return shape, prod(shape) * _BYTES.get(found["kind"] or "float", 4)


_MAKES_WEIGHTS = Expression(
    r"(?:requested by op \S{0,100}|\[Op:)(?:Stateless)?(?:RandomUniform|RandomNormal|RandomStandardNormal|TruncatedNormal)\w{0,8}\b|requested by op \S{0,100}Initializer/"
)
"""Operations that make the first values of weights (keras/initializers and TensorFlow 1's names of them, read 2026-11-22)."""
_COMPILES = Expression(r"\bprogram cc1(?:plus)?\b")
_SERVES = Expression(r"tensorflow_model_server|tf_serving")


def makes_weights(text: str) -> bool:
    """Whether what found no room were the first values of weights."""
    return bool(_MAKES_WEIGHTS.search(text))


def is_a_compiler(line: str) -> bool:
    """Whether a death is told of GCC's own process."""
    return bool(_COMPILES.search(line))


def is_a_server(line: str) -> bool:
    """Whether a death is told of TensorFlow Serving."""
    return bool(_SERVES.search(line))


def one_array(text: str) -> tuple[str, str]:
    """The size and the data type of the NumPy array that could not be made; "" twice for none."""
    found = _ARRAY.search(text)
    return (found["size"], found["kind"]) if found else ("", "")
