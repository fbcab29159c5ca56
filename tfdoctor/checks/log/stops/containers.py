"""Containers, and the pods of Kubernetes, that do not start or get no GPU: what their engines say, what it means and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.meaning import Meaning
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
_PLUGIN = Meaning(
    "NVIDIA's device plug-in runs in a container on each node and tells Kubernetes of the node's GPUs. Here it found no library of the NVIDIA driver (NVML) in its own container, so it offers no GPU, and pods that ask for one stay Pending. "
    "On a node with a GPU its container was not started with NVIDIA's runtime, or the node has no driver; on a node without a GPU nothing is wrong.",
    (
        Fix(
            "On the node: see that the driver works there, then make NVIDIA's runtime the one that containerd takes by itself",
            ("nvidia-smi", "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default", "sudo systemctl restart containerd"),
            "Where the node runs Docker: --runtime=docker, and restart docker. MicroK8s, K3s and RKE2 have a containerd of their own: NVIDIA's GPU operator sets it up.",
        ),
        Fix("Then see whether the node offers its GPU", ("kubectl get nodes -o custom-columns='NAME:.metadata.name,GPU:.status.allocatable.nvidia\\.com/gpu'",)),
    ),
)  # fmt: skip
_NO_FREE_GPU = Meaning(
    "Kubernetes gives a pod the GPUs that it asks for from one node, and none of the nodes has that many free, so the pod waits. Either the nodes offer none at all (NVIDIA's device plug-in tells Kubernetes of them, and does not run or "
    "finds no driver), or other pods hold them. The program has not started.",
)
_OLD_TOOLKIT = Meaning(
    "Images of CUDA say in a variable (NVIDIA_REQUIRE_CUDA) which drivers they run on. NVIDIA's container library on this host is too old to read the way in which this image says it, so it refuses to start the container. Driver and GPU were not even looked at.",
    (
        Fix(
            "On the host, update NVIDIA's container tools, and restart Docker",
            ("sudo apt-get update", "sudo apt-get install --yes nvidia-container-toolkit libnvidia-container1 libnvidia-container-tools", "sudo systemctl restart docker"),
        ),
        Fix(
            "Until then, start the container without that question; whether the driver suits the image then shows at work",
            ("docker run --rm --gpus all -e NVIDIA_DISABLE_REQUIRE=1 tensorflow/tensorflow:latest-gpu nvidia-smi",),
            "Put the same -e into your own docker run, before the image's name.",
        ),
    ),
)  # fmt: skip
_WITHOUT_NVML = Meaning(
    "The toolkit that hands GPUs to containers looks for the NVIDIA driver in the system in which Docker's engine runs, and found no library of it (libnvidia-ml.so.1). On Linux that is the host itself, unless Docker Desktop runs there, whose virtual machine has no GPU, or Docker came by snap, which sees other folders. "
    "On Windows it is WSL 2, which gets the GPU from Windows: that takes Windows 11, or 10 from 21H2 on, and a driver of Windows that knows WSL. The image has no part in it.",
    (
        Fix("See which engine Docker uses, and whether the driver answers beside it. It changes nothing", ("docker info --format '{{.OperatingSystem}}'", "nvidia-smi")),
        Fix("Where it says Docker Desktop on Linux, use the system's own engine", ("docker context use default",)),
        Fix("On Windows: update WSL and NVIDIA's driver of Windows, and Windows 10 to 21H2 or newer; winver shows which it is", ("wsl --update", "wsl --shutdown")),
        Fix("Where nvidia-smi itself is not found on a Linux host, install the driver there", note="On Ubuntu: sudo ubuntu-drivers install, and a restart."),
    ),
)  # fmt: skip

OF_CONTAINERS: Mapping[str, Meaning] = {
    "docker-no-permission": _NO_PERMISSION,
    "docker-port-taken": _TAKEN,
    "kubernetes-unschedulable": _UNSCHEDULABLE,
    "kubernetes-crash-loop": _CRASH_LOOP,
    "wsl-without-adapter": _NO_ADAPTER,
    "nccl-duplicate-gpu": _DUPLICATE,
    "toolkit-cgroups": _CGROUPS,
    "toolkit-file-exists": _FILE_EXISTS,
    "toolkit-ldcache": _LDCACHE,
    "toolkit-without-nvml": _WITHOUT_NVML,
    "toolkit-reads-no-requirement": _OLD_TOOLKIT,
    "container-program-missing": _NO_PROGRAM,
    "device-plugin-without-nvml": _PLUGIN,
    "kubernetes-insufficient-gpu": _NO_FREE_GPU,
}
"""By the signature's name."""


def started(saying: Saying) -> Candidate | None:
    """A title with what the line itself names; None for texts whose title is always the same."""
    told = saying.told
    titles = {
        "kubernetes-unschedulable": "Kubernetes finds no node for the pod: {message}.",
        "rocblas-no-arch": "ROCm's rocBLAS holds no code for this GPU ({value}).",
    }
    if saying.name not in titles:
        return None
    shown = {name: text.rstrip(" .") for name, text in told.items()}
    words = OF_CONTAINERS[saying.name].words if saying.name in OF_CONTAINERS else ""
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
