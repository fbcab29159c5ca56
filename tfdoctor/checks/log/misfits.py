"""Two packages of different times: who asks for what the other does not have, and what brings them together."""

from __future__ import annotations

import sys

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import (
    ENDED,
    KERAS_OF_1,
    NEXT,
    NUMBERED_ALIKE,
    Present,
    before_the_tables,
    closest,
    keeping_tensorflow,
    key,
    pin,
    present,
)
from tfdoctor.checks.log.kerases import IMAGES, legacy_switch, tf_keras
from tfdoctor.checks.log.spans import in_words, shown, supported, supported_fix
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.fixes.install import pins
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.records import record, replace
from tfdoctor.signatures.by_release import (
    GONE_MODULES,
    GONE_WITH_2,
    Times,
    asked,
    is_old,
    package_of,
    spelt_otherwise,
    times,
)
from tfdoctor.signatures.catalogue import named
from tfdoctor.signatures.expressions import LOOKED_IN, NOT_ON_THE_INDEX, PROJECTS, WRAPPED

# Errors that meet TensorFlow's users and are about somebody else's wish: who asks, for what, and what brings it.

_CUDNN_OPENS = ("libcublas", "libcublasLt", "libnvrtc")
"""cuDNN 8 opens these by itself and says so in its own words; TensorFlow says "Could not load dynamic library"."""


def said_of_another(told: Testimony, saying: Saying) -> Candidate | None:
    """The saying's meaning where another than TensorFlow asks; None where the rest of the rules apply."""
    if saying.name in _FATAL and _FLAGS in saying.text:  # the same line, by its form alone
        return Candidate("environment-variable-refused", Confidence(saying.sure), (place(saying),))
    if saying.name in _FATAL and (message := saying.told.get("message", "").strip()):
        return Candidate(
            saying.code,
            Confidence(saying.sure),
            (place(saying),),
            title=f"TensorFlow aborted: {_short(message)}.",
        )
    if saying.name == "flags-unknown":
        return _unknown_flag(saying)
    if saying.name in _NOT_TAKEN:
        return _not_taken(saying)
    if saying.name == "flags-file":
        variable, value = saying.told["variable"], saying.told["value"]
        words = f"A value of {variable} that does not begin with -- is taken for the name of a file of flags. There is none of that name, so the program ends."
        return _of(saying, words, f"{variable}={value} is refused: without -- it is taken for a file's name.")
    if saying.name == "protobuf-runtime-version" and (asker := _asker(told, saying)):
        words = f"{asker} holds code that a newer protobuf generated than the one that is installed. TensorFlow's own code is not what fails."
        if (folder := asker.replace("-", "_")) in NOT_ON_THE_INDEX:
            return _of(saying, words, f"The _pb2.py files of {folder} were compiled by a newer protoc than the installed protobuf takes.")  # fmt: skip
        return _of(saying, words, f"{asker} needs a newer protobuf than the installed one.")
    if saying.name == "protobuf-gencode" and not saying.told["file"].startswith(_OF_TENSORFLOW):
        file, wanted, have = (
            saying.told["file"],
            saying.told["wanted"].rstrip("."),
            saying.told["version"].rstrip("."),
        )
        words = f"A package holds code that protobuf {wanted} generated from {file}, and the installed protobuf is {have}. TensorFlow's own code is not what fails."
        return _of(
            saying, words, f"The code of {file} asks for protobuf {wanted} or newer, and {have} is installed."
        )
    library, major = _opened_by_cudnn(saying)
    if major:
        words = (
            f"cuDNN itself opens {library}, so it was made for CUDA {major}. That library is not found: mostly the "
            "TensorFlow here is one for another CUDA, and a cuDNN for that CUDA is what is missing."
        )
        title = f"The installed cuDNN is for CUDA {major}, whose {library} is missing."
        return Candidate("cuda-libraries-mixed", Confidence.LIKELY, (place(saying),), words, title=title)
    return None


def _opened_by_cudnn(saying: Saying) -> tuple[str, str]:
    """The library and its CUDA; "" twice where it is another that asks."""
    match = named("library-not-loaded").hit(saying.text)
    library = match.told["library"] if match else ""
    name, _, major = library.partition(".so.")
    return (library, major) if name in _CUDNN_OPENS and major.isdecimal() else ("", "")


def _unknown_flag(saying: Saying) -> Candidate:
    variable, flag = saying.told["variable"], saying.told["flag"].partition("=")[0]
    words = f"What reads {variable} ends the program at a flag that it does not know: the name is wrong, or of another release, or the flag belongs into another variable."
    return _of(saying, words, f"{flag} in {variable} is refused: this release has no such flag.")


_NOT_TAKEN = (
    "variable-not-parsed",
    "variable-unknown-option",
    "host-memory-limit-not-parsed",
    "gpu-thread-mode",
)
_TAKEN = {
    "bool": "1, 0, true and false",
    "int64": "a number",
    "": "global, gpu_private and gpu_shared",
}
_THREADS = "TF_GPU_THREAD_MODE"
"""Its reader does not name it (gpu_device.cc, 2.21), and no other asks for a gpu_thread_mode."""


def _not_taken(saying: Saying) -> Candidate:
    variable, value = saying.told.get("variable", _THREADS), saying.told["value"]
    wanted = saying.told.get("wanted", "")
    words = f"What reads {variable} takes {_TAKEN.get(wanted, wanted)} and no other value, and ends the program where it is given one. TensorFlow itself is in order."
    if saying.name == "host-memory-limit-not-parsed":
        words = f"{variable} takes a number of megabytes. Given anything else, TensorFlow gets no pinned memory at all, the kind that copies to a GPU start from, and its first copy ends as if memory had run out."
    return _of(saying, words, f"{variable}={value} is refused.")


_OF_TENSORFLOW = ("tensorflow/", "tsl/", "xla/", "tensorboard/", "google/")
_FLAGS = "parse_flags_from_env.cc"
_FATAL = ("fatal-line", "fatal-line-absl", "check-failed-line")


def _short(words: str) -> str:
    text = words.rstrip(".")
    return text if len(text) <= 160 else f"{text[:160]} …"


def _of(saying: Saying, words: str, title: str) -> Candidate:
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _asker(told: Testimony, saying: Saying) -> str:
    """The package in whose code the exception of this line was raised, if it is not TensorFlow."""
    raised = [
        each.package for each in told.endings if each.how == "exception" and place(each) == place(saying)
    ]
    return (
        raised[0]
        if raised and raised[0] and raised[0] not in ("tensorflow", "tensorflow-core", "protobuf")
        else ""
    )


def protobuf_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow's own generated code is what does not fit."""
    asked = [each for each in told.named("protobuf-runtime-version") if _asker(told, each)]
    others = [each for each in told.named("protobuf-gencode") if not each.told["file"].startswith(_OF_TENSORFLOW)]  # fmt: skip
    if others:
        wanted = others[0].told["wanted"].rstrip(".")
        newer = fix("install-newer-protobuf", wanted=wanted, python=interpreter(facts))
        return (newer, fix("use-older-package"))
    if not asked:
        return ()
    pip, asker = f"{interpreter(facts)} -m pip install", _asker(told, asked[0])
    if asked[0].told["symbol"] == "builder":
        note = "pip may warn: TensorFlow 2.9.1 to 2.11 ask for less than 3.20. They run with 3.20.3 all the same."
        return (
            Fix(
                "Install protobuf 3.20.3",
                (f"{pip} protobuf==3.20.3",),
                note,
            ),
        )
    if (folder := asker.replace("-", "_")) in NOT_ON_THE_INDEX:
        again = (f"{pip} 'grpcio-tools<1.49'", f"{interpreter(facts)} -m grpc_tools.protoc -I. --python_out=. {folder}/protos/*.proto", f"{pip} --no-deps .")  # fmt: skip
        return (Fix(f"Recompile the .proto files of {folder}", again, "The files that end in _pb2.py were made on this machine by a newer protoc than the installed protobuf can read, and an older Python has no newer protobuf. This compiler makes code for protobuf 3.19 to 4."),)  # fmt: skip
    return (
        fix("install-protobuf-5-28-3-or-newer", pip=pip),
        fix("find-package-for-older-tensorflow", asker=asker, pip=pip, keeping=keeping_tensorflow(facts)),
    )


