"""What is private about a machine and its user stands in no output, unless it was asked for."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.driver.scenario import GIB, Gpu, Process, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import PATH, doctor
from tests.real.test_hostile_tensorflow import environment_with
from tfdoctor.apps.cli.options import REPORT_FORMATS

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("canaries"),
]

USER, HOST = "kanarienvogel", "canary-host-4711"
TOKEN, PASSWORD = "ghp_C4n4ryT0kenC4n4ryT0kenC4n4ryT0ken00", "hunter2-kanarie"
UUID, SERIAL = "GPU-cafe4711-dead-4eef-8bad-c0ffee000001", "1327047110815"
OTHERS_SECRET = "--api-key=k4n4r13-of-somebody-else"
OTHERS_PROGRAM = "nightjar-training"
CANARIES = (
    USER,
    HOST,
    TOKEN,
    PASSWORD,
    UUID,
    SERIAL,
    OTHERS_SECRET,
    "k4n4r13",
    "10.47.11.8",
    "02:ca:fa:47:11:08",
)


@pytest.fixture
def somebody_else() -> Iterator[int]:
    """A process of another user with a secret on its command line, which holds memory of the simulated GPU."""
    demote = {"user": "nobody"} if os.geteuid() == 0 else {}
    process = subprocess.Popen(
        ["/bin/sh", "-c", "read forever; :", OTHERS_PROGRAM, OTHERS_SECRET],
        env={"WANDB_API_KEY": TOKEN}, stdin=subprocess.PIPE, **demote,  # type: ignore[call-overload]  # a dictionary of options
    )  # fmt: skip
    yield process.pid
    process.kill()
    process.wait()


def planted(home: Path, driver: SimulatedDriver) -> dict[str, str]:
    """The environment of a user whose every variable tells something."""
    return driver.environment(
        {
            "PATH": PATH, "HOME": str(home), "USER": USER, "LOGNAME": USER, "HOSTNAME": HOST, "SUDO_USER": USER,
            "GITHUB_TOKEN": TOKEN, "TF_VAR_database_password": PASSWORD, "TF_API_KEY": TOKEN, "CUDA_SECRET": PASSWORD,
            "NVIDIA_API_KEY": TOKEN, "XLA_FLAGS": f"--xla_dump_to={home}/dump",
            "TF_CONFIG": json.dumps({"cluster": {"worker": ["10.47.11.8:2222", f"{HOST}:2222"]}}),
            "PIP_INDEX_URL": f"https://{USER}:{PASSWORD}@{HOST}/simple", "SSH_CONNECTION": "10.47.11.8 1 10.47.11.8 22",
            "NVIDIA_VISIBLE_DEVICES": UUID, "LANG": "C.UTF-8",
        }
    )  # fmt: skip


TELLS_ALL = f"""
import os, sys
for each in sorted(os.environ.items()): print(*each, file=sys.stderr)
print("connecting to 10.47.11.8 as {USER}@{HOST} from 02:ca:fa:47:11:08", file=sys.stderr)
raise ImportError("can't read " + os.path.expanduser("~/secret/key.pem") + " for {USER} on {HOST}, token {TOKEN}")
"""


def machine(tmp_path: Path, pid: int) -> tuple[Path, dict[str, str]]:
    home = tmp_path / "home" / USER
    home.mkdir(parents=True)
    gpu = Gpu(
        uuid=UUID,
        serial=SERIAL,
        memory_used=20 * GIB,
        processes=(Process(pid, 20 * GIB, f"{OTHERS_PROGRAM} {OTHERS_SECRET}"),),
    )
    driver = SimulatedDriver(home / "driver", Scenario(gpus=(gpu,)), libraries=EVERYTHING)
    python = environment_with(home / "venv", TELLS_ALL)
    return python, planted(home, driver)


def found_in(text: str, home: str) -> list[str]:
    """Canaries in a text, also as HTML or a URL would write them or in base64."""
    forms = {
        each: (each, each.replace("@", "%40"), base64.b64encode(each.encode()).decode()[:-4])
        for each in (*CANARIES, home)
    }
    return [
        each for each, ways in forms.items() if any(way.lower() in text.lower() for way in ways)
    ]


@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_no_canary_in_any_output_simulated(form: str, tmp_path: Path, somebody_else: int) -> None:
    python, env = machine(tmp_path, somebody_else)
    saved = tmp_path / "report"
    shown = doctor("check", "--python", python, "--smoke", "tf", "--format", form, env=env)
    written = doctor(
        "check", "--python", python, "--smoke", "tf", "--format", form, "-o", saved, env=env
    )
    assert shown.status == written.status == 1
    for text in (shown.stdout, shown.stderr, written.stdout, written.stderr, saved.read_text()):
        assert found_in(text, env["HOME"]) == []


def test_on_a_host_of_that_name_simulated(tmp_path: Path, somebody_else: int) -> None:
    """The host name as the kernel has it, in a namespace of its own."""
    python, env = machine(tmp_path, somebody_else)
    before = (
        "unshare",
        "--map-root-user",
        "--uts",
        "sh",
        "-e",
        "-c",
        f'hostname {HOST}; exec "$@"',
        "sh",
    )
    run = doctor("check", "--python", python, "--smoke", "tf", "--json", env=env, before=before)
    assert found_in(run.stdout + run.stderr, env["HOME"]) == []
    assert run.report["findings"]


def test_a_home_that_only_the_user_database_knows_simulated(
    tmp_path: Path, somebody_else: int
) -> None:
    """Started by a service: HOME and USER are not set, and the paths of the environment tell both."""
    python, env = machine(tmp_path, somebody_else)
    home = env["HOME"]
    passwd = tmp_path / "passwd"
    passwd.write_text(f"{USER}:x:0:0:Kanarien Vogel:{home}:/bin/sh\nroot:x:1:1::/root:/bin/sh\n")
    bare = {
        key: value
        for key, value in env.items()
        if key not in ("HOME", "USER", "LOGNAME", "SUDO_USER")
    }
    before = (
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-e",
        "-c",
        f'mount --bind {passwd} /etc/passwd; exec "$@"',
        "sh",
    )
    run = doctor("check", "--python", python, "--smoke", "tf", "--json", env=bare, before=before)
    assert found_in(run.stdout + run.stderr, home) == []


def test_one_value_has_one_placeholder_and_no_redact_shows_it_simulated(
    tmp_path: Path, somebody_else: int
) -> None:
    python, env = machine(tmp_path, somebody_else)
    hidden = doctor("check", "--python", python, "--smoke", "none", "--json", env=env)
    plain = doctor("check", "--python", python, "--smoke", "none", "--json", "--no-redact", env=env)
    assert str(python) in plain.stdout and UUID in plain.stdout
    devices = {
        hidden.report["facts"][group + ".devices"]["value"][0]["uuid"]
        for group in ("driver", "nvml")
    }
    assert len({json.dumps(each) for each in devices}) == 1
    assert UUID not in hidden.stdout


def test_a_report_is_redacted_again_when_it_is_judged_again_simulated(
    tmp_path: Path, somebody_else: int
) -> None:
    python, env = machine(tmp_path, somebody_else)
    saved = tmp_path / "plain.json"
    doctor(
        "check", "--python", python, "--smoke", "tf", "--json", "--no-redact", "-o", saved, env=env
    )
    assert USER in saved.read_text()
    again = doctor("check", "--facts", saved, "--json", env=env)
    assert found_in(again.stdout + again.stderr, env["HOME"]) == []


def test_a_wrong_path_in_a_home_names_no_more_than_was_typed(tmp_path: Path) -> None:
    home = tmp_path / "home" / USER
    home.mkdir(parents=True)
    env = {"PATH": PATH, "HOME": str(home), "USER": USER, "GITHUB_TOKEN": TOKEN}
    run = doctor("check", "--python", "~/nothing", env=env)
    assert run.status == 2
    assert found_in(run.one_line, str(home)) == []
