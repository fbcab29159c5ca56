"""What to type where an installer stopped at something that it can't use."""

from __future__ import annotations

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.installers.stopped import asked_for, quoted_names
from tfdoctor.checks.log.installers.unusable import DAMAGED, near_the_limit, of_others, unusable, virtual
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter

_OWN_BAZEL = "Set USE_BAZEL_VERSION and call bazelisk wherever bazel is called."


def unusable_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no installer stopped so, or another code is asked for."""
    for saying in told.sayings:
        found = unusable(told, saying)
        if found is not None and found.code == code:
            return _for(facts, told, saying)
    return ()


def _for(facts: Facts, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    python = interpreter(facts)
    if saying.code == "python-unsupported":
        return _older_pip(python, told.named("pip-invalid-metadata")[0])
    if saying.name == "memory-error":
        return (Fix("Install without pip's cache", (f"{python} -m pip install --no-cache-dir {quoted_names(asked_for(facts))}",)),)  # fmt: skip
    if saying.name == "pip-invalid-wheel":
        return _another_release(python, saying)
    if saying.name == "pip-path-of-a-build":
        return _without_paths(python)
    if saying.name == DAMAGED:
        return _clean(told, saying)
    if saying.name == "virtual-package-missing":
        return _overriding(told, saying)
    if saying.name.startswith("bazel-"):
        return _of_bazel(facts, saying)
    if saying.name == "numpy-windows-fmod":
        return (Fix("Take NumPy 1.19.5, which goes around it", (f"{python} -m pip install numpy==1.19.5",), "Python 3.6 to 3.9; newer Pythons have newer NumPys. pip may warn: TensorFlow 2.3 and older ask for less than 1.19 and run with it."), Fix("Or update Windows: an update of early 2021 puts it right"))  # fmt: skip
    if saying.name == "installed-but-required":
        wanted = f"{saying.told['module']}{saying.told['wanted']}"
        return (Fix(f"Install what {saying.told['asker']} asks for, then the package by pip in place of setup.py", (f'{python} -m pip install "{wanted}" {keeping_tensorflow(facts)}', f"{python} -m pip install ."), "The second line in the folder that holds setup.py."),)  # fmt: skip
    return _own_environment(facts, windows=of_others(saying) or "\\" in saying.told.get("file", ""))


def _older_pip(python: str, saying: Saying) -> tuple[Fix, ...]:
    package, version = saying.told["package"], saying.told["version"]
    return (
        Fix(f"Where another release of {package} does as well, take the newest", (f"{python} -m pip install --upgrade {package}",), f"In a list of requirements, take =={version} off its line."),
        Fix("Else install it with the last pip that overlooks it", (f'{python} -m pip install "pip<24.1"', f"{python} -m pip install {package}=={version}")),
    )  # fmt: skip


def _another_release(python: str, saying: Saying) -> tuple[Fix, ...]:
    name = saying.told.get("package") or saying.told.get("asker", "")
    release = saying.told.get("version") or saying.told.get("value", "")
    if name == "tensorflow-gpu" and not release:  # its last release, 2.12.0, only refuses to be installed
        return (Fix("Install tensorflow itself, which has the GPU: tensorflow-gpu was given up", (f"{python} -m pip install tensorflow",)),)  # fmt: skip
    again = Fix("Fetch it once more, in case that it arrived damaged", (f"{python} -m pip install --no-cache-dir --force-reinstall --no-deps {name}",))  # fmt: skip
    if not release:
        return (again,)
    other = Fix(f"Take another release of {name} than {release}", (f'{python} -m pip install "{name}!={release}"',))  # fmt: skip
    return (other, again)


def _without_paths(python: str) -> tuple[Fix, ...]:
    return (
        Fix("Take the paths out of the list, so that the names alone are left, and install it", ("sed -i.bak -E 's/ @ file:.*//' requirements.txt", f"{python} -m pip install -r requirements.txt"), "For a file of another name write that one. The old list is kept as requirements.txt.bak."),
        Fix("Or write the list again, in the environment that it comes from", (f"{python} -m pip list --format=freeze",), "It writes releases in place of paths."),
    )  # fmt: skip


def _clean(told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    clean = Fix("Empty conda's cache of packages, and give the command once more", ("conda clean --packages --tarballs --yes",), "Environments that are there stay as they are. See first that the disk has room.")  # fmt: skip
    if not near_the_limit(told, saying):
        return (clean,)
    lift = [each for each in ways_out("windows-long-path") if "LongPathsEnabled" in " ".join(each.commands)]
    return (clean, *lift)


def _overriding(told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    name = virtual(saying)
    pixi = bool(told.named("of-pixi"))
    if name != "__cuda":
        look = "pixi info" if pixi else "conda info"
        return (Fix("See what conda takes this machine for; the build that fits has no such need", (look,), "Under virtual packages stands what it found."),)  # fmt: skip
    again = "pixi install" if pixi else "conda install --channel conda-forge tensorflow"
    own = Fix("Where the program runs with a GPU later, or needs none to be installed, tell it which CUDA to count with", (f"CONDA_OVERRIDE_CUDA=12.0 {again}",))  # fmt: skip
    project = Fix("In a pixi project, say which CUDA its machines have", note='In pixi.toml: [system-requirements] with cuda = "12". Without that section pixi counts with none.')  # fmt: skip
    return (own, project) if pixi else (own, Fix("Or take the build for processors alone", ('conda install --channel conda-forge "tensorflow=*=cpu*"',)))  # fmt: skip


def _of_bazel(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    if saying.name == "bazel-release":
        return _bazelisk(facts, saying)
    return (Fix("In the folder of the source, throw away what Bazel keeps, tell it the folders once more, and build again", ("bazel clean --expunge", "./configure"), "At ./configure's question for Python give the very one that has NumPy, by its real path (readlink -f), with its environment activated. The build then starts from its beginning."),)  # fmt: skip


def _bazelisk(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    wanted = saying.told.get("wanted") or saying.told["value"]
    mac = value_or(facts.host.os, "") == "macos"
    get = ("brew install bazelisk",) if mac else ("npm install -g @bazel/bazelisk",)
    other = Fix("Or do without building: pip has ready-made files", (f"{interpreter(facts)} -m pip install tensorflow",))  # fmt: skip
    return (Fix(f"Use Bazelisk, which fetches the Bazel that is asked for ({wanted})", (*get, f"export USE_BAZEL_VERSION={wanted}", "./configure"), f"{_OWN_BAZEL} It takes Bazel's place under that name, too."), other)  # fmt: skip


def _own_environment(facts: Facts, *, windows: bool) -> tuple[Fix, ...]:
    what = quoted_names(asked_for(facts))
    if windows:
        return (Fix("Make an environment of your own, and install there", ("py -3.12 -m venv tensorflow-new", f"tensorflow-new\\Scripts\\python -m pip install {what}"), "In the Anaconda Prompt: conda create --name tf python, then conda activate tf, and pip there."),)  # fmt: skip
    return (Fix("Make an environment of your own, and install there", ("python3 -m venv tf", f"tf/bin/python -m pip install {what}"), "sudo pip would mix its packages with the system's own."),)  # fmt: skip


def room_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """A disk that Docker filled, whose images and layers are elsewhere than the files of a user. () for others."""
    if not told.named("of-docker-build"):
        return ()
    return (
        Fix("See what Docker keeps, and on which disk; it changes nothing", ("docker system df", "docker info --format '{{.DockerRootDir}}'"), "In CI the runner's disk is what is full: df -h shows it."),
        Fix("Remove the layers of earlier builds and the images that no container uses; they are built or fetched again", ("docker builder prune --force", "docker image prune --all --force"), "In the Dockerfile, pip install --no-cache-dir leaves less behind, and tensorflow-cpu is smaller where no GPU is used. Docker Desktop has a limit of its own under Settings, Resources."),
    )  # fmt: skip
