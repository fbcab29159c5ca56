"""What an error's last line says, in a sentence: names of functions and sizes alone tell a reader little."""

from __future__ import annotations

from tfdoctor.checks.log.files.stated import title_stated
from tfdoctor.signatures import own_errors as forms

_CHANNELS = {
    ("3", "4"): "The picture has transparency (RGBA), and the model takes three colours. In your files: Image.open(path).convert('RGB'), or x[..., :3]; tf.io.decode_png(data, channels=3).",
    ("3", "1"): "The picture is grey, and the model takes three colours. In your files: Image.open(path).convert('RGB'), or tf.image.grayscale_to_rgb(x).",
    ("1", "3"): "The picture has colours, and the model takes grey ones. In your files: Image.open(path).convert('L') and x[..., None], or tf.image.rgb_to_grayscale(x).",
    ("1", "4"): "The picture has colours and transparency, and the model takes grey ones. In your files: Image.open(path).convert('L') and x[..., None].",
}  # fmt: skip
"""By the last size that is expected and the one that came."""
_TITLES = (
    (forms.DAMAGED, "A TFRecord file is damaged, or was not written to its end."),
    (forms.NONE_IN_DATA, "A None of Python came where TensorFlow wants an array: a picture that was not read, or a value that is missing."),
    (forms.LISTS, "The data hold Python lists, texts or objects where Keras expects arrays of numbers."),
    (forms.NO_PICTURE, "A file that is read as a picture is none, or is of a kind that TensorFlow does not read."),
)  # fmt: skip


def title_of(what: str) -> str:
    """ "" where the words themselves are as good."""
    if ".empty()" in what and forms.NOTHING_READ.compiled.search(what):
        return "OpenCV was given an empty picture: cv2.imread could not read the file, which it shows by None and by no error."
    if (sizes := _of_channels(what)) is not None:
        return f"The picture has {sizes[1]} channels, and the model takes {sizes[0]}."
    found = forms.CLASS.compiled.search(what)
    if found is not None:
        of = forms.OF_MODULE.compiled.search(what)
        whose = f" of {of['module'].partition('.')[0]}" if of is not None and not of["module"].startswith("keras") else ""  # fmt: skip
        return f"The model file names {found['name']}{whose}, which Keras does not know by itself."
    return next((title for form, title in _TITLES if form.compiled.search(what)), "") or title_stated(what)


def channels_of(what: str) -> str:
    """What to do with a picture of other channels than the model takes; "" for anything else."""
    found = _of_channels(what)
    return _CHANNELS[found] if found is not None else ""


def _of_channels(what: str) -> tuple[str, str] | None:
    """What was expected, and what came."""
    found = forms.LAYER.compiled.search(what)
    if found is None:
        return None
    wanted, have = (forms.SIZES.search(found[each]) for each in ("wanted", "have"))
    if wanted is None or have is None:
        return None
    sizes = [each["sizes"].replace(" ", "").split(",") for each in (wanted, have)]
    last = sizes[0][-1], sizes[1][-1]
    return last if len(sizes[0]) == len(sizes[1]) == 4 and last in _CHANNELS else None
