"""A GPU that a program asks for by its number, an operation that only a GPU has, and AMD's GPUs under another one's name."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpus.visible import list_fixes, refused_list
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_BY_NUMBER = ("ordinal-out-of-range", "visible-list-out-of-range", "ordinal-invalid")
_OF_XLA = "XLA_GPU"
_COUNTED = (
    "CUDA numbers the GPUs that a process sees from 0 on, and CUDA_VISIBLE_DEVICES, a scheduler or a container decide which it sees: with one visible GPU the only number is 0, "
    "whichever GPU of the machine that is."
)
_XLA = (
    " Here it is XLA, TensorFlow's compiler, that counts the GPUs by itself: also those that the program has left out (visible_device_list, set_visible_devices) and old ones that TensorFlow "
    "does not take. CUDA_VISIBLE_DEVICES leaves them out for both."
)
_TITLE = "The program asks for a GPU by a number that no GPU has in this process."
_LIST = fix("see-gpus-are-and-name-in")
_RANKS = fix("with-one-gpu-for-each-process")
_NUMBER = fix("or-correct-number-in-program-or")
OF_RAY = (
    fix("if-worker-shall-use-gpu-ask"),
    fix("see-how-many-gpus-ray-to"),
)


def by_number(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text, and where MIG, which has numbers of its own, shows."""
    if saying.name not in _BY_NUMBER or _has_mig(facts):
        return None
    if (refused := refused_list(told, saying)) is not None:
        return refused
    of_xla = _speaks_of_xla(told)
    words = f"{_COUNTED}{_XLA}" if of_xla or saying.name == "ordinal-out-of-range" else _COUNTED
    numbered = next((each for each in told.named(*_BY_NUMBER) if each.told.get("device")), None)
    title = _TITLE if numbered is None else _numbered(numbered)
    return Candidate("gpu-hidden", Confidence(saying.sure), (place(saying),), words, question(("gpu-hidden", "mig-misused"), "environment.variables"), title)  # fmt: skip


def _speaks_of_xla(told: Testimony) -> bool:
    return any(_OF_XLA in each.text for each in told.sayings) or any(
        _OF_XLA in each.what for each in told.endings
    )


def _numbered(saying: Saying) -> str:
    many = int(saying.told.get("number") or int(saying.told.get("limit", "0")) + 1)
    seen = "one GPU" if many == 1 else f"{many} GPUs" if many else "no GPU"
    return f"GPU {saying.told['device']} is asked for, and the process sees {seen}: the numbers count from 0."


def _has_mig(facts: Facts) -> bool:
    devices = facts.nvml.devices
    return isinstance(devices, Known) and any("MIG" in str(each) for each in devices.value)


