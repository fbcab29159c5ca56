"""What is known of a watched program's end: records without behaviour. Sizes are bytes, times seconds since its start."""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import NOT_WATCHED, Fact, Failed


@record
class CommandEnd:
    """How the command itself ended. `how`: "exit", "signal", "not-started", "unknown" (the recorder ended, too).

    `status` is the exit status, the signal's number, or the errno of a failed start.
    """

    how: str
    status: int
    core: bool
    pid: int
    name: str  # of its program, as the kernel has it; "" where no look came in time; as typed where it never ran
    after_s: float
    peak_rss: Fact[int]  # wait(2)'s own, of the command or a child that it waited for
    called: str = "command"  # what people know it as: "command", "kernel"

    @property
    def well(self) -> bool:
        return (self.how, self.status) == ("exit", 0)


@record
class LostProcess:
    """A process below the command that ended by itself badly: by a signal, or with a status other than 0.

    `signal` is 0 where it exited. `known_by`: "pidfd" (the kernel told it), "zombie".
    """

    pid: int
    name: str
    signal: int
    status: int
    known_by: str
    after_s: float
    peak_rss: int
    cgroup: str  # the folder of its memory cgroup, "" where it can't be seen


@record
class KillCounter:
    """Kills for lack of memory in one memory cgroup, before the command and after it.

    `peak`: the largest use that was seen, cache left out; the kernel's own high-water mark counts cache, too.
    holds_command: the command itself lived there when it ended.
    """

    folder: str
    before: Fact[int]
    after: Fact[int]
    limit: Fact[int]
    peak: Fact[int]
    high_water: Fact[int]
    kills_whole_group: Fact[bool]
    holds_command: bool


@record
class KernelKill:
    """A process that the kernel killed for lack of memory, from its log. `constraint`: "memcg", "none", "cpuset"…"""

    pid: int
    name: str
    constraint: str
    text: str


@record
class SentSignal:
    """A signal that came for the command. `sender` is a program's name, "" where it is not known."""

    number: int
    sender: str
    from_terminal: bool
    after_s: float


@record
class Reading:
    """What the samples come to. `least` and `most` are over the whole run, `last` is the last sample's."""

    samples: int
    after_s: float
    most_rss: Fact[int]
    last_rss: Fact[int]
    most_anon: Fact[int]
    most_cgroup: Fact[int]
    cgroup_limit: Fact[int]
    least_available: Fact[int]  # MemAvailable of the machine
    last_available: Fact[int]
    swap_grew: Fact[int]
    most_pressure: Fact[float]  # percent of 10 s in which every task waited for memory
    least_shm_free: Fact[int]
    least_disk_free: Fact[int]  # of the working folder's disk
    least_tmp_free: Fact[int]
    most_threads: Fact[int]
    most_open_files: Fact[int]  # over the whole tree
    most_processes: Fact[int]
    most_swapped_in: Fact[float] = Failed("no look asked for it", "not-asked")  # pages a second


@record
class Growth:
    """What was never given back. `kind`: "level", "jump", "per-step", "per-epoch", "slope", "sawtooth", "rising" (to its
    end, in a time that is too short to tell a leak from filling up), "loading" (rising before the first training step).

    per_unit: bytes per step, per epoch or (of a slope) per second. until_limit: how many more of these fit; Absent
    where there is no limit.
    """

    kind: str
    per_unit: Fact[float]
    unit: str  # "step", "epoch", "second"
    units: int  # over how many it was seen
    grew: int  # bytes from where it began to the end
    limit: Fact[int]
    until_limit: Fact[float]


KEEPS, BUFFERS = "keeps", "buffers"


@record
class Holder:
    """A line that holds memory by its words. `how`: "keeps" something in each turn of a loop or each call, or "buffers"."""

    how: str
    line: int
    text: str


@record
class GrownLine:
    """The line of the program during which memory grew most: by `grew` of `whole` bytes. `text`: the line, "" where its file
    could not be read. `holders`: lines of the same file that may hold what grew.
    """

    file: str
    line: int
    function: str
    text: str
    grew: int
    whole: int
    holders: tuple[Holder, ...] = ()


