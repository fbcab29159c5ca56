"""What the loaders of macOS and of Windows, and DirectML under WSL, say of a library that they can't load."""

from __future__ import annotations

from tfdoctor.signatures.signature import FACT, LIKELY, LOADER, LOG, WINDOWS, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_OTHER_CODES = ("libmetal_plugin", "libcudart", "libcudnn", "libcublas")
"""Libraries with codes of their own."""
NO_PROCEDURE = {
    "de": "Die angegebene Prozedur wurde nicht gefunden",
    "fr": "La procédure spécifiée est introuvable",
    "es": "No se encontró el proceso especificado",
    "pt": "Não foi possível encontrar o procedimento especificado",
    "it": "Impossibile trovare la procedura specificata",
    "pl": "Nie można odnaleźć określonej procedury",
    "ru": "Не найдена указанная процедура",
    "zh": "找不到指定的程序",
    "ja": "指定されたプロシージャが見つかりません",
    "ko": "지정된 프로시저를 찾을 수 없습니다",
}
"""Windows' sentence of error 127 in other languages, as programs' public threads quote it."""
BAD_FORMAT = {
    "en": "is not a valid Win32 application",
    "de": "ist keine zulässige Win32-Anwendung",
    "fr": "n’est pas une application Win32 valide",
    "es": "no es una aplicación Win32 válida",
    "pt": "não é um aplicativo Win32 válido",
    "ru": "не является приложением Win32",
    "zh": "不是有效的 Win32 应用程序",
}
"""Windows' sentence of error 193 (ERROR_BAD_EXE_FORMAT), in the languages in which people quote it."""

