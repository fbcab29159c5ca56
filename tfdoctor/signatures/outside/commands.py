"""A program that a shell, env or another starter did not find, in the words of each of them."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import SHELL, Signature

_unfound = partial(Signature, code="command-not-started", speaker=SHELL)
_OF_ALL = (
    "mpirun", "sbatch", "nvcc", "docker", "nvidia-docker", "singularity", "conda", "pip", "protoc", "tensorflow_model_server", "ray", "tensorboard",
    "saved_model_cli", "tflite_convert", "jupyter", "train",
)  # fmt: skip
"""Programs of which something is known, and one of which nothing is."""
_NAME = r"(?P<process>[\w./+-]{1,100})"

SIGNATURES = (
    _unfound(
        "command-not-found",
        anchor="ommand not found",
        form=rf"{_NAME}: [Cc]ommand not found",
        unless=("command not found: ",),
        samples=(
            "bash: python: command not found",
            "train.sh: line 3: bash: nvidia-smi: command not found",
            "/var/spool/slurmd/job1234/slurm_script: line 12: module: command not found",
            "horovodrun: Command not found.",
            "[1,0]<stderr>:bash: python: command not found",
            *(f"bash: {each}: command not found" for each in _OF_ALL),
        ),
        near=("the command was not found in the list", "zsh: command not found: python"),
        sources=("horovod/horovod#1045 (2019-05)", "duanyiqun/Auto-ReID-Fast#3 (2020-02)"),
    ),
    _unfound(
        "command-not-found-zsh",
        anchor="command not found: ",
        also=("Unknown command: ",),
        form=rf"(?:zsh(?::\d{{1,6}})?: command not found|fish: Unknown command): {_NAME}",
        samples=("zsh: command not found: python", "fish: Unknown command: mpirun"),
        near=("bash: python: command not found", "Unknown command: 7"),
    ),
    _unfound(
        "command-not-found-dash",
        anchor=": not found",
        form=rf"\bsh: (?:(?:line )?\d{{1,6}}: )?(?:[\w./-]{{1,100}}sh: )?{_NAME}: not found\s{{0,9}}$",
        samples=("/bin/sh: 1: horovodrun: not found", "sh: nvidia-smi: not found", "./run.sh: 3: ./run.sh: srun: not found"),
        near=("libcudart.so.11.0: not found", "manifest for tensorflow/tensorflow:2.99: not found"),
    ),
    _unfound(
        "command-not-found-offered",
        anchor="' not found, ",
        form=rf"Command '{_NAME}' not found, (?:but can be installed|did you mean)",
        samples=("Command 'nvidia-smi' not found, but can be installed with:", "Command 'python' not found, did you mean:"),
        near=("the module 'x' not found, but it is needed",),
        releases="Ubuntu",
    ),
    _unfound(
        "env-not-found",
        anchor="/bin/env: ",
        also=("env: \u2018", "env: '", "env: python"),
        form=rf"env: [\u2018'\"`]?{_NAME}[\u2019'\"`]?: No such file or directory",
        samples=("/usr/bin/env: \u2018python\u2019: No such file or directory", "env: python3.6: No such file or directory"),
        near=("env: PATH is set", "env: can't open file"),
    ),
    _unfound(
        "command-not-run",
        anchor="failed to run command ",
        form=rf"failed to run command [\u2018'\"`]{_NAME}[\u2019'\"`]: No such file or directory",
        samples=("nohup: failed to run command 'python': No such file or directory", "timeout: failed to run command \u2018horovodrun\u2019: No such file or directory"),
        near=("it failed to run command 'python': the disk is full",),
    ),
    _unfound(
        "command-not-found-words",
        anchor="\u672a\u627e\u5230\u547d\u4ee4",
        also=("commande introuvable", "Kommando nicht gefunden", "orden no encontrada", "comando n\u00e3o encontrado", "\u30b3\u30de\u30f3\u30c9\u304c\u898b\u3064\u304b\u308a\u307e\u305b\u3093"),
        form=rf"(?:^|[\s:]){_NAME}\s?[:\uff1a]\s?(?:\u672a\u627e\u5230\u547d\u4ee4|commande introuvable|Kommando nicht gefunden|orden no encontrada|comando n\u00e3o encontrado|\u30b3\u30de\u30f3\u30c9\u304c\u898b\u3064\u304b\u308a\u307e\u305b\u3093)",
        samples=("bash: nvidia-smi: \u672a\u627e\u5230\u547d\u4ee4", "bash: srun : commande introuvable", "bash: horovodrun: Kommando nicht gefunden."),
        near=("la commande introuvable est notee",),
        releases="bash in Chinese, French, German, Spanish, Portuguese and Japanese",
    ),
)  # fmt: skip
