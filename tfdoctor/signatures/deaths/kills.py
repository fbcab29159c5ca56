"""Who ended the program from outside: the kernel for lack of memory, a container's limit, a scheduler, a user."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import (
    CONTAINER,
    EXCEPTION,
    KERNEL,
    LIKELY,
    POSSIBLE,
    SCHEDULER,
    SHELL,
    Signature,
)
from tfdoctor.signatures.sources import SEVERAL_FILES, SLURM

_host = partial(Signature, code="host-oom-killed", speaker=KERNEL)
_container = partial(Signature, code="container-oom-killed", speaker=KERNEL)
_scheduler = partial(Signature, code="scheduler-killed", speaker=SCHEDULER)
_WHOSE = ("memory.cgroup_oom_kills", "kernel_log.oom_kills")

SIGNATURES = (
    _host(
        "kernel-out-of-memory",
        anchor="Out of memory: Kill",
        form=r"Out of memory: Kill(?:ed)? process (?P<pid>\d{1,10}),? \((?P<process>[^)]{1,32})\)",
        samples=(
            "[12345.678901] Out of memory: Killed process 4242 (python3) total-vm:81234567kB, anon-rss:62345678kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:123456kB oom_score_adj:0",
            "kernel: Out of memory: Kill process 4242 (python) score 912 or sacrifice child",
        ),
        near=("Memory cgroup out of memory: Killed process 4242 (python3)",),
        releases="Linux 3 to 6",
        sources=(SEVERAL_FILES,),
    ),
    _host(
        "kernel-killed-process",
        anchor="Killed process ",
        form=r"\bKilled process (?P<pid>\d{1,10}),? \((?P<process>[^)]{1,32})\),? (?:UID \d{1,10},? )?total-vm:\d",
        unless=("Out of memory: Kill", "emory cgroup out of memory"),
        sure=LIKELY,
        rivals=("container-oom-killed",),
        decided_by=_WHOSE,
        samples=("Killed process 23512 (python) total-vm:41203444kB, anon-rss:31204500kB, file-rss:2196kB",),
        near=("Memory cgroup out of memory: Killed process 4242 (python3) total-vm:8123456kB, anon-rss:4012345kB",),
        releases="Linux 3 to 5, the line behind the one that says why",
        sources=(SEVERAL_FILES,),
    ),
    _host(
        "kernel-constraint-none",
        anchor="constraint=CONSTRAINT_NONE",
        form=r"oom-kill:constraint=CONSTRAINT_NONE,.{0,600}?task=(?P<process>[^,]{1,32}),pid=(?P<pid>\d{1,10})",
        samples=("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice/user-1000.slice/session-2.scope,task=python3,pid=4242,uid=1000",),
        near=("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=python3,pid=4242,uid=0",),
        releases="Linux 5 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _host(
        "systemd-oomd",
        anchor="systemd-oomd",
        form=r"systemd-oomd.{0,40}: Killed (?P<process>\S{1,300}) due to memory",
        rivals=("container-oom-killed",),
        samples=("systemd-oomd[812]: Killed /user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope due to memory pressure for /user.slice/user-1000.slice/user@1000.service being 71.34% > 50.00% for > 20s with reclaim activity",),
        near=("systemd-oomd[812]: Started Userspace Out-Of-Memory (OOM) Killer",),
        sources=(SEVERAL_FILES,),
    ),
    _host(
        "earlyoom",
        anchor="to process ",
        form=r"sending SIG(?:TERM|KILL) to process (?P<pid>\d{1,10}) uid \d{1,10} \"(?P<process>[^\"]{1,32})\": (?:oom_score|badness)",
        samples=('earlyoom[700]: sending SIGTERM to process 4242 uid 1000 "python3": oom_score 1233, VmRSS 30123 MiB, cmdline "python3 train.py"',),
        near=("sending SIGTERM to process group 12",),
    ),
    _container(
        "memory-cgroup-oom",
        anchor="Memory cgroup out of memory: Kill",
        form=r"Memory cgroup out of memory: Kill(?:ed)? process (?P<pid>\d{1,10}),? \((?P<process>[^)]{1,32})\)",
        samples=(
            "[12345.678901] Memory cgroup out of memory: Killed process 4242 (python3) total-vm:8123456kB, anon-rss:4012345kB, file-rss:12345kB, shmem-rss:0kB, UID:0 pgtables:9000kB oom_score_adj:985",
            "kernel: Memory cgroup out of memory: Kill process 4242 (python) score 1974 or sacrifice child",
        ),
        near=("Out of memory: Killed process 4242 (python3)",),
        rivals=("scheduler-killed",),
        decided_by=("host.scheduler", "host.container"),
        releases="Linux 3 to 6",
        sources=(SEVERAL_FILES,),
    ),
    _container(
        "kernel-constraint-memcg",
        anchor="constraint=CONSTRAINT_MEMCG",
        form=r"oom-kill:constraint=CONSTRAINT_MEMCG,.{0,900}?task=(?P<process>[^,]{1,32}),pid=(?P<pid>\d{1,10})",
        samples=("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-ab12.scope,mems_allowed=0,oom_memcg=/system.slice/docker-ab12.scope,task_memcg=/system.slice/docker-ab12.scope,task=python3,pid=4242,uid=0",),
        near=("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python3,pid=4242,uid=0",),
        rivals=("scheduler-killed",),
        decided_by=("host.scheduler", "host.container"),
        releases="Linux 5 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _container(
        "oom-killed-status",
        anchor="OOMKilled",
        form=r"\bOOMKilled\b",
        unless=('OOMKilled": false', 'OOMKilled":false', "OOMKilled: false", "OOMKilled:false", "OOMKilled=false", "State.OOMKilled", "grep"),
        speaker=CONTAINER,
        samples=("This step is in Failed state with this message: OOMKilled", "OOMKilled", "      Reason:       OOMKilled", '            "OOMKilled": true,', "train-7d9f   0/1     OOMKilled   2 (30s ago)   3m", '"reason":"OOMKilled"'),
        near=('            "OOMKilled": false,', "docker inspect --format '{{.State.OOMKilled}}' x"),
    ),
    *(
        _scheduler(
            name, anchor=f" {word} event",
            form=rf"Detected (?P<number>\d{{1,9}}) {word} event(?:\(s\)|s)? in (?P<process>(?:StepId|step|job)\S{{0,4}} ?\S{{1,40}})",
            samples=samples, near=("slurmstepd: debug: oom event count: 0", f"no {word} event was seen"), releases=releases, sources=sources,
        )
        for name, word, releases, sources, samples in (
            ("slurm-oom", "oom_kill", "Slurm 21 to 26", (SLURM, SEVERAL_FILES), ("slurmstepd: error: Detected 1 oom_kill event in StepId=1234567.0. Some of the step tasks have been OOM Killed.", "slurmstepd: error: Detected 3 oom_kill events in StepId=1234567.0. Some of the step tasks have been OOM Killed.")),
            ("slurm-oom-old", "oom-kill", "Slurm 17 to 23", (SEVERAL_FILES,), ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=123456.batch cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler.", "slurmstepd: error: Detected 2 oom-kill event(s) in step 4242.0 cgroup.")),
        )
    ),
    _scheduler(
        "slurm-state-memory",
        anchor="OUT_OF_ME",
        form=r"(?:\bState ?: |\s)OUT_OF_ME(?:MORY\b|\+)",
        samples=("State: OUT_OF_MEMORY (exit code 0)", "812.batch         batch    n17  OUT_OF_ME+    0:125"),
        near=("CUDA_ERROR_OUT_OF_MEMORY: out of memory", "E OUT_OF_MEMORY_LIMIT was not set"),
        releases="Slurm 17 to 26",
        sources=(SLURM, SEVERAL_FILES),
    ),
    _scheduler(
        "slurm-state-time",
        anchor="TIMEOUT",
        form=r"\bState ?: TIMEOUT\b",
        samples=("State: TIMEOUT (exit code 0)",),
        near=("[CRITICAL] WORKER TIMEOUT (pid:42)",),
        releases="Slurm 17 to 26",
        sources=(SLURM,),
    ),
    _scheduler(
        "yarn-memory-limit",
        anchor=" memory limits",
        form=r"is running beyond (?:physical|virtual) memory limits|Container killed by YARN for exceeding (?:physical |virtual )?memory limits",
        samples=(
            "Container [pid=4242,containerID=container_1700000000000_0001_01_000002] is running beyond physical memory limits. Current usage: 4.1 GB of 4 GB physical memory used; 6.0 GB of 8.4 GB virtual memory used. Killing container.",
            "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used. Consider boosting spark.yarn.executor.memoryOverhead.",
        ),
        near=("the scheduler checks memory limits of each queue",),
        releases="Hadoop 2 and 3",
        sources=(SEVERAL_FILES,),
    ),
    _scheduler(
        "yarn-memory-limit-3",
        anchor=" memory limit. ",
        form=r"is running \d{1,15}B beyond the '(?:PHYSICAL|VIRTUAL)' memory limit\.",
        samples=("Container [pid=4242,containerID=container_e01_1700000000000_0001_01_000002] is running 105226240B beyond the 'PHYSICAL' memory limit. Current usage: 1.1 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual memory used. Killing container.",),
        near=("This is below the memory limit. Go on.",),
        releases="Hadoop 3",
        sources=(SEVERAL_FILES,),
    ),
    _scheduler(
        "slurm-time-limit",
        anchor=" DUE TO TIME LIMIT",
        form=r"CANCELLED AT (?P<value>\S{1,30}) DUE TO TIME LIMIT",
        samples=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***",),
        near=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 ***",),
        releases="Slurm 2 to 26",
        sources=(SLURM,),
    ),
    _scheduler(
        "slurm-preempted",
        anchor=" CANCELLED AT ",
        form=r"CANCELLED AT (?P<value>\S{1,30}) DUE TO (?P<message>PREEMPTION|JOB REQUEUE)",
        samples=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO PREEMPTION ***",),
        near=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO TASK FAILURE ***",),
        releases="Slurm 2 to 26",
        sources=(SLURM,),
    ),
    _scheduler(
        "slurm-node-failed",
        anchor=" DUE TO NODE",
        form=r"CANCELLED AT (?P<value>\S{1,30}) DUE TO NODE\b",
        samples=("slurmstepd: error: *** JOB 12 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",),
        near=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO PREEMPTION ***",),
        releases="Slurm 2 to 26",
        sources=(SLURM,),
    ),
    Signature(
        "slurm-cancelled",
        "killed-by-user",
        " CANCELLED AT ",
        form=r"\*\*\* (?:JOB|STEP) \S{1,40} ON \S{1,255} CANCELLED AT (?P<value>\S{1,30}) \*\*\*",
        speaker=SCHEDULER,
        sure=LIKELY,
        samples=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 ***", "slurmstepd-n2: error: *** STEP 7.0 ON n2 CANCELLED AT 2026-11-22T14:43:45 ***"),
        near=("slurmstepd: error: *** JOB 1234567 ON n17 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***",),
        releases="Slurm 22.05",
        sources=(SLURM, "tests/recordings/slurm-jobs, Slurm 22.05.8 (2026-11)"),
    ),
    _scheduler(
        "slurm-memory-limit",
        anchor="memory limit",
        form=r"(?:\bStep \S{1,40} exceeded |\bJob \S{1,40} exceeded |Exceeded (?:job|step) |error: .{0,60}[Ee]xceeded (?:job |step )?)memory limit(?: \((?P<used>\d{1,20}) > (?P<limit>\d{1,20})\))?",
        samples=("slurmstepd: error: Step 4242.0 exceeded memory limit (9216000 > 8388608), being killed", "slurmstepd: error: Exceeded job memory limit", "slurmstepd: error: Exceeded step memory limit at some point."),
        near=("The quota was exceeded", "the container exceeded memory limit"),
        releases="Slurm 2 to 26",
        sources=(SLURM,),
    ),
    _scheduler(
        "srun-oom",
        anchor=": Out Of Memory",
        form=r"srun: error: (?P<host>[\w.-]{1,64}): tasks? \S{1,30}: Out Of Memory",
        samples=("srun: error: n17: task 0: Out Of Memory", "srun: error: n17: tasks 0-3: Out Of Memory"),
        near=("srun: error: n17: task 0: Exited with exit code 1",),
        releases="Slurm 17 to 26",
    ),
    _scheduler(
        "kubernetes-eviction",
        anchor="The node was low on resource: ",
        form=r"The node was low on resource: (?P<value>[\w.-]{1,40})",
        samples=("The node was low on resource: memory. Threshold quantity: 100Mi, available: 84604Ki. Container train was using 12Gi, request is 0, has larger consumption of memory.",),
        near=("The node is low on memory",),
        sources=(SEVERAL_FILES,),
    ),
    _scheduler(
        "kubernetes-evicted",
        anchor="Evicted",
        also=("The node had condition: [",),
        form=r"\d{1,3}/\d{1,3}\s{1,20}Evicted\s{1,20}\d|\b[Rr]eason:\s{1,20}Evicted\b|\bWarning\s{1,20}Evicted\s|(?:^|[\s:])Evicted\W{0,3}$|The node had condition: \[(?P<value>\w{1,40})\]",
        sure=LIKELY,
        samples=(
            "train-ppo-93168c9e-master-0           0/1       Evicted   0          19h",
            "Reason:         Evicted",
            "12m         Warning   Evicted               pod/train-0    The node had condition: [MemoryPressure].",
            "Evicted",
        ),
        near=("Evicted 12 entries from the cache", "no pod was Evicted here"),
        sources=("kubeflow/trainer#301 (2018-01)", "FederatedAI/KubeFATE#64 (2019-12)", "jupyterhub/kubespawner#19 (2017-01)"),
    ),
    *(
        _scheduler(
            name, anchor=anchor, form=form, samples=samples, near=("the job has ended",), sources=(SEVERAL_FILES,),
        )
        for name, anchor, form, samples in (
            ("lsf-memory", "TERM_MEMLIMIT", "", ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",)),
            ("lsf-run-time", "TERM_RUNLIMIT", "", ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.",)),
            ("pbs-limit", "PBS: job killed: ", r"PBS: job killed: (?P<message>.{1,200}?exceeded.{1,60})", ("=>> PBS: job killed: walltime 3615 exceeded limit 3600", "=>> PBS: job killed: mem 8431276kb exceeded limit 8388608kb")),
            ("yarn-memory", "illed by YARN for exceeding ", r"illed by YARN for exceeding (?:\w{1,10} )?memory limits", ("Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used.", "Container killed by YARN for exceeding physical memory limits. 5.5 GB of 5.5 GB physical memory used.")),
            ("yarn-beyond", "' memory limit. Current usage: ", r"beyond the '(?:PHYSICAL|VIRTUAL)' memory limit", ("Container [pid=4242,containerID=container_1] is running 123456B beyond the 'PHYSICAL' memory limit. Current usage: 4.0 GB of 4 GB physical memory used",)),
            ("ray-memory", "due to the node running low on memory", r"killed due to the node running low on memory", ("ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",)),
        )
    ),
    Signature(
        "shell-killed",
        "host-oom-killed",
        "Killed",
        form=r"(?:^|\W)Killed(?:$|: 9|\s{2,40}\S)|: line \d{1,6}:\s{1,8}\d{1,9} Killed\s",
        speaker=SHELL,
        rivals=("container-oom-killed", "scheduler-killed", "killed-by-user"),
        decided_by=_WHOSE,
        sure=POSSIBLE,
        samples=("Killed", "train.sh: line 3:  4242 Killed                  python train.py", "Killed: 9", "/var/spool/slurm/job474687/slurm_script: line 31:  6521 Killed singularity exec --nv tf.sif python -u ./train.py"),
        near=("Killed process 4242 (python3)", "The Killed value was 3"),
        releases="bash, zsh, dash",
    ),
    *(
        Signature(
            f"shell-killed-{language}", "host-oom-killed", word, form=rf"(?:^|\W){form}(?:$|\s{{2,40}}\S)", speaker=SHELL,
            rivals=("container-oom-killed", "scheduler-killed", "killed-by-user"), decided_by=_WHOSE, sure=POSSIBLE,
            samples=(f"train.sh: 3: 4242 {word}                  python train.py", word), near=("Killed",),
            releases="bash, translated", sources=sources,
        )
        for language, word, form, sources in (
            ("de", "Getötet", "Getötet", ()),
            ("fr", "Processus arrêté", "Processus arrêté", ()),
            ("zh", "已杀死", "已杀死", (SEVERAL_FILES,)),
            ("es", "Terminado (killed)", r"Terminado \(killed\)", ()),
        )
    ),
    Signature(
        "keyboard-interrupt",
        "killed-by-user",
        "KeyboardInterrupt",
        form=r"KeyboardInterrupt\s{0,3}$",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("KeyboardInterrupt",),
        near=("    except KeyboardInterrupt:",),
    ),
    Signature(
        "interrupted-traceback",
        "killed-by-user",
        "^CTraceback (most recent call last)",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("^CTraceback (most recent call last):",),
        near=("Traceback (most recent call last):", "^C"),
        sources=("XPixelGroup/BasicSR#259 (2020-07)",),
    ),
)  # fmt: skip
