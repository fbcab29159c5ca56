"""What keeps a program from being started at all: Docker's daemon, Apptainer, Slurm, Kubernetes, a port that is taken."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import CONTAINER, EXCEPTION, FACT, LIKELY, SCHEDULER, Signature
from tfdoctor.signatures.sources import NCCL

_not_started = partial(Signature, code="command-not-started", speaker=CONTAINER)

SIGNATURES = (
    _not_started(
        "docker-no-permission",
        anchor="ermission denied while trying to connect to the ",
        form=r"[Pp]ermission denied while trying to connect to the [Dd]ocker (?:daemon socket|API) at (?P<file>\S{1,200})",
        samples=("docker: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get \"http://%2Fvar%2Frun%2Fdocker.sock/v1.24/containers/json\": dial unix /var/run/docker.sock: connect: permission denied.",),
        near=("Permission denied while trying to connect to the database",),
    ),
    _not_started(
        "docker-port-taken",
        anchor="port is already allocated",
        form=r"Bind for (?P<value>[\d.:\[\]a-f]{3,50}) failed: port is already allocated",
        samples=("docker: Error response from daemon: driver failed programming external connectivity on endpoint tf (4f): Bind for 0.0.0.0:8888 failed: port is already allocated.",),
        near=("the port is already allocated to the service",),
    ),
    Signature(
        "address-in-use",
        "python-exception",
        "ddress already in use",
        also=("Could not start gRPC server",),
        form=r"\[Errno (?:98|48)\] (?:[\w ]{0,60}: )?[Aa]ddress already in use|\"description\":\"Address already in use\"|bind: [Aa]ddress already in use|Could not start gRPC server",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=(
            "OSError: [Errno 98] Address already in use",
            "tensorflow.python.framework.errors_impl.UnknownError: Could not start gRPC server",
            '{"created":"@1579400000.0","description":"Failed to add any wildcard listeners","referenced_errors":[{"description":"Address already in use","errno":98}]}',
        ),
        near=("Warning: address already in use, trying the next port",),
        releases="1.x to 2.21",
    ),
    Signature(
        "slurm-refused",
        "command-not-started",
        ": error: ",
        form=r"(?P<process>srun|sbatch|salloc): error: (?P<message>(?:Batch job submission failed|Unable to (?:allocate resources|create step for job \d{1,12})|[Ii]nvalid (?:partition|generic resource|account|qos)).{0,150})",
        speaker=SCHEDULER,
        samples=(
            "sbatch: error: Batch job submission failed: Requested node configuration is not available",
            "srun: error: Unable to create step for job 1234: Invalid generic resource (gres) specification",
            "salloc: error: Unable to allocate resources: Invalid account or account/partition combination specified",
        ),
        near=("srun: error: n17: task 0: Exited with exit code 1", "slurmstepd: error: Detected 1 oom-kill event(s)"),
        releases="Slurm 2 to 26",
    ),
    Signature(
        "slurm-execve",
        "command-not-started",
        "error: execve(): ",
        form=r"(?:slurmstepd\S{0,40}|srun): error: execve\(\): (?P<process>[^\s:]{1,300}): (?P<message>No such file or directory|Permission denied|Exec format error)",
        speaker=SCHEDULER,
        samples=("slurmstepd: error: execve(): python: No such file or directory", "slurmstepd-n17: error: execve(): ./train.py: Permission denied"),
        near=("error: execve(): is not called",),
        releases="Slurm 14 to 26",
    ),
    Signature(
        "kubernetes-unschedulable",
        "stalled",
        " nodes are available: ",
        form=r"\b0/(?P<number>\d{1,5}) nodes are available: (?P<message>.{1,200}?(?:Insufficient (?:cpu|memory|ephemeral-storage|hugepages)|untolerated taint|node selector|node affinity|unbound).{0,100})",
        unless=("Insufficient nvidia.com/gpu",),
        speaker=SCHEDULER,
        sure=LIKELY,
        samples=("  Warning  FailedScheduling  3s  default-scheduler  0/4 nodes are available: 4 Insufficient memory. preemption: 0/4 nodes are available",),
        near=("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "3/3 nodes are available: none is needed"),
    ),
    Signature(
        "kubernetes-crash-loop",
        "exited-nonzero",
        "CrashLoopBackOff",
        also=("Back-off restarting failed container",),
        form=r"\d/\d\s{1,20}CrashLoopBackOff|[Rr]eason:\s{1,20}CrashLoopBackOff|Back-off restarting failed container",
        speaker=SCHEDULER,
        sure=LIKELY,
        samples=(
            "tf-serving-6d5f8-abcde   0/1     CrashLoopBackOff   7          12m",
            "      Reason:       CrashLoopBackOff",
            "  Warning  BackOff    2m  kubelet  Back-off restarting failed container",
        ),
        near=("CrashLoopBackOff is a state of a pod",),
    ),
    Signature(
        "replica-out-of-memory",
        "container-oom-killed",
        " ran out-of-memory and exited with a non-zero status of ",
        form=r"The replica (?P<process>[\w -]{1,60}) ran out-of-memory and exited with a non-zero status of (?P<number>\d{1,3})",
        speaker=SCHEDULER,
        samples=("The replica workerpool0-0 ran out-of-memory and exited with a non-zero status of 137(SIGKILL). To find out more about why your job exited please check the logs", "The replica master 0 ran out-of-memory and exited with a non-zero status of 9(SIGKILL)."),
        near=("The replica master 0 exited with a non-zero status of 1.",),
        releases="Google AI Platform and Vertex AI",
    ),
    Signature(
        "java-heap",
        "host-memory-exhausted",
        "java.lang.OutOfMemoryError",
        form=r"java\.lang\.OutOfMemoryError(?:: (?P<message>Java heap space|GC overhead limit exceeded|Direct buffer memory|Metaspace|unable to create (?:new )?native thread))?",
        speaker=EXCEPTION,
        samples=("Caused by: java.lang.OutOfMemoryError: Java heap space", "java.lang.OutOfMemoryError: GC overhead limit exceeded"),
        near=("the java heap is large",),
    ),
    Signature(
        "grpc-http1-server",
        "worker-lost",
        "Trying to connect an http1.x server",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.UnavailableError: Trying to connect an http1.x server",),
        near=("Trying to connect to the server",),
    ),
    Signature(
        "horovod-version-differs",
        "custom-op-mismatch",
        "HorovodVersionMismatchError",
        form=r"HorovodVersionMismatchError: Framework (?P<package>\w{2,30}) installed with version (?P<wanted>[\w.+]{1,30}) but found version (?P<version>[\w.+]{1,30}?)\.?(?:\s|$)",
        speaker=EXCEPTION,
        samples=("horovod.common.exceptions.HorovodVersionMismatchError: Framework tensorflow installed with version 2.9.1 but found version 2.10.0. This can result in unexpected behavior including runtime errors.",),
        near=("HorovodInternalError: ncclAllReduce failed",),
        releases="Horovod 0.21 and newer",
    ),
    Signature(
        "triton-not-loaded",
        "python-exception",
        "failed to load '",
        form=r"failed to load '(?P<process>[\w./-]{1,100})' version (?P<number>\d{1,9}): (?P<message>.{1,250})",
        sure=LIKELY,
        samples=("E0511 01:22:37.728144 1 model_lifecycle.cc:597] failed to load 'resnet' version 1: Internal: unable to create TensorRT engine",),
        near=("it failed to load 'resnet'",),
        releases="Triton Inference Server 20 to 24",
    ),
    *(
        Signature(
            name, "rocm-gpu-unsupported", anchor, form=form, speaker=CONTAINER, samples=(sample,), near=("the GPU arch is gfx1030",),
            releases="ROCm 4 to 6",
        )
        for name, anchor, form, sample in (
            ("rocblas-no-arch", "rocBLAS error: Cannot read ", r"rocBLAS error: Cannot read (?P<file>\S{1,200}): (?:Illegal seek|No such file or directory) for GPU arch : (?P<value>gfx\w{3,6})", "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1035"),
            ("hip-invalid-function", "hipErrorInvalidDeviceFunction", "", "HIP error: hipErrorInvalidDeviceFunction"),
        )
    ),
    _not_started(
        "wsl-without-adapter",
        code="driver-missing",
        anchor="WSL environment detected but no adapters were found",
        samples=("nvidia-container-cli: initialization error: WSL environment detected but no adapters were found: unknown",),
        near=("WSL environment detected",),
    ),
    Signature(
        "nccl-duplicate-gpu",
        "nccl-failed",
        "Duplicate GPU detected",
        form=r"Duplicate GPU detected : rank (?P<number>\d{1,6}) and rank (?P<value>\d{1,6}) both on CUDA device (?P<device>\w{1,20})",
        samples=("n17:1234:1300 [0] NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 3b000",),
        near=("Duplicate GPU names are listed",),
        releases="NCCL 2.5 and newer",
        sources=(NCCL,),
    ),
    *(
        Signature(name, "", anchor, form=form, role=FACT, speaker=CONTAINER, samples=(sample,), near=(near,))
        for name, anchor, form, sample, near in (
            ("docker-refused", "Error response from daemon: ", r"Error response from daemon: (?P<message>.{1,400})", "docker: Error response from daemon: manifest for tensorflow/tensorflow:2.99 not found: manifest unknown: manifest unknown.", "no response from daemon"),
            ("toolkit-refused", "nvidia-container-cli", r"nvidia-container-cli(?:\.real)?: (?P<message>[\w ]{3,40} error: .{1,300})", "nvidia-container-cli: mount error: open failed: /sys/fs/cgroup/devices/devices.allow: permission denied: unknown.", "nvidia-container-cli -k -d /dev/tty info"),
            ("apptainer-refused", "FATAL:   ", r"FATAL: {3}(?P<message>\S.{1,300})", "FATAL:   container creation failed: mount hook function failure", "FATAL: kernel too old"),
        )
    ),
)  # fmt: skip
