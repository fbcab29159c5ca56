"""A program's own words at its end: options that its parser refuses, and an exception whose traceback was not pasted."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, root
from tfdoctor.ask.logs.passages.alone import alone
from tfdoctor.ask.logs.passages.refusals import refusals

NO_LIBRARY = "2023-05-01 21:17:57.355832: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory\n"

REFUSED = {
    "absl": "FATAL Flags parsing error: flag --steps=: invalid literal for int() with base 10: ''\nPass --helpshort or --helpfull to see help on flags.\n",
    "absl-unknown": "FATAL Flags parsing error: Unknown command line flag 'stepz'. Did you mean: steps ?\nPass --helpshort or --helpfull to see help on flags.\n",
    "argparse": "usage: train.py [-h] --epochs EPOCHS\ntrain.py: error: argument --epochs: invalid int value: ''\n",
    "argparse-device": "usage: train.py [-h] --device {cpu,gpu}\ntrain.py: error: argument --device: invalid choice: 'cuda' (choose from 'cpu', 'gpu')\n",
    "argparse-usage-cut-off": "train.py: error: the following arguments are required: --data\n",
    "argparse-of-a-subcommand": "usage: tool train [-h] --data DATA\ntool train: error: the following arguments are required: --data\n",
    "own-parser-error": "usage: run_nerf.py [options]\nrun_nerf.py: error: --data_dir does not exist\n",
    "click": "Usage: colabfold [OPTIONS]\nTry 'colabfold --help' for help.\n\nError: Invalid value for '--num-recycle': 'x' is not a valid integer.\n",
    "rich-click": "Usage: tool [OPTIONS]\nTry 'tool --help' for help.\n╭─ Error ──────────────────────╮\n│ No such option: --gpus       │\n╰──────────────────────────────╯\n",
    "getopt": "mpirun: unrecognized option '--gpus'\n",
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
def test_refused_options_are_the_cause_and_a_missing_library_is_a_note(how: str) -> None:
    diagnosis = judged(NO_LIBRARY + REFUSED[how])
    assert root(diagnosis) == "exited-nonzero"
    assert "rejected its command line" in diagnosis.roots[0].finding.title


@pytest.mark.parametrize(
    "text",
    [
        "train.py: error: the disk is slow\n",
        "Error: something of the network, which was tried again\n",
        "usage: 93 % of the memory\nloss 0.3\n",
        "gcc: error: x.c: No such file or directory\n",
        "I flags: parsing error rate 0.1\n",
    ],
)
def test_what_only_looks_like_a_refusal_is_none(text: str) -> None:
    assert list(refusals(enumerate(text.splitlines(), 1))) == []


ALONE = {
    "one line": "ValueError: No model config found in the file at weights.h5.\n",
    "behind the libraries": NO_LIBRARY + "KeyError: 'labels'\n",
    "before the IDE's word": NO_LIBRARY
    + "ValueError: the file has no labels\n\nProcess finished with exit code 1\n",
    "with the frames, the heading cut off": NO_LIBRARY
    + '    File "venv/lib/python3.12/site-packages/tool/train.py", line 167, in call  *\n        features = self.dict(graph)\n\n    TypeError: the graph has no features\n',
}


@pytest.mark.parametrize("how", ALONE)
def test_an_exception_without_its_traceback_is_one(how: str) -> None:
    assert root(judged(ALONE[how])) == "python-exception"


@pytest.mark.parametrize(
    "lines",
    [
        [
            "ValueError: one try failed",
            "2024-05-01 10:00:00.1: I tensorflow/x.cc:1] Created device GPU:0",
        ],
        ["ValueError: one try failed", "313/313 [=====] - 2s - loss: 0.3"],
        ["note: ValueError is raised for such files"],
        ["ValueError: told, and gone on with", *(f"step {number}" for number in range(20))],
    ],
)
def test_after_which_work_went_on_it_is_no_end(lines: list[str]) -> None:
    assert alone(list(enumerate(lines, 1)), ()) is None
