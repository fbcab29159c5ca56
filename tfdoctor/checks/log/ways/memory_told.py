"""Memory of which the text tells what held it: pinned memory, a batch of the input pipeline, a hosted notebook, a hosted service."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.findings.model import Fix

_PINNED = Meaning(
    "The machine's memory was asked for, not the GPU's: TensorFlow passes data to the GPU through pinned memory, which can't be "
    "swapped out, and the driver gave none of that size. What holds so much are data that are cached or prefetched on the host, "
    "or one enormous tensor.",
    (
        Fix(
            "Keep less of the data in the machine's memory: no `cache()`, a smaller batch, prefetch and shuffle buffer"
        ),
        Fix("See how much memory the machine has left while the program runs", ("free -h",)),
    ),
)
_UNIFIED = Meaning(
    "The program asks for unified memory, which the driver moves between the machine and the GPU (TF_FORCE_UNIFIED_MEMORY=1, which AlphaFold and ColabFold set), and gets "
    "not even a small piece of it. Under WSL2 CUDA can't give more of it than it can pin, and elsewhere the machine's own memory bounds it. A smaller model changes nothing as long as all of it is asked for so.",
    (
        Fix(
            "Let the program take the GPU's own memory, and only what fits into it",
            ("export TF_FORCE_UNIFIED_MEMORY=0", "export XLA_PYTHON_CLIENT_MEM_FRACTION=0.9"),
            "For this shell. A program that sets them itself needs the change there: above 1.0 the fraction asks for more than the GPU has.",
        ),
        Fix("See what the machine has left beside the program", ("free -h",)),
    ),
)
_COLAB = Meaning(
    "Colab's machine gave the session as much memory as it has, and ended it when that was used up. The GPU's memory is another.",
    (
        Fix("Take less data at a time: read batches from disk, smaller files, smaller buffers"),
        Fix(
            "Or choose a runtime with more RAM",
            note='In Colab: "Runtime", "Change runtime type", "High-RAM".',
        ),
    ),
)
_KAGGLE = Meaning(
    "Kaggle's session used up its memory (RAM, not the GPU's), and Kaggle started the notebook again.",
    (
        Fix(
            "Take less data at a time: smaller pictures, a smaller batch, smaller shuffle and prefetch buffers, no cache()"
        ),
        Fix(
            "Delete what is no longer needed before the next large step",
            note="In your files: del x_train, raw; import gc; gc.collect()",
        ),
        Fix(
            "Or choose a session with more RAM",
            note='In Kaggle\'s side panel: "Session options", "Accelerator"; sessions without a GPU have the most.',
        ),
    ),
)
_BATCH = Meaning(
    "The input pipeline (tf.data) puts each batch together in the machine's memory, not in the GPU's, and found no room for the next one. With "
    "several GPUs it holds one for each, and prefetch and shuffle hold more of them.",
    (
        Fix(
            "Use half of the batch, for a test. If it runs, give the rest of the pipeline less, too",
            note="In your files: .batch(…) with half of the number; prefetch(1) in place of prefetch(tf.data.AUTOTUNE); a smaller shuffle buffer; no cache() of decoded pictures.",
        ),
        Fix("Look at the machine's memory again and again while it runs. It changes nothing", ("free -h",)),
        Fix(
            "Look for pictures or texts of very different sizes: padded_batch makes all as large as the largest one"
        ),
    ),
)
_SERVICE = Meaning(
    "The service runs the program in a container with a limit of memory, which it reached; the service then ended it. Importing TensorFlow "
    "alone takes about 600 MB.",
    (
        Fix(
            "Give the service more memory: 2 GiB is a start for TensorFlow and one small model",
            note="On Cloud Run: gcloud run services update SERVICE --memory 2Gi. On Heroku a larger dyno, on App Engine a larger instance_class.",
        ),
        Fix(
            "Or take less: one worker process, the model loaded once, and TensorFlow Lite where the model only predicts"
        ),
    ),
)
_ENGINE = Meaning(
    "cuDNN asked for memory for one of its algorithms and got none (CUDNN_STATUS_ALLOC_FAILED). Its other failures in the same place mostly "
    "only follow. Either TensorFlow itself holds nearly all of the GPU's memory, or another program does, or the batch is too large.",
    (
        Fix(
            "Let TensorFlow take memory as it needs it, so that some is left for cuDNN; it changes nothing else",
            ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
        ),
        Fix("If that is not enough, use half of the batch"),
        Fix("See whether another program holds the GPU's memory. It changes nothing", ("nvidia-smi",)),
    ),
)
_OVERFLOW = Meaning(
    "TensorFlow was asked for a tensor with more elements than it can count, or with a negative size, and aborted. The shape comes from the program: "
    "pictures that are far larger than the others, sizes that were multiplied in 32 bits, or an empty box.",
    (
        Fix(
            "Look at the shape that your program computes right before this, and at the data of that step",
            note="In your files: print(x.shape) before the call, and resize or leave out what is larger than expected. Where it comes at validation, look at the validation data.",
        ),
        Fix(
            "Have the step named in which it happens",
            note="In your files: tf.config.run_functions_eagerly(True), then the stack of `python -X faulthandler train.py` ends at your line",
        ),
    ),
)
OF_MEMORY: Mapping[str, Meaning] = {
    "batch-of-dataset": _BATCH,
    "colab-memory": _COLAB,
    "cudnn-alloc-failed": _ENGINE,
    "host-alloc-refused": _PINNED,
    "host-allocator-ran-out": _PINNED,
    "host-of-services-memory": _SERVICE,
    "kaggle-memory": _KAGGLE,
    "memory-told-in-words": _SERVICE,
    "pinned-refused": _PINNED,
    "shape-overflow": _OVERFLOW,
    "unified-memory-refused": _UNIFIED,
}
"""By the signature's name."""
TITLES_OF_MEMORY = {
    "colab-memory": "The Colab session used up its RAM.",
    "kaggle-memory": "The Kaggle session used up its RAM.",
    "host-of-services-memory": "The service used up the memory that it was given.",
    "batch-of-dataset": "The input pipeline found no room in the machine's memory for the next batch.",
}