def cudnn_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where cuDNN asked for nothing."""
    asked = [major for each in told.sayings if (major := _opened_by_cudnn(each)[1])]
    if asked[:1] != ["12"]:
        return ()
    return (fix("install-cudnn-8-for-cuda-11", python=interpreter(facts)),)


def variable_fixes(told: Testimony) -> tuple[Fix, ...]:
    """About the variable that a line names; () where none does."""
    if told.named("allocator-no-statistics"):
        return (
            fix("unset-tf-gpu-allocator"),
            fix("plan-for-cuda-malloc-async"),
        )  # fmt: skip
    unknown = told.named("flags-unknown")
    if unknown:
        variable = unknown[0].told["variable"]
        note = "It removes all flags, for this shell. Where there are others, set it again without the one that is named, and correct the line that sets it."
        return (Fix(f"Remove the flag from {variable}", (f"unset {variable}",), note),)
    named = told.named("flags-file")
    if named:
        variable, value = named[0].told["variable"], named[0].told["value"]
        return (
            Fix(
                "Write the flag with its two dashes", (quoted("export", f"{variable}=--{value.lstrip('-')}"),)
            ),
            fix("unset", variable=variable),
        )
    return _without(told)


def _without(told: Testimony) -> tuple[Fix, ...]:
    """() where no line names the variable."""
    refused = (
        _THREADS if each.name == "gpu-thread-mode" else each.told.get("variable", "")
        for each in told.of("environment-variable-refused")
    )
    variable = next(filter(None, refused), "")
    if not variable:
        return ()
    note = "For this shell. Where a job script, an image or a notebook's kernelspec sets it, take it away or correct it there."
    own = Fix(f"Remove {variable}", (f"unset {variable}",), note)
    if any(each.told["wanted"] == "bool" for each in told.named("variable-not-parsed")):
        return (own, fix("set-variable-to-1-or-0", variable=variable))
    return (own,)


# h5py 3 under a Keras that was written for h5py 2: it gives text where Keras decodes bytes.

_READING = ("saving", "topology", "hdf5_format")
"""The modules of Keras that read HDF5 files, in its releases up to 2.3 and TensorFlow's up to 2.3."""
_OF_KERAS = ("keras", "tensorflow", "tensorflow-core")


def decoded(told: Testimony, last: Ending) -> Candidate | None:
    """None where the same error arose in other code, as it does in any program."""
    said = [each for each in told.named("h5py-text-decoded") if place(each) == place(last)]
    if last.package not in _OF_KERAS or not (said or _weights_as_array(last)):
        return None
    words = "h5py 3 gives text where h5py 2 gave bytes. TensorFlow up to 2.3 and Keras up to 2.3 decode these bytes, and fail at the text when they load a model or weights. The file is in order."
    return Candidate("dependency-mismatch", Confidence.LIKELY, (place(last),), words, title="h5py 3 is installed, but this Keras was written for h5py 2.")  # fmt: skip


def _weights_as_array(last: Ending) -> bool:
    """h5py 3 hands the names of a layer's weights out as an array, which that Keras asks whether it is empty (ATCNN#2, 2021-11)."""
    module = last.inside[-1].rpartition(".")[2] if last.inside else ""
    return (
        module in _READING and "truth value of an array with more than one element is ambiguous" in last.what
    )


def decoded_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised or decoded(told, raised[-1]) is None:
        return ()
    return (
        fix("downgrade-h5py", python=interpreter(facts)),
        fix("use-tensorflow-2-4-or-newer"),
    )  # fmt: skip


# A name that an installed companion of TensorFlow lacks: it is of another release than the code that asks for it.

_COMPANIONS = (
    "keras_applications", "keras_contrib", "keras_cv", "keras_hub", "keras_nlp", "keras_preprocessing", "keras_tuner", "keras_vggface", "kerastuner",
    "onnx_tf", "tensorflow_addons", "tensorflow_datasets", "tensorflow_decision_forests", "tensorflow_federated", "tensorflow_gnn", "tensorflow_graphics",
    "tensorflow_hub", "tensorflow_io", "tensorflow_lattice", "tensorflow_model_optimization", "tensorflow_privacy", "tensorflow_probability",
    "tensorflow_quantum", "tensorflow_ranking", "tensorflow_recommenders", "tensorflow_text", "tensorflow_transform", "tensorflowjs", "tf2onnx",
    "tf_agents", "tf_keras", "tf_slim", "google", "onnx", "tensorboard",
)  # fmt: skip
"""Packages around TensorFlow by their module's name: a module of another name can be the user's own."""
_DOWNSTREAM = (
    "autokeras", "basic_pitch", "csbdeep", "ddsp", "deepface", "deeplabcut", "deepxde", "gpflow", "imageai", "innvestigate", "keras_bert", "keras_ocr", "ktrain", "larq", "lucid",
    "magenta", "mrcnn", "mtcnn", "n2v", "rasa", "retinaface", "scikeras", "shap", "spleeter", "tensorrec", "tf_explain", "tf_keras_vis",
    "segmentation_models", "spektral", "stardist", "stellargraph", "tensorforce", "tensorlayer", "tflearn", "transformers", "tflite_model_maker", "tflite_support",
)  # fmt: skip
"""Packages that work by TensorFlow, where Python does not name the file in which it looked (before 3.7, or cut off)."""
_WITH_1 = ("lucid", "tensorrec")
"""These work with TensorFlow 1 alone (tensorflow/lucid#251, 2020-06; jfkirk/tensorrec, its setup.py)."""
_WITH_2 = {("tensorflow_hub", "KerasLayer"), ("tensorflow_hub", "load")}
"""tensorflow_hub shows these under TensorFlow 1.15 and 2 alone (tensorflow/hub#255)."""


def lacking(facts: Facts, last: Ending) -> Candidate | None:
    """None for names of TensorFlow and Keras themselves, for whole modules, and for a package that is only half imported."""
    found = _wanted(last)
    if found is None:
        return None
    module, name, project = found
    who = f" {last.package} asks for it." if last.package and last.package != project else ""
    words = f"{project} is installed, and its module {module} has no {name}.{who} Either it is older or newer than the code that asks, or a part of its files is missing. TensorFlow itself is not what fails."
    title = (
        f"The installed {project} has no {name}: it is another version than the code needs, or incomplete."
    )
    if _of_transformers(module, name):
        words = f"{name} is one of transformers' classes for TensorFlow. transformers up to 4 shows these only where it finds TensorFlow 2 in the same Python; transformers 5 does not have them any more."
        title = f"transformers has no {name}: it finds no TensorFlow 2, or is 5 or newer and no longer supports TensorFlow."
    if project in _WITH_1:
        title = f"{project} could not be imported: it supports only TensorFlow 1, and its module {module} has no {name}."
    if _needs_2(facts, module, name):
        version = value_or(facts.tensorflow.version, "")
        title = f"{project} has {name} only with TensorFlow 2, but {version} is installed."
    code = "protobuf-incompatible" if project == "protobuf" else "package-import-failed"
    return Candidate(code, Confidence.LIKELY, (place(last),), words, title=title)


