"""Windows: its loader and its promise of memory. Its messages come in the user's language, mostly without their number."""

from __future__ import annotations

from tfdoctor.signatures.signature import LIKELY, NATIVE, PIP, POSSIBLE, WINDOWS, Signature
from tfdoctor.signatures.software.loaders import BAD_FORMAT, NO_PROCEDURE
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_NOT_FOUND = {
    "en": "The specified module could not be found",
    "de": "Das angegebene Modul wurde nicht gefunden",
    "fr": "Le module spécifié est introuvable",
    "es": "No se puede encontrar el módulo especificado",
    "pt": "Não foi possível encontrar o módulo especificado",
    "ru": "Не найден указанный модуль",
    "zh": "找不到指定的模块",
    "ja": "指定されたモジュールが見つかりません",
    "ko": "지정된 모듈을 찾을 수 없습니다",
}
_INIT_FAILED = {
    "de": "Eine DLL-Initialisierungsroutine ist fehlgeschlagen",
    "es": "rutina de inicialización de biblioteca de vínculos dinámicos (DLL)",
    "ru": "сбой в программе инициализации библиотеки динамической компоновки (DLL)",
    "zh": "动态链接库(DLL)初始化例程失败",
    "ja": "ダイナミック リンク ライブラリ (DLL) 初期化ルーチンの実行に失敗しました",
    "ko": "DLL 초기화 루틴을 실행할 수 없습니다",
}
_PAGE_FILE = {
    "de": "Die Auslagerungsdatei ist zu klein",
    "pt": "O arquivo de paginação é muito pequeno",
    "ru": "Файл подкачки слишком мал",
    "zh": "页面文件太小",
    "ko": "페이징 파일이 너무 작습니다",
}
"""Windows' sentences of the errors 126, 1114 and 1455; those of other languages are known by the number alone."""
_OF_OTHERS = (
    "ialization routine failed", "ialisation routine failed", "aging file is too small",
    "specified procedure could not be found", "has blocked this file", "blocked by group policy", "Access is denied",
    "nvalid access to memory location", "arameter is incorrect", "operating system cannot run", "nsufficient system resources",
    "ot enough memory", "[WinError ", *BAD_FORMAT.values(), *NO_PROCEDURE.values(), *_INIT_FAILED.values(), *_PAGE_FILE.values(),
)  # fmt: skip


def _translated(
    name: str, code: str, number: int, sentences: dict[str, str], near: str
) -> tuple[Signature, ...]:
    """A sentence in each language, as Python quotes it with and without the number."""
    return tuple(
        Signature(
            f"{name}-{language}", code, words, speaker=WINDOWS, near=(near,), releases="Windows 7 to 11",
            samples=(
                f"ImportError: DLL load failed while importing _pywrap_tensorflow_internal: {words}.",
                f"OSError: [WinError {number}] {words}",
            ),
            sources=(SEVERAL_FILES,),
        )
        for language, words in sentences.items()
    )  # fmt: skip


