"""Why the GPU is not used, by the driver's answer: the table of `check`, and what a log can tell beside it."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.judge.log.candidate import Candidate, one_of, question
from tfdoctor.judge.log.containers import NO_LIBCUDA, UTILITY, granted, hidden_by, of_amd
from tfdoctor.judge.log.fitting import ray_hides
from tfdoctor.judge.log.gpus import of_another_maker
from tfdoctor.judge.log.libraries import LINKED_DRIVER, linked_with_the_driver
from tfdoctor.judge.log.no_gpu_listed import without_a_gpu
from tfdoctor.judge.log.spans import shown, shows_a_driver, shows_a_gpu
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.questions.driver_codes import cuda_meaning
from tfdoctor.judge.questions.versions_match import differ
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.driver_errors import STUB_LIBRARY
from tfdoctor.knowledge.model import Confidence

_OF_RAY = "Ray gave this worker no GPU: it did not ask for one."
_MODULE = "module-not-running"
_STUB = "cuinit-stub"
_STUB_TITLE = "TensorFlow loaded CUDA's stub libcuda instead of the driver's library."
_STUB_WORDS = "cuInit returned {number}, as a CUDA toolkit's stub does (-1 before 11.1, 34 since). Images and toolkits contain it in a directory named stubs, for linking; it is loaded when the driver's libcuda.so.1 is not found first. TensorFlow runs on the CPU."
_STUB_ALONE_TITLE = "This process found no NVIDIA driver: no kernel module, and only a stub of its library."
_STUB_ALONE = "cuInit returned {number}, as a stub does: a file in GPU images that is only for linking. The Linux kernel has no NVIDIA module, either, so the machine has no NVIDIA GPU, or none was passed through. TensorFlow runs on the CPU; if you want that, nothing is wrong."
_NOT_LOADED_TITLE = "The driver found no GPU, and its kernel module is not loaded."
_NOT_LOADED = "The driver's library lists no GPU, and its kernel module is not loaded. Without an NVIDIA GPU (a cloud image with the driver, for instance) nothing is wrong; with one, the module must be loaded. TensorFlow runs on the CPU."
_UNKNOWN_ERROR = 999
_AS_ROOT_TITLE = "The driver works for root but not for this user: the GPU's device files are missing."
_AS_ROOT = "cuInit returned 999 (unknown error), and the log shows that it works with sudo, so the driver is OK. A user needs /dev/nvidia0, /dev/nvidiactl, and /dev/nvidia-uvm with permission to open them; root creates missing ones. TensorFlow runs on the CPU."
_TOOLKIT = "/cuda"
"""Behind the word LD_LIBRARY_PATH: it names a toolkit. TensorFlow's own files are in a folder of that name, too."""
_NO_DRIVER_TITLE = "This process found no NVIDIA driver (libcuda.so.1): no NVIDIA GPU, or the driver is missing or not on the library path."
_WITH_TOOLKIT_TITLE = (
    "This process found a CUDA toolkit on its library path, but not NVIDIA's driver library (libcuda.so.1)."
)
_WITH_TOOLKIT = "The CUDA toolkit does not include libcuda.so.1; the NVIDIA driver does, and this process did not find it. Usually the driver is not installed; otherwise its directory is not on the library path. TensorFlow runs on the CPU."
_IN_A_BOX = "NVIDIA's driver library is not in this container or job. The host provides it if the container is started with a GPU. Without it TensorFlow runs on the CPU (tensorflow-gpu up to 1.13 can't be imported). The log does not show whether the host has a driver."
_IN_A_BOX_TITLE = (
    "No NVIDIA driver found in this container or job: it was started without a GPU, or its host has none."
)
_NO_DEVICE_IN_A_BOX_TITLE = (
    "The driver lists no GPU in this container or job: it was started without one, or a variable hides it."
)
_WITHOUT_COMPUTE_TITLE = (
    "The container got only the driver's utility part (nvidia-smi), not compute, which contains libcuda."
)
_WITHOUT_COMPUTE = "The NVIDIA Container Toolkit passes the driver in parts: utility is nvidia-smi, compute is libcuda. This container requested only some parts, so nvidia-smi works, but TensorFlow finds no driver and runs on the CPU."
_NOT_HANDED_IN = "The host's driver works, but its library libcuda.so.1 is not in the container. It is passed only if the start requests a GPU: --nv for Apptainer and Singularity, --gpus for Docker, a limit nvidia.com/gpu for a pod. TensorFlow runs on the CPU."
_NO_DEVICE_TITLE = "The driver works but offers this process no GPU."
_NO_DEVICE = "The driver's library lists no GPU. The container, pod, or job was started without one, a variable such as CUDA_VISIBLE_DEVICES hides them, or the machine has none; the log does not show which. TensorFlow runs on the CPU."
_NO_DEVICE_IN_A_BOX = "The driver's library lists no GPU. A container or job sees only the GPUs it gets at its start, and a variable such as CUDA_VISIBLE_DEVICES can hide those. The log does not show whether the machine has one. TensorFlow runs on the CPU."
_ASKED_IN_VAIN_TITLE = "The container was started with a GPU, but the driver lists none."
_ASKED_IN_VAIN = "The container's start requested a GPU, and the driver's library is in it, but lists no GPU. A variable hides them (CUDA_VISIBLE_DEVICES, NVIDIA_VISIBLE_DEVICES), the device files are missing, or the host has none. TensorFlow runs on the CPU."
_GRANTED_TITLE = "The Slurm job was granted a GPU, but the driver lists none for this process."
_GRANTED = "Slurm gave the job a GPU, and the driver's library is there but lists none. A step inside the job that requests no GPU gets none, a variable hides it (CUDA_VISIBLE_DEVICES), or the node's GPU does not work. TensorFlow runs on the CPU."
_GRANTED_NO_DRIVER_TITLE = (
    "The Slurm job was granted a GPU, but its node has no NVIDIA driver where programs look for it."
)
_GRANTED_NO_DRIVER = "Slurm gave the job a GPU, so the node should have the driver's libcuda.so.1; this process did not find it. Tell the cluster's administrators which node it was. TensorFlow runs on the CPU."
_AMD_TITLE = "The GPU is from AMD, but this TensorFlow is built for NVIDIA's CUDA."
_AMD = "The log shows an AMD GPU, but this TensorFlow needs NVIDIA's CUDA driver. A CUDA build can't use an AMD GPU and runs on the CPU. AMD publishes its own builds and images for ROCm."


