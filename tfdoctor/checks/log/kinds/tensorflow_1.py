"""Names that TensorFlow lacks: of TensorFlow 1, then the program is too old; of every release, then the installation is damaged."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.misfit import at
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: a name that goes into a command
from tfdoctor.signatures.by_release import GONE_WITH_2, asked
from tfdoctor.signatures.tensorflow_1 import ASKED, EVERY, GONE_MODULES, is_old, new_name

LACKING = ("tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name")
"""What says so in one line, where no traceback is told."""
_INNER = ("python", "core", "lite", "compiler", "keras", "tools", "compat")
"""Folders of TensorFlow whose names were never promised, or are another Keras' matter."""
_COMPATIBLE = ("compat.v1", "compat.v2", "_api.v2.compat.v1")
"""They have TensorFlow 1's other names, and not these."""
_OWN = ("tensorflow", "tensorflow-core", "keras", "tf-keras")

_SCRIPT = Expression(r"^\w[\w.-]{0,80}\.py$")


def asked_in_vain(facts: Facts, told: Testimony, last: Ending) -> Candidate | None:
    """The program, or a package, asks for what this TensorFlow does not have; None where TensorFlow itself is incomplete."""
    found = _asked(last.what, last.source)
    if found is None or last.package in _OWN or str(value_or(facts.tensorflow.version, "2")).startswith("1."):
        return None
    module, name = found
    if not is_old(module, name) and (module or name in EVERY):
        return None
    what, who = ".".join(filter(None, ("tf", module, name))), last.package or "The program"
    where = f" It asks in {last.frame}." if last.frame else ""
    code = "package-import-failed" if last.package else "python-exception"
    if is_old(module, name):
        words = f"TensorFlow 2 has no {what}: only TensorFlow 1 had it. {who} was written for TensorFlow 1; the installation and the GPU are not what fails.{where}"
        title = f"{who} asks for {what}, which only TensorFlow 1 has."
    else:
        words = f"The installed TensorFlow has no {what}. No release is known for which that name would be a sign of damage: it is misspelled, or of another release.{where}"
        title = f"{who} asks for {what}, which the installed TensorFlow does not have."
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=title)


def _asked(what: str, source: str = "") -> tuple[str, str] | None:
    """The module below `tensorflow` ("" for none) and the name; None for anything else."""
    whole = asked(what, source)
    if whole is not None and not whole[1] and whole[0].startswith(GONE_WITH_2):
        return "", whole[0].split(".")[1]  # Python 2's message leaves out what it found
    if "partially initialized" in what or not (found := ASKED.compiled.search(what)):
        return None
    if found["missing"]:
        return "", found["missing"].partition(".")[0]
    module = (found["module"] or found["folder"] or "").removeprefix("_core.")
    name = found["symbol"] or found["value"]
    if module in _COMPATIBLE and name in GONE_MODULES:
        return "", name
    return None if module.startswith(_INNER) else (module, name)


def ending_at(told: Testimony, at: tuple[int, int]) -> Ending | None:
    return next((each for each in told.endings if each.how == "exception" and place(each) == at), None)


def rewriting_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end by such a name in the program's own code."""
    raised = [
        *(each for each in told.endings if each.how == "exception"),
        *(at(told, each) for each in told.named(*LACKING)),
    ]
    if not raised or asked_in_vain(facts, told, raised[-1]) is None:
        return ()
    module, name = _asked(raised[-1].what, raised[-1].source) or ("", "")
    if not is_old(module, name):
        return (fix("look-name-up-in-tensorflows-reference"),)
    file = raised[-1].frame.rpartition("(")[2].rpartition(":")[0].replace("\\", "/").rpartition("/")[2]
    own = file if _SCRIPT.match(file) else "train.py"
    tool = fix("have-tensorflows-own-tool-rewrite-program", own=own)
    new = new_name(module, name)
    if not new:
        return (_of_contrib(name), tool)
    old = ".".join(filter(None, ("tf", module, name)))
    note = " A program of sessions and placeholders calls tf.compat.v1.disable_v2_behavior() first." if "compat.v1" in new else ""  # fmt: skip
    return (
        fix("write-in-place-3", new=new, old=old, note=note),
        tool,
    )


def _of_contrib(name: str) -> Fix:
    return fix("replace-what-program-takes-from-tf-2", called=name)
