"""What helps with an exception of the program's own: the file, the sizes or the package that its last line names, then the place."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.log.companions import keeping_tensorflow, partner
from tfdoctor.checks.log.files.dimensions import dimension_fix
from tfdoctor.checks.log.files.titles import channels_of
from tfdoctor.checks.log.modules.absent import module_fixes
from tfdoctor.checks.log.ways.own_tensors import of_input, of_logits, of_tensors
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.signatures import own_errors as forms


def stated_fixes(facts: Facts, last: Ending) -> tuple[Fix, ...]:
    """The cause that the last line states, and the last line of the user's own; () where neither is told."""
    at = _place(last)
    if (missing := forms.MODULE.compiled.search(last.what)) is not None:
        return (*module_fixes(facts, last, missing["module"]), *([at] if at is not None else []))
    about = _of_optimization(facts, last) or next(_stated(facts, last.what), None)
    if about is not None:
        return (about, at) if at is not None else (about,)
    return (at, *_of_its_package(facts, last), *ways_out("python-exception")) if at is not None else _of_its_package(facts, last)  # fmt: skip


_OPTIMIZATION = "tensorflow-model-optimization"


def _of_optimization(facts: Facts, last: Ending) -> Fix | None:
    """A class that only a scope of tensorflow_model_optimization makes known: its own, or one's own that it meets while it rebuilds the model."""
    found = forms.CLASS.compiled.search(last.what)
    if found is None:
        return None
    name, own = found["name"], forms.OF_OPTIMIZATION.compiled.match(found["name"])
    if own is not None:
        scope, module = ("quantize", "quantization") if own["quantize"] else ("prune", "sparsity") if own["prune"] else ("cluster", "clustering")  # fmt: skip
        return Fix(f"Load the file inside of the scope of {_OPTIMIZATION}, which knows {name}; where that is done already, update it: older scopes do not know all of its classes", (f"{interpreter(facts)} -m pip install --upgrade {_OPTIMIZATION}",), f"In your files: with tfmot.{module}.keras.{scope}_scope(): model = tf.keras.models.load_model(FILE)")  # fmt: skip
    if _OPTIMIZATION not in last.through:
        return None
    return Fix(f"Hand {name} to {_OPTIMIZATION}, which makes the model once more and does not know your class", note=f"In your files: with tfmot.quantization.keras.quantize_scope({{'{name}': {name}}}): model = tfmot.quantization.keras.quantize_apply(annotated)")  # fmt: skip


_BASES = (
    "tensorflow",
    "tensorflow-core",
    "keras",
    "tf-keras",
    "numpy",
    "pandas",
    "scipy",
    "absl-py",
    "six",
    "h5py",
)


_OF_ANOTHER_TIME = ("AttributeError", "TypeError", "NameError", "ImportError")
"""What code says that was written for another release of what it uses."""


def _of_its_package(facts: Facts, last: Ending) -> tuple[Fix, ...]:
    """Where the error arose in a package that stands on TensorFlow, and nothing tells whose fault it is."""
    if not last.package or last.package in _BASES:
        return ()
    if last.package != partner(last.package) and last.what.startswith(_OF_ANOTHER_TIME):
        return (Fix(f"Bring {last.package} and what it works with to releases of one time", (f"{interpreter(facts)} -m pip install --upgrade {partner(last.package)} {keeping_tensorflow(facts)}",), f"Where a project asks for just the {last.package} that is here, take an older {partner(last.package).split()[-1]} in place of the newest: one of the same months."),)  # fmt: skip
    first = "Where that line is in order, look" if _place(last) is not None else "Look"
    words = f"{first} at {last.package}, in whose code it arose: which release is here, and which TensorFlow it is made for"
    return (Fix(words, (f"{interpreter(facts)} -m pip show {last.package}",)),)


def _place(last: Ending) -> Fix | None:
    """None where no line of the user's own is told."""
    if not last.frame or any(each in last.frame for each in forms.INSTALLED_AT):
        return None
    words = f"Look at {last.frame}: it is the last line of your own code before the error, and the message is about what that line does or hands over"
    return Fix(words)


