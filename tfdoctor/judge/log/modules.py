"""Modules and names that are not installed, were moved, or are left over of another distribution."""

from __future__ import annotations

import sys

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.version_ranges import normalised
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.fix.commands import interpreter
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import UNPICKLERS, pin, updated
from tfdoctor.judge.log.spans import own_minor, shown
from tfdoctor.judge.log.testimony import place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Pip, Words
from tfdoctor.knowledge.messages.by_release import asked_in
from tfdoctor.knowledge.messages.expressions import MODULE
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import PACKAGES, PROJECTS, Package, named, project_of

# A module that is not installed: which package brings it, who asks for it, and in which Python it has to be installed.

_OTHER_RULES = (
    "tensorflow",
    "tensorflow_core",
    "keras",
    "tf_keras",
    "numpy",
    "distutils",
    "pkg_resources",
)
"""What is said of these has codes and rules of its own."""


def absent(facts: Facts, last: Ending) -> Candidate | None:
    """A package's need of another one; None where the program itself asks, or the package for a part of its own."""
    module = _module(last)
    own = last.inside[-1].partition(".")[0] if last.inside else ""
    if (
        last.package in UNPICKLERS
        or not module
        or not last.package
        or module in (own, *_OTHER_RULES)
    ):
        return None
    if module in sys.stdlib_module_names:
        return None
    return of_page("package-import-failed", "absent", (place(last),), values={"package": last.package, "module": module, "project": project_of(module)}, sure=Confidence.CERTAIN, fixes=module_fixes(facts, last, module))  # fmt: skip


def _module(last: Ending) -> str:
    found = MODULE.compiled.search(last.what) if last.how == "exception" else None
    return found["module"] if found else ""


_NOT_ON_THE_INDEX = {
    "object_detection": act("words", "bring-object-detection", module="object_detection"),
    "deployment": act("words", "bring-folder-of-slim", module="deployment"),
    "nets": act("words", "bring-folder-of-slim", module="nets"),
    "slim": act("words", "bring-slim", module="slim"),
}
"""Parts of TensorFlow's models, and what brings them."""


def known_title(last: Ending) -> str:
    """For a package that is known by its module's name; "" for what can be a file of the user's own."""
    module = _module(last)
    if last.package or (
        module not in PROJECTS and not PACKAGES.get(project_of(module), Package()).python
    ):
        return ""
    return f"{project_of(module)} is not installed in the Python that runs the program."


def module_fixes(facts: Facts, last: Ending, module: str) -> tuple[Fix, ...]:
    """Its package in the release for the TensorFlow that is named, in a notebook by a cell of it."""
    if module in _NOT_ON_THE_INDEX:
        return (_NOT_ON_THE_INDEX[module],)
    project = project_of(module)
    if normalised(project) not in named():
        return (act("look", "find-package-of-module", module=module),)
    spec, minor = _of_release(facts, project)
    there = PACKAGES.get(project)
    python = interpreter(facts)
    by = Words("%pip") if in_a_notebook(facts, last) else Words("{{python}} -m pip", python=python)
    where = "in a cell of the notebook, and restart the kernel" if by == "%pip" else "into the environment that runs the program"  # fmt: skip
    title = f"Install {project} {f'for TensorFlow {minor} ' if minor else ''}{where}"
    cell = Words("%pip install {{spec}}", spec=spec)
    own = Fix(title, (cell if by == "%pip" else Pip(spec, python=python),))
    if there is None or not there.instead:
        return (own,)
    instead = act(
        "change-packages",
        "use-successor-of-project",
        instead=there.instead,
        project=project,
        by=by,
        note=there.note,
        python=there.python,
    )
    return (own, instead)


def _of_release(facts: Facts, project: str) -> tuple[str, str]:
    own = own_minor(facts)
    minor = f"{own[0]}.{own[1]}" if own is not None else ""
    spec = pin(project, minor) if minor else ""
    return (spec, minor) if spec else (project, "")


def in_a_notebook(facts: Facts, last: Ending) -> bool:
    return (
        bool(shown(facts).notebook) or last.frame.startswith("Cell ") or "ipykernel_" in last.frame
    )


# A name that a package around TensorFlow took away, or got, with a release that is known: which side has to move, and to what.

_OF_THEIR_OWN = ("", "jax", "jaxlib", "ml-dtypes")
"""What asks for a new NumPy there is told by rules of their own; a frame of no package is the user's."""


@record
class Moved:
    """`bound` is the range of the distribution that has the name, as pip writes it."""

    name: str
    project: str
    release: str
    bound: str
    came: bool


def moved(last: Ending) -> Moved | None:
    """None for names that no table knows."""
    wanted = asked_in(last)
    if wanted is None:
        return None
    name = ".".join(filter(None, wanted))
    for project, each in PACKAGES.items():
        if release := each.gone.get(name):
            return Moved(name, project, release, f"{project}<{release}", came=False)
        if last.package not in _OF_THEIR_OWN and (release := each.came.get(name)):
            return Moved(name, project, release, f"{project}>={release}", came=True)
    return None


def of_moved(facts: Facts, last: Ending) -> Candidate | None:
    """None for names that no table knows."""
    found = moved(last)
    if found is None:
        return None
    others = [each for each in last.through if each != found.project]
    who = others[-1] if last.package and others and not found.came else ""
    has = f"has only since {found.release}" if found.came else f"removed in {found.release}"
    title = (
        f"Update {found.project}"
        if found.came
        else f"Downgrade {found.project} to one with the name"
    )
    own = fix_here(
        facts, "change-packages", "release-with-the-name", title=title, bound=found.bound
    )
    return of_page(
        "package-import-failed", "moved", (place(last),), sure=Confidence.CERTAIN, code="package-import-failed" if who else "dependency-mismatch",
        values={"who": who or "The code", "name": found.name, "project": found.project, "has": has},
        fixes=(updated(facts, who), own) if who else (own,),
    )  # fmt: skip


# A compiled part of TensorFlow itself that belongs to another TensorFlow: two are installed, or one was installed over another.

_SAYINGS = ("custom-op-symbol", "add-on-not-loaded", "add-on-symbol")
_OWN = Expression(
    r"(?P<folder>.{0,300}[\\/](?:site|dist)-packages)[\\/]tensorflow(?:_core)?[\\/](?:core|python|compiler|lite)[\\/]"
)


def left_over(saying: Saying) -> Candidate | None:
    """None for the library of any other package."""
    found = _OWN.match(saying.told.get("library", "")) if saying.name in _SAYINGS else None
    if found is None:
        return None
    library = saying.told["library"].replace("\\", "/").rpartition("/")[2]
    return of_page("tensorflow-mixed-distributions", "left-over", (place(saying),), others=("user-site-leak",), fact="packages.installed", values={"library": library, "folder": found["folder"]})  # fmt: skip