SIGNATURES = (
    Signature(
        "dylib-not-loaded",
        "shared-library-missing",
        "Library not loaded: ",
        form=r"(?:dlopen\((?P<file>[^,\n]{1,400}), ?\w{1,10}\): )?Library not loaded: (?:[^\s'\"]{0,300}/)?(?P<library>[\w.+-]{2,120})",
        unless=_OTHER_CODES,
        speaker=LOADER,
        rivals=("tensorflow-install-broken", "custom-op-mismatch"),
        samples=(
            "ImportError: dlopen(/opt/conda/envs/tf/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so, 0x0006): Library not loaded: @rpath/libgpr.20.dylib",
            "ImportError: dlopen(/opt/tf/lib/python3.8/site-packages/tensorflow/python/_pywrap_tfe.so, 2): Library not loaded: @rpath/_pywrap_tensorflow_internal.so",
            "ImportError: dlopen(/opt/env/lib/python3.9/site-packages/h5py/defs.cpython-39-darwin.so, 0x0002): Library not loaded: /opt/homebrew/opt/hdf5/lib/libhdf5.200.dylib",
            "dyld: Library not loaded: @executable_path/../lib/libpython3.8.dylib",
            "dyld[4242]: Library not loaded: /usr/local/lib/libgomp.1.dylib",
        ),
        near=(
            "ImportError: dlopen(/opt/env/lib/python3.6/site-packages/tensorflow/python/_pywrap_tensorflow.so, 10): Library not loaded: @rpath/libcudart.8.0.dylib",
            "The library was not loaded: it is optional",
        ),
        releases="macOS",
        sources=("tensorflow/tensorflow#59778 (2023-02)", "apple/tensorflow_macos#225 (2021-04)", "TomHeaven/tensorflow-osx-build#6 (2019-03)"),
    ),
    Signature(
        "mach-o-other-processor",
        "foreign-architecture",
        "architecture",
        form=r"(?P<library>/[^'\n(]{1,400}?)(?:' \(mach-o file, but is an incompatible architecture \(have [('](?P<version>\w{3,10})[)'], need [('](?P<wanted>\w{3,10})[)']|: mach-o, but wrong architecture)",
        speaker=LOADER,
        samples=(
            "ImportError: dlopen(/opt/e/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so, 0x0006): tried: '/opt/e/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
            "tried: '/opt/e/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow.so' (mach-o file, but is an incompatible architecture (have (x86_64), need (arm64e)))",
            "\t/opt/e/lib/python3.8/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so: mach-o, but wrong architecture",
        ),
        near=(
            "the architecture of the model (have 3 layers, need 4)",
            "Loaded model architecture: resnet50",
        ),
        releases="macOS 11 and newer",
        sources=("tensorflow/tensorflow#57483 (2022-08)", "apple/tensorflow_macos#273 (2021-05)", "apple/tensorflow_macos#34 (2020-12)", "tensorflow/tensorflow#59769 (2023-02)"),
    ),
    Signature(
        "mac-symbol-missing",
        "shared-library-missing",
        "ymbol not found: ",
        form=r"dlopen\((?P<file>[^,\n]{0,300}(?:site|dist)-packages/(?:tensorflow|tensorflow_core|h5py|grpc|numpy|scipy|pandas|sklearn|pyarrow|jaxlib|cv2|PIL)/[^,\n]{1,300}), ?\w{1,10}\): [Ss]ymbol not found: \(?'?(?P<symbol>[\w$]{1,400})",
        speaker=LOADER,
        sure=LIKELY,
        samples=(
            "ImportError: dlopen(/opt/e/lib/python3.6/site-packages/tensorflow_core/python/_pywrap_tensorflow_internal.so, 6): Symbol not found: _SecKeyCopyExternalRepresentation",
            "ImportError: dlopen(/opt/e/lib/python2.7/site-packages/tensorflow/python/_pywrap_tensorflow.so, 2): Symbol not found: ___sincos_stret",
        ),
        near=(
            "ImportError: dlopen(/opt/e/lib/python3.10/site-packages/google/protobuf/pyext/_message.cpython-310-darwin.so, 2): Symbol not found: __ZN6google8protobuf8internalE",
            "Full error:dlopen(/opt/e/lib/python3.10/site-packages/tensorflow_text/x.so, 6): Symbol not found: __ZN4absl5Mutex",
        ),
        releases="macOS",
        sources=("tensorflow/tensorflow#3034 (2016-06)", "tensorflow/tensorflow#41283 (2020-07)", "tensorflow/tensorflow#7000 (2017-01)"),
    ),
    Signature(
        "asked-by-on-a-mac",
        "",
        "Referenced from: ",
        form=r"Referenced from: (?:<[\w-]{1,60}> )?(?P<file>/[^\n(]{1,400})",
        role=FACT,
        speaker=LOADER,
        samples=(
            "  Referenced from: <4CC88E4E-9383-347A-B5FD-2C28611F371E> /opt/miniforge3/envs/tf/lib/libprotobuf.25.3.0.dylib",
            "  Referenced from: /opt/e/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so",
        ),
        near=("Referenced from: the manual, page 3",),
        releases="macOS",
        sources=("tensorflow/tensorflow#59778 (2023-02)", "apple/tensorflow_macos#225 (2021-04)"),
    ),
    Signature(
        "symbol-of-the-system",
        "",
        "Expected in: ",
        form=r"Expected in: (?:<[\w-]{1,60}> )?(?P<library>/(?:usr/lib|System/Library)/[^\n]{1,300})",
        role=FACT,
        speaker=LOADER,
        samples=("  Expected in: /usr/lib/libSystem.B.dylib", "  Expected in: /System/Library/Frameworks/Security.framework/Versions/A/Security"),
        near=("  Expected in: /opt/e/lib/libprotobuf.25.dylib", "Expected in: 3 minutes"),
        releases="macOS",
        sources=("tensorflow/tensorflow#3034 (2016-06)", "tensorflow/tensorflow#7000 (2017-01)"),
    ),
    Signature(
        "protobuf-extension-symbol",
        "protobuf-incompatible",
        "google/protobuf/pyext/_message",
        form=r"dlopen\([^,\n]{0,300}google/protobuf/pyext/_message[^,\n]{0,100}, ?\w{1,10}\): [Ss]ymbol not found",
        speaker=LOADER,
        samples=(
            "ImportError: dlopen(/opt/homebrew/lib/python3.10/site-packages/google/protobuf/pyext/_message.cpython-310-darwin.so, 0x0002): symbol not found in flat namespace (__ZN6google8protobuf15FieldDescriptor12TypeOnceInitEPKS1_)",
            "ImportError: dlopen(/opt/env/lib/python3.9/site-packages/google/protobuf/pyext/_message.cpython-39-darwin.so, 2): Symbol not found: __ZN6google8protobuf8internal15ThreadSafeArenaE",
        ),
        near=("ImportError: dlopen(/opt/env/lib/python3.10/site-packages/google/protobuf/pyext/_message.cpython-310-darwin.so, 0x0002): tried: '/opt/x' (mach-o file, but is an incompatible architecture)",),
        releases="protobuf 3.20.2 on macOS",
        sources=("protocolbuffers/protobuf#10571 (2022-11)", "harskish/sdui#5 (2022-09)", "tensorflow/tensorflow#57933 (2022-09)"),
    ),
    *(
        Signature(
            f"dll-bad-format-{language}", "tensorflow-install-broken", words,
            form=rf"DLL load failed(?: while importing (?P<module>\w{{1,100}}))?: ?(?:\[WinError 193\] )?%1 {words}",
            speaker=WINDOWS, releases="Windows 7 to 11", sure=LIKELY, rivals=("python-unsupported",), decided_by=("interpreter.pointer_bits",),
            samples=(
                f"ImportError: DLL load failed while importing _pywrap_tensorflow_internal: %1 {words}.",
                f"ImportError: DLL load failed: %1 {words}.",
            ),
            near=(f"OSError: [WinError 193] %1 {words}", f"Start-Process npm failed: %1 {words}"),
            sources=(SEVERAL_FILES,) if language == "en" else (),
        )
        for language, words in BAD_FORMAT.items()
    ),
    Signature(
        "winerror-193",
        "tensorflow-install-broken",
        "[WinError 193]",
        form=r"\[WinError 193\].{0,100}? Error loading \"(?P<library>[^\"]{1,400}\.(?:dll|pyd))\"",
        sure=LIKELY,
        rivals=("python-unsupported",),
        decided_by=("interpreter.pointer_bits",),
        speaker=WINDOWS,
        samples=("OSError: [WinError 193] %1 is not a valid Win32 application. Error loading \"C:\\opt\\env\\Lib\\site-packages\\x\\lib\\x.dll\" or one of its dependencies.",),
        near=(
            "OSError: [WinError 193] %1 is not a valid Win32 application",
            "OSError: [WinError 126] The specified module could not be found. Error loading \"C:\\x.dll\" or one of its dependencies.",
        ),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "cudnn-part-bad-format",
        "windows-cudnn-dll-missing",
        "rror code 193",
        form=r"Could not load (?:dynamic )?library '?(?P<library>[\w.+-]{1,100}\.dll)'?.{0,40}?[Ee]rror code 193\b",
        speaker=WINDOWS,
        samples=(
            "Could not load library cudnn_cnn_infer64_8.dll. Error code 193",
            "Could not load library cudnn_ops_infer64_8.dll. Error code 193",
        ),
        near=("Could not load library cudnn_cnn_infer64_8.dll. Error code 126", "npm ERR! error code 1930"),
        releases="cuDNN 8 on Windows",
        sources=("DeepLabCut/DeepLabCut#1947 (2022-08)",),
    ),
    Signature(
        "dll-procedure-missing",
        "windows-dll-init-failed",
        "pecified procedure could not be found",
        also=tuple(NO_PROCEDURE.values()),
        form=rf"(?:DLL load failed(?: while importing (?P<module>\w{{1,100}}))?: ?|\[WinError 127\] ?)(?:The specified procedure could not be found|{'|'.join(NO_PROCEDURE.values())})",
        speaker=WINDOWS,
        rivals=("package-import-failed",),
        sure=LIKELY,
        samples=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified procedure could not be found.",
            *(f"ImportError: DLL load failed while importing _errors: {words}." for words in NO_PROCEDURE.values()),
            "OSError: [WinError 127] The specified procedure could not be found. Error loading \"C:\\opt\\env\\Lib\\x.dll\" or one of its dependencies.",
        ),
        near=("ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "directml-no-d3d12",
        "wsl-driver-shadowed",
        "cannot open shared object file",
        form=r"(?P<library>lib(?:d3d12|dxcore|directml)[\w.]{0,60}\.so(?:\.\d{1,3})?): cannot open shared object file",
        speaker=LOG,
        sure=LIKELY,
        samples=(
            "W tensorflow/c/logging.cc:37] Could not load dynamic library 'libdirectml.d6f03b303ac3c4f2eeb8ca631688c9757b361310.so'; dlerror: libd3d12.so: cannot open shared object file: No such file or directory",
            "ImportError: libd3d12.so: cannot open shared object file: No such file or directory",
            "OSError: libdxcore.so: cannot open shared object file: No such file or directory",
        ),
        near=("ImportError: libd3dadapter9.so: cannot open shared object file: No such file or directory",),
        releases="tensorflow-directml 1.15 and tensorflow-directml-plugin",
        sources=("microsoft/WSL#6096 (2020-10)", "microsoft/WSL#5630 (2020-07)", "microsoft/DirectML#22 (2020-06)", "MicrosoftDocs/windows-ai-docs#142 (2024-01)"),
    ),
    Signature(
        "built-for-macos",
        "",
        "(which was built for Mac OS X ",
        also=("(which was built for macOS ", "(built for macOS "),
        form=r"\((?:which was )?built for (?:Mac OS X|macOS) (?P<version>\d{1,2}(?:\.\d{1,2}){0,2})",
        role=FACT,
        speaker=LOADER,
        samples=(
            "  Referenced from: /Users/user/env/lib/python3.8/site-packages/tensorflow-plugins/libmetal_plugin.dylib (which was built for Mac OS X 12.0)",
            "  Referenced from: <B032F94B> /Users/user/lib/libx.dylib (built for macOS 13.3 which is newer than running OS)",
        ),
        near=("(which was built for Linux 5.4)",),
        releases="macOS 11 and newer",
        sources=("tensorflow/tensorflow#53309 (2021-12)",),
    ),
)  # fmt: skip
