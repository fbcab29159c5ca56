"""A few lines of a terminal of 80 columns are joined where the next word would not have fitted, and nowhere else."""

from __future__ import annotations

import pytest

from tfdoctor.ask.logs.forms.paste import rejoined

LONG = "ImportError: /opt/env/lib/libgomp.so.1: cannot allocate memory in static TLS block"


def joined(*lines: str) -> list[str]:
    return [text for _, text, _ in rejoined(dict(enumerate(lines, start=1)))]


@pytest.mark.parametrize("ending", ["", " "])
def test_a_line_that_was_broken_at_its_last_word_is_whole_again(ending: str) -> None:
    head, _, tail = LONG.rpartition(" ")
    assert joined(head + ending, tail) == [LONG]


def test_a_line_that_was_broken_inside_a_word_is_whole_again() -> None:
    path = "/opt/" + "a" * 90
    assert joined(path[:80], path[80:] + " is no folder") == [path + " is no folder"]


def test_lines_that_end_before_their_last_column_stay_apart() -> None:
    assert joined("loading the data", "epoch 1 begins", "loss: 0.5") == []
    assert joined(LONG[:60], "Killed") == []


def test_the_longest_line_of_all_is_no_broken_one_by_itself() -> None:
    assert (
        joined(
            "slurmstepd: error: Job 7518 exceeded memory limit (626359956 > 512000000), being killed",
            "slurmstepd: error: Exceeded job memory limit",
        )
        == []
    )
    assert (
        joined(
            "| N/A  48C  P8  9W / 70W | 0MiB / 15109MiB | 0% |" + " " * 20 + "|", "!nvcc --version"
        )
        == []
    )


def test_what_begins_a_line_of_a_log_is_never_a_rest() -> None:
    assert joined(LONG[:76], "Traceback (most recent call last):") == []


@pytest.mark.parametrize(
    "text", ["E <a::b> failed", "std::map<i::k, int> x", "<p=0.5> and <b,c>", "vector<td_t> y"]
)
def test_what_only_begins_like_a_tag_stays(text: str) -> None:
    assert joined(text, "x") == []


@pytest.mark.parametrize(
    "tag", ["<br/>", "<br />", "<p>", '<span class="x">', "</code>", "<A HREF='x'>"]
)
def test_a_tag_goes(tag: str) -> None:
    assert joined(f"a {tag}failure", "x") == ["a failure"]
