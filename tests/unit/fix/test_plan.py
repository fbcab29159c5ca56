"""Which release works where: the questions that people ask, with the bundled matrix."""

from __future__ import annotations

import pytest

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import OsRelease
from tfdoctor.facts.versions import GlibcRelease, PythonRelease
from tfdoctor.fix.install import install_commands
from tfdoctor.fix.machine import DescriptionError, Machine, described
from tfdoctor.fix.plan import Plan, plan
from tfdoctor.fix.ways_out import way_to_newest, ways_out
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.say.plan import newest_needs, plan_to_json, plan_to_text
from tfdoctor.say.terminal import Page

HERE = Machine(
    platform="linux_x86_64",
    python=Known(PythonRelease("3.11"), "test"),
    glibc=Known(GlibcRelease("2.36"), "test"),
    driver=Absent("no driver"),
    gpus=Absent("no GPU"),
)


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return load_bundled()


def planned(matrix: Matrix, **said: str) -> Plan:
    return plan(described(HERE, matrix, **said), matrix)


def why_not(made: Plan, version: str) -> list[str]:
    excluded = next(item for item in made.excluded if item.release.tensorflow == version)
    return [obstacle.code for obstacle in excluded.because]


@pytest.mark.parametrize(
    ("said", "first", "excluded"),
    [
        ({"gpu": "GeForce RTX 3090", "driver": "470.57.02", "python": "3.10"}, "2.14.1", {"2.21.0": "driver-too-old"}),
        ({"gpu": "12.0", "driver": "580.95"}, "2.21.0", {"2.20.0": "gpu-too-new-for-build"}),  # whose code is for Hopper alone
        ({"gpu": "GTX 1080", "driver": "590.44"}, "", {"2.21.0": "driver-lacks-gpu"}),
        ({"gpu": "GTX 1080", "driver": "580.95"}, "2.21.0", {}),
        ({"gpu": "T4", "driver": "590.44"}, "2.21.0", {}),
        ({"gpu": "GTX 1080", "driver": "590.44", "python": "3.10", "os": "windows"}, "2.10.1", {}),  # that is Linux' drivers' way
        ({"gpu": "V100", "driver": "535.104", "python": "3.12"}, "2.21.0", {}),
        ({"gpu": "H100", "driver": "535.104"}, "2.16.2", {"2.21.0": "driver-too-old-for-ptx"}),
        ({"gpu": "H100", "driver": "555.42.02"}, "2.21.0", {}),
        ({"os": "windows"}, "2.21.0", {}),
        ({"os": "windows", "gpu": "RTX 3090", "python": "3.10"}, "2.10.1", {"2.21.0": "os-gpu-unsupported"}),
        ({"os": "linux-aarch64"}, "2.21.0", {}),
        ({"os": "linux-aarch64", "gpu": "H100", "driver": "580.65.06"}, "", {"2.21.0": "os-gpu-unsupported"}),
        ({"gpu": "3.0", "driver": "470.57.02"}, "", {"2.14.1": "compute-capability-too-low"}),
        ({"gpu": "8.0", "driver": "580.65.06", "cuda": "11.8"}, "2.14.1", {"2.21.0": "cuda-libraries-wrong-version"}),
        ({"python": "3.14"}, "", {}),
    ],
)  # fmt: skip
def test_which_is_best_and_why_others_are_not(
    said: dict[str, str], first: str, excluded: dict[str, str], matrix: Matrix
) -> None:
    made = planned(matrix, **said)
    assert (made.options[0].release.tensorflow if made.options else "") == first
    assert {
        version: code for version, code in excluded.items() if code not in why_not(made, version)
    } == {}


@pytest.mark.parametrize(
    ("gpu", "driver", "need"),
    [
        ("GeForce RTX 3090", "470.57.02", ("driver-too-old", ">=525.60.13", "470.57.02")),
        ("GTX 1080", "590.44", ("driver-lacks-gpu", "580 or older", "590.44")),
    ],
)
def test_what_the_newest_needs(
    gpu: str, driver: str, need: tuple[str, str, str], matrix: Matrix
) -> None:
    [told] = newest_needs(planned(matrix, gpu=gpu, driver=driver, python="3.10"))
    assert (told.code, told.expected, told.observed) == need


@pytest.mark.parametrize(
    ("python", "version", "words"),
    [("3.11", "2.15.1", "cuDNN 8"), ("3.12", "2.21.0", "compiled at first use")],
)
def test_what_a_blackwell_gpu_is_told(
    python: str, version: str, words: str, matrix: Matrix
) -> None:
    """The code of both can be compiled for it; what cuDNN 8 does there nobody has proven."""
    made = planned(matrix, gpu="12.0", driver="580.95", python=python)
    told = next(each for each in made.options if each.release.tensorflow == version)
    assert not told.proven
    assert any(words in note for note in told.notes)


