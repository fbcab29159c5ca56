"""What starts the processes of a job, or gives them their share, and could not: Open MPI, Horovod, Ray, LSF."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, NATIVE, PYTHON, SCHEDULER, Signature

_not_started = partial(Signature, code="command-not-started", speaker=NATIVE)
_unreached = partial(Signature, code="worker-lost", speaker=NATIVE, sure=LIKELY)

SIGNATURES = (
    _not_started(
        "mpi-slots",
        anchor="There are not enough slots available in the system",
        also=("was requested, but not enough node entries",),
        form=r"There are not enough slots available in the system(?: to satisfy the (?P<number>\d{1,6}))?|sequential map was requested, but not enough node entries",
        samples=(
            "There are not enough slots available in the system to satisfy the 4",
            "There are not enough slots available in the system to satisfy the 2 slots",
            "A sequential map was requested, but not enough node entries",
        ),
        near=("there are enough slots available in the system",),
        releases="Open MPI 1.6 to 5",
        sources=("horovod/horovod#1042 (2019-05)", "horovod/horovod#1691 (2020-01)"),
    ),
    _not_started(
        "mpi-as-root",
        anchor="has detected an attempt to run as root",
        samples=("mpirun has detected an attempt to run as root.", "prterun has detected an attempt to run as root."),
        near=("mpirun runs as root",),
        releases="Open MPI 1.8 to 5",
    ),
    _unreached(
        "mpi-no-route",
        anchor="does not know how to route a message to the specified daemon",
        form=r"[OP]RTE does not know how to route a message to the specified daemon",
        samples=("ORTE does not know how to route a message to the specified daemon",),
        near=("the message was routed to the daemon",),
        releases="Open MPI 3 and 4",
        sources=("horovod/horovod#1850 (2020-04)",),
    ),
    _unreached(
        "mpi-daemon-not-started",
        anchor="RTE was unable to reliably start one or more daemons",
        also=("died unexpectedly with status ",),
        form=r"[OP]RTE was unable to reliably start one or more daemons|A daemon \(pid \d{1,10}\) died unexpectedly with status \d{1,3} while attempting",
        samples=("ORTE was unable to reliably start one or more daemons.", "A daemon (pid 4242) died unexpectedly with status 127 while attempting"),
        near=("ORTE started one or more daemons",),
        releases="Open MPI 1 to 4",
    ),
    _unreached(
        "mpi-peer-refused",
        anchor="mca_btl_tcp_endpoint_complete_connect",
        form=r"mca_btl_tcp_endpoint_complete_connect\] connect\(\) to (?P<host>[\d.:a-f]{3,45}) failed: (?P<message>.{1,60})",
        samples=("[n1][[9281,1],1][btl_tcp_endpoint.c:796:mca_btl_tcp_endpoint_complete_connect] connect() to 192.168.118.0 failed: No route to host (113)",),
        near=("mca_btl_tcp_endpoint_complete_connect is called",),
        releases="Open MPI 1 to 4",
        sources=("horovod/horovod#195 (2018-03)",),
    ),
    _unreached(
        "mpi-rank-status",
        anchor="detected that one or more processes exited with non-zero status",
        form=r"(?P<process>mpirun|mpiexec|prterun|Gloo job|Horovod) detected that one or more processes exited with non-zero status",
        samples=(
            "mpirun detected that one or more processes exited with non-zero status, thus causing",
            "RuntimeError: Gloo job detected that one or more processes exited with non-zero status, thus causing the job to be terminated. The first process to do so was:",
            "Horovod detected that one or more processes exited with non-zero status, thus causing the job to be terminated. The first process to do so was:",
        ),
        near=("the shell detected that one process exited",),
        releases="Open MPI 1 to 5, Horovod 0.19 and newer",
    ),
    Signature(
        "horovod-not-built",
        "package-import-failed",
        " has not been built",
        form=r"Extension (?P<module>horovod\.(?P<package>\w{2,20})) has not been built",
        speaker=EXCEPTION,
        samples=(
            "ImportError: Extension horovod.tensorflow has not been built.  If this is not expected, reinstall Horovod with HOROVOD_WITH_TENSORFLOW=1 to debug the build error.",
            "ImportError: Extension horovod.torch has not been built: /x/horovod/torch/mpi_lib_v2.cpython-37m-x86_64-linux-gnu.so not found",
        ),
        near=("Extension module _foo has not been built",),
        releases="Horovod 0.11 to 0.28",
        sources=("horovod/horovod#551 (2022-05)", "athena-team/athena#63 (2020-03)", "horovod/horovod#1034 (2019-04)"),
    ),
    Signature(
        "ray-memory-monitor",
        "host-memory-exhausted",
        "RayOutOfMemoryError",
        form=r"RayOutOfMemoryError(?:: More than \d{1,3}% of the memory on node \S{1,64} is used \((?P<used>[\d.]{1,12}) / (?P<total>[\d.]{1,12}) GB\))?",
        speaker=EXCEPTION,
        samples=(
            "ray.memory_monitor.RayOutOfMemoryError: More than 95% of the memory on node Local is used (15.98 / 16.82 GB). The top 5 memory consumers are:",
            "ray.exceptions.RayTaskError(RayOutOfMemoryError): ray::MADDPG.train() (pid=31584, ip=10.0.0.4)",
        ),
        near=("ray.exceptions.RayActorError: The actor died unexpectedly",),
        releases="Ray 0.6 to 1",
        sources=("ray-project/ray#4877 (2019-05)", "wsjeon/maddpg-rllib#7 (2020-01)", "yuta0821/agent57_pytorch#2 (2022-06)"),
    ),
    Signature(
        "ray-memory-pressure",
        "host-memory-exhausted",
        " killed due to memory pressure (OOM)",
        form=r"(?P<number>\d{1,6}) Workers \(tasks / actors\) killed due to memory pressure \(OOM\)",
        speaker=PYTHON,
        samples=("(raylet) [2023-07-23 15:21:29,851 E 9751 9751] (raylet) node_manager.cc:3084: 4 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: b287, IP: 172.28.0.12) over the last time period.",),
        near=("0 Workers crashed due to other reasons",),
        releases="Ray 2",
        sources=("flwrlabs/flower#2157 (2023-07)",),
    ),
    Signature(
        "ray-lacks-resources",
        "stalled",
        "Insufficient cluster resources to launch trial",
        also=(" can fulfill resource request", "cannot be scheduled right now"),
        form=r"Insufficient cluster resources to launch trial: trial requested (?P<requested>[^.]{1,20}(?:\.\d[^.]{1,20}){0,3}?) but the cluster has only (?P<total>\d[^.]{1,60})|No available node types can fulfill resource request|(?:task|actor|request) .{0,120}cannot be scheduled right now",
        speaker=PYTHON,
        sure=LIKELY,
        samples=(
            "ray.tune.error.TuneError: Insufficient cluster resources to launch trial: trial requested 1 CPUs, 0.5 GPUs but the cluster has only 0 CPUs, 0 GPUs, 0.0 GiB heap, 0.0 GiB objects.",
            "(autoscaler +8s) Error: No available node types can fulfill resource request {'GPU': 1.0}. Add suitable node types to this cluster to resolve this issue.",
            "WARNING worker.py:1404 -- The actor or task with ID ffff cannot be scheduled right now. You can ignore this message if this Ray cluster is expected to auto-scale or if you specified a runtime_env for this actor or task",
        ),
        near=("the pod can be scheduled right now",),
        releases="Ray 0.8 to 2",
        sources=("ray-project/ray#10756 (2020-09)",),
    ),
    *(
        Signature(
            name, code, anchor, form=form, speaker=SCHEDULER, samples=(sample,), near=("the terminal has ended", "TERM_PROGRAM=vscode"),
            releases="LSF 7 to 10", sources=sources,
        )
        for name, code, anchor, form, sample, sources in (
            ("lsf-other-limit", "scheduler-killed", "job killed after reaching LSF ", r"TERM_(?P<value>CPULIMIT|THREADLIMIT|PROCESSLIMIT|SWAP): job killed after reaching LSF (?P<message>[\w ]{2,30}) limit", "TERM_THREADLIMIT: job killed after reaching LSF thread limit.", ("cdanielmachado/carveme#34 (2018-09)",)),
            ("lsf-by-somebody", "killed-by-user", "job killed by ", r"TERM_(?:FORCE_)?(?P<value>OWNER|ADMIN): job killed by (?:the )?(?P<message>owner|root or LSF administrator)", "TERM_OWNER: job killed by owner.", ()),
        )
    ),
)  # fmt: skip
