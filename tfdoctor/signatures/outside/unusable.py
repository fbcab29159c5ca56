"""What installers say of a file, a folder, a machine or a tool that they can't use, and what goes with such lines."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, PIP, TOOL, Signature

_stopped = partial(Signature, code="tensorflow-missing", speaker=PIP)
_kept = partial(Signature, code="dependency-mismatch", speaker=PIP)
_fact = partial(Signature, code="", role=FACT, speaker=PIP)
_NAME = r"[A-Za-z][\w.-]{0,80}"
_REFUSED = "Could not install packages due to an "
_ERROR = r"(?:OSError|EnvironmentError|PermissionError)"

SIGNATURES = (
    _stopped(
        "pip-invalid-wheel",
        anchor=" has an invalid wheel",
        also=("' located at ",),
        form=rf"(?P<package>{_NAME}) has an invalid wheel, (?P<message>[^:\n]{{1,160}})(?:: (?P<file>[\w.]{{1,80}}?-(?P<version>\d[\w.]{{0,30}}?)\.dist-info))?|Wheel '(?P<asker>{_NAME})' located at \S{{1,300}}?-(?P<value>\d[\w.]{{0,30}})-\S{{1,120}} is invalid",
        samples=(
            "ERROR: intel-tensorflow has an invalid wheel, multiple .dist-info directories found: intel_tensorflow-2.0.0.dist-info, tensorflow-2.0.0.dist-info",
            "ERROR: tensorflow-gpu has an invalid wheel, .dist-info directory not found",
            "ERROR: Wheel 'tensorflow' located at /tmp/pip-unpack-k2/tensorflow-2.12.0-cp310-cp310-linux_x86_64.whl is invalid.",
        ),
        near=("the cart has an invalid wheel", "the package 'tensorflow' located at /opt is there"),
        releases="pip 20 and newer",
        sources=("tensorflow/tensorflow#36123 (2020-01)",),
    ),
    _fact(
        "pip-processing",
        anchor="Processing ",
        form=r"Processing (?P<file>\S{0,300}?(?P<package>[A-Za-z][A-Za-z0-9_.]{0,60})-(?P<version>\d[\w.]{0,30})(?:-\w{1,40}(?:\.\w{1,40}){0,3}){2,3}-?[\w.]{0,120}\.whl)",
        samples=("Processing ./tensorflow-2.0.0-cp36-cp36m-linux_x86_64.whl", r"Processing c:\users\user\downloads\tensorflow_gpu-1.15.0-cp37-cp37m-win_amd64.whl"),
        near=("Processing 3 files", "Processing model-2.0.h5"),
        releases="pip",
        sources=("Anakeyn/Tensorflow2.0ForOldComputers#1 (2020-04)",),
    ),
    _fact(
        "pip-invalid-metadata",
        anchor=" since it has invalid metadata",
        form=rf"Ignoring version (?P<version>\d[\w.+!]{{0,40}}) of (?P<package>{_NAME}) since it has invalid metadata",
        samples=("WARNING: Ignoring version 0.2.5 of torchsde since it has invalid metadata:",),
        near=("The picture was skipped since it has invalid metadata",),
        releases="pip 24.1 and newer; with a newer release in reach it is a warning that pip passes over",
        sources=("antgroup/echomimic_v2#23 (2024-11)",),
    ),
    _kept(
        "pip-path-of-a-build",
        anchor=_REFUSED,
        also=("could not parse '",),
        form=rf"{_REFUSED}{_ERROR}: \[Errno 2\] No such file or directory: '(?P<file>[^'\n]{{1,300}}?[/\\](?:work|ci_py\d{{2,3}}[/\\][\w.-]{{1,80}}))'|could not parse '(?P<package>{_NAME}) @ file://(?P<value>[^'\n]{{1,300}})'",
        samples=(
            "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: '/croot/exceptiongroup_1706031385326/work'",
            "ERROR: Could not install packages due to an EnvironmentError: [Errno 2] No such file or directory: '/home/conda/feedstock_root/build_artifacts/absl-py_1637088766493/work'",
            r"ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: 'C:\\ci\\astor_1592430192213\\work'",
            "CondaValueError: could not parse 'exceptiongroup @ file:///croot/exceptiongroup_1706031385326/work' in requirements.txt",
        ),
        near=("ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: '/home/user/models'", "could not parse 'the line'"),
        releases="pip, of lists that pip freeze wrote in a conda environment",
        sources=("ibmm-unibe-ch/TemBERTure#4 (2024-08)",),
    ),
    _stopped(
        "pip-may-not-write",
        anchor=_REFUSED,
        form=rf"{_REFUSED}{_ERROR}: \[Errno 13\] [^'\n]{{1,80}}: '(?P<file>[^'\n]{{1,400}})'",
        samples=(
            "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/local/lib/python3.8/dist-packages/absl'",
            "Could not install packages due to an EnvironmentError: [Errno 13] Permission denied: '/usr/lib/python3/dist-packages/six.py'",
        ),
        near=("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",),
        releases="pip 10 and newer",
        sources=("pypa/pip#6068 (2018-12)",),
    ),
    Signature(
        "conda-package-damaged",
        "tensorflow-install-broken",
        "The package for ",
        also=("InvalidArchiveError(",),
        form=rf"The package for (?P<package>{_NAME}) located at (?P<file>\S.{{1,300}})|InvalidArchiveError\(['\"]Error with archive (?P<value>.{{1,300}}?[/\\](?P<module>{_NAME})-\d[^/\\\s]{{0,80}}\.(?:conda|tar\.bz2))",
        speaker=PIP,
        samples=(
            "CondaVerificationError: The package for tensorflow-base located at /opt/miniconda3/pkgs/tensorflow-base-2.2.0-gpu_py37h8a81be8_0",
            r"The package for tensorflow-base located at C:\Users\user\anaconda3\pkgs\tensorflow-base-2.10.0-mkl_py310h6a7f48e_0",
            r'InvalidArchiveError("Error with archive /opt/conda/pkgs/tensorflow-base-2.4.1-py37_0.conda.  You probably need to delete and re-download or re-create this file.")',
        ),
        near=("The package for you is located at the door", "except InvalidArchiveError(error):"),
        releases="conda 4.3 and newer, mamba",
        sources=("simonorozcoarias/Inpactor2#6 (2025-05)", "flatironinstitute/CaImAn#1089 (2023-05)", "easydiffusion/easydiffusion#648 (2022-12)", "conda/conda#8923 (2019-07)"),
    ),
    _fact(
        "conda-path-lacking",
        anchor="appears to be corrupted. The path '",
        form=r"appears to be corrupted\. The path '(?P<file>[^'\n]{1,300})'",
        samples=("appears to be corrupted. The path 'lib/python3.7/site-packages/tensorflow/env_time.cc'",),
        near=("the file appears to be corrupted",),
        releases="conda 4.3 and newer, mamba",
        sources=("simonorozcoarias/Inpactor2#6 (2025-05)",),
    ),
    _kept(
        "virtual-package-missing",
        anchor="irtual package '__",
        also=("would require __", "─ __", "requires __"),
        form=r"[Vv]irtual package '(?P<library>__\w{2,10})(?P<wanted>[^'\n]{0,30})' does not match any|(?:requires?|─) (?P<package>__\w{2,10})(?P<value>[^,\n]{0,40}), (?:which is missing on the system|for which no candidates were found)",
        samples=(
            "    ╰─▶ Virtual package '__cuda' does not match any of the available virtual packages on your machine: [__archspec=1=zen2, __glibc=2.39=0, __unix=0=0, __linux=6.11.0=0]",
            "└─ jaxlib 0.5.3 would require __cuda *, for which no candidates were found.",
            "   │  └─ __cuda =* *, which is missing on the system.",
        ),
        near=("a virtual package '__x' of mine", "it would require __future__ of the module"),
        speaker=PIP,
        releases="pixi 0.13 and newer, conda 22 and newer with libmamba",
        sources=("fieldsoftheworld/ftw-baselines#117 (2025-07)", "prefix-dev/pixi#3949 (2025-06)"),
    ),
    _fact(
        "of-pixi",
        anchor="pixi ",
        also=("pixi.toml", ".pixi/"),
        form=r"\bpixi (?:install|add|run|init|shell|lock|update)\b|\bpixi\.toml\b|[/\\]\.pixi[/\\]",
        samples=("pixi install", "  /home/user/.pixi/bin/pixi install --locked"),
        near=("a pixi of light",),
        releases="pixi",
    ),
    Signature(
        "bazel-release",
        "dependency-mismatch",
        " your bazel installation to version ",
        also=("The project you're trying to build requires Bazel ",),
        form=r"Please (?P<message>upgrade|downgrade) your bazel installation to version (?P<wanted>\d[\d.]{0,15}\d)|The project you're trying to build requires Bazel (?P<value>\d[\w.]{0,15}\w)",
        speaker=TOOL,
        samples=(
            "Please upgrade your bazel installation to version 0.15.0 or higher to build TensorFlow!",
            "Please downgrade your bazel installation to version 2.0.0 or lower to build TensorFlow! To downgrade: download the installer",
            "ERROR: The project you're trying to build requires Bazel 3.7.2 (specified in /home/user/tensorflow/.bazelversion), but it wasn't found in /usr/bin.",
        ),
        near=("Add your bazel installation to version control",),
        releases="TensorFlow's configure.py of 1.x to 2.x, and the start script of Bazel",
        sources=("zylo117/tensorflow-gpu-macosx#10 (2019-01)", "tensorflow/tensorflow#24114 (2018-12)"),
    ),
    _fact(
        "bazel-there",
        anchor="You have bazel ",
        form=r"You have bazel (?P<version>\d[\w.]{0,15}) installed",
        samples=("You have bazel 0.14.1 installed.",),
        near=("You have bazel and cmake",),
        speaker=TOOL,
        releases="TensorFlow's configure.py of 1.x to 2.x",
        sources=("zylo117/tensorflow-gpu-macosx#10 (2019-01)",),
    ),
    Signature(
        "numpy-windows-fmod",
        "package-import-failed",
        "fails to pass a sanity check due to a bug in the windows runtime",
        also=("** On entry to DGEBAL parameter number",),
        form=r"fails to pass a sanity check due to a bug in the windows runtime|\*\* On entry to DGEBAL parameter number {1,3}\d had an illegal value",
        speaker=EXCEPTION,
        samples=(r"RuntimeError: The current Numpy installation ('C:\\Python39\\lib\\site-packages\\numpy\\__init__.py') fails to pass a sanity check due to a bug in the windows runtime. See this issue for more information", " ** On entry to DGEBAL parameter number  3 had an illegal value"),
        near=("RuntimeError: it fails to pass a sanity check", "** On entry to DGEMM parameter number 8 had an illegal value"),
        releases="NumPy 1.19.4 on Windows 10 2004 and 20H2",
        sources=("numpy/numpy#17726 (2020-11)", "IBM/rl-testbed-for-energyplus#48 (2020-11)", "abey79/vpype#117 (2020-12)", "tensorflow/tensorflow#559 (2020-12)"),
    ),
    Signature(
        "installed-but-required",
        "dependency-mismatch",
        " is required by {'",
        form=rf"error: (?P<package>{_NAME}) (?P<version>\d[\w.+!]{{0,30}}) is installed but (?P<module>{_NAME}?)(?P<wanted>[<>=!~][^\s]{{1,80}}) is required by \{{'(?P<asker>{_NAME})'",
        speaker=PIP,
        samples=("error: protobuf 4.21.1 is installed but protobuf<3.20,>=3.9.2 is required by {'tensorboard'}",),
        near=("a name is required by {'a': 1}",),
        releases="setuptools, of python setup.py install and develop",
        sources=("openvinotoolkit/nncf#1199 (2022-06)",),
    ),
    _fact(
        "of-docker-build",
        anchor="returned a non-zero code: ",
        also=("executor failed running [", "failed to solve: ", "/var/lib/docker", "docker build", "docker_temp", "docker-compose"),
        form=r"The command '.{1,800}' returned a non-zero code: \d|executor failed running \[|failed to solve: |/var/lib/docker(?:-engine)?/|\bdocker(?: compose)? (?:build|pull|load|save)\b|docker_temp_|docker-compose",
        samples=("The command '/bin/sh -c pip install -r requirements.txt' returned a non-zero code: 1", "write /var/lib/docker/tmp/GetImageBlob397023106: no space left on device"),
        near=("the call returned a non-zero code: 3",),
        releases="Docker",
        sources=("NVIDIA/nvidia-docker#1357 (2020-07)", "wukongdaily/DockerTarBuilder#2 (2024-06)", "spotty-cloud/spotty#100 (2021-05)"),
        sure=LIKELY,
    ),
)  # fmt: skip
