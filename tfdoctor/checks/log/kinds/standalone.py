"""The package keras beside a TensorFlow that is not of its time: it asks TensorFlow for what only another release has.

Before 2.4 the package was a Keras of its own, which called TensorFlow 1 by its public names; later ones ask for inner names that
TensorFlow keeps for Keras alone.
"""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.misfit import FOR_KERAS
from tfdoctor.checks.log.fit.pins import pin
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.by_release import asked
from tfdoctor.signatures.tensorflow_1 import is_old

_WANTS, _HANDED = "keras-wants-tensorflow", "keras-2-handed"
_BEFORE_2 = "keras.backend"
"""What asked TensorFlow in the packages 1.0 to 2.3.1 (keras/backend/tensorflow_backend.py)."""


def out_of_time(last: Ending) -> Candidate | None:
    """None where no Keras asks, or what it asks for tells nothing."""
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None or not wanted[1]:
        return None
    module, name = wanted
    if _is_before_2(last, module, name):
        title = f"The installed keras is older than TensorFlow 2: it asks for tf.{name}, which only TensorFlow 1 has."
        words = "Up to 2.2 the package keras called TensorFlow 1. The program imports that package; TensorFlow itself is complete and has a Keras of its own, tensorflow.keras."
        return Candidate("keras-mismatch", Confidence.CERTAIN, (place(last),), words, title=title)
    if not last.inside and last.what.partition(": ")[2].startswith(FOR_KERAS):
        title = f"The installed Keras and TensorFlow are of different times: {name} is asked of {module}, which does not have it."
        words = "Only the package keras asks TensorFlow for that inner name, so a program or a package imports keras, and what is installed under that name was made for another TensorFlow."
        return Candidate("keras-mismatch", Confidence.LIKELY, (place(last),), words, title=title)
    return None


def wants_newer(told: Testimony, saying: Saying) -> Candidate | None:
    """What the package keras, or one that works with Keras 3, says itself; None elsewhere."""
    if saying.name == _HANDED:
        words = "tf_keras is Keras 2, and its models and layers are no instances of Keras 3's classes. The package that complains imports keras, which is Keras 3 with TensorFlow 2.16 and newer; TF_USE_LEGACY_KERAS=1 changes tf.keras alone."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title="A model or layer of Keras 2 (tf_keras) is handed to a package that works with Keras 3.")  # fmt: skip
    said = told.named(_WANTS)
    if not said or saying.code != "keras-mismatch":
        return None
    words = f"The package keras 2.4 only passes on to tensorflow.keras, and looks at its import whether that is the one of TensorFlow {said[0].told['wanted']} or newer. It did not find what that has: the TensorFlow of this Python is older. An older keras fits it."
    return Candidate(saying.code, Confidence.CERTAIN, (place(said[0]),), words, title=f"The installed keras asks for TensorFlow {said[0].told['wanted']} or newer, and the TensorFlow here is older.")  # fmt: skip


def _asked_newer(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where neither was said."""
    python = interpreter(facts)
    if told.named(_HANDED):
        return (
            fix("use-keras-3-throughout"),
            fix("where-model-to-keras-2-take"),
        )  # fmt: skip
    if not told.named(_WANTS):
        return ()
    older = fix("take-keras-tensorflows-time", python=python)
    newer = fix("or-update-tensorflow-where-python-and", python=python)
    return (older, newer)


def _is_before_2(last: Ending, module: str, name: str) -> bool:
    from_keras = last.package == "keras" and bool(last.inside) and last.inside[-1].startswith(_BEFORE_2)
    return from_keras and module == "tensorflow" and is_old("", name)


def standalone_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    if asked_for := _asked_newer(facts, told):
        return asked_for
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised or out_of_time(raised[-1]) is None:
        return ()
    python, parts = interpreter(facts), str(value_or(facts.tensorflow.version, "")).split(".")
    minor = ".".join(parts[:2]) if len(parts) > 1 else ""
    fitting = pin("keras", minor) if minor else "keras==2.4.3"
    passes_on = minor in ("", "2.2", "2.3", "2.4", "2.5")
    title = f"Install the keras that is made for TensorFlow {minor or '2.2 to 2.5'}"
    note = "keras 2.4.3 only passes on to tensorflow.keras. " if passes_on else ""
    other = "" if minor else " With TensorFlow 2.0 or 2.1 take keras==2.3.1; from 2.6 on the package has TensorFlow's own minor."  # fmt: skip
    own = Fix(title, (f"{python} -m pip install '{fitting}'",), f"{note}TensorFlow stays as it is.{other}")
    public = fix("where-program-own-import-from-tensorflow")
    return (own, public)
