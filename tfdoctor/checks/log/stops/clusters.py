"""What those who run a job's machines say before or in place of the program: Kubernetes' device plug-in, Dataflow, Horovod's launcher."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.findings.model import Fix

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
_DATAFLOW = Meaning(
    "Dataflow runs the pipeline's Python in processes of its own on each machine (the SDK harness), and one of them, or its whole machine, did not answer any more. Mostly the memory of the machine ran out: by itself Dataflow starts a process for each core, and each "
    "holds its own copy of TensorFlow and of the model. A crash in compiled code looks the same. These lines do not tell which.",
    (
        Fix(
            "See how the processes ended, in the job's logs of its workers. It changes nothing",
            ("gcloud logging read 'resource.type=\"dataflow_step\" AND (\"OOM\" OR \"out of memory\" OR \"exited\")' --limit 20",),
        ),
        Fix(
            "Give each process more memory: machines with more of it, and one process on each",
            note="In the pipeline's options: --worker_machine_type=n1-highmem-8 (machine_type), --experiments=no_use_multiple_sdk_containers, --number_of_worker_harness_threads=4. In TFX they stand in beam_pipeline_args.",
        ),
        Fix("Or let it hold less at once: load the model once for each process (beam.utils.shared.Shared), smaller batches"),
    ),
)  # fmt: skip
_HOSTS = Meaning(
    "horovodrun was given fewer places (slots) on its hosts than the number of processes that it is to start, so it started nothing. The hosts are one word behind -H, with commas between them: what stands behind a blank is taken for the program.",
    (
        Fix(
            "Give all hosts with their places as one word, and no more processes than their sum",
            ("horovodrun -np 4 -H worker-1:2,worker-2:2 python train.py",),
            "Put your machines' names in place of worker-1 and worker-2; localhost:2 for this one.",
        ),
    ),
)  # fmt: skip
_OTHER_PYTHON = Meaning(
    "horovodrun asks each machine, by ssh, to start Python with a part of Horovod, and the Python that answered there has no Horovod, or another release of it. ssh starts a shell outside of containers and without an active environment: the same image or environment has to be there, and be found by that shell.",
    (
        Fix(
            "See which Python each machine starts by ssh, and whether it has Horovod. It changes nothing",
            ("ssh worker-2 'which python; python -m pip show horovod'",),
            "Put your machine's name in place of worker-2.",
        ),
        Fix(
            "In containers, run an ssh server in the container of each machine, and let horovodrun reach that one",
            ("horovodrun -np 4 -H worker-1:2,worker-2:2 -p 12345 python train.py",),
            "On each other machine, in the same image: /usr/sbin/sshd -p 12345, with the keys of the first.",
        ),
        Fix("Without containers, install the same Horovod for the same TensorFlow on each machine, in an environment of the same path"),
    ),
)  # fmt: skip
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
_COLLECTIVES = Meaning(
    "MultiWorkerMirroredStrategy sets up how the workers talk with each other, and TensorFlow takes that only before it has done anything else: before a tensor, a dataset, a layer or a list of GPUs was asked for. Something in the program, or in a module that it imports, was earlier. "
    "In a notebook that is mostly a cell that ran before.",
    (
        Fix(
            "Make the strategy the first thing that the program does with TensorFlow, right behind the import, and everything else in its scope",
            note="In your files: import tensorflow as tf, then strategy = tf.distribute.MultiWorkerMirroredStrategy(), then all other imports and calls. TF_CONFIG has to be set before. In a notebook restart the kernel first.",
        ),
    ),
)
_SHUT_DOWN = Meaning(
    "Horovod ends the exchange for all ranks when one of them ends, and each of the others then fails with this line, which says nothing of the cause. Either one rank failed: its own error stands before the first of these lines, maybe in its own log. Or it was simply done while others had "
    "work left: it had fewer batches, an early stop or a condition on the rank was decided by it alone.",
    (
        Fix(
            "Read what the rank that ended first printed last: the first error of the whole output. It changes nothing"
        ),
        Fix(
            "Where no rank has another error, let all ranks do the same number of steps, and decide together when to stop",
            note="In your files: dataset.repeat() with steps_per_epoch for all ranks, .batch(…, drop_remainder=True), and a metric that is averaged over the ranks before EarlyStopping (hvd.callbacks.MetricAverageCallback first in the list).",
        ),
    ),
)
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
_YARN = Meaning(
    "YARN watches how much memory all processes of a container use together, and ends the container when it is more than was asked for. TensorFlow works in a process beside the executor's Java, so it counts as overhead: what spark.executor.memory gives to Java does not help it.",
    (
        Fix(
            "Give the executors more memory beside Java's, in the command that starts the job",
            ("spark-submit --conf spark.executor.memoryOverhead=8g train.py",),
            "Before Spark 2.3 its name was spark.yarn.executor.memoryOverhead. Add it to your own command: the peak that the message shows and some room.",
        ),
        Fix("Or let each executor hold less: fewer cores and tasks for each (--executor-cores), smaller batches, smaller shuffle buffers"),
        Fix(
            "Where it is the virtual memory that is too much, have the cluster's administrator switch that check off",
            note="yarn.nodemanager.vmem-check-enabled=false in yarn-site.xml: TensorFlow maps much that it does not use.",
        ),
    ),
)  # fmt: skip

_ALONE_BEFORE = Meaning(
    "A strategy for several workers makes this process a task of a cluster when it is created, and renames its devices: /job:worker in place of /job:localhost. A data set, a variable or a tensor that TensorFlow made before that still names the old devices, and can't be found under them.",
    (
        Fix(
            "Make the strategy before anything else of TensorFlow, right behind the imports and TF_CONFIG",
            note="In your files: strategy = tf.distribute.MultiWorkerMirroredStrategy() first; then data sets, models and metrics, the last two within strategy.scope().",
        ),
        Fix("Look for what is made while other files are imported: a constant, an optimizer or a model at the top of a module counts, too"),
    ),
)  # fmt: skip
_NO_SERVER = Meaning(
    "The graph, or a file that it was saved in, names a task of a cluster as the place of its operations, and the process knows only its own devices. With a parameter server each process starts a server and hands its address to the session; a saved graph keeps the names of the cluster that it was trained in.",
    (
        Fix("In training, hand the server to the session", note="In your files: server = tf.train.Server(cluster, job_name, task_index), then tf.train.MonitoredTrainingSession(master=server.target) or tf.Session(server.target)."),
        Fix("Of a saved graph, leave the names out when it is read", note="In your files: tf.train.import_meta_graph(FILE, clear_devices=True); tf.compat.v1.train in TensorFlow 2."),
    ),
)  # fmt: skip
OF_CLUSTERS: Mapping[str, Meaning] = {
    "collectives-after-start": _COLLECTIVES,
    "job-of-another-cluster": _ALONE_BEFORE,
    "job-without-a-server": _NO_SERVER,
    "kubernetes-insufficient-gpu": _NO_FREE_GPU,
    "horovod-shut-down": _SHUT_DOWN,
    "toolkit-without-nvml": _WITHOUT_NVML,
    "yarn-memory": _YARN,
    "yarn-memory-limit": _YARN,
    "yarn-memory-limit-3": _YARN,
    "yarn-beyond": _YARN,
    "device-plugin-without-nvml": _PLUGIN,
    "dataflow-worker-gone": _DATAFLOW,
    "horovod-slots": _HOSTS,
    "horovod-part-missing": _OTHER_PYTHON,
    "toolkit-reads-no-requirement": _OLD_TOOLKIT,
}
"""By the signature's name."""
TITLES_OF_CLUSTERS = {
    "collectives-after-start": "MultiWorkerMirroredStrategy was made after TensorFlow had started: it has to come first.",
    "device-plugin-without-nvml": "NVIDIA's device plug-in for Kubernetes finds no NVIDIA driver in its container (no NVIDIA runtime), so it offers no GPU.",
    "dataflow-worker-gone": "Worker processes of the Dataflow job were lost (SDK harness), mostly because the memory of their machine ran out.",
    "horovod-slots": "horovodrun was given fewer places (slots) than processes, and started nothing.",
    "horovod-part-missing": "The Python that horovodrun reached on another machine has no horovod, or another release of it.",
    "kubernetes-insufficient-gpu": "No node of the Kubernetes cluster has a free GPU that it may give to this pod.",
    "job-of-another-cluster": "Something was placed before the strategy for several workers was made: its device names are of a process that works alone.",
    "job-without-a-server": "The program places operations on a task of a cluster, and this process belongs to none: it has no server, or the session was not told of it.",
}
"""By the signature's name."""
