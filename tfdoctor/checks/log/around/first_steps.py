"""What comes first at this place: the page's order is that of the usual one."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.instead import DRIVER_OF_WINDOWS
from tfdoctor.checks.log.around.own_steps import advice_first
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.gpus.drivers import image_driver_fixes
from tfdoctor.checks.log.kinds.boxes import of_engine
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.images import image_fixes
from tfdoctor.checks.log.unfound.libraries import only_asked_for
from tfdoctor.checks.log.unfound.unlisted import JETSON
from tfdoctor.checks.log.ways.tensors import SMALLER, all_at_once, half_of, too_large
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.driver import install_driver
from tfdoctor.light.records import replace
from tfdoctor.signatures.advice import one_array

Step = Callable[[Finding, Case, Testimony, Setting], tuple[Fix, ...]]

_TAKE_HALF = "Use half of the batch that you use now, and half of that again, until it fits"
_MOST = 4


def first_steps(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """The finding's ways out, with those of this place before them."""
    made = _FIRST.get(finding.code)
    first = made(finding, case, told, here) if made is not None else ()
    if first and (
        finding.code == "driver-versions-differ"
        or (finding.code == "wsl-container-toolkit-old" and here.has("desktop"))
        or (finding.code in _ALONE and here.has("serving", "jax"))
    ):
        return first
    fixes = advice_first(finding, told, _without(finding.fixes, first), first)
    return tuple(_of_the_notebook(each, shown(case.facts).notebook) for each in fixes[:_MOST])


_ALONE = (
    "gpu-out-of-memory",
    "gpu-memory-fragmented",
    "gpu-memory-held",
    "ptxas-missing",
    "libdevice-missing",
    "gpu-too-new-for-build",
)
"""Here a server or JAX has ways of its own, and none of the page's."""


def _without(fixes: tuple[Fix, ...], first: tuple[Fix, ...]) -> tuple[Fix, ...]:
    known = {each.commands for each in first if each.commands} | {(each.title,) for each in first}
    halved = any(each.title == _TAKE_HALF or each.title.startswith(SMALLER) for each in first)
    return tuple(
        each
        for each in fixes
        if each.commands not in known
        and (each.title,) not in known
        and not (halved and "batch_size=" in each.note)
    )


def _of_the_notebook(fix: Fix, notebook: str) -> Fix:
    """With the notebook's own name in place of the example's."""
    if not notebook.endswith(".ipynb") or not any("train.ipynb" in line for line in fix.commands):
        return fix
    stem = notebook.removesuffix(".ipynb")
    lines = (line.replace("train.ipynb", notebook).replace("train.py", f"{stem}.py") for line in fix.commands)
    return replace(fix, commands=tuple(lines))


