"""Code and files of Keras 2 that Keras 3 refuses by words of their own."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix

_FOLDER = Fix("Or load the folder with Keras 3 as a layer that can only be used, not trained", note="In your files: keras.layers.TFSMLayer(folder, call_endpoint='serving_default')")  # fmt: skip
_OTHERWISE = {
    "keras-2-file": _FOLDER,
    "json-of-keras-2": Fix("Or load JSON and weights with TensorFlow 2.15, the last one with Keras 2, and save the model as .keras there"),
    "layers-without-keras-3": Fix("Or take TensorFlow 2.15 or older, which has them, in an environment of its own", ("tfdoctor plan --tensorflow '<2.16'",)),
    "name-taken-for-shape": Fix("Or name the arguments, where the code is your own", note="In your files: self.add_weight(name='counter', shape=(), initializer='zeros')"),
    "tensor-by-its-place": Fix("Or name the argument, where the code is your own", note="In your files: layer(x, mask=mask) in place of layer(x, mask)"),
    "optimizer-of-keras-2-saved": Fix("Or load it with the TensorFlow that saved it, and save it without the optimizer", note="In your files: model.save('model', include_optimizer=False)"),
    "dimension-for-keras-3": Fix("Or take TensorFlow 2.15 or older, in an environment of its own", ("tfdoctor plan --tensorflow '<2.16'",)),
}  # fmt: skip


def rename_first(told: Testimony) -> tuple[Fix, ...]:
    """The least that helps where only the name of a file is refused in the program's own code; () elsewhere."""
    said = told.named("file-name-for-keras-3")
    if not said:
        return ()
    wanted = said[0].told.get("wanted", ".keras")
    return (Fix(f"Let the name of the file that is saved end in {wanted}, and read it by that name", note=f"In your files: ModelCheckpoint('best{wanted}', …), model.save('model.keras'), model.save_weights('model.weights.h5'). Where a package chooses the name, the next way is the one."),)  # fmt: skip


def otherwise(told: Testimony) -> tuple[Fix, ...]:
    """() where the general way out is meant."""
    return tuple(fix for name, fix in _OTHERWISE.items() if told.named(name))[:1]
