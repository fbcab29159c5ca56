"""What a certain text means and what helps, where that is narrower than what its code's page has to say."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.meaning import PYTHON as _PYTHON
from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.checks.log.ways.memory_told import OF_MEMORY
from tfdoctor.checks.log.ways.notebooks import OF_NOTEBOOKS
from tfdoctor.checks.log.ways.workers import OF_WORKERS
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

_LOCKED = Meaning(
    "HDF5 could not lock the file. Errno 11 or 35: another process has it open, mostly a second worker that saves or reads the same "
    "file. Errno 37, 38, 95 or 524: the file system (NFS, Lustre) gives no locks.",
)
_CUDNN = Meaning(
    "cuDNN failed while it computed on the GPU and does not say of what. Too little memory left for its workspace, a batch or a "
    "sequence that this cuDNN can't compute (a sequence of length zero among them), and a kernel that failed before it all end so.",
    (
        Fix(
            "Let TensorFlow take memory as it needs it, so that some is left for cuDNN; it changes nothing else",
            ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
        ),
        Fix("Try half the batch, and look for sequences of length zero"),
        Fix(
            "Have the failing operation named",
            ("CUDA_LAUNCH_BLOCKING=1 python train.py 2>&1 | tee run.log", "tfdoctor diagnose run.log"),
        ),
    ),
)

_TIMEOUT = Meaning(
    "The GPU also draws a display, and its driver ends any kernel that keeps the display waiting: a watchdog, on Windows after two "
    "seconds (TDR), under X after a few. The kernel itself may be sound and only slow.",
    (
        Fix(
            "Windows: let the display wait for a minute, in a prompt of the administrator, and restart the machine",
            (
                r"reg add HKLM\SYSTEM\CurrentControlSet\Control\GraphicsDrivers /v TdrDelay /t REG_DWORD /d 60 /f",
            ),
        ),
        Fix("Or let each step do less: a smaller batch, smaller images"),
        Fix("Or connect the display to another GPU, and compute on the one without"),
    ),
)
_MEMLOCK = Meaning(
    "NCCL could not set up InfiniBand: its card has to lock memory, and the limit for that is mostly too small inside a job or a "
    "container, also where the same user's shell on the node has none.",
    (
        Fix("See the limit inside the job or container; it should say unlimited", ("ulimit -l",)),
        Fix(
            "In a container, start it without that limit",
            ("docker run --rm --gpus all --ulimit memlock=-1 ubuntu bash -c 'ulimit -l'",),
        ),
        Fix(
            "Under Slurm, have its daemon pass none on: LimitMEMLOCK=infinity in slurmd's unit, on each node",
            ("sudo systemctl edit slurmd", "sudo systemctl restart slurmd"),
        ),
        Fix(
            "Without those rights, on one node: go without InfiniBand",
            ("export NCCL_IB_DISABLE=1",),
        ),
    ),
)
_NO_DNN = Meaning(
    "A layer that only cuDNN computes on the GPU (LSTM, GRU, mostly) found no cuDNN that works. The exception does not say why; "
    "TensorFlow wrote that into its own log shortly before: a cuDNN that is older than the one that it was built with, a library that "
    "is not found, or no GPU memory that is left for cuDNN.",
    (
        Fix(
            "Read the reason: run it as a script, and look at the lines that name cuDNN",
            ('python train.py 2>&1 | grep -i -E "cudnn|dnn|memory"',),
            "A notebook does not show these lines in its cell: Jupyter writes them into its terminal, Colab into /var/log/colab-jupyter.log.",
        ),
        Fix("See whether others hold the GPU's memory. It changes nothing", ("nvidia-smi",)),
        Fix(
            "Without the reason, the fastest test is the layer without cuDNN",
            note="In your files: recurrent_dropout=1e-6 in LSTM or GRU takes TensorFlow's own kernels, slower; if that runs, cuDNN it is.",
        ),
    ),
)
_NO_XLA = Meaning(
    "XLA is TensorFlow's compiler, and a build holds it only for the devices that were chosen when it was made: TensorFlow Serving's images, for "
    "instance, have none for GPUs in many releases. The GPU itself works without XLA.",
    (
        Fix(
            "Switch XLA off where the model or the program asks for it, and save the model again",
            note="Where the model is made: jit_compile=False in tf.function and model.compile, then export the model once more.",
        ),
        Fix("And take away what asks for it everywhere", ("unset TF_XLA_FLAGS",)),
    ),
)
_CUBLAS = Meaning(
    "cuBLAS failed while it computed on the GPU and does not say of what. A GPU that is newer than this CUDA, memory that somebody else "
    "holds, libraries of two CUDA releases side by side, and a kernel that failed before it all end so.",
    (
        Fix(
            "See whether another program holds the GPU's memory. It changes nothing",
            ("nvidia-smi",),
            "Its first line also shows the GPU and the newest CUDA that the driver runs.",
        ),
        Fix(
            "Let TensorFlow take memory as it needs it, so that some is left for cuBLAS; it changes nothing else",
            ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
        ),
        Fix(
            "Have the failing operation named",
            ("CUDA_LAUNCH_BLOCKING=1 python train.py 2>&1 | tee run.log", "tfdoctor diagnose run.log"),
        ),
    ),
)
_REFUSED_PTXAS = Meaning(
    "XLA, TensorFlow's compiler, hands its code to NVIDIA's assembler ptxas, and refuses versions that are known to make wrong code. The one that "
    "it found first is such a version: mostly of another CUDA on PATH, of a module or of a conda environment. Another version takes its place.",
    (
        Fix(
            "Install a newer assembler into the environment, and lead this shell to it",
            (
                f"{_PYTHON} -m pip install 'nvidia-cuda-nvcc-cu12>=12.4,<13'",
                "export PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc/bin:$PATH",
                "export XLA_FLAGS=--xla_gpu_cuda_data_dir=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc",
            ),
            "For a notebook both variables have to be set where Jupyter is started, or in the env of its kernelspec.",
        ),
        Fix(
            "See which one is found, and take the folder of the refused one off PATH",
            ("which -a ptxas", "ptxas --version"),
        ),
    ),
)

MEANINGS: Mapping[str, Meaning] = {
    **OF_MEMORY,
    **OF_NOTEBOOKS,
    **OF_WORKERS,
    "hdf5-lock": _LOCKED,
    "launch-timeout-name": _TIMEOUT,
    "launch-timeout-words": _TIMEOUT,
    "nccl-ib-memory": _MEMLOCK,
    "hdf5-lock-synchronously": _LOCKED,
    "cudnn-execution-failed": _CUDNN,
    "cudnn-rnn-failed": _CUDNN,
    "cudnn-internal-error": _CUDNN,
    "cublas-run-failed": _CUBLAS,
    "gemm-launch-failed": _CUBLAS,
    "ptxas-refused": _REFUSED_PTXAS,
    "dnn-implementation": _NO_DNN,
    "xla-no-compiler": _NO_XLA,
}
"""By the signature's name."""


def words_of(name: str) -> str:
    return MEANINGS[name].words if name in MEANINGS else ""


def fixes_of(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Those of the text that proves most of the code; () where the page's are meant."""
    surest = min(told.of(code), key=lambda each: Confidence(each.sure).rank, default=None)
    found = MEANINGS[surest.name].fixes if surest is not None and surest.name in MEANINGS else ()
    python = interpreter(facts)
    return tuple(
        replace(each, commands=tuple(line.replace(_PYTHON, python) for line in each.commands))
        for each in found
    )
