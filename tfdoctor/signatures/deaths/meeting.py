"""Tasks of one cluster that do not meet: one of them waited for another for as long as it may."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, LOG, NATIVE, POSSIBLE, PYTHON, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_unmet = partial(Signature, code="worker-lost", sure=LIKELY)

_STRATEGY = "tensorflow/tensorflow:python/distribute/collective_all_reduce_strategy.py (2026-11)"

SIGNATURES = (
    _unmet(
        "grpc-deadline",
        anchor="eadline ",
        also=("EADLINE_EXCEEDED", "eadlineExceeded"),
        form=r"\"description\":\"Deadline Exceeded\"|\bStartAbort (?:DEADLINE_EXCEEDED|Deadline exceeded): |context_distributed_manager\.cc:\d{1,5}\] Deadline Exceeded|DeadlineExceededError: (?:Deadline Exceeded|.{0,80}(?:GRPC|gRPC|/job:))|Coordination (?:service )?agent .{0,60}DEADLINE_EXCEEDED",
        speaker=LOG,
        samples=(
            "E tensorflow/core/common_runtime/base_collective_executor.cc:249] BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Deadline Exceeded",
            ':{"created":"@1685013057.93","description":"Deadline Exceeded","file":"external/com_github_grpc_grpc/src/core/ext/filters/deadline/deadline_filter.cc","file_line":69,"grpc_status":4}',
            "E tensorflow/core/common_runtime/eager/context_distributed_manager.cc:737] Deadline Exceeded",
            "tensorflow.python.framework.errors_impl.DeadlineExceededError: Deadline Exceeded",
            "E external/xla/xla/pjrt/distributed/client.cc:96] Coordination service agent in error status: DEADLINE_EXCEEDED: Deadline Exceeded",
        ),
        near=("google.api_core.exceptions.DeadlineExceeded: 504 Deadline Exceeded", "the deadline was met", "grpc_message: Socket closed"),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#60706 (2023-05)", "google/paxml#77 (2024-04)"),
    ),
    _unmet(
        "tasks-not-registered",
        anchor="arrier timed out",
        also=("service as cluster registration failed",),
        form=r"[Bb]arrier timed out\. (?:Barrier_?)?[Ii]d: ?(?:WaitForAllTasks|\[Init\]|PjRT_Client_Connect)|service as cluster registration failed",
        samples=(
            "Original error: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0.",
            "jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: PjRT_Client_Connect. Timed out task names:",
            "DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: WaitForAllTasks::3409563941431950927",
            "Stopping coordination service as cluster registration failed. This may be due to 1) some tasks crashed earlier before connecting",
        ),
        near=("INTERNAL: Shutdown barrier timed out. Check the task logs for an earlier error.", "the cluster registration is complete"),
        releases="2.9 to 2.21",
        sources=("AI-Hypercomputer/gpu-recipes#2 (2025-02)", "ayaka14732/llama-2-jax#20 (2023-11)", "tensorflow/tensorflow#98217 (2025-08)"),
    ),
    _unmet(
        "task-seems-down",
        anchor=" seems down, retrying ",
        form=r"(?P<process>/job:\w{1,40}/replica:\d{1,6}/task:\d{1,6}) seems down, retrying \d",
        speaker=PYTHON,
        sure=POSSIBLE,
        samples=("WARNING:tensorflow:/job:worker/replica:0/task:7 seems down, retrying 1/3",),
        near=("the server seems down, retrying in 3 s",),
        releases="2.4 to 2.21",
        sources=("intel/BigDL#4409 (2021-08)",),
    ),
    _unmet(
        "cluster-check-failed",
        anchor="Cluster check alive failed, ",
        form=r"Cluster check alive failed, (?P<process>/job:\w{1,40}/replica:\d{1,6}/task:\d{1,6}) is down",
        speaker=PYTHON,
        samples=("ERROR:tensorflow:Cluster check alive failed, /job:worker/replica:0/task:1 is down, aborting collectives: Deadline Exceeded",),
        near=("Cluster check health passed",),
        releases="2.4 to 2.21",
        sources=(_STRATEGY, "tensorflow/tensorflow#47277 (2021-02)"),
    ),
    *(
        Signature(
            name, "worker-lost", anchor, form=form, speaker=speaker, sure=sure, samples=samples, near=near, sources=sources,
        )
        for name, anchor, form, speaker, sure, samples, near, sources in (
            ("grpc-reset", "onnection reset by peer", r"\"(?:os_error|grpc_message|description)\":\"[^\"]{0,60}Connection reset by peer\"", EXCEPTION, LIKELY, ('E tensorflow/core/distributed_runtime/master.cc:251] Master init: Unavailable: {"created":"@1502077902.19","description":"OS Error","errno":104,"grpc_status":14,"os_error":"Connection reset by peer","syscall":"recvmsg"}',), ("requests.exceptions.ConnectionError: Connection reset by peer",), ("tensorflow/tensorflow#12080 (2017-08)",)),
            ("orte-lost", "has lost communication with a remote daemon", r"[OP]RTE has lost communication with a remote daemon", NATIVE, LIKELY, ("ORTE has lost communication with a remote daemon.", "PRTE has lost communication with a remote daemon."), ("the daemon is alive",), (SEVERAL_FILES,)),
        )
    ),
    Signature(
        "connection-lost-alone",
        "worker-lost",
        "onnection ",
        form=r"(?:^|[\s:\]>|])[Cc]onnection (?:reset by peer|to (?:the )?(?:node|worker|peer|remote host|master|scheduler)\b[\w .:-]{0,80}? ?(?:was )?(?:lost|closed))\b",
        unless=("Errno", "errno", "curl", "http", "HTTP", "urllib", "ssh", "kex_", "SSL", "pip", "os_error", "grpc_message", "navailable", "UNAVAILABLE"),
        speaker=NATIVE,
        sure=POSSIBLE,
        samples=("Connection reset by peer", "RuntimeError: connection reset by peer", "Connection to node lost", "Connection to node n17 lost."),
        near=("Connection to the notebook server was lost", "ConnectionResetError: [Errno 104] Connection reset by peer", "curl: (56) Recv failure: Connection reset by peer"),
        sources=("CompVis/latent-diffusion#219 (2023-01)", "tensorflow/tensorflow#42498 (2020-08)"),
    ),
    _unmet(
        "cluster-timeout",
        anchor="Timeout waiting for the cluster, timeout is ",
        form=r"Timeout waiting for the cluster, timeout is (?P<seconds>\d{1,9})",
        speaker=EXCEPTION,
        samples=("RuntimeError: Timeout waiting for the cluster, timeout is 300 seconds",),
        near=("INFO:tensorflow:Waiting for the cluster, timeout = inf",),
        releases="2.4 to 2.21",
        sources=(_STRATEGY, "tensorflow/tensorflow#47277 (2021-02)"),
    ),
)  # fmt: skip
UNMET = tuple(
    each.name for each in SIGNATURES if each.name not in ("grpc-reset", "connection-lost-alone", "orte-lost")
)
"""Of these nobody answered; the others tell of a connection that was there."""
