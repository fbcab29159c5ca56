"""What brings the programs that a log's shell did not find: launchers, schedulers, container engines, TensorFlow's own tools."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.findings.model import Fix
from tfdoctor.light.records import record


@record
class Brought:
    """`what` ends a title, `words` is the explanation."""

    what: str
    words: str
    fixes: tuple[Fix, ...]


_IN_AN_ENVIRONMENT = "pip puts it into the folder bin of the environment that it installs into. It is found where that environment is active, or where that folder is on PATH."


def _module(what: str, package: str, line: str, note: str = "") -> Brought:
    """A tool of a Python package that a module starts as well."""
    return Brought(
        what,
        f"It belongs to {package}. {_IN_AN_ENVIRONMENT}",
        (
            Fix("Start it as a module of the Python that has the package", (line,), note),
            Fix(
                "See whether this Python has it, and where its programs were put. It changes nothing",
                (f"python -m pip show -f {package} | grep -E '^(Name|Version|Location)|/bin/'",),
            ),
        ),
    )


_HOROVOD = Brought(
    "which is Horovod's launcher",
    f"It comes with Horovod 0.16.1 and newer; older ones are started by mpirun. {_IN_AN_ENVIRONMENT}",
    (
        Fix(
            "See whether this Python has Horovod, which release, and where its launcher was put. It changes nothing",
            ("python -m pip show -f horovod | grep -E '^(Name|Version|Location)|horovodrun'",),
            "A Location and a line ending in bin/horovodrun: activate that environment, or put that folder on PATH. Nothing: install Horovod into the environment that has TensorFlow.",
        ),
        Fix(
            "Start the same with Open MPI's mpirun, where Horovod was built with MPI",
            ("mpirun -np 2 -H localhost:2 -bind-to none -map-by slot -x PATH -x LD_LIBRARY_PATH python train.py",),
        ),
    ),
)  # fmt: skip
_MPI = Brought(
    "which belongs to an MPI (Open MPI, for instance)",
    "TensorFlow does not need it; programs that are spread over several processes by Horovod or mpi4py are started with it. Clusters have it as a module, which has to be loaded in the job.",
    (
        Fix("On a cluster, see which there are, and load one in the job's script", ("module avail mpi", "module load openmpi"), "The name is that of your cluster's list."),
        Fix("On a machine of your own, install Open MPI", ("sudo apt-get install --yes openmpi-bin libopenmpi-dev",), "In a conda environment: conda install --yes --channel conda-forge openmpi."),
    ),
)  # fmt: skip
_SLURM = Brought(
    "which belongs to Slurm, the scheduler of a cluster",
    "Slurm's commands are found on a cluster's login and compute nodes alone, not on a machine of one's own and mostly not inside of a container. Whoever wrote the command line has such a cluster.",
    (
        Fix("On a machine without Slurm, start what stands behind srun and its options, alone", ("python train.py",), "Put your own program in place of train.py. An option of the program that says distributed, or slurm, has to be off then."),
        Fix("On a cluster: type it on a login node, outside of any container. Some load Slurm as a module", ("module load slurm",)),
    ),
)  # fmt: skip
_SMI = Brought(
    "which is part of the NVIDIA driver",
    "nvidia-smi is installed with the driver. On a machine where it is not found there is mostly no NVIDIA driver; into a container it comes from the host, where the container's start asks for a GPU.",
    (
        Fix("See whether the machine has an NVIDIA GPU, and whether its driver is loaded. It changes nothing", ("lspci -nn | grep -i -E 'vga|3d|display'", "cat /proc/driver/nvidia/version")),
        Fix("In a container, start it with a GPU. The command shows whether the host can give one", ("docker run --rm --gpus all ubuntu nvidia-smi",), "Apptainer and Singularity: --nv. Kubernetes: a limit nvidia.com/gpu."),
        Fix("On a machine with such a GPU, install the driver", note="On Ubuntu: sudo ubuntu-drivers install, and a restart."),
    ),
)  # fmt: skip
_NVCC = Brought(
    "the compiler of NVIDIA's CUDA toolkit",
    "A TensorFlow from pip does not need it: it opens CUDA's libraries, and compiles nothing with nvcc. It is needed only where something is built from source for the GPU.",
    (
        Fix("See whether TensorFlow finds what it needs itself. It changes nothing", ("tfdoctor check",)),
        Fix("Where a toolkit is installed, lead this shell to its programs", ("ls -d /usr/local/cuda*", "export PATH=/usr/local/cuda/bin:$PATH")),
    ),
)  # fmt: skip
_DOCKER = Brought(
    "so Docker is not installed in this system",
    "TensorFlow does not need it. Inside of a container there is no Docker, and in WSL it is found where Docker Desktop is switched on for that distribution (Settings, Resources, WSL integration).",
    (
        Fix("On a machine of your own, install it", ("sudo apt-get install --yes docker.io",)),
        Fix("On a cluster, use Apptainer, which reads Docker's images and needs no rights of an administrator", ("apptainer exec --nv docker://tensorflow/tensorflow:latest-gpu nvidia-smi",)),
    ),
)  # fmt: skip
_NVIDIA_DOCKER = Brought(
    "which nothing brings any more: Docker itself starts containers with GPUs",
    "nvidia-docker was a wrapper of its own until 2019. Since Docker 19.03 the option --gpus does it, with the NVIDIA Container Toolkit on the host.",
    (
        Fix("Put docker run --gpus all in the place of nvidia-docker run. The command shows whether that works here", ("docker run --rm --gpus all ubuntu nvidia-smi",)),
    ),
)  # fmt: skip
_APPTAINER = Brought(
    "so Apptainer (Singularity) is not installed here, or has to be loaded first",
    "Clusters have it on their compute nodes, often as a module and not on the login nodes. Since 2021 Singularity's free branch is called apptainer; it brings the old name along.",
    (Fix("On a cluster, load it in the job, under the name that the cluster gives it", ("module avail apptainer singularity", "module load apptainer")),),
)  # fmt: skip
_CONDA = Brought(
    "so conda is not installed here, or this shell was not prepared for it",
    "conda's folder is on PATH only after its own start-up lines, which it writes for shells that a person opens: a job's script, a service and a Dockerfile's RUN do not read them.",
    (
        Fix("Prepare this shell: read conda's own file first, from the folder in which it is installed", (". ~/miniconda3/etc/profile.d/conda.sh", "conda activate base"), "~/anaconda3 or /opt/conda instead, where that is the folder. On a cluster: module load anaconda."),
    ),
)  # fmt: skip
_PYTHON = Brought(
    "so Python is not installed here under this name",
    "Debian, Ubuntu and macOS have Python 3 as python3; the name python comes with an environment that is active, or with the package python-is-python3. Images often have neither.",
    (
        Fix("Call it python3", ("python3 train.py",)),
        Fix("Or make an environment with it, and activate that: there it is python", ("python3 -m venv tf", ". tf/bin/activate")),
    ),
)  # fmt: skip
_PIP = Brought(
    "which is called through Python where it is not on the path",
    "pip belongs to one Python, and a shell finds it only where that Python's programs are on PATH.",
    (Fix("Call the pip of the Python that you use", ("python3 -m pip --version",), "No module named pip: sudo apt-get install --yes python3-pip python3-venv."),),
)  # fmt: skip
_MODULE = Brought(
    "so environment modules are not switched on in this shell",
    "module is a function that a cluster's login shell defines. A script of another shell, a container and a machine that is no cluster do not have it.",
    (
        Fix(
            "Let the job's script read what a login shell reads",
            note="Its first line: #!/bin/bash -l. Or have it read the file itself, before the first module: . /etc/profile.d/modules.sh",
        ),
    ),
)
_PROTOC = Brought(
    "the compiler of protobuf",
    "TensorFlow brings the runtime of protobuf and not the compiler, which the Object Detection API and others ask for to make their Python files.",
    (
        Fix("Take the compiler that pip brings: in place of protoc, type this, with the same options", ("python -m pip install 'grpcio-tools<1.49'", "python -m grpc_tools.protoc --version"), "Code of a newer compiler asks for a newer protobuf at run time than an older TensorFlow takes; this one makes code for protobuf 3.19 to 4."),
    ),
)  # fmt: skip
_SERVER = Brought(
    "which is TensorFlow Serving's server",
    "It is no part of the package tensorflow. TensorFlow publishes it as an image.",
    (
        Fix("Start it from its image", ("docker run --rm tensorflow/serving --version",), "With a model: -p 8501:8501 -v /path/to/model:/models/model -e MODEL_NAME=model before the image's name."),
    ),
)  # fmt: skip

NVCC_OF_A_PROGRAM = Brought(
    _NVCC.what,
    "The program compiles an operation of its own for the GPU, and calls nvcc for that. TensorFlow itself does not bring it: it is part of the CUDA toolkit, in its folder bin.",
    (
        Fix("See whether a toolkit is installed, and lead this shell to its programs", ("ls -d /usr/local/cuda*", "export PATH=/usr/local/cuda/bin:$PATH", "nvcc --version"), "Then start the program in the same shell. Its release has to be the CUDA of the installed TensorFlow."),
        Fix("In a conda environment, let conda bring it; it takes the place of an installation on the machine", ("conda install --yes --channel conda-forge cudatoolkit-dev",), "For CUDA 12: cuda-nvcc in place of cudatoolkit-dev."),
        Fix("In a Dockerfile, begin with an image whose tag says devel: those with base or runtime have no compiler"),
    ),
)  # fmt: skip

BROUGHT_BY: Mapping[str, Brought] = {
    "horovodrun": _HOROVOD,
    "mpirun": _MPI,
    "srun": _SLURM,
    "nvidia-smi": _SMI,
    "nvcc": _NVCC,
    "docker": _DOCKER,
    "nvidia-docker": _NVIDIA_DOCKER,
    "apptainer": _APPTAINER,
    "conda": _CONDA,
    "python": _PYTHON,
    "pip": _PIP,
    "module": _MODULE,
    "protoc": _PROTOC,
    "tensorflow_model_server": _SERVER,
    "ray": _module("which is Ray's launcher", "ray", "python -m ray.scripts.scripts status"),
    "tensorboard": _module("which belongs to the package tensorboard", "tensorboard", "python -m tensorboard.main --logdir logs"),
    "saved_model_cli": _module("which belongs to TensorFlow", "tensorflow", "python -m tensorflow.python.tools.saved_model_cli --help"),
    "tflite_convert": _module("which belongs to TensorFlow", "tensorflow", "python -m tensorflow.lite.python.tflite_convert --help"),
    "jupyter": _module("which belongs to Jupyter", "jupyter-core", "python -m jupyter --version", "No module named jupyter: python -m pip install notebook."),
}  # fmt: skip
"""By the program's name."""
LOOKS = ("nvidia-smi", "nvcc")
"""What people type to see how the machine is: that it is not there is no fault beside something that is."""