def _wanted(last: Ending) -> tuple[str, str, str] | None:
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None or not wanted[1] or not _is_installed(wanted[0].partition(".")[0], last.what):
        return None
    module, name = wanted
    if module.startswith("google") and not module.startswith("google.protobuf"):
        return None
    top = module.partition(".")[0]
    return module, name, PROJECTS.get(top, top.replace("_", "-"))


_NOT_HERE = (
    "tensorflow",
    "tensorflow_core",
    "tensorflow_estimator",
    "keras",
    "numpy",
    "typing_extensions",
    "torch",
    "jax",
    "jaxlib",
    "ml_dtypes",
)
"""What is said of names of these has rules of its own, or is no matter of TensorFlow's."""


def _is_installed(module: str, what: str) -> bool:
    """Whether it is a package that was installed, and no module of the user's own."""
    found = LOOKED_IN.compiled.search(what)
    return module in (*_COMPANIONS, *_DOWNSTREAM) or (
        found is not None and found["folder"] == module and module not in _NOT_HERE
    )


def _needs_2(facts: Facts, module: str, name: str) -> bool:
    return (module, name) in _WITH_2 and str(value_or(facts.tensorflow.version, "")).startswith("1.")


def _of_transformers(module: str, name: str) -> bool:
    """Its classes for TensorFlow begin with TF (its release notes, 2.0 to 5.0)."""
    return module == "transformers" and name.startswith("TF") and name[2:3].isupper()


def lacking_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _wanted(raised[-1]) if raised else None
    if found is None:
        return ()
    module, name, project = found
    python = interpreter(facts)
    if _needs_2(facts, module, name):
        return (fix("use-tensorflow-2", python=python),)
    if _of_transformers(module, name):
        return (fix("install-tensorflow-and-compatible-transformers", python=python),)
    if project in _WITH_1:
        return (fix("use-tensorflow-1-15", project=project),)
    if project == "tf-keras":
        own = tf_keras(facts)
        lines = tuple(each.replace("pip install ", "pip install --force-reinstall --no-deps ") for each in own.commands)  # fmt: skip
        return (replace(own, commands=lines, title=f"{own.title}, all of its files once more"),)
    if project == "protobuf":
        return (
            fix(
                "reinstall-required-protobuf",
                python=python,
                keeping=keeping_tensorflow(facts),
            ),
        )
    if raised[-1].package not in ("", project):
        return _both(python, raised[-1].package, project, facts)
    if not raised[-1].package and module.partition(".")[0] not in _COMPANIONS:
        return _written_for_another(python, project, facts)
    return (
        fix("update-project-and-keep-tensorflow", project=project, python=python, keeping=keeping_tensorflow(facts)),
        fix("show-project", python=python, project=project),
    )  # fmt: skip


def _both(python: str, asker: str, project: str, facts: Facts) -> tuple[Fix, ...]:
    """pip leaves the one alone that its metadata still allows, so both are named."""
    return (
        fix("update-both-and-keep-tensorflow", asker=asker, project=project, python=python, keeping=keeping_tensorflow(facts)),
        fix("show-project-and-older-versions", asker=asker, project=project, python=python),
    )  # fmt: skip


def _written_for_another(python: str, project: str, facts: Facts) -> tuple[Fix, ...]:
    """A program of one's own, or of a repository, asks a package that goes its own way: nobody knows which of the two is the older one."""
    return (
        fix("find-project-version", project=project, python=python),
        fix("update-project-if-program-is-newer", project=project, python=python, keeping=keeping_tensorflow(facts)),
    )  # fmt: skip


# A name that TensorFlow or Keras has in other releases than the installed one: who asks for it, and which side has to move.

NEWER, OLDER, UNSURE = "newer", "older", "unsure"
_OWN = {"tensorflow": ("tensorflow", "tensorflow-core"), "keras": ("keras",)}
_UNPICKLING = ("joblib", "cloudpickle", "dill")
"""They ask in the name of what was saved."""
_BOUND = ((2, 6), (2, 15))
_PRINTED = {"tensorflow": "TensorFlow", "keras": "Keras"}


@record
class Misfit:
    """`asker` "" for the user's own code. `side`: whether the asker is newer or older than what it asks."""

    package: str  # "tensorflow" or "keras", which lacks it
    name: str  # as it is written: "tensorflow.python.trackable"
    times: Times
    present: Present
    asker: str
    side: str
    frame: str
    root: str = ""
    source: str = ""
    keras_3: bool = False
    """The message itself names Keras 3 as what was asked."""

    @property
    def printed(self) -> str:
        return _PRINTED[self.package]

    @property
    def of_tensorflow(self) -> tuple[str, ...]:
        """The minors of TensorFlow that can be installed; from 2.6 to 2.15 those of Keras are its own."""
        if self.package == "tensorflow":
            return self.present.minors
        return tuple(each for each in self.present.minors if _BOUND[0] <= key(each) <= _BOUND[1])


def misfit(case: Case, told: Testimony, last: Ending) -> Misfit | None:
    """None where no such name was asked for, where a table does not know it, and where the installed release must have it."""
    wanted = asked(last.what, last.source)
    if last.how != "exception" or wanted is None:
        return None
    module, name = wanted
    package = package_of(module)
    if name in IMAGES or last.package in _UNPICKLING or _of_tensorflow_1(module, name):
        return None  # which have rules of their own
    there = times(module, name) if package else None
    if there is None or last.package in _OWN.get(package, ()):
        return None
    there = _of_version_2(there, last)
    here = present(case, told, last, package, there)
    if package == "tensorflow" and there.having == there.every:
        here = before_the_tables(case, last)
    if not here.minors:
        return None
    whole = f"{module}.{name}" if name else module
    return Misfit(
        package,
        whole,
        there,
        here,
        _misfit_asker(told, last, here),
        _side(there, here),
        last.frame,
        last.roots[-1] if last.roots else "",
        last.source,
        bool(last.package) and _KERAS_3 in last.what,
    )


def _of_version_2(there: Times, last: Ending) -> Times:
    """1.15 has under tf.compat.v2 what the tables give it, and what lacked the name is its own tf.keras."""
    if KERAS_OF_1 not in last.what or not last.package:
        return there
    later = tuple(each for each in there.having if not each.startswith("1."))
    return Times(later, there.every) if later else there


_KERAS_3 = "module 'keras._tf_keras."
"""The folder that stands for tf.keras in Keras 3 (its wheels)."""


def _misfit_asker(told: Testimony, last: Ending, here: Present) -> str:
    """The package that asks; transformers' wrapper names itself, and what only Keras 2 asks for comes from tf-keras beside Keras 3."""
    if _OF_HUB in last.what:
        return "tensorflow-hub"
    asker = last.package or _wrapper(last.what) or _announced(told, last) or imported(told, last)
    keras_3 = any(each.told["version"].startswith("3.") for each in told.named("keras-version"))
    new = here.told and all(key(each) > _BOUND[1] for each in here.minors)
    if _LOAD_CONTEXT in last.what and not last.inside and (keras_3 or new):
        return "tf-keras"
    if not asker and last.what.partition(": ")[2].startswith(FOR_KERAS):
        return "keras"
    return PROJECTS.get(asker.replace("-", "_"), asker)


