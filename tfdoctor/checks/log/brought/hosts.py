"""TensorFlow in a program without Python: its native library, and the CUDA that it opens, are found by the system's loader alone."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_UNLOADABLE = ("node-binding-unloadable", "java-library-unloadable", "dotnet-library-unloadable")
_ABSENT = ("node-binding-absent", "java-library-absent", "node-install-failed")
_C = ("c-library-not-found", "c-library-not-imported")
_MISSING, _BROKEN = "shared-library-missing", "tensorflow-install-broken"
_WHAT = {
    "node-binding-unloadable": "TensorFlow.js' native part (tfjs_binding.node)",
    "java-library-unloadable": "TensorFlow's native library for Java (tensorflow_jni)",
}
_DOTNET_TITLE = "Windows can't load TensorFlow's native library for .NET: the library, or one that it is linked with, was not found."
_TITLE = "{what} is there, and a library that it is linked with was not found."
_FOUND = (
    "The file itself was found; the system's words are about one that it is linked with, and do not name it."
)
_NOT_TOLD = (
    "The system's words do not tell whether the library itself is not found, or one that it is linked with."
)
_OF_GPU = (
    "Of a build for GPUs that is mostly CUDA or cuDNN: it needs the very release that it was made with, in a folder on PATH, "
    "also where no GPU is used. Else it is Microsoft's C++ runtime, or a TensorFlow library that should lie beside the file."
)
_OF_CPU = (
    "Of a build for processors that is mostly TensorFlow's own library that should lie beside it, or Microsoft's C++ runtime; "
    "a processor without AVX ends so, too."
)
_TABLE = "TensorFlow 1.5 to 1.12 opens CUDA 9.0, 1.13 to 2.0 CUDA 10.0, 2.1 to 2.3 CUDA 10.1, each with cuDNN 7; 2.4 to 2.14 CUDA 11 with cuDNN 8. TensorFlow.js for the GPU holds 1.15 in its releases 1.x and one for CUDA 11 since 3.x."
_DLLS = Fix(
    "See which DLLs of CUDA and cuDNN Windows finds on PATH. It changes nothing",
    ("where.exe cudart64*.dll cudnn64_*.dll",),
    f"{_TABLE} None found, or another release: install that CUDA and cuDNN from NVIDIA's archives, put their folders bin on PATH and open a new window.",
)
_RUNTIME = Fix("Install Microsoft's C++ runtime, in PowerShell", ("winget install Microsoft.VCRedist.2015+.x64",))  # fmt: skip
_NODE_CPU = Fix(
    "Where no GPU is needed, take the package for processors, which asks for no CUDA",
    ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node"),
    'In your files: require("@tensorflow/tfjs-node").',
)
_BESIDE = Fix(
    "Put TensorFlow's own DLL beside the binding: some releases leave it in deps\\lib. The first line shows where both are",
    (r"dir /s /b node_modules\@tensorflow\tensorflow.dll node_modules\@tensorflow\tfjs_binding.node",),
    r"Then copy tensorflow.dll from deps\lib into the folder of tfjs_binding.node (lib\napi-v8, for instance).",
)
_JAVA_CPU = Fix("Where no GPU is needed, take the native library for processors", note="In Maven: libtensorflow_jni in place of libtensorflow_jni_gpu, tensorflow-core-platform in place of tensorflow-core-platform-gpu. In Fiji: Edit, Options, TensorFlow…, a version without GPU.")  # fmt: skip
_DOTNET_CPU = Fix("Where no GPU is needed, take the package of the native library for processors, and no other beside it", ("dotnet add package SciSharp.TensorFlow.Redist",), "Two such packages in one project, or Microsoft.ML.TensorFlow.Redist beside it, take each other's place. The project has to be built for x64.")  # fmt: skip
_LDD = Fix(
    "Have the loader name what it does not find. It changes nothing",
    ("ldd \"$(find ~ /tmp -name 'libtensorflow*.so*' 2>/dev/null | head -n 1)\" | grep 'not found'",),
    f"libcublas, libcudnn and their like: CUDA. {_TABLE}",
)
_NODE_AGAIN = Fix(
    "Fetch the native part again: npm's script for that did not end, or was switched off (--ignore-scripts)",
    ("npm rebuild {package} --build-addon-from-source",),
    "In the program's folder. It needs Python and a C++ compiler where there is no ready file for this Node.js; an older Node.js (18, 20) has one.",
)
_OLDER_NODE = Fix(
    "Take a Node.js for which there is a ready file, and install again in the program's folder",
    ("nvm install 18.16.1", "nvm use 18.16.1", "npm install @tensorflow/tfjs-node"),
    "nvm is a program that keeps several Node.js side by side (nvm-windows on Windows). TensorFlow.js 4 has ready files up to napi-v8, which Node.js 18.16 and 16 have.",
)
_JAVA_NATIVE = Fix(
    "Add the artifact that holds the native library for this system to the project",
    note="In Maven: org.tensorflow:tensorflow-core-platform (or tensorflow-core-native with this system's classifier); with TensorFlow 1.x org.tensorflow:libtensorflow_jni. There is none for 32-bit systems and for Alpine Linux.",
)
_ABSENT_TITLES = {
    "node-binding-absent": "TensorFlow.js' native part (tfjs_binding.node) was never installed for this Node.js.",
    "node-install-failed": "npm could not install TensorFlow.js' native part: there is no ready file for this Node.js, and it was not built.",
    "java-library-absent": "The Java program has no native library of TensorFlow for this system.",
}
_ABSENT_WORDS = {
    "node-binding-absent": "npm lays down TensorFlow.js' own files and then runs a script that fetches or builds the native part for this system and this release of Node.js. That part is not there, so the script failed, was switched off, or ran for another Node.js.",
    "node-install-failed": "The package's script first fetches a ready file for the interface of this Node.js (napi-v8, napi-v9 …). Where there is none, it builds one, which needs Python, a compiler and the archive of TensorFlow's library; a part of that failed. Nothing was installed.",
    "java-library-absent": "TensorFlow for Java is a thin layer over a native library, which comes in an artifact of its own for each system. None for this one is on the class path.",
}
_C_TITLE = "The program is linked with {library}, TensorFlow's library for C, which the loader does not find."
_C_WORDS = (
    "It is no part of the package that pip installs in a place where the loader looks. It comes with TensorFlow's library for C, an archive of its own, or lies where the program was built (target/…/build/…/out of cargo). The loader looks into the "
    "system's folders and into those of LD_LIBRARY_PATH."
)
_C_FIND = Fix(
    "See whether it is on this machine, and lead the loader to its folder, for this shell",
    ("find / -name '{library}*' -not -path '/proc/*' 2>/dev/null", 'export LD_LIBRARY_PATH="/folder/of/it${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"'),
    "Put the folder that the first line shows in place of /folder/of/it.",
)  # fmt: skip
_C_GET = Fix(
    "It is not there: unpack TensorFlow's library for C of that release into /usr/local, and renew the loader's list",
    ("sudo tar -C /usr/local -xzf libtensorflow.tar.gz", "sudo ldconfig"),
    "The archive is named on TensorFlow's page Install TensorFlow for C; the number behind .so is its major release.",
)


def of_host(told: Testimony, saying: Saying) -> Candidate | None:
    """None for texts of other programs. A DLL that Windows does not find is judged by the line that says whose it is."""
    if saying.name in _C or (saying.code == _BROKEN and "libtensorflow" in saying.text and told.named(*_C)):
        saying = told.named(*_C)[0]
        return Candidate(_MISSING, Confidence.CERTAIN, (place(saying),), _C_WORDS, title=_C_TITLE.format(library=saying.told["library"]))  # fmt: skip
    if saying.name in _ABSENT:
        return Candidate(_BROKEN, Confidence.LIKELY, (place(saying),), _ABSENT_WORDS[saying.name], title=_ABSENT_TITLES[saying.name])  # fmt: skip
    said = told.named(*_UNLOADABLE)
    if not said or (saying.name not in _UNLOADABLE and saying.code != "windows-runtime-missing"):
        return None
    found = _FOUND if said[0].name in _WHAT else _NOT_TOLD
    words = f"{found} {_OF_GPU if _of_gpus(said[0]) else _OF_CPU}"
    opened = question((_MISSING, "cuda-libraries-missing", "windows-runtime-missing"), "cuda_libraries.libraries")  # fmt: skip
    return Candidate(_MISSING, Confidence.LIKELY, (place(said[0]), place(saying)), words, opened, _title(said[0]))  # fmt: skip


def _title(saying: Saying) -> str:
    return _TITLE.format(what=_WHAT[saying.name]) if saying.name in _WHAT else _DOTNET_TITLE


def _of_gpus(saying: Saying) -> bool:
    """A build for GPUs, or one of which nothing says that it is none."""
    if saying.name == "node-binding-unloadable":
        return saying.told["package"].endswith("-gpu")
    return saying.told.get("value", "GPU") == "GPU"


def host_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() for programs in Python."""
    if code == _MISSING and (found := told.named(*_C)):
        library = found[0].told["library"]
        find = Fix(
            _C_FIND.title, tuple(each.format(library=library) for each in _C_FIND.commands), _C_FIND.note
        )
        return (find, _C_GET)
    if code == _BROKEN and (lost := told.named(*_ABSENT)):
        if lost[0].name == "java-library-absent":
            return (_JAVA_NATIVE,)
        if lost[0].name == "node-install-failed":
            return (_OLDER_NODE,)
        package = f"@tensorflow/{lost[0].told.get('package') or lost[0].told['value']}"
        return (Fix(_NODE_AGAIN.title, tuple(each.format(package=package) for each in _NODE_AGAIN.commands), _NODE_AGAIN.note),)  # fmt: skip
    said = told.named(*_UNLOADABLE)
    if code != _MISSING or not said:
        return ()
    if ".so" in said[0].text or "shared library" in said[0].text:
        return (_LDD,)
    if not _of_gpus(said[0]):
        return (_BESIDE, _RUNTIME) if said[0].name.startswith("node") else (_RUNTIME,)
    return (_DLLS, *_without_gpu(said[0]), _RUNTIME)


def _without_gpu(saying: Saying) -> tuple[Fix, ...]:
    if saying.name == "node-binding-unloadable":
        return (_BESIDE, _NODE_CPU)
    return (_JAVA_CPU,) if saying.name == "java-library-unloadable" else (_DOTNET_CPU,)
