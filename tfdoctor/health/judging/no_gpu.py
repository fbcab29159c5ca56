"""A machine without a GPU that needs none: the commonest one of all, so judged without the tables of the driver's answers."""

from __future__ import annotations

from tfdoctor.health.judging.devices import ABSENT, wanted, without_libraries
from tfdoctor.health.judging.results import OK, UNSEEN, Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.judging.readings import Driver, Files, Judged
    from tfdoctor.health.options import Options


def of_no_gpu(driver: Driver, files: Files, options: Options, judged: Judged) -> bool:
    """Whether these are the answers of such a machine: nothing shows a GPU, and none is asked for."""
    if judged.get("shown") != "" or wanted(files, options):
        return False
    return without_libraries(driver) or _only_the_kernel_lacks_it(driver)


def _only_the_kernel_lacks_it(driver: Driver) -> bool:
    """The libraries are installed, as an image has them, and both say that no driver answers."""
    from tfdoctor.meaning.driver_answers import NVML_NOT_LOADED, SAY_NOTHING_OF_A_GPU

    no_nvml = driver.get("nvml_error") == ABSENT or driver.get("nvml_code") == NVML_NOT_LOADED
    no_cuda = driver.get("cuda_error") == ABSENT or driver.get("cuda_code") in SAY_NOTHING_OF_A_GPU
    return no_nvml and no_cuda


def points_without_gpu(driver: Driver, judged: Judged) -> list[Point]:
    """What is said where `of_no_gpu` holds."""
    bus = [Point("gpus", UNSEEN, judged["bus_error"])] if "bus_error" in judged else []
    return [without_gpu(driver), *bus]


def without_gpu(driver: Driver) -> Point:
    if driver.get("cuda_error") == ABSENT:
        return Point("driver", OK, "no GPU: this machine has no NVIDIA driver")
    return Point("driver", OK, "no GPU: the kernel's side of the driver is not here")
