"""What TensorFlow, TFLite and TensorFlow.js say of model files that are another thing than they are taken for, or that they can't reach."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

OF_NOTHING = Expression(
    r"zero-size array|(?:division|modulo)\b.{0,20} zero|has length 0|[Ee]mpty|out of (?:range|bounds)|max\(\)|'NoneType' object|StopIteration|UnboundLocalError|arg 3 must not be zero|[Nn]o (?:images|data)|at least one|ran out of data|logs"
)
"""Words of errors that arise where there are no data."""