FOR_KERAS = (
    "module 'tensorflow.compat.v2.__internal__",
    "module 'tensorflow._api.v2.compat.v2.__internal__",
    "module 'tensorflow.python.keras.",
)
"""What TensorFlow keeps for the package keras alone, by the names under which its files ask (keras 2.4 to 2.15, their wheels): no program writes so."""
_OF_HUB = "module 'tensorflow_hub.tf_v1'"
"""tensorflow-hub's own file that stands for tf.compat.v1 (tensorflow_hub/tf_v1.py, up to 0.16)."""
_LOAD_CONTEXT = "register_load_context_function"


def _wrapper(what: str) -> str:
    found = WRAPPED.compiled.search(what)
    return found[0].removeprefix("Failed to import ").partition(".")[0].partition(" ")[0] if found else ""


def _announced(told: Testimony, last: Ending) -> str:
    """The package whose wrapped error is this one, where its sentence stands on the line above."""
    above = [each for each in told.named("import-wrapped") if place(each) == (last.file, last.line - 1)]
    return above[0].told["module"].partition(".")[0] if above and not last.frame else ""


def imported(told: Testimony, last: Ending) -> str:
    """The companion whose import is shown right above an exception without a traceback; what is imported in a traceback's line is told by its frames."""
    if last.frame or last.inside or last.through:
        return ""
    above = [each for each in told.named("companion-imported") if 0 < last.line - each.line <= _APART and each.file == last.file]  # fmt: skip
    return above[-1].told["module"] if above else ""


_APART = 12
"""Lines between the import and the exception, TensorFlow's own lines of starting among them."""


def _of_tensorflow_1(module: str, name: str) -> bool:
    below = module.removeprefix("tensorflow").lstrip(".")
    return (
        bool(name)
        and module.startswith("tensorflow")
        and is_old(below, name)
        and not below.startswith(GONE_MODULES)
        and name not in GONE_MODULES
    )


def _side(there: Times, here: Present) -> str:
    if all(key(each) < key(there.since) for each in here.minors):
        return NEWER
    return OLDER if all(key(each) > key(there.last) for each in here.minors) else UNSURE


def of_run(case: Case, told: Testimony) -> Misfit | None:
    """That of the run's last exception, or of a line that stands alone."""
    raised = [each for each in told.endings if each.how == "exception"]
    if raised:
        return misfit(case, told, telling(raised))
    alone = told.named(*NAMES)
    return misfit(case, told, at(told, alone[-1])) if alone else None


def telling(raised: list[Ending]) -> Ending:
    """The exception whose words the last one only repeats, where it tells in whose code it arose; the last one else."""
    last = raised[-1]
    deeper = (each for each in raised[:-1] if each.package and _repeated(each.what, last.what))
    return next(deeper, last)


def _repeated(what: str, by: str) -> bool:
    words = what.partition(": ")[2].rstrip(".")
    return len(words) > _TELLING and words in by


_TELLING = 20
"""Characters of an exception's words: fewer could stand in another by chance."""
NAMES = (
    "tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name", "keras-private-module", "keras-module",
    "keras-attribute", "keras-name", "keras-get-config", "keras-load-context", "keras-dtensor",
)  # fmt: skip
"""Signatures of names that were asked for in vain."""


def at(told: Testimony, saying: Saying) -> Ending:
    """The exception of a saying's line; the line itself where no traceback is told."""
    found = (each for each in told.endings if each.how == "exception" and place(each) == place(saying))
    asker = "keras" if saying.name in _MISFIT_OF_KERAS else ""
    return next(found, Ending("exception", 1, saying.text, saying.file, saying.line, package=asker))


_MISFIT_OF_KERAS = ("keras-get-config", "keras-load-context", "keras-dtensor", "keras-private-module")
"""Names that Keras alone asks TensorFlow for."""


# Public names for inner ones that were moved or removed.

_MOVED = (
    ("tensorflow.python.keras", "tensorflow.keras"),
    ("tensorflow.keras.layers.experimental.preprocessing", "tensorflow.keras.layers"),
    ("tensorflow.keras.experimental", "tensorflow.keras"),
    ("tensorflow.keras.optimizers.experimental", "tensorflow.keras.optimizers"),
    ("tensorflow.python.framework.tensor_spec", "tensorflow"),
    ("tensorflow.python.training.tracking", "tensorflow.train"),
    ("keras.utils.np_utils", "keras.utils"),
    ("keras.preprocessing.image", "keras.utils"),
    ("tensorflow.keras.preprocessing.image", "tensorflow.keras.utils"),
    ("keras.utils.generic_utils", "keras.utils"),
    ("keras.engine.topology", "keras.layers"),
    ("keras.engine.base_layer", "keras.layers"),
    ("keras.engine.input_layer", "keras.layers"),
    ("keras.engine.training", "keras"),
    ("keras.engine", "keras.layers"),
    ("keras.layers.core", "keras.layers"),
    ("keras.layers.convolutional", "keras.layers"),
    ("keras.layers.pooling", "keras.layers"),
    ("keras.layers.recurrent", "keras.layers"),
    ("keras.layers.embeddings", "keras.layers"),
    ("keras.layers.merge", "keras.layers"),
    ("keras.layers.normalization", "keras.layers"),
    ("keras.layers.advanced_activations", "keras.layers"),
    ("keras.layers.wrappers", "keras.layers"),
    ("keras.optimizer_v2", "keras.optimizers"),
)
"""Inner modules, and where their names stand for everybody (the tables of signatures/names)."""


_PROJECTS = {
    "tensorflow.contrib.slim": ("tf-slim", "import tf_slim as slim"), "tensorflow.contrib.framework": ("tf-slim", "import tf_slim"),
    "tensorflow.contrib.layers": ("tf-slim", "from tf_slim import layers"), "tensorflow.contrib.crf": ("tensorflow-addons", "from tensorflow_addons import text"),
    "tensorflow.contrib.seq2seq": ("tensorflow-addons", "from tensorflow_addons import seq2seq"),
    "tensorflow.contrib.distributions": ("tensorflow-probability", "from tensorflow_probability import distributions"),
    "tensorflow.keras.wrappers": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "keras.wrappers": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "tensorflow.keras.wrappers.scikit_learn": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "keras.wrappers.scikit_learn": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "tensorflow.examples.tutorials": ("tensorflow-datasets", "import tensorflow_datasets as tfds"),
}  # fmt: skip
"""What went into projects of its own, and how it is imported from there."""


def elsewhere(facts: Facts, found: Misfit) -> Fix | None:
    """The project that has it now; None for what only moved inside."""
    for name, (project, line) in _PROJECTS.items():
        if found.name == name or found.name.startswith(f"{name}."):
            command = (f"{interpreter(facts)} -m pip install {project}",)
            return Fix(f"Take it from {project}, where it is now", command, f"In your files: {line}")
    if found.name.removeprefix("tensorflow.").startswith("keras.layers.experimental"):
        return fix("import-these-layers-from-tensorflow-keras-layers")
    if found.name.startswith("tensorflow.contrib"):
        return fix("replace-tf-contrib")
    return None


def public_name(found: Misfit) -> str:
    """The public name that the newest of the releases that can be installed has; "" where none is known."""
    module, _, last = found.name.rpartition(".")
    is_module = any(
        found.name == each for each, _public in _MOVED
    )  # a module, though a class may be called so
    other = "" if is_module else spelt_otherwise(module, last)
    today = times(module, other) if other else None
    if today is not None and today.last == today.every[-1]:
        return f"{module}.{other}"
    if found.package == "keras" and _still_there(f"tensorflow.{found.name}"):
        return f"tensorflow.{found.name}"
    if found.package == "keras" and last[:1].isupper() and _still_there(f"tensorflow.{module}"):
        return f"tensorflow.{found.name}"
    for inner, public in _MOVED:
        if found.name == inner or found.name.startswith(f"{inner}."):
            name = public + found.name[len(inner) :]
            for each in (name, f"{public}.{name.rpartition('.')[2]}", public):
                if each != found.name and _has_now(found, each):
                    return each
    return f"tensorflow.{found.name}" if _in_both(found) else ""


