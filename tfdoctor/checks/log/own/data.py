"""Files, downloads and records that are not what the program expects: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_LOOK_INTO = Fix(
    "Look at the file's size and its first bytes, with its own name in place of model.h5: an HDF5 file begins with \\x89HDF",
    (f"{PYTHON} -c \"import os; print(os.path.getsize('model.h5'), open('model.h5', 'rb').read(60))\"",),
    "A few hundred bytes with git-lfs in them are a pointer: `git lfs pull` brings the file. With <html in them a site gave a page in its place.",
)
_NO_HDF5 = Meaning(
    "The file is there, and its content is no HDF5: an empty or broken download, a pointer of git LFS, a web page, or another format under this name. TensorFlow and Keras are not what fails.",
    (
        _LOOK_INTO,
        Fix(
            "Delete it and fetch it again; weights that Keras itself fetched are in ~/.keras/models",
            note="A file that begins with PK is of the .keras format: give it that ending.",
        ),
    ),
)
_TOO_SHORT = Meaning(
    "The file is incomplete: it says itself how long it has to be, and is shorter. A download or a copy was broken off, parts that belong together are missing, or the program that wrote it was ended.",
    (
        Fix(
            "Delete it and fetch it again; weights that Keras itself fetched are in ~/.keras/models",
            note="Files that come in parts have to be joined all, in order. One that your own program wrote has to be written again.",
        ),
        _LOOK_INTO,
    ),
)
_HUB = Meaning(
    "TensorFlow Hub keeps what it fetched in a folder for temporary files. Systems clear such folders: the model's files are gone, its folder is still there, and so TensorFlow Hub takes it for complete. A broken download leaves it so, too.",
)
_GRAPHS = Meaning(
    "The model holds several graphs, mostly one for training and one for use: it is in TensorFlow 1's format of TensorFlow Hub. Which one is meant has to be said.",
    (
        Fix(
            "Name the graph: an empty set is that for use",
            note="In your files: hub.load(handle, tags=[]) or tf.saved_model.load(folder, tags=[]); for training tags=['train'].",
        ),
        Fix("Or take the model in TensorFlow 2's format, where its page names one"),
    ),
)
_DOWNLOAD = Meaning(
    "What was fetched is not what tensorflow-datasets knows by its checksum: the data were changed at their source, or the source gave something else, such as a page that asks for consent or tells that too many came. The second size in the message tells which: a few KiB are a page.",
    (
        Fix(
            "Update tensorflow-datasets, which brings the present addresses and checksums",
            (f"{PYTHON} -m pip install --upgrade tensorflow-datasets",),
            "Where it is the newest already, tfds-nightly may have them.",
        ),
        Fix(
            "Delete what was fetched, and try again later; a source that allows few downloads a day gives the file then",
            (f"{PYTHON} -c \"import pathlib, shutil; shutil.rmtree(pathlib.Path.home() / 'tensorflow_datasets/downloads', ignore_errors=True)\"",),
            "It deletes what tensorflow-datasets fetched for all datasets, and not what it made of that.",
        ),
        Fix("Or fetch the file by hand with a browser, and put it into tensorflow_datasets/downloads/manual, where the dataset's page says so"),
    ),
)  # fmt: skip
_NOT_PARSED = Meaning(
    "The records were written with other features than the program reads: mostly lists of another length (max_seq_length and the like), numbers of another type (int64, float, bytes), or empty ones. Nothing is damaged.",
    (
        Fix(
            "See what a record holds, with your file in place of data.tfrecord",
            (f"{PYTHON} -c \"import tensorflow as tf; r = next(iter(tf.data.TFRecordDataset('data.tfrecord'))); print(tf.train.Example.FromString(r.numpy()))\"",),
            "Compare the name, the type and the length of its lists with the FixedLenFeature that the program gives.",
        ),
        Fix(
            "Write the records again with the settings of the training, or read what is there",
            note="In your files: the same max_seq_length on both sides, or tf.io.VarLenFeature(tf.int64) for lists of any length.",
        ),
    ),
)  # fmt: skip
_NO_FEATURE = Meaning(
    "The program asks each record for a feature that this one does not have: another name, another set of records, or a value that was left out where it was written. Nothing is damaged.",
    (
        _NOT_PARSED.fixes[0],
        Fix(
            "Ask for the name that the records have, or say what stands where it is missing",
            note="In your files: tf.io.FixedLenFeature([], tf.float32, default_value=0.0)",
        ),
    ),
)
_GENERATOR = Meaning(
    "The generator gave something else than was said of it: another shape or type, a list where a tuple belongs, or one part too many or too few.",
    (
        Fix(
            "Print what the generator gives first, and say just that of it",
            note="In your files: print(next(iter(generator()))), and output_signature=(tf.TensorSpec(shape=(None, 8), dtype=tf.float32), …) with these shapes. For fit it has to be a tuple (x, y), of arrays that begin with the batch.",
        ),
    ),
)
_NO_KEY = Meaning(
    "The checkpoint has no variable of that name: it was written by another model than the one that reads it, or by one with other scopes, or it is a backbone's alone.",
    (
        Fix(
            "List what the checkpoint holds, with its own path without .index in place of model.ckpt",
            (
                f"{PYTHON} -c \"import tensorflow as tf; print(*tf.train.list_variables('model.ckpt'), sep='\\n')\"",
            ),
            "Names that differ in their first part alone are scopes. Where all are missing, it is another model's.",
        ),
        Fix(
            "Take the checkpoint that the model's page names, or read only what both have",
            note="In your files: Saver(var_list=[v for v in tf.global_variables() if v.op.name in names]), or checkpoint.restore(path).expect_partial()",
        ),
    ),
)
OF_DATA: Mapping[str, Meaning] = {
    "file-is-no-hdf5": _NO_HDF5,
    "hdf5-too-short": _TOO_SHORT,
    "hub-folder-empty": _HUB,
    "hub-several-graphs": _GRAPHS,
    "download-is-another": _DOWNLOAD,
    "record-not-parsed": _NOT_PARSED,
    "record-lacks-feature": _NO_FEATURE,
    "generator-gave-another": _GENERATOR,
    "checkpoint-lacks-key": _NO_KEY,
}
"""By the signature's name."""
TITLES_OF_DATA = {
    "file-is-no-hdf5": "The model or weights file is no HDF5 file.",
    "hdf5-too-short": "The model or weights file is incomplete.",
    "hub-folder-empty": "TensorFlow Hub's folder for a fetched model (tfhub_modules) has lost its files.",
    "hub-several-graphs": "The model holds several graphs, and tags has to say which one is meant.",
    "download-is-another": "A dataset's download is not the file that tensorflow-datasets expects (its checksum differs).",
    "record-not-parsed": "The TFRecord files were written with other features than the program reads.",
    "record-lacks-feature": "A record lacks a feature that the program asks for.",
    "generator-gave-another": "The data generator gives something else than was said of it.",
    "checkpoint-lacks-key": "The checkpoint is another model's: a variable of this one is not in it.",
}
