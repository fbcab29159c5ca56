"""Which ways out a log of each code gets: what the log itself names first, then what its kind needs, then the page's."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.amd.builds import amd_build_fixes
from tfdoctor.checks.log.amd.tools import amd_tool_fixes
from tfdoctor.checks.log.around.hosted import platform_fixes
from tfdoctor.checks.log.around.large_pieces import memory_first_fixes
from tfdoctor.checks.log.around.macs import kernel_fixes, mac_fixes
from tfdoctor.checks.log.around.open_ends import open_end_fixes
from tfdoctor.checks.log.around.surroundings import ray_hides
from tfdoctor.checks.log.askers import cudnn_fixes, protobuf_fixes, variable_fixes
from tfdoctor.checks.log.brought.cxx_libraries import cxx_fixes
from tfdoctor.checks.log.brought.host_libraries import host_library_fixes
from tfdoctor.checks.log.brought.symbols import symbol_fixes
from tfdoctor.checks.log.brought.ways import brought_fixes
from tfdoctor.checks.log.companions import add_on_fixes, import_fixes
from tfdoctor.checks.log.deaths.ways import death_fixes
from tfdoctor.checks.log.disk_room import room_fixes
from tfdoctor.checks.log.exception_meanings import meant_fixes, of_kerases
from tfdoctor.checks.log.fit.decoded import decoded_fixes
from tfdoctor.checks.log.fit.dlls import dll_fixes
from tfdoctor.checks.log.fit.lacking import lacking_fixes
from tfdoctor.checks.log.fit.older_system import glibc_fixes
from tfdoctor.checks.log.fit.own_files import renaming_fixes
from tfdoctor.checks.log.fit.stated import stated_fixes
from tfdoctor.checks.log.fit.torn import torn_fixes
from tfdoctor.checks.log.fit.twice import twice_fixes
from tfdoctor.checks.log.fit.ways import misfit_fixes
from tfdoctor.checks.log.gpus.drivers import driver_fixes
from tfdoctor.checks.log.gpus.generations import newer_cuda_fixes
from tfdoctor.checks.log.gpus.left_out import left_out_fixes
from tfdoctor.checks.log.gpus.metal import metal_crash_fixes
from tfdoctor.checks.log.gpus.other_gpus import maker_fixes
from tfdoctor.checks.log.gpus.placement import OF_RAY, gpu_kernel_fixes, number_fixes, rocm_fixes
from tfdoctor.checks.log.gpus.stubs import tensorrt_fixes
from tfdoctor.checks.log.gpus.xla import metal_fixes, ptxas_fixes
from tfdoctor.checks.log.installer_stopped import stopped_fixes
from tfdoctor.checks.log.installers.list_fixes import list_fixes
from tfdoctor.checks.log.installers.pythons import machine_lacks_fixes, python_fixes
from tfdoctor.checks.log.installers.wheels import wheel_fixes
from tfdoctor.checks.log.kerases import legacy_fixes
from tfdoctor.checks.log.kernels_not_started import ipykernel_fixes
from tfdoctor.checks.log.kinds.boxes import amd_fixes, no_device_fixes, plain_libcuda_fixes
from tfdoctor.checks.log.kinds.incomplete import missing_fixes, mixture_fixes
from tfdoctor.checks.log.kinds.loaders import loader_fixes
from tfdoctor.checks.log.kinds.mixed import mixed_fixes
from tfdoctor.checks.log.kinds.older import older_fixes
from tfdoctor.checks.log.kinds.processors import processor_fixes
from tfdoctor.checks.log.kinds.ranges import descriptor_fixes, ml_dtypes_fixes, numpy_fixes
from tfdoctor.checks.log.kinds.requires import conflict_fixes
from tfdoctor.checks.log.kinds.standalone import standalone_fixes
from tfdoctor.checks.log.kinds.syntax import syntax_fixes
from tfdoctor.checks.log.kinds.tensorflow_1 import rewriting_fixes
from tfdoctor.checks.log.launchers import launcher_fixes
from tfdoctor.checks.log.modules.absent import absent_fixes, name_of_another_fixes, tensorflow_fixes
from tfdoctor.checks.log.modules.gone import moved_fixes
from tfdoctor.checks.log.modules.leftovers import leftover_fixes
from tfdoctor.checks.log.modules.shared import not_found_fixes
from tfdoctor.checks.log.not_started import start_fixes
from tfdoctor.checks.log.numpys.names import name_fixes
from tfdoctor.checks.log.numpys.sizes import abi_fixes, size_fixes
from tfdoctor.checks.log.numpys.symbolic import symbolic_fixes
from tfdoctor.checks.log.other_programs import other_program_fixes
from tfdoctor.checks.log.own.between import between_fixes
from tfdoctor.checks.log.own.members import member_fixes
from tfdoctor.checks.log.own.ops import op_fixes
from tfdoctor.checks.log.own_words import fixes_of
from tfdoctor.checks.log.stops.bus_errors import bus_fixes
from tfdoctor.checks.log.stops.containers import not_started_fixes
from tfdoctor.checks.log.stops.docker_options import docker_option_fixes
from tfdoctor.checks.log.stops.evictions import eviction_fixes
from tfdoctor.checks.log.stops.forked import forked_fixes, still_fixes
from tfdoctor.checks.log.stops.meeting import unmet_fixes
from tfdoctor.checks.log.stops.piled import piled_fixes
from tfdoctor.checks.log.stops.refused import refused_fixes
from tfdoctor.checks.log.stops.shuffles import smaller_buffer
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.tls import tls_fixes
from tfdoctor.checks.log.unfound.libraries import NOTHING_TO_DO, only_asked_for
from tfdoctor.checks.log.unfound.old_gpus import old_gpu_fixes
from tfdoctor.checks.log.unfound.sessions import session_fixes
from tfdoctor.checks.log.unfound.unlisted import unlisted_fixes
from tfdoctor.checks.log.unfound.ways import reach_fixes
from tfdoctor.checks.log.ways.adapted import adapted
from tfdoctor.checks.log.ways.crashes import crash_fixes
from tfdoctor.checks.log.ways.kills import exhausted_fixes, kill_fixes
from tfdoctor.checks.log.ways.libraries import library_fixes, newer_cudnn_fixes
from tfdoctor.checks.log.ways.place import pythons, toolkit
from tfdoctor.checks.log.ways.running import growth_fixes, read_it, smaller_batch, without_locks
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out

_OF_MEMBERS = ("keras-mismatch", "keras-legacy-needed")
_OF_MISFITS = ("keras-mismatch", "package-import-failed", "python-exception")


def for_this_log(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The ways out of a code that no check found by facts."""
    if surest := _surest(code, case, told):
        return surest
    made = _MADE.get(code)
    found = (
        open_end_fixes(code, case.facts, told)
        or fixes_of(code, case.facts, told)
        or kill_fixes(code, case.facts, told)
    )
    return found or (made(case, told) if made is not None else ()) or adapted(code, case)