def _in_both(found: Misfit) -> bool:
    """keras 2.4 to 2.12 left out names that tensorflow.keras has always had, and Keras 3 has them under both again."""
    module, _, last = found.name.rpartition(".")
    here, name = times(f"tensorflow.{module}"), times(f"tensorflow.{module}", last)
    if found.package != "keras" or found.times.last != found.times.every[-1] or here is None:
        return False
    having = [each.having for each in (here, name) if each is not None]
    return all(minor in each for each in having for minor in found.present.minors)


def _has_now(found: Misfit, name: str) -> bool:
    """By the table of the module's package; tensorflow.keras shows what Keras itself has."""
    module, _, last = name.rpartition(".")
    of_keras = name.removeprefix("tensorflow.")
    there = times(name) or times(module, last)
    if there is None and name != of_keras:
        module, _, last = of_keras.rpartition(".")
        there = times(module, last) if module.startswith("keras") else None
        return there is not None and there.last == there.every[-1]
    return there is not None and found.present.minors[-1] in there.having


def public_line(found: Misfit) -> str:
    """The program's own import with the public module, where the log shows a line that takes names out of a module that is gone; "" else."""
    begun, _, names = found.source.partition(" import ")
    module = begun.removeprefix("from ").strip()
    if not begun.startswith("from ") or not (module == found.name or module.startswith(f"{found.name}.")):
        return ""
    asked = [each.partition(" as ")[0].strip() for each in names.strip("() ").split(",") if each.strip()]
    for inner, public in _MOVED:
        if module == inner or module.startswith(f"{inner}."):
            at = public + module[len(inner) :]
            for each in (at, public):
                if asked and each != module and all(_has_now(found, f"{each}.{name}") for name in asked):
                    return f"from {each} import {names.strip()}"
    return ""


def _still_there(module: str) -> bool:
    there = times(module)
    return there is not None and there.last == there.every[-1]


# A file of the user's own that stands in the way of a module: the traceback shows where an installed one got it instead.

_CODE = "tensorflow-shadowed"


def shadowing(last: Ending) -> Candidate | None:
    """None where the traceback shows no such file."""
    if not last.shadow:
        return None
    file, module = _name(last.shadow), _module(last.shadow)
    words = f"A module of an installed package, or of Python itself, imports {module} and gets {last.shadow}: Python looks first in the folder of the program that is started. So a file of the user's own is run in the middle of that import."
    return Candidate(_CODE, Confidence.CERTAIN, (place(last),), words, title=f"Your own {file} is imported instead of the module {module}.")  # fmt: skip


_PARTLY = "partially-initialized"
_INSTALLED = ("site-packages", "dist-packages")


def of_itself(told: Testimony, saying: Saying) -> Candidate | None:
    """A module that is asked for a name while it is still being imported: mostly a file of the user's own has its name."""
    if saying.name != _PARTLY:
        return None
    module, file = saying.told["module"], _told_file(saying)
    top = module.partition(".")[0]
    words = f"{module} was asked for a name while Python was still in the middle of importing it. "
    if file and not any(each in file for each in _INSTALLED):
        words += f"The file that was taken for it is {file}, one of your own, and it imports itself. The package is in order."
        return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=f"Your own {_name(file)} is imported instead of {module} and imports itself.")  # fmt: skip
    own = _own_file(told, saying)
    words += f"Mostly a file of your own named {own or f'like a module that {top} imports (code.py, test.py, types.py)'} is in the folder of the program that is started: Python takes it in place of the real one. Where no such file is there, {top} itself is only half installed."
    title = f"The import of {module} runs into itself: mostly a file of your own {f'is named {own}' if own else 'has the name of a module that it imports'}."
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), words, title=title)


def _own_file(told: Testimony, saying: Saying) -> str:
    """What shadows it: a script with a name of Python's library; else the module's own name, which a package with parts can't be."""
    module = str(saying.told["module"])
    frames = [each.frame.rpartition("(")[2].rpartition(":")[0] for each in told.endings if each.frame]
    started = [each.told["file"] for each in told.named("script-started")]
    files = [_name(each) for each in (*frames, *started) if each.endswith(".py")]
    others = sys.stdlib_module_names | {"test"}
    found = next((each for each in files if each.removesuffix(".py") in others), "")
    return found or ("" if "." in module else f"{module}.py")


def _told_file(saying: Saying) -> str:
    """The path that ends the message in parentheses; "" for none."""
    last = saying.text.rpartition("(")[2].rpartition(")")[0].strip()
    return last if last.endswith(".py") else ""


def _of_itself_fixes(facts: Facts, told: Testimony, said: Saying) -> tuple[Fix, ...]:
    top, file = said.told["module"].partition(".")[0], _told_file(said)
    own = _name(file) if file and not any(each in file for each in _INSTALLED) else _own_file(told, said)
    windows = value_or(facts.host.os, "") == "windows"
    look = ("dir /b *.py",) if windows else ("ls *.py",)
    rename = (f"ren {own} my_{own}",) if windows else (quoted("mv", own, f"my_{own}"), "rm -rf __pycache__")
    python = interpreter(facts)
    named = Fix(f"Rename {own} and the lines that import it", rename, "Where the file has another name of a module (code.py, test.py, types.py), that one is meant.")  # fmt: skip
    if file:
        return (named,)
    return (
        *((named,) if own else ()),
        Fix("Find files with the name of a module", look),
        fix("reinstall-top-package", top=top, python=python, value=top.replace('_', '-')),
    )  # fmt: skip


def renaming_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no file of the user's own is named."""
    raised = [each for each in told.endings if each.how == "exception" and each.shadow]
    if code != _CODE:
        return ()
    if not raised:
        partly = told.named(_PARTLY)
        return _of_itself_fixes(facts, told, partly[0]) if partly else ()
    file = _name(raised[-1].shadow)
    if value_or(facts.host.os, "") == "windows":
        commands: tuple[str, ...] = (f"ren {file} my_{file}",)
    else:
        commands = (quoted("mv", file, f"my_{file}"), "rm -rf __pycache__")
    return (Fix(f"Rename {file} and the lines that import it", commands, f"It holds as long as no {file} is in the folder of the program that is started."),)  # fmt: skip


def _name(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1]


def _module(path: str) -> str:
    return _name(path).removesuffix(".py")


# Two packages of which one looks at the other's release and says itself what it takes.

_NOT_FOUND = "pkg-resources-not-found"
_STATED = (
    "required-for-this-module", "or-newer-of", "requires-you-have", "pkg-resources-conflict", "incompatible-below", _NOT_FOUND,
)  # fmt: skip
_DISTUTILS, _PROTOC = "distutils-version", "protobuf-older-than-protoc"
_FIXED = {
    _DISTUTILS: (
        "A package asks for distutils.version, which the distutils of a newer setuptools does not show by itself.",
        "setuptools puts its own distutils in the place of Python's. Since 59.6 that one has its part version only where it was imported, and packages of before ask without importing it (tensorboard's writer in torch up to 1.10, for one). TensorFlow is not what fails.",
    ),
    _PROTOC: (
        "The installed protobuf is older than the protoc that generated these files.",
        "A file that ends in _pb2.py was generated by protoc. The protoc of 3.19 and newer writes it so that protobuf itself hands back what it read; an older protobuf hands back nothing (None). The files are in order, and so is TensorFlow.",
    ),
}


