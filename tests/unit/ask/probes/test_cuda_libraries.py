"""The CUDA libraries of a laid-out environment: found, beside the path, of another major, cut, with parts missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_elf import make_library
from tests.unit.ask.probes.fake_environments import (
    CUDA_CONFIG,
    add_distribution,
    add_tensorflow,
    facts_of,
    make_script,
)
from tfdoctor.ask.probes.libraries import cuda_libraries
from tfdoctor.ask.probes.libraries.cuda_tools import data_dir
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.tensorflow.build_info import needed_sonames
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import CudaLibraries
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Library, TensorFlowBuild
from tfdoctor.facts.versions import CudaRelease, CudnnRelease, LibraryRelease

NEEDED = (
    "libcudart.so.12",
    "libcublas.so.12",
    "libcublasLt.so.12",
    "libcufft.so.11",
    "libcusolver.so.11",
    "libcusparse.so.12",
    "libcudnn.so.9",
)
PARTS = (
    "graph",
    "ops",
    "cnn",
    "adv",
    "heuristic",
    "engines_precompiled",
    "engines_runtime_compiled",
)
FOLDERS = {"libcudart": "cuda_runtime", "libcublas": "cublas", "libcublasLt": "cublas", "libcufft": "cufft",
           "libcusolver": "cusolver", "libcusparse": "cusparse", "libcudnn": "cudnn"}  # fmt: skip


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TensorFlow with its framework library, whose RUNPATH lists all folders of the wheels but cusolver's."""
    folder = tmp_path / "env é" / "site-packages"
    add_tensorflow(folder)
    config = folder / "tensorflow/include/third_party/gpus/cuda/cuda_config.h"
    config.parent.mkdir(parents=True)
    config.write_text(CUDA_CONFIG)
    parts = sorted({*FOLDERS.values(), "cuda_cupti"} - {"cusolver"})
    runpath = ":".join(f"$ORIGIN/../nvidia/{part}/lib" for part in parts)
    make_library(folder / "tensorflow" / "libtensorflow_framework.so.2", runpath=runpath)
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    return folder


def add_libraries(site: Path, *without: str) -> None:
    """NVIDIA's wheels as they lie in site-packages."""
    for name in NEEDED:
        stem = name.split(".")[0]
        if stem not in without:
            needed = ("libnvJitLink.so.12",) if stem in ("libcusparse", "libcufft") else ()
            make_library(
                site / "nvidia" / FOLDERS[stem] / "lib" / name,
                needed=needed,
                runpath="$ORIGIN/../../nvjitlink/lib",
            )
    for part in PARTS:
        make_library(site / "nvidia" / "cudnn" / "lib" / f"libcudnn_{part}.so.9")
    make_library(site / "nvidia" / "nvjitlink" / "lib" / "libnvJitLink.so.12")


def ask(site: Path, root: Path | None = None, **environ: str) -> CudaLibraries:
    """Below an empty root, so that this machine's own CUDA does not matter."""
    root = root or site.parent.parent / "root"
    root.mkdir(exist_ok=True)
    return cuda_libraries.ask(Request(system=System(root, environ)), facts_of(site))


def library(group: CudaLibraries, soname: str) -> Library:
    assert isinstance(group.libraries, Known), group.libraries
    return next(item for item in group.libraries.value if item.soname == soname)


def test_all_are_found_but_the_one_that_runpath_forgets(site: Path) -> None:
    add_libraries(site)
    group = ask(site)
    assert group.needed == Known(NEEDED, "cuda_config.h inside the package")
    assert isinstance(group.libraries, Known)
    lost = [item.soname for item in group.libraries.value if not isinstance(item.path, Known)]
    assert lost == ["libcusolver.so.11"]
    path = str(site / "nvidia/cusolver/lib/libcusolver.so.11")
    assert library(group, "libcusolver.so.11").elsewhere == (path,)
    assert all(item.problem == "" for item in group.libraries.value)
    found = library(group, "libcudart.so.12")
    assert found.path == Known(str(site / "nvidia/cuda_runtime/lib/libcudart.so.12"), "RUNPATH")
    assert found.found_via == "RUNPATH"


