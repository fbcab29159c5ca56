"""Programs that are no Python's: what Node.js and R say when their memory is used up or they die, and by what R shows itself."""

from __future__ import annotations

from tfdoctor.signatures.signature import EXCEPTION, FACT, LOADER, NATIVE, TOOL, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

SIGNATURES = (
    Signature(
        "node-heap",
        "host-memory-exhausted",
        "JavaScript heap out of memory",
        speaker=NATIVE,
        samples=(
            "FATAL ERROR: CALL_AND_RETRY_LAST Allocation failed - JavaScript heap out of memory",
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            "Error [ERR_WORKER_OUT_OF_MEMORY]: Worker terminated due to reaching memory limit: JavaScript heap out of memory",
        ),
        near=("the JavaScript heap has memory left",),
        releases="Node.js 8 and newer",
        sources=("infinitered/nsfwjs#886 (2024-09)",),
    ),
    Signature(
        "r-vector",
        "host-memory-exhausted",
        "cannot allocate vector of ",
        also=("vector memory exhausted", "vector memory limit of "),
        form=r"cannot allocate vector of (?:size|length) (?P<size>[\d.]{1,15}(?: [KMGT]b)?)|vector memory exhausted \(limit reached\?\)|vector memory limit of (?P<limit>[\d.]{1,12} [KMGT]b) reached",
        speaker=EXCEPTION,
        samples=("Error: cannot allocate vector of size 3.2 Gb", "Error: vector memory exhausted (limit reached?)", "Error: vector memory limit of 16.0 Gb reached, see mem.maxVSize()"),
        near=("it cannot allocate a vector",),
        releases="R 3 and 4",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "r-session-aborted",
        "native-crash",
        "R Session Aborted",
        also=("R session aborted", "R encountered a fatal error"),
        speaker=TOOL,
        samples=("R Session Aborted", "R encountered a fatal error. The session was terminated."),
        near=("the session was aborted by its user",),
        releases="RStudio",
        sources=("rstudio/keras3#1117 (2020-09)", "rstudio/keras3#1029 (2020-04)"),
    ),
    Signature(
        "r-at-work",
        "",
        "reticulate",
        also=("/rsession'", "library(keras", "library(tensorflow)", "Rscript ", "R Session Aborted", "R session aborted", "R encountered a fatal error", "-pc-linux-gnu-library/", "R/win-library/"),
        role=FACT,
        speaker=TOOL,
        samples=("/home/xxx/R/x86_64-pc-linux-gnu-library/3.6/reticulate/libs/reticulate.so(+0x1)[0x2b445fd48229]", "> library(keras)"),
        near=("the session of R",),
        sources=("rstudio/keras3#824 (2019-06)",),
    ),
    Signature(
        "elf-class",
        "foreign-architecture",
        "wrong ELF class: ELFCLASS",
        form=r"(?P<library>/?[\w./+@-]{1,300}): wrong ELF class: ELFCLASS(?P<value>32|64)",
        speaker=LOADER,
        samples=(
            "Error: /home/pi/app/node_modules/@tensorflow/tfjs-node/lib/napi-v7/tfjs_binding.node: wrong ELF class: ELFCLASS64",
            "ImportError: /opt/e/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow.so: wrong ELF class: ELFCLASS32",
        ),
        near=("the wrong ELF class was skipped",),
        releases="glibc",
        sources=("tensorflow/tfjs#5173 (2021-06)", "Qengineering/TensorFlow-Raspberry-Pi_64-bit#1 (2020-07)"),
    ),
    Signature(
        "arm-board",
        "",
        "raspberrypi",
        also=("orangepi", "linux_aarch64", "linux_armv7l", "aarch64-linux-gnu", "arm-linux-gnueabihf", "/home/pi/", "jetson"),
        form=r"linux_(?:aarch64|armv7l)\b|\b(?:aarch64-linux-gnu|arm-linux-gnueabihf)\b|/home/pi/|\w@[\w-]{0,30}(?:jetson|raspberrypi|orangepi)",
        role=FACT,
        speaker=TOOL,
        samples=("pi@raspberrypi:~ $ python3", "user@jetson-nano:~$ python3", "orangepi@orangepi4:~$ python3.6", "Downloading tensorflow-2.4.0-cp37-none-linux_armv7l.whl"),
        near=("it runs on a jetson", "the raspberrypi of a friend", "api@host"),
        sources=("tensorflow/tensorflow#47002 (2021-02)", "lhelontra/tensorflow-on-arm#111 (2021-05)"),
    ),
)  # fmt: skip
