"""What a linker says of a library that it was told to use and does not find, in the words of each system's linker."""

from __future__ import annotations

from tfdoctor.signatures.signature import TOOL, Signature

_NAME = r"[A-Za-z][\w.+-]{0,80}"

SIGNATURES = (
    Signature(
        "linker-finds-none",
        "shared-library-missing",
        "cannot find -l",
        also=("library not found for -l", "unable to find library -l", "ld: library '", "fatal error LNK1181: cannot open input file '", "fatal error LNK1104: cannot open file '"),
        form=rf"(?:cannot find|library not found for|unable to find library) -l:?(?P<library>{_NAME})(?::|\s{{0,3}}$)|\bld: library '(?P<module>{_NAME})' not found|LNK1(?:181|104): cannot open (?:input )?file '(?P<file>[\w.+-]{{1,80}}\.lib)'",
        speaker=TOOL,
        samples=(
            "/usr/bin/ld: cannot find -ltensorflow_cc",
            "/usr/bin/ld: cannot find -ltensorflow_framework: No such file or directory",
            "ld: library not found for -ltensorflow",
            "ld.lld: error: unable to find library -ltensorflow_framework",
            "ld: library 'tensorflow' not found",
            "LINK : fatal error LNK1181: cannot open input file 'tensorflow.lib'",
        ),
        near=("cannot find -lock in the manual's list", "the library 'tensorflow' was not found in the index", "cannot find the library"),
        releases="GNU ld, gold, lld, Apple's ld, Microsoft's link",
        sources=(
            "mlcommons/inference_results_v1.0#3 (2021-06)",
            "tensorflow/tensorflow#32910 (2019-09)",
        ),
    ),
)  # fmt: skip
