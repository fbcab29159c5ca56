"""NVIDIA's own TensorFlow image for a machine: the only build with CUDA for GPUs beside an Arm CPU."""

from __future__ import annotations

from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.machine import Machine
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix


def nvidias_container(machine: Machine, matrix: Matrix) -> tuple[Fix, ...]:
    """The newest one that is known; () in a matrix that knows none."""
    gpus = value_or(machine.gpus, ())
    held = matrix.container(gpus[0] if gpus else None)
    if held is None:
        return ()
    image, version, needs = held.image, held.tensorflow, held.needs
    unbuilt = ", ".join(str(gpu) for gpu in gpus if not any(map(gpu.runs_binary_for, held.built)))
    if unbuilt:
        return (act("choose-image", "try-nvidias-tensorflow-container", image=image, tensorflow=version, needs=needs, gpu=unbuilt),)  # fmt: skip
    return (act("choose-image", "use-nvidias-tensorflow-container", image=image, tensorflow=version, needs=needs),)  # fmt: skip
