"""The form in which a log came, undone: how it is opened, packed, encoded, pasted, and shown by a notebook or a table."""