def stated(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    if saying.name in _FIXED:
        title, words = _FIXED[saying.name]
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)
    if saying.name not in _STATED:
        return None
    who, package, wanted = _stated_asker(told, saying), saying.told["package"].lower(), _stated_wanted(saying)
    have = saying.told.get("version", "")
    shown = f", and {have} is installed" if have else ", and another one is installed"
    if saying.name == _NOT_FOUND:
        return _not_found(saying, who, package, wanted)
    words = "It looks at that when it is imported, and ends the program where it does not fit. Each of the two is in order; they are of different times. TensorFlow is not what fails."
    title = f"{who} requires {package} {wanted}{shown}."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _not_found(saying: Saying, who: str, package: str, wanted: str) -> Candidate:
    """The command of a package asks for its needs by pkg_resources before it does anything."""
    title = f"{who} needs {package} {wanted}".rstrip() + ", and none that fits is installed."
    words = f"The command {who} looks for everything that its package asks for before it starts, and ends where a part is missing or of another release. What runs it may wait for it in vain: a notebook, an editor. TensorFlow is not what fails."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _stated_asker(told: Testimony, saying: Saying) -> str:
    """The package that the message names, else the one in whose code it was raised."""
    if asker := saying.told.get("asker", ""):
        return asker.lower()
    raised = (
        each.package for each in told.endings if each.how == "exception" and place(each) == place(saying)
    )
    return next((each for each in raised if each), "") or "A package"


def _stated_wanted(saying: Saying) -> str:
    """The range as pip writes it."""
    wanted = saying.told.get("wanted", "").replace(" ", "")
    if saying.name in ("or-newer-of", "incompatible-below"):
        return f">={wanted}"
    return wanted


def stated_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no package said so, or another code is asked for."""
    said = [each for each in told.named(*_FIXED, *_STATED) if each.code == code]
    if not said:
        return ()
    first, python, keep = said[0], interpreter(facts), keeping_tensorflow(facts)
    if first.name == _PROTOC:
        return (fix("install-protobuf-3-20-3", python=python),)
    if first.name == _DISTUTILS:
        return (
            fix("update-tensorboard", python=python, keep=keep),
            fix("downgrade-setuptools", python=python),
        )  # fmt: skip
    package, who = first.told["package"].lower(), _stated_asker(told, first)
    spec = f"{package}{_stated_wanted(first)}"
    own = fix("install-required-package", package=package, who=who, python=python, spec=spec, keep=keep)
    if who == "A package":
        return (own,)
    other = fix("use-other-version", who=who, python=python, keep=keep)
    return (own, other)


# A package whose own file asks another file of the same package in vain: files of two releases are in one folder.

_OF_OTHERS = ("tensorflow", "tensorflow-core", "tensorflow-estimator", "google", "protobuf")
"""What is said of their files has rules of its own."""
_OTHERWISE = ("circular import", "(unknown location)")
"""A file of the user's own in the way, and a folder that has lost its __init__.py."""
_IN_ONE_FOLDER = {
    "keras": ("keras", "keras-nightly"),
    "tensorboard": ("tensorboard", "tensorflow-tensorboard"),
}
"""Distributions that write into a folder of the same name: TensorFlow 2.5 and its nightly builds require keras-nightly, and
tensorflow-tensorboard is what tensorboard was called up to 1.5 (their metadata)."""
_WHOLE = ("keras", "numpy", "tensorboard")
"""Of these, a module of their own that is not found is a file of another release as well; others may have been left unbuilt."""


def torn(told: Testimony, saying: Saying) -> Candidate | None:
    """That of a saying's line; None where no traceback shows who asks."""
    at = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    return of_ending(at[0]) if at else None


def of_ending(last: Ending) -> Candidate | None:
    """None where the one that asks and the one that is asked are not of the same folder."""
    found = _torn(last)
    if found is None:
        return None
    folder, what = found
    names = _IN_ONE_FOLDER.get(folder, ())
    two = f" {names[0]} and {names[1]} are two packages for pip, and both write into it." if names else ""
    words = (
        f"The file that asks is {last.inside[-1]}, and what it asks for, {what}, should be beside it, in the same package. The files of one release always fit "
        f"each other, so those of two are in one folder: one was installed over the other, or an installation was broken off.{two} Your program is not what fails."
    )
    code = "keras-mismatch" if folder == "keras" else "package-import-failed"
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=f"The directory {folder} contains files of two versions of {last.package}.")  # fmt: skip


def _torn(last: Ending) -> tuple[str, str] | None:
    """The folder, and what was asked for in vain."""
    wanted = asked(last.what, last.source)
    if last.how != "exception" or wanted is None or not last.inside or not last.package:
        return None
    folder = last.inside[-1].partition(".")[0]
    module, name = wanted
    if last.package in _OF_OTHERS or last.package.replace("-", "_") != folder.replace("-", "_"):
        return None  # an innermost frame of the user's own, or of another package
    if module.partition(".")[0] != folder or any(each in last.what for each in _OTHERWISE):
        return None
    if module == folder == last.inside[-1] and "cannot import name" not in last.what:
        return None  # a package's own __getattr__ only says that it has no such name; who asked is the frame before
    if not name and folder not in _WHOLE:
        return None
    if name.startswith("_") and folder not in _WHOLE:
        return None  # mostly a compiled part, which was never built or is made for another Python
    return folder, f"{module}.{name}" if name else module


def torn_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no folder holds two releases."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _torn(raised[-1]) if raised else None
    if found is None or code not in ("keras-mismatch", "package-import-failed"):
        return ()
    folder, package, python = found[0], raised[-1].package, interpreter(facts)
    names = " ".join(_IN_ONE_FOLDER.get(folder, (package,)))
    again = keeping_tensorflow(facts) if folder in _WHOLE else f"{package} {keeping_tensorflow(facts)}"
    what = "and let pip bring the one that the installed TensorFlow asks for" if folder in _WHOLE else "and install it again"  # fmt: skip
    around = shown(facts)
    restart = (fix("restart-runtime"),) if folder == "numpy" and around.service else ()
    return (
        *restart,
        fix(
            "remove-all-copies-and-reinstall",
            package=package,
            what=what,
            python=python,
            names=names,
            folder=folder,
            again=again,
        ),
    )


# Two copies of Keras in one process: TensorFlow's own and one of another minor, which register the same names.

_NAMES = ("keras-metric-twice", "keras-gauge-twice")
_USUAL = "2.6"
"""Its metadata asks for keras~=2.6, which admits every newer Keras 2; from 2.7 on TensorFlow names the minor (their wheels)."""


def registered_twice(saying: Saying) -> Candidate | None:
    if saying.name not in _NAMES:
        return None
    words = "Keras registers its counters with TensorFlow, each name once. Here they came twice: the installed package keras is of another minor than TensorFlow, so its code and TensorFlow's own both register them. That is mostly TensorFlow 2.6, with which pip installs a newer Keras."
    title = "Two copies of Keras meet: the installed keras is newer than the installed TensorFlow."
    return Candidate("keras-mismatch", Confidence.CERTAIN, (place(saying),), words, title=title)


