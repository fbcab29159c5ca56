"""What only a machine with an NVIDIA GPU can prove: `make gpu`. No network is needed; other programs may hold the memory.

It was written beside the simulated driver and not run on hardware yet (2026-11-29).
"""
