"""What pip and uv say where TensorFlow can't be installed, and what a program says where it is not there."""

from __future__ import annotations

from functools import partial

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, PIP, SHELL, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_unsupported = partial(Signature, code="python-unsupported", speaker=PIP)
_extra = partial(Signature, code="and-cuda-extra-lost", speaker=PIP)
TRIED = Expression(r"(?:Cannot install |, | and )(?P<package>[A-Za-z][\w.-]{0,80})==")
"""Each package of the list in which pip names what it could not install together."""
_TENSORFLOW = r"tensorflow(?:-cpu-aws|-cpu|-gpu|-intel|-macos|_cpu|_gpu|_intel)?"

REQUIREMENTS = Expression(r"-r (?P<file>\S{1,300}?) \(line \d{1,6}\)")
"""How pip names a line of a file that it was given."""
SIGNATURES = (
    Signature(
        "pip-at-work",
        "",
        "Collecting ",
        also=("Installing collected packages: ",),
        form=r"\bCollecting [\w.-]{1,80}(?:\[[\w,]{1,80}\])?(?:[<>=!~]{1,2}\S{1,60})?(?:\s{0,3}$| \(from )|Installing collected packages: [\w.-]{1,80}",
        role=FACT,
        speaker=PIP,
        samples=("Collecting tensorflow", "Installing collected packages: wheel, six, tensorflow"),
        near=("INFO: Collecting the garbage",),
        releases="pip 1.5 and newer",
    ),
    _unsupported(
        "no-version-satisfies",
        anchor="Could not find a version that satisfies the requirement tensorflow",
        form=rf"Could not find a version that satisfies the requirement (?P<package>{_TENSORFLOW})(?:\[[\w,-]{{1,40}}\])?(?P<wanted>[<>=!~][^\s(;]{{1,60}})?(?:;(?: .{{1,200}}?)?)?(?P<message>(?: \(from [^()]{{1,120}}(?:\([^()]{{1,40}}\))?\))?) \(from versions: (?P<version>[^)]{{0,1600}})",
        decided_by=("interpreter.version", "interpreter.pointer_bits"),
        sure=LIKELY,
        samples=(
            "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)",
            "ERROR: Could not find a version that satisfies the requirement tensorflow==2.10.0 (from versions: 2.16.0rc0, 2.16.1, 2.16.2, 2.17.0rc0)",
            "  Could not find a version that satisfies the requirement tensorflow-gpu==1.15 (from versions: 2.2.0, 2.3.0)",
            "ERROR: Could not find a version that satisfies the requirement tensorflow==2.4.1 (from -r requirements.txt (line 12)) (from versions: 2.5.0, 2.5.1)",
            'ERROR: Could not find a version that satisfies the requirement tensorflow-macos==2.14.0; platform_system == "Darwin" and platform_machine == "arm64" (from tensorflow) (from versions: 2.12.0, 2.13.0, 2.14.0rc1)',
        ),
        near=("ERROR: Could not find a version that satisfies the requirement tensorflow-text==2.12 (from versions: 2.15.0)",),
        releases="pip 9 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _unsupported(
        "no-matching-distribution",
        anchor="No matching distribution found for tensorflow",
        also=("Could not find a version that satisfies the requirement tensorflow",),
        form=rf"(?:No matching distribution found for|Could not find a version that satisfies the requirement) (?P<package>{_TENSORFLOW})(?:\[[\w,-]{{1,40}}\])?(?P<wanted>[<>=!~][^\s;]{{1,60}})?(?:; .{{1,200}}?)?(?: \(from [^()]{{1,120}}(?:\([^()]{{1,40}}\))?\))?\s{{0,3}}$",
        decided_by=("interpreter.version",),
        sure=LIKELY,
        samples=(
            "ERROR: No matching distribution found for tensorflow==2.10.0",
            "ERROR: No matching distribution found for tensorflow",
            "Could not find a version that satisfies the requirement tensorflow==1.15",
            "ERROR: No matching distribution found for tensorflow<2.11,>=2.8 (from some-package==1.2->-r requirements.txt (line 3))",
            'ERROR: No matching distribution found for tensorflow-macos==2.14.0; platform_system == "Darwin" and platform_machine == "arm64"',
        ),
        near=("ERROR: No matching distribution found for tensorflow-text==2.12",),
        releases="pip 9 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _unsupported(
        "uv-no-matching-abi",
        anchor="has no wheels with a matching Python",
        also=("have no wheels with a matching Python", "no wheels are available with a matching Python"),
        form=r"(?:^|[\s`(])(?P<package>[A-Za-z][\w.-]{0,80})(?P<wanted>[<>=!~][^\s`]{1,60})?`? (?:has no wheels|have no wheels|is unusable because no wheels are available) with a matching Python\b(?: ABI| implementation| version)?",
        samples=(
            "  Because tensorflow==2.15.1 has no wheels with a matching Python ABI tag (e.g., `cp313`) and you require tensorflow==2.15.1, we can conclude that your requirements are unsatisfiable.",
            "  ╰─▶ Because all versions of tensorflow have no wheels with a matching Python ABI tag (e.g., `cp313`) and you require",
            "      and tensorflow==0.12.0 is unusable because no wheels are available with a matching Python ABI, we can conclude that any of:",
        ),
        near=("numpy has no wheels with a matching platform tag",),
        releases="uv 0.1 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _extra(
        "tensorrt-requirement",
        anchor="No matching distribution found for tensorrt",
        form=r"No matching distribution found for tensorrt(?:-libs|-bindings)?(?:==8\.[\w.]{1,20})?(?:; extra == \"and-cuda\")?\s{0,3}$",
        samples=("ERROR: No matching distribution found for tensorrt-libs==8.6.1; extra == \"and-cuda\"", "ERROR: No matching distribution found for tensorrt"),
        near=("ERROR: No matching distribution found for tensorrt-llm", "ERROR: No matching distribution found for tensorrt_cu12_bindings==10.7.0"),
        releases="2.14 and 2.15",
        sources=(SEVERAL_FILES,),
    ),
    _extra(
        "extra-not-provided",
        anchor="does not provide the extra 'and-cuda'",
        form=r"tensorflow (?P<version>\d[\w.]{1,20}) does not provide the extra 'and-cuda'",
        samples=("WARNING: tensorflow 2.13.1 does not provide the extra 'and-cuda'",),
        near=("WARNING: jax 0.4.0 does not provide the extra 'cuda'",),
        releases="pip 20 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _extra(
        "extra-globbed",
        anchor="no matches found: tensorflow[and-cuda]",
        speaker=SHELL,
        samples=("zsh: no matches found: tensorflow[and-cuda]",),
        near=("no matches found: *.txt",),
        releases="zsh",
    ),
    Signature(
        "package-globbed",
        "command-not-started",
        "no matches found: ",
        form=r"no matches found: (?P<package>(?:[A-Za-z][\w.-]{0,80}|\.{1,2}(?:/[\w./-]{0,200})?)(?:\[[\w,-]{1,120}\](?:[<>=!~]{1,2}[\w.*]{1,30})?|[=~!]=[\w.]{0,20}\*))",
        unless=("tensorflow[and-cuda]",),
        speaker=SHELL,
        samples=(
            "zsh: no matches found: tensorflow-probability[tf]",
            "no matches found: keras==3.*",
        ),
        near=("zsh: no matches found: *.txt", "zsh: no matches found: tensorflow[and-cuda]", "INFO: no matches found: 3 of [12]"),
        releases="zsh",
        sources=("SeldonIO/alibi-detect#617 (2022-09)", "NVIDIA/tensorflow#60 (2022-05)", "rapidsai/docs#560 (2024-11)", "meta-llama/llama-cookbook#348 (2024-01)"),
    ),
    Signature(
        "tensorflow-not-installed",
        "tensorflow-missing",
        "No module named 'tensorflow'",
        form=r"No module named 'tensorflow'(?:$|[^;])",
        unless=("is not a package",),
        speaker=EXCEPTION,
        rivals=("wrong-interpreter",),
        decided_by=("tensorflow.distributions", "jupyter.examined_kernel"),
        samples=("ModuleNotFoundError: No module named 'tensorflow'",),
        near=("ModuleNotFoundError: No module named 'tensorflow_hub'", "ModuleNotFoundError: No module named 'tensorflow.keras'; 'tensorflow' is not a package"),
        releases="Python 3",
    ),
    Signature(
        "tensorflow-just-installed",
        "",
        "Installing tensorflow (",
        also=(" + tensorflow==",),
        form=r"[-•] Installing tensorflow \((?P<version>\d{1,2}\.\d{1,3}\.\d{1,3})\)(?:\s|$)|\+ tensorflow==(?P<value>\d{1,2}\.\d{1,3}\.\d{1,3})(?:\s|$)",
        role=FACT,
        speaker=PIP,
        samples=("  - Installing tensorflow (2.15.0)", " + tensorflow==2.14.0"),
        near=("  - Installing tensorflow (2.15.0): Failed", "  - Installing tensorflow-estimator (2.15.0)", "a + tensorflow==2"),
        releases="poetry 1 and 2, uv",
        sources=("tensorflow/tensorflow#62899 (2024)",),
    ),
    Signature(
        "pkg-resources",
        "setuptools-lacks-pkg-resources",
        "No module named 'pkg_resources'",
        speaker=EXCEPTION,
        samples=("ModuleNotFoundError: No module named 'pkg_resources'",),
        near=("ModuleNotFoundError: No module named 'resources'",),
        releases="setuptools 82 and newer, or without setuptools",
    ),
    Signature(
        "pip-conflict",
        "",
        " which is incompatible.",
        form=r"(?P<asker>[\w.-]{1,80}) (?P<version>\d[\w.+!]{0,30}) (?:requires|has requirement) (?P<package>[\w.-]{1,80})(?:\[[\w,-]{1,40}\])?(?P<wanted>[^,;]{0,20}(?:,[<>=!~][^,;]{1,20}){0,16})(?:; ?[^\n;]{1,300}?)?, but you(?:'ll)? have (?P<module>[\w.-]{1,80}) (?P<value>\d[\w.+!]{0,30}) which is incompatible\.",
        role=FACT,
        speaker=PIP,
        samples=(
            "tensorflow 2.15.0 requires keras<2.16,>=2.15.0, but you have keras 3.0.0 which is incompatible.",
            "pyerfa 1.7.0 requires numpy>=1.19, but you'll have numpy 1.18.5 which is incompatible.",
            "ERROR: tensorflow 2.1.0 has requirement scipy==1.4.1, but you'll have scipy 1.5.2 which is incompatible.",
            "tensorflow-intel 2.13.0 requires typing-extensions<4.6.0,>=3.6.6, but you have typing-extensions 4.12.2 which is incompatible.",
            "tensorflow 2.12.0 requires protobuf!=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,<5.0.0dev,>=3.20.3, but you have protobuf 3.20.1 which is incompatible.",
            'tensorflow 2.17.1 requires numpy<2.0.0,>=1.23.5; python_version <= "3.11", but you have numpy 2.1.3 which is incompatible.',
            "ERROR: tensorflow-text 2.9.0 has requirement tensorflow<2.10,>=2.9.0; platform_machine != \"arm64\" or platform_system != \"Darwin\", but you'll have tensorflow 2.7.3 which is incompatible.",
        ),
        near=("the two are incompatible.",),
        releases="pip 20.3 and newer",
    ),
    Signature(
        "pip-conflict-missing",
        "",
        ", which is not installed.",
        form=r"(?P<asker>[\w.-]{1,80}) (?P<version>\d[\w.+!]{0,30}) requires (?P<package>[\w.-]{1,80})(?P<wanted>[^,;]{0,20}(?:,[<>=!~][^,;]{1,20}){0,16})(?:; ?[^\n;]{1,300}?)?, which is not installed\.",
        role=FACT,
        speaker=PIP,
        samples=(
            "tensorflow 2.15.0 requires keras<2.16,>=2.15.0, which is not installed.",
            'tensorflow-text 2.9.0 requires tensorflow<2.10,>=2.9.0; platform_machine != "arm64" or platform_system != "Darwin", which is not installed.',
        ),
        near=("the package, which is not installed.",),
        releases="pip 20.3 and newer",
    ),
    Signature(
        "pip-no-resolution",
        "dependency-mismatch",
        " because these package versions have conflicting dependencies",
        form=r"Cannot install (?P<module>[\w.-]{1,80}).{0,400}? because these package versions have conflicting dependencies",
        speaker=PIP,
        samples=("ERROR: Cannot install numpy==2.1.0 and tensorflow==2.16.2 because these package versions have conflicting dependencies.",),
        near=("they stay apart because these package versions have conflicting dependencies",),
        releases="pip 20.3 and newer",
        sources=("run here (2026-11-22)",),
    ),
)  # fmt: skip
