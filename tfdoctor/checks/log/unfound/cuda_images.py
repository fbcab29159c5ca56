"""NVIDIA's own images of CUDA, by their banner or their tag: of another CUDA than this TensorFlow's, or with less of it than that opens."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony, place
from tfdoctor.checks.log.unfound.names import TOOLKIT, in_a_sentence, stem
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence
from tfdoctor.light.records import record

_BANNER, _TAG = "cuda-image-banner", "cuda-image-tag"
_CPU = "TensorFlow then shows no GPU and computes on the processor."


@record
class CudaImage:
    """`flavour` is what stands behind the version in the tag ("-base-ubuntu22.04"), "" where only the banner is shown."""

    version: str
    flavour: str

    def lacks(self, missing: tuple[str, ...]) -> tuple[str, ...]:
        """What such an image never holds: all but the runtime in base, cuDNN where the tag does not name it."""
        if not self.flavour:
            return ()
        bare = "base" in self.flavour
        return tuple(
            each
            for each in missing
            if (bare and stem(each) in TOOLKIT and stem(each) != "cudart")
            or (stem(each) == "cudnn" and "cudnn" not in self.flavour)
        )


def cuda_image(told: Testimony) -> CudaImage | None:
    """The last tag that the log names, else what the banner of the image said at its start."""
    tags = told.named(_TAG)
    if tags:
        return CudaImage(tags[-1].told["version"], tags[-1].told.get("value", ""))
    tables = [place(each) for each in told.named("smi-banner")]
    banners = [each for each in told.named(_BANNER) if not any(_is_behind(place(each), at) for at in tables)]
    return CudaImage(banners[-1].told["version"], "") if banners else None


def _is_behind(banner: Place, table: Place) -> bool:
    """Such an image was started for nvidia-smi alone: a test, and not where the program runs."""
    return banner[0] == table[0] and 0 < table[1] - banner[1] < _BANNER_LINES


_BANNER_LINES = 25
"""Lines of the banner's own text, and some."""


def of_cuda_image(
    told: Testimony, saying: Saying, missing: tuple[str, ...], own: str, *, fits: bool
) -> Candidate | None:
    """`own` is the CUDA of this TensorFlow, "" where nothing tells it; `fits`: the image's has the same names."""
    image = cuda_image(told)
    if image is None:
        return None
    at = (place(saying),)
    if own and not fits:
        words = f"The image that this ran in is NVIDIA's for CUDA {image.version}. This TensorFlow opens the libraries of CUDA {own}, by their exact names, and they are not in it. Image and TensorFlow have to be of the same CUDA; the CUDA version that nvidia-smi shows is the driver's, and only has to be as high. {_CPU}"
        title = (
            f"This TensorFlow opens the libraries of CUDA {own}, and the image holds CUDA {image.version}."
        )
        opened = question(("cuda-libraries-wrong-version", "image-lacks-cuda-libraries"), "cuda_libraries.libraries")  # fmt: skip
        return Candidate("cuda-libraries-wrong-version", Confidence.LIKELY, at, words, opened, title)
    if not (lacking := image.lacks(missing)):
        return None
    what = in_a_sentence(lacking)
    words = f"The image is nvidia/cuda:{image.version}…{image.flavour}. NVIDIA makes its images in steps: base holds the CUDA runtime alone, runtime also cuBLAS, cuFFT and the others, devel the compiler, and only those with cudnn in their tag hold cuDNN. This TensorFlow opens {what}, which this one does not hold. {_CPU}"
    title = f"The image (nvidia/cuda, {image.flavour.strip('-')}) does not hold {what}."
    return Candidate("image-lacks-cuda-libraries", Confidence.LIKELY, at, words, title=title)
