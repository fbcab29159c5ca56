"""An exception whose traceback was not pasted: its line alone, as the last word of a log or as nearly all of a short one."""

from __future__ import annotations

from collections.abc import Container, Sequence

from tfdoctor.ask.logs.passages.continued import Continued, is_open
from tfdoctor.ask.logs.passages.tracebacks import ROOT, ROOTS, USER_CODE, Numbered, Raised
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace

_RAISED = Expression(
    r"^[ \t]{0,12}(?:(?:Error|Fehler|Erreur|Erro|Errore|Fout)(?: message| Message)?(?: (?:in|dans|em|en) .{1,200}?)? ?[:-] {1,3})?`?(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}(?:[A-Z]\w{0,80}(?:Error|Exception|Exhausted|NotFound|Interrupt)|Exception)|cv2\.error)(?: \(see above for traceback\))?: {1,3}(?P<words>\S.{0,8000})$"
)
_WITHOUT_CLASS = Expression(
    r"^[ \t]{0,12}(?:(?:An? )?(?:[Uu]nexpected )?(?:[Ee]rror|ERROR|[Ee]xception)(?: (?:has )?occurr?ed)?(?: (?:while|during|in) [^:\n]{1,80})? ?[:-] {1,3})?(?P<words>"
    r"(?P<attribute>module '[\w.]{1,200}' has no attribute '|'\w{1,80}' object has no attribute ')|(?P<module>No module named ')|(?P<name>cannot import name ')|(?P<argument>Cannot assign a device for operation |No OpKernel was registered to support Op ')).{1,2000}$"
)
"""What a program prints of an exception that it caught: str() of it leaves the class out, and Python's own words tell that, or TensorFlow's."""
_CLASSES = {
    "attribute": "AttributeError",
    "module": "ModuleNotFoundError",
    "name": "ImportError",
    "argument": "InvalidArgumentError",
}
_STATUS = Expression(
    r"(?P<status>RESOURCE_EXHAUSTED|INVALID_ARGUMENT|INTERNAL|NOT_FOUND|UNIMPLEMENTED|FAILED_PRECONDITION|UNAVAILABLE|ABORTED|DATA_LOSS|DEADLINE_EXCEEDED|UNKNOWN|PERMISSION_DENIED"
    r"|Resource exhausted|Invalid argument|Internal|Not found|Unimplemented|Failed precondition|Unavailable|Aborted|Data loss|Deadline exceeded|Unknown|Permission denied): {1,3}(?P<words>\S.{0,8000})$"
)
"""A root error of a graph: TensorFlow's status, in the spelling of 2.7 and newer or of those before (absl's and its own error_codes)."""
_TRAILER = Expression(
    r"^[ \t]|^(?:\d{1,3} (?:successful operations|derived errors)|Hint: |Process finished with exit code|\[Finished in|Command exited|srun: |make: |Press any key|\[Op:|>>>|In \[|Call arguments received|\([\w.-]{1,60}\) |[\w.@:~/\\-]{1,120}[$#>%])"
)
_LISTED = Expression(
    r"^[ \t*|`-]{0,6}[A-Za-z][\w.-]{0,60}(?: {2,60}|\t{1,4}|==)\d[\w.+!]{0,30}(?: {1,60}\S{1,60}){0,3}\s{0,3}$"
)
"""A line of a list of packages, which people paste below the error that they ask about: it neither ends it nor works on."""
_WORK = Expression(r"^\d{4}-\d\d-\d\d|^[IWEF]\d{4} |Epoch \d|\d{1,9}/\d{1,9} \[|it/s\]|^\[I ")
_SHORT, _LAST = 12, 40  # lines that say something
_HEADING = 3  # the first of them, where a heading may stand


def alone(lines: Sequence[Numbered], harmless: Container[int]) -> Raised | None:
    """The last exception that stands alone and after which nothing worked on; None where there is none.

    `harmless`: numbers of lines that are known to mean nothing.
    """
    filled = [(number, text) for number, text in lines[-400:] if text.strip()]
    said = [each for each in filled if not _LISTED.match(each[1])]
    short = len(said) <= _SHORT and len(lines) <= len(filled) * 3
    for place in range(len(said) - 1, max(-1, len(said) - _LAST), -1):
        number, text = said[place]
        if number not in harmless and (found := _RAISED.match(text)):
            words = _opened(found["words"].strip().rstrip("`"), said[place + 1 :])
            return Raised(found["name"], words, number, number, "", "")
        if (root := ROOT.compiled.match(text)) and (found := _STATUS.match(root["words"])):
            return Raised(
                _error_of(found["status"]), found["words"].strip(), number, number, "", ""
            )
        if short and number not in harmless and (caught := _caught(number, text)):
            return caught
        if _WORK.search(text) or not (short or _TRAILER.match(text) or _goes_on(said, place)):
            return None
    return None


def with_words(lines: Sequence[Numbered], raised: Raised) -> Raised:
    """A traceback that ends without its words gets those of the same exception that stand apart from it: people paste the
    last line as a heading above. Unchanged where there are none."""
    if not raised.cut and raised.words != USER_CODE:
        return raised
    filled = [(number, text) for number, text in lines if text.strip()]
    top = {number for number, _ in filled[:_HEADING]}
    for number, text in filled:
        if raised.first <= number <= raised.line:
            continue
        found = _RAISED.match(text)
        if found is not None and (
            _same(found["name"], raised.name) if raised.name else number in top
        ):
            words = found["words"].strip().rstrip("`")
            return replace(raised, name=found["name"], words=words, line=number, cut=False)
    return raised


def _same(one: str, other: str) -> bool:
    return one.rpartition(".")[2] == other.rpartition(".")[2]


def _caught(number: int, text: str) -> Raised | None:
    found = _WITHOUT_CLASS.match(text)
    if found is None:
        return None
    name = next(each for group, each in _CLASSES.items() if found[group])
    return Raised(name, text[found.start("words") :].strip(), number, number, "", "")


def _goes_on(said: Sequence[Numbered], place: int) -> bool:
    """Whether the line belongs to the words of an exception right above it, which end in a colon."""
    found = _RAISED.match(said[place - 1][1]) if place else None
    return bool(found and is_open(found["words"].strip()))


def _error_of(status: str) -> str:
    """ "RESOURCE_EXHAUSTED" and "Resource exhausted" are both a ResourceExhaustedError."""
    return "".join(word.capitalize() for word in status.replace("_", " ").split()) + "Error"


def _opened(words: str, after: Sequence[Numbered]) -> str:
    """Of "2 root error(s) found." the first root error, where the lines behind it name one; of words that go on all of them."""
    if is_open(words) and not ROOTS.compiled.match(words):
        more = Continued(words)
        for _, text in after:
            if not more.take(text):
                break
        return more.words
    if not ROOTS.compiled.match(words):
        return words
    roots = (ROOT.compiled.match(text) for _, text in after)
    return next((found["words"].strip() for found in roots if found), words)
