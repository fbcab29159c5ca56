"""What could not be started, or was asked for more than there is: processes by Open MPI, Horovod and Ray, kernels on the GPU."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_SLOTS = Meaning(
    "mpirun starts no more processes on a machine than it was given places (slots) there: by -H host:slots, by a host file, by the scheduler's allocation, or "
    "by the number of cores. It was asked for more, so it started nothing. TensorFlow has no part in that.",
    (
        Fix(
            "Say how many processes each machine may have, or ask for fewer",
            ("mpirun -np 2 -H localhost:2 -bind-to none -map-by slot python train.py",),
            "horovodrun -np 2 -H localhost:2 python train.py does the same. Under Slurm, ask for as many tasks: --ntasks.",
        ),
        Fix(
            "See whether a setting of Open MPI changes how it counts. It changes nothing",
            ("env | grep -E '^(OMPI|PRTE|PMIX)_'",),
            "A variable OMPI_MCA_rmaps that says seq, for instance, asks for a line of the host file for each process.",
        ),
        Fix(
            "Or let it start more processes than there are places, for a test on the processor",
            ("mpirun --oversubscribe -np 2 python train.py",),
        ),
    ),
)
_AS_ROOT = Meaning(
    "Open MPI starts nothing for root unless it is told to: inside of a container that is mostly meant.",
    (
        Fix(
            "Inside of a container, allow it",
            ("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",),
            "mpirun --allow-run-as-root does the same for one start.",
        ),
        Fix("Elsewhere, start it as a user of your own"),
    ),
)
_DAEMON = Meaning(
    "mpirun starts a daemon of its own on each machine, by ssh or by the scheduler, and these talk with each other. On one machine it could not be started, or the "
    "others can't reach it: the name does not resolve there, ssh asks for a password, Open MPI is not found or is another release there, a firewall or another network stands between.",
    (
        Fix(
            "Start a command without MPI's exchange on each of the machines: it has to print all their names and ask nothing",
            ("mpirun -np 2 -H worker-1:1,worker-2:1 hostname",),
            "Put your machines' names in place of worker-1 and worker-2. ssh worker-2 hostname has to work without a question, too.",
        ),
        Fix(
            "See that all machines have the same Open MPI, found by a shell that ssh starts",
            ("mpirun --version", "ssh worker-2 mpirun --version"),
        ),
        Fix(
            "Name the network that joins the machines, and have the daemons talk directly",
            ("mpirun -mca btl_tcp_if_include eth0 -mca oob_tcp_if_include eth0 -mca routed direct -np 2 -H worker-1:1,worker-2:1 hostname",),
            "`ip -brief address` lists the networks' names. In pods of Kubernetes each name has to resolve in every pod.",
        ),
    ),
)  # fmt: skip
_RANK = Meaning(
    "One process of the job ended with an error, and the launcher ended the others for that. Why the first one ended stands in what it printed itself, above or in its own log.",
    (
        Fix("Read what the process that is named first printed last. It changes nothing"),
        Fix(
            "Have each rank's output kept in a file of its own",
            ("mpirun --output-filename ranks -np 2 python train.py",),
            "horovodrun has --output-filename, too.",
        ),
    ),
)
_HOROVOD = Meaning(
    "Horovod is built on your machine by pip, for the frameworks that pip finds at that moment, and leaves out quietly what it can't build: TensorFlow was not installed yet, "
    "was another one than now, or a compiler, CMake or MPI was missing. Installed again, with TensorFlow's part asked for, it says what is missing.",
    (
        Fix(
            "Build Horovod again, with TensorFlow's part; if that fails, the output says why",
            (f"HOROVOD_WITH_TENSORFLOW=1 {PYTHON} -m pip install --no-cache-dir --force-reinstall --no-deps --no-build-isolation 'horovod[tensorflow]'",),
            "It needs g++ and CMake, and the TensorFlow that it shall work with has to be installed before. With NCCL: HOROVOD_GPU_OPERATIONS=NCCL in front, too.",
        ),
        Fix("See what the installed Horovod was built with. It changes nothing", ("horovodrun --check-build",)),
    ),
)  # fmt: skip
_RAY_MEMORY = Meaning(
    "Ray looks after the memory (RAM) of its machine, and stops a task when nearly all of it is used. The message lists the processes that hold most: mostly many workers, each with its own "
    "copy of the model and its data, a large replay buffer, or Ray's own store of objects.",
    (
        Fix(
            "Let fewer workers run at once, and see that the memory stays below the limit",
            note='In your files: fewer num_workers (RLlib), resources_per_trial={"cpu": 2} (Tune), a smaller replay buffer or train batch.',
        ),
        Fix(
            "Give Ray's store of objects less, which counts as memory, too",
            note="In your files: ray.init(object_store_memory=2_000_000_000)",
        ),
        Fix("Watch the memory while it runs: what grows without an end is a leak of that process. It changes nothing", ("free -h", "ray memory")),
    ),
)  # fmt: skip
_RAY_RESOURCES = Meaning(
    "A task of Ray waits until a machine of the cluster has free all that it asks for, and none has: more GPUs or cores than there are, other trials that hold them, or machines that "
    "Ray has lost (with 0 CPUs and 0 GPUs in the cluster, the machine that gave them is gone, mostly because its memory ran out).",
    (
        Fix("See what the cluster has, and who holds it. It changes nothing", ("ray status",)),
        Fix(
            "Ask for no more than one machine has",
            note='In your files: resources_per_trial={"cpu": 1, "gpu": 1} (Tune), @ray.remote(num_gpus=1), num_gpus=0 where no GPU is needed.',
        ),
        Fix(
            "Where it has lost machines: see whether their memory ran out",
            ("sudo dmesg -T | grep -i -E 'killed process|out of memory'",),
        ),
    ),
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

OF_LAUNCHERS: Mapping[str, Meaning] = {
    "launch-configuration": _CONFIGURATION,
    "driver-query-failed": _QUERY,
    "driver-attribute-unknown": _ATTRIBUTE,
    "mpi-slots": _SLOTS,
    "mpi-as-root": _AS_ROOT,
    "mpi-no-route": _DAEMON,
    "mpi-daemon-not-started": _DAEMON,
    "mpi-peer-refused": _DAEMON,
    "mpi-rank-status": _RANK,
    "horovod-not-built": _HOROVOD,
    "ray-memory-monitor": _RAY_MEMORY,
    "ray-memory-pressure": _RAY_MEMORY,
    "ray-lacks-resources": _RAY_RESOURCES,
}
"""By the signature's name."""