def test_ld_library_path_mends_it(site: Path) -> None:
    add_libraries(site)
    group = ask(site, LD_LIBRARY_PATH=str(site / "nvidia/cusolver/lib"))
    assert library(group, "libcusolver.so.11").found_via == "LD_LIBRARY_PATH"
    assert group.search_path == Known((str(site / "nvidia/cusolver/lib"),), "LD_LIBRARY_PATH")


def test_nowhere(site: Path) -> None:
    group = ask(site)
    assert isinstance(group.libraries, Known)
    assert all(
        isinstance(item.path, Absent) and item.elsewhere == () for item in group.libraries.value
    )
    assert isinstance(group.wheels, Absent)
    assert isinstance(group.search_path, Absent)
    assert isinstance(group.toolkits, Absent)
    assert isinstance(group.cudnn_parts, Absent)
    assert isinstance(group.libdevice, Absent)
    assert isinstance(group.ptxas, Absent)


def test_in_a_toolkit_that_the_loader_does_not_know(site: Path, tmp_path: Path) -> None:
    root = tmp_path / "machine"
    real = make_library(root / "usr/local/cuda-12.5/lib64/libcudart.so.12.5.82")
    (root / "usr/local/cuda").symlink_to("cuda-12.5")
    group = ask(site, root)
    assert library(group, "libcudart.so.12").elsewhere == (str(real),)
    assert group.toolkits == Known((str(root / "usr/local/cuda-12.5"),), "/usr/local and /opt")


def test_a_later_copy_is_shadowed_and_another_major_is_told(site: Path, tmp_path: Path) -> None:
    add_libraries(site)
    first = make_library(tmp_path / "set" / "libcudnn.so.9")
    make_library(tmp_path / "set" / "libcudnn.so.8")
    found = library(ask(site, LD_LIBRARY_PATH=str(tmp_path / "set")), "libcudnn.so.9")
    assert found.path == Known(str(first), "LD_LIBRARY_PATH")
    assert found.shadows == (str(site / "nvidia/cudnn/lib/libcudnn.so.9"),)
    assert found.other_versions == (str(tmp_path / "set" / "libcudnn.so.8"),)


def test_a_cut_library_is_found_and_its_problem_told(site: Path) -> None:
    add_libraries(site)
    path = site / "nvidia/cublas/lib/libcublasLt.so.12"
    path.write_bytes(path.read_bytes()[:-100])
    found = library(ask(site), "libcublasLt.so.12")
    assert isinstance(found.path, Known)
    assert "is cut off" in found.problem


def test_a_copy_for_another_processor_is_passed_over(site: Path, tmp_path: Path) -> None:
    add_libraries(site, "libcudart")
    make_library(tmp_path / "set" / "libcudart.so.12", machine="aarch64")
    found = library(ask(site, LD_LIBRARY_PATH=str(tmp_path / "set")), "libcudart.so.12")
    assert isinstance(found.path, Absent)
    assert "built for aarch64" in found.problem


def test_a_missing_nvjitlink_keeps_cusparse_from_loading(site: Path) -> None:
    add_libraries(site)
    (site / "nvidia/nvjitlink/lib/libnvJitLink.so.12").unlink()
    group = ask(site)
    assert (
        "needs libnvJitLink.so.12, which the loader does not find"
        in library(group, "libcusparse.so.12").problem
    )
    assert isinstance(group.nvjitlink, Absent)


def test_nvjitlink_is_found_where_cusparse_would(site: Path) -> None:
    add_libraries(site)
    assert ask(site).nvjitlink == Known(
        str(site / "nvidia/nvjitlink/lib/libnvJitLink.so.12"), "RUNPATH"
    )


