"""Packages that had to be compiled: what the build looked for in vain, and where a ready-made file is."""
