"""An older libstdc++ than a package's compiled part needs: whose copy was loaded, and which environment can bring its own."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.light.expressions import Expression  # reads no log: paths, as a signature's groups hold them

_CODE = "libstdcxx-too-old"
_PACKAGE = Expression(r"/(?:site|dist)-packages/(?P<package>[\w.-]{1,80})/")
_PREFIX = Expression(r"^(?P<prefix>/.{1,300}?)/lib/python\d")
_OF_CONDA = ("conda", "/envs/", "forge", "mamba")
_OF_THE_SYSTEM = ("/usr/lib", "/lib/", "/lib64/")


def of_cxx(saying: Saying) -> Candidate | None:
    """None where the line does not name both the copy that was loaded and who asks."""
    file, asker = saying.told.get("file", ""), saying.told.get("library", "")
    if saying.code != _CODE or not file or not asker:
        return None
    found, wanted = _PACKAGE.search(asker), saying.told["wanted"]
    who = found["package"] if found else asker.rpartition("/")[2]
    whose = "the system's" if file.startswith(_OF_THE_SYSTEM) else "the environment's" if _of_one_place(file, asker) else "another one's"  # fmt: skip
    words = f"libstdc++ is the library that programs written in C++ need at run time. A process loads one copy of it, the first that is found; here that is {whose}, {file}, and it lacks {wanted}, which {who} was built with. The package is in order."
    title = f"{who} needs {wanted} of libstdc++, and the copy that was loaded ({file}) is older."
    return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=title)


def _prefix(asker: str) -> str:
    """The folder of the environment that the package is in, where conda keeps it; "" elsewhere."""
    found = _PREFIX.match(asker)
    return found["prefix"] if found and any(each in found["prefix"] for each in _OF_CONDA) else ""


def _of_one_place(file: str, asker: str) -> bool:
    prefix = _prefix(asker)
    return bool(prefix) and file.startswith(prefix)


def cxx_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where the line does not name both."""
    said = [each for each in told.of(_CODE) if of_cxx(each) is not None]
    if not said:
        return ()
    file, asker = said[0].told["file"], said[0].told["library"]
    if prefix := _prefix(asker):
        bring = f"conda install --yes --prefix {prefix} --channel conda-forge libstdcxx-ng"
        first = (
            () if _of_one_place(file, asker) else (f"export LD_LIBRARY_PATH={prefix}/lib:$LD_LIBRARY_PATH",)
        )
        note = "Where conda has it already, the second line alone is what helps: the system's copy was found first." if first else ""  # fmt: skip
        return (Fix("Bring a newer libstdc++ into the environment, and have it found first", (bring, *first), note), *ways_out(_CODE))  # fmt: skip
    if not file.startswith(_OF_THE_SYSTEM):
        return ()
    newer = fix("on-ubuntu-bring-systems-libstdc-up")
    return (newer, *ways_out(_CODE))
