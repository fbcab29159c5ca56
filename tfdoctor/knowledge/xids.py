"""The Xids of NVIDIA's driver that tell of broken or wearing hardware."""

from __future__ import annotations

XID_SOURCE = "NVIDIA, XID Errors: analyzing Xid errors with the Xid catalog (2026-11)"
HARDWARE_XIDS = {
    38: "firmware error",
    48: "double-bit ECC error",
    61: "internal micro-controller breakpoint",
    62: "internal micro-controller halt",
    64: "row remapping or page retirement failed",
    74: "NVLink error",
    79: "GPU has fallen off the bus",
    95: "uncontained memory error",
    119: "GSP firmware does not answer",
    120: "GSP firmware error",
    140: "unrecovered ECC error",
    143: "GPU initialisation failed",
}
"""Xids after which NVIDIA's catalogue asks for a reset, a restart of the machine or its support."""
WEAR_XIDS = {
    63: "row remapping or page retirement recorded",
    92: "high rate of corrected memory errors",
    94: "contained memory error",
}
"""Memory that wears: the GPU works on, a reset puts spare memory in its place."""
# 13, 31, 43, 45 and 68 are mostly the program's own doing (illegal addresses, and the clearing up after them).
