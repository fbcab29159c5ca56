"""Reads files, processes and the loader's rules; starts, bounds and ends processes. Plain values and OSError."""
