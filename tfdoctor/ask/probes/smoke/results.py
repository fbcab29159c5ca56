"""From the words of the ladder's programs to facts. What was not said failed, with the step at which it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfdoctor.ask.probes.messages import ChildRun, Messages, silence_or
from tfdoctor.base.child import ChildResult
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.smoke_values import (
    ChildEnd,
    Computation,
    DeviceSmoke,
    DriverSmoke,
    LibrariesSmoke,
    OpenedLibrary,
    TensorFlowSmoke,
)
from tfdoctor.facts.values import NOT_MEASURED
from tfdoctor.facts.versions import LibraryRelease, read_release

TAIL_LINES, LOG_HEAD, LOG_TAIL, LONGEST_LINE = 20, 150, 100, 500
# "created" for the runtime means that it started.
WITH_HANDLES = (
    "libcudart.",
    "libcublas.",
    "libcudnn.",
)
_NOT_REACHED = Failed("not tried: an earlier one used up the time", "out-of-time")
_UNSAID = Failed("not said", "missing")


def lines_of(stderr: bytes) -> list[str]:
    lines = stderr.decode("utf-8", "replace").splitlines()
    return [line.rstrip()[:LONGEST_LINE] for line in lines if line.strip()]


def log_of(stderr: bytes) -> tuple[str, ...]:
    """The first and the last lines: a cause stands at the beginning, the death at the end."""
    lines = lines_of(stderr)
    if len(lines) <= LOG_HEAD + LOG_TAIL:
        return tuple(lines)
    left_out = len(lines) - LOG_HEAD - LOG_TAIL
    return (*lines[:LOG_HEAD], f"[{left_out} lines left out]", *lines[-LOG_TAIL:])


def child_end(result: ChildResult) -> ChildEnd:
    """How a child ended. `peak_rss` is known where its memory was watched."""
    peak = Known(result.peak_rss, "sampled") if result.peak_rss else NOT_MEASURED
    return ChildEnd(result.how, result.status, tuple(lines_of(result.stderr)[-TAIL_LINES:]), peak)


def end_of(runs: Sequence[ChildRun]) -> ChildEnd:
    """The end of the first child that did not end well, else of the last."""
    bad = [run for run in runs if not run.result.ok]
    return child_end((bad or list(runs))[0 if bad else -1].result)


def measured(value: Any, source: str, otherwise: Failed) -> Fact[float]:
    return Known(float(value), source) if isinstance(value, (int, float)) else otherwise


def driver_smoke(runs: Sequence[ChildRun], count: int) -> DriverSmoke:
    """The driver stage on `count` GPUs. A driver that refused before the first is told as GPU 0's failure."""
    refused = runs[0].messages.first("refused")
    if refused is not None:
        why = Failed(refused["message"], "call-failed")
        devices: tuple[DeviceSmoke, ...] = (_device(0, refused, "failed", why),)
    else:
        devices = tuple(_device_of(index, runs) for index in range(max(count, 1)))
    return DriverSmoke(devices, end_of(runs))


def _device_of(index: int, runs: Sequence[ChildRun]) -> DeviceSmoke:
    for run in runs:
        for said in run.messages.said("result"):
            if said["index"] == index:
                device = _device(
                    index, said, said["status"], Failed(said["message"], "call-failed")
                )
                return _with_link(device, run.messages)
    stopped = next((run for run in runs if run.asked_about(index, "gpu")), None)
    if stopped is None and index:
        return _device(index, {}, "failed", _NOT_REACHED)
    stopped = stopped or runs[-1]
    step = stopped.messages.step or "its start"
    nothing = Failed("the program said nothing about this GPU", "missing")
    return _device(index, {"step": step}, "failed", silence_or(stopped.silence, nothing))


def _with_link(device: DeviceSmoke, messages: Messages) -> DeviceSmoke:
    """With what was said of its PCIe link while it worked."""
    link = next((said for said in messages.said("link") if said["index"] == device.index), None)
    if link is None:
        return device
    now, most = (
        Known(int(link[name]), "NVML, while the GPU test ran") for name in ("generation", "most")
    )
    return replace(device, link_generation=now, link_generation_max=most)


def _device(index: int, said: dict[str, Any], status: str, why: Failed) -> DeviceSmoke:
    """One GPU. `why` says what went wrong; where nothing did its words are empty."""

    def seconds(name: str) -> Fact[float]:
        return measured(said.get(name), "the driver stage", Failed("not reached", why.kind))

    step, code = str(said.get("step", "")), said.get("code")
    return DeviceSmoke(
        index=index,
        status=status,
        step=step,
        code=Known(code, step or "every call") if isinstance(code, int) else why,
        message=why.error,
        max_error=measured(
            said.get("max_error"), "compared with a*b+a", _or_unsaid(why, "no result")
        ),
        context_s=seconds("context_s"),
        load_s=seconds("load_s"),
        run_s=seconds("run_s"),
    )


def _or_unsaid(why: Failed, words: str) -> Failed:
    return why if why.error else Failed(words, "missing")


