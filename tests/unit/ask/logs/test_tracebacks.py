"""Tracebacks in all their forms: who raised what, where in the user's own code."""

from __future__ import annotations

import textwrap

import pytest

from tfdoctor.ask.logs.passages.crashes import Crash, crashes
from tfdoctor.ask.logs.passages.tracebacks import Raised, tracebacks


def numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(textwrap.dedent(text).strip("\n").split("\n"), start=1))


def raised(text: str) -> list[Raised]:
    return list(tracebacks(numbered(text)))


PLAIN = """
    Traceback (most recent call last):
      File "/home/u/train.py", line 12, in <module>
        main()
      File "/home/u/train.py", line 8, in main
        model.fit(x, y)
      File "/opt/env/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler
        raise e.with_traceback(filtered_tb) from None
    ValueError: Shapes (None, 1) and (None, 10) are incompatible
"""


def test_the_users_innermost_frame_is_named_and_the_package_that_raised() -> None:
    [each] = raised(PLAIN)
    assert (each.name, each.words) == (
        "ValueError",
        "Shapes (None, 1) and (None, 10) are incompatible",
    )
    assert each.frame == "main (/home/u/train.py:8)"
    assert each.package == "keras"
    assert (each.first, each.line) == (1, 8)


@pytest.mark.parametrize(
    "file",
    [
        r"C:\ProgramData\Anaconda3\lib\encodings\cp1252.py",
        r"C:\Users\u\miniconda3\envs\tf\Lib\json\decoder.py",
    ],
)
def test_a_file_of_pythons_own_library_is_not_the_users(file: str) -> None:
    [each] = raised(
        f"""
        Traceback (most recent call last):
          File "C:\\Users\\u\\lib\\read.py", line 3, in <module>
            text = open("labels.txt").read()
          File "{file}", line 23, in decode
            return codecs.charmap_decode(input,self.errors,decoding_table)[0]
        UnicodeDecodeError: 'charmap' codec can't decode byte 0x81 in position 4: character maps to <undefined>
        """
    )
    assert each.frame == r"<module> (C:\Users\u\lib\read.py:3)"


def test_chained_exceptions_keep_their_order() -> None:
    first, second = raised("""
        Traceback (most recent call last):
          File "a.py", line 1, in f
            d["x"]
        KeyError: 'x'

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "a.py", line 3, in g
            f()
        RuntimeError: no x
    """)
    assert (first.name, second.name) == ("KeyError", "RuntimeError")
    assert second.chained == ("KeyError: 'x'",)


def test_a_notebooks_traceback_names_its_cell() -> None:
    [each] = raised("""
        ---------------------------------------------------------------------------
        InvalidArgumentError                      Traceback (most recent call last)
        Cell In[7], line 3
              1 model.compile()
              2 # train
        ----> 3 model.fit(x, y)

        File /opt/env/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py:122, in filter_traceback.<locals>.error_handler(*args, **kwargs)
            119     filtered_tb = _process_traceback_frames(e.__traceback__)
        --> 122     raise e.with_traceback(filtered_tb) from None

        InvalidArgumentError: Graph execution error:
    """)
    assert (each.name, each.frame) == ("InvalidArgumentError", "Cell In[7], line 3")


def test_pytests_lines_are_read() -> None:
    [each] = raised("""
        >       assert f(x) == 3
        E       ValueError: bad shape

        tests/test_a.py:7: ValueError
    """)
    assert (each.name, each.words) == ("ValueError", "bad shape")


def test_one_whose_beginning_was_cut_off_is_read() -> None:
    [each] = raised("""
          File "/home/u/train.py", line 8, in main
            model.fit(x, y)
        tensorflow.python.framework.errors_impl.OutOfRangeError: End of sequence
    """)
    assert each.name == "tensorflow.python.framework.errors_impl.OutOfRangeError"


@pytest.mark.parametrize(
    ("line", "names"), [("docker: Error response from daemon: no", []), ("error: bad", ["error"])]
)
def test_a_programs_name_is_no_exceptions(line: str, names: list[str]) -> None:
    text = (
        f'Traceback (most recent call last):\n  File "t.py", line 1, in <module>\n    f()\n{line}\n'
    )
    assert [each.name for each in raised(text) if not each.cut] == names


def test_an_indented_one_is_read() -> None:
    assert [
        each.name
        for each in raised(
            textwrap.indent(textwrap.dedent(PLAIN), "    log: ".replace("log:", "    "))
        )
    ] == ["ValueError"]


def test_faulthandler_names_the_innermost_frame_of_the_current_thread() -> None:
    text = """
        Fatal Python error: Segmentation fault

        Thread 0x00007f0a0769f6c0 (most recent call first):
          File "/usr/lib/python3.11/threading.py", line 320 in wait

        Current thread 0x00007f0a54a70040 (most recent call first):
          File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed
          File "/opt/env/lib/python3.11/site-packages/h5py/__init__.py", line 25 in <module>
          File "/home/u/train.py", line 1 in <module>
    """
    assert list(crashes(numbered(text))) == [
        Crash(
            "Segmentation fault",
            1,
            "<module> (/opt/env/lib/python3.11/site-packages/h5py/__init__.py:25)",
            "h5py",
        )
    ]


_GRAPH_ERROR = """Traceback (most recent call last):
  File "train.py", line 5, in <module>
    model.fit(x)
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Detected at node 'loss/softmax' defined at (most recent call last):
    File "train.py", line 5, in <module>
      model.fit(x)
Node: 'loss/softmax'
"""


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("logits and labels must be broadcastable\n\t [[{{node loss/softmax}}]]\n", " logits and labels must be broadcastable"),
        ("2 root error(s) found.\n  (0) INTERNAL:  no worker\n\t [[{{node x}}]]\n", " INTERNAL:  no worker"),
        ("", ""),
    ],
)  # fmt: skip
def test_an_error_of_a_graph_is_told_by_the_line_below_its_nodes(rest: str, said: str) -> None:
    lines = list(enumerate(f"{_GRAPH_ERROR}{rest}".splitlines(), 1))
    assert [(each.words, each.line) for each in tracebacks(lines)] == [
        (f"Graph execution error:{said}", 4)
    ]
