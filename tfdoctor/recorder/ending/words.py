"""The command's last words as lines, and those before them that tell something."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.recorder.start.tape import Text

_INNER = ("tfdoctor: the command ", "tfdoctor: the recorder died ")  # render/run_view.py's first words
_MOST_LINES, _MOST_TELLING, _LONGEST = 40, 40, 500


def lines_of(text: Text | str) -> Fact[tuple[str, ...]]:
    """All that was kept, a line that was written over (progress bars) as it stood last. Failed with the reason."""
    if isinstance(text, str):
        return Failed(text, "missing")
    lines = tuple(
        line.rstrip("\r").rpartition("\r")[2] for line in text.whole.decode("utf-8", "replace").split("\n")
    )
    retained = tuple(line for line in _without_an_inner_recorders(lines) if line.strip())
    return Known(retained, "stderr") if retained else Absent("it wrote nothing to stderr")


def _without_an_inner_recorders(lines: tuple[str, ...]) -> Iterator[str]:
    """What a recorder inside of this one said of the same end is no word of the program: it quotes, and explains."""
    inside = False
    for line in lines:
        inside = line.startswith(_INNER) or (inside and line.startswith("  "))
        if not inside:
            yield line


def last_lines(lines: Fact[tuple[str, ...]], *, telling: bool = False) -> Fact[tuple[str, ...]]:
    """Those that a report keeps: the last ones, and with `telling` those before them that the catalogue knows."""
    if not isinstance(lines, Known):
        return lines
    before, last = lines.value[:-_MOST_LINES], lines.value[-_MOST_LINES:]
    told = _telling(before) if telling and before else ()
    return Known(tuple(line[:_LONGEST] for line in (*told, *last)), lines.source)


def _telling(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Of each text that gives something away the first and the last line; a cause may stand far above its traceback."""
    from tfdoctor.logs.search import Literals
    from tfdoctor.signatures.catalogue import everything, named
    from tfdoctor.signatures.signature import CAUSE, HINT, Signature

    wanted = [each for each in everything() if each.role in (CAUSE, HINT)]
    wanted += [named(each) for each in ("traceback", "retracing", "shuffle-filled")]
    encoded = [line.encode("utf-8", "replace") for line in lines]
    ends = list(accumulate(len(line) + 1 for line in encoded))
    by_anchor: dict[str, list[Signature]] = {}
    for each in wanted:
        for anchor in each.anchors:
            by_anchor.setdefault(anchor, []).append(each)
    literals = Literals(by_anchor, engine="each")
    seen: dict[str, tuple[int, int]] = {}
    for at, number in literals.places(b"\n".join(encoded)):
        place = bisect_right(ends, at)
        for signature in by_anchor[literals.texts[number]]:
            if signature.hit(lines[place]):
                seen[signature.name] = (seen.get(signature.name, (place,))[0], place)
    places = sorted({place for both in seen.values() for place in both})
    return tuple(lines[place] for place in places[:_MOST_TELLING])