@record
class Fill:
    """A shuffle buffer that was being filled, by the last line about it: `filled` of `wanted` elements.

    per_element: bytes, from memory at the time of that line; Failed where neither line nor samples tell.
    """

    filled: int
    wanted: int
    per_element: Fact[float]


@record
class MemoryWarning:
    """What was said on stderr `t` seconds after the start: that this kind of memory meets its limit in `predicted_s` seconds."""

    t: float
    kind: str  # "container-memory", "host-memory", "gpu-memory", "shuffle-buffer"
    predicted_s: float
    text: str


@record
class CpuOnly:
    """A process in which TensorFlow computed without a GPU. `driver`: it had loaded a GPU's driver; pid is 0 where only words
    tell of it. `ended`: tfdoctor ended the command for it. `lost`: it had a GPU, and TensorFlow said that it failed.
    """

    pid: int
    name: str
    driver: bool
    ended: bool
    lost: bool = False


@record
class WaitingThread:
    """What one thread waits for: its Python stack, innermost first, or the kernel's name of the place."""

    process: str
    thread: str
    stack: tuple[str, ...]


@record
class Stall:
    """It stood still when it ended: no CPU, GPU, disk or output since `since_s`."""

    since_s: float
    for_s: float
    seen_by: str  # "py-spy", "wait channels"
    threads: tuple[WaitingThread, ...]
    ended_by_us: bool


@record
class StepMemory:
    """The memory of one GPU in training, in bytes, as the program's own TensorFlow counts it.

    `before`: at the first step; `held`: between steps; `peak`: of a step after the first one, which also tries out algorithms.
    `limit`: what TensorFlow may use.
    """

    device: str
    limit: int
    before: int
    held: int
    peak: Fact[int]


@record
class Training:
    """What the program's own callback told (`tfdoctor.keras`): of all its steps, and of the last `fit` the memory.

    `epochs` that began; `traces`: how often the training function was traced. `batch`: elements of a step; `result`:
    bytes of one element in the largest result of a layer, 0 where that is not known; `weights`: bytes of those that are trained;
    `xla`: whether XLA compiled the step.
    """

    steps: int
    epochs: int
    seconds_per_step: Fact[float]  # the middle one
    traces: Fact[int]
    batch: Fact[int]
    memory: Fact[tuple[StepMemory, ...]]
    error: str  # why it told no more, "" where it went on
    result: int = 0
    weights: int = 0
    xla: bool = False


@record
class Death:
    """How a watched program fared and ended (`tfdoctor run`). In every other examination there is none."""

    end: Fact[CommandEnd] = NOT_WATCHED
    lost: Fact[tuple[LostProcess, ...]] = (
        NOT_WATCHED  # processes below it that ended badly; Absent: none
    )
    counters: Fact[tuple[KillCounter, ...]] = (
        NOT_WATCHED  # kills of the memory cgroups that it lived in
    )
    machine_kills: Fact[int] = (
        NOT_WATCHED  # by how much /proc/vmstat oom_kill grew: foreign kills count, too
    )
    kernel_kills: Fact[tuple[KernelKill, ...]] = (
        NOT_WATCHED  # since its start; Absent: the log has none
    )
    signals: Fact[tuple[SentSignal, ...]] = NOT_WATCHED  # that came for it; Absent: none
    reading: Fact[Reading] = NOT_WATCHED
    training: Fact[Training] = NOT_WATCHED  # Absent: the program did not tell (tfdoctor.keras)
    growth: Fact[Growth] = NOT_WATCHED
    grown_line: Fact[GrownLine] = (
        NOT_WATCHED  # by stacks from outside; Absent: it did not grow by much
    )
    fill: Fact[Fill] = NOT_WATCHED  # Absent: no shuffle buffer was being filled when it ended
    warned: Fact[tuple[MemoryWarning, ...]] = (
        NOT_WATCHED  # while it worked; Absent: nothing had to be said
    )
    cpu_only: Fact[CpuOnly] = NOT_WATCHED  # Absent: TensorFlow did not compute, or used a GPU
    stall: Fact[Stall] = NOT_WATCHED  # Absent: it did not stand still when it ended
    said: Fact[tuple[str, ...]] = (
        NOT_WATCHED  # its telling and its last lines on stderr; Absent: none
    )
