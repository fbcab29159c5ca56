"""TensorFlow's native library in programs without Python (Node.js, Java, .NET, C), where it can't be loaded."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, LOADER, Signature

_unloadable = partial(
    Signature,
    code="shared-library-missing",
    speaker=EXCEPTION,
    rivals=("cuda-libraries-missing", "windows-runtime-missing"),
    decided_by=("cuda_libraries.libraries",),
    sure=LIKELY,
)
_absent = partial(Signature, code="tensorflow-install-broken", speaker=EXCEPTION, sure=LIKELY)

SIGNATURES = (
    _unloadable(
        "node-binding-unloadable",
        anchor="tfjs_binding.node",
        form=r"(?:\\\\\?\\|not found\.?\W{1,4})[^\n]{1,300}?(?P<package>tfjs-node(?:-gpu)?)[\\/]{1,2}(?:lib|build)[\\/][^\n]{1,60}tfjs_binding\.node",
        samples=(
            r"\\?\D:\nodejs\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v5\tfjs_binding.node",
            r"\\?\C:\video_object_detector\node_modules\@tensorflow\tfjs-node-gpu\build\Release\tfjs_binding.node",
        ),
        near=(r"Error: Cannot find module 'C:\test\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v4\tfjs_binding.node'",),
        releases="TensorFlow.js 1 to 4, Windows",
        sources=("tensorflow/tfjs#2561 (2019-12)", "tensorflow/tfjs#1599 (2019-05)", "tensorflow/tfjs#2003 (2019-09)", "tensorflow/tfjs#8433 (2024-11)"),
    ),
    _absent(
        "node-binding-absent",
        anchor="tfjs_binding.node",
        form=r"Cannot find module '[^'\n]{1,300}?(?P<package>tfjs-node(?:-gpu)?)[\\/]{1,2}(?:lib|build)[^'\n]{1,60}tfjs_binding\.node'|addon module \(tfjs_binding\.node\) can ?not be found at path: [^\n]{1,300}?(?P<value>tfjs-node(?:-gpu)?)[\\/]",
        samples=(r"Error: Cannot find module 'c:\Users\x\scripts\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v4\tfjs_binding.node'", r"Error: The Node.js native addon module (tfjs_binding.node) can not be found at path: C:\proj\node_modules\@tensorflow\tfjs-node\lib\napi-v8\tfjs_binding.node."),
        near=(r"\\?\D:\nodejs\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v5\tfjs_binding.node",),
        releases="TensorFlow.js 1 to 4",
        sources=("tensorflow/tfjs#2428 (2019-11)",),
    ),
    _absent(
        "node-install-failed",
        anchor="tfjs-node",
        form=r"ENOENT: no such file or directory, copyfile '[^'\n]{0,300}?(?P<package>tfjs-node(?:-gpu)?)[\\/]{1,2}deps[\\/]|symlink \./lib/(?P<wanted>napi-v\d{1,2}) failed:",
        also=("deps-stage.js symlink ./lib/napi",),
        samples=(
            r"520 error [Error: ENOENT: no such file or directory, copyfile 'C:\me\node_modules\@tensorflow\tfjs-node\deps\lib\tensorflow.dll' -> 'C:\me\node_modules\@tensorflow\tfjs-node\lib\napi-v9\tensorflow.dll'] {",
            "520 error symlink ./lib/napi-v9 failed:  Error: Command failed: node scripts/deps-stage.js symlink ./lib/napi-v9",
        ),
        near=("npm run tfjs-node is fine",),
        releases="TensorFlow.js 3 and 4, npm's log",
        sources=("tensorflow/tfjs#8097 (2023-12)",),
    ),
    _unloadable(
        "java-library-unloadable",
        anchor="tensorflow_jni",
        form=r"(?:UnsatisfiedLinkError: |Could not load native TF library (?:TF (?P<version>[\d.]{3,10}) (?P<value>CPU|GPU) )?)(?P<file>[^\n]{0,300}?tensorflow_jni\w{0,10}\.(?:dll|so|dylib)): ?(?P<message>[^\n]{0,120})",
        unless=("cannot open shared object file",),
        samples=(
            r"Exception in thread \"main\" java.lang.UnsatisfiedLinkError: C:\test\native\tensorflow_jni.dll: Can't find dependent libraries",
            r"[WARNING] Could not load native TF library TF 1.14.0 CPU C:\Fiji.app\lib\win64\tensorflow_jni.dll: 0",
        ),
        near=("Could not load tensorflow_jni at all",),
        releases="TensorFlow for Java 1.x; imagej-tensorflow",
        sources=("tensorflow/tensorflow#23656 (2018-11)", "stardist/stardist-imagej#1 (2020-01)"),
    ),
    _absent(
        "java-library-absent",
        anchor="no jnitensorflow in java.library.path",
        also=("Cannot find TensorFlow native library",),
        samples=(
            "java.lang.UnsatisfiedLinkError: no jnitensorflow in java.library.path",
            "java.lang.UnsatisfiedLinkError: Cannot find TensorFlow native library for OS: linux, architecture: i386. See https://github.com/tensorflow/tensorflow/tree/master/tensorflow/java/README.md",
        ),
        near=("no cudart in java.library.path",),
        releases="TensorFlow for Java",
        sources=("tensorflow/tensorflow#26503 (2019-03)",),
    ),
    _unloadable(
        "dotnet-library-unloadable",
        anchor="DllNotFoundException",
        form=r"DllNotFoundException.{0,60}?Unable to load (?:DLL|shared library) '(?P<library>(?:lib)?tensorflow[\w.]{0,20})'",
        samples=("System.DllNotFoundException: 'Unable to load DLL 'tensorflow': The specified module could not be found. (Exception from HRESULT: 0x8007007E)'", "System.DllNotFoundException: Unable to load shared library 'tensorflow' or one of its dependencies."),
        near=("System.DllNotFoundException: Unable to load DLL 'sqlite3'",),
        releases="TensorFlow.NET, TensorFlowSharp, ML.NET",
        sources=("SciSharp/TensorFlow.NET#258 (2019-06)", "migueldeicaza/TensorFlowSharp#267 (2018-05)", "dotnet/machinelearning#871 (2018-09)"),
    ),
    *(
        Signature(
            name, "shared-library-missing", "libtensorflow", form=rf"{before}(?P<library>{library}\.so(?:\.\d{{1,2}}){{0,3}}): cannot open shared object file", speaker=LOADER, unless=("-packages",), rivals=("tensorflow-install-broken",),
            decided_by=("packages.installed",), samples=(sample,), near=("ImportError: /opt/env/lib/python3.10/site-packages/x/libop.so: libtensorflow_framework.so.2: cannot open shared object file",),
            releases="TensorFlow's library for C, 1.x and 2.x", sources=sources,
        )
        for name, before, library, sample, sources in (
            ("c-library-not-found", "loading shared libraries: ", r"libtensorflow(?:_framework|_cc|lite_c)?", "target/debug/test_tf: error while loading shared libraries: libtensorflow_framework.so.2: cannot open shared object file: No such file or directory", ("tensorflow/rust#375 (2022-09)",)),
            ("c-library-not-imported", r"(?:ImportError|OSError): ", "libtensorflow", "ImportError: libtensorflow.so.1: cannot open shared object file: No such file or directory", ("DoubangoTelecom/ultimateCreditCard-SDK#28 (2021-01)",)),
        )
    ),
)  # fmt: skip