def _stated(facts: Facts, what: str) -> Iterator[Fix]:
    for form in forms.FILE:
        if found := form.compiled.search(what):
            yield _file(facts, found["file"].strip())
    if found := forms.FORBIDDEN.compiled.search(what):
        yield _forbidden(facts, found["file"].strip())
    if found := forms.SHAPES.compiled.search(what):
        one, other = found["one"], found["other"]
        yield Fix(f"Bring the two shapes together: ({one}) and ({other})", note=_of_a_loss(_last(one), _last(other)))  # fmt: skip
    if found := forms.LABEL.compiled.search(what):
        number, limit = found["number"], int(found["limit"])
        yield Fix(f"Give the last layer more units than the largest label{f', or number the labels from 0 to {limit - 1}' if limit > 1 else ''}", note=f"It has {limit}, and a label {number} came. Labels that count from 1 are the usual reason.")  # fmt: skip
    if (dimension := dimension_fix(what)) is not None:
        yield dimension
    elif found := forms.LAYER.compiled.search(what):
        channels = channels_of(what)
        note = channels or "Print x.shape right before the call. A missing batch dimension (x[None]) or channel (x[..., None]) is the usual reason."  # fmt: skip
        yield Fix(f"Give the {'model a picture of as many channels as it takes' if channels else 'layer what it expects'}: {found['wanted']}; what came is {found['have']}", note=note)  # fmt: skip
    if found := forms.AXIS.compiled.search(what):
        yield Fix(
            f"Give {found['layer']} the size that it was made with: {found['wanted']} along axis {found['axis']}; what came is {found['have']}",
            note="After Flatten this number follows from the size of the pictures: training, validation and prediction need the same target_size, and the same number of channels. For tables it is the number of columns.",
        )
    yield from of_tensors(what)
    yield from _of_data(what)
    yield from of_input(what)
    yield from _of_files(what)


def _of_files(what: str) -> Iterator[Fix]:
    """Of model files and of code for an older Keras."""
    if forms.LAMBDA.compiled.search(what):
        yield Fix("Load the model with the Python that saved it: the file holds a Lambda layer as that Python's bytecode, which others can't read", note="Where that Python is not known, build the model from its code and load the weights alone: model.load_weights(FILE). A layer class of one's own in place of Lambda lasts.")  # fmt: skip
    if (found := forms.CLASS.compiled.search(what)) and (of := forms.OF_MODULE.compiled.search(what)) and not of["module"].startswith("keras"):  # fmt: skip
        yield Fix(f"Import {of['module']} before the file is loaded: {found['name']} is a class of it, and Keras knows such a class once it was imported", note=f"In your files: from {of['module']} import {found['name']}; where that is not enough, load_model(FILE, custom_objects={{'{found['name']}': {found['name']}}}).{_only_for_training(of['module'])}")  # fmt: skip
    elif found and (line := forms.CLASSES_OF_PACKAGES.get(found["name"], "")):
        name = found["name"]
        yield Fix(f"Hand {name} to the one who loads the file: it is a class of a package, which the program has to import", note=f"In your files: {line}, and load_model(FILE, custom_objects={{'{name}': {name}}})")  # fmt: skip
    elif found:
        yield Fix(f"Hand {found['name']} to the one who loads the file: Keras does not know it by itself", note=f"In your files: load_model(FILE, custom_objects={{'{found['name']}': {found['name']}}}), with the class or function imported before.")  # fmt: skip
    if found := forms.TWO_KERASES.compiled.search(what):
        yield Fix("Import all of Keras from one place: the model is of another Keras than what it is given", note=f"It is given {found['name']}. In your files: everything from tensorflow.keras, or everything from keras, never both.")  # fmt: skip
    if found := forms.NO_SUCH_NAME.compiled.search(what):
        yield Fix(f"Name a {found['kind']} that this Keras has, or hand over the function itself: it knows none called {found['name']}", note=f"In your files: compile(…) with {found['name']} as a function that you defined or imported, without quotes; names of scikit-learn and of other releases are no names of Keras.")  # fmt: skip
    if found := forms.OPTIMIZER.compiled.search(what):
        yield _of_optimizers(found["name"] or found["lr"] or "decay")


def _of_optimizers(name: str) -> Fix:
    """What took the place of the two arguments that Keras' optimizers lost."""
    if name == "lr":
        return Fix("Write learning_rate in place of lr", note="In your files: Adam(learning_rate=1e-3). Where the line is a package's, take a release of it that knows this Keras.")  # fmt: skip
    return Fix("Leave decay out, and give the learning rate a schedule that falls", note="In your files: Adam(learning_rate=tf.keras.optimizers.schedules.InverseTimeDecay(1e-3, 1, 1e-6)), which is what decay=1e-6 did. Or take the old optimizer, up to TensorFlow 2.15: tf.keras.optimizers.legacy.Adam(1e-3, decay=1e-6).")  # fmt: skip


def _only_for_training(module: str) -> str:
    """Losses and metrics are left out where a model is not compiled."""
    if not any(each in module for each in ("loss", "metric")):
        return ""
    return " It is needed for training alone: load_model(FILE, compile=False) does without it."