def twice_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing was registered twice."""
    if code != "keras-mismatch" or not told.named(*_NAMES):
        return ()
    parts = str(value_or(facts.tensorflow.version, "")).split(".")
    minor = ".".join(parts[:2]) if len(parts) > 1 and all(map(str.isdecimal, parts[:2])) else _USUAL
    python = interpreter(facts)
    note = (
        ""
        if len(parts) > 1
        else f"With another TensorFlow than 2.6 take its own minor: `{python} -m pip show tensorflow` names it."
    )
    own = Fix(
        f"Install the Keras of TensorFlow {minor}",
        (f'{python} -m pip install "{pin("keras", minor)}"',),
        note,
    )
    newer = fix("install-tensorflow-2-7", python=python)
    return (own, newer) if minor == _USUAL else (own,)


# What brings the two sides of a misfit together, the smallest change first.

_BEFORE_THE_MATRIX = {
    **{f"1.{minor}": ("3.5", "3.6") for minor in range(13)},
    **dict.fromkeys(("1.13", "1.14"), ("3.5", "3.6", "3.7")),
    "1.15": ("3.7",),
    "2.0": ("3.7",),
    "2.1": ("3.7",),
    "2.2": ("3.7", "3.8"),
    "2.3": ("3.7", "3.8"),
}
"""Pythons that old minors have wheels for (their files)."""
_BY_INSTALLED = '"{package}==$({python} -c \'from importlib.metadata import version as v; print(v("tensorflow").rpartition(".")[0])\').*"'
_LAST_FOR_ENDED = (2, 15)
"""The last TensorFlow before Keras 3, for which what is no longer developed was never made."""
_LOOK = fix("check-installed-tensorflow-and-keras-versions")


def misfit_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end by a misfit."""
    found = of_run(case, told)
    if found is None:
        return ()
    if found.package == "keras" and found.times.since.startswith("3.") and found.side == NEWER:
        return _with_keras_3(case, found)
    if found.keras_3:
        return (legacy_switch(case.facts),)
    if not found.asker:
        return _of_own_code(case, found, saved=bool(told.named("unpickling")))
    ways = (
        _by_framework(found),
        supported_fix(case.facts, told, found.asker),
        _move_asker(case, found),
        _move_tensorflow(case, found),
        _with_old_keras(found),
    )
    return tuple(filter(None, ways)) or (_LOOK,)


def _with_old_keras(found: Misfit) -> Fix | None:
    """Of a name that the package keras had up to 2.3, its last with code of its own."""
    if found.package != "keras" or found.side != OLDER or found.times.last != "2.3":
        return None
    lines = ("uv venv --python 3.7 tensorflow-1.15", 'uv pip install --python=tensorflow-1.15 "tensorflow==1.15.*" "keras==2.3.1" "h5py<3" "protobuf<3.21"')  # fmt: skip
    return Fix("Run it with Keras 2.3 in a new environment", lines, f"Your current environment is not changed. {found.asker} and the program's other packages go there as well, in their releases of that time. 1.15 knows no GPU newer than those of CUDA 10.")  # fmt: skip


_WITH_A_SWITCH = ("efficientnet", "segmentation-models", "classification-models", "image-classifiers")
"""They work with tf.keras as well, and read from SM_FRAMEWORK which of the two is meant (qubvel/segmentation_models, its README)."""


def _by_framework(found: Misfit) -> Fix | None:
    if found.asker not in _WITH_A_SWITCH or found.package != "keras":
        return None
    return fix("let-segmentation-models-use-tf-keras", asker=found.asker)


def _move_asker(case: Case, found: Misfit) -> Fix | None:
    facts, python, minors = case.facts, interpreter(case.facts), found.of_tensorflow
    if found.asker == "tf-keras" and len(minors) > 1:
        return tf_keras(facts)
    if _with_the_minor(found, minors) and not _windows(facts):
        spec = _BY_INSTALLED.format(package=found.asker, python=python)
        return fix(
            "install-package-for-installed-tensorflow",
            asker=found.asker,
            python=python,
            spec=spec,
            user_site=_user_site(found),
        )
    spec, minor = closest(found.asker, minors)
    if spec and (found.package == "tensorflow" or found.side == NEWER):
        others = (
            ""
            if minors[0] == minors[-1]
            else f" If yours is another one, take its own: `{python} -m pip show tensorflow` names it."
        )
        folder = _user_site(found)
        return fix(
            "install-package-for-minor",
            asker=found.asker,
            minor=minor,
            python=python,
            spec=spec,
            others=others,
            folder=folder,
        )
    if found.asker in ENDED:
        return None
    if found.side == OLDER or (found.side == UNSURE and _was_there_before(found)):
        return _update(facts, found)
    day = NEXT.get(minors[-1], "") if minors else ""
    if found.side == NEWER and day:
        title = f"Install the {found.asker} as old as TensorFlow {minors[-1]}"
        return Fix(title, (f"uv pip install --python={python} --exclude-newer={day} --reinstall --no-deps {found.asker}",), f"uv leaves out newer versions: TensorFlow's next minor came out on {day}. {python} -m pip install uv installs uv.")  # fmt: skip
    return None


def _was_there_before(found: Misfit) -> bool:
    """The name is gone, or what has it again today is another thing: who asks for it is older than all that can be installed."""
    having, minors = found.times.having, found.present.minors
    gone = found.times.last != found.times.every[-1]
    return gone or (bool(minors) and key(having[0]) < key(minors[0]))


def _with_the_minor(found: Misfit, minors: tuple[str, ...]) -> bool:
    """Several are possible, and for all of them the asker's minor is TensorFlow's."""
    if len(minors) < 2 or found.package != "tensorflow":
        return False
    if found.asker == "keras":
        return key(minors[-1]) >= (2, 6) and key(minors[-1]) <= (2, 15)
    return found.asker in NUMBERED_ALIKE


def _user_site(found: Misfit) -> str:
    return (
        " It is in the user's own folder (~/.local), before those of an environment or a module: `export PYTHONNOUSERSITE=1` leaves all of that folder out."
        if "/.local/lib/" in found.root
        else ""
    )


def _update(facts: Facts, found: Misfit) -> Fix:
    folder = found.asker.replace("-", "_")
    if folder in NOT_ON_THE_INDEX:
        return Fix(f"Update {folder}, which pip alone can't", note=NOT_ON_THE_INDEX[folder])
    return fix(
        "update-asker-or-downgrade",
        asker=found.asker,
        python=interpreter(facts),
        keeping=keeping_tensorflow(facts),
        called=found.name,
        printed=found.printed,
    )


def _move_tensorflow(case: Case, found: Misfit) -> Fix | None:
    """A TensorFlow that has the name, for this Python, or with a Python of its time."""
    minor = _with_the_name(case, found)
    if not minor:
        return None
    bound = found.side != NEWER or found.asker in ENDED
    python, fitting = interpreter(case.facts), pin(found.asker, minor) if bound else ""
    more = "".join(f' "{each}"' for each in (*_pins(case, minor), fitting) if each)
    if _has_wheel(case, minor):
        return fix(
            "use-tensorflow-version",
            minor=minor,
            python=python,
            in_=_in(case.facts, minor),
            more=more,
        )
    feature = _newest_python(case, minor)
    if not feature:
        return None
    return fix("use-tensorflow-version-with-python", minor=minor, feature=feature, more=more)


def _pins(case: Case, minor: str) -> list[str]:
    """What has to be said besides, so that an old release works with what pip brings today."""
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}."):
            return pins(
                row, replace(machine_from_facts(case.facts), gpus=Absent("none is asked for")), case.matrix
            )
    return ["protobuf<3.21"]


def _with_the_name(case: Case, found: Misfit) -> str:
    """For one that is too old the newest that this Python takes, for a name that is gone the last that had it."""
    having = found.times.having
    if (
        having == found.times.every
    ):  # what is there is older than the tables, so the code is for TensorFlow 1, too
        return having[0]
    if found.asker in ENDED:
        having = tuple(each for each in having if key(each) <= _LAST_FOR_ENDED) or having
    if found.package == "keras":
        having = tuple(each for each in having if (2, 6) <= key(each) <= (2, 15))
    if not having or found.side == OLDER:
        return having[-1] if having else ""
    if found.side == NEWER and not found.asker and key(found.times.since) <= _LAST_FOR_ENDED:
        having = tuple(each for each in having if key(each) <= _LAST_FOR_ENDED) or having  # before Keras 3
    fitting = [each for each in having if _has_wheel(case, each)]
    return fitting[-1] if fitting else having[-1]


