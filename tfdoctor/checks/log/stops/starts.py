"""What kept a program from being started, or a server from its port: what it means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_NO_PERMISSION = Meaning(
    "Docker's daemon belongs to root, and this user is not in the group that may talk to it. The image and TensorFlow have no part in that.",
    (
        Fix("Join the group docker, then log in again", ('sudo usermod -aG docker "$USER"',), "Whoever is in this group can become root on the machine."),
        Fix("Or start it as root this once", note="sudo docker run …"),
    ),
)  # fmt: skip
_TAKEN = Meaning(
    "Another program has the port already: mostly an earlier start of the same one that still runs, a second worker or server on the same machine, or a notebook.",
    (
        Fix("See who has the port, and end it if it is a leftover of yours. It changes nothing", ("ss -ltnp",)),
        Fix("Or take another port", note="TF_CONFIG and ClusterSpec: another number in the list, the same on all machines. tensorboard --port 6007; jupyter notebook --port 8889; docker run -p 8889:8888."),
    ),
)  # fmt: skip
_REFUSED = Meaning(
    "Slurm did not take the job as it was asked for; nothing was started. What it names does not exist on this cluster, or this account may not have it.",
    (
        Fix("See which partitions there are, and which GPUs (gres) each has. It changes nothing", ("sinfo -o '%P %G %l %m %c'",), "Ask as it is written there: #SBATCH --partition=gpu and #SBATCH --gres=gpu:1, or --gres=gpu:a100:1."),
        Fix("See which accounts and limits are yours. It changes nothing", ('sacctmgr show assoc user="$USER" format=account,partition,qos',)),
    ),
)  # fmt: skip
_EXECVE = Meaning(
    "The job has begun, and Slurm could not start the program in it: the file is not there on the node, may not be executed, or the environment that has it is not active in the job.",
    (
        Fix("In the job's script, before srun: load or activate what has the program, or name it by its full path", note="module load python, source ~/venv/bin/activate, conda activate NAME; or srun /full/path/to/python train.py. A script of yours is started with its interpreter: srun python train.py."),
        Fix("See in a job what is found there. It changes nothing", ("srun -n 1 bash -lc 'which python python3'",)),
    ),
)  # fmt: skip
_UNSCHEDULABLE = Meaning(
    "Kubernetes finds no node that can take the pod, so it stays Pending and nothing has started. The message counts the nodes by what each of them lacks.",
    (
        Fix("See what the nodes have and what is taken of it. It changes nothing", ("kubectl describe nodes | grep -A 8 'Allocated resources'", "kubectl get nodes --show-labels")),
        Fix("Ask for no more than a node has, or tolerate its taint, in the pod's description", note="resources.requests of memory and cpu; tolerations; nodeSelector."),
    ),
)  # fmt: skip
_CRASH_LOOP = Meaning(
    "The container ends again and again, and Kubernetes waits longer before each new start. Why it ends is in what it printed before, and in its last exit status: 137 is a kill, mostly at the limit of memory, 132 an instruction that the processor does not have, 139 a crash.",
    (
        Fix("Read what the container printed before it ended, and how it ended. It changes nothing", ("kubectl logs --previous POD", "kubectl describe pod POD | grep -A 6 'Last State'"), "In place of POD the pod's name, as kubectl get pods shows it."),
    ),
)  # fmt: skip
_REPLICA = Meaning(
    "The machine of the training job had used up its memory (RAM), and the service ended the replica.",
    (
        Fix("Choose a machine type with more memory for this replica", note="In the job's description: machine_type n1-highmem-16 in place of n1-standard-16, for instance."),
        Fix("Or let the program hold less at once: half the batch, smaller shuffle and prefetch buffers, no cache()"),
    ),
)  # fmt: skip
_HEAP = Meaning(
    "A Java program (Spark's driver or executor, a data source) has used up the memory that it may have. That limit is its own, and has nothing to do with TensorFlow's memory or the GPU's.",
    (
        Fix("Give it more, at its start", note="spark-submit --driver-memory 8g --executor-memory 8g …, or -Xmx8g for a Java program."),
        Fix("Or pass it less at once: more partitions, no collect() of the whole data"),
    ),
)  # fmt: skip
_HTTP_1 = Meaning(
    "gRPC came to a server that speaks HTTP 1 and not gRPC: a proxy that the environment names, a port of another server (a REST or web port), or another program on that port.",
    (
        Fix("Take a proxy out of the way, in the shell that starts the program", ("unset http_proxy https_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY",)),
        Fix("See that the port is the one for gRPC", note="TensorFlow Serving: 8500 is gRPC, 8501 REST. In TF_CONFIG each address is that of a task, and no other program has its port."),
    ),
)  # fmt: skip
_VERSION = Meaning(
    "",
    (
        Fix(
            "Build Horovod again, for the TensorFlow that is installed now",
            (f"HOROVOD_WITH_TENSORFLOW=1 {PYTHON} -m pip install --no-cache-dir --force-reinstall --no-deps --no-build-isolation 'horovod[tensorflow]'",),
            "It needs g++ and CMake. With NCCL: HOROVOD_GPU_OPERATIONS=NCCL in front, too.",
        ),
    ),
)  # fmt: skip
_NO_ADAPTER = Meaning(
    "In WSL 2 the driver is that of Windows, which hands the GPU to Linux as an adapter. Windows offers none: its NVIDIA driver is missing or too old for WSL, WSL itself is old, or the GPU is not NVIDIA's.",
    (
        Fix("In Windows: update WSL, restart it, and see whether Windows' own driver answers", ("wsl --update", "wsl --shutdown", "nvidia-smi")),
        Fix("In Windows: install the newest NVIDIA driver for this GPU. Inside of WSL no driver is installed"),
    ),
)  # fmt: skip
_DUPLICATE = Meaning(
    "NCCL takes one GPU for each process, and two processes of the job chose the same one: mostly all of them take GPU 0, because none was told which is its own.",
    (
        Fix(
            "Give each process its own GPU before TensorFlow is imported",
            note='In your files, with Horovod: tf.config.set_visible_devices(gpus[hvd.local_rank()], "GPU"). Under Slurm: srun --gpus-per-task=1, or os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["SLURM_LOCALID"] as the first line.',
        ),
        Fix("Start no more processes on a machine than it has GPUs. The command lists them", ("nvidia-smi -L",)),
    ),
)  # fmt: skip

OF_STARTS: Mapping[str, Meaning] = {
    "docker-no-permission": _NO_PERMISSION,
    "docker-port-taken": _TAKEN,
    "address-in-use": _TAKEN,
    "slurm-refused": _REFUSED,
    "slurm-execve": _EXECVE,
    "kubernetes-unschedulable": _UNSCHEDULABLE,
    "kubernetes-crash-loop": _CRASH_LOOP,
    "replica-out-of-memory": _REPLICA,
    "java-heap": _HEAP,
    "wsl-without-adapter": _NO_ADAPTER,
    "nccl-duplicate-gpu": _DUPLICATE,
    "grpc-http1-server": _HTTP_1,
    "horovod-version-differs": _VERSION,
}
"""By the signature's name."""


