"""Images of the Dockerfile, of the pages' lines and of a plan: really built by buildah, their health command run, well and ill.

The base is a Debian by debootstrap instead of the Python image, so this proves the instructions and not their base. Plain
TensorFlow is installed, for [and-cuda] adds gigabytes alone; its lines are resolved in each run of the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.driver.scenario import Gpu, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.documents import fences
from tools.build.trial import run

REPOSITORY = Path(__file__).parents[2]
NEEDED = ("buildah", "debootstrap")
SUITE = "bookworm"
PYTHON = "3.11"  # bookworm's
BASE, IMAGE = "localhost/tfdoctor-stand-in", "localhost/tfdoctor-image"
HEALTH = ["/opt/tfdoctor/bin/tfdoctor", "healthcheck", "--timeout", "2.5"]
# Counts instead of the 2.5: a busy machine takes longer for the first.
IN_TIME = (
    "--timeout",
    "60",
)
FREE_BYTES = 12 << 30  # base, build stage and image, each a full copy for a moment

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.xdist_group("container"),
]


def _by(storage: str, folder: Path) -> list[str]:
    """overlay shares what stages have in common; vfs copies each whole, and works everywhere."""
    own = folder / storage
    return [
        "buildah",
        "--root",
        str(own / "root"),
        "--runroot",
        str(own / "run"),
        "--storage-driver",
        storage,
    ]


class Builder:
    """buildah with a storage of its own, below one folder that is removed at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.always = _by("overlay", folder)
        if self("from", "scratch", check=False).returncode:  # as inside of another overlay
            self.always = _by("vfs", folder)

    def __call__(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*self.always, *arguments], capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            pytest.fail(
                f"buildah {' '.join(arguments)[:200]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            )
        return done

    def run(
        self, container: str, *command: str, options: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        return self(
            "run", "--isolation", "chroot", *options, container, "--", *command, check=False
        )

    def make_base(self) -> None:
        root = self.folder / "debian"
        packages = "python3,python3-venv,ca-certificates"
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={packages}", SUITE, str(root)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        container = self("from", "scratch").stdout.strip()
        self("copy", "--quiet", container, str(root), "/")
        self("commit", "--quiet", "--rm", "--format", "docker", container, BASE)
        shutil.rmtree(root)

    def build(self, folder: Path = REPOSITORY, tag: str = IMAGE) -> None:
        arguments = [f"--build-arg={name}" for name in (f"BASE={BASE}", "VARIANT=")]
        trusted = [
            f"--volume={path}:{path}:ro"
            for path in ("/etc/ssl/certs", "/etc/pip.conf")
            if os.path.exists(path)
        ]
        self(
            "bud",
            "--isolation",
            "chroot",
            "--format",
            "docker",
            "--layers=false",
            *arguments,
            *trusted,
            "--tag",
            tag,
            "--pull=never",
            str(folder),
        )


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid():
        pytest.skip(
            f"building needs root, {' and '.join(NEEDED)}: tests/setup-machine installs them"
        )
    folder = tmp_path_factory.mktemp("image")
    if shutil.disk_usage(folder).free < FREE_BYTES:
        pytest.skip(f"building needs {FREE_BYTES >> 30} GiB of disk")
    builder = Builder(folder)
    try:
        builder.make_base()
        builder.build()
        yield builder
    finally:
        builder("rm", "--all", check=False)
        builder("rmi", "--all", "--force", check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def container(builder: Builder) -> str:
    return builder("from", IMAGE).stdout.strip()


def test_what_the_image_says_of_itself(builder: Builder) -> None:
    config: dict[str, Any] = json.loads(builder("inspect", "--type", "image", IMAGE).stdout)[
        "Docker"
    ]["config"]
    environment = dict(line.split("=", 1) for line in config["Env"])
    assert config["Healthcheck"]["Test"] == ["CMD", *HEALTH]
    assert config["Healthcheck"]["StartPeriod"] > 0
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["User"]), "a number that is not root's"
    assert config["Cmd"] == ["tfdoctor", "check", "--state"]
    assert environment["NVIDIA_VISIBLE_DEVICES"] == "all"
    assert environment["NVIDIA_DRIVER_CAPABILITIES"] == "compute,utility"


def test_the_health_command_is_well_and_then_ill(builder: Builder, container: str) -> None:
    """As the image's user, whose home does not exist: never examined, examined, a planted fault."""
    assert builder.run(container, "id", "-u").stdout.strip() == "10001"
    first = builder.run(container, *HEALTH, *IN_TIME)
    assert (first.returncode, first.stdout.splitlines()[0]) == (
        0,
        "healthy: no GPU, examined now",
    )
    checked = builder.run(container, "tfdoctor", "check", "--state", "--json")
    assert (checked.returncode, json.loads(checked.stdout)["verdict"]) == (0, "healthy"), (
        checked.stdout[-2000:]
    )
    well = builder.run(container, *HEALTH, *IN_TIME, "--max-age", "1h")
    assert (well.returncode, well.stdout.split(",")[0]) == (0, "healthy: no GPU")
    fault = "rm /opt/tensorflow/lib/python3.*/site-packages/tensorflow/libtensorflow_cc.so.2"
    assert builder.run(container, "sh", "-c", fault, options=("--user", "0:0")).returncode == 0
    ill = builder.run(container, *HEALTH, *IN_TIME)
    assert (ill.returncode, ill.stdout.partition(" [tfdoctor explain")[0]) == (
        1,
        "unhealthy: examined now: broken (tensorflow-install-broken)",
    )


def test_with_a_simulated_gpu_handed_in(builder: Builder, container: str, tmp_path: Path) -> None:
    """The driver's libraries mounted from outside, as NVIDIA's container runtime does it; plain TensorFlow lacks CUDA's."""
    driver = SimulatedDriver(tmp_path / "driver")
    tmp_path.chmod(0o755)
    mounted = (
        "--volume",
        f"{driver.folder}:/usr/local/nvidia/lib64:ro",
        "--env",
        "LD_LIBRARY_PATH=/usr/local/nvidia/lib64",
    )
    required = ("--env", "TFDOCTOR_REQUIRE_GPU=1", "--env", "TFDOCTOR_STATE=/nowhere/state.json")
    well = builder.run(container, *HEALTH, *IN_TIME, "--node", options=(*mounted, *required))
    assert (well.returncode, well.stdout.splitlines()[0].split(",")[0]) == (0, "healthy: 1 GPU"), (
        "the kernel log may be closed to it"
    )
    driver.write(Scenario(gpus=(Gpu(lost=True),)))
    ill = builder.run(container, *HEALTH, *IN_TIME, "--node", options=(*mounted, *required))
    assert (ill.returncode, ill.stdout.partition(" [tfdoctor explain")[0]) == (
        1,
        "unhealthy: GPU 0 is lost: it needs a reset or a reboot",
    )
    without = builder.run(container, *HEALTH, *IN_TIME, "--node", options=required)
    assert (without.returncode, without.stdout.partition(" [tfdoctor explain")[0]) == (
        1,
        "unhealthy: no NVIDIA GPU is found, and one is required",
    )


def test_what_compose_mounts_can_hold_a_checkpoint(builder: Builder, container: str) -> None:
    """After the command that docs/docker.md gives, as the image's own user."""
    command = re.search(
        r"^\$ (mkdir .*)$", (REPOSITORY / "docs/docker.md").read_text(encoding="utf-8"), re.M
    )
    assert command is not None
    subprocess.run(command[1].split(), cwd=builder.folder, check=True)
    builder.folder.chmod(0o755)
    service = yaml.safe_load((REPOSITORY / "compose.yaml").read_text(encoding="utf-8"))["services"][
        "train"
    ]
    mounted = [each.replace("./", f"{builder.folder}/", 1) for each in service["volumes"]]
    save = "import tensorflow as tf; tf.train.Checkpoint(w=tf.Variable(1.0)).save('/checkpoints/w')"
    saved = builder.run(
        container, "python", "-c", save, options=tuple(f"--volume={each}" for each in mounted)
    )
    assert saved.returncode == 0, saved.stderr[-2000:]
    assert (builder.folder / "checkpoints" / "w-1.index").stat().st_uid == 10001


def test_the_lines_of_the_pages_add_a_health_check_to_any_image(builder: Builder) -> None:
    pages = [
        (REPOSITORY / name).read_text(encoding="utf-8") for name in ("README.md", "docs/docker.md")
    ]
    [lines], [same] = (fences(page, "Dockerfile") for page in pages)
    assert lines == same
    folder = builder.folder / "own"
    run("uv", "build", "--quiet", "--wheel", "--out-dir", folder, REPOSITORY)
    (folder / "Dockerfile").write_text(f"FROM {BASE}\n{lines}")
    builder.build(folder, "localhost/own")
    config = json.loads(builder("inspect", "--type", "image", "localhost/own").stdout)["Docker"][
        "config"
    ]
    kind, *command = config["Healthcheck"]["Test"]
    own = builder("from", "localhost/own").stdout.strip()
    ill = builder.run(own, *command, *IN_TIME)
    assert (kind, ill.returncode) == ("CMD", 1)
    assert ill.stdout.startswith("unhealthy: no NVIDIA GPU is found, and one is required")
    assert builder.run(own, "tfdoctor", "explain", "gpu-absent").returncode == 0, (
        "what that line tells to type"
    )


def test_the_dockerfile_of_a_plan_is_built_and_imports_tensorflow(
    builder: Builder, tmp_path: Path
) -> None:
    """On the stand-in base with its Python in /usr/local, as the image that it names has it."""
    planned = run(
        "tfdoctor",
        "plan",
        "--gpu",
        "none",
        "--os",
        "linux",
        "--python",
        PYTHON,
        "--format",
        "dockerfile",
    )
    assert f"FROM python:{PYTHON}-slim\n" in planned
    base = builder("from", BASE).stdout.strip()
    assert builder.run(base, "python3", "-m", "venv", "/usr/local").returncode == 0
    builder(
        "commit",
        "--quiet",
        "--rm",
        "--format",
        "docker",
        base,
        f"docker.io/library/python:{PYTHON}-slim",
    )
    (tmp_path / "Dockerfile").write_text(planned)
    builder.build(tmp_path, "localhost/planned")
    made = builder("from", "localhost/planned").stdout.strip()
    shown = builder.run(made, "python", "-c", "import tensorflow; print(tensorflow.__version__)")
    assert shown.returncode == 0 and f"TensorFlow {shown.stdout.strip()} " in planned, shown.stderr
