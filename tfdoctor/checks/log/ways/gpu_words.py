"""What texts about GPUs and their libraries mean and what helps, where that is narrower than what their codes' pages have to say."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

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
_READ_THE_REASON = Fix(
    "Read the reason: run it as a script, and look at the lines that name cuDNN",
    ('python train.py 2>&1 | grep -i -E "cudnn|dnn|memory"',),
    "A notebook does not show these lines in its cell: Jupyter writes them into its terminal, Colab into /var/log/colab-jupyter.log.",
)
_NO_DNN = Meaning(
    "A layer that only cuDNN computes on the GPU (LSTM, GRU, mostly) found no cuDNN that works. The exception does not say why; "
    "TensorFlow wrote that into its own log shortly before: a cuDNN that is older than the one that it was built with, a library that "
    "is not found, or no GPU memory that is left for cuDNN.",
    (
        _READ_THE_REASON,
        Fix("See whether others hold the GPU's memory. It changes nothing", ("nvidia-smi",)),
        Fix(
            "Without the reason, the fastest test is the layer without cuDNN",
            note="In your files: recurrent_dropout=1e-6 in LSTM or GRU takes TensorFlow's own kernels, slower; if that runs, cuDNN it is.",
        ),
    ),
)
_DNN_LACKING = Meaning(
    "At the first convolution TensorFlow had no cuDNN, NVIDIA's library for neural networks, that it can work with. The exception does not say why; TensorFlow wrote that into its own log shortly before: a cuDNN "
    "that is older than the one that the build was made with, a library that is not found, or no GPU memory that is left for it.",
    (
        _READ_THE_REASON,
        Fix(
            "Mostly it is too old or not there: install the cuDNN of TensorFlow 2.5 to 2.14, and lead this shell to it",
            (
                f"{PYTHON} -m pip install 'nvidia-cudnn-cu11>=8.6,<9'",
                "export LD_LIBRARY_PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cudnn/lib:$LD_LIBRARY_PATH",
            ),
            "TensorFlow 2.15 to 2.17 take nvidia-cudnn-cu12<9 in its place, 2.18 and newer nvidia-cudnn-cu12>=9; both find it without the second line. In Colab take a fresh machine, without cells that install another TensorFlow.",
        ),
        Fix("See whether others hold the GPU's memory. It changes nothing", ("nvidia-smi",)),
    ),
)
_NO_DNN_FOR_XLA = Meaning(
    "XLA asked for cuDNN and got none. Mostly the cuDNN here is not the one that this jaxlib or TensorFlow was built with, because one of them was updated alone, or it is not found; a GPU "
    "without free memory ends so, too. The line does not tell which.",
    (
        Fix("See which jax, jaxlib, TensorFlow and cuDNN are here. It changes nothing", ("python -m pip list | grep -i -E 'jax|cudnn|tensorflow'",)),
        Fix("See whether others hold the GPU's memory. It changes nothing", ("nvidia-smi",)),
    ),
)  # fmt: skip
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
_NO_AMD = Meaning(
    "This TensorFlow is built for ROCm, AMD's counterpart to CUDA, and ROCm shows it no GPU: the kernel's module amdgpu does not run, this user may not open "
    "/dev/kfd and /dev/dri, the container was started without them, or there is no GPU of AMD's. TensorFlow computes on the processor.",
    (
        Fix("See whether the device files are there, and whose group may open them. It changes nothing", ("ls -l /dev/kfd /dev/dri", "id -nG")),
        Fix(
            "They are there: join their groups, then log in again",
            ('sudo usermod -aG render,video "$USER"',),
        ),
        Fix(
            "In a container: start it with them. The command shows whether ROCm then sees the GPU",
            ("docker run --rm --device /dev/kfd --device /dev/dri --group-add video rocm/tensorflow rocminfo",),
        ),
        Fix("They are not there: load the module, and see why where it refuses", ("sudo modprobe amdgpu", "sudo dmesg | grep -i amdgpu | tail -n 20")),
    ),
)  # fmt: skip
_TAKES_MEMORY = "needs some GPU memory of its own, and could not be set up. Where no line names another version or a missing library, that is mostly because TensorFlow had reserved nearly all of the memory before, or because another process holds it."
_HANDLE = Meaning(f"cuDNN, NVIDIA's library for neural networks, {_TAKES_MEMORY}")
_HANDLE_OF_BLAS = Meaning(f"cuBLAS, NVIDIA's library for matrices, {_TAKES_MEMORY}")
_HANDLE_OF_SOLVER = Meaning(f"cuSolver, NVIDIA's library for systems of equations, {_TAKES_MEMORY}")
_SOLVER = Meaning(
    "cuSolver, by which svd, eigh, qr, cholesky and solve are computed on a GPU, failed and does not say of what. NaN or infinite numbers in the matrix (in 2.3 one of zeros, too), too little "
    "memory left on the GPU, and libraries of two CUDA releases side by side end so.",
    (
        Fix("Look for NaN and infinite numbers in the matrix first", note="In your files: tf.debugging.check_numerics(a, 'a') right before the call"),
        Fix("Compute this one step on the processor, for a test and as a way around", note="In your files: with tf.device('/CPU:0'): s, u, v = tf.linalg.svd(a)"),
        Fix("Let TensorFlow take memory as it needs it, so that some is left for cuSolver", ("export TF_FORCE_GPU_ALLOW_GROWTH=true",)),
    ),
)  # fmt: skip
_NOT_COMPILED = Meaning(
    "TensorFlow compiles some small operations (Rsqrt, Pow, Cast and their like) when they are first used. The exception does not say why that failed; TensorFlow wrote it "
    "into its own log shortly before: a libdevice that is not found, an assembler (ptxas) that is too old or can't be started, a driver that is older than the CUDA, or a GPU of AMD's for which this build has no code.",
    (
        Fix(
            "Read the reason: run it as a script, and look at the lines that name it",
            ('python train.py 2>&1 | grep -i -E "libdevice|ptxas|ptx|cuda_data_dir|driver"',),
            "A notebook does not show these lines in its cell: Jupyter writes them into its terminal, Colab into /var/log/colab-jupyter.log.",
        ),
        Fix("See which driver and which assembler there are. It changes nothing", ("nvidia-smi", "ptxas --version")),
    ),
)  # fmt: skip
_ZLIB = Meaning(
    "cuDNN 8 for Windows opens zlibwapi.dll at its first convolution, and neither Windows nor cuDNN brings it. TensorFlow and the GPU are found before that, so everything looks well until then.",
    (
        Fix(
            "Put a zlibwapi.dll of 64 bits into the folder of cuDNN's own DLLs, beside cudnn64_8.dll",
            note="NVIDIA's guide to installing cuDNN 8 for Windows links the file; the package torch brings a copy in torch\\lib. Restart the notebook or the editor after it, so that it reads PATH again.",
        ),
        Fix(
            "See where that folder is, and whether this disk has a copy. It changes nothing",
            ("where.exe cudnn64_8.dll", r"where.exe /R C:\ zlibwapi.dll"),
        ),
    ),
)
_WITHOUT_NCCL = Fix(
    "Or let GPUs of one machine exchange their results without NCCL; it is a little slower",
    note="In your files: tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce())",
)
_ASK_NCCL = Fix(
    "Let NCCL say why. It changes nothing",
    ("export NCCL_DEBUG=INFO", "python train.py 2>&1 | grep -E 'NCCL (WARN|INFO)' | head -n 40"),
)
_NO_P2P = Fix(
    "Switch direct transfers between the GPUs off, for a test; if it helps, an IOMMU or ACS in the firmware is in their way",
    ("export NCCL_P2P_DISABLE=1",),
)
_NCCL = Meaning(
    "NCCL is NVIDIA's library by which GPUs exchange their results. It failed in the exchange and names neither the call nor the reason here; its own log does. "
    "A limit of the system, memory that a GPU lacks, an earlier error of a GPU and direct transfers that the machine does not pass on all end so.",
    (_ASK_NCCL, _WITHOUT_NCCL, _NO_P2P),
)
_NO_NCCL = Meaning(
    "Distribution strategies for several GPUs ask for NCCL, NVIDIA's library for the exchange between them, and this build of TensorFlow holds none: NVIDIA makes "
    "it for Linux alone. The GPUs themselves are found and work.",
    (
        Fix(
            "Choose an exchange that needs no NCCL",
            note="In your files: tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()). Where that fails, too: tf.distribute.ReductionToOneDevice().",
        ),
    ),
)

_NO_ALGORITHM = Meaning(
    "XLA, TensorFlow's compiler, asks cuDNN for algorithms and tries them; for this convolution cuDNN offered none that works. Mostly the installed cuDNN is "
    "older than this XLA counts on; too little free memory on the GPU, or a part of cuDNN that is not found, end so, too.",
    (
        Fix(
            "Install the newest cuDNN of the same major",
            (f"{PYTHON} -m pip install --upgrade 'nvidia-cudnn-cu12>=9.10,<10'",),
            "For GPUs below compute capability 7.5 (V100, P100, GTX 10xx) it has to stay below 9.11.",
        ),
        Fix("Until then, compute without XLA", note="In your files: jit_compile=False in model.compile and tf.function."),
        Fix("See which cuDNN there is, and how much memory is free. It changes nothing", ("python -m pip list | grep -i cudnn", "nvidia-smi")),
    ),
)  # fmt: skip

_TOOLKIT_ASKS = Meaning(
    "The NVIDIA Container Toolkit asks the host's driver before a container starts, and got no answer that it could use. The image and the program in it have no "
    "part in that. On the host the driver does not work, or it takes too long to start because nothing keeps it awake.",
    (
        Fix("On the host: see whether the driver answers there. It changes nothing", ("nvidia-smi",), "Where it fails or takes many seconds, the driver is what to look at."),
        Fix(
            "On the host: have the toolkit say what it asks, and what fails. It changes nothing",
            ("sudo nvidia-container-cli -k -d /dev/tty info",),
            "Could not load kernel module: the driver's module is not built for this kernel. Failed to detect devices: there is no GPU of NVIDIA.",
        ),
        Fix("On the host: keep the driver awake between programs, where nvidia-smi works and is slow", ("sudo nvidia-smi -pm 1",)),
    ),
)  # fmt: skip

_BUSY = Meaning(
    "CUDA sees the GPU and was refused its use. Its compute mode can let in one process alone, and another has it; a virtual GPU (vGPU of a cloud or a server) without a licence refuses all; MIG can be on without a slice for this "
    "program; and a GPU after a fault answers so until it is reset. nvidia-smi may look well in each of these cases: it asks less of the GPU.",
    (
        Fix(
            "Ask which of these it is. It changes nothing",
            ("nvidia-smi -q | grep -i -E 'Compute Mode|License Status|MIG Mode|Virtualization Mode' -A 1", "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv"),
            "Exclusive_Process and a program in the list: end that program. Unlicensed: who runs the virtual machine has to renew its licence. MIG Enabled: name a slice of it. Default and no program: restart the machine.",
        ),
        Fix("The mode is Exclusive_Process on your own machine: let several programs in, until the next start", ("sudo nvidia-smi -c 0",)),
        Fix("It is a virtual GPU: see whether its licence service runs and what it says", ("sudo systemctl status nvidia-gridd", "journalctl -u nvidia-gridd -n 20")),
    ),
)  # fmt: skip

_PRIVILEGES = Meaning(
    "The library CUPTI, through which TensorFlow's profiler looks into the GPU, was found, and the driver lets only administrators read the GPU's counters. Training works as always; the "
    "profile lacks the GPU's part. Without a profile nothing has to be done: TensorBoard(profile_batch=0) asks for none.",
)
_CONFIGURATION = Meaning(
    "TensorFlow wanted to start a computation on the GPU with a size that CUDA does not take: nothing at all, or more than a GPU can. Mostly a tensor is empty: the last piece of a batch that several GPUs share, "
    "a filter that leaves nothing, a mask without a hit. A build of TensorFlow for another CUDA than the one that is found ends so, too.",
    (
        Fix(
            "See that no batch is empty, and that each one is at least as large as there are GPUs",
            note="In your files: .batch(…, drop_remainder=True), steps that fit the number of samples, and one GPU for a test (CUDA_VISIBLE_DEVICES=0).",
        ),
        Fix("Run it once on the processor: it tells of an empty tensor in words, or works", ("export CUDA_VISIBLE_DEVICES=-1",)),
        Fix("Have TensorFlow, CUDA and cuDNN compared. It changes nothing", ("tfdoctor check",)),
    ),
)  # fmt: skip
_QUERY = Meaning(
    "TensorFlow asked the NVIDIA driver for a property of the GPU, such as its clock, and the driver answered with an error. The driver that is installed does not work rightly with this GPU or this system: after "
    "an update without a restart, in a laptop that switches its GPU off, or a release that does not fit.",
    (
        Fix("Restart the machine, and ask the driver itself", ("nvidia-smi -q -d CLOCK",)),
        Fix("Install the newest NVIDIA driver for this GPU from NVIDIA, and restart", note="On laptops let it replace the manufacturer's driver (clean installation)."),
        Fix("Until then, compute on the processor", ("export CUDA_VISIBLE_DEVICES=-1",)),
    ),
)  # fmt: skip
_ATTRIBUTE = Meaning(
    "TensorFlow asked the NVIDIA driver for a property of the GPU by its number, and the driver does not know that number: it is older than this TensorFlow counts on. Mostly the card is old, too, and gets no newer driver. "
    "TensorFlow then ends the whole process, an R session or a notebook's kernel included, even where no GPU is wanted.",
    (
        Fix("Have TensorFlow ask for no GPU, in the shell that starts the program", ("set CUDA_VISIBLE_DEVICES=-1",), "In R, before library(tensorflow): Sys.setenv(CUDA_VISIBLE_DEVICES = \"-1\"). In Python, before the import: os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"-1\"."),
        Fix("To use the GPU, see which driver and which card there are, and install the newest driver that NVIDIA has for the card", ("nvidia-smi",)),
    ),
)  # fmt: skip

_NO_KERNEL = Meaning(
    "The program puts an operation on a device by name, and TensorFlow can compute that operation on another kind of device alone (lookups, texts and whole numbers, mostly, on a GPU). Driver and libraries have nothing to do with it.",
    (
        Fix(
            "Let TensorFlow choose another device for operations that this one can't compute",
            note="In your files, in the first lines: tf.config.set_soft_device_placement(True). With sessions of TensorFlow 1: tf.compat.v1.ConfigProto(allow_soft_placement=True).",
        ),
        Fix("Or put that part on the processor", note="In your files: with tf.device('/CPU:0'): around the lines that make it"),
    ),
)  # fmt: skip
_CHANNELS = Meaning(
    "The model wants what TensorFlow computes on a GPU alone: pictures with their channels first (NCHW, channels_first), or convolutions in groups. Here it runs on the processor, because the machine has no GPU or TensorFlow does not use it.",
    (
        Fix(
            "See whether TensorFlow has a GPU. An empty list is the cause where the machine has one",
            (f"{PYTHON} -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"",),
            "tfdoctor check says why it has none.",
        ),
        Fix(
            "Without a GPU, have the channels last, in the model and in the data",
            note="In your files: data_format='channels_last' in each layer, tf.keras.backend.set_image_data_format('channels_last') above the model, and x = np.moveaxis(x, 1, -1). Weights trained so fit; weights behind a Flatten do not.",
        ),
    ),
)
OF_GPUS: Mapping[str, Meaning] = {
    "cupti-privileges": _PRIVILEGES,
    "no-cudnn-algorithm": _NO_ALGORITHM,
    "devices-busy": _BUSY,
    "device-unavailable-words": _BUSY,
    "device-unavailable-name": _BUSY,
    "toolkit-rpc": _TOOLKIT_ASKS,
    "nccl-ib-memory": _MEMLOCK,
    "nccl-no-kernel": _NO_NCCL,
    "rocm-no-device": _NO_AMD,
    "nccl-system-error": _NCCL,
    "nccl-cuda-error": _NCCL,
    "nccl-async": _NCCL,
    "cudnn-handle": _HANDLE,
    "convolution-without-cudnn": _HANDLE,
    "executor-without-dnn": _HANDLE,
    "cublas-handle": _HANDLE_OF_BLAS,
    "cublas-may-be-memory": _HANDLE_OF_BLAS,
    "executor-without-blas": _HANDLE_OF_BLAS,
    "cusolver-handle": _HANDLE_OF_SOLVER,
    "kernel-not-compiled-at-run": _NOT_COMPILED,
    "cusolver-failed": _SOLVER,
    "cudnn-launch-failed": _CUDNN,
    "windows-zlibwapi": _ZLIB,
    "cudnn-execution-failed": _CUDNN,
    "cudnn-rnn-failed": _CUDNN,
    "cudnn-internal-error": _CUDNN,
    "cublas-run-failed": _CUBLAS,
    "gemm-launch-failed": _CUBLAS,
    "dnn-implementation": _NO_DNN,
    "dnn-not-found": _DNN_LACKING,
    "dnn-not-in-executor": _DNN_LACKING,
    "dnn-null": _NO_DNN_FOR_XLA,
    "launch-configuration": _CONFIGURATION,
    "driver-query-failed": _QUERY,
    "driver-attribute-unknown": _ATTRIBUTE,
    "device-without-kernel": _NO_KERNEL,
    "channels-first-on-a-processor": _CHANNELS,
}
"""By the signature's name."""
