"""Programs of several processes, and notebooks: one part dies, another tells of it."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, JUPYTER, LIKELY, NATIVE, POSSIBLE, PYTHON, Signature
from tfdoctor.signatures.sources import NCCL, SEVERAL_FILES, WHEELS

_lost = partial(Signature, code="worker-lost")
_kernel = partial(Signature, code="jupyter-kernel-died", speaker=JUPYTER)

SIGNATURES = (
    _lost(
        "collective-aborted",
        anchor="Collective ops is aborted by: ",
        form=r"Collective ops is aborted by: (?P<message>.{0,300})",
        speaker=EXCEPTION,
        samples=("tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: failed to connect to all addresses",),
        near=("Collective ops are used",),
        releases="2.2 to 2.21",
        sources=(WHEELS,),
    ),
    _lost(
        "heartbeat-timeout",
        anchor=" heartbeat timeout. This indicates that the remote task has failed",
        form=r"(?:(?P<process>/job:\S{1,100}) )?heartbeat timeout\. This indicates that the remote task has failed",
        samples=("UNAVAILABLE: /job:worker/replica:0/task:1 heartbeat timeout. This indicates that the remote task has failed, got preempted, or crashed unexpectedly. Check the task logs for an earlier error to debug further.",),
        near=("the heartbeat is every 10 s",),
        releases="2.9 to 2.21",
        sources=(WHEELS,),
    ),
    _lost(
        "barrier-timeout",
        anchor="arrier timed out",
        form=r"[Bb]arrier timed out\.",
        sure=LIKELY,
        samples=("DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: WaitForAllTasks", "INTERNAL: Shutdown barrier timed out. Check the task logs for an earlier error."),
        near=("the barrier was passed",),
        releases="2.9 to 2.21",
        sources=(WHEELS,),
    ),
    _lost(
        "horovod-shut-down",
        anchor="Horovod has been shut down",
        speaker=EXCEPTION,
        samples=("horovod.common.exceptions.HorovodInternalError: Horovod has been shut down. This was caused by an exception on one of the ranks or an attempt to allreduce, allgather or broadcast a tensor after one of the ranks finished execution.",),
        near=("Horovod has been initialized",),
    ),
    _lost(
        "nccl-remote-exit",
        anchor="remote process exited or there was a network error",
        speaker=NATIVE,
        samples=("NCCL: remote process exited or there was a network error",),
        near=("the remote process is alive",),
        sources=(NCCL,),
    ),
    _lost(
        "mpi-rank-exited",
        anchor="mpirun noticed that process rank ",
        form=r"mpirun noticed that process rank (?P<process>\d{1,9}) with PID (?P<pid>\d{1,10}) on node (?P<host>[\w.-]{1,255}) exited on signal (?P<signal>\d{1,3})",
        speaker=NATIVE,
        samples=("mpirun noticed that process rank 1 with PID 4242 on node n17 exited on signal 9 (Killed).",),
        near=("mpirun was started with 4 ranks",),
    ),
    _lost(
        "ray-actor-died",
        anchor="he actor died unexpectedly before finishing this task",
        speaker=EXCEPTION,
        samples=("ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.",),
        near=("The actor finished this task",),
    ),
    _lost(
        "ray-worker-died",
        anchor="he worker died unexpectedly while executing this task",
        speaker=EXCEPTION,
        samples=("ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this task. Check python-core-worker-*.log files for more information.",),
        near=("The worker executes this task",),
    ),
    _lost(
        "ray-worker-killed",
        anchor="worker died or was killed",
        form=r"worker died or was killed (?:while executing a task )?by an unexpected system error(?:.{0,600}?Worker IP address: (?P<host>[\d.]{7,15}))?(?:.{0,100}?Worker PID: (?P<pid>\d{1,10}))?",
        speaker=PYTHON,
        samples=(
            "2022-04-26 00:04:39,922 WARNING worker.py:1245 -- A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. RayTask ID: ff05 Worker ID: da8e Node ID: 5d92 Worker IP address: 10.21.0.101 Worker port: 15016 Worker PID: 213026",
            "(raylet) A worker died or was killed while executing a task by an unexpected system error.",
        ),
        near=("the worker was killed on purpose",),
        releases="Ray 1 and 2",
        sources=("intel/ipex-llm#4502 (2022-04)", "ray-project/ray#26007 (2022-06)", "verl-project/verl#472 (2025)"),
    ),
    _lost(
        "ray-actor-dead",
        anchor="he actor is dead because its worker process has died",
        speaker=EXCEPTION,
        samples=("The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.",),
        near=("The actor is dead because it was killed by `ray.kill`.",),
        releases="Ray 2",
        sources=("verl-project/verl#4921 (2025)", "AgentR1/Agent-R1#33 (2025)"),
    ),
    _lost(
        "grpc-peer-closed",
        anchor="error information from remote target /job:",
        form=r"Additional GRPC error information from remote target (?P<process>/job:\w{1,40}/replica:\d{1,6}/task:\d{1,6})",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("Additional GRPC error information from remote target /job:ps/replica:0/task:0/device:CPU:0:", "Additional GRPC error information from remote target /job:worker/replica:0/task:2:"),
        near=("Additional GRPC error information:",),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#57760 (2022-09)",),
    ),
    _lost(
        "grpc-socket-closed",
        anchor="ocket closed",
        form=r"(?:[Uu]navailable(?:Error)?|UNAVAILABLE|grpc_message\W{1,6}|status = \S{0,14})[\s:\"']{0,8}[Ss]ocket closed",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=(
            "tensorflow.python.framework.errors_impl.UnavailableError: Socket closed",
            'W tensorflow/core/distributed_runtime/rpc/grpc_remote_master.cc:160] RPC failed with status = "Unavailable: Socket closed" and grpc_error_string = "{}"',
            ':{"created":"@1663638747.95","description":"Error received from peer ipv4:10.244.14.61:2222","grpc_message":"Socket closed","grpc_status":14}',
        ),
        near=("INFO websocket closed by the client", "the socket closed normally"),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#46007 (2020-12)", "tensorflow/tensorflow#42228 (2020-08)", "tensorflow/tensorflow#57760 (2022-09)"),
    ),
    _lost(
        "grpc-connection-lost",
        anchor="navailable",
        form=r"[Uu]navailable(?:Error)?:\s{0,3}(?:[\w ]{1,40}: )?(?:Connection reset by peer|Endpoint read failed|Stream removed|Transport closed|Broken pipe|recvmsg:)",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=(
            "tensorflow.python.framework.errors_impl.UnavailableError: Connection reset by peer",
            "UnavailableError: Endpoint read failed",
            "Unavailable: Stream removed",
        ),
        near=("UnavailableError: Service Unavailable", "requests: Connection reset by peer", "unavailable: the pipe"),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#46007 (2020-12)",),
    ),
    _lost(
        "ray-node-died",
        anchor="DiedError: ",
        form=r"(?:LocalRayletDiedError|NodeDiedError): (?P<message>.{1,200})",
        speaker=EXCEPTION,
        samples=(
            "ray.exceptions.LocalRayletDiedError: The task's local raylet died. Check raylet.out for more information.",
            "ray.exceptions.NodeDiedError: Task failed due to the node (where this task was running)  was dead or unavailable.",
        ),
        near=("ray.exceptions.RayActorError: The actor died because of an error raised in its creation task",),
        releases="Ray 1.9 and newer",
    ),
    _lost(
        "process-pool-broken",
        anchor="A process in the process pool was terminated abruptly",
        speaker=EXCEPTION,
        samples=("concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.",),
        near=("A process in the pool",),
    ),
    _lost(
        "joblib-worker-terminated",
        anchor="A worker process managed by the executor was unexpectedly terminated",
        speaker=EXCEPTION,
        samples=("joblib.externals.loky.process_executor.TerminatedWorkerError: A worker process managed by the executor was unexpectedly terminated. This could be caused by a segmentation fault while calling the function or by an excessive memory usage causing the Operating System to kill the worker.",),
        near=("A worker process managed by the executor",),
    ),
    _lost(
        "peer-unavailable",
        anchor="failed to connect to all addresses",
        speaker=EXCEPTION,
        sure=POSSIBLE,
        samples=("UnavailableError: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.2:2222: Failed to connect to remote host: Connection refused",),
        near=("connected to all addresses",),
    ),
    Signature(
        "colab-memory",
        "container-oom-killed",
        "Your session crashed after using all available RAM",
        speaker=JUPYTER,
        samples=("Your session crashed after using all available RAM.",),
        near=("Your session crashed for an unknown reason.",),
    ),
    *(
        _kernel(name, anchor=anchor, samples=samples, near=("The kernel is idle",), sources=sources)
        for name, anchor, samples, sources in (
            ("kernel-appears-dead", "he kernel appears to have died", ("The kernel appears to have died. It will restart automatically.", "The kernel appears to have died and will restart automatically."), ()),
            ("kernel-restarter", "KernelRestarter: restarting kernel", ("[W 2024-05-01 12:00:00.000 ServerApp] AsyncIOLoopKernelRestarter: restarting kernel (1/5), keep random ports", "[I 12:00:00.000 NotebookApp] KernelRestarter: restarting kernel (1/5), keep random ports"), (SEVERAL_FILES,)),
            ("kernel-dead-error", "DeadKernelError", ("nbclient.exceptions.DeadKernelError: Kernel died",), ()),
            ("kernel-crashed-cell", "he Kernel crashed while executing code in the", ("The Kernel crashed while executing code in the current cell or a previous cell. Please review the code in the cell(s) to identify a possible cause of the failure.", "The Kernel crashed while executing code in the the current cell or a previous cell."), (SEVERAL_FILES,)),
            ("kernel-future-cancelled", "anceled future for execute_request message before replies were done", ("Canceled future for execute_request message before replies were done",), (SEVERAL_FILES,)),
            ("kernel-session-crashed", "Your session crashed for an unknown reason", ("Your session crashed for an unknown reason.",), ()),
        )
    ),
)  # fmt: skip