def started(saying: Saying) -> Candidate | None:
    """A title with what the line itself names; None for texts whose title is always the same."""
    told = saying.told
    titles = {
        "slurm-refused": "Slurm refused the job: {message}.",
        "slurm-execve": "Slurm could not start {process} in the job: {message}.",
        "kubernetes-unschedulable": "Kubernetes finds no node for the pod: {message}.",
        "horovod-version-differs": "Horovod was built for {package} {wanted}, and {package} {version} is installed.",
        "triton-not-loaded": "Triton could not load the model {process}: {message}.",
        "rocblas-no-arch": "ROCm's rocBLAS holds no code for this GPU ({value}).",
    }
    if saying.name not in titles:
        return None
    shown = {name: text.rstrip(" .") for name, text in told.items()}
    words = OF_STARTS[saying.name].words if saying.name in OF_STARTS else ""
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=titles[saying.name].format(**shown))  # fmt: skip


_REFUSED_BY = {
    "toolkit-refused": ("container-without-gpu", "The NVIDIA Container Toolkit could not prepare the container: {message}."),
    "apptainer-refused": ("command-not-started", "Apptainer (Singularity) could not start the container: {message}."),
    "docker-refused": ("command-not-started", "Docker refused to start the container: {message}."),
}  # fmt: skip
"""The nearest to the cause first: Docker passes on what the toolkit says."""
_BEFORE_THE_PROGRAM = "The container was not started, so nothing of TensorFlow has run. The reason is what the message says last, before the word unknown."
_LONG = 200
_ALONE = (
    Fix("See whether a container starts at all, and then one with a GPU: that tells whether the image, Docker or the GPU's toolkit is concerned", ("docker run --rm hello-world", "docker run --rm --gpus all ubuntu nvidia-smi")),
    Fix("Restart Docker on the host, where it has been updated or changed since its start", ("sudo systemctl restart docker",)),
)  # fmt: skip
_OF_APPTAINER = (
    Fix("See whether the image itself is whole, and can be read where the job runs. It changes nothing", ("apptainer inspect tf.sif", "ls -l tf.sif"), "In place of tf.sif your image. A file that was not copied to its end, or is on a file system that the node does not have, ends so."),
    Fix("Have it say more", note="apptainer --debug exec …, singularity --debug exec …"),
)  # fmt: skip


def not_started(told: Testimony) -> Candidate | None:
    """A container that its engine refused, in words that no other signature knows."""
    if told.codes:
        return None
    for name, (code, title) in _REFUSED_BY.items():
        if said := told.named(name):
            message = said[0].told["message"].removesuffix(": unknown.").rstrip(" .")
            short = message if len(message) <= _LONG else f"… {message[-_LONG:]}"
            return Candidate(code, Confidence.LIKELY, tuple(map(place, said[:1])), _BEFORE_THE_PROGRAM, title=title.format(message=short))  # fmt: skip
    return None


def not_started_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no engine refused in words of its own."""
    found = not_started(told)
    if found is None or found.code != code:
        return ()
    return _OF_APPTAINER if "Apptainer" in found.title else _ALONE
