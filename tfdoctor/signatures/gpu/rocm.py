"""What AMD's runtime, its tools and its libraries say: rocminfo, the kernel's module for computing, rocBLAS, MIOpen."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

OWN_FOLDERS = Expression(
    r"^(?:/opt/rocm[\w.-]{0,20}/(?:lib|lib/llvm/bin/(?:\.\./){3}lib)/rocblas/library|.{0,300}-packages)/"
)
"""Where ROCm itself keeps them from 5.2 on, and packages that bring their own (rocBLAS#1300, rocBLAS#1299)."""
