"""Triton, NVIDIA's server of models, where it finds no backend for a model, or no version of it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_BACKEND, _VERSION = "triton-no-backend", "triton-no-version"
_CODE = "python-exception"
_PLATFORMS = ("tensorflow_savedmodel", "tensorflow_graphdef")
"""Names that belong behind platform: in a model's configuration; the backend of both is named tensorflow (Triton's backend repository, "Backends")."""
_RULE = "A model's config.pbtxt names either a platform (tensorflow_savedmodel, tensorflow_graphdef) or a backend (tensorflow). Triton loads the backend from a folder of that name below /opt/tritonserver/backends."
_AS_BACKEND_TITLE = "Triton looks for a backend named {name}{of}: that is a platform's name, and the backend is named tensorflow."
_AS_BACKEND = f"{_RULE} Here the platform's name stands where the backend is named, so a library is looked for that does not exist."
_WITHOUT_TITLE = "This Triton server has no TensorFlow backend{of}."
_WITHOUT = f"{_RULE} This server has none for TensorFlow: it was built without, its image was made for other backends, or it is one of NVIDIA's newer images, which no longer hold it."
_OTHER_TITLE = "This Triton server has no backend {name}{of}."
_OTHER = f"{_RULE} It has none of the name that the configuration gives."
_NO_VERSION_TITLE = (
    "Triton finds no version of the model {model}: its folder holds no folder with a number as its name."
)
_NO_VERSION = (
    "Triton's repository has a folder for each model, and in it one for each version whose name is a whole number: word_count/1/model.savedmodel/saved_model.pb for a SavedModel, word_count/1/model.graphdef for "
    "a frozen graph. In this model's folder it sees none, or none that the version policy allows."
)
_CONFIGURED = Fix(
    "See what the models' configurations name, and which backends the server has. It changes nothing",
    ("grep -n -E 'platform|backend' model_repository/*/config.pbtxt", "ls /opt/tritonserver/backends"),
    "The second line in the server's container; model_repository is the folder behind --model-repository.",
)
_NAME_IT = Fix(
    "Name the platform in the model's config.pbtxt, and take the line with backend out",
    note='In your files: platform: "tensorflow_savedmodel" for a SavedModel, platform: "tensorflow_graphdef" for a frozen graph; or backend: "tensorflow" alone.',
)
_IMAGE = Fix(
    "Take an image of Triton that holds the TensorFlow backend. The command shows the backends of one",
    ("docker run --rm --entrypoint ls nvcr.io/nvidia/tritonserver:24.08-py3 /opt/tritonserver/backends",),
    "With a build of your own: ./build.py --backend=tensorflow …; the backend has to be of the server's own release.",
)
_NUMBERED = Fix(
    "Put the model into a numbered folder below its own, and start the server again",
    note="model_repository/my_model/1/model.savedmodel/saved_model.pb, with variables beside saved_model.pb. The name model.savedmodel is fixed.",
)
_LOOK = Fix("See what the server sees. It changes nothing", ("ls -R model_repository | head -n 30",))


_WITHOUT_GPU = "triton-without-gpu"
_NO_GPU_TITLE = (
    "Triton can't load the model {model}: it asks for a GPU, and the server has none that it may use."
)
_NO_GPU = (
    "A TensorRT model, and one whose config.pbtxt says KIND_GPU, runs on a GPU alone. The server sees none: mostly its container was started without one; a GPU below compute capability 6.0, a driver that does not answer and a "
    "variable that hides it look the same. Models of TensorFlow and ONNX without that line run on the processor, too."
)
GPU_FOR_TRITON = (
    Fix(
        "Start the server's container with a GPU. The command shows whether the host can give one",
        ("docker run --rm --gpus all ubuntu nvidia-smi",),
        "Then put --gpus all behind run in your own command; in Kubernetes a limit nvidia.com/gpu: 1.",
    ),
    Fix("Or let a model that is not TensorRT's run on the processor", note="In its config.pbtxt: instance_group [{ kind: KIND_CPU }]"),
)  # fmt: skip


def of_triton(saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name == _WITHOUT_GPU:
        model = saying.told.get("process") or saying.told.get("package", "")
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _NO_GPU, title=_NO_GPU_TITLE.format(model=model))  # fmt: skip
    if saying.name == _VERSION:
        return Candidate(_CODE, Confidence.LIKELY, (place(saying),), _NO_VERSION, title=_NO_VERSION_TITLE.format(model=saying.told["process"]))  # fmt: skip
    if saying.name != _BACKEND:
        return None
    name, model = _asked_for(saying)
    title, words = (
        (_AS_BACKEND_TITLE, _AS_BACKEND)
        if _is_misnamed(saying)
        else (_WITHOUT_TITLE, _WITHOUT)
        if name.startswith("tensorflow")
        else (_OTHER_TITLE, _OTHER)
    )
    of = f" for the model {model}" if model else ""
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), words, title=title.format(name=name, of=of))


def _asked_for(saying: Saying) -> tuple[str, str]:
    told = saying.told
    return (
        told.get("library") or told.get("value") or told.get("package") or told.get("wanted", ""),
        told.get("process") or told.get("file") or told.get("symbol", ""),
    )


def _is_misnamed(saying: Saying) -> bool:
    """A library was looked for by a platform's name; in the other texts the name stands where it belongs."""
    return saying.told.get("library", saying.told.get("value", "")) in _PLATFORMS


def triton_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where Triton is not what complains."""
    if told.named(_WITHOUT_GPU):
        return GPU_FOR_TRITON
    if told.named(_VERSION):
        return (_NUMBERED, _LOOK)
    if not (said := told.named(_BACKEND)):
        return ()
    return (_NAME_IT, _CONFIGURED) if _is_misnamed(said[0]) else (_CONFIGURED, _IMAGE)
