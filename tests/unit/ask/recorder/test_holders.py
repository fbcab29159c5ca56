"""Which lines of a program hold memory by what they say: what a loop or a callback keeps, and what buffers."""

from __future__ import annotations

import pytest

from tfdoctor.ask.recorder.holders import holders_of

LOOP = """
seen, out = [], np.zeros((9, 9))
table = {}
for step, x in enumerate(data):
    y = model(x)  # here
    row = []
    row.append(y)
    losses.append(float(y))
    out[step] = y
    HELD
"""
CALLBACK = """
class Log(Callback):
    def __init__(self):
        self.kept, self.lines = [], []
        self.kept.append(build())

    def on_batch_end(self, batch, logs):
        parts = []
        parts.append(self.model.get_weights())
        self.lines.append({"step": batch, "loss": logs["loss"], "at": f"{batch}"})
        HELD

model.fit(x, y, callbacks=[Log()])  # here
"""


def told(program: str, *, often: bool = True) -> list[tuple[str, str]]:
    line = 1 + next(at for at, text in enumerate(program.splitlines()) if text.endswith("# here"))
    return [(each.how, each.text) for each in holders_of(program, line, often=often)]


@pytest.mark.parametrize(
    "held",
    [
        "seen.append(y)",
        "history['y'].extend(y)",
        "table[step] = y",
        "seen = np.concatenate([seen, y])",
        "self.kept.append((step, y))",
    ],
)
def test_what_each_turn_of_the_loop_puts_into_something_older_is_held(held: str) -> None:
    assert told(LOOP.replace("HELD", held), often=False) == [("keeps", held)]


@pytest.mark.parametrize(
    "held", ["pass", "seen.append(step)", "counts.update({'n': 1})", "y = tf.nn.relu(y)"]
)
def test_numbers_what_ends_with_the_turn_and_items_of_an_array_are_not_held(held: str) -> None:
    assert told(LOOP.replace("HELD", held)) == []


def test_what_another_function_keeps_counts_where_memory_grew_often() -> None:
    program = CALLBACK.replace("HELD", "self.kept.append(self.model.get_weights())")
    assert told(program) == [("keeps", "self.kept.append(self.model.get_weights())")]
    assert told(program, often=False) == []
    assert told(CALLBACK.replace("HELD", "pass")) == []


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("data = data.shuffle(10_000)", True),
        ("data = data.map(f).cache()", True),
        ("data = data.cache('file')", False),
        ("np.random.shuffle(names)", False),
        ("rng.shuffle(names)", False),
    ],
)
def test_buffers_of_a_data_set(text: str, held: bool) -> None:
    program = f"{text}\nmodel.fit(data)  # here\n"
    assert told(program) == ([("buffers", text)] if held else [])


def test_of_a_chain_the_line_of_the_buffer_is_named() -> None:
    program = "data = (\n    data.map(f)\n    .shuffle(\n        30_000)\n    .batch(8)\n)\nmodel.fit(data)  # here\n"
    assert told(program) == [("buffers", ".shuffle(")]


@pytest.mark.parametrize("program", ["for in:  # here", "\0  # here", "(" * 5000 + "  # here"])
def test_what_is_no_python_holds_nothing(program: str) -> None:
    assert told(program) == []
