"""Lines that show that something worked: what was complained of before them did no harm."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import CONTAINER, PIP, PYTHON, SUCCESS, Signature
from tfdoctor.signatures.sources import WHEELS

_WORK = r"(?:[Tt]raining|[Ee]valuation|[Ii]nference|[Pp]rediction|[Pp]ipeline|[Jj]ob|[Ww]orkflow|[Ee]verything|[Rr]un|[Oo]ptimization|[Aa]nalysis|[Tt]esting|[Cc]alibration|[Ff]itting)"
_success = partial(Signature, code="", role=SUCCESS)

NO_GPU = (
    "gpu-absent", "driver-missing", "driver-library-unreachable", "driver-module-not-loaded", "driver-versions-differ",
    "driver-too-old", "driver-lacks-gpu", "driver-unresponsive", "forward-compat-unsupported", "uvm-broken", "nvml-unusable",
    "fabric-manager-not-running", "container-without-gpu", "container-lost-gpu", "wsl-container-toolkit-old",
    "wsl-driver-shadowed", "gpu-hidden", "vgpu-unlicensed", "cuda-libraries-missing", "cuda-libraries-wrong-version",
    "cuda-libraries-unreachable", "image-lacks-cuda-libraries", "gpu-busy-exclusive", "mig-misused",
)  # fmt: skip
"""Why a process gets no GPU at all: disproved by one that it got."""

SIGNATURES = (
    _success(
        "gpu-created",
        anchor="Created device ",
        form=r"Created device (?P<device>/job:[\w/:]{5,120}) with (?P<size>\d{1,9} MB) memory:(?:.{1,40}?name: (?P<gpu>[^,]{1,80}), pci bus id: [\w:.]{1,20}, compute capability: (?P<capability>\d{1,2}\.\d\w?))?",
        clears=NO_GPU,
        samples=(
            "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 10113 MB memory:  -> device: 0, name: NVIDIA GeForce GTX 1080 Ti, pci bus id: 0000:01:00.0, compute capability: 6.1",
            "I0000 00:00:1741242560.100000 1234 gpu_device.cc:2019] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 78755 MB memory:  -> device: 0, name: NVIDIA H100 80GB HBM3, pci bus id: 0000:19:00.0, compute capability: 9.0",
        ),
        near=("Created device_to_device_stream[0] = 0x55d5",),
        releases="2.5 to 2.21",
        sources=(WHEELS, "tensorflow/tensorflow#56927 (2022-09)"),
    ),
    _success(
        "gpu-created-old",
        anchor="Created TensorFlow device (",
        form=r"Created TensorFlow device \((?P<device>/[\w/:]{5,120}) with (?P<size>\d{1,9} MB) memory\) -> physical GPU \((?:device: \d{1,3}, name: (?P<gpu>[^,]{1,80}), pci bus id: [\w:.]{1,20}, compute capability: (?P<capability>\d{1,2}\.\d))?",
        clears=NO_GPU,
        samples=("I tensorflow/core/common_runtime/gpu/gpu_device.cc:1406] Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 3000 MB memory) -> physical GPU (device: 0, name: GeForce GTX 1050 Ti, pci bus id: 0000:01:00.0, compute capability: 6.1)",),
        near=("Created TensorFlow session",),
        releases="1.5 to 2.4",
        sources=(WHEELS,),
    ),
    _success(
        "pluggable-created",
        anchor="-> physical PluggableDevice (",
        form=r"with (?P<size>\d{1,9} MB) memory\) -> physical PluggableDevice \(",
        samples=("I tensorflow/core/common_runtime/pluggable_device/pluggable_device_factory.cc:271] Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 0 MB memory) -> physical PluggableDevice (device: 0, name: METAL, pci bus id: <undefined>)",),
        near=("PluggableDevice plugins are loaded",),
        clears=("metal-plugin-mismatch",),
        releases="2.5 to 2.21",
        sources=(WHEELS,),
    ),
    _success(
        "cudnn-loaded",
        anchor="Loaded cuDNN version ",
        form=r"Loaded cuDNN version (?P<version>\d{4,6})",
        clears=("cudnn-version-mismatch",),
        samples=(
            "I tensorflow/stream_executor/cuda/cuda_dnn.cc:384] Loaded cuDNN version 8700",
            "I0000 00:00:1741242560.100000 1234 cuda_dnn.cc:529] Loaded cuDNN version 90300",
        ),
        near=("Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.",),
        releases="2.5 to 2.21",
        sources=(WHEELS, "tensorflow/tensorflow#63455 (2024-09)"),
    ),
    _success(
        "library-opened",
        anchor="Successfully opened dynamic library ",
        form=r"Successfully opened dynamic library (?P<library>[\w.+-]{4,80})",
        samples=("I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcudart.so.11.0",),
        near=("Successfully opened debug event file: x",),
        releases="1.14 to 2.6",
        sources=("NVIDIA/tensorflow#110 (2024-06)", "tensorflow/tensorflow#37606 (2020-03)"),
    ),
    _success(
        "xla-compiled",
        anchor="Compiled cluster using XLA!",
        clears=("libdevice-missing", "ptxas-missing", "ptxas-too-old"),
        samples=("I tensorflow/compiler/jit/xla_compilation_cache.cc:478] Compiled cluster using XLA!  This line is logged at most once for the lifetime of the process.",),
        near=("The cluster was compiled",),
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _success(
        "shuffle-filled",
        anchor="Shuffle buffer filled.",
        clears=("shuffle-buffer-too-large",),
        samples=("I tensorflow/core/kernels/data/shuffle_dataset_op.cc:480] Shuffle buffer filled.",),
        near=("Filling up shuffle buffer (this may take a while): 10 of 100",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    _success(
        "epoch",
        anchor="Epoch ",
        form=r"Epoch (?P<epoch>\d{1,7})/(?P<total>\d{1,7})",
        speaker=PYTHON,
        samples=("Epoch 1/10", "Epoch 12/100"),
        near=("Epoch time: 12 s",),
        releases="Keras 1 to 3",
    ),
    _success(
        "keras-step",
        anchor="/step",
        also=("/sample",),
        form=r"(?P<step>\d{1,9})/(?P<total>\d{1,9}) (?:\[[=>.]{1,60}\]|[━╸╺ ]{1,80}).{0,40}? (?P<seconds>\d{1,9}[mu]?s)/(?:step|sample)",
        speaker=PYTHON,
        samples=(
            "1875/1875 [==============================] - 4s 2ms/step - loss: 0.2912 - accuracy: 0.9152",
            "313/313 ━━━━━━━━━━━━━━━━━━━━ 1s 2ms/step - accuracy: 0.9744 - loss: 0.0821",
            "60000/60000 [==============================] - 4s 65us/sample - loss: 0.2986 - accuracy: 0.9129",
        ),
        near=("10/20 files, 3 ms/step",),
        releases="Keras 1 to 3",
    ),
    *(
        _success(name, anchor=anchors[0], also=anchors[1:], form=form, speaker=PYTHON, samples=samples, near=near, unless=("heckpoint",), sources=sources)
        for name, anchors, form, samples, near, sources in (
            ("work-complete", ("Complete: ",), r"\bComplete: [a-z]\w{3,60}\.?\s{0,3}$", ("I1030 00:36:40.001223 139642109069120 call_variants.py:738] Complete: call_variants.",), ("Complete: 10 %", "Setup Complete: see the log"), ("google/deepvariant#722 (2023-10)", "google/deepvariant#761 (2024-01)")),
            ("work-completed", (" complete",), rf"\b{_WORK} (?:is |has |was )?(?:been )?completed?(?:[.!]| in \d.{{0,40}}| after \d.{{0,40}}|)\s{{0,3}}$", ("The training is complete.", "Job completed", "Training completed in 812.3 s"), ("Training complete for fold 1, next is fold 2", "Training is completed by 10 %", "the download completed"), ()),
            ("work-finished", ("inished",), rf"\b[Ff]inished (?:writing|training|evaluating|predicting|processing) .{{1,100}} in \d|\b{_WORK} (?:is |has )?[Ff]inished(?:[.!]| in \d.{{0,40}}|)\s{{0,3}}$|\b[Ff]inished (?:training|evaluation|inference|prediction)[.!]?\s{{0,3}}$", ("I1030 00:38:44.981200 140016911345472 postprocess_variants.py:1448] Finished writing VCF and gVCF in 1.5 minutes.", "Training has finished.", "Optimization Finished!", "Finished training."), ("Finished writing checkpoint 3 in 1.5 s", "Finished trainer set up. [6.1s]", "Training finished with an error"), ("google/deepvariant#722 (2023-10)",)),
            ("work-said-done", ("uccess!", "SUCCESS!", "ll done", "LL DONE"), r"\b(?:[Ss]uccess!|SUCCESS!|(?:[Aa]ll done|ALL DONE)[.!]?)\s{0,3}$", ("success!", "All done.", "2024-05-01 10:00:00 INFO ALL DONE!"), ("Success! Now the second fold", "call done"), ("ray-project/ray#8000 (2020-04)",)),
            ("work-successful", ("uccessfully",), r"\b(?:[Cc]ompleted|[Ff]inished) successfully|\b[Ss]uccessfully (?:completed|finished)\b", ("The run completed successfully.", "2024-05-01 10:00:00 INFO Successfully finished."), ("Successfully opened dynamic library libcudart.so.11.0",), ()),
        )
    ),
    _success(
        "tests-passed",
        anchor=" passed",
        also=(" with 0 failures",),
        form=r"={1,80} (?:\d{1,7} \w{1,20}, ){0,6}\d{1,7} passed(?:, \d{1,7} \w{1,20}){0,6} in \d|\bExecuted \d{1,7} tests?, with 0 failures",
        unless=(" failed,", " error,", " errors,", " failed in", " error in", " errors in"),
        speaker=PYTHON,
        samples=(
            "=========== 40 passed, 1 xfailed, 1 xpassed, 3 warnings in 61.20s (0:01:01) ===========",
            "============================== 12 passed in 8.31s ==============================",
            "2020-12-27T16:29:57.70Z Executed 50 tests, with 0 failures (0 unexpected) in 171.1 (171.1) seconds",
        ),
        near=("=========== 1 failed, 40 passed in 61.20s ===========", "40 passed, 1 error in 3 s", "the check passed in 3 s"),
        releases="pytest 3 and newer, XCTest",
    ),
    _success(
        "tests-ok",
        anchor="OK (",
        form=r"\bOK \((?:skipped|expected failures|unexpected successes)=\d{1,6}[^)]{0,60}\)\s{0,3}$",
        speaker=PYTHON,
        samples=("OK (skipped=1)", "OK (skipped=2, expected failures=1)"),
        near=("OK (200)",),
        releases="Python's unittest",
    ),
    _success(
        "work-of-conda",
        anchor="Executing transaction: ",
        form=r"Executing transaction: (?:[|/\\-]{1,4} )?(?:\.\.\.working\.\.\. )?done",
        speaker=PIP,
        samples=("Executing transaction: done", "Executing transaction: ...working... done"),
        near=("Executing transaction: failed",),
        releases="conda 4.6 and newer, mamba",
    ),
    _success(
        "work-of-tensorboard",
        anchor="TensorBoard ",
        form=r"\bTensorBoard \d{1,3}\.\d{1,3}\S{0,30} at https?://",
        speaker=PYTHON,
        samples=("TensorBoard 2.8.0 at http://localhost:6006/ (Press CTRL+C to quit)",),
        near=("TensorBoard 2.8.0 needs TensorFlow",),
        releases="TensorBoard 1.9 and newer",
    ),
    _success(
        "pod-assigned",
        anchor="Successfully assigned ",
        form=r"Successfully assigned \S{1,250} to \S",
        clears=("stalled",),
        speaker=CONTAINER,
        samples=("  Normal   Scheduled         90s   default-scheduler  Successfully assigned ml/trainer-0 to node2",),
        near=("Successfully assigned the label",),
        releases="Kubernetes",
    ),
    _success(
        "pip-installed",
        anchor="Successfully installed ",
        form=r"Successfully installed (?P<package>[\w.-]{1,80})",
        clears=("python-unsupported", "installer-stopped"),
        speaker=PIP,
        samples=("Successfully installed absl-py-2.1.0 astunparse-1.6.3 tensorflow-2.16.1",),
        near=("The driver was successfully installed",),
    ),
    _success(
        "serving-loaded",
        anchor="Successfully loaded servable version",
        clears=("python-exception",),
        samples=("I tensorflow_serving/core/loader_harness.cc:87] Successfully loaded servable version {name: half_plus_two version: 123}",),
        near=("Retrying of Loading servable: {name: half_plus_two version: 123}",),
        releases="TensorFlow Serving 1 and 2",
    ),
)  # fmt: skip
