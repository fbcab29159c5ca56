"""Asks: probes of the machine, logs into facts, watched commands."""
