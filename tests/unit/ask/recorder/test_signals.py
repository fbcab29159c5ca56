"""The recorder's signals one after the other, and who of a group has seen one. `test_streams.py` sends them to whole programs."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.waiting import alive, gone, until
from tfdoctor.ask.recorder.signals import FORWARDED, Arrival, Signals, Witness, die_of

TERM, USR1 = Arrival(signal.SIGTERM, 7, False), Arrival(signal.SIGUSR1, 7, False)
INT = Arrival(signal.SIGINT, 0, True)


def in_a_thread(work: Callable[[], None]) -> None:
    """A thread's mask of signals ends with it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # raised below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def arrive(signals: Signals, *arrivals: Arrival) -> None:
    for each in arrivals:
        signals._arrived.append(each)
        signals._call()


def readable(signals: Signals) -> bool:
    return bool(select.select([signals.fileno()], [], [], 0)[0])


def test_signals_wait_for_the_recorder_and_the_command_gets_the_mask_that_was() -> None:
    def work() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        signals = Signals()
        assert signals.mask == {signal.SIGALRM}
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        assert blocked >= {*FORWARDED, signal.SIGWINCH, signal.SIGCONT}
        assert signal.SIGCHLD not in blocked, "only the first process of a container has to reap"

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    in_a_thread(work)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_they_are_taken_in_their_order_and_wake_a_poll() -> None:
    def work() -> None:
        signals = Signals()
        assert not readable(signals) and signals.take() == []
        arrive(signals, TERM, INT)
        assert readable(signals)
        assert signals.take() == [TERM, INT]
        assert not readable(signals) and signals.take() == []

    in_a_thread(work)


def test_more_of_them_than_a_pipe_holds_stop_nobody() -> None:
    def work() -> None:
        signals = Signals()
        for _ in range(70_000):
            signals._call()
        arrive(signals, TERM)
        assert signals.take() == [TERM]

    in_a_thread(work)


def test_while_one_is_waited_for_the_others_are_kept() -> None:
    def work() -> None:
        signals = Signals()
        arrive(signals, TERM, INT)
        later = threading.Timer(0.05, lambda: arrive(signals, USR1))
        later.start()
        assert signals.wait_for(signal.SIGUSR1, 5.0)
        later.join()
        assert readable(signals) and signals.take() == [TERM, INT]

    in_a_thread(work)


def test_one_that_does_not_come_is_not_waited_for_longer_than_said() -> None:
    def work() -> None:
        signals = Signals()
        arrive(signals, TERM)
        begun = time.monotonic()
        assert not signals.wait_for(signal.SIGUSR1, 0.05)
        assert 0.05 <= time.monotonic() - begun < 5
        assert signals.take() == [TERM]

    in_a_thread(work)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_dies_of_a_signal(number: signal.Signals) -> None:
    child = os.fork()
    if not child:
        signal.pthread_sigmask(signal.SIG_BLOCK, (number,))
        die_of(number)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -number


def test_where_a_signal_ends_nothing_it_goes_on() -> None:
    assert signal.getsignal(signal.SIGURG) is signal.SIG_DFL, "which is to be ignored"
    die_of(signal.SIGURG)


@pytest.fixture
def witness() -> Iterator[Witness]:
    """As the recorder has one: it blocks the signals before it forks."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR1, signal.SIGUSR2))
    try:
        made = Witness((signal.SIGUSR1, signal.SIGUSR2))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    yield made
    made.end()


def test_what_the_group_got_the_witness_saw_once(witness: Witness) -> None:
    assert not witness.saw(signal.SIGUSR1)
    os.kill(witness.pid, signal.SIGUSR1)
    assert until(lambda: witness.saw(signal.SIGUSR1))
    assert not witness.saw(signal.SIGUSR1)


def test_another_signal_is_seen_later(witness: Witness) -> None:
    os.kill(witness.pid, signal.SIGUSR2)
    until(lambda: witness.saw(signal.SIGUSR1) or witness._seen)
    assert not witness.saw(signal.SIGUSR1)
    assert witness.saw(signal.SIGUSR2)


def test_what_it_saw_a_second_ago_is_another_time(witness: Witness) -> None:
    os.kill(witness.pid, signal.SIGUSR2)
    until(lambda: witness.saw(signal.SIGUSR1) or witness._seen)
    witness._seen = [(number, at - 1.1) for number, at in witness._seen]
    assert not witness.saw(signal.SIGUSR2)


def test_a_witness_ends_with_the_run(witness: Witness) -> None:
    assert alive(witness.pid)
    witness.end()
    gone([witness.pid])
