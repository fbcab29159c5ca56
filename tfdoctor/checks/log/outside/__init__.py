"""Exceptions whose last line means something else than it says: what that is, and what helps."""