def is_answer(saying: Saying) -> bool:
    """A line whose meaning hangs on the rest of the log: it is weighed here and not by itself."""
    return saying.name.startswith("cuinit-") or saying.name in (*NO_LIBCUDA, _MODULE)


def driver_answer(facts: Facts, told: Testimony) -> Candidate | None:
    """What cuInit's answer, or a libcuda that can't be loaded, means with all else that the log tells."""
    code = facts.driver.init_code
    places = tuple(place(each) for each in told.sayings if is_answer(each))
    if isinstance(code, Known) and code.value:
        return _answered(facts, told, code.value, places)
    if told.named(_STUB):
        return _stub(facts, told, places, -1)
    if told.named(*NO_LIBCUDA):
        return _no_libcuda(facts, told, places)
    if differ(facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    return _module_not_running(facts, places) if told.named(_MODULE) else None


def _answered(facts: Facts, told: Testimony, number: int, places: tuple[Place, ...]) -> Candidate:
    if number == 100:
        return _no_device(facts, told, places)
    if number == STUB_LIBRARY and not isinstance(facts.host.wsl, Known):
        return _stub(facts, told, places, number)
    if (other := of_another_maker(facts, places)) is not None:
        return other
    if number == _UNKNOWN_ERROR and shown(facts).as_root:
        return Candidate("gpu-device-permission", Confidence.LIKELY, places, _AS_ROOT, title=_AS_ROOT_TITLE)
    meaning, why = cuda_meaning(number, facts)
    if CODES[meaning].family == "smoke":  # no row of the table fits: what the words themselves mean
        said = next((each for each in told.sayings if each.code and "cuInit" in each.text), None)
        code = said.code if said is not None else "driver-unresponsive"
        return Candidate(code, Confidence.POSSIBLE if said is None else Confidence(said.sure), places)
    known = isinstance(facts.driver.module_version, Known) and isinstance(facts.driver.library, Known)
    opened = None
    if number in (803, 804, 999) and not known and not differ(facts):
        opened = question((meaning, "driver-versions-differ"), "driver.module_version")
    sure = Confidence.LIKELY if opened else Confidence.CERTAIN
    return Candidate(meaning, sure, places, f"The driver answered {number}: {why}.", open=opened)


def _stub(facts: Facts, told: Testimony, places: tuple[Place, ...], number: int) -> Candidate:
    """The toolkit's stub in place of the driver's library: in a container mostly because no GPU was handed in."""
    asked = shown(facts).asked and not told.named(
        "no-device-file"
    )  # in vain: the container has no device of a GPU
    boxed = isinstance(facts.host.container, Known) and not asked and not told.named("stubs-on-the-path")
    if told.named(_MODULE) and not boxed and not asked and not _named(facts):
        return one_of(
            ("gpu-absent", "container-without-gpu", "driver-missing"),
            "host.gpus_on_bus",
            places,
            _STUB_ALONE.format(number=number),
            _STUB_ALONE_TITLE,
        )
    codes = (
        ("container-without-gpu", "driver-library-unreachable")
        if boxed
        else ("driver-library-unreachable", "driver-missing")
    )
    return Candidate(
        codes[0], Confidence.LIKELY, places, _STUB_WORDS.format(number=number),
        question(codes, "driver.library"), _STUB_TITLE,
    )  # fmt: skip


def _named(facts: Facts) -> bool:
    """The log names a GPU of this machine."""
    known = shows_a_gpu(facts) or isinstance(facts.driver.module_version, Known)
    return known or shown(facts).own_gpu or bool(shown(facts).cards)


def _no_device(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """ "No device": hidden, not handed in, or none there. What the text shows decides."""
    if differ(facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    hidden = [each for each in told.of("gpu-hidden") if not is_answer(each)]
    if hidden:
        return Candidate("gpu-hidden", Confidence.CERTAIN, (*map(place, hidden), *places))
    if ray_hides(told):
        words = "Ray shows each worker only the GPUs it requested. This one requested none, so it runs on the CPU."
        return Candidate("gpu-hidden", Confidence.LIKELY, places, words, title=_OF_RAY)
    if of_amd(told):
        return Candidate("gpu-absent", Confidence.LIKELY, places, _AMD, title=_AMD_TITLE)
    if (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if (boxed := _no_device_in_a_box(facts, places)) is not None:
        return boxed
    if told.named(_MODULE):
        return _module_not_running(facts, places, _NOT_LOADED, _NOT_LOADED_TITLE)
    if shown := hidden_by(told):
        return Candidate("gpu-hidden", Confidence.LIKELY, (*map(place, shown), *places))
    opened = question(
        ("gpu-hidden", "container-without-gpu", "gpu-absent", "mig-misused"), "environment.variables"
    )
    sure = Confidence.LIKELY if isinstance(facts.driver.module_version, Known) else Confidence.POSSIBLE
    return Candidate("gpu-hidden", sure, places, _NO_DEVICE, open=opened, title=_NO_DEVICE_TITLE)


def _no_device_in_a_box(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """In a container or a scheduler's job; None outside of both."""
    if granted(facts):
        opened = question(("gpu-hidden", "mig-misused"), "environment.variables")
        return Candidate("gpu-hidden", Confidence.POSSIBLE, places, _GRANTED, opened, _GRANTED_TITLE)
    if not isinstance(facts.host.container, Known) and not isinstance(facts.host.scheduler, Known):
        return None
    if shown(facts).asked:
        opened = question(("gpu-hidden", "container-without-gpu", "mig-misused"), "environment.variables")
        return Candidate(
            "gpu-hidden", Confidence.POSSIBLE, places, _ASKED_IN_VAIN, opened, _ASKED_IN_VAIN_TITLE
        )
    opened = question(("container-without-gpu", "gpu-hidden"), "environment.variables")
    return Candidate(
        "container-without-gpu", Confidence.LIKELY, places, _NO_DEVICE_IN_A_BOX, opened, _NO_DEVICE_IN_A_BOX_TITLE
    )  # fmt: skip


def _module_not_running(
    facts: Facts, places: tuple[Place, ...], words: str = "", title: str = ""
) -> Candidate:
    if (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if isinstance(facts.host.container, Known):
        return one_of(("container-without-gpu", "driver-module-not-loaded"), "host.gpus_on_bus", places)
    return one_of(
        ("driver-module-not-loaded", "driver-missing", "gpu-absent"), "host.gpus_on_bus", places, words, title
    )


def _started_without(facts: Facts) -> bool:
    """A container sees the host's kernel module in any case; the driver's library comes in where its start asks for a GPU."""
    boxed = isinstance(facts.host.container, Known)
    return boxed and not shown(facts).asked and not isinstance(facts.nvml.driver_version, Known)


def _no_libcuda(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """libcuda can't be loaded. Alone: a machine without a GPU. A driver, a GPU or a container in the text says otherwise."""
    if isinstance(facts.host.wsl, Known):
        return one_of(("wsl-driver-shadowed", "driver-missing"), "driver.library", places)
    runs = shows_a_driver(facts)
    if not runs and (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if runs and _started_without(facts):
        return Candidate("container-without-gpu", Confidence.LIKELY, places, _NOT_HANDED_IN)
    if runs:
        return one_of(("driver-library-unreachable", "driver-missing"), "driver.library", places)
    if told.named(UTILITY):
        return Candidate("container-without-gpu", Confidence.LIKELY, places, _WITHOUT_COMPUTE, title=_WITHOUT_COMPUTE_TITLE)  # fmt: skip
    if isinstance(facts.host.container, Known):
        return one_of(
            ("container-without-gpu", "gpu-absent"), "host.gpus_on_bus", places, _IN_A_BOX, _IN_A_BOX_TITLE
        )
    return _no_driver(facts, told, places)


def _no_driver(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """libcuda can't be loaded on a machine of which nothing shows a driver."""
    if of_amd(told):
        return Candidate("gpu-absent", Confidence.LIKELY, places, _AMD, title=_AMD_TITLE)
    if linked_with_the_driver(told):
        return Candidate("driver-missing", Confidence.LIKELY, places, LINKED_DRIVER, title=_NO_DRIVER_TITLE)
    if granted(facts):
        opened = question(("driver-missing", "driver-library-unreachable"), "driver.library")
        return Candidate(
            "driver-missing", Confidence.LIKELY, places, _GRANTED_NO_DRIVER, opened, _GRANTED_NO_DRIVER_TITLE
        )
    if shows_a_gpu(facts):
        return one_of(("driver-missing", "driver-library-unreachable"), "driver.library", places)
    if isinstance(facts.host.gpus_on_bus, Absent):
        return Candidate("gpu-absent", Confidence.CERTAIN, places)
    opened = question(
        ("gpu-absent", "driver-missing", "driver-library-unreachable", "container-without-gpu"),
        "host.gpus_on_bus",
    )
    if any(_TOOLKIT in each.text.partition("LD_LIBRARY_PATH")[2] for each in told.named(*NO_LIBCUDA)):
        return Candidate(
            "driver-missing", Confidence.LIKELY, places, _WITH_TOOLKIT, open=opened, title=_WITH_TOOLKIT_TITLE
        )
    return Candidate("gpu-absent", Confidence.LIKELY, places, open=opened, title=_title_there(told))


def _title_there(told: Testimony) -> str:
    """With the name that the driver's library has on that system."""
    windows = any("nvcuda.dll" in each.text for each in told.named(*NO_LIBCUDA))
    return _NO_DRIVER_TITLE.replace("libcuda.so.1", "nvcuda.dll") if windows else _NO_DRIVER_TITLE
