"""Runs cells through nbclient, in the environment that has it, and prints what a reader of the notebook would see as JSON.

Arguments: the kernel's name, then the cells. The environment decides on the provisioner, and by CELL_S on how long a cell may take.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError


def main(kernel: str, cells: list[str]) -> None:
    logging.basicConfig(level=logging.WARNING)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    raised, began = "", time.time()
    try:
        NotebookClient(
            book, kernel_name=kernel, timeout=int(os.environ.get("CELL_S", "90"))
        ).execute()
    except DeadKernelError as error:
        raised = str(error)
    outputs = [cell.outputs for cell in book.cells]
    json.dump(
        {"raised": raised, "outputs": outputs, "took_s": time.time() - began, "at": time.time()},
        sys.stdout,
    )


main(sys.argv[1], sys.argv[2:])
