"""Sizes that do not fit and data that are not what they should be: what to compare, with the numbers of the message."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.findings.model import Fix
from tfdoctor.signatures import own_errors as forms


def of_tensors(what: str) -> Iterator[Fix]:
    """What an operation says of the sizes that it got."""
    if found := forms.PAIR.compiled.search(what):
        one, other = found["one"], found["other"]
        yield Fix(f"Bring the two shapes together: [{one}] and [{other}]", note=_of_a_pair(one, other))
    if found := forms.DIMENSIONS.compiled.search(what):
        yield Fix(
            f"Make the two sizes equal: {found['one']} and {found['other']}",
            note="One comes from the data or the layer before, the other from the layer that complains: model.summary() shows where each of them arises. Where a loss complains, one is the number of the labels' columns, the other that of the last layer's units.",
        )
    if found := forms.MATRICES.compiled.search(what):
        rows = found["one"].rpartition(",")[2], found["other"].partition(",")[0]
        yield Fix(
            f"Give the layer what its weights were made for: {rows[0]} numbers for each sample come, {rows[1]} are expected",
            note="Mostly the samples have another size than those of the training, or a column more or less; print x.shape right before the call.",
        )
    if found := forms.RESHAPE.compiled.search(what):
        wanted = f"a multiple of {found['wanted']}" if found["what"] != "has" else found["wanted"]
        yield Fix(
            f"Bring the data to the size that is asked for: {found['have']} numbers are there, {wanted} are wanted",
            note="Mostly pictures of another size or with another number of channels than the model was made for (or texts of another length): resize them before, or decode them with channels=3.",
        )
    if found := forms.INDEX.compiled.search(what):
        number, limit = int(found["number"]), int(found["limit"])
        more = f"Give the Embedding (or the table that is looked up) more rows than the largest number in the data: {number} came, {limit} are there"
        yield Fix(
            more
            if number >= 0
            else f"Take negative numbers out of the data: {number} came, and rows count from 0",
            note="In your files: Embedding(input_dim=int(x.max()) + 1, …), and num_words of the tokenizer no larger than that.",
        )
    if forms.NEGATIVE.compiled.search(what):
        yield Fix(
            'Give the model larger pictures, or let its layers keep the size: padding="same", fewer or smaller pooling layers',
            note="By then the picture is smaller than the kernel that shall pass over it. Pictures as (channels, height, width) where (height, width, channels) is expected look the same: print x.shape.",
        )
    if found := forms.OLD_SHAPE.compiled.search(what):
        whose = "labels" if "target" in (found["which"] or "") else "data"
        yield Fix(
            f"Give {found['layer']} {whose} of the size that it expects: {found['wanted']}; what came is {found['have']}",
            note="A missing channel (x[..., None]) or batch dimension (x[None]), or labels that are one-hot on one side alone, are the usual reasons.",
        )


def of_logits(rows: int, units: int, samples: int, classes: int) -> Iterator[Fix]:
    """Of a cross entropy: `classes` is 0 where each label is one number."""
    if classes and rows == samples and units != classes:
        yield Fix(
            f"Make the last layer and the labels agree: the layer has {units} units, the labels have {classes} classes",
            note=f"Dense({classes}, …) as the last layer, or labels of {units} classes. A stray file or folder beside the classes' folders is counted as a class, too.",
        )
    elif not classes and rows != samples and samples % rows == 0:
        yield Fix(
            f"Take a loss for one-hot labels, or make each label one number: {samples // rows} numbers come for each of {rows} samples",
            note='In your files: loss="categorical_crossentropy" for one-hot labels, or y = y.argmax(-1) for "sparse_categorical_crossentropy". A model that answers for each pixel or word needs an output of that size.',
        )
    elif rows != samples:
        yield Fix(
            f"Give as many labels as answers: the model gives {rows}, the labels are {samples}",
            note="Mostly a Flatten, a pooling layer or return_sequences is missing or too much: compare model.summary()'s last line with print(y.shape).",
        )


def of_input(what: str) -> Iterator[Fix]:
    """What an operation says of the data that it got."""
    if found := forms.TEXT.compiled.search(what):
        yield Fix(
            f"Turn text into numbers before the model gets it{': ' + found['value'] + ' is no number' if found['value'] else ', the labels, too'}",
            note="In your files: df.dtypes shows which columns are text (object); leave them out, or use pd.get_dummies, StringLookup or a LabelEncoder.",
        )
    yield from _of_arrays(what)
    if found := forms.UNEQUAL.compiled.search(what):
        yield Fix(
            f"Make all elements one size before batch: [{found['one']}] and [{found['other']}] came",
            note="In your files: tf.image.resize(picture, (224, 224)) in map, decode with channels=3, or padded_batch in place of batch for texts.",
        )
    if found := forms.NO_PICTURE.compiled.search(what):
        yield from _of_a_beginning(found["begins"] or "")
        yield Fix(
            "Find the files that are no pictures of a kind that TensorFlow reads, and take them out",
            ("find data -type f -exec file --mime-type {} + | grep -v -E 'image/(jpeg|png|gif|bmp)$'",),
            "With your folder in place of data. Broken downloads, hidden files of a Mac and WebP under the name .jpg are the usual ones.",
        )
    if forms.NOTHING_READ.compiled.search(what):
        yield Fix(
            "See where None comes from: a function that reads a file gives it where there is no such file",
            note="cv2.imread is the usual one: it raises nothing. In your files: assert picture is not None, path",
        )
    if found := forms.EMPTY.compiled.search(what):
        yield Fix(
            f"See where the data went: {found['file']} holds none"
            if found["file"]
            else "See where the data went: not one sample arrived",
            note="Mostly the path is another one, the folder has no subfolder for each class, or a batch is larger than the data with drop_remainder=True. In your files: print(len(data)) before fit.",
        )
    if forms.DAMAGED.compiled.search(what):
        yield Fix(
            "Write or copy the TFRecord files once more: one of them is damaged or was not written to its end",
            note='Which one, in your files: for each file, `for _ in tf.data.TFRecordDataset(file): pass` in a try. A writer has to be closed (with tf.io.TFRecordWriter(…) as w), a packed file needs compression_type="GZIP", and a copy needs the size of the original.',
        )
    if forms.ENDED.compiled.search(what):
        yield Fix(
            "See whether the dataset holds anything: it ended where the program still asked for more",
            note="Mostly a path or a pattern that finds no file, or a TFRecord file of no bytes. In your files: print(next(iter(dataset.take(1)), None)); for more rounds, dataset.repeat().",
        )
    if forms.NOT_A_NUMBER.compiled.search(what):
        yield Fix(
            "Look for NaN and infinite values in the data, then take a learning rate ten times smaller",
            note="In your files: np.isnan(x).any(), np.isinf(x).any(); then clipnorm=1.0 in the optimizer; then log(0) or a division by 0 in the loss.",
        )


def _of_arrays(what: str) -> Iterator[Fix]:
    """Rows of unequal lengths and arrays of another size, in NumPy's words and in TensorFlow's."""
    if forms.RAGGED.compiled.search(what):
        yield Fix(
            "Bring all samples to one length or size: those that are put together here differ",
            note="In your files: print({np.shape(row) for row in x}) shows which sizes there are. Then tf.keras.utils.pad_sequences(x, padding='post') for lists, tf.image.resize for pictures, all of them with as many channels; or tf.ragged.constant(x).",
        )
    if found := forms.ARRAYS.compiled.search(what):
        have, wanted = found["have"] or found["size"], found["wanted"] or found["into"]
        yield Fix(
            f"Bring the array to the size that is asked for: {have} came, ({wanted}) is wanted",
            note="Mostly a picture of another size, or grey where colour is expected and the reverse: Image.open(path).convert('RGB').resize((width, height)). NumPy counts (height, width, channels).",
        )
    if found := forms.RANKS.compiled.search(what):
        have = found["have"] or f"rank {found['rank']}"
        yield Fix(
            f"Give the operation as many dimensions as it expects: {have} came",
            note="In your files: print(x.shape). Pictures need (batch, height, width, channels): x[..., None] adds the channel, x[None] the batch.",
        )
    if forms.BEYOND.compiled.search(what):
        yield Fix(
            "Ask for no more than there is: the part that is cut out reaches beyond the tensor",
            note="In your files: print(tf.shape(x)) right before. Pictures smaller than the crop have to be resized or padded first (tf.image.resize_with_crop_or_pad).",
        )


_BEGINNINGS = (
    (("/9j/", "iVBOR"), "The picture is text in base64 in place of its bytes: decode it before it is written", "In your files: base64.b64decode(text), or tf.io.decode_base64 for its web-safe form"),
    (("b\\'", "b'", 'b"'), "The picture's bytes were turned into text on the way, as str() does: hand over the bytes themselves", "In your files: open(path, 'rb').read() with no str() around it"),
    (("BM",), "The picture is a BMP: decode it as one", "In your files: tf.io.decode_image(data, expand_animations=False) in place of decode_jpeg"),
    (("RIFF",), "The picture is WebP, which TensorFlow does not read: save it as JPEG or PNG", "In your files, once for all: PIL.Image.open(path).convert('RGB').save(new_path)"),
    (("<", "\\n<"), "The file is a web page in place of a picture: fetch it again", "A site that refuses a download sends a page under the picture's name."),
)  # fmt: skip
"""By the first characters, as TensorFlow shows them (zzh8829/yolov3-tf2#15, 2019-05; tensorflow/tensorflow#38901, 2020-04; tensorflow/models#7327, 2019-07)."""


def _of_a_beginning(begins: str) -> Iterator[Fix]:
    """What the first bytes tell of a file that is no picture."""
    for known, title, note in _BEGINNINGS:
        if begins.startswith(known):
            yield Fix(title, note=note)


def _of_a_pair(one: str, other: str) -> str:
    first, second = one.split(","), other.split(",")
    if first[1:] == second[1:] and len(first) == len(second):
        return "They differ in the first number, the batch. A model with a fixed batch size (batch_shape, stateful=True) needs each batch full: dataset.batch(n, drop_remainder=True); else two inputs have unequal numbers of samples."
    if len(first) != len(second):
        return 'One has a dimension more: mostly integer labels beside answers over all classes. sparse_categorical_crossentropy with the metric "sparse_categorical_accuracy" takes those; a model that shall give one answer for a whole sequence needs return_sequences=False or pooling.'
    return "Mostly the labels have another size than the model's output, or two branches that are joined have: model.summary() shows the output's."
