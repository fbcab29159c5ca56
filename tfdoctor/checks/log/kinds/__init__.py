"""Kinds of causes that a log names by more than one text: what each means here, and what takes it away."""
