"""A library that a linker was told to use and does not find: which file it looks for, and how to lead it there."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted

_NAME = "linker-finds-none"
_IN_THE_WHEEL = ("tensorflow_framework", "tensorflow_cc")
"""pip's TensorFlow holds them for Linux as libtensorflow_framework.so.2 and libtensorflow_cc.so.2, the second one from 2.12 on
(tensorflow/tensorflow#55941, deepmodeling/deepmd-kit#2335, 2023-02), and none under the name that ends in .so, which a linker looks for."""


def of_linker(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    if saying.name != _NAME:
        return None
    library, file = _library(saying), _file(saying)
    more = len({_file(each) for each in told.named(_NAME)}) - 1
    words = (
        f"A program is being built, and the linker was told to use {library}. It looks for a file of just that name, {file}, in the folders that are named with -L "
        "(LIB on Windows) and in the system's, and there is none. That is no fault of the source."
    )
    if library in _IN_THE_WHEEL:
        words += f" pip's TensorFlow has it as {file}.2 alone, which a linker does not take for it."
    if more:
        words += f" {more} more {'library is' if more == 1 else 'libraries are'} not found."
    title = f"The linker does not find {library}: no {file} is in the folders in which it looks."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _library(saying: Saying) -> str:
    named = saying.told.get("library") or saying.told.get("module", "")
    return named or saying.told["file"].removesuffix(".lib")


def _file(saying: Saying) -> str:
    """The file as it is called on Linux, on a Mac or on Windows."""
    if "file" in saying.told:
        return saying.told["file"]
    mac = "module" in saying.told or "library not found for" in saying.text
    return f"lib{_library(saying)}.{'dylib' if mac else 'so'}"


def linker_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no linker said so."""
    said = told.named(_NAME)
    if not said:
        return ()
    library, file = _library(said[0]), _file(said[0])
    if file.endswith(".lib") or value_or(facts.host.os, "") == "windows":
        look = Fix("See where the file is", (f"where.exe /r C:\\ {quoted(file)}",))
    else:
        look = Fix("See where the file is", (f"find / -name {quoted(file + '*')} 2>/dev/null",))
    if file.endswith(".lib"):
        return (look, Fix("Name its folder where the program is linked: /LIBPATH:FOLDER, or link_directories in CMake", note="Where there is none, it has not been built or downloaded yet: TensorFlow's archives for C hold tensorflow.lib beside tensorflow.dll."))  # fmt: skip
    lead = Fix(
        f"Name its folder where the program is linked: -L FOLDER before -l{library}",
        note=f"Where only a file with a number behind it is there ({file}.2), make one of the plain name beside it: ln -s {file}.2 {file}. Where there is none at all, it has not been built or installed yet.",
    )
    if library in _IN_THE_WHEEL:
        ask = f'{interpreter(facts)} -c "import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())"'
        own = Fix("With pip's TensorFlow, give the compiler the options that it names itself", (ask,), "They name its folder, and the library as -l:libtensorflow_framework.so.2.")  # fmt: skip
        return (own, look, lead) if library == _IN_THE_WHEEL[0] else (look, own, lead)
    return (look, lead)