@pytest.mark.parametrize(
    ("gpu", "driver", "words"),
    [
        ("V100", "535.104", "'tensorflow[and-cuda]==2.21.0' 'nvidia-cudnn-cu12<9.11'"),
        ("K80", "470.57.02", " nvidia-cudnn-cu11==8.7.0.84 "),  # 8.9.2 mends a bug and has no kernels below 5.0 any more
        ("A100", "470.57.02", " 'nvidia-cudnn-cu11>=8.9.2,<9' "),
    ],
)  # fmt: skip
def test_a_gpu_gets_a_cudnn_that_knows_it(
    gpu: str, driver: str, words: str, matrix: Matrix
) -> None:
    made = planned(matrix, gpu=gpu, driver=driver, python="3.11")
    assert words in install_commands(made.options[0].release, made.machine, matrix)[1]


def test_python_3_14_has_a_release_candidate_alone(matrix: Matrix) -> None:
    made = plan(described(HERE, matrix, python="3.14"), matrix, prereleases=True)
    assert [item.release.tensorflow for item in made.options] == ["2.22.0rc0"]


@pytest.mark.parametrize(
    ("gpu", "title", "image", "words"),
    [
        ("GB10", "Use NVIDIA's", "tensorflow:25.02-tf2-py3 ", "TensorFlow 2.17.0 and needs driver 570.26"),
        ("GH200", "Use NVIDIA's", "tensorflow:25.02-tf2-py3 ", "driver 570.26"),
        ("Jetson Orin", "Use NVIDIA's", "tensorflow:25.02-tf2-py3-igpu ", "needs JetPack 6.2"),
        ("Jetson Thor", "Try NVIDIA's", "tensorflow:25.02-tf2-py3 ", "no kernels for compute capability 11.0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("os", ["", "linux"])
def test_a_gpu_beside_an_arm_cpu_gets_nvidias_image(
    os: str, gpu: str, title: str, image: str, words: str, matrix: Matrix
) -> None:
    """No such GPU is in a machine with an x86_64 CPU, so `linux` is Linux on Arm."""
    made = planned(matrix, gpu=gpu, os=os)
    first = ways_out(made, matrix, Facts())[0]
    assert made.machine.platform == "linux_aarch64"
    assert first.title.startswith(title)
    assert image in first.commands[0]
    assert words in first.note


def test_xla_is_the_one_thing_that_may_fail_on_blackwell(matrix: Matrix) -> None:
    option = planned(matrix, gpu="RTX 5090", driver="580.95", python="3.12").options[0]
    [note] = [each for each in option.notes if "XLA" in each]
    assert "jit_compile=False" in note


def test_an_old_glibc_is_a_reason(matrix: Matrix) -> None:
    old = Machine(
        HERE.platform, HERE.python, Known(GlibcRelease("2.17"), "test"), HERE.driver, HERE.gpus
    )
    made = plan(old, matrix)
    assert made.options[0].release.tensorflow == "2.20.0"
    assert why_not(made, "2.21.0") == ["glibc-too-old"]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"gpu": "Voodoo 2"}, "Voodoo 2"),
        ({"python": "9"}, "--python 9: needs a minor version"),
        ({"python": "9.0"}, "--python 9.0: needs a minor version"),
        ({"gpu": "86"}, "such as 8.6"),
        ({"gpu": "4091"}, "did you mean 'RTX 409"),
        ({"os": "beos"}, "beos"),
        ({"python": "three"}, "three"),
        ({"driver": "newest"}, "newest"),
        ({"cuda": ""}, ""),
    ],
)
def test_what_is_not_understood_is_said(matrix: Matrix, said: dict[str, str], word: str) -> None:
    if not word:
        assert described(HERE, matrix, **said) == HERE
        return
    with pytest.raises(DescriptionError, match=word):
        described(HERE, matrix, **said)


@pytest.mark.parametrize(
    ("name", "capability"),
    [("4090", "8.9"), ("3080", "8.6"), ("1080 Ti", "6.1"), ("RTX 4090", "8.9"), ("8.6", "8.6")],
)
def test_a_bare_model_number_is_a_name(name: str, capability: str, matrix: Matrix) -> None:
    gpus = described(HERE, matrix, gpu=name).gpus
    assert isinstance(gpus, Known)
    assert [str(gpu) for gpu in gpus.value] == [capability]


def screen(matrix: Matrix, made: Plan, *, everything: bool = False) -> str:
    """The screen as one line, so that its width is none of the test's business."""
    text = plan_to_text(
        made, matrix, Page(), ways_out(made, matrix, Facts()), everything=everything
    )
    return " ".join(text.split())


def test_a_release_that_the_matrix_does_not_know_is_not_said_to_fail(matrix: Matrix) -> None:
    text = screen(matrix, plan(HERE, matrix, spec="1.15"))
    assert "No TensorFlow 1.15 for Linux x86_64 is known; 2." in text
    assert "works on" not in text


