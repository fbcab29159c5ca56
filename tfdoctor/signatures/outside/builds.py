"""What is said where a package has to be compiled and that fails: by pip, uv and poetry, by the build, by the compiler."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, LIKELY, PIP, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_fact = partial(Signature, code="", role=FACT, speaker=PIP)
_built = partial(Signature, code="python-unsupported", speaker=PIP, sure=LIKELY)
_NAME = r"[A-Za-z][\w.-]{0,80}"
_COMPILER = r"(?:\S{1,200}/)?(?:[\w]{1,20}-linux-gnu(?:eabihf)?-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cl\.exe|cmake|gfortran|swig)(?:-\d{1,2})?"

SIGNATURES = (
    _fact(
        "build-lacks",
        anchor="error: ",
        also=("is required. Get it with", "Unable to load dependency ", "Could not find a `llvm-config` binary", "pg_config executable not found"),
        form=r"error: (?P<library>lib[\w+-]{1,40}\.so)[\d.]{0,12}: cannot open shared object file|fatal error: '?(?P<file>[\w/.-]{1,80}\.h(?:pp)?)(?:: No such file|' file not found)|error: (?P<message>Microsoft Visual C\+\+ 14\.\d (?:or greater )?is required)"
        r"|(?:unable to execute|error: command) '(?P<process>(?:[\w.+-]{1,40}-linux-gnu\w{0,8}-)?[a-z][\w+]{0,30})'(?: failed)?: No such file|Unable to load dependency (?P<host>HDF5)|Could not find a `(?P<value>llvm-config)` binary|(?P<symbol>pg_config) executable not found|error: can't find (?P<module>Rust) compiler",
        samples=(
            "  error: libhdf5.so: cannot open shared object file: No such file or directory",
            "h5py/api_compat.h:27:10: fatal error: hdf5.h: No such file or directory",
            "src/pyaudio/device_api.c:9:10: fatal error: 'portaudio.h' file not found",
            "error: Microsoft Visual C++ 14.0 or greater is required. Get it with \"Microsoft C++ Build Tools\": https://visualstudio.microsoft.com/visual-cpp-build-tools/",
            "error: unable to execute 'gcc': No such file or directory",
            "error: command 'clang' failed: No such file or directory",
            "error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory",
            "error: can't find Rust compiler",
        ),
        near=("error: the file can't be opened", "fatal error: no room", "error: command 'gcc' failed with exit status 1"),
        releases="pip, uv and poetry, where they compile a package",
        sources=("tensorflow/tensorflow#39620 (2020-05)", "NVIDIA-AI-IOT/tf_trt_models#25 (2019-04)", "ishan0102/vimGPT#25 (2024-02)", "snowballstem/pystemmer#46 (2024-08)", SEVERAL_FILES),
    ),
    _built(
        "build-command-failed",
        anchor="error: command '",
        form=rf"error: command '{_COMPILER}' (?:failed with exit (?:status|code) \d|failed: No such file)",
        samples=(
            "error: command 'aarch64-linux-gnu-gcc' failed with exit status 1",
            "      error: command '/usr/bin/x86_64-linux-gnu-gcc' failed with exit code 1",
            "error: command 'clang' failed: No such file or directory",
        ),
        near=("error: command 'train' failed with exit status 1", "error: command 'docker' failed: No such file or directory"),
        releases="distutils and setuptools, which compile the parts of a package",
        sources=("NVIDIA-AI-IOT/tf_trt_models#25 (2019-04)", "snowballstem/pystemmer#46 (2024-08)"),
    ),
    _built(
        "uv-build-failed",
        anchor="Failed to build",
        also=("Failed to fetch wheel: ", "Failed to download and build"),
        form=rf"× Failed to (?:download and )?build:? `(?P<package>{_NAME})(?:==(?P<version>\d[\w.+!]{{0,30}}))?|Caused by: Failed to (?:fetch wheel|build|download and build): `?(?P<asker>{_NAME})(?:==(?P<value>\d[\w.+!]{{0,30}}))?",
        samples=(
            "  × Failed to build `pyaudio==0.2.14`",
            "  × Failed to download and build `h5py==3.1.0`",
            "  Caused by: Failed to fetch wheel: pystemmer==2.2.0.1",
        ),
        near=("Failed to build the model", "Failed to build pyaudio"),
        releases="uv 0.1 and newer",
        sources=("kwindla/pipecat-dictation#5 (2025-09)", "snowballstem/pystemmer#46 (2024-08)"),
    ),
    _built(
        "poetry-build-failed",
        anchor="ChefBuildError",
        also=("PEP517 build of a dependency failed",),
        samples=("  ChefBuildError", "Note: This error originates from the build backend, and is likely not a problem with poetry but one with h5py, as PEP517 build of a dependency failed"),
        near=("a build of a dependency failed",),
        releases="poetry 1.3 and newer",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "package-placeholder",
        "dependency-mismatch",
        " PyPI package is deprecated, use '",
        also=("You tried to install \"pytorch\"",),
        form=rf"The '(?P<package>{_NAME})' PyPI package is deprecated, use '(?P<wanted>{_NAME})'|You tried to install \"(?P<asker>pytorch)\"\. The package named for PyTorch is \"(?P<value>torch)\"",
        speaker=PIP,
        samples=(
            "      The 'sklearn' PyPI package is deprecated, use 'scikit-learn'",
            'Exception: You tried to install "pytorch". The package named for PyTorch is "torch"',
        ),
        near=("This PyPI package is deprecated, use another",),
        releases="the placeholders sklearn 0.0.post1 and newer, and pytorch",
        sources=("vbelz/Speech-enhancement#34 (2024-09)", "NathanEpstein/Dora#19 (2024-09)", "gerberlab/MDSINE2#20 (2023-02)"),
    ),
    _built(
        "build-cython-sources",
        anchor="AttributeError: cython_sources",
        samples=("      AttributeError: cython_sources",),
        near=("AttributeError: cython has no sources",),
        releases="PyYAML 5.1 to 6.0, whose setup.py does not know Cython 3",
        sources=("tensorflow/models#13564 (2025-04)", "tensorflow/models#11051 (2023-07)"),
    ),
    _fact(
        "build-egg-info-failed",
        anchor="python setup.py egg_info did not run successfully",
        samples=("  × python setup.py egg_info did not run successfully.",),
        near=("python setup.py egg_info ran successfully",),
        releases="pip 22 and newer; what failed in setup.py is told below, where it was pasted",
        sources=("tensorflow/models#11188 (2024-04)",),
    ),
    _fact(
        "build-folder",
        anchor="pip-install-",
        also=("pip-build-", "pip-req-build-"),
        form=r"[/\\]pip-(?:install|build)-\w{6,12}[/\\](?P<package>[A-Za-z][\w.-]{0,60}?)(?:_[0-9a-f]{32})?[/\\]",
        samples=(
            "/home/user/.tmp/pip-install-s479x1s5/h5py/h5py/api_compat.h:27:18: fatal error: hdf5.h: No such file or directory",
            r'  File "C:\Users\user\AppData\Local\Temp\pip-install-t2s7s165\numba_e6e902c6e05945fcb97889beacb02062\setup.py", line 358, in <module>',
        ),
        near=("pip-install-of-mine",),
        releases="pip, of the folder in which it builds",
        sources=("NVIDIA-AI-IOT/tf_trt_models#25 (2019-04)", "magenta/magenta#2116 (2025-02)"),
    ),
    _fact(
        "build-environment",
        anchor="pip-build-env-",
        also=("builds-v0",),
        form=r"[/\\](?:pip-build-env-\w{6,12}|builds-v0[/\\]\.tmp\w{4,10})[/\\]",
        samples=(
            r'  File "C:\Users\user\AppData\Local\Temp\pip-build-env-ez56i6i9\overlay\Lib\site-packages\setuptools\__init__.py", line 10, in <module>',
            "-I/home/user/.cache/uv/builds-v0/.tmptFy4iL/include",
        ),
        near=("the folder pip-build-env-of",),
        releases="pip and uv, of the environment in which they build",
        sources=("natecdr/tuttut#18 (2024-10)", "snowballstem/pystemmer#46 (2024-08)"),
    ),
    _fact(
        "build-version",
        anchor="got version from file ",
        form=r"got version from file \S{1,300}?[/\\](?P<package>[A-Za-z][A-Za-z0-9.]{0,60})(?:_[0-9a-f]{32})?[/\\][\w./\\]{1,80}_version\.py \{'version': '(?P<version>\d[\w.+!]{0,30})'",
        samples=(r"got version from file C:\Users\user\AppData\Local\Temp\pip-install-s_n9pbef\numba_9c8741e8713142ffb7ba6d62968ea471\numba/_version.py {'version': '0.49.1', 'full': 'd2cac8597ad2aa4074147d9c7595f5b5e9919901'}",),
        near=("got version from file model.json",),
        releases="versioneer, in the setup.py of many packages",
        sources=("magenta/magenta#2031 (2022-12)",),
    ),
)  # fmt: skip
