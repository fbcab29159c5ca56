"""A GPU that Windows or macOS took away, or that gives nothing: DirectML's and Metal's words, what they mean and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.desktops import ON_THE_CPU
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_REMOVED = Meaning(
    "Windows ends the work of a graphics card that does not answer for some seconds or whose driver failed, and starts the driver again. Programs that had the card lose it for good and have to be restarted. "
    "A step that takes too long, memory of the card that is used up, a fault of the driver and a card that is driven too fast or too hot end so. The program and its data may be in order.",
    (
        Fix(
            "Start the program again with half the batch: shorter steps need less time and less of the card's memory",
            note="In your files: batch_size=16 where it says 32, for instance",
        ),
        Fix(
            "Bring the card's driver up to date, and take back an overclocking of the card",
            note="From the maker of the card: AMD, Intel or NVIDIA. For a Radeon, set GPU Workload in its settings to Graphics.",
        ),
        Fix(
            "Let Windows wait longer for the card, in a prompt of the administrator, and restart the machine",
            (
                r"reg add HKLM\SYSTEM\CurrentControlSet\Control\GraphicsDrivers /v TdrDelay /t REG_DWORD /d 60 /f",
            ),
        ),
        ON_THE_CPU,
    ),
)
_NO_ADAPTER = Meaning(
    "DirectML's plug-in asked Windows for graphics cards that can compute by Direct3D 12 and got none. It needs a card with full support for that and a driver that is up to date; "
    "of Intel's graphics those before HD Graphics 5xx are too old. TensorFlow computes on the processor.",
    (
        Fix(
            "See which card this is, and how old its driver is. It changes nothing",
            ("dxdiag",),
            "Its page Display shows the name, the driver's date and the Feature Levels: 12_0 or 11_0 with Direct3D 12 is needed.",
        ),
        Fix("Bring the driver up to date from the maker of the card, and restart the machine"),
        Fix("For work on the processor nothing has to be done"),
    ),
)
_LIBRARY = Meaning(
    "The file belongs to the package tensorflow-directml itself and is beside it. It is not there, so the installation stopped half-way: a path that was too long for Windows, a virus scanner, or a second attempt of pip that "
    "took what the first had left for complete.",
    (
        Fix(
            "Reinstall it in a folder with a short path, in an environment of its own",
            (r"py -3.7 -m venv C:\tfdml", r"C:\tfdml\Scripts\python -m pip install tensorflow-directml"),
            "It has no files for Python 3.8 and newer. The present one stays as it is.",
        ),
    ),
)
_BUFFER = Meaning(
    "TensorFlow hands the GPU its work through Metal, Apple's system for that, in pieces. Metal gave up such a piece, and nobody tells the program: it goes on with what is in the memory by then, so losses, weights and "
    "predictions after this line may be wrong. The line below it names the reason where Metal knows one; after one fault it gives up what follows as well.",
    (
        Fix(
            "Restart the program, compute the same step on the processor and compare; until then, do not rely on what came after the line",
            note="In your files, before the model is made: tf.config.set_visible_devices([], 'GPU')",
        ),
        Fix(
            "See which releases of TensorFlow and its plug-in are installed; the plug-in's page names the pairs that belong together. It changes nothing",
            (f"{PYTHON} -m pip list | grep -i -E 'tensorflow|metal'",),
        ),
        Fix("Give the GPU smaller pieces: half the batch, smaller pictures"),
    ),
)
_NO_MEMORY = Meaning(
    "On a Mac the GPU uses the machine's own memory and Metal found none left for this step. What the step should have computed is not there, and the program goes on without it or ends.",
    (
        Fix("Try half the batch, or smaller pictures", note="In your files: batch_size=16 where it says 32, for instance"),
        Fix("See what else uses the memory, and close it. It changes nothing by itself", ("top -l 1 -o mem -n 10",)),
        ON_THE_CPU,
    ),
)  # fmt: skip
OF_PLUGINS: Mapping[str, Meaning] = {
    "dml-device-removed": _REMOVED,
    "dml-no-adapter": _NO_ADAPTER,
    "dml-library": _LIBRARY,
    "metal-command-buffer": _BUFFER,
    "metal-no-memory": _NO_MEMORY,
}
TITLES_OF_PLUGINS: Mapping[str, str] = {
    "dml-device-removed": "Windows took the graphics card from the program: its driver was reset or lost it.",
    "dml-no-adapter": "DirectML finds no graphics card here that it can compute with.",
    "dml-library": "The installed tensorflow-directml is not complete: its DirectML library is missing.",
    "metal-command-buffer": "Metal gave up work that TensorFlow had handed to this Mac's GPU, so its results may be wrong.",
    "metal-no-memory": "This Mac's GPU found no memory left for a step.",
}
"""Both by the signature's name."""


def of_plugin(told: Testimony, saying: Saying) -> Candidate | None:
    """What the same plug-in says more exactly beside it; None where it means what it says."""
    if saying.name == "metal-command-buffer" and (full := told.named("metal-no-memory")):
        words = _NO_MEMORY.words
        return Candidate("gpu-out-of-memory", Confidence.CERTAIN, (place(full[0]), place(saying)), words, title=TITLES_OF_PLUGINS["metal-no-memory"])  # fmt: skip
    if saying.name == "dml-no-adapter" and (shadowed := told.of("wsl-driver-shadowed")):
        return Candidate("wsl-driver-shadowed", Confidence.LIKELY, (place(shadowed[0]), place(saying)))
    if saying.name == "plugin-stopped" and (lost := told.named("dml-device-removed")):
        words = _REMOVED.words
        return Candidate("cuda-context-poisoned", Confidence.LIKELY, (place(lost[0]), place(saying)), words, title=TITLES_OF_PLUGINS["dml-device-removed"])  # fmt: skip
    return None
