"""What shells, installers and desktops say before a program runs, and the graphics systems of Macs and Windows when one ends."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, NATIVE, PIP, PYTHON, SHELL, WINDOWS, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_unstarted = partial(Signature, code="command-not-started", speaker=SHELL)

SIGNATURES = (
    _unstarted(
        "command-not-recognized",
        anchor="' is not recognized as ",
        form=r"'(?P<process>pip3?|python3?|py|jupyter(?:-notebook|-lab)?|ipython|tensorboard|conda|uv)' is not recognized as (?:an internal or external command|(?:the|a) name of a cmdlet)",
        samples=(
            "'pip' is not recognized as an internal or external command,",
            "pip : The term 'pip' is not recognized as the name of a cmdlet, function, script file, or operable program.",
        ),
        near=("'dog' is not recognized as an animal", "'nvidia-smi' is not recognized as an internal or external command,"),
        releases="cmd.exe and PowerShell in English",
        sources=(SEVERAL_FILES,),
    ),
    _unstarted(
        "store-placeholder",
        anchor="run without arguments to install from the Microsoft Store",
        samples=("Python was not found; run without arguments to install from the Microsoft Store, or disable this shortcut from Settings > Manage App Execution Aliases.",),
        near=("Python was not found on the path",),
        releases="Windows 10 and 11",
        sources=(SEVERAL_FILES,),
    ),
    _unstarted(
        "scripts-not-allowed",
        anchor="PSSecurityException",
        also=("about_Execution_Policies", "because running scripts is disabled on this system"),
        samples=(
            r". : File C:\work\venv\Scripts\Activate.ps1 cannot be loaded because running scripts is disabled on this system.",
            "    + CategoryInfo          : SecurityError: (:) [], PSSecurityException",
            "deshabilitada en este sistema. Para obtener más información, consulta el tema about_Execution_Policies en",
        ),
        near=("SecurityError: [Errno 13]", "running scripts is disabled by the policy of this site"),
        releases="PowerShell 5.1 and 7, in each language",
        sources=("https://github.com/martomi/chiadog/issues/235 (2021-06)",),
    ),
    Signature(
        "pip-file-in-use",
        "file-locked",
        "Could not install packages due to an ",
        form=r"Could not install packages due to an (?:OSError|EnvironmentError|PermissionError): \[WinError (?P<number>5|32)\][^'\n]{0,200}'(?P<file>[^'\n]{1,400})'",
        speaker=PIP,
        samples=(
            r"ERROR: Could not install packages due to an OSError: [WinError 5] Access is denied: 'c:\\python39\\lib\\site-packages\\~ensorflow\\python\\_pywrap_tensorflow_internal.pyd'",
            r"ERROR: Could not install packages due to an EnvironmentError: [WinError 32] The process cannot access the file because it is being used by another process: 'c:\\python39\\lib\\site-packages\\numpy\\core\\_multiarray_umath.pyd'",
        ),
        near=("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: 'C:\\\\a'"),
        releases="pip 9 and newer on Windows",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "pip-index-unreached",
        "",
        "after connection broken by '",
        also=("here was a problem confirming the ssl certificate",),
        form=r"after connection broken by '(?P<error>\w{1,60})\((?P<message>.{1,500})|Could not fetch URL \S{1,200}: [Tt]here was a problem confirming the ssl certificate: (?P<value>.{1,300})",
        role=FACT,
        speaker=PIP,
        samples=(
            "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/tensorflow/",
            "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self signed certificate in certificate chain (_ssl.c:1108)'))': /simple/tensorflow/",
        ),
        near=("the connection was broken by 'somebody'",),
        releases="pip 9 and newer",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "apt-other-python",
        "python-unsupported",
        " : Depends: python3 (",
        form=r"(?P<package>[a-z0-9][a-z0-9.+-]{1,80}) : Depends: python3 \((?P<wanted>[<>=]{1,2} ?3\.\d{1,2})[\w.~]{0,12}\) but (?P<version>3\.\d{1,2})",
        speaker=SHELL,
        samples=(" python3-tflite-runtime : Depends: python3 (< 3.10) but 3.11.2-1+b1 is to be installed",),
        near=(" vim : Depends: libc6 (>= 2.29) but 2.28 is to be installed",),
        releases="apt of Debian and Ubuntu",
        sources=("tensorflow/tensorflow#62377 (2023-11)",),
    ),
    Signature(
        "shell-line-in-python",
        "",
        " install ",
        form=r"\s{2,8}(?P<process>pip3?|conda|sudo (?:apt|apt-get|pip3?)|apt(?:-get)?|brew|python3? -m pip) (?:-\S{1,20} ){0,3}install (?P<package>[^\s=]{1,60})",
        role=FACT,
        speaker=PYTHON,
        samples=("    pip3 install tensorflow",),
        near=("    to install it, type help",),
        releases="Python's prompt, IDLE and notebooks",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "spawned-without-main",
        "python-exception",
        "An attempt has been made to start a new process before the",
        speaker=EXCEPTION,
        samples=("        An attempt has been made to start a new process before the",),
        near=("An attempt has been made to start a new life",),
        releases="Python 3 on Windows and macOS",
        sources=("hyperopt/hyperopt-sklearn#140 (2019-11)",),
    ),
    Signature(
        "metal-refused",
        "native-crash",
        "MetalPerformanceShaders",
        also=("mpsFileLoc",),
        form=r"MetalPerformanceShaders\S{0,300}: failed assertion [`'](?P<message>.{1,300})|mpsFileLoc\): .{1,300}: error: (?P<value>.{1,200})",
        speaker=NATIVE,
        samples=(
            "/AppleInternal/Library/BuildRoots/a/Sources/MetalPerformanceShaders/MPSCore/Types/MPSNDArray.mm:705: failed assertion `[MPSTemporaryNDArray initWithDevice:descriptor:] Error: product of dimension sizes > 2**31'",
            "loc(\"varianceEps\"(\"(mpsFileLoc): /AppleInternal/Library/BuildRoots/a/Sources/MetalPerformanceShadersGraph/mpsgraph/MetalPerformanceShadersGraph/Core/Files/MPSGraphUtilities.mm\":228:0)): error: input types 'tensor<1x77x1xf16>' and 'tensor<1xf32>' are not broadcast compatible",
        ),
        near=("Loaded MetalPerformanceShaders.framework",),
        releases="macOS 12 and newer",
        sources=("guoyww/AnimateDiff#173 (2023-10)", "pytorch/pytorch#92222 (2023-01)"),
    ),
    Signature(
        "plugin-stopped",
        "check-failed",
        "F tensorflow/c/logging.cc:",
        form=r"F tensorflow/c/logging\.cc:\d{1,5}\] (?P<message>.{1,300})",
        speaker=WINDOWS,
        samples=(
            "2022-10-30 07:38:46.768811: F tensorflow/c/logging.cc:43] Check failed: it != allocations_by_id_.end()",
            "F tensorflow/c/logging.cc:43] HRESULT failed with 0x887a0001: dml_device_->GetDeviceRemovedReason()",
        ),
        near=("2022-10-30 07:38:46.768811: I tensorflow/c/logging.cc:34] DirectML: creating device on adapter 0",),
        releases="tensorflow-directml-plugin 0.0.1 to 0.4.0",
        sources=("microsoft/tensorflow-directml-plugin#325 (2022-10)", "microsoft/tensorflow-directml-plugin#359 (2023-04)"),
    ),
)  # fmt: skip
