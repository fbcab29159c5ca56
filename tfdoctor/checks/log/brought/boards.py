"""CUDA in a container on a Jetson board: up to JetPack 4 it is no part of the image, NVIDIA's runtime brings it in from the board."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: the number in a library's name

_CODE = "container-without-gpu"
_OF_THE_BOARD = Expression(
    r"^lib(?:(?:cudart|cublas|cufft|curand|cusolver|cusparse)\w{0,3}\.so\.10|cudnn\w{0,12}\.so\.[78]|nvinfer\w{0,10}\.so\.[5-8])\b"
)
"""Libraries of JetPack 4 (CUDA 10.0 and 10.2, cuDNN 7 and 8, TensorRT 5 to 8): mounted into l4t images by NVIDIA's runtime
(NVIDIA's page NVIDIA Container Runtime on Jetson, read 2026-11-23). Images for JetPack 5 and newer hold CUDA themselves."""
_TITLE = "This container on a Jetson board does not find {library}: it was not started with NVIDIA's runtime, or its image is for another JetPack."
_WORDS = (
    "Up to JetPack 4 (L4T r32) an image for Jetson holds no CUDA. NVIDIA's runtime mounts CUDA, cuDNN and TensorRT of the board's own JetPack into the container when it starts; without that runtime, or where the board itself lacks "
    "them, the loader finds nothing. An image of another JetPack asks for other numbers than the board has. TensorFlow then computes on the processor, or can't be imported."
)
_BOARD = fix("compare-boards-release-with-tag-image")


def on_a_board(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None elsewhere than in a container on such a board, and for a library that such an image holds itself."""
    library = saying.told.get("library", "")
    if not _boxed(facts, told) or not _OF_THE_BOARD.search(library):
        return None
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), _WORDS, title=_TITLE.format(library=library))


def _boxed(facts: Facts, told: Testimony) -> bool:
    around = shown(facts)
    named = any("l4t-" in each.text or "docker" in each.text for each in told.sayings)
    return around.jetson and (isinstance(facts.host.container, Known) or around.compose or named)


def board_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for any other place."""
    missing = (each for each in told.of("cuda-libraries-missing"))
    if code != _CODE or not any(on_a_board(facts, told, each) for each in missing):
        return ()
    return (_in_compose() if shown(facts).compose else _by_docker(), _BOARD)


def _in_compose() -> Fix:
    return fix("have-service-started-with-nvidias-runtime")


def _by_docker() -> Fix:
    return fix("start-container-with-nvidias-runtime-command")
