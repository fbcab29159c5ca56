"""Joins probes, smoke ladder, checks and resolver into one report. Every command that judges calls it."""
