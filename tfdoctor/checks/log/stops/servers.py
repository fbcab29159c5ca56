"""Containers that do not start, and servers of models that find none: what their words mean, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.light.expressions import Expression  # reads no log: a path that a saying names

_FOLDERS = Fix(
    "Look, where the server runs, at what is below the base path: there has to be a folder named by a number, and saved_model.pb in it",
    ("docker run --rm --entrypoint ls -v \"$PWD/my_model\":/models/my_model tensorflow/serving -lR /models",),
    "In place of $PWD/my_model the folder that you mount; it has to be a full path, for Docker makes an empty folder of one that is not there.",
)  # fmt: skip
_NUMBERED = Fix(
    "Put the model into a numbered folder, and name the folder above it to the server",
    note="my_model/1/saved_model.pb and my_model/1/variables/; the base path is my_model. Names such as v1, 0.1 or latest are not taken. In your files: tf.saved_model.save(model, \"my_model/1\"), or model.export(\"my_model/1\").",
)  # fmt: skip
_START = Fix(
    "Start the server with the folder mounted where it looks for it, and the same name",
    ("docker run --rm -p 8501:8501 -v \"$PWD/my_model\":/models/my_model -e MODEL_NAME=my_model tensorflow/serving",),
)  # fmt: skip
_TOO_LARGE = Meaning(
    "gRPC takes messages of up to 4 MiB by itself, and this one was larger: a batch of pictures, for instance. The model has no part in that.",
    (
        Fix(
            "Let the one who receives it take larger messages: the client for answers, the server for requests",
            note='In your files (client): grpc.insecure_channel(target, options=[("grpc.max_receive_message_length", 64 * 1024 * 1024), ("grpc.max_send_message_length", 64 * 1024 * 1024)]).',
        ),
        Fix("Or send less at once: a smaller batch, or pictures as JPEG bytes that the model decodes"),
    ),
)  # fmt: skip
_CGROUPS = Meaning(
    "The system uses the second version of cgroups alone, which NVIDIA's container library knows from 1.8 on. An older one looks for the first version, and no container with a GPU starts.",
    (
        Fix(
            "Update the toolkit, and restart Docker",
            ("sudo apt-get install --only-upgrade --yes nvidia-container-toolkit libnvidia-container1", "sudo systemctl restart docker"),
        ),
        Fix(
            "Until then, keep it away from the cgroups, and hand the devices in by hand",
            ("sudo sed -i 's/^#\\?no-cgroups.*/no-cgroups = true/' /etc/nvidia-container-runtime/config.toml", "docker run --rm --gpus all --device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm ubuntu nvidia-smi"),
        ),
    ),
)  # fmt: skip
_FILE_EXISTS = Meaning(
    "The NVIDIA Container Toolkit mounts the host's driver libraries over the image when a container starts, and one of these files is in the image already: the driver was installed while the image was "
    "made, or the image was saved from a running container with a GPU (docker commit). A driver does not belong into an image.",
    (
        Fix(
            "Take the driver's files out of the image: these lines at the end of its Dockerfile, then build it again",
            note="RUN rm -f /usr/lib/x86_64-linux-gnu/libnvidia-*.so.* /usr/lib/x86_64-linux-gnu/libcuda.so.* /usr/bin/nvidia-smi. And install no package named nvidia-driver-… or libnvidia-… there.",
        ),
        Fix("See whether the host and its toolkit are fine: an image without a driver has to start", ("docker run --rm --gpus all ubuntu nvidia-smi",)),
    ),
)  # fmt: skip
_LDCACHE = Meaning(
    "The NVIDIA Container Toolkit has the host's ldconfig write the list of libraries for the container, and could not run it: its configuration names another path than this system has, or the image "
    "is one that can't be written into.",
    (
        Fix(
            "See where the system has it, and write that path into the line that begins with ldconfig",
            (
                "ls -l /sbin/ldconfig /sbin/ldconfig.real",
                "grep ldconfig /etc/nvidia-container-runtime/config.toml",
            ),
            'Ubuntu has /sbin/ldconfig.real, others /sbin/ldconfig: ldconfig = "@/sbin/ldconfig".',
        ),
        Fix("Then restart Docker", ("sudo systemctl restart docker",)),
    ),
)
_NO_PROGRAM = Meaning(
    "The container was made, and the program that it should start is in none of its folders for programs: the image does not have it, it has another name there (python3 for python), or an option of docker "
    "run stands behind the image's name and was taken for the program.",
    (
        Fix("Look what the image has under that name. It changes nothing", ("docker run --rm --entrypoint sh tensorflow/tensorflow:latest-gpu -c 'ls /usr/bin /usr/local/bin | grep -i python'",), "Put your image and your program in their places."),
        Fix("See that all options of docker run stand before the image's name, and the program behind it", note="docker run OPTIONS IMAGE PROGRAM ARGUMENTS"),
    ),
)  # fmt: skip

OF_SERVERS: Mapping[str, Meaning] = {
    "serving-no-version": Meaning("", (_NUMBERED, _FOLDERS, _START)),
    "serving-no-base-path": Meaning("", (_FOLDERS, _NUMBERED, _START)),
    "grpc-message-too-large": _TOO_LARGE,
    "toolkit-cgroups": _CGROUPS,
    "toolkit-file-exists": _FILE_EXISTS,
    "toolkit-ldcache": _LDCACHE,
    "container-program-missing": _NO_PROGRAM,
}
"""By the signature's name."""
_OF_SERVING = ("serving-no-version", "serving-no-base-path")
_RULE = "TensorFlow Serving takes a base path and looks in it for folders whose names are whole numbers, one for each version of the model; the saved model is in them."