def _has_wheel(case: Case, minor: str) -> bool:
    python = case.facts.interpreter.version
    return isinstance(python, Known) and python.value.feature in pythons_of(case, minor)


def pythons_of(case: Case, minor: str) -> list[str]:
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}.") and isinstance(row.python, Known):
            return [each.feature for each in row.python.value]
    return list(_BEFORE_THE_MATRIX.get(minor, ()))


def _newest_python(case: Case, minor: str) -> str:
    return max(pythons_of(case, minor), key=key, default="")


def _in(facts: Facts, minor: str) -> str:
    return f"tensorflow-{minor}\\Scripts\\python" if _windows(facts) else f"tensorflow-{minor}/bin/python"


def _windows(facts: Facts) -> bool:
    return value_or(facts.host.os, "") == "windows"


def _with_keras_3(case: Case, found: Misfit) -> tuple[Fix, ...]:
    """Keras 3 goes with TensorFlow 2.16 and newer alone."""
    facts, folder = case.facts, "keras-3"
    python, who = interpreter(facts), found.asker or "the program"
    inside = f"{folder}\\Scripts\\python" if _windows(facts) else f"{folder}/bin/python"
    needs = f" {found.asker}" if found.asker else ""
    gpu = " On Windows itself TensorFlow has no GPU after 2.10; WSL2 has." if _windows(facts) else ""
    new = fix(
        "use-package-with-keras-3",
        who=who,
        python=python,
        folder=folder,
        inside=inside,
        needs=needs,
        gpu=gpu,
    )
    if not found.asker:
        return (new, fix("rewrite-for-keras-2", called=found.name))
    without = fix("uninstall-package-for-keras-3", asker=found.asker, python=python)
    return (new, without) if found.asker == "keras-hub" else (new,)


def _of_own_code(case: Case, found: Misfit, *, saved: bool) -> tuple[Fix, ...]:
    if saved:  # the name stands in a file, and nobody can write another one there
        portable = fix("save-object-without-internal-modules")
        return tuple(filter(None, (_move_tensorflow(case, found), portable)))
    if special := elsewhere(case.facts, found):
        back = found.side == UNSURE and found.times.last == found.times.every[-1]
        old = (
            None if back else _move_tensorflow(case, found)
        )  # what came back under the name is another thing
        return tuple(filter(None, (old, special) if not special.commands else (special, old)))
    if line := public_line(found):
        there = line.removeprefix("from ").partition(" ")[0]
        taken = fix("import-public-names", there=there, line=line)
        return tuple(filter(None, (taken, _move_tensorflow(case, found))))
    public = public_name(found)
    renamed = (
        fix("replace-with-public-name", public=public, called=found.name, as_import=_as_import(found, public))
        if public
        else None
    )
    return tuple(filter(None, (renamed, _move_tensorflow(case, found)))) or (_LOOK,)


def _as_import(found: Misfit, name: str) -> str:
    """The program's own line with the public name, where the log shows that line."""
    if f"from {found.name} import " in found.source:
        return found.source.replace(found.name, name)
    module, _, last = name.rpartition(".")
    line = f"from {module} import {last}" if module else f"import {name}"
    old = found.name.rpartition(".")[2]
    plain = found.source.startswith("import ") or " as " in found.source
    return line if last == old or last[:1].isupper() or plain else f"{line} as {old}"


# A misfit as a finding: whose release is too new or too old for whose, and how the log shows it.

_OTHER_KERAS = ("keras", "tf-keras", "keras-hub", "keras-cv", "keras-nlp", "keras-tuner")


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the text is no such name, or the tables do not tell it."""
    return words_of_ending(case, told, at(told, saying)) if saying.name in NAMES else None


def words_of_ending(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    found = misfit(case, told, last)
    if found is None:
        return None
    code = (
        "keras-mismatch"
        if _of_keras(found)
        else "package-import-failed"
        if found.asker
        else "python-exception"
    )
    own = supported(told, found.asker)
    said = f" {found.asker} says itself that it supports TensorFlow {in_words(own)}." if own else ""
    return Candidate(code, Confidence.CERTAIN, (place(last),), _words(found) + said, title=_title(found))


def _of_keras(found: Misfit) -> bool:
    return (
        found.package == "keras" or found.asker in _OTHER_KERAS or found.name.startswith("tensorflow.keras.")
    )


def _title(found: Misfit) -> str:
    who, what = found.asker or "The program", found.name
    if found.keras_3:
        return f"{who} asks tf.keras for {what.removeprefix('tensorflow.keras.')}, which Keras 2 had: it is Keras 3 that is installed."
    if found.times.having == found.times.every:
        return f"{who} asks for {what}, which every {found.printed} since {found.times.since} has: the installed one is older."
    if found.side == NEWER and found.asker:
        return f"The installed {who} is too new for the installed {found.printed}: it asks for {what}, which {found.printed} has since {found.times.since}."
    if found.side == NEWER:
        return f"{who} asks for {what}, which {found.printed} has since {found.times.since}: the installed one is older."
    if found.side == OLDER and found.asker:
        return f"The installed {who} is too old for the installed {found.printed}: it asks for {what}, which {found.printed} removed in {_after(found.times)}."
    if found.side == OLDER and found.name.startswith(GONE_WITH_2):
        return f"{who} asks for {what}, which only TensorFlow 1 has: 2.0 left it out."
    if found.side == OLDER:
        return f"{who} asks for {what}, which {found.printed} removed in {_after(found.times)}."
    return f"{who} asks for {what}, which {found.printed} has in {spans(found.times)} alone: the two are of different times."


def _words(found: Misfit) -> str:
    has = f"{found.printed} has {found.name} in {spans(found.times)} (read in the published wheels)."
    seen = _seen(found)
    whose = (
        f"{found.asker} was not damaged, and neither was {found.printed}"
        if found.asker
        else "Nothing is damaged"
    )
    where = f" It asks in {found.frame}." if found.frame and not found.asker else ""
    return f"{has} {seen} {whose}: no reinstallation of the same releases helps.{where}"


def _seen(found: Misfit) -> str:
    if found.keras_3 and not found.present.told:
        return "The message itself names Keras 3, which comes with TensorFlow 2.16 and newer, or was installed over an older one's Keras."
    minors = found.present.minors
    one = minors[0] if minors[0] == minors[-1] else f"{minors[0]} to {minors[-1]}"
    if found.present.told:
        return f"The log names {found.printed} {one}."
    return f"By the Python, the files and the folders that the log shows, the installed one is of {one}."


def spans(there: Times) -> str:
    """ "2.5 and newer", "2.6 to 2.12", "1.15 to 2.12 and 2.16 and newer"."""
    runs: list[list[str]] = []
    for each in there.having:
        if runs and there.every.index(each) == there.every.index(runs[-1][1]) + 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    return ", and in ".join(_run(first, last, there) for first, last in runs)


def _run(first: str, last: str, there: Times) -> str:
    if last == there.every[-1]:
        return f"{first} and newer"
    if first == there.every[0]:
        return f"{last} and older"
    return first if first == last else f"{first} to {last}"


def _after(there: Times) -> str:
    return there.every[there.every.index(there.last) + 1]
