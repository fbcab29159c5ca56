"""Files, threads and disks of which a process has no more, or may have none."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import (
    EXCEPTION,
    LIKELY,
    LOG,
    NATIVE,
    Signature,
)
from tfdoctor.signatures.sources import WHEELS

_files = partial(Signature, code="file-descriptors-exhausted", speaker=EXCEPTION)
_threads = partial(Signature, code="threads-exhausted", speaker=NATIVE)
_disk = partial(Signature, code="disk-full", speaker=EXCEPTION)

SIGNATURES = (
    _files(
        "errno-24",
        anchor="Errno 24",
        samples=("OSError: [Errno 24] Too many open files: 'data/0001.tfrecord'",),
        near=("OSError: [Errno 2] No such file or directory",),
    ),
    _files(
        "too-many-open-files",
        anchor="Too many open files",
        samples=("ResourceExhaustedError: data/0001.tfrecord; Too many open files",),
        near=("Too many open sockets",),
    ),
    _files(
        "events-file-refused",
        anchor="Could not open events file: ",
        form=r"Could not open events file: (?P<file>\S{1,300}): (?:Resource exhausted|RESOURCE_EXHAUSTED): ",
        speaker=LOG,
        sure=LIKELY,
        rivals=("disk-full",),
        samples=("E tensorflow/core/util/events_writer.cc:62] Could not open events file: /tmp/logs/IOM5G7/events.out.tfevents.1478962669.n1: Resource exhausted: /tmp/logs/IOM5G7/events.out.tfevents.1478962669.n1",),  # words of a log, no file is made
        near=("E tensorflow/core/util/events_writer.cc:62] Could not open events file: /data/events.out.tfevents.1: Permission denied: /data/events.out.tfevents.1",),
        releases="0.8 to 2.21",
        sources=("dhwajraj/NER-RNN#1 (2016-11)",),
    ),
    _threads(
        "pthread-create",
        anchor="pthread_create",
        form=r"pthread_create\(?\)? ?failed",
        unless=("Operation not permitted", "(1 vs. 0)"),
        samples=(
            "OpenBLAS blas_thread_init: pthread_create failed for thread 5 of 64: Resource temporarily unavailable",
            "pthread_create() failed",
        ),
        near=(
            "pthread_create returned 0",
            "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 64: Operation not permitted",
        ),
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _threads(
        "resource-unavailable",
        anchor="Resource temporarily unavailable",
        form=r"(?:[Tt]hread|fork|clone|spawn|exec|what\(\)|[Pp]rocess).{0,200}?Resource temporarily unavailable|Errno 11\] Resource temporarily unavailable\s{0,3}$",
        unless=("lock file", "lock the file", "errno = ", "flock", "socket", "Socket", "recv", "send", "accept", "connect", "mq_", "msgget", "shmget", "read(", "write("),
        sure=LIKELY,
        decided_by=("memory.limit_processes", "memory.cgroup_pids_limit"),
        samples=(
            "  what():  Resource temporarily unavailable",
            "bash: fork: retry: Resource temporarily unavailable",
            "BlockingIOError: [Errno 11] Resource temporarily unavailable",
            "libgomp: Thread creation failed: Resource temporarily unavailable",
        ),
        near=(
            "Service temporarily unavailable",
            "OSError: Unable to create file (unable to lock file, errno = 11, error message = 'Resource temporarily unavailable')",
            "socket.error: [Errno 11] Resource temporarily unavailable",
            "recvfrom failed: Resource temporarily unavailable",
            "BlockingIOError: [Errno 11] Resource temporarily unavailable: '/data/cache.lock'",
            "    unable to lock file, errno = 35, error message = 'Resource temporarily unavailable'",
        ),
        sources=("openvax/mhctools#108 (2017-07)", "facebookresearch/detectron2#3900 (2022-05)", "keras-team/keras#12267 (2019-02)"),
    ),
    _threads(
        "no-new-thread",
        anchor="can't start new thread",
        samples=("RuntimeError: can't start new thread",),
        near=("can't start a new session",),
    ),
    _threads(
        "tsl-thread-creation",
        anchor=" creation via pthread_create",
        form=r"Thread .{0,100}? ?creation via pthread_create",
        unless=("(1 vs. 0)",),
        samples=(
            "F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 (11 vs. 0)Thread tf_Compute creation via pthread_create() failed.",
            "F tensorflow/core/platform/default/env.cc:72] Check failed: ret == 0 (11 vs. 0)Thread creation via pthread_create() failed.",
        ),
        near=(
            "Thread creation took 1 ms",
            "F tensorflow/core/platform/default/env.cc:72] Check failed: ret == 0 (1 vs. 0)Thread creation via pthread_create() failed.",
        ),
        releases="2.0 to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "thread-not-permitted",
        "threads-forbidden",
        "Operation not permitted",
        form=r"(?:pthread_create|blas_thread_init|timer thread|worker thread).{0,80}?Operation not permitted",
        speaker=NATIVE,
        samples=(
            "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 64: Operation not permitted",
            "runtime/cgo: pthread_create failed: Operation not permitted",
        ),
        near=("mkdir: Operation not permitted",),
        releases="glibc 2.34 and newer",
        sources=("google-deepmind/alphafold3#83 (2024-11)", "coqui-ai/TTS#3439 (2024-01)", "podman-container-tools/skopeo#1501 (2021-11)", "bytebase/bytebase#3096 (2022-10)"),
    ),
    Signature(
        "thread-refused-by-number",
        "threads-forbidden",
        "(1 vs. 0)Thread",
        form=r"ret == 0 \(1 vs\. 0\)Thread .{0,100}? ?creation via pthread_create",
        samples=("F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 (1 vs. 0)Thread tf_Compute creation via pthread_create() failed.",),
        near=("Check failed: ret == 0 (11 vs. 0)Thread tf_Compute creation via pthread_create() failed.",),
        releases="2.0 to 2.21",
        sources=(WHEELS,),
    ),
    _disk(
        "no-space",
        anchor="o space left on device",
        unless=("shm", "posix_fallocate"),
        samples=(
            "OSError: [Errno 28] No space left on device",
            "ResourceExhaustedError: ckpt-1.data; No space left on device",
            "write /var/lib/docker/tmp/GetImageBlob397023106: no space left on device",
        ),
        near=("OSError: [Errno 28] No space left on device: '/dev/shm/pym-123'",),
    ),
    _disk(
        "disk-quota",
        anchor="isk quota exceeded",
        form=r"[Dd]isk quota exceeded",
        samples=("OSError: [Errno 122] Disk quota exceeded: 'model.h5'",),
        near=("Quota for requests exceeded",),
    ),
)  # fmt: skip
