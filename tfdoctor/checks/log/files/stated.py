"""What is the case where an error's last line states it by files and sizes: a sentence in place of the line itself."""

from __future__ import annotations

from tfdoctor.signatures import own_errors as forms

_SHOWN_AT_MOST = 120  # characters of a path or of a size that a title shows
_TITLES = (
    (forms.FORBIDDEN, "This user may not read or write {file}."),
    (forms.NOTHING_OF, "The model is given an empty list: {side} holds no samples."),
    (forms.LENGTHS, "The data are not of one length: as many labels as samples are needed."),
    (forms.LABEL, "A label is {number}, and the model tells labels from 0 up to {limit} alone, without {limit} itself."),
    (forms.AXIS, "A layer gets data of another size than it was made for: {wanted} along axis {axis} are expected, and {have} came."),
    (forms.LAYER, "A layer gets data of another shape than it was made for: {wanted} is expected, and {have} came."),
    (forms.OLD_SHAPE, "The model gets data of another shape than it was made for: {layer} expects {wanted}, and {have} came."),
    (forms.SHAPES, "Two shapes that have to fit do not: ({one}) and ({other})."),
    (forms.LOGITS, "The labels have another shape than the model's output."),
    (forms.PAIR, "Two shapes that have to fit do not: [{one}] and [{other}]."),
    (forms.DIMENSIONS, "Two sizes that have to be equal are not: {one} and {other}."),
    (forms.MATRICES, "The data have another size than the layer's weights: [{one}] and [{other}]."),
    (forms.RESHAPE, "The data have another size than the one that they are brought to: {have} numbers are there, and {wanted} are wanted."),
    (forms.INDEX, "A number in the data is {number}, and the table in which it is looked up has {limit} rows."),
    (forms.NEGATIVE, "The picture becomes smaller than a layer's kernel: it is too small for this model, or its dimensions are in another order."),
    (forms.UNEQUAL, "The samples of a batch are not of one size: [{one}] and [{other}] came."),
    (forms.RAGGED, "Samples of unequal lengths or sizes were put into one array."),
    (forms.RANKS, "An operation gets a tensor of another number of dimensions than it takes."),
    (forms.BEYOND, "A part is cut out of a tensor that reaches beyond it."),
    (forms.EMPTY, "There are no data: not one sample arrived."),
    (forms.NOT_A_NUMBER, "A number of the computation is NaN or infinite."),
    (forms.ENDED, "The dataset ended where the program still asked for data."),
    (forms.STEPS, "The data do not say how many batches an epoch has, and fit was not told either."),
    (forms.GRADIENTS, "The loss does not depend on the weights that it shall train: no gradient reaches them."),
)  # fmt: skip
"""In the order in which they are asked; their groups stand in braces."""


def title_stated(what: str) -> str:
    """ "" where the words name neither a file nor a size."""
    return _of_a_file(what) or _of_arrays(what) or _of_text(what) or _of_table(what)


def _of_table(what: str) -> str:
    for form, words in _TITLES:
        if found := form.compiled.search(what):
            shown = {name: (value or "")[:_SHOWN_AT_MOST] for name, value in found.groupdict().items()}
            return words.format(**shown)
    return ""


def _of_a_file(what: str) -> str:
    found = next((match for form in forms.FILE if (match := form.compiled.search(what))), None)
    if found is None:
        return ""
    file = found["file"].strip()[:_SHOWN_AT_MOST]
    relative = not file.startswith(("/", "~", "\\")) and file[1:2] != ":"
    where = ", seen from the folder in which it was started" if relative else ""
    return f"The program reads {file}, and there is no such file{where}."


def _of_arrays(what: str) -> str:
    """NumPy fills an array by the first sample's size; where the sizes differ, it stops at the first dimensions that are still equal."""
    found = forms.ARRAYS.compiled.search(what)
    if found is None:
        return ""
    have, wanted = found["have"] or found["size"], found["wanted"] or found["into"]
    if found["have"] and have.startswith(f"{wanted.rstrip(',')},"):
        return f"Arrays of unequal shapes were put into one: one of them is ({have}), and not all are."
    return f"An array has another size than the place that it is put into: {have} came, and ({wanted}) is wanted."


def _of_text(what: str) -> str:
    found = forms.TEXT.compiled.search(what)
    if found is None:
        return ""
    return f"The data hold text where numbers are wanted{': ' + found['value'] if found['value'] else ''}."
