"""A program that was killed and says no more: what gives it room, by what it was doing and where it ran."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.advice import is_a_compiler, is_a_server

_CODES = ("host-oom-killed", "container-oom-killed")

_LESS = Fix(
    "Let it hold less at once: half the batch, fewer workers, a smaller shuffle buffer, no cache(), data read from disk in batches",
    note='In your files: .batch(16), .shuffle(1000), .prefetch(1); np.load(…, mmap_mode="r") in place of a whole array; float32 in place of NumPy\'s usual float64.',
)
_SWAP = Fix(
    "Give the machine room on its disk for what does not fit: slower, but the program goes on",
    (
        "sudo fallocate -l 16G /swapfile && sudo chmod 600 /swapfile",
        "sudo mkswap /swapfile && sudo swapon /swapfile",
    ),
    "For this start of the machine; `sudo swapoff /swapfile` takes it back.",
)
_OF_WSL = Fix(
    "Give WSL more of the machine's memory; by itself it gets half of it. In Windows' PowerShell; the last line ends everything that runs in WSL",
    (
        'Add-Content "$env:USERPROFILE\\.wslconfig" "[wsl2]`nmemory=12GB`nswap=16GB"',
        "wsl --shutdown",
    ),
    "With a size that leaves Windows a few gigabytes. Where the file has a part [wsl2] already, write the two lines into that.",
)
_WHO = Fix(
    "See what else uses the machine's memory, the largest first", ("ps -eo pid,rss,comm --sort=-rss | head",)
)
_BOX = Fix(
    "Give the container more memory, with its name in place of my-container",
    ("docker update --memory 8g --memory-swap 8g my-container", "docker start my-container"),
    "For a new one: docker run --memory 8g --memory-swap 8g; in Compose: mem_limit: 8g. Docker Desktop, on Windows and Mac, runs all containers in a machine of its own with a limit: Settings, Resources.",
)
_ASK = Fix(
    "See whether it was the container's limit, with the container's name; true says so. It changes nothing",
    ("docker inspect --format '{{.State.OOMKilled}} {{.HostConfig.Memory}}' my-container",),
)
_FEWER_JOBS = Fix(
    "Let fewer compilers run at once; each takes up to 2 GB",
    (
        "export MAKEFLAGS=-j2",
        "bazel build --jobs=2 --local_resources=memory=4096 //tensorflow/tools/pip_package:wheel",
    ),
    "The second is for TensorFlow's own build. Where a package is only compiled because pip found no wheel, another Python version may have one.",
)
_MODELS = Fix(
    "Let the server hold less: one version of one model",
    note="In the model's configuration: model_version_policy {latest {num_versions: 1}}.",
)


def exhausted_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """An allocation that failed: what holds less comes before who holds it; () where only a loader was refused."""
    said = {each.name for each in told.of("host-memory-exhausted")}
    return (_LESS, *ways_out("host-memory-exhausted")) if said & _ASKED_FOR_MUCH else ()


_ASKED_FOR_MUCH = {
    "memory-error",
    "bad-alloc",
    "allocator-cpu",
    "allocator-cpu-ran-out",
    "cannot-allocate",
    "array-not-allocated",
    "not-enough-memory",
}


def kill_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log tells who killed it, or where what it says has ways of its own."""
    kills = [each for each in told.endings if each.how == "signal" and each.status == 9]
    if code not in _CODES or not kills or any(each.sure == "certain" for each in told.of(code)):
        return ()
    if any(is_a_compiler(each.what) for each in kills):
        return (_FEWER_JOBS, _SWAP, _WHO)
    pip = max((place(each) for each in told.named("pip-at-work")), default=(-1, -1))
    if pip > max((place(each) for each in told.named("pip-installed")), default=(-1, -1)):
        return _of_pip(facts)
    if code == "container-oom-killed":
        return _of_a_box(facts, kills[-1].what)
    if value_or(facts.host.os, "linux") != "linux" or isinstance(facts.host.scheduler, Known):
        return ()
    return (_OF_WSL, _LESS, _WHO) if isinstance(facts.host.wsl, Known) else (_LESS, _SWAP, _WHO)


_BY_KUBECTL = "command terminated with exit code"
"""kubectl exec's words for the end of what it ran in a pod."""


def _of_a_box(facts: Facts, line: str) -> tuple[Fix, ...]:
    """() in Kubernetes and elsewhere where no docker is typed: the page has those."""
    if value_or(facts.host.container, "docker") not in ("docker", "podman") or _BY_KUBECTL in line:
        return ()
    rest = (_MODELS,) if is_a_server(line) else (_LESS,)
    return (_BOX, *rest, _ASK)


def _of_pip(facts: Facts) -> tuple[Fix, ...]:
    python = interpreter(facts)
    return (
        Fix(
            "Let pip work without its cache, which many releases of it hold in memory as a whole",
            (f"{python} -m pip install --no-cache-dir tensorflow",),
            "With the name and the version that you asked for.",
        ),
        Fix(
            "Take the build for the processor alone, less than half the size",
            (f"{python} -m pip install --no-cache-dir tensorflow-cpu",),
        ),
        _SWAP,
    )
