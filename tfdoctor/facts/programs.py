"""What is known of one program: what its log says, and how it fared and ended."""

from __future__ import annotations

from tfdoctor.facts import death as d
from tfdoctor.facts import log_values as told
from tfdoctor.facts.outcome import NOT_ASKED, NOT_WATCHED, Fact
from tfdoctor.light.records import record


@record
class Log:
    """What a log says (`tfdoctor/logs/`). Of several runs in it `run` is the last one, which is judged."""

    files: Fact[tuple[told.LogFile, ...]] = NOT_ASKED
    sayings: Fact[tuple[told.Saying, ...]] = NOT_ASKED  # in the order in which they stand; Absent: none
    endings: Fact[tuple[told.Ending, ...]] = NOT_ASKED
    dumps: Fact[tuple[told.Dump, ...]] = NOT_ASKED
    opened: Fact[tuple[str, ...]] = NOT_ASKED  # CUDA libraries that TensorFlow says it opened (up to 2.5)
    noise: Fact[tuple[told.NoiseCount, ...]] = NOT_ASKED
    run: Fact[int] = NOT_ASKED  # 0 where the log holds one run
    open_end: Fact[told.OpenEnd] = NOT_ASKED  # Absent: an end is told, or progress to the last
    surroundings: Fact[told.Surroundings] = NOT_ASKED


@record
class Death:
    """How a watched program fared and ended (`tfdoctor run`). In every other examination there is none."""

    end: Fact[d.CommandEnd] = NOT_WATCHED
    lost: Fact[tuple[d.LostProcess, ...]] = NOT_WATCHED  # processes below it that ended badly; Absent: none
    counters: Fact[tuple[d.KillCounter, ...]] = NOT_WATCHED  # kills of the memory cgroups that it lived in
    machine_kills: Fact[int] = NOT_WATCHED  # by how much /proc/vmstat oom_kill grew: foreign kills count, too
    kernel_kills: Fact[tuple[d.KernelKill, ...]] = NOT_WATCHED  # since its start; Absent: the log has none
    signals: Fact[tuple[d.SentSignal, ...]] = NOT_WATCHED  # that came for it; Absent: none
    reading: Fact[d.Reading] = NOT_WATCHED
    training: Fact[d.Training] = NOT_WATCHED  # Absent: the program did not tell (tfdoctor.keras)
    growth: Fact[d.Growth] = NOT_WATCHED
    fill: Fact[d.Fill] = NOT_WATCHED  # Absent: no shuffle buffer was being filled when it ended
    stall: Fact[d.Stall] = NOT_WATCHED  # Absent: it did not stand still when it ended
    said: Fact[tuple[str, ...]] = NOT_WATCHED  # its telling and its last lines on stderr; Absent: none