def libraries_smoke(runs: Sequence[ChildRun], sonames: Sequence[str]) -> LibrariesSmoke:
    libraries = tuple(_library(index, soname, runs) for index, soname in enumerate(sonames))
    return LibrariesSmoke(libraries, end_of(runs))


def _library(index: int, soname: str, runs: Sequence[ChildRun]) -> OpenedLibrary:
    of_it = next((run for run in runs if run.asked_about(index, "library")), None)
    answers = of_it.messages.answers if of_it else []
    said = {answer["say"]: answer for answer in answers if answer.get("index") == index}
    stopped = (of_it or runs[-1]).silence if of_it or not index else _NOT_REACHED
    silent = silence_or(stopped, _UNSAID)
    opened = "opened" in said
    error = "" if opened else str(said["refused"]["error"]) if "refused" in said else silent.error
    return OpenedLibrary(
        soname=soname,
        opened=opened,
        path=Known(said["opened"]["path"], "dlinfo")
        if opened
        else Absent(error)
        if "refused" in said
        else silent,
        version=_version(said, opened, stopped),
        handle=_handle(said, opened, silent, soname.startswith(WITH_HANDLES)),
        error=error,
    )


def _version(said: dict[str, Any], opened: bool, stopped: Failed | None) -> Fact[LibraryRelease]:
    if "version" in said:
        return read_release(LibraryRelease, str(said["version"]["version"]), "its own version call")
    if "version-failed" in said:
        return Failed(said["version-failed"]["error"], "call-failed")
    if not opened:
        return Failed("it could not be opened", "unloadable")
    return Absent("this library has no version call") if stopped is None else stopped


def _handle(said: dict[str, Any], opened: bool, silent: Failed, wanted: bool) -> Fact[str]:
    if not wanted:
        return Absent("no handle was to be made")
    if "handle" in said:
        answer = str(said["handle"]["answer"])
        return (
            Known(answer, "its create call")
            if answer == "created"
            else Failed(answer, "call-failed")
        )
    return silent if opened else Failed("it could not be opened", "unloadable")


def tensorflow_smoke(messages: Messages, result: ChildResult) -> TensorFlowSmoke:
    """What the stage showed. Code of the patient writes to the same stdout: lines that can't be ours are nonsense."""
    try:
        return _tensorflow_smoke(messages, result)
    except (KeyError, TypeError, ValueError, OverflowError):
        return _tensorflow_smoke(messages.unreadable(), result)


def _tensorflow_smoke(messages: Messages, result: ChildResult) -> TensorFlowSmoke:
    silent = silence_or(messages.silence(result), _UNSAID)
    imported, error, gpus = (
        messages.first("imported"),
        messages.first("import-error"),
        messages.first("gpus"),
    )
    source = "import tensorflow"
    no_import = Failed(str(error["error"]), "raised") if error else silent
    return TensorFlowSmoke(
        imported=Known(str(imported["version"]), source) if imported else no_import,
        import_error=_import_error(imported, error, silent),
        module_file=Known(str(imported["file"]), source) if imported else no_import,
        import_s=Known(float(imported["seconds"]), source) if imported else no_import,
        gpus=_gpus(gpus, no_import if error else silent),
        built_with_cuda=Known(bool(gpus["built_with_cuda"]), "tf.test.is_built_with_cuda")
        if gpus
        else silent,
        computations=_computations(messages, silent),
        last_step=messages.step,
        end=child_end(result),
        log=log_of(result.stderr),
        finished=messages.done,
    )


def _import_error(imported: Any, error: Any, silent: Failed) -> Fact[str]:
    if imported:
        return Absent("it was imported")
    return Known(str(error["error"]), "import tensorflow") if error else silent


def _gpus(said: dict[str, Any] | None, silent: Failed) -> Fact[tuple[str, ...]]:
    if said is None:
        return silent
    names = tuple(str(name) for name in said["names"])
    return Known(names, "list_physical_devices") if names else Absent("TensorFlow shows no GPU")


def _computations(messages: Messages, silent: Failed) -> tuple[Computation, ...]:
    """Those that were done, and the one at which the child stopped."""
    done = [_computation(said) for said in messages.said("computation")]
    name, _, device = messages.step.partition(" on ")
    stopped = (
        not messages.done
        and device
        and (name, device) not in {(item.name, item.device) for item in done}
    )
    if stopped:
        done.append(
            _computation(
                {"name": name, "device": device, "status": "failed", "error": silent.error}
            )
        )
    return tuple(done)


def _computation(said: dict[str, Any]) -> Computation:
    error = str(said["error"])
    why = Failed(error, "raised" if said["status"] == "failed" else "unreadable")
    return Computation(
        device=str(said["device"]),
        name=str(said["name"]),
        status=str(said["status"]),
        max_error=measured(
            said.get("max_error"), "compared with NumPy in float64", _or_unsaid(why, "no result")
        ),
        tolerance=float(said.get("tolerance", 0.0)),
        first_s=measured(said.get("first_s"), "its clock", _or_unsaid(why, "not measured")),
        steady_s=measured(said.get("steady_s"), "its clock", _or_unsaid(why, "not measured")),
        error=error,
    )
