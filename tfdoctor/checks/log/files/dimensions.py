"""One dimension too few before a layer: whether the batch or the channel is missing, as the sizes tell."""

from __future__ import annotations

from tfdoctor.findings.model import Fix
from tfdoctor.signatures import own_errors as forms

_CHANNELS = ("1", "3", "4")
"""Gray, colour, colour with transparency: no picture is that wide, and no batch ends so."""


def dimension_fix(what: str) -> Fix | None:
    """None for other complaints, and where the sizes fit either."""
    found = forms.LAYER.compiled.search(what)
    if found is None:
        return None
    came = _sizes(found["have"]) or _received(what)
    wanted = _sizes(found["wanted"])
    count = len(wanted) or _count(found["wanted"])
    if not came or len(came) != count - 1:
        return None
    said = f"{found['wanted']}; what came is ({', '.join(came)})"
    if _lacks_batch(wanted, came, count):
        one = "picture" if count == 4 else "row" if count == 2 else "sample"
        return Fix(f"Give the model a batch, even of one {one}: {said}, which has no batch dimension", note=f"In your files: x = np.expand_dims(x, 0) right before the call, or model.predict(x[None]). Keras takes the first dimension for the number of samples, so a single {one} is (1, …).")  # fmt: skip
    if _lacks_channel(wanted, came, count):
        return Fix(f"Give the data their channel: {said}, which has none", note="In your files: x = x[..., None], as for gray pictures, in the training and in predict alike; cv2.imread(file) and load_img without color_mode give colour ones, with three.")  # fmt: skip
    return None


def _lacks_batch(wanted: tuple[str, ...], came: tuple[str, ...], count: int) -> bool:
    """Keras cuts what it takes for samples into batches, so the first size that came is any number."""
    if wanted:
        return _fits(wanted[2:], came[1:]) and not _fits(wanted[1:-1], came[1:])
    return count == 4 and came[-1] in _CHANNELS


def _lacks_channel(wanted: tuple[str, ...], came: tuple[str, ...], count: int) -> bool:
    if wanted:
        return count == 4 and wanted[-1] == "1" and _fits(wanted[1:-1], came[1:])
    return count == 4 and came[-1].isdecimal()


def _fits(wanted: tuple[str, ...], came: tuple[str, ...]) -> bool:
    return len(wanted) == len(came) and all(one == other or "None" in (one, other) for one, other in zip(wanted, came, strict=True))  # fmt: skip


def _count(wanted: str) -> int:
    """ "min_ndim=4" and "ndim=4"; 0 for what names no number."""
    number = wanted.rpartition("ndim=")[2][:1]
    return int(number) if "ndim=" in wanted and number.isdecimal() else 0


def _received(what: str) -> tuple[str, ...]:
    found = forms.RECEIVED.compiled.search(what)
    return _split(found["sizes"]) if found else ()


def _sizes(words: str) -> tuple[str, ...]:
    found = forms.SIZES.search(words)
    return _split(found["sizes"]) if found else ()


def _split(sizes: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in sizes.split(",") if each.strip())
