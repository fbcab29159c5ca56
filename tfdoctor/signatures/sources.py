"""Where texts were looked up, each with its date. A source here was read for every signature that names it."""

from __future__ import annotations

WHEELS = "strings and Python files of the published Linux wheels of tensorflow 2.4.4, 2.10.1, 2.15.1, 2.18.1, 2.20.0 and 2.21.0, in those that `releases` names (2026-11)"
THREE_WHEELS = "strings of the Linux wheels of tensorflow 2.16.2, 2.20.0 and 2.21.0 (2026-11)"
SEVERAL_FILES = "a search for the sentence over public repositories and their issues, found in three and more places (2026-11)"
GLIBC = "glibc, elf/dl-load.c, dl-map-segments.h, dl-reloc.c, dl-version.c and dl-lookup.c at 04e750e75b (2026-01)"
NCCL = "NVIDIA/nccl, src at 5067397c (2026-06)"
NVIDIA_MODULE = "NVIDIA/open-gpu-kernel-modules at df1c9a3de (2026-03)"
SLURM = "SchedMD/slurm, src/slurmd at 284c3b95f0 (2026-08)"
