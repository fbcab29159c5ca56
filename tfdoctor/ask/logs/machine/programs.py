"""A program that brings TensorFlow along without Python: for Java, .NET, or by TensorFlow's library for C (Rust, Go, C++)."""

from __future__ import annotations

from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine

_JAVA = Clue(
    r"\borg\.tensorflow\.|\blibtensorflow_jni|\btensorflow_jni\b|\bai\.djl\b|\[(?:INFO|WARNING|ERROR)\] .{0,80}\bT(?:F|ensorFlow) (?:library|version)\b",
    ("org.tensorflow.", "tensorflow_jni", "ai.djl", "TF library", "TensorFlow version"),
)
_DOTNET = Clue(
    r"\bSystem\.DllNotFoundException\b|\bTensorFlow\.NET\b|\bTensorFlowSharp\b|\bSciSharp\b|\bML\.NET\b|\bMicrosoft\.ML\b|\bImageClassificationTrainer\b|^\s{0,20}using (?:static )?(?:[A-Za-z]\w{0,20} = )?Tensorflow\b|^\s{0,20}at Tensorflow\.\w|\bSystem\.Runtime\.InteropServices\b",
    ("DllNotFoundException", "TensorFlow.NET", "TensorFlowSharp", "SciSharp", "ML.NET", "Microsoft.ML",
     "ImageClassificationTrainer", "using ", "at Tensorflow.", "InteropServices"),
)  # fmt: skip
_NATIVE = Clue(
    r"\b(?:cargo (?:run|build|test)|go (?:run|build|test))\b|\btarget/(?:debug|release)/|error while loading shared libraries: libtensorflow|github\.com/(?:tensorflow|wamuir|galeone)/\w{1,40}/tensorflow/go",
    ("cargo ", "go run", "go build", "go test", "target/", "libtensorflow", "tensorflow/go"),
)
_PYTHON = Clue(
    r"\bTraceback \(most recent|[\\/](?:site|dist)-packages[\\/]|\bKeras\.NET\b|\bpythonnet\b",
    ("Traceback", "-packages", "Keras.NET", "pythonnet"),
)
"""Python has a part in it: that of Keras.NET, of Spark's workers, of R."""


def program(lines: LineIndex[LogLine]) -> str:
    """ "java", "dotnet" or "native"; "" where the log shows none of them, or Python beside it."""
    kinds = (("java", _JAVA), ("dotnet", _DOTNET), ("native", _NATIVE))
    found = next((kind for kind, clue in kinds if lines.first(clue)), "")
    return "" if found and lines.first(_PYTHON) else found
