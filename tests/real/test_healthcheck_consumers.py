"""The health check's forms as their real consumers read them: Prometheus' node exporter and its own parser."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.driver.scenario import Gpu, Scenario
from tests.needs import NODE_EXPORTER
from tests.unit.apps.health.machine import Machine
from tfdoctor.apps.health.writing import write_file

EXPORTER = "prometheus-node-exporter"
REWRITES = 1000


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def parsed(text: str) -> dict[str, float]:
    """Sample name with its labels, and value, by Prometheus' own parser."""
    parser = pytest.importorskip("prometheus_client.parser", reason="pip install 'tfdoctor[dev]'")
    return {
        sample.name
        + "".join(f",{key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }


def textfile(machine: Machine, scenario: Scenario, folder: Path) -> str:
    machine.check("--format", "prometheus", "-o", str(folder / "tfdoctor.prom"), scenario=scenario)
    return (folder / "tfdoctor.prom").read_text(encoding="utf-8")


def test_prometheus_own_parser_reads_it_simulated(machine: Machine, tmp_path: Path) -> None:
    machine.write_state()
    odd = 'NVIDIA "L4" \\ one'
    well = parsed(textfile(machine, Scenario(gpus=(Gpu(name=odd),)), tmp_path))
    assert (well["tfdoctor_healthy"], well["tfdoctor_gpus"]) == (1.0, 1.0)
    free = [name for name in well if name.startswith("tfdoctor_gpu_memory_free_bytes")]
    assert free == [
        f"tfdoctor_gpu_memory_free_bytes,gpu=0,name={odd},uuid=GPU-5a1d0000-0000-4000-8000-000000000001"
    ]
    ill = parsed(textfile(machine, Scenario(gpus=(Gpu(lost=True),)), tmp_path))
    assert (ill["tfdoctor_healthy"], ill["tfdoctor_check_ok,check=gpus"]) == (0.0, 0.0)
    assert not [name for name in ill if name.startswith("tfdoctor_gpu_memory")], (
        "what is not known is not there"
    )


@pytest.fixture
def exporter(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address where the real node exporter serves its files."""
    program = shutil.which(EXPORTER)
    if program is None:
        pytest.skip(NODE_EXPORTER)
    folder = tmp_path / "textfile"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    options = [
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={folder}",
    ]
    process = subprocess.Popen(
        [program, *options, f"--web.listen-address={address}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://{address}/metrics")
        yield folder, f"http://{address}/metrics"
    finally:
        process.terminate()
        process.wait(10)


def wait_for(address: str) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(
                address, timeout=5
            ).close()  # the test's own address on this machine
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def served(address: str) -> str:
    with urllib.request.urlopen(
        address, timeout=10
    ) as answer:  # the test's own address on this machine
        return str(answer.read().decode("utf-8"))


@pytest.mark.real
def test_the_node_exporter_serves_it_simulated(
    machine: Machine, exporter: tuple[Path, str]
) -> None:
    folder, address = exporter
    machine.write_state()
    written = parsed(textfile(machine, Scenario(), folder))
    text = served(address)
    seen = parsed(text)
    assert {name: value for name, value in seen.items() if name.startswith("tfdoctor_")} == written
    assert seen["node_textfile_scrape_error"] == 0


@pytest.mark.real
def test_nothing_half_written_is_seen_by_its_readers_simulated(
    machine: Machine, exporter: tuple[Path, str]
) -> None:
    """1,000 rewrites of a short and a long answer, a reader of the file and the exporter beside them."""
    folder, address = exporter
    machine.write_state()
    short = textfile(machine, Scenario(gpus=(Gpu(lost=True),)), folder).encode()
    many = Scenario(
        gpus=tuple(
            Gpu(
                uuid=f"GPU-{index:08d}-0000-4000-8000-000000000001",
                pci=f"00000000:{index:02X}:00.0",
            )
            for index in range(1, 17)
        )
    )
    long = textfile(machine, many, folder).encode()
    assert len(long) > 4 * len(short) / 2 and short != long
    seen: set[bytes] = set()
    errors: list[str] = []
    done = threading.Event()

    def read_file() -> None:
        while not done.is_set():
            seen.add((folder / "tfdoctor.prom").read_bytes())

    def scrape() -> None:
        while not done.is_set():
            text = served(address)
            if (
                not re.search(r"^node_textfile_scrape_error 0$", text, re.M)
                or "tfdoctor_healthcheck_timestamp_seconds" not in text
            ):
                errors.append(text[-300:])

    readers = [threading.Thread(target=read_file), threading.Thread(target=scrape)]
    for reader in readers:
        reader.start()
    for index in range(REWRITES):
        assert write_file(str(folder / "tfdoctor.prom"), (short, long)[index % 2]) == ""
    done.set()
    for reader in readers:
        reader.join()
    assert seen == {short, long}
    assert errors == []
    assert [path.name for path in folder.iterdir()] == ["tfdoctor.prom"]
