"""Judges facts against the matrix, never asks. One family a file, one short function a code."""