SIGNATURES = (
    *_translated("dll-not-found", "windows-runtime-missing", 126, _NOT_FOUND, "The module was found"),
    *_translated("dll-init", "windows-dll-init-failed", 1114, _INIT_FAILED, "A DLL was initialised"),
    *_translated("page-file", "windows-pagefile-too-small", 1455, _PAGE_FILE, "The page file grew"),
    Signature(
        "dll-load-failed",
        "windows-runtime-missing",
        "DLL load failed",
        form=r"DLL load failed(?: while importing (?P<module>\w{1,100}))?: ?(?P<message>.{0,300})",
        unless=_OF_OTHERS,
        speaker=WINDOWS,
        rivals=("windows-dll-init-failed", "windows-pagefile-too-small"),
        sure=LIKELY,
        samples=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
            "ImportError: DLL load failed: Impossibile trovare il modulo specificato.",
            "ImportError: DLL load failed: Nie można odnaleźć określonego modułu.",
        ),
        near=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) initialization routine failed.",
            "ImportError: DLL load failed: 动态链接库(DLL)初始化例程失败。",
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The paging file is too small for this operation to complete.",
            "ImportError: DLL load failed: %1 is not a valid Win32 application.",
            "ImportError: DLL load failed while importing _pywrap_tensorflow_common: An Application Control policy has blocked this file.",
        ),
        releases="1.x to 2.21, Windows",
        sources=("tensorflow/tensorflow#37863 (2020-03)", "tensorflow/tensorflow#5949 (2017-05)", "tensorflow/models#2083 (2017-08)"),
    ),
    Signature(
        "dll-blocked",
        "windows-file-blocked",
        "has blocked this file",
        form=r"(?P<message>[\w ]{0,60}policy has blocked this file)",
        speaker=WINDOWS,
        samples=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_common: An Application Control policy has blocked this file.",
            "OSError: [WinError 4551] An Application Control policy has blocked this file",
        ),
        near=("the browser has blocked this file from being downloaded",),
        releases="Windows 10 and 11",
        sources=("hass-agent/HASS.Agent#466 (2026-08)", "alex47exe/gse_fork_tools#31 (2026-04)", "Rem0o/FanControl.Releases#3782 (2025-12)"),
    ),
    Signature(
        "dll-blocked-number",
        "windows-file-blocked",
        "WinError ",
        form=r"WinError (?:4551|1260|225)\b",
        speaker=WINDOWS,
        samples=(
            "OSError: [WinError 4551] Eine Anwendungssteuerungsrichtlinie hat diese Datei blockiert",
            "OSError: [WinError 1260] This program is blocked by group policy. For more information, contact your system administrator",
            "OSError: [WinError 225] Operation did not complete successfully because the file contains a virus or potentially unwanted software",
        ),
        near=("OSError: [WinError 126] The specified module could not be found", "OSError: [WinError 2255]"),
        releases="Windows 7 to 11",
    ),
    Signature(
        "winerror-126",
        "windows-runtime-missing",
        "[WinError 126]",
        speaker=WINDOWS,
        samples=(
            "OSError: [WinError 126] The specified module could not be found",
            "OSError: [WinError 126] Belirtilen modül bulunamadı",
        ),
        near=("OSError: [WinError 1260] This program is blocked by group policy",),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "msvcp140-1-missing",
        "windows-runtime-missing",
        "msvcp140_1.dll",
        form=r"Could not find the DLL\(s\) '(?P<library>[^']{0,60}msvcp140_1\.dll[^']{0,60})'|msvcp140_1\.dll (?:is missing|was not found|not found)",
        speaker=WINDOWS,
        samples=(
            "ImportError: Could not find the DLL(s) 'msvcp140_1.dll'. TensorFlow requires that these DLLs be installed in a directory that is named in your %PATH% environment variable.",
            "ImportError: Could not find the DLL(s) 'msvcp140.dll or msvcp140_1.dll'. TensorFlow requires that these DLLs be installed in a directory that is named in your %PATH% environment variable.",
        ),
        near=("loaded C:\\Windows\\System32\\msvcp140_1.dll",),
        releases="2.1 to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "dll-init-en",
        "windows-dll-init-failed",
        "ization routine failed",
        form=r"(?:A dynamic link library \(DLL\)|DLL) initialization routine failed",
        speaker=WINDOWS,
        samples=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) initialization routine failed.",
            "ImportError: DLL load failed: A dynamic link library (DLL) initialization routine failed.",
            "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading \"C:\\opt\\env\\lib\\x.dll\" or one of its dependencies.",
        ),
        near=("the initialization routine failed to start",),
        releases="1.x to 2.21, Windows",
        sources=("tensorflow/tensorflow#77089 (2024-10)", "tensorflow/tensorflow#91321 (2025-04)", "tensorflow/tensorflow#21977 (2019-03)"),
    ),
    Signature(
        "winerror-1114",
        "windows-dll-init-failed",
        "WinError 1114",
        speaker=WINDOWS,
        samples=(
            "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed",
            "OSError: [WinError 1114] Une routine d’initialisation d’une bibliothèque de liens dynamiques (DLL) a échoué",
        ),
        near=("OSError: [WinError 126] The specified module could not be found",),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "page-file-en",
        "windows-pagefile-too-small",
        "he paging file is too small",
        speaker=WINDOWS,
        samples=(
            "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The paging file is too small for this operation to complete.",
            "the paging file is too small for this operation to complete",
        ),
        near=("the paging file grew by 2 GB",),
        releases="Windows 7 to 11",
        sources=("ultralytics/yolov5#11418 (2023-04)", "Comfy-Org/ComfyUI#7069 (2025-03)", SEVERAL_FILES),
    ),
    Signature(
        "error-1455",
        "windows-pagefile-too-small",
        "rror 1455",
        form=r"(?:WinError|os error) 1455\b",
        speaker=WINDOWS,
        samples=(
            "OSError: [WinError 1455] The paging file is too small for this operation to complete",
            "OSError: [WinError 1455] Le fichier de pagination est insuffisant pour terminer cette opération",
            "( os error 1455 )",
        ),
        near=("OSError: [WinError 145] The directory is not empty", "error 14550"),
        releases="Windows 7 to 11",
        sources=("zbf1991/WeCLIP#5 (2024-06)", "babysor/MockingBird#486 (2022-04)", "Comfy-Org/ComfyUI#7550 (2025-04)"),
    ),
    Signature(
        "cudnn-error-1455",
        "windows-pagefile-too-small",
        ". Error code 1455",
        speaker=WINDOWS,
        samples=("Could not load library cudnn_cnn_infer64_8.dll. Error code 1455",),
        near=("Could not load library cudnn_cnn_infer64_8.dll. Error code 126",),
        releases="cuDNN 8 on Windows",
        sources=("lazydog28/mc_auto_boss#69 (2024-06)",),
    ),
    Signature(
        "windows-status",
        "native-crash",
        "0xC00000",
        form=r"(?P<number>0xC0000005|0xC00000FD)\b",
        speaker=WINDOWS,
        sure=POSSIBLE,
        samples=("Process finished with exit code -1073741819 (0xC0000005)", "Process finished with exit code -1073741571 (0xC00000FD)"),
        near=("Process finished with exit code -1073741515 (0xC0000135)",),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "fast-fail",
        "windows-cudnn-dll-missing",
        "0xC0000409",
        speaker=WINDOWS,
        rivals=("native-crash",),
        sure=POSSIBLE,
        samples=("Process finished with exit code -1073740791 (0xC0000409)",),
        near=("Process finished with exit code 0",),
        releases="Windows 7 to 11",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "long-path-hint",
        "windows-long-path",
        "does not have Windows Long Path support enabled",
        speaker=PIP,
        samples=("HINT: This error might have occurred since this system does not have Windows Long Path support enabled.",),
        near=("Windows Long Path support is enabled",),
        releases="pip 21.3 and newer",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "long-path-apart",
        "windows-long-path",
        "No such file or directory: '",
        form=r"No such file or directory: '[A-Za-z]:\\[^']{20,300}(?:site-?packages|tensorflow)[^']{120,300}'",
        unless=("Errno 2] No such file",),
        speaker=PIP,
        sure=LIKELY,
        samples=(
            "No such file or directory: 'E:\\\\work\\\\internships\\\\Facial Expression recognition\\\\Repo\\\\venv\\\\Lib\\\\site-packages\\\\tensorflow\\\\include\\\\external\\\\cudnn_frontend_archive\\\\_virtual_includes\\\\cudnn_frontend\\\\third_party\\\\cudnn_frontend\\\\include\\\\cudnn_frontend_EngineConfigGenerator.h'",
        ),
        near=("No such file or directory: 'C:\\\\data\\\\train.csv'",),
        releases="Windows 7 to 11; a paste broke the line behind the number",
        sources=("tensorflow/tensorflow#51841 (2021-09)",),
    ),
    Signature(
        "long-path-missing",
        "windows-long-path",
        "Errno 2] No such file or directory: '",
        form=r"\[Errno 2\] No such file or directory: '[A-Za-z]:\\[^']{200,400}",
        speaker=PIP,
        sure=LIKELY,
        samples=(
            "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: 'C:\\\\Users\\\\someone\\\\AppData\\\\Local\\\\Packages\\\\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0\\\\LocalCache\\\\local-packages\\\\Python311\\\\site-packages\\\\tensorflow\\\\include\\\\external\\\\com_github_grpc_grpc\\\\src\\\\core\\\\ext\\\\filters\\\\client_channel\\\\lb_policy\\\\x.h'",
        ),
        near=("FileNotFoundError: [Errno 2] No such file or directory: 'C:\\\\data\\\\train.csv'",),
        releases="Windows 7 to 11",
    ),
    Signature(
        "windows-zlibwapi",
        "windows-cudnn-dll-missing",
        "Could not locate zlibwapi.dll",
        speaker=NATIVE,
        samples=("Could not locate zlibwapi.dll. Please make sure it is in your library path!",),
        near=("zlibwapi.dll was loaded",),
        releases="cuDNN 8 on Windows",
        sources=("NTUYWANG103/APEX_AIMBOT#25 (2023-04)", "PaddlePaddle/FastDeploy#362 (2022-10)"),
    ),
    Signature(
        "windows-cudnn-part",
        "windows-cudnn-dll-missing",
        "Could not load library cudnn_",
        form=r"Could not load library (?P<library>cudnn_\w{1,40}\.dll)\. ?Error code (?P<number>12[67])",
        speaker=NATIVE,
        samples=(
            "Could not load library cudnn_cnn_infer64_8.dll. Error code 126",
            "Could not load library cudnn_ops_infer64_8.dll. Error code 126",
            "Could not load library cudnn_cnn_infer64_8.dll. Error code 127",
        ),
        near=("Could not load library cudnn_cnn_infer64_8.dll. Error code 1455",),
        releases="cuDNN 8 on Windows",
        sources=("tensorflow/tensorflow#54784 (2022-03)", "tensorflow/tensorflow#63702 (2024-07)", "tensorflow/tensorflow#63455 (2024-09)"),
    ),
)  # fmt: skip
