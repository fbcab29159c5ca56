"""A variable that a shell exports does not reach a container: its start has to hand it in."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: commands of our own pages
from tfdoctor.light.records import replace

_EXPORT = Expression(r"^export (?P<name>[A-Z_][\w]{0,60})=(?P<value>[^\s$]{1,100})$")


def for_the_container(fix: Fix, here: Setting) -> Fix:
    """With the words that put the variable into the container's start, where the log is of one that a shell does not run in."""
    found = [match for line in fix.commands if (match := _EXPORT.match(line))]
    if not found or not here.has("docker", "kubernetes", "compose"):
        return fix
    if here.has("kubernetes"):
        pairs = ", ".join(f'{{name: {each["name"]}, value: "{each["value"]}"}}' for each in found)
        how = f"For the whole pod, put it into the container's part of the pod's file: env: [{pairs}]."
    elif here.has("compose"):
        pairs = ", ".join(f"{each['name']}={each['value']}" for each in found)
        how = f"For the service, put it into the compose file: environment: [{pairs}]."
    else:
        options = " ".join(f"-e {each['name']}={each['value']}" for each in found)
        how = f"For a container, put {options} into its docker run, before the image's name; an export on the host does not reach it."
    return replace(fix, note=f"{fix.note} {how}".strip())
