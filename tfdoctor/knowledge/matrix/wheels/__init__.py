"""Reads the published wheels, on request alone: rows for the matrix, and the proof of those it has."""
