"""AlphaFold, ColabFold and their kin: they have no batch to make smaller, and JAX can use the machine's memory beyond the GPU's."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.gpus.jax import asked_for
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

FOLDING, _RAN_OUT, _CODE = "folding-at-work", "oom-xla", "gpu-out-of-memory"
_TITLE = "The sequences need more memory than the GPU has: it had no room for what JAX asked for{size}."
_WORDS = (
    "What AlphaFold and its kin hold on the GPU grows with the square of the length of all sequences together; there is no batch that could be smaller. JAX may use the machine's own memory beyond the GPU's (unified memory): "
    "slower, and mostly enough."
)
_UNIFIED = Fix(
    "Let it use the machine's memory beyond the GPU's, in the shell that starts it",
    ("export TF_FORCE_UNIFIED_MEMORY=1 XLA_PYTHON_CLIENT_MEM_FRACTION=4.0", "unset XLA_PYTHON_CLIENT_PREALLOCATE XLA_PYTHON_CLIENT_ALLOCATOR"),
    "4.0 is four times the GPU's memory, three of them from the machine, so the job has to be given that much. A container has to be told: docker run -e NAME=VALUE, apptainer run --env NAME=VALUE. "
    "run_docker.py and run_singularity.py of AlphaFold 2 set both themselves: raise the fraction there. AlphaFold 3 calls it XLA_CLIENT_MEM_FRACTION, with XLA_PYTHON_CLIENT_PREALLOCATE=false.",
)  # fmt: skip
_LESS = Fix(
    "Or predict less at once: single chains or domains in place of a whole complex, and fewer sequences in the alignment",
    note="ColabFold: colabfold_batch --max-msa 256:512.",
)
_WHO = Fix("See whether another program holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",))  # fmt: skip


def of_folding(told: Testimony, saying: Saying) -> Candidate | None:
    """None for other programs."""
    if saying.name != _RAN_OUT or not told.named(FOLDING):
        return None
    return Candidate(
        _CODE, Confidence.LIKELY, (place(saying),), _WORDS, title=_TITLE.format(size=asked_for(saying.text))
    )


def folding_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() for other programs, and where unified memory itself was refused."""
    if not (told.named(FOLDING) and told.named(_RAN_OUT)) or told.named("unified-memory-refused"):
        return ()
    return (_UNIFIED, _LESS, _WHO)
