"""Which words an action has at a place, by literal rows; and what its lines are for the programs that read them."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
import yaml

from tests.fixes.compose import compose_service
from tests.scenarios.conftest import all_scenarios
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts, Host
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import SchedulerJob
from tfdoctor.judge.judge import judge
from tfdoctor.judge.questions.place import place_of
from tfdoctor.knowledge.actions import act, names, placed, rows
from tfdoctor.knowledge.place import Place

DOCKER = frozenset({"docker", "linux"})
PODMAN = DOCKER | {"podman"}
COMPOSE = DOCKER | {"compose"}
LXC = DOCKER | {"lxc"}
POD = frozenset({"kubernetes", "linux"})
JOB = frozenset({"slurm", "linux"})
BOX = frozenset({"apptainer", "linux"})
ANYWHERE: frozenset[str] = frozenset()
WORDS = [
    ("memory", ANYWHERE, "Raise the memory limit", "", ""),
    ("memory", DOCKER, "Raise the container's memory limit (on the host)", "docker update --memory 8g --memory-swap 8g MY_CONTAINER", "host"),
    ("memory", PODMAN, "Raise the container's memory limit (on the host)", "podman update --memory 8g --memory-swap 8g MY_CONTAINER", "host"),
    ("memory", LXC, "Raise the container's memory limit (on the host)", "lxc config set MY_CONTAINER limits.memory 8GiB", "host"),
    ("memory", COMPOSE, "Raise the container's memory limit", "docker compose up --detach", ""),
    ("memory", POD, "Raise the pod's memory request and limit", "", ""),
    ("memory", JOB, "Request more memory in the job script", "#SBATCH --mem=8G", ""),
    ("memory", JOB | BOX, "Request more memory in the job script", "#SBATCH --mem=8G", ""),
    ("memory", BOX, "Raise the memory limit around the container", "", ""),
    ("memory", frozenset({"colab"}), "Choose a runtime with more RAM", "", ""),
    ("memory", frozenset({"kaggle"}), "Choose a session with more RAM", "", ""),
    ("memory", frozenset({"heroku"}), "Choose a larger dyno", "", ""),
    ("memory", frozenset({"render"}), "Choose a larger instance type", "", ""),
    ("memory", frozenset({"cloud-run"}), "Give the service more memory", "gcloud run services update MY_SERVICE --memory 8Gi", ""),
    ("memory", frozenset({"sagemaker"}), "Choose an instance type with more memory", "", ""),
    ("memory", frozenset({"vertex"}), "Choose a machine type with more memory", "", ""),
    ("memory", frozenset({"databricks"}), "Choose a node type with more memory", "", ""),
    ("shared-memory", ANYWHERE, "Enlarge /dev/shm", "df -h /dev/shm", ""),
    ("shared-memory", DOCKER, "Enlarge the container's /dev/shm (on the host)", "docker run --rm --shm-size=1g ubuntu df -h /dev/shm", "host"),
    ("shared-memory", PODMAN, "Enlarge the container's /dev/shm (on the host)", "podman run --rm --shm-size=1g ubuntu df -h /dev/shm", "host"),
    ("shared-memory", COMPOSE, "Enlarge the container's /dev/shm", "docker compose up --detach --force-recreate", ""),
    ("shared-memory", POD, "Mount memory at /dev/shm", "", ""),
    ("shared-memory", BOX, "Enlarge /dev/shm (on the host; its administrator can)", "sudo mount -o remount,size=1G /dev/shm", "host"),
    ("open-files", ANYWHERE, "Raise the limit on open files", "ulimit -n 4096", ""),
    ("open-files", DOCKER, "Raise the container's limit on open files (on the host)", "docker run --rm --ulimit nofile=65536:65536 ubuntu bash -c 'ulimit -n'", "host"),
    ("locked-memory", ANYWHERE, "Lift the locked-memory limit", "ulimit -l unlimited", ""),
    ("locked-memory", DOCKER, "Lift the container's locked-memory limit (on the host)", "docker run --rm --ulimit memlock=-1:-1 ubuntu bash -c 'ulimit -l'", "host"),
    ("locked-memory", JOB, "Remove slurmd's locked-memory limit (on the node; whoever runs the cluster can)", "sudo systemctl edit slurmd", "node"),
    ("processes", ANYWHERE, "Raise the process limit", "ulimit -u unlimited", ""),
    ("processes", DOCKER, "Raise the container's process limit (on the host)", "docker update --pids-limit -1 MY_CONTAINER", "host"),
    ("time", JOB, "Request more time in the job script", "#SBATCH --time=24:00:00", ""),
    ("time", POD, "Raise the job's time limit", "", ""),
    ("time", ANYWHERE, "Raise the service's time limit", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("what", "names", "title", "first", "where"), WORDS)
def test_a_limit_has_the_words_of_its_place(
    what: str, names: frozenset[str], title: str, first: str, where: str
) -> None:
    fix = placed(act("raise-limit", what), Place(names))
    assert fix is not None
    assert (fix.title, *fix.commands[:1], fix.where) == (title, *filter(None, (first,)), where)


OTHERS = [
    ("give-gpu", "start-with-gpu", ANYWHERE, "Start it with a GPU", ""),
    ("give-gpu", "start-with-gpu", DOCKER, "Start the container with a GPU (on the host)", "docker run --rm --gpus all ubuntu nvidia-smi"),
    ("give-gpu", "start-with-gpu", PODMAN, "Start the container with a GPU (on the host)", "podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi"),
    ("give-gpu", "start-with-gpu", COMPOSE, "Request the GPUs in the compose file", "docker compose config"),
    ("give-gpu", "start-with-gpu", LXC, "Pass the GPU through to the container (on the host)", ""),
    ("give-gpu", "start-with-gpu", POD, "Request a GPU for the pod", ""),
    ("give-gpu", "start-with-gpu", JOB, "Request a GPU from Slurm", "srun --gres=gpu:1 nvidia-smi"),
    ("give-gpu", "start-with-gpu", frozenset({"scheduler", "linux"}), "Request a GPU from the scheduler", ""),
    ("give-gpu", "start-with-gpu", BOX, "Start the container with --nv", "apptainer exec --nv docker://ubuntu nvidia-smi"),
    ("restart", "container", DOCKER, "Restart the container (on the host)", "docker restart MY_CONTAINER"),
    ("restart", "container", PODMAN, "Restart the container (on the host)", "podman restart MY_CONTAINER"),
    ("restart", "container", POD, "Recreate the pod", "kubectl get pod MY_POD -o yaml > MY_POD.yaml"),
    ("restart", "container", BOX, "Start the container again", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "what", "names", "title", "first"), OTHERS)
def test_a_container_has_the_words_of_its_place(
    kind: str, what: str, names: frozenset[str], title: str, first: str
) -> None:
    fix = placed(act(kind, what), Place(names))
    assert fix is not None
    assert (fix.title, *fix.commands[:1]) == (title, *filter(None, (first,)))


@pytest.mark.parametrize("what", ["address-space", "locked-memory", "open-files", "processes"])
def test_windows_has_no_such_limit(what: str) -> None:
    assert placed(act("raise-limit", what), Place(frozenset({"windows"}))) is None


def limits() -> list[tuple[str, str, frozenset[str]]]:
    """Every row of the limits, with a place of its own."""
    return [
        (kind, what, frozenset(row.at[:1]))
        for kind, what in names()
        if kind == "raise-limit"
        for row in rows(kind, what)
        if row.title
    ]


@pytest.mark.parametrize(("kind", "what", "names"), limits())
def test_a_shell_reads_each_line(kind: str, what: str, names: frozenset[str]) -> None:
    fix = placed(act(kind, what), Place(names))
    lines = [] if fix is None or fix.where == "windows" or names & {"windows"} else fix.commands
    for line in lines:
        subprocess.run(["bash", "-n", "-c", line], check=True, timeout=10)


SERVICE = [("memory", {"mem_limit": "8g"}), ("shared-memory", {"shm_size": "1g"}), ("processes", {"pids_limit": -1}),
           ("open-files", {"ulimits": {"nofile": 65536}}), ("locked-memory", {"ulimits": {"memlock": -1}})]  # fmt: skip


@pytest.mark.parametrize(("what", "said"), SERVICE)
def test_a_compose_file_takes_the_lines(what: str, said: dict[str, Any]) -> None:
    fix = placed(act("raise-limit", what), Place(COMPOSE))
    assert fix is not None
    _, _, lines = fix.note.partition("in the compose file, ")
    assert yaml.safe_load(lines) == said
    compose_service().validate(said)


@pytest.mark.parametrize(
    "said", [{"mem_limi": "8g"}, {"ulimits": {"nofile": [1]}}, {"shm_size": ["1g"]}]
)
def test_what_no_service_can_say_is_refused(said: dict[str, Any]) -> None:
    assert not compose_service().is_valid(said)


@pytest.mark.parametrize(
    ("what", "of_container"), [("memory", True), ("shared-memory", False), ("time", False)]
)
def test_a_cluster_takes_the_lines(what: str, of_container: bool) -> None:
    kubernetes_validate = pytest.importorskip(
        "kubernetes_validate", reason="pip install 'tfdoctor[dev]'"
    )
    fix = placed(act("raise-limit", what), Place(POD))
    assert fix is not None
    code = fix.note.partition("In your files: ")[2].removeprefix("the Job's ")
    container: dict[str, Any] = {"name": "train", "image": "train"}
    spec: dict[str, Any] = {"containers": [container], "restartPolicy": "Never"}
    job: dict[str, Any] = {"template": {"spec": spec}}
    for line in code.splitlines():
        said = yaml.safe_load(line)
        owner = (
            container
            if of_container or "volumeMounts" in said
            else spec
            if "volumes" in said
            else job
        )
        owner.update(said)
    document = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": job}
    kubernetes_validate.validate(document, "1.31", strict=True)


def host(**facts: Any) -> Facts:
    return Facts(host=Host(**{name: Known(value, "test") for name, value in facts.items()}))


PLACES = [
    (host(), frozenset(), {}),
    (host(os="linux", name="3f2a91c0b7de"), frozenset(), {}),
    (host(os="linux", container="docker", name="3f2a91c0b7de"), DOCKER, {"container": "3f2a91c0b7de"}),
    (host(os="linux", container="podman", name="3f2a91c0b7de"), PODMAN, {"container": "3f2a91c0b7de"}),
    (host(os="linux", container="docker", name="trainer"), DOCKER, {}),
    (host(os="linux", container="docker", name="$(reboot)"), DOCKER, {}),
    (host(os="linux", container="docker", name="3f2a91c0b7de\n"), DOCKER, {}),
    (host(os="linux", container="kubernetes", name="train-7d4b9-x2x8q"), POD, {"pod": "train-7d4b9-x2x8q"}),
    (host(os="linux", container="kubernetes", name="-train"), POD, {}),
    (host(os="linux", container="kubernetes", name="x" * 63), POD, {}),
    (host(os="linux", container="singularity", name="node1"), BOX, {}),
    (host(os="windows", name="DESKTOP-1"), frozenset({"windows"}), {}),
    (host(os="linux", wsl=2, name="DESKTOP-1"), frozenset({"wsl"}), {}),
    (host(scheduler=SchedulerJob("slurm", Known("1", "test"))), JOB, {}),
    (host(scheduler=SchedulerJob("pbs", Known("1", "test"))), frozenset({"scheduler", "linux"}), {}),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "names", "values"), PLACES)
def test_a_place_by_facts(facts: Facts, names: frozenset[str], values: dict[str, str]) -> None:
    assert place_of(facts) == Place(names, values=values)


def killed(**facts: Any) -> tuple[str, ...]:
    """The commands for a command that was killed at a limit of 2 GiB, or what a file gets."""
    scenario = next(
        each for each in all_scenarios() if each.name == "container-oom-killed/counter-and-peak"
    )
    known: dict[str, Any] = {name: Known(value, "test") for name, value in facts.items()}
    own = scenario.facts()
    case = replace(scenario.case(), facts=replace(own, host=replace(own.host, **known)))
    [found] = [each for each in judge(case).findings if each.code == "container-oom-killed"]
    [raised] = [each for each in found.fixes if each.action and each.action.kind == "raise-limit"]
    return (*raised.commands, raised.note.partition("In your files: ")[2])


def test_the_limit_is_raised_to_twice_what_was_hit_in_this_container() -> None:
    commands = killed(container="docker", name="3f2a91c0b7de")
    assert commands[0] == "docker update --memory 4g --memory-swap 4g 3f2a91c0b7de"


def test_the_limit_is_raised_in_this_pod() -> None:
    assert killed(container="kubernetes", name="train-0") == (
        "resources: {requests: {memory: 4Gi}, limits: {memory: 4Gi}}",
    )


def test_a_placeholder_says_that_it_is_one() -> None:
    fix = placed(act("raise-limit", "memory"), Place(DOCKER))
    assert fix is not None
    for name in {each for line in fix.commands for each in re.findall(r"\bMY_\w+", line)}:
        assert f"Replace {name} with" in fix.note
    assert "8 GB is an example" in fix.note
