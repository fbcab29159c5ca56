"""How much memory TensorFlow needs at least, on the GPU and in /dev/shm."""

from __future__ import annotations

MIB = 1 << 20
OWN_NEED = 225 * MIB
"""With less free TensorFlow makes no device: it leaves so much for CUDA itself. Of 2 GiB free and more it leaves more,
500 to 1800 MiB, but those are then there (MinSystemMemory in TensorFlow's gpu_device.cc, read 2026-11-20)."""

SHM_FULL = MIB
"""With less free /dev/shm is full: what passes data through it writes at least as much at once."""
