"""Errors that arise in a package's own code and tell by themselves that it was made for another release of what it asks."""

from __future__ import annotations

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.fit.misfit import imported
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.by_release import asked, known_module, one_letter_off, times
from tfdoctor.signatures.outside.kerases import GRADIENT, INTEGER, OWN_FILE, WANTED
from tfdoctor.signatures.own_errors import LAMBDA, PROJECTS

_CODE = "package-import-failed"
_BASES = ("tensorflow", "tensorflow-core", "tensorflow-cpu", "keras", "tf-keras", "numpy", "six", "absl-py")


def _asker(last: Ending) -> str:
    """The innermost package that stands on TensorFlow; "" where none has a frame."""
    return next((each for each in reversed(last.through) if each not in _BASES), "")


def _updated(facts: Facts, who: str) -> Fix:
    return Fix(f"Update {who}, and keep TensorFlow as it is", (f"{interpreter(facts)} -m pip install --upgrade {who} {keeping_tensorflow(facts)}",))  # fmt: skip


def of_inner_name(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A private name of one of TensorFlow's or Keras' inner modules; None for what the tables of names tell."""
    wanted = asked(last.what, last.source)
    if wanted is None or not wanted[1] or wanted[1].startswith("__") or "(unknown location)" in last.what:
        return None
    module, name = wanted
    public = not name.startswith("_") and not module.startswith(_PRIVATE)
    if public and times(module, name) is None and (meant := one_letter_off(module, name)):
        return _misspelt(module, name, meant, "" if last.package else last.frame)
    if not f"{module}.".startswith(_INNER) or not known_module(module) or times(module, name) is not None:
        return None
    shown = imported(told, last)
    who, where = _asker(last) or PROJECTS.get(shown, shown.replace("_", "-")), last.frame
    asker = who or ("The program" if where else "The program or a package of it")
    title = f"{asker} asks for {name} of {module}, an inner name that the installed release does not have."
    words = "What is inside of TensorFlow and Keras is nobody's but their own, and changes with any release. Who asks for it was made for another one: mostly an older one, for no release since TensorFlow 1.15 and Keras 2.2.5 is known to have it there. Where TensorFlow or Keras itself asks, files of two releases are in its folder."
    words += f" It asks in {where}." if where and not who else ""
    older = Fix("Or take the release that it was made for, in an environment of its own: the project's requirements.txt or README names it", ("tfdoctor plan",))  # fmt: skip
    own = _updated(facts, who) if who else Fix("See in the lines above which file asks: where it is a package's, update that package; where it is your own, take a public name", note="tf.is_tensor(x), isinstance(x, tf.Tensor) and the like take the place of most such names. Where the file is TensorFlow's or Keras' own, remove that package, delete what is left of its folder, and install it again.")  # fmt: skip
    if module.startswith("keras."):
        return Meant("keras-mismatch", title, words, (_OF_KERAS_2_0, own))
    code = "keras-mismatch" if _of_keras(module) else _CODE if who else OF_THE_PROGRAM
    return Meant(code, title, words, (own, older))


_OF_KERAS_2_0 = Fix(
    "Run it with a Keras of its time, in an environment of its own",
    ("uv venv --python 3.7 keras-2.0", 'uv pip install --python=keras-2.0 "keras==2.0.9" "tensorflow==1.15.*" "h5py<3" "protobuf<3.21"'),
    "The present environment stays as it is. The project's requirements.txt or README may name another release of Keras 2.0 or 2.1. In code of your own, keras.layers.RNN took the place of Recurrent.",
)  # fmt: skip
"""No table goes back beyond Keras 2.2; what it lacks is mostly of 2.0 or 2.1, the time of TensorFlow 1."""


def _misspelt(module: str, name: str, meant: str, frame: str) -> Meant:
    """A slip in the code that asks: no release is known to have it, and a name beside it is there."""
    title = f"{module} has no {name} in any release that is known; it has {meant}."
    words = f"The name was read in no published wheel from TensorFlow 1.15 and Keras 2.2.5 on, and {meant} differs from it by one letter: so it is misspelt in the code that asks, mostly by an edit of one's own. Nothing is damaged, and no other release helps."
    where = f" in {frame}" if frame else ", in the file that the last lines of the traceback name"
    own = Fix(f"Write {meant} in place of {name}{where}", note=f"In your files: from {module} import {meant}")
    return Meant("keras-mismatch" if _of_keras(module) else OF_THE_PROGRAM, title, words, (own,))


_PRIVATE = ("tensorflow.python", "tensorflow.compiler", "tensorflow.core", "keras.engine", "keras.src")
"""Modules whose names change by a letter from release to release, none of them read in all."""
_INNER = ("tensorflow.python.", "tensorflow.compiler.", "keras.engine", "keras.src", "keras.saving", "keras.layers.", "keras.utils.", "keras.backend.")  # fmt: skip
"""Modules that are not public, or whose inner parts old code took."""


def _of_keras(module: str) -> bool:
    return module.startswith(("keras", "tensorflow.python.keras"))


def of_wanted(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A message that says itself which release has to be installed."""
    found = WANTED.search(last.what)
    if found is None or found["package"].lower() in _NO_PACKAGES:
        return None
    package, release, side = found["package"], found["version"], found["side"] or ""
    bound = "<=" if any(each in side for each in _DOWN) else ">=" if side else "=="
    python = interpreter(facts)
    title = f"The program asks for {package} {release}{side}, and another one is installed."
    words = "Who wrote the message knew what fits. Nothing is damaged."
    return Meant(OF_THE_PROGRAM, title, words, (Fix(f"Install what the message names: {package} {release}{side}", (f'{python} -m pip install "{package.lower()}{bound}{release}"',)),))  # fmt: skip


_NO_PACKAGES = (
    "cuda", "cudnn", "python", "java", "jdk", "gcc", "g++", "clang", "cmake", "bazel", "node", "nodejs", "npm", "go", "rust", "protoc", "glibc", "macos", "windows", "ubuntu", "docker",
    "driver", "drivers", "nvidia", "tensorrt", "xcode", "version", "release", "the",
)  # fmt: skip
"""What is no project of pip's, though a message asks for a release of it."""
_DOWN = ("earlier", "older", "below", "lower")


def of_own_file(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A model that a package brings itself: the user has no part in it."""
    found = OWN_FILE.search(last.what)
    if found is None:
        return None
    folder = found["folder"]
    package = folder.replace("_", "-")
    title = f"{folder} can't load its own model, which came with it: it is made for another TensorFlow than the installed one."
    words = f"The file that is named is in {folder}'s own folder, so nothing of yours is wrong. A package brings its model in the format of the TensorFlow of its time; TensorFlow 2.16 brought Keras 3, which no longer reads all of them. The message: {last.what[:300]}"
    own = Fix(f"Let pip choose the TensorFlow that {package} asks for, in an environment of its own", (f"{interpreter(facts)} -m venv {package}", f"{_inside(facts, package)} -m pip install {package}"), "The present environment stays as it is. pip needs a Python that both have wheels for; `tfdoctor plan` names it.")  # fmt: skip
    return Meant(_CODE, title, words, (own, _updated(facts, package)))


def _inside(facts: Facts, folder: str) -> str:
    windows = value_or(facts.host.os, "") == "windows"
    return f"{folder}\\Scripts\\python" if windows else f"{folder}/bin/python"


def of_gradient(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Explainers write their own gradients for TensorFlow's operations, and know those of their time."""
    found = GRADIENT.search(last.what)
    if found is None:
        return None
    who = _asker(last) or found["op"].partition("_")[0]
    title = f"{who} knows no gradient for an operation of this model ({found['op']})."
    words = f"{who} puts its own gradients in the place of TensorFlow's, and has none for this operation: the installed {who} is older than what this TensorFlow or Keras builds, or the model holds a layer that it does not know. The model is in order."
    other = Fix("Where its newest release says the same, take an explainer that does not look inside the model", note="In your files, with SHAP: shap.KernelExplainer(model.predict, background), or shap.Explainer(model.predict, masker)")  # fmt: skip
    return Meant(_CODE, title, words, (_updated(facts, who), other))


def of_integer(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A count that is no integer, which NumPy no longer takes; None where the program itself gives it."""
    who = _asker(last)
    if INTEGER.search(last.what) is None or not who:
        return None
    title = f"{who} gives NumPy a count that is no integer, which NumPy has refused since 1.18: {who} is older than the NumPy here."
    words = "np.linspace and its like took such counts up to NumPy 1.17 and cut them off. TensorFlow only passes the error on. Nothing is damaged."
    return Meant(_CODE, title, words, (_updated(facts, who),))


def of_lambda(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A Lambda layer is kept as the bytecode of the Python that saved the file."""
    if LAMBDA.compiled.search(last.what) is None:
        return None
    title = "The model file holds a Lambda layer that another Python saved than the one that reads it."
    words = "Keras keeps the function of a Lambda layer as Python's bytecode, which each minor release of Python writes in its own way. The file is in order, and so is TensorFlow."
    where = f" It is read in {last.frame}." if last.frame and "-packages" not in last.frame else ""
    own = Fix("Build the model by its code and load the weights alone; any Python can do that", note="In your files: model = make_model(), then model.load_weights(FILE)")  # fmt: skip
    older = Fix("Or load it once with the Python that saved it, and save it there without Lambda: with a layer class of one's own", note="Which Python that was, its authors know: those of 2017 to 2020 mostly took 3.5, 3.6 or 3.7.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, f"{words}{where}", (own, older))
