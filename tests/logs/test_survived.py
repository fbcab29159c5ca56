"""Tracebacks that were printed and passed over are no end; those that only look like them are."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.report.diagnosis import NOISE_ONLY

_AT_EXIT = (
    "Exception ignored in: <function Server.__del__ at 0x7f3c1c0a5bd0>",
    "Traceback (most recent call last):",
    '  File "/srv/app/server.py", line 38, in __del__',
    "AttributeError: 'NoneType' object has no attribute 'close'",
)
_OF_A_PATH_FILE = (
    "Error processing line 1 of /opt/env/lib/python3.11/site-packages/matplotlib-3.5.1-nspkg.pth:",
    "",
    "  Traceback (most recent call last):",
    '    File "<frozen site>", line 195, in addpackage',
    '    File "<string>", line 1, in <module>',
    "  ModuleNotFoundError: No module named 'mpl_toolkits'",
    "",
    "Remainder of file ignored",
)
_OF_A_LINE_OF_A_LOG = (
    "--- Logging error ---",
    "Traceback (most recent call last):",
    '  File "C:\\Python310\\lib\\logging\\__init__.py", line 1103, in emit',
    "    stream.write(msg + self.terminator)",
    "UnicodeEncodeError: 'charmap' codec can't encode character '\\u2501' in position 30: character maps to <undefined>",
    "Call stack:",
    '  File "train.py", line 8, in <module>',
    "Message: 'Epoch done'",
    "Arguments: ()",
)
_OF_A_FEEDER = (
    "Exception in thread Thread-66:",
    "Traceback (most recent call last):",
    '  File "/opt/env/lib/python3.7/site-packages/tensorflow/python/client/session.py", line 1334, in _do_call',
    "    return fn(*args)",
    "tensorflow.python.framework.errors_impl.CancelledError: Enqueue operation was cancelled",
    "\t [[{{node fifo_queue_enqueue}}]]",
    "",
    "During handling of the above exception, another exception occurred:",
    "",
    "Traceback (most recent call last):",
    '  File "/opt/env/lib/python3.7/threading.py", line 926, in _bootstrap_inner',
    "    self.run()",
    "tensorflow.python.framework.errors_impl.CancelledError: Enqueue operation was cancelled",
)
_OF_A_GENERATOR = (
    "W tensorflow/core/framework/op_kernel.cc:1643] Unknown: Exception: rows: no more of them.",
    "Traceback (most recent call last):",
    "",
    '  File "/opt/env/lib/python3.6/site-packages/tensorflow_core/python/ops/script_ops.py", line 236, in __call__',
    "    ret = func(*args)",
    "",
    '  File "/home/me/rows.py", line 95, in rows',
    '    raise Exception("rows: no more of them.")',
    "",
    "Exception: rows: no more of them.",
)
_STEP = "23743/23744 [============================>.] - ETA: 0s - loss: 0.1886 - accuracy: 0.9330"
_ENDED = (
    "Traceback (most recent call last):",
    '  File "train.py", line 5, in <module>',
    "    main()",
    "KeyError: 'label'",
)


@pytest.mark.parametrize(
    "lines",
    [_AT_EXIT, _OF_A_PATH_FILE, _OF_A_LINE_OF_A_LOG, _OF_A_FEEDER, (*_OF_A_GENERATOR, _STEP)],
    ids=["at exit", "path file", "logging", "feeder", "generator"],
)
def test_nothing_is_told_to_have_failed(lines: tuple[str, ...]) -> None:
    for text in (log(lines), log([f"worker_1  | {each}" for each in lines])):
        diagnosis = judged(text)
        assert diagnosis.verdict == NOISE_ONLY
        assert not diagnosis.suspects


def test_a_generator_after_which_nothing_goes_on_ended_the_program() -> None:
    assert root(judged(log(_OF_A_GENERATOR))) == "python-exception"
    assert root(judged(log((*_OF_A_GENERATOR, _STEP, *_ENDED)))) == "python-exception"


_EXIT = (
    "Traceback (most recent call last):",
    '  File "train.py", line 9, in <module>',
    "    tf.app.run()",
    '  File "/opt/lib/python3.6/site-packages/tensorflow/python/platform/app.py", line 125, in run',
    "    _sys.exit(main(argv))",
)


@pytest.mark.parametrize(
    ("words", "told"), [("SystemExit", False), ("SystemExit: 0", False), ("SystemExit: 1", True)]
)
def test_an_exit_without_a_status_is_the_programs_own_end(words: str, told: bool) -> None:
    assert (judged(log((*_EXIT, words))).verdict != NOISE_ONLY) is told
