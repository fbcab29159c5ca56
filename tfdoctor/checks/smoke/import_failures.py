"""Causes that no fact shows before TensorFlow is imported: the failed stage's own text gives them away.

Each has texts that nothing else writes, so a hit is certain; they stand in signatures/, by code.
"""

from __future__ import annotations

from functools import partial

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened, words
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.light.records import record


@record
class Harm:
    """A code that its words alone prove, what it does to the user, and the ways out."""

    code: str
    harm: str
    fixes: tuple[Fix, ...]


HARMS = (
    Harm(
        "static-tls-exhausted",
        "A library that is loaded late finds no room left in the loader's table for thread-local data. This has nothing to do with RAM.",
        (
            fix("import-library-named-in-message-before"),
            fix("give-loader-more-room"),
        ),
    ),
    Harm(
        "windows-runtime-missing",
        "A DLL that TensorFlow needs does not exist on this Windows, mostly a part of Microsoft's C++ runtime.",
        (fix("install-visual-c-2015-2022-redistributable"),),
    ),
    Harm(
        "windows-file-blocked",
        "Windows lets no program load a DLL that one of its policies does not trust, and TensorFlow's are not signed. Nothing is missing.",
        (
            fix("turn-smart-app-control-off-windows"),
            fix("ask-whoever-sets-machines-policies-for"),
            fix("use-tensorflow-in-wsl2"),
        ),
    ),
    Harm(
        "windows-cudnn-dll-missing",
        "cuDNN for Windows opens further DLLs at its first use, zlibwapi.dll among them, and one of them is on no folder of PATH.",
        (
            fix("put-dll-named-into-folder-bin"),
        ),
    ),
    Harm(
        "windows-dll-init-failed",
        "A DLL is found, but its own start-up code fails.",
        (
            fix("update-visual-c-redistributable"),
            fix("import-tensorflow-before-other-packages-with"),
        ),
    ),
    Harm(
        "windows-pagefile-too-small",
        "Windows promises no more memory than RAM and page file together, and each process that imports TensorFlow asks for much.",
        (fix("use-fewer-worker-processes-or-larger"),),
    ),
    Harm(
        "protobuf-two-runtimes",
        "Two copies of protobuf's C++ runtime in one process know the same messages, and one gives up.",
        (fix("import-tensorflow-first-and-bring-packages"),),
    ),
    Harm(
        "hdf5-mismatch",
        "h5py runs on another HDF5 library than it was built for, and HDF5 aborts the program.",
        (
            fix("keep-other-copies-hdf5-off-loaders"),
            fix("install-h5py-from-same-source-as"),
        ),
    ),
    Harm(
        "openmp-duplicate",
        "Two OpenMP runtimes were loaded into one process, which makes results wrong or ends it.",
        (fix("take-packages-bring-openmp-from-one"),),
    ),
)  # fmt: skip


def _judge(each: Harm, case: Case) -> Found | None:
    """By the failed stage's words alone: each of these codes has texts that nothing else writes."""
    must_have_listened(case)
    text = words(case.facts, each.code)
    return None if text is None else Found(each.harm, (text,), each.fixes)


for _harm in HARMS:
    check(_harm.code, prevents=Ability.COMPUTE, explains=FOLLOWS)(partial(_judge, _harm))
