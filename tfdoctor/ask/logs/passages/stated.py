"""An error's message that was pasted alone, without its class and its traceback: by the way in which TensorFlow, Keras and NumPy
complain of sizes, kinds of data and arguments."""

from __future__ import annotations

from collections.abc import Container, Sequence

from tfdoctor.ask.logs.passages.open_end import GOES_ON
from tfdoctor.ask.logs.passages.tracebacks import Numbered, Raised
from tfdoctor.base.expressions import Expression

_SIZES = r"(?:[\[(]\d[\d, ]{0,60}[\])]|[\[(](?:None|\?)(?:, ?[\dNone?]{1,8}){0,8}[\])]|\d{1,12} (?:and|vs\.?|!=) \d{1,12})"
_AMISS = r"(?:must|incompatible|inconsistent|mismatch(?:ed)?|unequal|not match|not equal|can ?not|can't|could not|out of (?:bounds|range)|outside|but (?:got|received|found|it has|are))"
_OF_SIZES = Expression(rf"(?=.{{0,400}}\b{_AMISS}\b)(?=.{{0,400}}?{_SIZES}.{{1,200}}{_SIZES})")
_BEGINS = Expression(
    r"^(?:`?logits?`? and `?labels`? must|Shapes \(|Incompatible shapes|Dimensions must be equal|Dimension \d{1,2} in both shapes must be equal|Matrix size-incompatible|Input to reshape is a tensor"
    r"|indices\[[\d,]{1,60}\] = -?\d|Input (?:\d{1,2} )?(?:of|is incompatible with) layer|Data cardinality is ambiguous|Failed to (?:convert|find data adapter)|Negative dimension size|Error when checking (?:model )?(?:input|target|:)|Cannot convert '?[^'\s]{1,60}'? to a shape"
    r"|No gradients provided|Cannot feed value of shape|Concat(?:Op|V2)? ?: |Dimensions of inputs should match|cannot reshape array|could not broadcast|operands could not be broadcast|index -?\d{1,12} is out of bounds"
    r"|Can ?not squeeze dim|slice index \d|Attempt to convert a value|Tried to convert|setting an array element|Graph disconnected|A target array with shape|You are passing a target array|Received a label value"
    r"|The (?:last|channel) dimension of the inputs|This model has not yet been built|You must (?:feed a value|compile your model)|Layer #?\w{1,60} (?:\(named|expects|was called)|Layer \"?\w{1,60}\"? expects|Cannot assign (?:to variable|value)|Weight count mismatch"
    r"|Target data is missing\b|No loss to compute\b|You must call `compile\(\)`|Model \S{1,60} (?:cannot be saved|has never been called)|Expected (?:float|int|string|bool|input|to see)|Value passed to parameter|could not convert string to float|Arguments `target` and `output`|Found input variables with inconsistent|Cannot batch tensors|Cannot add tensor to the batch"
    r"|(?:In\[0\] and In\[1\]|In\[0\] mismatch)|Paddings? must be|input must be \d-dimensional|The first argument to `Layer\.call`|Invalid reduction dimension|Unexpectedly found an instance|Asked to retrieve element|Unable to create (?:group|dataset)|'\w{1,60}' object has no attribute '\w{1,60}'$)"
)
_STATUS = Expression(
    r"(?:OP_REQUIRES failed at \S{1,120} : )?(?:(?:INVALID_ARGUMENT|Invalid argument): {1,3}(?P<words>\S.{0,1000})|(?:UNIMPLEMENTED|Unimplemented): {1,3}(?P<cast>Cast string to \w{1,12} is not supported.{0,200}))$|Status: fail: (?:NOT_FOUND|Not found): {1,3}(?P<absent>\S.{0,1000})"
)
"""TensorFlow's status for an operation that was handed something wrong: nearly always the program's own data."""
_MARKS = Expression(r"^[\s>*`\"'•|-]{0,12}")
_PROSE = Expression(
    r"(?i)warning|\b(?:i|i'm|i am|my|me|we|please|help|thanks|how (?:to|do|can)|why|sir|hello|hi)\b|\?\s*$"
)
_LONG = 60  # lines that say something


def stated(lines: Sequence[Numbered], harmless: Container[int]) -> Raised | None:
    """The first such message of a short text. None where there is none, or work goes on after it; a long log has other words for its
    failure."""
    said = [(number, text) for number, text in lines if text.strip()]
    if len(said) > _LONG:
        return None
    worked = max((number for number, text in said if GOES_ON.search(text)), default=0)
    for number, text in said:
        if number > worked and number not in harmless and (words := _complaint(text)):
            return Raised("", words, number, number, "", "")
    return None


def _complaint(text: str) -> str:
    if len(text) > 2000:
        return ""
    if found := _STATUS.search(text):
        if found["absent"]:
            return f"NotFoundError: {found['absent'].strip()}"
        if found["cast"]:
            return f"UnimplementedError: {found['cast'].strip()}"
        return f"InvalidArgumentError: {found['words'].strip()}"
    words = _MARKS.sub("", text).strip()
    if _BEGINS.match(words) and not _PROSE.search(words[:200]):
        return words
    return (
        words if words[:1].isupper() and _OF_SIZES.match(words) and not _PROSE.search(words) else ""
    )