def _desktop(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Who brings the toolkit: Docker Desktop its own, an engine inside WSL that of WSL's packages."""
    update = "winget upgrade --id Docker.DockerDesktop"
    if here.has("desktop"):
        title = "Update Docker Desktop to 4.31 or newer, in Windows' PowerShell: the toolkit is a part of it"
        return (
            Fix(
                title,
                (update, "wsl --shutdown"),
                "Its own window can do it, too: Settings, Software updates.",
            ),
        )
    ask = Fix(
        "See which Docker it is; it changes nothing. Docker Desktop brings the toolkit itself: update it to 4.31 or newer, in its window under Settings, Software updates",
        ("docker info --format '{{.OperatingSystem}}'",),
        f"If it says Docker Desktop, `{update}` in Windows' PowerShell does it, too. If it names a Linux, Docker is installed inside WSL, and the next step is the one.",
    )
    return (ask,)


def _engine(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    if finding.code == "driver-library-unreachable" and told.named("stubs-on-the-path"):
        return (_WITHOUT_STUBS,)
    if finding.code == "container-without-gpu" and here.has("slurm") and not isinstance(case.facts.host.container, Known):  # fmt: skip
        return (_OF_SLURM,)
    return of_engine(case.facts)


_OF_SLURM = Fix(
    "Ask Slurm for a GPU: a login node, or a job that asked for none, has none. The command shows whether a job gets one",
    ("srun --gres=gpu:1 nvidia-smi",),
    "In the job's script: #SBATCH --gres=gpu:1, and the partition with GPUs, if your cluster has one of its own.",
)


_WITHOUT_STUBS = Fix(
    "Take the folder stubs off LD_LIBRARY_PATH, for this shell; then out of the line that sets it (ENV in a Dockerfile, env in a pod's file)",
    ('export LD_LIBRARY_PATH=$(echo "$LD_LIBRARY_PATH" | tr ":" "\\n" | grep -v /stubs | paste -sd ":")',),
    "Its libcuda is for linking programs alone, and stands there before the driver's own. `nvidia-smi` in the same place shows whether a GPU was handed in.",
)


def _memory(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    if here.has("serving"):
        return _OF_A_SERVER
    if told.named("unified-memory-refused"):
        return ()  # no batch is small enough
    if here.has("jax"):
        return _OF_JAX
    if not finding.fixes or "batch_size=" not in finding.fixes[0].note:
        return ()
    return too_large(case.facts, told) or (Fix(_TAKE_HALF, note=half_of(told)),)


_OF_A_SERVER = (
    Fix(
        "Let the server join fewer requests into one batch: smaller max_batch_size in its batching parameters, or smaller batches from the clients",
        (
            "echo 'max_batch_size { value: 8 }' > batching.config",
            "tensorflow_model_server --enable_batching=true --batching_parameters_file=batching.config --model_base_path=/models/model",
        ),
        "8 is an example: take half of what is set now. Without --enable_batching each request is a batch, and only the clients can make it smaller.",
    ),
    Fix(
        "Or load fewer models and versions on this GPU: one version of each needs half the memory that two need while one takes the other's place",
        note="In the model's configuration: model_version_policy {latest {num_versions: 1}}.",
    ),
    Fix(
        "Where several processes share the GPU, give each its share; the sum stays below 1",
        ("tensorflow_model_server --per_process_gpu_memory_fraction=0.45 --model_base_path=/models/model",),
    ),
    Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",)),
)  # fmt: skip
_OF_JAX = (
    Fix("Compute with half of the batch, or a smaller input, until it fits"),
    Fix(
        "Where other programs share the GPU, have JAX take memory as it needs it",
        ("export XLA_PYTHON_CLIENT_PREALLOCATE=false",),
    ),
    Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",)),
)  # fmt: skip


def _compiler(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """ptxas and libdevice of the CUDA that the program was built with; a base or runtime image of CUDA has neither."""
    image = (
        Fix(
            "In a Dockerfile, start from the image of the same CUDA whose tag says devel: those with base or runtime hold no compiler",
            note="For instance FROM nvidia/cuda:11.2.2-devel-ubuntu20.04 in place of nvidia/cuda:11.2.2-base-ubuntu20.04.",
        ),
    )
    if here.has("windows", "macos") or here.hosted or not here.span.before(2, 15):
        return ()
    if here.span.before(2, 4):
        return image
    python = interpreter(case.facts)
    folder = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc"
    reach = (
        f"export PATH={folder}/bin:$PATH"
        if finding.code == "ptxas-missing"
        else f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={folder}"
    )
    wheel = Fix(
        "Install NVIDIA's compiler of CUDA 11, which TensorFlow 2.4 to 2.14 are built for, and lead this shell to it",
        (f"{python} -m pip install 'nvidia-cuda-nvcc-cu11>=11.7,<12'", reach),
        "A program of these years looks for it on PATH and in /usr/local/cuda, not in the folders of pip's packages.",
    )
    if here.has("jax", "docker"):
        return (*image, wheel)
    return (wheel, *image)


def _array(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """One array that does not fit is made smaller, or not made at all."""
    size, kind = next((found for text in _texts(told) if (found := one_array(text))[0]), ("", ""))
    if not size:
        return all_at_once(told)
    if _is_small(size):
        return (_FULL_ALREADY,)
    smaller = {
        "float64": " float32 in place of float64 takes half, uint8 for pictures an eighth.",
        "float32": " uint8 for pictures takes a quarter of float32.",
    }.get(kind, "")
    return (
        Fix(
            f"Do not build the whole array of {size} at once: read and hand over a batch at a time",
            note=f'In your files: tf.data.Dataset.from_generator, keras.utils.Sequence, or np.load(…, mmap_mode="r") for a file that exists.{smaller}',
        ),
    )


def _is_small(size: str) -> bool:
    """Less than 100 MiB: no machine that started TensorFlow lacks that at its start."""
    number, _, unit = size.partition(" ")
    return unit in ("B", "KiB") or (unit == "MiB" and float(number) < _SMALL)


_SMALL = 100
_FULL_ALREADY = Fix(
    "Let the program hold less by then: half the batch, fewer workers, smaller shuffle and prefetch buffers, no cache()",
    note="The piece that found no room is small: the memory was full before, so look at what grows, not at this line. On Windows the page file counts, too: "
    "Settings, System, About, Advanced system settings, Performance, Advanced, Virtual memory.",
)


def _texts(told: Testimony) -> list[str]:
    return [*(each.text for each in told.sayings), *(each.what for each in told.endings)]


def _fresh(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """On a hosted machine the libraries are the platform's, and fit its own TensorFlow; an image is chosen by its tag."""
    if here.has("jetson"):
        return JETSON if here.has("docker", "kubernetes") else (*JETSON[1:], JETSON[0])
    if built_in := image_fixes(finding.fixes, case, here):
        return built_in
    if only_asked_for(case.facts, told) or here.span.since(2, 14):
        return ()
    if not here.span.before(2, 14) and not here.hosted:
        return ()
    if here.has("docker") and here.span.since(2, 4):
        major, own = here.span.newest
        title = (
            "In the Dockerfile, start from TensorFlow's own image of its release, which holds these libraries"
        )
        note = f"For instance FROM tensorflow/tensorflow:{major}.{own}.0-gpu; then nothing of TensorFlow has to be installed by pip. Without a Dockerfile, run that image."
        return (Fix(title, note=note),)
    if not here.hosted:
        return ()
    service = "Kaggle" if here.has("kaggle") else "Colab"
    how = (
        'In the notebook\'s side panel: "Session options", "Environment", the other of "Pin to original environment" and "Always use latest environment".'
        if service == "Kaggle"
        else 'In Colab: "Runtime", "Disconnect and delete runtime", then run the cells without the one that installs TensorFlow.'
    )
    return (
        Fix(
            f"Use another version of {service}'s environment: its libraries and its own TensorFlow are made for each other",
            note=how,
        ),
    )


def _hosted_alone(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Where a library is, a variable leads to it; but a notebook's process has started before any of its cells."""
    return _fresh(finding, case, told, here) if here.hosted else ()


def _differing(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    return image_driver_fixes(case.facts) or (() if here.has("windows", "wsl") else _RESTARTED)


_RESTARTED = (
    Fix(
        "Restart the machine whose driver it is (of a container or pod the host, the node): its kernel then loads the module of the installed driver",
        ("sudo reboot",),
        "It ends all that runs there. The usual reason is an update of the driver, also an automatic one, without a restart since.",
    ),
    Fix(
        "Or load the new module without a restart of the host. It works only while no program uses the GPU, the desktop included",
        (
            "sudo modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
            "sudo modprobe nvidia",
            "sudo nvidia-modprobe -u",
        ),
    ),
    Fix(
        "If it is the same after a restart, the host has two drivers. Find them, and remove the package that does not belong to the module",
        (
            "ldconfig -p | grep -E 'libcuda.so.1|libnvidia-ml.so.1'",
            'dpkg -S "$(readlink -f /usr/lib/x86_64-linux-gnu/libcuda.so.1)"',
        ),
    ),
)


def _newer_driver(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Windows' own, also for WSL; elsewhere the page's."""
    if here.has("windows"):
        return (DRIVER_OF_WINDOWS,)
    return (install_driver(case.facts),) if here.has("wsl") else ()


def _newer_image(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """The server's own image; what runs in it can't be installed beside it."""
    return _OF_A_SERVERS_IMAGE if here.has("serving") else ()


_OF_A_SERVERS_IMAGE = (
    Fix(
        "Take the newest image of the server, and see by its first requests whether it holds code for this GPU",
        ("docker pull tensorflow/serving:latest-gpu",),
    ),
    Fix(
        "Until there is one, serve on the processor: hand the variable into the container",
        ("docker run --rm -e CUDA_VISIBLE_DEVICES=-1 tensorflow/serving:latest-gpu --version",),
        "Put the same -e into your own docker run, before the image's name; in your shell it would not reach the container.",
    ),
)
_FIRST: dict[str, Step] = {
    "wsl-container-toolkit-old": _desktop,
    "driver-library-unreachable": _engine,
    "container-without-gpu": _engine,
    "gpu-absent": _engine,
    "gpu-out-of-memory": _memory,
    "gpu-memory-fragmented": _memory,
    "gpu-memory-held": _memory,
    "ptxas-missing": _compiler,
    "libdevice-missing": _compiler,
    "host-memory-exhausted": _array,
    "cuda-libraries-missing": _fresh,
    "cuda-libraries-wrong-version": _fresh,
    "cuda-libraries-unreachable": _hosted_alone,
    "image-lacks-cuda-libraries": _fresh,
    "cudnn-version-mismatch": _hosted_alone,
    "driver-versions-differ": _differing,
    "gpu-too-new-for-build": _newer_image,
    "driver-too-old": _newer_driver,
    "driver-too-old-for-ptx": _newer_driver,
}
