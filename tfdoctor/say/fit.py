"""What `tfdoctor fit` found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from tfdoctor.base.units import counted, seconds, shown_size
from tfdoctor.fix.batch_search import HOST
from tfdoctor.report.fit import STEPS, Fit, Parts, WayOut
from tfdoctor.say.terminal import Page, Writer

_MARKS = {"fits": ("✓", "bold green"), "estimated": ("?", "bold magenta"), "nothing-fits": ("✗", "bold red"), "unknown": ("?", "bold magenta")}  # fmt: skip
_OWN_SAMPLES = (
    "If zeros of the model's shapes won't do, let {function}() return a pair: the model, and a function that makes x, y "
    "for a batch size."
)
_HANG = 14


def fit_to_text(fit: Fit, page: Page) -> str:
    """One screen: the batch, which memory ends it, what is fixed and what a sample takes, and what was tried."""
    text = StringIO()
    writer = Writer(page, text)
    writer.paragraph(
        writer.text(headline(fit), "bold"), first=writer.symbol(*_MARKS[fit.verdict]), hang=2
    )
    rows = list(_rows(fit))
    if rows:
        writer.blank()
    for label, words in rows:
        writer.paragraph(writer.text(words), first=writer.text(label, "bold"), indent=2, hang=_HANG)
    return text.getvalue()


def headline(fit: Fit) -> str:
    if fit.verdict == "fits":
        return _of_what_fits(fit)
    if fit.verdict == "estimated":
        return f"XLA's report suggests a batch of about {fit.batch:,}. Nothing was run, so nothing is proven."
    if fit.verdict == "nothing-fits":
        return (
            f"Not even one sample fits into {shown_size(fit.limit_bytes)} of {_memory(fit.memory)}."
        )
    return _unknown(fit)


def _of_what_fits(fit: Fit) -> str:
    ran = f"A batch of {fit.batch:,} fits: {fit.steps} steps ran."
    if fit.larger_fails:
        return f"{ran} One of {fit.larger_fails:,} did not: {_why_larger_fails(fit)}."
    return (
        ran
        + {
            "memory": "",
            "time": " Larger ones took too long to try.",
            "trials": " Larger ones were not tried.",
            "batch-max": " No larger one was asked for.",
            "model": " The model is built for this batch alone.",
        }[fit.bound]
    )


def _why_larger_fails(fit: Fit) -> str:
    failed = next(each for each in fit.trials if each.batch == fit.larger_fails)
    return {"out-of-memory": "out of memory", "too-slow": "it took too long"}.get(
        failed.outcome, failed.why
    )


def _unknown(fit: Fit) -> str:
    build, file = f"{fit.function}()", fit.file.rpartition("/")[2]
    special = {
        "no-model": f"{build} returns {fit.because}, not a Keras model.",
        "not-compiled": f"The model is not compiled: call compile in {build}.",
        "backend": f"Keras works with {fit.because}. fit measures TensorFlow alone.",
        "no-shape": f"The shape of a sample is not known: {fit.because}. Give it without the batch, as in --shape 224,224,3.",
    }
    if fit.kind in special:
        return special[fit.kind]
    what, failed = {
        "import": (f"importing {file}", f"{file} can't be imported"),
        "build": (f"{build}", f"{build} failed"),
        "data": ("making a batch", "No batch could be made"),
        "compile": ("compiling a step", "XLA can't compile a step"),
        "step": (f"{STEPS} training steps", "A training step failed"),
    }.get(fit.stage, ("Python's start", "The trial did not start"))
    if fit.kind == "too-slow":
        return f"No answer in {seconds(fit.duration_s)}: {what} took longer."
    return f"{failed}: {fit.because}."


def _memory(name: str) -> str:
    return "memory left on the host" if name == HOST else f"memory of {name}"


def _rows(fit: Fit) -> Iterator[tuple[str, str]]:
    if fit.sample_bytes:
        yield "Limit", f"{shown_size(fit.limit_bytes)} of {_memory(fit.memory)}"
        yield "Fixed", shown_size(fit.fixed_bytes) + (f"; {_held(fit.parts)}" if fit.parts else "")
        yield "A sample", shown_size(fit.sample_bytes)
    if fit.verdict == "nothing-fits":
        yield from _rows_of_what_is_large(fit)
    if fit.stage == "import" and (fit.kind == "too-slow" or "SystemExit" in fit.because):
        yield "To do", 'Put what trains or reads arguments below `if __name__ == "__main__":`.'
    if fit.stage in ("data", "step") and fit.kind in ("raised", "failed"):
        yield "To do", _OWN_SAMPLES.format(function=fit.function)
    if fit.trials:
        tried = ", ".join(
            f"{each.batch:,}{'' if each.outcome == 'ran' else ' ✗'}" for each in fit.trials
        )
        yield "Tried", f"{tried} ({counted(len(fit.trials), 'trial')}, {seconds(fit.duration_s)})"
    if fit.verdict in ("fits", "estimated"):
        yield "Not counted", "your data set, and what else your program keeps"


def _rows_of_what_is_large(fit: Fit) -> Iterator[tuple[str, str]]:
    parts = fit.parts
    if parts is None:
        imports = f"What {fit.file.rpartition('/')[2]} imports and makes: memory ran out while it was imported."
        yield (
            "Largest",
            imports
            if fit.stage == "import"
            else "The weights: memory ran out before the model was built.",
        )
        return
    activations = shown_size(parts.activations)
    yield (
        "Needs",
        f"{shown_size(parts.sum)} at least: {_held(parts)}, outputs of all layers {activations}",
    )
    yield (
        "Largest",
        f"{_NAMES[parts.largest]}; of the layers {parts.layer} ({shown_size(parts.layer_weights)} of weights)",
    )
    label = "Ways out"
    for way in fit.ways_out:
        yield label, _way(way, parts)
        label = ""
    yield label, "Adding up gradients over several steps does not help: it takes a batch that fits."


_NAMES = {"weights": "the weights", "gradients": "the gradients", "optimizer": "the optimizer's state", "activations": "the outputs of layers"}  # fmt: skip


def _held(parts: Parts) -> str:
    """Of what is held whatever the batch."""
    return f"weights {shown_size(parts.weights)}, gradients {shown_size(parts.gradients)}, {parts.optimizer_name} {shown_size(parts.optimizer)}"


def _way(way: WayOut, parts: Parts) -> str:
    saves = f"saves about {shown_size(way.saves_bytes)}"
    return {
        "mixed-precision": f"mixed precision {saves}: keras.mixed_precision.set_global_policy('mixed_float16') before the model is built",
        "optimizer": f"SGD without momentum instead of {parts.optimizer_name} {saves}",
        "smaller-layer": f"a layer {parts.layer} of half the size {saves}",
    }[way.kind]