def number_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no GPU was asked for by a wrong number."""
    return list_fixes(told) or ((_LIST, _RANKS, _NUMBER) if told.named(*_BY_NUMBER) else ())


_NO_CUDA = (
    "The operation {op} is made for NVIDIA's GPUs alone, and the message lists no kernel of it and no GPU. A TensorFlow with CUDA knows its kernels even where no GPU is found, so the one that runs here was "
    "built without CUDA: tensorflow-cpu, tensorflow on a system for which there is no GPU build, or a build of one's own."
)
_NO_CUDA_TITLE = (
    "This TensorFlow was built without CUDA, and the program asks for what only a GPU can do ({op})."
)


_NO_GPU = (
    "The operation {op} is made for NVIDIA's GPUs alone, and TensorFlow has no GPU in this process, so nothing can compute it. Why it has none, no line here says: mostly it did not find CUDA's libraries, or it is a "
    "build without CUDA. In Keras, LSTM and GRU compute on either; CuDNNLSTM and CuDNNGRU on a GPU alone."
)
_NO_GPU_TITLE = "The program asks for what only a GPU can do ({op}), and TensorFlow has no GPU here."


def without_cuda(told: Testimony, saying: Saying) -> Candidate | None:
    """An operation of CUDA without any kernel, in a process without any GPU: there is no CUDA in the build.

    NCCL's are missing in builds for Windows that have CUDA, too.
    """
    of_nccl = saying.name == "nccl-no-kernel"
    if not of_nccl and saying.name != "cuda-op-without-kernel":
        return None
    op, no_kernel, no_gpu = saying.told["op"], told.named("no-registered-kernels"), told.named("registered-devices-cpu")  # fmt: skip
    if no_kernel and (no_gpu or not of_nccl):
        return Candidate("tensorflow-cpu-only", Confidence.LIKELY, (place(saying),), _NO_CUDA.format(op=op), title=_NO_CUDA_TITLE.format(op=op))  # fmt: skip
    if of_nccl:
        return None
    opened = question(
        ("cuda-libraries-missing", "tensorflow-cpu-only", "gpu-hidden"), "cuda_libraries.libraries"
    )
    return Candidate("cuda-libraries-missing", Confidence.POSSIBLE, (place(saying),), _NO_GPU.format(op=op), opened, _NO_GPU_TITLE.format(op=op))  # fmt: skip


_FORM_OF_GPUS = (
    "TensorFlow has {op} in the form that the program asks for on GPUs alone (convolutions and their like in the layout NCHW are such forms), and no GPU is registered in this process: the message lists the devices. "
    "Why there is none, no line here says: mostly TensorFlow did not find CUDA's libraries, or it is a build without CUDA."
)
_FORM_OF_GPUS_TITLE = (
    "The program asks for {op} in a form that only GPUs compute, and TensorFlow has no GPU here."
)


def without_a_gpu_for_it(told: Testimony) -> Candidate | None:
    """An operation that has kernels for GPUs, and none that fits for the devices that are there: processors."""
    said, no_gpu = told.named("op-without-kernel"), told.named("registered-devices-cpu")
    if not (said and no_gpu and told.named("kernel-of-gpus")) or told.named(
        "cuda-op-without-kernel", "nccl-no-kernel"
    ):
        return None
    op = said[-1].told["op"]
    opened = question(
        ("cuda-libraries-missing", "tensorflow-cpu-only", "gpu-hidden"), "cuda_libraries.libraries"
    )
    return Candidate("cuda-libraries-missing", Confidence.POSSIBLE, (place(said[-1]),), _FORM_OF_GPUS.format(op=op), opened, _FORM_OF_GPUS_TITLE.format(op=op))  # fmt: skip


_ASK = (
    fix("see-whether-driver-shows-gpu-where"),
    fix("have-tensorflow-itself-say-whether-cuda"),
    fix("without-gpu-ask-for-what-processor"),
)  # fmt: skip


def gpu_kernel_fixes(told: Testimony) -> tuple[Fix, ...]:
    """Why there is no GPU has to be found first: no release and no system is known that could be changed."""
    said = told.named("op-without-kernel", "cuda-op-without-kernel")
    others = [each for each in told.of("cuda-libraries-missing") if each.role == "cause"]
    return _ASK if said and told.named("registered-devices-cpu") and not others else ()


_OVERRIDDEN = (
    "HSA_OVERRIDE_GFX_VERSION={value} makes ROCm take this GPU for one of another architecture and run that one's code on it. Where the two are not close enough, that code reads memory that is not there, and "
    "the driver stops the program. ROCm holds no code of this GPU's own."
)
_OVERRIDDEN_TITLE = (
    "The AMD GPU runs another one's code (HSA_OVERRIDE_GFX_VERSION), and that code failed on it."
)
_FAULT = "A kernel on the AMD GPU used memory that is not its own, and the driver stopped the program. Mostly this ROCm holds no code that fits the GPU, or the driver (amdgpu) and ROCm are of different releases; a fault of the GPU looks the same."
_FAULT_TITLE = "A kernel on the AMD GPU used memory that is not its own."


def of_rocm(told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text than ROCm's memory fault."""
    if saying.name != "rocm-memory-fault":
        return None
    override = told.named("hsa-override")
    if override:
        words = _OVERRIDDEN.format(value=override[-1].told["value"])
        return Candidate("rocm-gpu-unsupported", Confidence.LIKELY, (place(saying),), words, title=_OVERRIDDEN_TITLE)  # fmt: skip
    opened = question(("rocm-gpu-unsupported", "gpu-hardware-fault"), "driver.devices")
    return Candidate("rocm-gpu-unsupported", Confidence.POSSIBLE, (place(saying),), _FAULT, opened, _FAULT_TITLE)  # fmt: skip


def rocm_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no other architecture was named for the GPU."""
    if not (told.named("rocm-memory-fault") and told.named("hsa-override")):
        return ()
    return (
        fix("see-architecture-gpu-and-take-other"),
        fix("compute-on-processor-2"),
    )  # fmt: skip
