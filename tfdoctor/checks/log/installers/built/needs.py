"""What the build of a package looks for, and the packages of systems that bring it."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.light.records import record

_COMPILER = "build-essential"


@record
class Need:
    """`apt` for Debian and Ubuntu; `brew` for Macs, "" where Apple's own tools or Python's installer bring it."""

    apt: str
    brew: str = ""


NEEDS = {
    "Python.h": Need("python3-dev"),
    "hdf5.h": Need("libhdf5-dev", "hdf5"),
    "libhdf5": Need("libhdf5-dev", "hdf5"),
    "HDF5": Need("libhdf5-dev", "hdf5"),
    "portaudio.h": Need("portaudio19-dev", "portaudio"),
    "alsa/asoundlib.h": Need("libasound2-dev"),
    "jack/jack.h": Need("libjack-jackd2-dev", "jack"),
    "sndfile.h": Need("libsndfile1-dev", "libsndfile"),
    "ffi.h": Need("libffi-dev", "libffi"),
    "openssl/ssl.h": Need("libssl-dev", "openssl@3"),
    "openssl/opensslv.h": Need("libssl-dev", "openssl@3"),
    "libxml/xmlversion.h": Need("libxml2-dev libxslt1-dev", "libxml2 libxslt"),
    "libxml/xpath.h": Need("libxml2-dev libxslt1-dev", "libxml2 libxslt"),
    "zlib.h": Need("zlib1g-dev", "zlib"),
    "jpeglib.h": Need("libjpeg-dev", "jpeg"),
    "ft2build.h": Need("libfreetype6-dev", "freetype"),
    "snappy-c.h": Need("libsnappy-dev", "snappy"),
    "geos_c.h": Need("libgeos-dev", "geos"),
    "proj.h": Need("libproj-dev", "proj"),
    "cpl_port.h": Need("libgdal-dev", "gdal"),
    "libpq-fe.h": Need("libpq-dev", "libpq"),
    "pg_config": Need("libpq-dev", "libpq"),
    "mysql.h": Need("default-libmysqlclient-dev", "mysql-client"),
    "sqlite3.h": Need("libsqlite3-dev", "sqlite"),
    "lzma.h": Need("liblzma-dev", "xz"),
    "bzlib.h": Need("libbz2-dev", "bzip2"),
    "curl/curl.h": Need("libcurl4-openssl-dev", "curl"),
    "sasl/sasl.h": Need("libsasl2-dev"),
    "gssapi/gssapi.h": Need("libkrb5-dev", "krb5"),
    "mpi.h": Need("libopenmpi-dev", "open-mpi"),
    "libopenblas": Need("libopenblas-dev", "openblas"),
    "gfortran": Need("gfortran", "gcc"),
    "cmake": Need("cmake", "cmake"),
    "ninja": Need("ninja-build", "ninja"),
    "swig": Need("swig", "swig"),
    "llvm-config": Need("llvm-dev", "llvm"),
    "pkg-config": Need("pkg-config", "pkg-config"),
    "Rust": Need("cargo", "rust"),
    "cargo": Need("cargo", "rust"),
    "git": Need("git", "git"),
    "clang": Need("clang"),
    "clang++": Need("clang"),
}  # fmt: skip
"""By the header, the program or the beginning of the library (Debian's and Homebrew's lists of packages, 2026-11-23)."""
_COMPILERS = ("gcc", "g++", "cc", "c++", "-gcc", "-g++")
_GROUPS = ("library", "file", "process", "host", "value", "symbol", "module", "message")


def lacking(told: Testimony) -> str:
    """What the build names first as not there; "" where it names nothing."""
    said = told.named("build-lacks")
    return next((said[0].told[each] for each in _GROUPS if each in said[0].told), "") if said else ""


def for_lack(told: Testimony) -> str:
    """ " for lack of libhdf5.so", as the build's own lines tell; "" where they do not."""
    what = lacking(told).removesuffix(" is required")
    if not what:
        return ""
    return f" for lack of a compiler ({what})" if _is_compiler(what) else f" for lack of {what}"


def _is_compiler(what: str) -> bool:
    return what.endswith(_COMPILERS) or what in ("clang", "clang++")


def need(what: str) -> Need | None:
    """None for what no package of these systems is known to bring."""
    if what in NEEDS:
        return NEEDS[what]
    if _is_compiler(what):
        return Need(_COMPILER)
    return next((NEEDS[each] for each in NEEDS if each.startswith("lib") and what.startswith(each)), None)


def is_header(what: str) -> bool:
    return what.endswith((".h", ".hpp"))
