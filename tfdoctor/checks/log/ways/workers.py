"""Programs of several processes: what the words of one tell of the others, and what to do about those."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.findings.model import Fix

_PEER_CLOSED = Meaning(
    "The process at the other end closed the connection: it ended, or was killed. This log is only that of its partner; why it "
    "ended stands in the other process' own log.",
    (
        Fix("Read the end of that process' own log. It changes nothing"),
        Fix(
            "In Kubernetes, ask how its pod ended",
            (
                "kubectl get pods --sort-by=.status.startTime",
                "kubectl describe pods | grep -A 6 'Last State'",
            ),
            "OOMKilled there is memory: raise the pod's limit.",
        ),
    ),
)
_WAITS = Meaning(
    "This task waits for another one of its cluster, which has not started, has ended, or can't be reached at the address that the "
    "cluster's description gives it. The line names the task.",
    (
        Fix("Look whether that task runs, and read the end of its own log. It changes nothing"),
        Fix(
            "Try from this machine whether its port answers, with its name and port",
            ("nc -vz worker-12 2222",),
            "Names and ports stand in TF_CONFIG or in the ClusterSpec; the list has to be the same on each machine.",
        ),
    ),
)
_TWO_KINDS = Meaning(
    "The workers of one job exchange their results, and for that each has to compute on the same kind of device. Here one of them has joined "
    "with its processor and another with a GPU: the TensorFlow of the first shows no GPU. Why it does not stands in the log of that worker.",
    (
        Fix(
            "On each machine of the job, with the same Python as the job, see whether TensorFlow shows its GPU. It changes nothing",
            ("python -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"",),
            "Where the list is empty, that is the machine: `tfdoctor check` says there what is missing.",
        ),
        Fix(
            "If one machine has no GPU at all, leave it out of TF_CONFIG, or let all of them compute on the processor",
            ("export CUDA_VISIBLE_DEVICES=-1",),
        ),
    ),
)
_TWO_SIZES = Meaning(
    "The workers do not agree on how many they are: the list of workers, or the number of GPUs on each, differs between their machines.",
    (
        Fix(
            "Compare on each machine what it was told, and make the lists the same; only the task's index differs",
            ('echo "$TF_CONFIG"', "nvidia-smi -L"),
        ),
        Fix("Then end all tasks, also those that a former run left behind, and start them together"),
    ),
)
_OUT_OF_TIME = Meaning(
    "The job ran as long as it had asked for, and Slurm ended it. Nothing failed; what was not saved is lost.",
    (
        Fix(
            "Ask for more time, in the job's script",
            ("#SBATCH --time=24:00:00",),
            "`sinfo -o '%P %l'` shows the most that each partition gives.",
        ),
        Fix(
            "Or save the state in each epoch, so that the next job goes on where this one ended",
            note='In your files: model.fit(…, callbacks=[tf.keras.callbacks.BackupAndRestore("backup")])',
        ),
    ),
)
_JOB_MEMORY = Meaning(
    "The job asked Slurm for a certain amount of memory (or got the partition's default) and used it up; then its process was killed. It is the machine's memory, not the GPU's.",
    (
        Fix(
            "Ask for more memory, in the job's script: the peak that sacct shows and some room",
            ("#SBATCH --mem=32G",),
            "`sacct -j JOBID --format=JobID,State,MaxRSS,ReqMem` shows the peak (MaxRSS) and what was asked for (ReqMem); --mem is for each node.",
        ),
        Fix(
            "Or let the program hold less: half the batch, fewer workers, smaller shuffle and prefetch buffers, no cache()"
        ),
    ),
)
_EVICTED = Meaning(
    "A node of the Kubernetes cluster ran low on a resource, and its kubelet ended pods to save the rest: first those that use more than they requested. The program itself did not fail. "
    "Which resource it was stands in its message and in the pod's own description.",
    (
        Fix(
            "See which resource it was, with the pod's name. It changes nothing",
            ("kubectl describe pod my-pod | grep -A 3 -E '^(Status|Reason|Message)'",),
        ),
        Fix(
            "Request as much as the program needs, so that it is put where there is room",
            note="In your files: resources: {requests: {memory: 32Gi, ephemeral-storage: 20Gi}, limits: {memory: 32Gi, ephemeral-storage: 20Gi}}",
        ),
    ),
)
_RESTARTED = Meaning(
    "Each process has a number that changes with each start. A partner of this one came back with another number: it had ended or was killed, and something started it again. Why it "
    "ended stands at the end of the log of its earlier run.",
    (
        Fix("Read the end of the earlier run's log of the process that the line names. It changes nothing"),
        Fix(
            "In Kubernetes, ask how its container ended before",
            (
                "kubectl logs --previous worker-0 | tail -n 50",
                "kubectl describe pod worker-0 | grep -A 6 'Last State'",
            ),
            "OOMKilled there is memory: raise the pod's limit.",
        ),
        Fix("Then start all processes of the job together, and let them go on from the last checkpoint"),
    ),
)
_TAKEN_AWAY = Meaning(
    "Slurm took the nodes away from the job: for another one that goes before it, or because a node failed. The program itself did nothing wrong; what was not saved is lost.",
    (
        Fix(
            "Let Slurm start the job again by itself, and let the program go on from what it saved",
            ("#SBATCH --requeue",),
            'In your files: model.fit(…, callbacks=[tf.keras.callbacks.BackupAndRestore("backup")])',
        ),
        Fix(
            "See whether another partition or quality of service is not taken away from",
            ("sacctmgr show qos format=Name,Preempt,PreemptMode", "sinfo -o '%P %l %a'"),
        ),
    ),
)
_OUT_OF_THE_SERVICES_TIME = Meaning(
    "The service gives each job so much time and then ends it. The program itself did nothing wrong, but it took longer than that; importing TensorFlow and loading a model alone can take half a minute on a small machine.",
    (
        Fix(
            "Set a longer time where the service lets you",
            note="In your files: AWS Lambda: Timeout, up to 900 seconds; GitHub Actions: timeout-minutes. On Kaggle and Travis the limit is fixed.",
        ),
        Fix("Save the state as it trains, and go on from there in the next job", note='In your files: model.fit(…, callbacks=[tf.keras.callbacks.BackupAndRestore("backup")])'),
        Fix("For predictions, load the model once where the program starts and not in each call"),
    ),
)  # fmt: skip
_BY_HAND = Meaning(
    "KeyboardInterrupt is what Ctrl+C in a terminal raises, or the stop button of a notebook or an editor: somebody stopped the program, and nothing in it is told to have failed. "
    "Where it was stopped because nothing went on, the last frames of its traceback name the place at which it stood.",
    (
        Fix(
            "If it was stopped because it stood still, see in the next run what it waits in. It changes nothing",
            (
                "python -m pip install py-spy",
                'sudo env "PATH=$PATH" py-spy dump --pid "$(pgrep -n -f python)"',
            ),
            "Where that is a queue of the data, try without worker processes: fit(…, workers=1, use_multiprocessing=False) in your files. Else nothing has to be done.",
        ),
    ),
)
_OF_A_POOL = Meaning(
    "joblib (scikit-learn's n_jobs) computes in several processes, and one of them ended without a word. Each of them imports TensorFlow and holds its own model and data: mostly the "
    "machine's memory was used up and the kernel ended one, which the exit codes behind it show as SIGKILL(-9); SIGSEGV(-11) and SIGABRT(-6) are crashes.",
    (
        Fix(
            "Compute in one process, for a test: where a call fails by itself, its own error then shows",
            note="In your files: n_jobs=1; then raise it as far as the memory reaches, and pre_dispatch=n_jobs. A model of Keras uses several cores by itself.",
        ),
        Fix(
            "See whether the kernel ended it for its memory. It changes nothing",
            ("sudo dmesg -T | grep -i -E 'killed process|out of memory'",),
        ),
    ),
)
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

OF_WORKERS: Mapping[str, Meaning] = {
    "grpc-connection-lost": _PEER_CLOSED,
    "grpc-peer-closed": _PEER_CLOSED,
    "grpc-reset": _PEER_CLOSED,
    "grpc-socket-closed": _PEER_CLOSED,
    "group-of-two-kinds": _TWO_KINDS,
    "group-of-two-sizes": _TWO_SIZES,
    "interrupted-traceback": _BY_HAND,
    "joblib-worker-terminated": _OF_A_POOL,
    "keyboard-interrupt": _BY_HAND,
    "kubernetes-evicted": _EVICTED,
    "kubernetes-eviction": _EVICTED,
    "other-incarnation": _RESTARTED,
    "platform-time-limit": _OUT_OF_THE_SERVICES_TIME,
    "session-waits": _WAITS,
    "slurm-memory-limit": _JOB_MEMORY,
    "slurm-node-failed": _TAKEN_AWAY,
    "slurm-oom": _JOB_MEMORY,
    "slurm-oom-old": _JOB_MEMORY,
    "slurm-preempted": _TAKEN_AWAY,
    "slurm-state-memory": _JOB_MEMORY,
    "slurm-state-time": _OUT_OF_TIME,
    "slurm-time-limit": _OUT_OF_TIME,
    "srun-oom": _JOB_MEMORY,
    "collectives-after-start": _COLLECTIVES,
    "job-of-another-cluster": _ALONE_BEFORE,
    "job-without-a-server": _NO_SERVER,
}
"""By the signature's name."""
TITLES_OF_WORKERS = {
    "keyboard-interrupt": "Somebody interrupted the program (Ctrl-C, or the notebook's stop button): nothing failed by itself.",
    "interrupted-traceback": "Somebody interrupted the program (Ctrl-C, or the notebook's stop button): nothing failed by itself.",
    "group-of-two-kinds": "One worker of the job computes on its processor, another on a GPU: they can't work together.",
    "group-of-two-sizes": "The workers of the job do not agree on how many they are.",
    "joblib-worker-terminated": "A worker process of joblib ended without a word, mostly because the machine's memory ran out.",
    "collectives-after-start": "MultiWorkerMirroredStrategy was made after TensorFlow had started: it has to come first.",
    "job-of-another-cluster": "Something was placed before the strategy for several workers was made: its device names are of a process that works alone.",
    "job-without-a-server": "The program places operations on a task of a cluster, and this process belongs to none: it has no server, or the session was not told of it.",
}
