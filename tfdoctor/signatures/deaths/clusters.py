"""What keeps a job of several machines from its work, in the words of those who run the machines: Kubernetes' device plug-in, Dataflow, Horovod's launcher."""

from __future__ import annotations

from tfdoctor.signatures.signature import CONTAINER, EXCEPTION, LIKELY, PYTHON, SCHEDULER, Signature

SIGNATURES = (
    Signature(
        "device-plugin-without-nvml",
        "container-without-gpu",
        "could not load NVML library",
        also=("did you set the docker default runtime to", "did you configure the NVIDIA Container Toolkit"),
        form=r"(?:Failed to initialize NVML|non-NVML platform): could not load NVML library|If this is a GPU node, did you (?:set the docker default runtime to|configure the NVIDIA Container Toolkit)",
        speaker=CONTAINER,
        rivals=("driver-missing", "gpu-absent"),
        decided_by=("host.gpus_on_bus",),
        sure=LIKELY,
        samples=(
            "2021/03/19 04:09:45 Failed to initialize NVML: could not load NVML library.",
            "2021/03/19 04:09:45 If this is a GPU node, did you set the docker default runtime to `nvidia`?",
            "I0805 11:30:01.512380       1 factory.go:104] Detected non-NVML platform: could not load NVML library: libnvidia-ml.so.1: cannot open shared object file: No such file or directory",
            "E0805 11:30:01.512441       1 factory.go:112] If this is a GPU node, did you configure the NVIDIA Container Toolkit?",
        ),
        near=("Failed to initialize NVML: Unknown Error", "could not load the model"),
        releases="NVIDIA's k8s-device-plugin 1.0 to 0.17",
        sources=("canonical/microk8s#2109 (2021-03)",),
    ),
    Signature(
        "dataflow-worker-gone",
        "worker-lost",
        "SDK harness sdk-",
        also=("he worker lost contact with the service",),
        form=r"SDK harness sdk-[\w-]{1,20} disconnected|[Tt]he worker lost contact with the service",
        speaker=SCHEDULER,
        sure=LIKELY,
        samples=("SDK harness sdk-0-1 disconnected.", "      Root cause: The worker lost contact with the service.,"),
        near=("SDK harness sdk-0-0 connected", "the worker has contact with the service"),
        releases="Apache Beam 2 on Google Dataflow",
        sources=("apache/beam#25273 (2023-02)", "tensorflow/datasets#1473 (2020-02)"),
    ),
    Signature(
        "horovod-slots",
        "command-not-started",
        "Process number should not be larger than total available slots",
        speaker=EXCEPTION,
        samples=("ValueError: Process number should not be larger than total available slots.",),
        near=("the process number is larger than before",),
        releases="Horovod 0.18 to 0.28",
        sources=("horovod/horovod#2090 (2020-07)",),
    ),
    Signature(
        "horovod-part-missing",
        "wrong-interpreter",
        "No module named ",
        form=r"(?P<file>/?[\w./+-]{0,200}python[\d.]{0,5}): (?:Error while finding module specification for '(?P<module>horovod[\w.]{1,60})'|No module named '?(?P<value>horovod[\w.]{0,60})'?)",
        speaker=PYTHON,
        sure=LIKELY,
        samples=(
            "/usr/bin/python: No module named horovod.runner",
            "/usr/bin/python3: Error while finding module specification for 'horovod.runner.task_fn' (ModuleNotFoundError: No module named 'horovod')",
        ),
        near=("ModuleNotFoundError: No module named 'horovod'", "/usr/bin/python3: No module named pip"),
        releases="Horovod 0.18 to 0.28",
        sources=("horovod/horovod#3958 (2023-07)",),
    ),
    Signature(
        "toolkit-reads-no-requirement",
        "container-without-gpu",
        "requirement error: invalid expression",
        speaker=CONTAINER,
        samples=("nvidia-container-cli: requirement error: invalid expression: unknown.",),
        near=("requirement error: unsatisfied condition: cuda>=11.2",),
        releases="libnvidia-container 1.0",
        sources=("tensorflow/serving#1299 (2019-04)",),
    ),
)  # fmt: skip
