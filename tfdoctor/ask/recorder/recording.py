"""One run from its start to the facts about its end."""

from __future__ import annotations

import contextlib
import select
import signal
import threading
import time

from tfdoctor.ask.recorder.execute import status_of
from tfdoctor.ask.recorder.launch import Started
from tfdoctor.ask.recorder.run import CleanExit, RunContext
from tfdoctor.base.processes import share_one_arena

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.ask.recorder.gpu_use import GpuUse
    from tfdoctor.ask.recorder.grown_lines import GrownLines
    from tfdoctor.ask.recorder.journal import RunJournal
    from tfdoctor.ask.recorder.run import RunConfig, RunResult
    from tfdoctor.ask.recorder.timeline import Sample
    from tfdoctor.ask.recorder.warner import Warner
    from tfdoctor.ask.recorder.watcher import Watcher

_KILL_AFTER_S = 10.0  # a command that stands still
_KILL_WITHOUT_GPU_AFTER_S = 2.0
_GPU_EVERY_S = _LIVE_EVERY_S = 1.0
_TICK_MS = 1000


class Recording:
    """Starts the command when it is made: nothing that is not needed for that is imported before.

    What watching needs is imported in a thread while the command works. A command that ends well before that is done is
    not waited for with it: there is nothing to say.
    """

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.started_at = time.time()
        self.command = Started(config.argv, config.environ)
        self.at = time.monotonic()
        self._stalled = self._without_gpu = False
        self._gpu_use: GpuUse | None = None
        self._gpu_asked_at = self._live_at = 0.0
        self._grown_lines: GrownLines | None = None
        self._watcher: Watcher | None = None
        self._warner: Warner | None = None
        self._broken: BaseException | None = None
        self.killed_at = 0.0  # when we ended it because it stood still; 0.0: we did not

    def watch(self, box: RunJournal, *, wanted: bool) -> RunResult | CleanExit:
        """Until the command has ended. `wanted`: facts are, also about a good end."""
        if self.command.error:
            return self._not_started()
        poll = self._listening()
        self._attend(poll, 0)
        if not wanted and self.command.place.well:  # it was faster than all that watching takes
            return self._leave_well(time.monotonic() - self.at)
        share_one_arena()
        beginning = threading.Thread(target=self._begin, args=(box,), daemon=True, name="beginning")
        beginning.start()
        while not self.command.place.dead:
            self._attend(poll, _TICK_MS)
            self._look_at_the_gpu()
            self._show_live()
            self._end_it()
        after = time.monotonic() - self.at
        wanted = wanted or (self._gpu_use is not None and bool(self._gpu_use.at_work))
        if not wanted and self._ends_well():
            return self._leave_well(after)
        beginning.join()
        watcher = self._watcher
        if watcher is None:
            raise RuntimeError("watching could not begin") from self._broken
        watcher.finish()
        if not wanted and self._ends_well():
            return self._leave_well(after)
        waited = self.command.place.wait()
        self.command.place.settle()
        self.command.reap()
        self.command.end()
        from tfdoctor.ask.recorder.postmortem import ended

        assert self._gpu_use is not None  # made before the watcher
        text = self.command.place.text()
        return ended(self.context(), watcher, waited, after, text, self._gpu_use, self._grown_lines)

    def context(self) -> RunContext:
        """What is known by now of the command, apart from its processes."""
        sent, stopped = tuple(self.command.sent), bool(self.killed_at)
        warned = tuple(self._warner.told) if self._warner is not None else ()
        return RunContext(
            self.config.argv, self.config.environ, self.at, self.started_at, sent, stopped, self._without_gpu, warned
        )  # fmt: skip

    def _begin(self, box: RunJournal) -> None:
        from tfdoctor.ask.recorder.gpu_use import GpuUse

        try:
            self._gpu_use = GpuUse()
            watcher = self._made(box)
            watcher.start()
            self._watcher = watcher
        except BaseException as error:  # noqa: BLE001  # raised where the command's end is looked at
            self._broken = error

    def _ends_well(self) -> bool:
        """Status 0, and none below it was seen to end badly. A watcher at work takes its last look first: it may see one."""
        if not self.command.place.well or self._broken is not None:
            return False
        return self._watcher is None or self._watcher.is_calm

    def _leave_well(self, after: float) -> CleanExit:
        waited = self.command.place.wait()
        self.command.place.settle()
        self.command.reap()
        self.command.end()
        return CleanExit(round(after, 3), waited.peak_rss)

    def _listening(self) -> select.poll:
        poll = select.poll()
        poll.register(self.command.signals, select.POLLIN)
        self.command.place.register(poll)
        return poll

    def _attend(self, poll: select.poll, wait_ms: int) -> None:
        """To whatever has happened, or happens within so many milliseconds."""
        for number, event in poll.poll(wait_ms):
            if number == self.command.signals.fileno():
                self.command.on_signals()
            else:
                self.command.place.attend(poll, number, event)

    def _made(self, box: RunJournal) -> Watcher:
        from tfdoctor.ask.recorder.gpus import Gpus
        from tfdoctor.ask.recorder.grown_lines import GrownLines
        from tfdoctor.ask.recorder.host_memory import Disks
        from tfdoctor.ask.recorder.stall import StillWatch
        from tfdoctor.ask.recorder.watcher import Watcher

        config = self.config
        disks = Disks(config.environ)
        disks.start()
        still = StillWatch(config.stall_after, lambda: self.command.place.said_at - self.at)
        watcher = Watcher(
            self.command.pid,
            config.run_id,
            interval=config.interval,
            started=self.at,
            disks=disks,
            still=still,
            gpus=Gpus(self.at),
        )
        self._warner = warner = self._warning() if config.warn else None
        self._grown_lines = grown_lines = GrownLines()
        grown_lines.start()
        seen: set[str] = set()

        def keep(sample: Sample) -> None:
            for folder, group in watcher.groups.by_folder.items():
                if folder not in seen:
                    seen.add(folder)
                    box.head(**group.as_header())
            box.sample(sample, watcher.timeline.samples)
            members = watcher.tree.members.values()
            if members:
                grown_lines.look(sample, max(members, key=lambda each: each.sizes.anon).pid)
            if warner is not None:
                warner.look(sample, watcher.timeline.samples)

        still.on_stall = self._note_stall
        watcher.on_sample = keep
        return watcher

    def _warning(self) -> Warner:
        from tfdoctor.ask.recorder.postmortem import lines_of
        from tfdoctor.ask.recorder.training import filling_of, pace_in
        from tfdoctor.ask.recorder.warner import Warner
        from tfdoctor.facts.outcome import known

        place, environ = self.command.place, self.config.environ
        return Warner(
            self._warn,
            filling=lambda samples: known(
                filling_of(lines_of(place.text()), samples, self.started_at)
            ),
            pace=lambda: pace_in(environ, self.at),
        )

    def _warn(self, text: str) -> None:
        """A line of its own, also where a progress bar is being drawn."""
        from tfdoctor.ask.recorder.streams import TERMINAL, Text, write_all

        self.command.place.show("")
        said = self.command.place.text()
        end = "\r\n" if self.command.plan.how == TERMINAL else "\n"
        begun = end if isinstance(said, Text) and said.whole[-1:] not in (b"", b"\n") else ""
        write_all(2, f"{begun}tfdoctor: {text}{end}".encode())
        if self.config.warn_signal:
            self.command.place.deliver(self.config.warn_signal, to_all=False)

    def _look_at_the_gpu(self) -> None:
        now = time.monotonic()
        if (
            self._gpu_use is None
            or self._watcher is None
            or now - self._gpu_asked_at < _GPU_EVERY_S
        ):
            return
        self._gpu_asked_at = now
        self._gpu_use.look(list(self._watcher.tree.members), now)
        if self.config.require_gpu and not self._without_gpu:
            from tfdoctor.ask.recorder.journal import STEPS
            from tfdoctor.ask.recorder.postmortem import lines_of
            from tfdoctor.ask.recorder.training import gpus_told, told_in

            lines = lines_of(self.command.place.text())
            told = gpus_told(told_in(self.config.environ.get(STEPS, "")))
            self._without_gpu = self._gpu_use.lacks_gpu(
                lines, self._watcher.timeline.samples, told, now
            )

    def _show_live(self) -> None:
        now = time.monotonic()
        if not self.config.live or self._watcher is None or now - self._live_at < _LIVE_EVERY_S:
            return
        from tfdoctor.ask.recorder.live import live_line

        self._live_at = now
        self.command.place.show(live_line(self._watcher.timeline.samples))

    def _end_it(self) -> None:
        """Where it is wished, a command that stands still or has no GPU is asked to end, and made to after a while."""
        if not self._without_gpu and not (self.config.kill_stalled and self._stalled):
            return
        patience = _KILL_WITHOUT_GPU_AFTER_S if self._without_gpu else _KILL_AFTER_S
        now = time.monotonic()
        if not self.killed_at:
            self.killed_at = now
            self.command.place.deliver(signal.SIGTERM, to_all=False)
        elif now - self.killed_at > patience:
            self._kill_all()

    def _note_stall(self) -> None:
        self._stalled = True

    def _kill_all(self) -> None:
        """By their handles: a number may be another's by now."""
        members = list(self._watcher.tree.members.values()) if self._watcher is not None else []
        for handle in [each.handle for each in members if each.handle >= 0]:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)

    def _not_started(self) -> RunResult:
        from tfdoctor.ask.recorder.postmortem import not_started

        self.command.place.wait()
        self.command.place.settle()
        self.command.end()
        return not_started(self.config.argv[0], self.command.error, status_of(self.command.error))
