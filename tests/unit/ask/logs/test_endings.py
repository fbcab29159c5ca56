"""How programs end, as shells, launchers and systems say it, also in other languages."""

from __future__ import annotations

import pytest

from tfdoctor.ask.logs.endings import ANCHORS, death

SIGNALLED = {
    "Killed": 9,
    "/var/spool/slurmd/job00191/slurm_script: line 28:  8156 Killed                  python3 main.py": 9,
    "./train.sh: Zeile 3: 4242 Getötet                python train.py": 9,
    "./train.sh: ligne 3 :  4242 Processus arrêté      python train.py": 9,
    "zsh: killed     python train.py": 9,
    "[1]    4242 killed     python train.py": 9,
    "已杀死": 9,
    "Segmentation fault (core dumped)": 11,
    "Speicherzugriffsfehler (Speicherabzug geschrieben)": 11,
    "段错误 (核心已转储)": 11,
    "zsh: segmentation fault  python train.py": 11,
    "已放弃 (核心已转储)": 6,
    "Aborted (core dumped)": 6,
    "zsh: illegal hardware instruction  python": 4,
    "Illegal instruction (core dumped)": 4,
    "Bus error (core dumped)": 7,
    "mpirun noticed that process rank 7 with PID 0 on node n17 exited on signal 9 (Killed).": 9,
    "subprocess.CalledProcessError: Command '['python']' died with <Signals.SIGKILL: 9>.": 9,
    "train.service: Main process exited, code=killed, status=9/KILL": 9,
    "      Exit Code:    137": 9,
    "command terminated with exit code 137": 9,
    "Process finished with exit code 137 (interrupted by signal 9: SIGKILL)": 9,
    "Process finished with exit code -1073741819 (0xC0000005)": 11,
    "Process 10 exit with status code 247": 9,
    "worker exited with exitcode -9": 9,
    "kernel: traps: python[4242] trap invalid opcode ip:7f sp:7f error:0 in libtensorflow_framework.so.2": 4,
    "python[4242]: segfault at 0 ip 00007f sp 00007f error 4 in libcuda.so": 11,
    "terminate called after throwing an instance of 'std::runtime_error'": 6,
    "child process exited with signal SIGBUS": 7,
}


@pytest.mark.parametrize("line", SIGNALLED)
def test_a_signal_is_read_from_its_words(line: str) -> None:
    end = death(line)
    assert end is not None
    assert end.signal == SIGNALLED[line]
    assert any(anchor in line for anchor in ANCHORS), "a large log would not be searched for it"


@pytest.mark.parametrize(
    ("line", "status"),
    [("exited with code 1", 1), ("Process finished with exit code 0", 0), ("returned non-zero exit status 2.", 2), ("      Exit Code:    0", 0)],
)  # fmt: skip
def test_an_exit_status_is_read(line: str, status: int) -> None:
    end = death(line)
    assert end is not None
    assert (end.signal, end.status) == (0, status)


@pytest.mark.parametrize(
    "line",
    ["Killed by a stranger, the hero fell.", "He was killed in 1999", "Aborted transactions: 3", "signal processing: 9 channels", "Epoch 137/200", "exit codes are documented", "Terminated workers are restarted", ""],
)  # fmt: skip
def test_prose_is_no_end(line: str) -> None:
    assert death(line) is None
