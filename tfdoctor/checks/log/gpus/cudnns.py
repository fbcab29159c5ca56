"""The cuDNN that was loaded beside the one that a build was compiled with: TensorFlow's own line names both."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.versions import CudnnRelease
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: numbers of a version

_NAMES = ("cudnn-loaded-other", "cudnn-loaded-other-old")
_OLD = Expression(r"(?P<major>\d)(?P<minor>\d)(?P<patch>\d{2})")
"""7004 is 7.0.4: a thousand for the major, a hundred for the minor (cudnn.h, CUDNN_VERSION before cuDNN 9)."""


def loaded_other(facts: Facts, saying: Saying) -> Candidate | None:
    """None for any other saying."""
    loaded, compiled = versions(saying)
    if not loaded or not compiled:
        return None
    who = "JAX" if shown(facts).jax else "TensorFlow"
    newer = _numbers(loaded)[:2] > _numbers(compiled)[:2]
    title = f"cuDNN {loaded} is loaded, and this {who} was compiled with {compiled}."
    rule = "the same major and minor version" if saying.name == _NAMES[1] else "the same major version in the same or a newer minor"  # fmt: skip
    words = (
        f"cuDNN is NVIDIA's library for neural networks. This {who} takes {rule} of the one that it was compiled with, {compiled}. The one that the loader "
        f"found first is {loaded}, which is too {'new' if newer else 'old'}. {who} lists the GPU, and the first convolution or recurrent layer fails."
    )
    return Candidate("cudnn-version-mismatch", Confidence(saying.sure), (place(saying),), words, title=title)


def conda_fixes(told: Testimony) -> tuple[Fix, ...]:
    """What conda installs in place of another cuDNN of its own; () where no line names the wanted one, and from cuDNN 8 on.

    Since then TensorFlow's packages of pip bring their own, and conda's TensorFlow asks for its cuDNN itself.
    """
    wanted = next((both[1] for each in told.named(*_NAMES) if (both := versions(each))[1]), "")
    if not wanted or _numbers(wanted)[0] >= 8:
        return ()
    minor = ".".join(wanted.split(".")[:2])
    return (fix("install-cudnn-into-conda-environment-in", minor=minor),)


def jax_cudnn_fixes(floor: CudnnRelease, *, conda: bool) -> tuple[Fix, ...]:
    """For a JAX that was built with a newer cuDNN than it gets: the packages that bring one, by the tool that keeps the environment."""
    bound = f">={floor.major}.{floor.minor},<{floor.major + 1}"
    look = fix("see-jax-jaxlib-and-cudnn-are")
    if conda:
        return (
            fix("let-conda-bring-cudnn-or-newer", major=floor.major, minor=floor.minor, bound=bound),
            look,
        )
    if floor.major < _OF_CUDA_12:
        return (look, _WITHOUT_PATH)
    title = f"Install cuDNN {floor.major}.{floor.minor} or newer for the CUDA 12 of this JAX"
    return (Fix(title, (f"python -m pip install 'nvidia-cudnn-cu12{bound}'",), "For a JAX of CUDA 13 the package is nvidia-cudnn-cu13."), _WITHOUT_PATH, look)  # fmt: skip


_OF_CUDA_12 = 9
"""The major of cuDNN that JAX's wheels for CUDA 12 ask for since 0.4.26; those before, and CUDA 11, take 8."""
_WITHOUT_PATH = fix("if-ld-library-path-leads-to-2")


def versions(saying: Saying) -> tuple[str, str]:
    """(loaded, compiled with), each as 8.6.0; "" for what the line does not name."""
    if saying.name not in _NAMES:
        return "", ""
    return _plain(saying.told.get("version", "")), _plain(saying.told.get("wanted", ""))


def _plain(number: str) -> str:
    number = number.rstrip(".")
    if found := _OLD.fullmatch(number):
        return f"{found['major']}.{found['minor']}.{int(found['patch'])}"
    return number


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split(".") if each.isdigit())
