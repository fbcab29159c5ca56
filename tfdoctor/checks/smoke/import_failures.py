"""Causes that no fact shows before TensorFlow is imported: the failed stage's own text gives them away.

Each has texts that nothing else writes, so a hit is certain; they stand in signatures/, by code.
"""

from __future__ import annotations

from functools import partial

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened, words
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
            Fix("Import the library named in the message before everything else", note="Or load it first: LD_PRELOAD=<its path> python …"),
            Fix("Give the loader more room", ("export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096",), "For this shell; glibc 2.33 and newer."),
        ),
    ),
    Harm(
        "windows-runtime-missing",
        "A DLL that TensorFlow needs does not exist on this Windows, mostly a part of Microsoft's C++ runtime.",
        (Fix("Install the Visual C++ 2015-2022 redistributable for x64", ("winget install Microsoft.VCRedist.2015+.x64",)),),
    ),
    Harm(
        "windows-file-blocked",
        "Windows lets no program load a DLL that one of its policies does not trust, and TensorFlow's are not signed. Nothing is missing.",
        (
            Fix(
                "Turn Smart App Control off (Windows 11)",
                note="Windows Security > App & browser control > Smart App Control settings > Off. Before Windows 11 25H2 it can be turned on "
                "again only by resetting Windows.",
            ),
            Fix("Ask whoever sets this machine's policies for a rule that allows the environment's folder", note="The event log names the policy: CodeIntegrity > Operational, event 3077 or 3033."),
            Fix("Use TensorFlow in WSL2", ("wsl --install",), "Windows' policies do not reach into it."),
        ),
    ),
    Harm(
        "windows-cudnn-dll-missing",
        "cuDNN for Windows opens further DLLs at its first use, zlibwapi.dll among them, and one of them is on no folder of PATH.",
        (
            Fix(
                "Put the DLL that is named into the folder bin of CUDA, or another one on PATH",
                note="zlibwapi.dll must be the one of 64 bits; the package torch brings a copy in torch\\lib, NVIDIA Nsight one named zlib.dll. Of cuDNN, "
                "the whole folder bin belongs on PATH. Then open a new window.",
            ),
        ),
    ),
    Harm(
        "windows-dll-init-failed",
        "A DLL is found, but its own start-up code fails.",
        (
            Fix("Update the Visual C++ redistributable", ("winget upgrade Microsoft.VCRedist.2015+.x64",)),
            Fix("Import TensorFlow before other packages with DLLs of their own"),
        ),
    ),
    Harm(
        "windows-pagefile-too-small",
        "Windows promises no more memory than RAM and page file together, and each process that imports TensorFlow asks for much.",
        (Fix("Use fewer worker processes, or a larger page file", note="System > Advanced > Performance > Virtual memory."),),
    ),
    Harm(
        "protobuf-two-runtimes",
        "Two copies of protobuf's C++ runtime in one process know the same messages, and one gives up.",
        (Fix("Import TensorFlow first, and bring the packages that bundle protobuf to versions of the same time"),),
    ),
    Harm(
        "hdf5-mismatch",
        "h5py runs on another HDF5 library than it was built for, and HDF5 aborts the program.",
        (
            Fix("Keep other copies of HDF5 off the loader's path", ("unset LD_LIBRARY_PATH",), "For this shell."),
            Fix("Install h5py from the same source as HDF5", note="In conda both from one channel; elsewhere the wheel of h5py alone, which brings its own."),
        ),
    ),
    Harm(
        "openmp-duplicate",
        "Two OpenMP runtimes were loaded into one process, which makes results wrong or ends it.",
        (Fix("Take the packages that bring OpenMP from one source", note="In conda: one channel, or the package nomkl."),),
    ),
)  # fmt: skip


def _judge(each: Harm, case: Case) -> Found | None:
    """By the failed stage's words alone: each of these codes has texts that nothing else writes."""
    must_have_listened(case)
    text = words(case.facts, each.code)
    return None if text is None else Found(each.harm, (text,), each.fixes)


for _harm in HARMS:
    check(_harm.code, prevents=Ability.COMPUTE, explains=FOLLOWS)(partial(_judge, _harm))