def test_windows_with_a_gpu_hears_of_every_way_out(matrix: Matrix) -> None:
    text = screen(matrix, planned(matrix, os="windows", gpu="RTX 3090", python="3.12"))
    ways = (
        "1. Use WSL2",
        "2. Use Python 3.10: TensorFlow 2.10.1",
        "3. Use the CPU: TensorFlow 2.21.0",
    )
    assert [text.index(way) for way in ways] == sorted(text.index(way) for way in ways)
    assert text.index("No TensorFlow version works on the machine described.") < text.index(ways[0])
    assert text.index(ways[-1]) < text.index("Not available")


def test_another_gpu_is_no_way_to_get_a_release(matrix: Matrix) -> None:
    assert "For 2.21.0 use a newer GPU" in screen(
        matrix, planned(matrix, gpu="5.0", driver="580.65.06")
    )


def test_the_driver_for_the_newest_version_is_named_with_its_command(matrix: Matrix) -> None:
    made = planned(matrix, driver="470.57.02", gpu="RTX 3090", python="3.10")
    facts = Facts()
    ubuntu = replace(facts, host=replace(facts.host, distribution=Known(OsRelease("ubuntu", "22.04", (), "Ubuntu 22.04"), "test"), package_manager=Known("apt", "test")))  # fmt: skip
    upgrade = way_to_newest(made, matrix, ubuntu)
    assert upgrade is not None
    text = plan_to_text(made, matrix, Page(), (), upgrade)
    assert "For 2.21.0     upgrade the driver to 525.60.13 or newer (you have 470.57.02)" in text
    assert "\n                 sudo apt-get install --yes nvidia-driver-580" in text


def test_neighbors_share_a_line_and_all_gives_each_its_own(matrix: Matrix) -> None:
    made = planned(matrix, driver="470.57.02", gpu="RTX 3090", python="3.10")
    assert "Also works 2.8.0–2.14.0" in screen(matrix, made)
    assert "2.3.0–2.7.4: no wheel for Python 3.10" in screen(matrix, made)
    everything = screen(matrix, made, everything=True)
    assert "✓ 2.9.3 works CUDA 11.2, cuDNN 8.1" in everything
    assert "no wheel for Python 3.10; needs driver" not in everything


def test_what_is_not_proven_is_untested(matrix: Matrix) -> None:
    text = screen(matrix, planned(matrix, gpu="12.0", driver="580.95", python="3.12"))
    assert "? 2.21.0 untested" in text
    assert "newest that works" not in text


def test_a_long_install_line_becomes_a_file(matrix: Matrix) -> None:
    typed = ["--gpu", "RTX 3090", "--driver", "470.57.02", "--matrix", "a $(id).yaml"]
    made = planned(matrix, driver="470.57.02", gpu="RTX 3090", python="3.10")
    lines = plan_to_text(made, matrix, Page(), typed=typed).splitlines()
    assert [line.strip() for line in lines[3:6]] == [
        "tfdoctor plan --gpu \"RTX 3090\" --driver 470.57.02 --matrix 'a $(id).yaml' --format requirements -o requirements-tf.txt",
        "python3.10 -m venv tensorflow-2.14.1",
        "tensorflow-2.14.1/bin/python -m pip install -r requirements-tf.txt",
    ]


def test_a_python_that_is_not_installed_is_fetched(matrix: Matrix) -> None:
    made = planned(matrix, python="3.14")
    way = ways_out(made, matrix, Facts())[0]
    assert way.commands[0] == "uv venv --seed --python 3.13 tensorflow-2.21.0"


def test_json_and_text_say_the_same(matrix: Matrix) -> None:
    made = planned(matrix, gpu="V100", driver="535.104", python="3.12")
    document = plan_to_json(made, matrix)
    text = plan_to_text(made, matrix, Page())
    assert document["options"][0]["tensorflow"] == "2.21.0"
    assert set(document["options"][0]) >= {
        "tensorflow",
        "python",
        "install",
        "cuda",
        "cudnn",
        "notes",
    }
    assert all(command in text for command in document["options"][0]["install"])
    assert document["excluded"][0]["because"][0].keys() == {"code", "expected", "observed"}


def test_a_gpu_that_these_builds_do_not_serve_is_none(matrix: Matrix) -> None:
    """Of AMD alone the CPU builds are planned for; an NVIDIA GPU beside it has a driver to be asked."""
    from tests.unit.judge.machines import base, changed
    from tfdoctor.facts.outcome import Failed
    from tfdoctor.facts.values import PciGpu
    from tfdoctor.fix.machine import machine_from_facts

    amd = PciGpu("0000:03:00.0", "amd", "744c", Known("amdgpu", "x"))
    facts = changed(base("cpu"), host={"gpus_on_bus": Known((amd,), "x")})
    assert isinstance(machine_from_facts(facts).gpus, Absent)
    both = changed(facts, host={"gpus_on_bus": Known((amd, replace(amd, vendor="nvidia")), "x")})
    assert isinstance(machine_from_facts(both).gpus, Failed)
