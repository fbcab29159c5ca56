"""Which fixes a log of each code gets: what the log names first, then what its kind needs, then the page's."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.broken_installs import (
    conflict_fixes,
    descriptor_fixes,
    missing_fixes,
    mixed_fixes,
    mixture_fixes,
    ml_dtypes_fixes,
    numpy_fixes,
    older_fixes,
)
from tfdoctor.checks.log.cases import case_fixes
from tfdoctor.checks.log.clusters import unmet_fixes
from tfdoctor.checks.log.companions import add_on_fixes, import_fixes
from tfdoctor.checks.log.containers import (
    amd_fixes,
    no_device_fixes,
    plain_libcuda_fixes,
)
from tfdoctor.checks.log.endings import (
    crash_fixes,
    death_fixes,
    forked_fixes,
    read_it,
    smaller_batch,
)
from tfdoctor.checks.log.fitting import adapted, open_end_fixes, pythons, ray_hides, toolkit
from tfdoctor.checks.log.general_rules import ipykernel_fixes, other_program_fixes, start_fixes, stopped_fixes
from tfdoctor.checks.log.gpus import (
    OF_RAY,
    driver_fixes,
    gpu_kernel_fixes,
    left_out_fixes,
    maker_fixes,
    metal_fixes,
    newer_cuda_fixes,
    number_fixes,
    old_gpu_fixes,
    ptxas_fixes,
)
from tfdoctor.checks.log.installers import list_fixes, machine_lacks_fixes, python_fixes, wheel_fixes
from tfdoctor.checks.log.keras_errors import (
    between_fixes,
    meant_fixes,
    member_fixes,
    of_kerases,
    op_fixes,
    rewriting_fixes,
    standalone_fixes,
)
from tfdoctor.checks.log.kerases import legacy_fixes
from tfdoctor.checks.log.libraries import (
    LOOK_FIRST,
    NOTHING_TO_DO,
    brought_fixes,
    cxx_fixes,
    glibc_fixes,
    host_library_fixes,
    library_fixes,
    may_have_no_gpu,
    newer_cudnn_fixes,
    not_found_fixes,
    only_asked_for,
    reach_fixes,
    tls_fixes,
)
from tfdoctor.checks.log.macs import kernel_fixes, mac_fixes, metal_crash_fixes
from tfdoctor.checks.log.memory import (
    eviction_fixes,
    exhausted_fixes,
    kill_fixes,
    memory_first_fixes,
    smaller_buffer,
)
from tfdoctor.checks.log.misfits import (
    cudnn_fixes,
    misfit_fixes,
    protobuf_fixes,
    renaming_fixes,
    stated_fixes,
    torn_fixes,
    twice_fixes,
)
from tfdoctor.checks.log.modules import (
    absent_fixes,
    moved_fixes,
    name_of_another_fixes,
    tensorflow_fixes,
)
from tfdoctor.checks.log.no_gpu_listed import session_fixes, unlisted_fixes
from tfdoctor.checks.log.numpys import name_fixes, size_fixes, symbolic_fixes
from tfdoctor.checks.log.processors import processor_fixes
from tfdoctor.checks.log.settings import platform_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.windows import dll_fixes
from tfdoctor.checks.log.words import fixes_of
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
    found = found or (made(case, told) if made is not None else ()) or adapted(code, case)
    if code == "cuda-libraries-missing" and found[:1] != NOTHING_TO_DO and may_have_no_gpu(case.facts, told):
        return (LOOK_FIRST, *found)
    return found


def _surest(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Those of what the log itself names: a range, a system, a package, a file."""
    facts = case.facts
    return (
        case_fixes(code, case, told)
        or other_program_fixes(code, facts, told)
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
        or eviction_fixes(code, told)
        or brought_fixes(code, facts, told)
        or (unmet_fixes(told) if code == "worker-lost" else ())
        or unlisted_fixes(code, case, told)
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
    "cuda-libraries-wrong-version": lambda case, told: library_fixes(case, told),
    "cuda-libraries-unreachable": reach_fixes,
    "cudnn-version-mismatch": newer_cudnn_fixes,
    "keras-mismatch": lambda case, told: standalone_fixes(case.facts, told) or of_kerases(case.facts, told),
    "custom-op-mismatch": lambda case, told: op_fixes(case.facts, told) or add_on_fixes(case.facts, told),
    "protobuf-incompatible": lambda case, told: (
        protobuf_fixes(case.facts, told) or descriptor_fixes(case, told)
    ),
    "cuda-libraries-mixed": lambda case, told: cudnn_fixes(case.facts, told) or mixed_fixes(case.facts, told),
    "numpy-abi-mismatch": lambda case, told: size_fixes(case, told) or numpy_fixes(case, told),
    "ml-dtypes-mismatch": ml_dtypes_fixes,
    "static-tls-exhausted": lambda case, told: tls_fixes(told),
    "package-import-failed": lambda case, told: (
        absent_fixes(case.facts, told)
        or name_of_another_fixes(case.facts, told)
        or import_fixes(case.facts, told)
    ),
    "driver-too-old": driver_fixes,
    "keras-legacy-needed": lambda case, told: (
        between_fixes(case.facts, told) or legacy_fixes(case.facts, told)
    ),
    "numpy-alias-removed": lambda case, told: name_fixes(case.facts, told),
    "ptxas-too-old": lambda case, told: ptxas_fixes(case.facts, told),
    "python-unsupported": lambda case, told: (
        wheel_fixes(case, told) or list_fixes(case, told) or python_fixes(told) or pythons(case, told)
    ),
    "dependency-mismatch": lambda case, told: (
        symbolic_fixes(case.facts, told)
        or missing_fixes(case.facts, told)
        or older_fixes(case.facts, told)
        or list_fixes(case, told)
        or machine_lacks_fixes(told)
    ),
    "tensorflow-missing": lambda case, told: tensorflow_fixes(case.facts, told),
    "shared-library-missing": lambda case, told: not_found_fixes(case.facts, told),
    "tensorflow-install-broken": lambda case, told: mixture_fixes(case.facts, told),
    "driver-library-unreachable": lambda case, told: plain_libcuda_fixes(told),
    "native-crash": lambda case, told: crash_fixes(case.facts, told),
    "fork-after-init": lambda case, told: forked_fixes(case.facts, told),
    "shuffle-buffer-too-large": lambda case, told: smaller_buffer(told),
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
    "libstdcxx-too-old": lambda case, told: cxx_fixes(told),
    "glibc-too-old": lambda case, told: host_library_fixes(told) or glibc_fixes(case, told),
    "host-memory-exhausted": lambda case, told: exhausted_fixes(case.facts, told),
    "gpu-hidden": lambda case, told: (
        number_fixes(told) or (OF_RAY if ray_hides(told) else no_device_fixes(told))
    ),
    "gpu-absent": lambda case, told: maker_fixes(case.facts) or amd_fixes(told) or session_fixes(case.facts),
    "gpu-too-new-for-build": newer_cuda_fixes,
    "compute-capability-too-low": lambda case, told: left_out_fixes(case, told) or old_gpu_fixes(case),
    "ptx-jit-slow-start": lambda case, told: (
        (*newer, *ways_out("ptx-jit-slow-start")) if (newer := newer_cuda_fixes(case, told)[:-1]) else ()
    ),
}
