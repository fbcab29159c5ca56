"""What the last line of an exception means, where it does not say so itself: one reader for each kind, the first that knows."""

from __future__ import annotations

from tfdoctor.checks.log.files.of_keras import of_keras_class
from tfdoctor.checks.log.fit.misfit import at
from tfdoctor.checks.log.kerases import keras_fixes
from tfdoctor.checks.log.outside.classes import of_callback, of_class, of_copy, of_device, of_optimizer
from tfdoctor.checks.log.outside.downloads import of_download
from tfdoctor.checks.log.outside.front_ends import of_front_end
from tfdoctor.checks.log.outside.kerases import (
    of_identifier,
    of_instance,
    of_no_batch,
    of_refused,
    of_saved,
    of_symbol,
)
from tfdoctor.checks.log.outside.needs import of_graphviz, of_need, of_tensorflow, of_upgrade
from tfdoctor.checks.log.outside.packages import (
    of_gradient,
    of_inner_name,
    of_integer,
    of_lambda,
    of_own_file,
    of_wanted,
)
from tfdoctor.checks.log.outside.places import of_colab, of_loop, of_silence
from tfdoctor.checks.log.outside.reading import Meant
from tfdoctor.checks.log.outside.texts import of_folder, of_text, of_typing
from tfdoctor.checks.log.outside.tpus import of_tpu
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix

_READERS = (
    of_front_end, of_text, of_folder, of_typing, of_download, of_tpu, of_device, of_class, of_optimizer, of_keras_class, of_callback, of_colab, of_loop, of_silence, of_upgrade, of_graphviz, of_tensorflow, of_need, of_identifier, of_instance,
    of_symbol, of_no_batch, of_saved, of_gradient, of_inner_name, of_integer, of_lambda, of_copy, of_refused, of_wanted, of_own_file,
)  # fmt: skip


def meant(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where the words mean what they say."""
    return next((found for each in _READERS if (found := each(facts, told, last)) is not None), None)


def meant_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no exception of the run has a meaning of that code."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = meant(facts, told, raised[-1]) if raised else None
    return found.fixes if found is not None and found.code == code else ()


def of_kerases(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Of a Keras that does not fit: what the very words of the exception are answered with comes before what its names tell."""
    alone = (of_inner_name(facts, told, at(told, each)) for each in told.of("keras-mismatch"))
    found = next((each.fixes for each in alone if each is not None and each.code == "keras-mismatch"), ())
    return meant_fixes("keras-mismatch", facts, told) or found or keras_fixes(facts, told)