def test_versions_by_header_file_name_and_wheel(site: Path, tmp_path: Path) -> None:
    add_libraries(site, "libcublas")
    include = site / "nvidia/cudnn/include"
    include.mkdir()
    (include / "cudnn_version.h").write_text(
        "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 28\n#define CUDNN_PATCHLEVEL 0\n"
    )
    cublas = site / "nvidia/cublas/lib/libcublas.so.12"
    make_library(cublas)
    wheel = add_distribution(site, "nvidia-cublas-cu12", "12.5.3.2")
    (wheel / "RECORD").write_text(
        f"nvidia/cublas/lib/libcublas.so.12,sha256=x,{cublas.stat().st_size}\n"
    )
    real = make_library(tmp_path / "set" / "libcufft.so.11.2.3.61")
    (tmp_path / "set" / "libcufft.so.11").symlink_to(real.name)
    group = ask(site, LD_LIBRARY_PATH=str(tmp_path / "set"))
    assert library(group, "libcudnn.so.9").version == Known(
        LibraryRelease("9.28.0"), "cudnn_version.h beside the library"
    )
    assert library(group, "libcufft.so.11").version == Known(LibraryRelease("11.2.3.61"), str(real))
    assert library(group, "libcublas.so.12").version == Known(
        LibraryRelease("12.5.3.2"), str(wheel)
    )
    assert isinstance(library(group, "libcusparse.so.12").version, Failed)


def test_of_two_wheels_that_share_a_folder_the_file_tells_the_owner(site: Path) -> None:
    add_libraries(site)
    size = (site / "nvidia/cublas/lib/libcublas.so.12").stat().st_size
    for name, version, recorded in (
        ("nvidia-cublas-cu11", "11.11.3.6", 1),
        ("nvidia-cublas-cu12", "12.5.3.2", size),
    ):
        wheel = add_distribution(site, name, version)
        (wheel / "RECORD").write_text(f"nvidia/cublas/lib/libcublas.so.12,sha256=x,{recorded}\n")
    found = library(ask(site), "libcublas.so.12")
    assert isinstance(found.version, Known)
    assert found.version.value == LibraryRelease("12.5.3.2")


def test_a_missing_part_of_cudnn(site: Path) -> None:
    add_libraries(site)
    (site / "nvidia/cudnn/lib/libcudnn_cnn.so.9").unlink()
    parts = ask(site).cudnn_parts
    assert isinstance(parts, Known)
    assert [item.soname for item in parts.value if not isinstance(item.path, Known)] == [
        "libcudnn_cnn.so.9"
    ]


def test_without_the_framework_library_it_can_not_be_told(site: Path) -> None:
    (site / "tensorflow/libtensorflow_framework.so.2").unlink()
    group = ask(site)
    assert isinstance(group.libraries, Failed)
    assert isinstance(group.runpath, Failed)


def test_without_tensorflow_there_is_nothing_to_look_for(tmp_path: Path) -> None:
    group = ask(tmp_path / "a" / "b")
    assert isinstance(group.libraries, Absent)
    assert isinstance(group.ptxas, Absent)


def test_a_build_without_cuda_needs_none(site: Path) -> None:
    (site / "tensorflow/python/platform/build_info.py").write_text(
        "build_info = {'is_cuda_build': False}\n"
    )
    group = ask(site)
    assert isinstance(group.needed, Absent)
    assert isinstance(group.libraries, Absent)
    assert isinstance(group.libdevice, Absent)


def test_ptxas_is_the_first_that_answers_with_an_accepted_version(
    site: Path, tmp_path: Path
) -> None:
    make_script(
        tmp_path / "old" / "ptxas", "echo 'Cuda compilation tools, release 11.2, V11.2.152'\n"
    )
    make_script(tmp_path / "dead" / "ptxas", "exit 1\n")
    good = make_script(
        tmp_path / "good" / "ptxas", "echo 'Cuda compilation tools, release 12.9, V12.9.86'\n"
    )
    system = System(environ={"PATH": f"{tmp_path / 'old'}:{tmp_path / 'dead'}:{good.parent}:/bin"})
    ptxas = cuda_libraries.ask(Request(system=system), facts_of(site)).ptxas
    assert isinstance(ptxas, Known)
    assert ptxas.value.path == str(good)
    assert ptxas.value.version == Known(CudaRelease("12.9.86"), f"{good} --version")


