"""What pip and uv say where TensorFlow can't be installed, and what a program says where it is not there."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

TRIED = Expression(r"(?:Cannot install |, | and )(?P<package>[A-Za-z][\w.-]{0,80})==")
"""Each package of the list in which pip names what it could not install together."""

REQUIREMENTS = Expression(r"-r (?P<file>\S{1,300}?) \(line \d{1,6}\)")
"""How pip names a line of a file that it was given."""
