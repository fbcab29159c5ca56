"""How programs end, in the words of shells, launchers, schedulers, containers and Windows.

Shells translate what they say of a signal; the words below are those of bash's and zsh's catalogues for large
languages (glibc 2.36's strsignal and bash 5.2's po files, read 2026-11-22).
"""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.knowledge.messages.expressions import heap_overwritten

SIGNALS = {"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "XCPU": 24, "XFSZ": 25, "SYS": 31}  # fmt: skip

WINDOWS = {
    0xC0000005: 11, 0xC0000006: 11, 0xC000001D: 4, 0xC0000094: 8, 0xC00000FD: 11, 0xC0000374: 6, 0xC0000409: 6, 0xC0000417: 6,
    0xC0000420: 6,
}  # fmt: skip
"""Exit statuses of Windows by which native code dies, with the nearest signal (ntstatus.h, by "Common Process
Termination Values" of Microsoft's archived blogs and by public copies of that header, read 2026-11-22)."""

_WORDS: dict[int, tuple[str, ...]] = {
    1: ("Hangup",),
    9: ("Killed", "killed", "Getötet", "Processus arrêté", "Tué", "Terminado (killed)", "Убито", "Убит", "已杀死", "已终止", "強制終了", "강제 종료됨", "Ucciso", "Zabity", "Morto", "Matado"),
    11: ("Segmentation fault", "segmentation fault", "Speicherzugriffsfehler", "Erreur de segmentation", "Segmentfehler", "Violación de segmento", "Ошибка сегментирования", "段错误", "段錯誤", "Segmentation fault: 11", "セグメンテーション違反です", "세그멘테이션 오류", "Errore di segmentazione", "Falha de segmentação", "Naruszenie ochrony pamięci"),
    6: ("Aborted", "IOT instruction", "abort", "aborted", "Abort trap: 6", "Abgebrochen", "Abandon", "Abortado", "Аварийный останов", "已放弃", "已中止", "中止", "アボートしました", "중지됨", "Annullato", "Przerwane"),
    4: ("Illegal instruction", "illegal hardware instruction", "Ungültiger Maschinenbefehl", "Instruction non permise", "Instruction illégale", "Instrucción ilegal", "Недопустимая инструкция", "非法指令", "Instrução ilegal", "Istruzione non consentita", "Illegal instruction: 4"),
    7: ("Bus error", "bus error", "Bus-Zugriffsfehler", "Erreur de bus", "Erreur du bus", "Error en el bus", "Ошибка шины", "总线错误", "Bus error: 10"),
    5: ("Trace/breakpoint trap", "trace trap", "Trace/BPT trap: 5", "Trace/BPT trap"),
    8: ("Floating point exception", "Gleitkomma-Ausnahme", "Exception en point flottant", "浮点数例外"),
    3: ("Quit",),
    10: ("User defined signal 1", "user-defined signal 1"),
    12: ("User defined signal 2", "user-defined signal 2"),
    14: ("Alarm clock", "alarm"),
    24: ("CPU time limit exceeded", "Cputime limit exceeded", "cpu limit exceeded"),
    25: ("File size limit exceeded", "Filesize limit exceeded", "file size limit exceeded"),
    27: ("Profiling timer expired", "profile signal"),
    15: ("Terminated", "terminated", "Beendet", "Complété", "Terminado", "Завершено", "Terminated: 15"),
}  # fmt: skip
_ALL_WORDS = {word: number for number, words in _WORDS.items() for word in words}
_ANY_WORD = "|".join(sorted(map(re.escape, _ALL_WORDS), key=len, reverse=True))
_OF_A_SHELL = Expression(
    r"^(?:srun: error: [\w.-]{1,255}: tasks? [\d,\[\]-]{1,80}: )?(?:(?:[^\s:]{0,200}|-?(?:ba|z|da|k)?sh): )?(?:(?:(?:line|Zeile|ligne|línea|строка|行) ?| {0,2})\d{1,6} ?: {0,8})?(?:\[\d{1,4}\][+-]? {1,4})?(?:(?P<pid>\d{1,9}) {1,4})?(?P<word>"
    + _ANY_WORD
    + r")(?:: \d{1,2})?(?P<rest>\s{2,}.{0,2000}| ?\((?:core dumped|Speicherabzug geschrieben|核心已转储|core dumpé|volcado de memoria|memory dumped|[^)]{1,40})\).{0,2000}|:? {0,4}\S{0,4}|)$"
)
_WORK = ("ETA: ", "[=", "loss: ", "loss=", "it/s", "s/it", "/step", "%|", "━")
_BEHIND_WORK = Expression(
    r"[\d\]%sp](?P<end>(?:(?:z|ba|da|k|fi)?sh: |\[\d{1,4}\][+-]? {1,4})?(?:\d{1,9} {1,4})?(?:"
    + _ANY_WORD
    + r")(?:: \d{1,2})?(?:\s{2,}.{0,2000}| ?\(.{1,40}\).{0,2000}|))$"
)
"""What a shell says right behind a bar of progress, which ends in no new line (Keras and tqdm rewrite theirs)."""
_BY_NUMBER = (
    Expression(r"traps: \S{1,60}\[\d{1,9}\] trap (?P<trap>invalid opcode)|\]: (?P<fault>segfault) at [0-9a-f]|traps: \S{1,60}\[\d{1,9}\] (?P<protection>general protection)"),
    Expression(r"exited on signal (?P<signal>\d{1,2})\b"),
    Expression(r"^\*\*\* (?P<signal>SIG[A-Z]{2,5}[12]?) (?:received at time=|\(@0x[0-9a-f]{1,16}\) received by PID)|^# {1,4}(?P<trapped>SIG[A-Z]{2,5}[12]?) \(0x[0-9a-f]{1,3}\) at pc="),
    Expression(r"^ {0,2}\*\*\* caught (?P<name>segfault|illegal operation|bus error) \*\*\*"),
    Expression(r"\(interrupted by signal (?P<signal>\d{1,2}) ?: ?SIG"),
    Expression(r"DataLoader worker \(pid.{1,60}\) is killed by signal: (?P<name>Killed|Segmentation fault|Aborted|Bus error|Illegal instruction)\b"),
    Expression(r"进程已结束[,，] ?退出代码为? ?(?P<status>-?\d{1,11})\b"),
    Expression(r"(?i:^\W{0,9}exception code):[ \t]{1,9}(?P<fault_code>[cC]0000[0-9a-fA-F]{3})\b"),
    Expression(r"\bwas sent (?P<signal>SIG(?:KILL|SEGV|ABRT|BUS|ILL|FPE))!"),
    Expression(r"(?:died|killed|terminated|crashed|exited|dies|failed)[ \w':]{0,20} (?:by|with|due to|from|of|on)? ?(?:uncaught )?signal:? \(?(?P<signal>\d{1,2}|SIG[A-Z]{2,5}[12]?)\b"),
    Expression(r"\b[Tt]erminated by (?:signal )?(?P<signal>SIG(?:KILL|SEGV|ABRT|BUS|ILL|FPE)|9|11|6|4|7|8)\b"),
    Expression(r"\bNegsignal\.(?P<signal>SIG[A-Z]{2,5}[12]?)\b|\bFatal signal (?P<number_of>\d{1,2}) \(SIG"),
    Expression(r"\bexit_status {1,20}(?P<status>\d{1,3})\b|[Ee]xit code is (?P<code>\d{1,3})\b|\bexited unexpectedly with code (?P<rc>-\d{1,2})\b"),
    Expression(r"\bnpm (?:ERR!|error) errno (?P<status>1(?:29|3\d))\b"),
    Expression(r"\bwas sent code (?P<status>\d{1,3})!"),
    Expression(r"(?i:\b(?:task|process|job|command|worker|script|program|child|subprocess|training)\b.{0,60}\b(?:failed|ended|exited|died|crashed|finished|terminated) with (?:an )?error code):? (?P<status>-(?:[4-9]|11|15))\b"),
    Expression(r"\bdied with <Signals\.(?P<signal>SIG[A-Z]{2,5}[12]?): \d{1,2}>"),
    Expression(r"[Mm]ain process exited, code=(?:killed|dumped), status=\d{1,3}/(?P<signal>[A-Z]{2,5})"),
    Expression(r"\bsignal: (?P<name>killed|segmentation fault|aborted|bus error|illegal instruction)\b"),
    Expression(r"(?:internal compiler error|fatal error|unable to execute command): (?P<name>Killed|Segmentation fault)\b"),
    Expression(r"^g?make(?:\[\d{1,3}\])?: \*\*\* \[.{1,300}\] Error (?P<status>1[23]\d)\b"),
    Expression(r"[Ss]ignal: (?P<signal>SIG[A-Z]{2,5}[12]?|\d{1,2})\b|\] Signal: [A-Z][\w /-]{2,40} \((?P<number_of>\d{1,2})\)$"),
    Expression(r"Signal code \d|(?:Caught|Received|received) signal (?P<signal>\d{1,2}|SIG[A-Z]{2,5}[12]?)\b"),
    Expression(r"Process finished with exit code (?P<status>-?\d{1,11})\b"),
    Expression(r"(?i)\bexit(?:ed)?(?:[ _](?:with|in))?[ _-]?(?:error |status |non-zero )?(?:code|status|value)\b(?: of)?[\"']?[:=]?[ \t]{0,20}(?P<status>-?\d{1,11}|0x[0-9a-fA-F]{8})\b"),
    Expression(r"returned non-zero exit status (?P<status>-?\d{1,11})\b"),
    Expression(r"(?:exitcode|exit_code|ExitCode|exitCode)[\"']?\s?[:=]\s{0,20}(?P<status>-?\d{1,11})(?::(?P<signal>\d{1,2}))?"),
    Expression(r"\bExited \((?P<status>\d{1,3})\) "),
    Expression(r"^SystemExit: (?P<status>[1-9]\d{0,2})$"),
    Expression(r"command terminated with exit code (?P<status>\d{1,3})"),
    Expression(r"Error code(?: is)?:? ?(?P<status>0x[0-9a-fA-F]{8})|(?P<windows>0x(?:" + "|".join(f"{each:X}" for each in WINDOWS) + r"))\b", re.IGNORECASE),
    Expression(r"(?<![\w-])(?P<number>" + "|".join(f"{each}|{each - (1 << 32)}" for each in WINDOWS) + r")\b"),
    Expression(r"[Rr]eturn(?:ed)?(?: a non-zero)? code(?::| =)? (?P<status>-?\d{1,4})\b|rc=(?P<rc>-?\d{1,4})\b"),
    Expression(r"^Process \S{1,60} exited with status code (?P<status>-?\d{1,4})|exit with status code (?P<code>-?\d{1,4})"),
)  # fmt: skip
_TERMINATE = Expression(
    r"^terminate called (?:after throwing|without an active exception)|^libc\+\+abi(?:\.dylib)?: terminating|^Abort trap"
)
_FAULTS_OF_WINDOWS = Expression(
    r"^(?:Windows fatal exception: )(?P<what>access violation|stack overflow|illegal instruction|float divide by zero|int divide by zero)"
)
"""By Python's faulthandler (Modules/faulthandler.c, faulthandler_exc_handler, 3.7 to 3.13)."""
_BOX = Expression(r"(?:^|/)[\w.-]{0,60}entrypoint(?:\.\w{1,10})?: ")
"""The script by which a container's image starts its program."""
_STATE = Expression(r"\bState ?: (?:OUT_OF_MEMORY|TIMEOUT|CANCELLED|NODE_FAIL|PREEMPTED)\b")
"""Slurm's seff: the status of the script behind it is 0 in many jobs that Slurm itself ended."""
_FEW = 100  # a program's number below it: in a machine's own numbering those are the kernel's
_CONTAINER = Expression(
    r"Exit Code: {1,20}\d|\"ExitCode\"|\bexitCode\"?:|exited with code \d|command terminated with exit code|Last State|OOMKilled|^Container killed|returned a non-zero code|did not complete successfully: exit code|\bExited \(\d"
)
_OTHER_LANGUAGES = ("Speicherzugriffsfehler", "Erreur de segmentation", "Segmentfehler", "Bus-Zugriffsfehler", "Erreur de bus", "Erreur du bus",
    "Error en el bus", "Instruction non permise", "Istruzione non consentita", "Gleitkomma-Ausnahme", "Exception en point flottant",
    "Abgebrochen", "Abandon", "Abortado", "Annullato", "Przerwane", "Ucciso", "Zabity", "Terminado", "Beendet", "Errore di segmentazione")  # fmt: skip
ANCHORS = (
    "Killed", "killed", "ser defined signal", "Alarm clock", "limit exceeded", "Profiling timer expired", "Segmentation", "segmentation fault", "Aborted", "core dumped", "llegal instruction", "hardware instruction",
    "Bus error", "Floating point exception", "Terminated", "signal ", "ignal: ", "died with <", "code=killed", "code=dumped", "terminate called",
    "exit code", "exit_code", "exitcode", "exitCode", "exit status", "xited with", "xit Code", "ExitCode", "status code", "eturn code", "non-zero code", "Error code", "0xC00", "0xc00",
    "Hangup", "interrupted by signal", "is killed by signal: ", "进程已结束", "xception Code:", "xception code:",
    "3221225", "3221226", "-107374", "segfault at", "traps: ", "Abort trap", ": abort ", "race/B", "race/breakpoint", "trace trap", "libc++abi", "*** SIG", "#  SIG", "was sent SIG", "was sent code ", "error code -", "erminated by ", "Negsignal.", "Fatal signal ", "exit_status", "xit code is ", " errno 1", "unexpectedly with code ", "ake: *** [", "Exited (", "SystemExit: ", "IOT instruction", "*** caught ", "]: *** [",
    "prematurely: signal", "atal exception: ", "(): invalid", "(): corrupt", "(): memory corruption", "(): double free", "(): unaligned", "(): unsorted",
    "(): mismatching", "double free or corruption", "corrupted size vs", "corrupted double-linked", "smashing detected", "overflow detected", "error for object 0x", *(word for words in _WORDS.values() for word in words if not word.isascii() or word in _OTHER_LANGUAGES),
)  # fmt: skip
"""One of these stands in every line that `death` knows."""


@record
class Death:
    """What a line says of an end. `signal` 0 for none; `status` the exit status as it was said."""

    signal: int
    status: int
    container: bool


def death(text: str) -> Death | None:
    """The end that a line (without its prefix) tells of; None where it tells none."""
    stripped = text.strip()
    if (
        len(stripped) > 8000
        or not any(word in stripped for word in ANCHORS)
        or _STATE.search(stripped)
    ):
        return None
    container = bool(_CONTAINER.search(stripped))
    if any(mark in stripped for mark in _WORK) and (behind := _BEHIND_WORK.search(stripped)):
        stripped = behind["end"]
    if (found := _OF_A_SHELL.compiled.match(stripped)) and not _is_a_count(found):
        return Death(_ALL_WORDS[found["word"]], 0, container or _in_a_box(found))
    if _TERMINATE.match(stripped) or heap_overwritten(stripped):
        return Death(6, 0, container)
    if found := _FAULTS_OF_WINDOWS.match(stripped):
        return Death(_OF_WINDOWS[found["what"]], 0, container)
    for form in _BY_NUMBER:
        if found := form.compiled.search(stripped):
            return _of(found, container)
    return None


_OF_R = {"segfault": 11, "illegal operation": 4}
_OF_WINDOWS = {
    "access violation": 11,
    "stack overflow": 11,
    "illegal instruction": 4,
    "float divide by zero": 8,
    "int divide by zero": 8,
}


def _is_a_count(found: re.Match[str]) -> bool:
    """ "3 killed": a shell writes the command behind the word, or nothing before it."""
    return found["pid"] is not None and found["word"].islower() and not found["rest"].strip()


def _in_a_box(found: re.Match[str]) -> bool:
    """A shell's line about a program that runs in a container: by the script that started it, or by its low number."""
    number = found["pid"]
    return bool(_BOX.search(found.string)) or (number is not None and 1 < int(number) < _FEW)


def _of(found: re.Match[str], container: bool) -> Death | None:
    groups = {name: value for name, value in found.groupdict().items() if value is not None}
    groups.setdefault("signal", groups.pop("trapped", groups.pop("number_of", "")))
    if "trap" in groups:
        return Death(4, 0, container)
    if "fault" in groups or "protection" in groups:
        return Death(11, 0, container)
    if word := groups.get("name"):
        return Death(_OF_R.get(word) or _ALL_WORDS[word.capitalize()], 0, container)
    if name := groups.get("signal"):
        number = int(name) if name.isdecimal() else SIGNALS.get(name.removeprefix("SIG"), 0)
        if number:
            return Death(number, 0, container)
    if fault := groups.get("fault_code"):
        return from_status(int(fault, 16), container=container)
    said = next(
        (groups[name] for name in ("status", "windows", "number", "rc", "code") if name in groups),
        "",
    )
    if not said:
        return None
    return from_status(
        int(said, 16) if said.lower().startswith("0x") else int(said), container=container
    )


def from_status(status: int, *, container: bool = False) -> Death:
    """An exit status as shells, Python and Windows give it: 128+N and -N for signal N, NTSTATUS for Windows."""
    if (number := status % (1 << 32)) in WINDOWS:
        return Death(WINDOWS[number], number, container)
    if 128 < status <= 128 + 31:
        return Death(status - 128, status, container)
    if 256 - 31 <= status < 254:
        # -N in eight bits; -1 and -2 programs choose themselves.
        return Death(256 - status, status, container)
    if -31 <= status < 0:
        return Death(-status, status, container)
    return Death(0, status, container)
