"""The GPUs that somebody names in words: "RTX 3090", "my 3080ti", "an A100"."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine
from tfdoctor.base.expressions import Expression

_CARD = Expression(
    r"\b(?P<card>(?:RTX|GTX|Rtx|Gtx|rtx|gtx)[ -]?(?:A|PRO )?\d{3,4}(?: ?(?:Ti|TI|ti|Super|SUPER|super|D)\b){0,2}|(?:Tesla|NVIDIA|Quadro) (?:[KMPVTAHL]\d{1,4}[a-z]?|[GR]TX \w{4,5})\b)(?!\w|\.\d)"
)
_SERIES = Expression(
    r"\b(?P<number>[1-5][06][5-9]0) ?(?P<kind>[Tt][Ii]|TI|[Ss]uper|SUPER)\b(?: ?(?P<more>[Ss]uper|SUPER)\b)?"
)
"""A GeForce by its number, which nobody else's has with these words behind it: 1660 Super, 3080ti."""
_BOARD = Expression(
    r"(?<![\w/.-])(?P<card>[AHV]100|P100|A30|A40|H200|B200|K80|MX(?:150|250|350|450|550))(?!\w|\.\d)"
)
_OF_CARDS = ("RTX", "GTX", "Rtx", "Gtx", "rtx", "gtx", "Tesla ", "NVIDIA ", "Quadro ")
_ENDS = ("ti", "Ti", "TI", "super", "Super", "SUPER")
_OF_SERIES = tuple(
    f"{ten}0{blank}{end}" for ten in range(5, 10) for blank in ("", " ") for end in _ENDS
)
_OF_BOARDS = ("100", "A30", "A40", "H200", "B200", "K80", "MX")
_FEW = 8


def cards(lines: LineIndex[LogLine]) -> tuple[str, ...]:
    """Each once."""
    return tuple(dict.fromkeys(_named(lines)))[:_FEW]


def _named(lines: LineIndex[LogLine]) -> Iterator[str]:
    for line in lines.holding(_OF_CARDS):
        yield from (found["card"] for found in _CARD.compiled.finditer(line.text))
    for line in lines.holding(_OF_SERIES):
        yield from (_geforce(*found.groups("")) for found in _SERIES.compiled.finditer(line.text))
    for line in lines.holding(_OF_BOARDS):
        yield from (found["card"] for found in _BOARD.compiled.finditer(line.text))


def _geforce(number: str, kind: str, more: str) -> str:
    """Its full name: GTX up to the 16 series, RTX from the 20 series."""
    words = [each.capitalize() for each in (kind, more) if each]
    return " ".join(("GTX" if int(number) < _FIRST_RTX else "RTX", number, *words))


_FIRST_RTX = 2000
"""NVIDIA calls its GeForce GPUs RTX from the 20 series on (NVIDIA's CUDA GPU page, read 2026-11-20)."""


_OTHER = Clue(
    r"\b(?P<name>Intel ?(?:\((?:R|TM)\) ?|® ?)?(?:Corporation )?(?:[\w-]{1,14} ){0,2}(?:UHD|HD|Iris|Arc)\b(?:\((?:R|TM)\)|®)?(?: ?(?:Xe|Plus|Graphics|MAX|Max|[A-Z]?\d{3,4}M?)\b){1,3}|Iris Xe\b(?: Graphics)?|(?:AMD )?Radeon (?:RX|HD|Pro|R\d|Vega|VII)\b(?: ?[A-Z]{0,2}\d{2,4}[A-Z]{0,3}\b(?: XTX?\b)?)?)",
    ("Intel", "Iris Xe", "Radeon"),
)
_OF_NVIDIA = Clue(
    r"\b(?:GeForce|Quadro|TITAN|GTX|RTX|Tesla [A-Z]\d{1,3}|NVIDIA (?:Corporation|[A-Z]{1,3}\d{1,4}))\b|NVIDIA-SMI|Found device \d|(?i:\bmy nvidia|\bnvidia (?:gpu|card|graphics|\w{0,10} ?\d{3,4}))|\bMX\d{3}\b",
    ("GeForce", "Quadro", "TITAN", "GTX", "RTX", "Tesla ", "NVIDIA", "Found device", "nvidia ", "Nvidia ", "MX"),
)  # fmt: skip
_OF_ROCM = Clue(
    r"(?i)\brocm|\bhip_|\bgfx\d|directml", ("rocm", "hip_", "gfx", "directml"), small=True
)


def other(lines: LineIndex[LogLine]) -> str:
    """The GPU of Intel's or AMD's that is named where none of NVIDIA's is, nor AMD's own software; "" for none."""
    found = lines.first(_OTHER)
    if found is None or lines.first(_OF_NVIDIA) or lines.first(_OF_ROCM):
        return ""
    return " ".join(found[1]["name"].split())
