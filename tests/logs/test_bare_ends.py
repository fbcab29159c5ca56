"""How a program ended is a symptom: alone it never stands under CAUSE, and one command finds out why."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.report.diagnosis import CAUSE_FOUND, UNRECOGNISED
from tfdoctor.say.diagnosis_view import diagnosis_view

_BARE = (
    "The kernel appears to have died. It will restart automatically.",
    "[I 10:00:00.000 NotebookApp] KernelRestarter: restarting kernel (1/5), new random ports",
    "WARNING:root:kernel 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab restarted",
    "nbclient.exceptions.DeadKernelError: Kernel died",
    "Kernel Restarting",
    "kernel died",
    "Kernel died with exit code 1.",
    "The kernel died. Error: ... View Jupyter log for further details.",
    "The kernel has died, and the automatic restart has failed. It is possible the kernel cannot be restarted.",
    "[W 10:19:48.596 NotebookApp] KernelRestarter: restart failed",
    "[W 10:19:48.597 NotebookApp] Kernel 1ac58cd9-c717-44ef-b0bd-80a377177918 died, removing from map.",
    "Killed",
    "./train.sh: line 4: 11880 Killed                  python3 train.py",
    "zsh: killed     python train.py",
    "Terminated",
    "command terminated with exit code 1",
    "ValueError: x",
    "KeyError: 17",
    "mylib.errors.ConfigError: missing key batch_size",
    "InvalidArgumentError: indices[23,617] = -26 is not in [0, 61196)",
)


@pytest.mark.parametrize("line", _BARE)
def test_a_death_alone_is_no_cause(line: str) -> None:
    found = judged(log(["Loading the data", line]))
    view = diagnosis_view(found)
    assert (found.verdict, view.lead) == (UNRECOGNISED, "NO CAUSE FOUND")
    assert view.headline == found.roots[0].finding.title
    if "ernel" in line:
        assert found.roots[0].finding.code == "jupyter-kernel-died"
    assert view.fix is not None
    assert view.fix.commands or view.fix.note


@pytest.mark.parametrize(
    "lines",
    [
        ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.batch.", "Killed"),
        ("2024-05-01 10:02:38.1: F tensorflow/core/framework/tensor.cc:733] Check failed: 1 == NumElements() (1 vs. 0)", "Kernel died, restarting"),
        ("ModuleNotFoundError: No module named 'ipykernel'",),
        ("Traceback (most recent call last):", '  File "train.py", line 3, in <module>', "ValueError: x"),
        ("ModuleNotFoundError: No module named 'mylib'",),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",),
        ("train.py: error: unrecognized arguments: --x", "command terminated with exit code 2"),
    ],
)  # fmt: skip
def test_a_death_with_a_reason_has_its_cause(lines: tuple[str, ...]) -> None:
    assert judged(log(lines)).verdict == CAUSE_FOUND


@pytest.mark.parametrize(
    "line", ["Restarting kernel", "the sub-kernel died down", "Kernel started, name: python3"]
)
def test_what_only_speaks_of_a_kernel_is_no_death(line: str) -> None:
    assert judged(log(["Loading the data", line])).roots == ()


@pytest.mark.parametrize(
    ("status", "title"),
    [
        (131, "The program was ended by SIGQUIT."),
        (138, "The program was ended by SIGUSR1."),
        (140, "The program was ended by SIGUSR2."),
        (141, "The reader of the output closed it (SIGPIPE)."),
        (142, "The program was ended by SIGALRM."),
        (152, "The program reached its limit on CPU time (`ulimit -t`)."),
        (153, "The program reached its limit on the size of files (`ulimit -f`)."),
    ],
)
@pytest.mark.parametrize("form", ["exit status {}", "command terminated with exit code {}"])
def test_a_signal_that_somebody_sends_is_no_crash(form: str, status: int, title: str) -> None:
    """Schedulers send SIGUSR2 and SIGXCPU before they end a job."""
    found = judged(log(["Epoch 1/2", form.format(status)]))
    assert "native-crash" not in [each.code for each in found.diagnoses]
    assert [each.title for each in found.diagnoses[:1]] == [title]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("CPU time limit exceeded (core dumped)", "The program reached its limit on CPU time (`ulimit -t`)."),
        ("./t.sh: line 3:  4242 CPU time limit exceeded (core dumped) python train.py", "The program reached its limit on CPU time (`ulimit -t`)."),
        ("zsh: cpu limit exceeded (core dumped)  python train.py", "The program reached its limit on CPU time (`ulimit -t`)."),
        ("File size limit exceeded (core dumped)", "The program reached its limit on the size of files (`ulimit -f`)."),
        ("User defined signal 2", "The program was ended by SIGUSR2."),
        ("died with <Signals.SIGUSR1: 10>", "The program was ended by SIGUSR1."),
        ("Alarm clock", "The program was ended by SIGALRM."),
        ("Quit (core dumped)", "The program was ended by SIGQUIT."),
    ],
)  # fmt: skip
def test_a_shells_words_for_a_signal_that_is_sent_are_known(line: str, title: str) -> None:
    """As strsignal(3) of glibc and zsh's own table have them."""
    found = judged(log(["Epoch 1/2", line]))
    assert [each.title for each in found.diagnoses[:1]] == [title]


@pytest.mark.parametrize("line", ["rate limit exceeded", "alarm", "the time limit exceeded twice"])
def test_other_words_are_no_signal(line: str) -> None:
    assert "killed-by-user" not in [each.code for each in judged(log(["x", line])).diagnoses]


@pytest.mark.parametrize("status", [254, 255])
def test_minus_one_is_a_status_and_no_signal(status: int) -> None:
    found = judged(log(["Epoch 1/2", f"exit status {status}"]))
    assert [each.code for each in found.diagnoses] == ["exited-nonzero"]


@pytest.mark.parametrize(
    "line",
    [
        "exit status 139", "exit status 134", "exit status 245",
        "Process finished with exit code 138 (interrupted by signal 10: SIGBUS)", "zsh: bus error  python train.py",
    ],
)  # fmt: skip
def test_a_crash_is_one_still(line: str) -> None:
    codes = [each.code for each in judged(log(["Epoch 1/2", line])).diagnoses]
    assert {"native-crash", "shared-memory-too-small"} & set(codes)