def _of_data(what: str) -> Iterator[Fix]:
    if found := forms.NOTHING_OF.compiled.search(what):
        yield Fix(f"See why {found['side']} is empty: it has no samples at all", note="In a notebook, restart the kernel and run all cells in their order: a cell that fills the list was left out or run twice. Else a path leads to no files: print(len(x), len(y)) right behind the lines that read them. With validation_data it may be those.")  # fmt: skip
    elif forms.LENGTHS.compiled.search(what):
        yield Fix("Give fit as many labels as samples: the message lists the lengths", note="In your files: print(len(x), len(y)) before fit")  # fmt: skip
    if forms.OUTPUTS.compiled.search(what):
        yield Fix("Leave class_weight out, and weigh the samples instead", note="In your files: fit(x, {'a': ya, 'b': yb}, sample_weight={'a': wa, 'b': wb}), or the weights in the loss; in a dataset, as a third part of each element.")  # fmt: skip
    if found := forms.NO_VALIDATION.compiled.search(what):
        yield Fix(f"Give fit data for the validation: without them its history has no val_{found['value']}", note="In your files: fit(x, y, validation_split=0.2), or validation_data=(xv, yv). print(history.history.keys()) shows the names that this Keras gives.")  # fmt: skip
    if forms.STEPS.compiled.search(what):
        yield Fix("Tell fit how many batches an epoch has: its data do not say it", note="In your files: fit(dataset, steps_per_epoch=len(files) // batch_size, validation_steps=…); or take repeat() away from the dataset.")  # fmt: skip
    if forms.RAN_OUT.compiled.search(what):
        yield Fix("Let the generator go on without an end: it stopped where the training still asked for data", note="In your files: while True: around its loop; or fewer steps_per_epoch; and see that it finds any files: print(next(generator())).")  # fmt: skip
    yield from _of_kinds(what)
    if found := forms.LOGITS_SIZES.compiled.search(what):
        yield from of_logits(
            int(found["rows"]), int(found["units"]), int(found["samples"]), int(found["classes"] or 0)
        )
    if forms.LOGITS.compiled.search(what):
        yield Fix("Compare the shape of the labels with that of the model's output: the message has both", note="Integer labels go with sparse_categorical_crossentropy, one-hot ones with categorical_crossentropy; an output that keeps more dimensions needs Flatten or pooling.")  # fmt: skip
    if forms.GRADIENTS.compiled.search(what):
        yield Fix("See that the loss is computed by TensorFlow's operations from the model's output, inside of the GradientTape", note="NumPy, .numpy() and a loss that was left out of compile all cut the way back to the weights.")  # fmt: skip


def _of_kinds(what: str) -> Iterator[Fix]:
    """Of data that are no numbers."""
    if forms.NONE_IN_DATA.compiled.search(what):
        yield Fix("See which value is None, and stop there: cv2.imread and a camera's read give None where they got no picture, and raise nothing", note="In your files: assert image is not None, path right behind cv2.imread; ok, image = cap.read() and break where ok is false. In a list or table it is a missing value: print([i for i, each in enumerate(x) if each is None]).")  # fmt: skip
    elif forms.LISTS.compiled.search(what):
        yield Fix("Make the data arrays of numbers before they are given to the model", note='In your files: x = np.asarray(x).astype("float32"); where that fails, the rows are of different lengths or hold text')  # fmt: skip


def _forbidden(facts: Facts, file: str) -> Fix:
    windows = value_or(facts.host.os, "") == "windows"
    commands = (f'icacls "{file}"',) if windows else (quoted("ls", "-ld", file), "id")
    return Fix("See who may read and write there. It changes nothing", commands, "Take a folder of your own for what the program writes (logs, checkpoints, caches), or ask the owner for the right. In a container the user's number counts, not the name.")  # fmt: skip


def _of_a_loss(labels: str, units: str) -> str:
    """One number a label beside several units are classes that were not made one-hot."""
    first = "In a loss the first is mostly that of the labels, the second that of the model"
    if labels == "1" and units.isdecimal() and units != "1":
        return f"{first}: labels that are numbers of classes go with another loss. In your files: loss='sparse_categorical_crossentropy', or y = tf.keras.utils.to_categorical(y, {units})."
    return f"{first}: give the last layer as many units as the labels have classes ({labels} here), or make labels of {units} classes."


def _last(shape: str) -> str:
    return shape.rpartition(",")[2].strip() or shape


_QUOTES = "'\"\u2018\u2019\u201c\u201d"


def _file(facts: Facts, file: str) -> Fix:
    if len(file) > 2 and file[0] in _QUOTES and file[-1] in _QUOTES:
        title = f"Take the quotes away: they are a part of the path that was looked for, {file}"
        return Fix(title, note='Windows\' command prompt, and cells of a notebook there, know double quotes alone (") and hand single ones on; in a configuration file a path mostly needs none.')  # fmt: skip
    windows = value_or(facts.host.os, "") == "windows" or "\\" in file
    relative = not file.startswith(("/", "~", "\\")) and file[1:2] != ":"
    plain = file.rstrip("\\\"'") or file  # a backslash before the closing quote would take it away
    commands = (f'dir "{plain}"',) if windows else (quoted("ls", "-ld", file),)
    from_here = " The path is relative, so it counts from the folder in which the program is started, not from the one in which the program is." if relative else ""  # fmt: skip
    shown = ("cd",) if windows else ("pwd",)
    return Fix(
        "See whether the file is there, from the folder in which the program is started",
        (*(shown if relative else ()), *commands),
        f"Not there: put it there, correct the path, or start the program in the right folder.{from_here}",
    )