def _surest(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Those of what the log itself names: a range, a system, a package, a file."""
    facts = case.facts
    return (
        other_program_fixes(code, facts, told)
        or launcher_fixes(code, told)
        or conflict_fixes(code, facts, told)
        or moved_fixes(code, facts, told)
        or stated_fixes(code, facts, told)
        or mac_fixes(code, facts, told)
        or dll_fixes(code, facts, told)
        or renaming_fixes(code, facts, told)
        or twice_fixes(code, facts, told)
        or torn_fixes(code, facts, told)
        or meant_fixes(code, facts, told)
        or ipykernel_fixes(code, facts, told)
        or start_fixes(code, told)
        or (member_fixes(case, told) if code in _OF_MEMBERS else ())
        or (misfit_fixes(case, told) if code in _OF_MISFITS else ())
        or platform_fixes(code, case, told)
        or (memory_first_fixes(facts, told) if code == "jupyter-kernel-died" else ())
        or refused_fixes(code, told)
        or eviction_fixes(code, told)
        or piled_fixes(code, told)
        or brought_fixes(code, facts, told)
        or docker_option_fixes(code, told)
        or still_fixes(code, facts, told)
        or not_started_fixes(code, told)
        or (unmet_fixes(told) if code == "worker-lost" else ())
        or unlisted_fixes(code, case, told)
        or amd_tool_fixes(code, told)
        or amd_build_fixes(code, told)
        or death_fixes(code, facts, told)
    )


_MADE: dict[str, Callable[[Case, Testimony], tuple[Fix, ...]]] = {
    "cuda-libraries-missing": lambda case, told: (
        gpu_kernel_fixes(told)
        or (
            (*NOTHING_TO_DO, *(library_fixes(case, told) or adapted("cuda-libraries-missing", case)))
            if only_asked_for(case.facts, told)
            else library_fixes(case, told)
        )
    ),
    "cuda-libraries-wrong-version": lambda case, told: (
        tensorrt_fixes(told) or symbol_fixes(case.facts, told) or library_fixes(case, told)
    ),
    "cuda-libraries-unreachable": reach_fixes,
    "cudnn-version-mismatch": newer_cudnn_fixes,
    "keras-mismatch": lambda case, told: standalone_fixes(case.facts, told) or of_kerases(case.facts, told),
    "tensorflow-mixed-distributions": lambda case, told: leftover_fixes(case.facts, told),
    "custom-op-mismatch": lambda case, told: (
        loader_fixes(case.facts, told) or op_fixes(case.facts, told) or add_on_fixes(case.facts, told)
    ),
    "protobuf-incompatible": lambda case, told: (
        loader_fixes(case.facts, told)
        or protobuf_fixes(case.facts, told)
        or descriptor_fixes(case, told)
        or lacking_fixes(case.facts, told)
    ),
    "cuda-libraries-mixed": lambda case, told: cudnn_fixes(case.facts, told) or mixed_fixes(case.facts, told),
    "environment-variable-refused": lambda case, told: variable_fixes(told),
    "numpy-abi-mismatch": lambda case, told: (
        size_fixes(case, told) or abi_fixes(case, told) or numpy_fixes(case, told)
    ),
    "ml-dtypes-mismatch": ml_dtypes_fixes,
    "static-tls-exhausted": lambda case, told: tls_fixes(told),
    "package-import-failed": lambda case, told: (
        lacking_fixes(case.facts, told)
        or absent_fixes(case.facts, told)
        or name_of_another_fixes(case.facts, told)
        or syntax_fixes(case.facts, told)
        or import_fixes(case.facts, told)
    ),
    "disk-full": lambda case, told: room_fixes(told),
    "driver-too-old": driver_fixes,
    "keras-legacy-needed": lambda case, told: (
        between_fixes(case.facts, told) or legacy_fixes(case.facts, told)
    ),
    "numpy-alias-removed": lambda case, told: name_fixes(case.facts, told),
    "ptxas-too-old": lambda case, told: ptxas_fixes(case.facts, told),
    "python-unsupported": lambda case, told: (
        syntax_fixes(case.facts, told)
        or wheel_fixes(case, told)
        or list_fixes(case, told)
        or python_fixes(told)
        or pythons(case, told)
    ),
    "dependency-mismatch": lambda case, told: (
        symbolic_fixes(case.facts, told)
        or missing_fixes(case.facts, told)
        or decoded_fixes(case.facts, told)
        or older_fixes(case.facts, told)
        or list_fixes(case, told)
        or machine_lacks_fixes(told)
    ),
    "tensorflow-missing": lambda case, told: tensorflow_fixes(case.facts, told),
    "shared-library-missing": lambda case, told: (
        loader_fixes(case.facts, told) or not_found_fixes(case.facts, told)
    ),
    "tensorflow-install-broken": lambda case, told: (
        mixture_fixes(case.facts, told) or loader_fixes(case.facts, told)
    ),
    "foreign-architecture": lambda case, told: loader_fixes(case.facts, told),
    "wsl-driver-shadowed": lambda case, told: loader_fixes(case.facts, told),
    "driver-library-unreachable": lambda case, told: plain_libcuda_fixes(told),
    "windows-cudnn-dll-missing": lambda case, told: loader_fixes(case.facts, told),
    "native-crash": lambda case, told: crash_fixes(case.facts, told),
    "fork-after-init": lambda case, told: forked_fixes(case.facts, told),
    "shuffle-buffer-too-large": lambda case, told: smaller_buffer(told),
    "shared-memory-too-small": lambda case, told: bus_fixes(told),
    "metal-plugin-mismatch": lambda case, told: (
        kernel_fixes(told) or metal_fixes(told) or metal_crash_fixes(case.facts, told)
    ),
    "gpu-out-of-memory": smaller_batch,
    "installer-stopped": lambda case, told: stopped_fixes(case.facts, told),
    "container-without-gpu": toolkit,
    "python-exception": lambda case, told: (
        kernel_fixes(told) or rewriting_fixes(case.facts, told) or read_it(case, told)
    ),
    "cpu-instructions-missing": lambda case, told: processor_fixes(case.facts),
    "file-locked": without_locks,
    "libstdcxx-too-old": lambda case, told: cxx_fixes(told),
    "glibc-too-old": lambda case, told: host_library_fixes(told) or glibc_fixes(case, told),
    "host-memory-exhausted": lambda case, told: exhausted_fixes(case.facts, told),
    "gpu-hidden": lambda case, told: (
        number_fixes(told) or (OF_RAY if ray_hides(told) else no_device_fixes(told))
    ),
    "rocm-gpu-unsupported": lambda case, told: rocm_fixes(told),
    "gpu-absent": lambda case, told: maker_fixes(case.facts) or amd_fixes(told) or session_fixes(case.facts),
    "gpu-too-new-for-build": newer_cuda_fixes,
    "device-configured-too-late": lambda case, told: growth_fixes(told),
    "compute-capability-too-low": lambda case, told: left_out_fixes(case, told) or old_gpu_fixes(case),
    "ptx-jit-slow-start": lambda case, told: (
        (*newer, *ways_out("ptx-jit-slow-start")) if (newer := newer_cuda_fixes(case, told)[:-1]) else ()
    ),
}