_INSIDE = Expression(r"^(?P<base>.{1,300}?/[^/]{1,100})/\d{1,12}(?:/(?:variables|assets))?/?$")
"""A path that leads into a version, or into what lies in it."""


def _above(path: str) -> str:
    """The base path that was meant; "" for a path that leads into no version."""
    found = _INSIDE.compiled.match(path)
    return found["base"] if found else ""


def base_path_fixes(told: Testimony) -> tuple[Fix, ...]:
    """The right base path, where what was named lies below it; else ()."""
    said = next((each for each in told.named(*_OF_SERVING) if _above(each.told["file"].rstrip("."))), None)
    if said is None:
        return ()
    base, model = _above(said.told["file"].rstrip(".")), said.told["process"]
    return (
        Fix(
            "Name the folder above the number as base path",
            (
                quoted(
                    "tensorflow_model_server",
                    "--rest_api_port=8501",
                    f"--model_name={model}",
                    f"--model_base_path={base}",
                ),
            ),
            "In a container, mount that folder: -v FOLDER:/models/NAME, with the numbered folder inside of it.",
        ),
        _FOLDERS,
    )


def served(saying: Saying) -> Candidate | None:
    """What TensorFlow Serving says of the folder that it was given; None for any other text."""
    if saying.name not in _OF_SERVING:
        return None
    path, model = saying.told["file"].rstrip("."), saying.told["process"]
    if above := _above(path):
        title = f"TensorFlow Serving was given a folder inside of a version of the model {model}: the base path is {above}."
        words = f"{_RULE} {path} leads into a version itself, or below it, where no numbered folder is. The base path is the folder above the number."
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)
    if saying.name == "serving-no-version":
        title = f"TensorFlow Serving finds no version of the model {model}: no folder with a number as its name is in {path}."
        words = f"{_RULE} In {path} it sees none, so it waits and asks again, and answers no request. Either the model is one folder too high, or what was mounted there is empty."
    else:
        title = f"TensorFlow Serving can't open the folder of the model {model}: {path}."
        words = f"{_RULE} There is no folder at {path} where the server runs: it names a file, it is mounted elsewhere in the container, or it is another machine's path."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)