def test_libdevice_of_the_wheel_and_of_the_flag(site: Path, tmp_path: Path) -> None:
    wheels = site / "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"
    wheels.parent.mkdir(parents=True)
    wheels.touch()
    assert ask(site).libdevice == Known(str(wheels), "the places where XLA looks")
    flagged = tmp_path / "my cuda/nvvm/libdevice/libdevice.10.bc"
    flagged.parent.mkdir(parents=True)
    flagged.touch()
    flags = f"--xla_dump_to=/tmp '--xla_gpu_cuda_data_dir={tmp_path / 'my cuda'}'"
    assert ask(site, XLA_FLAGS=flags).libdevice == Known(str(flagged), "the places where XLA looks")


def test_the_last_data_dir_counts() -> None:
    assert data_dir("--xla_gpu_cuda_data_dir=/a --xla_gpu_cuda_data_dir=/b") == "/b"
    assert data_dir("--other 'open quote") == "./cuda_sdk_lib"


@pytest.mark.parametrize(
    ("cuda", "cudnn", "version", "expected"),
    [
        ("10.0", "7", "2.0.0", ("libcudart.so.10.0", "libcublas.so.10.0", "libcufft.so.10.0", "libcurand.so.10.0", "libcusolver.so.10.0", "libcusparse.so.10.0", "libcudnn.so.7")),
        ("10.1", "7", "2.3.0", ("libcudart.so.10.1", "libcublas.so.10", "libcufft.so.10", "libcurand.so.10", "libcusolver.so.10", "libcusparse.so.10", "libcudnn.so.7")),
        ("11.0", "8.0.5", "2.4.1", ("libcudart.so.11.0", "libcublas.so.11", "libcublasLt.so.11", "libcufft.so.10", "libcurand.so.10", "libcusolver.so.10", "libcusparse.so.11", "libcudnn.so.8")),
        ("11.8", "8.6.0", "2.14.0", ("libcudart.so.11.0", "libcublas.so.11", "libcublasLt.so.11", "libcufft.so.10", "libcusolver.so.11", "libcusparse.so.11", "libcudnn.so.8")),
        ("12.5.1", "9.3.0", "2.21.0", NEEDED),
    ],
)  # fmt: skip
def test_sonames_by_the_release_of_cuda_alone(
    cuda: str, cudnn: str, version: str, expected: tuple[str, ...]
) -> None:
    none = Absent("test")
    build = Known(
        TensorFlowBuild(
            Known(CudaRelease(cuda), "test"),
            Known(CudnnRelease(cudnn), "test"),
            none,
            none,
            (),
            (),
            (),
        ),
        "test",
    )
    assert needed_sonames(build, Known(version, "test"), "") == Known(
        expected, "the build's CUDA and cuDNN releases"
    )


def test_sonames_of_a_cuda_that_nobody_knows_are_not_made_up() -> None:
    none = Absent("test")
    build = Known(
        TensorFlowBuild(
            Known(CudaRelease("17.0"), "test"),
            Known(CudnnRelease("11.0.0"), "test"),
            none,
            none,
            (),
            (),
            (),
        ),
        "test",
    )
    assert isinstance(needed_sonames(build, Known("3.0.0", "test"), ""), Failed)
    unknown = replace(build.value, cuda=Failed("no header", "missing"))
    assert needed_sonames(
        Known(unknown, "test"), Failed("no version", "missing"), CUDA_CONFIG
    ) == Known(NEEDED, "cuda_config.h inside the package")
