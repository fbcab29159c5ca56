"""What Acme's machines tell beside what tfdoctor reads itself."""

from __future__ import annotations

from tfdoctor.ask.probes.request import Request
from tfdoctor.facts.model import Facts


def ask(request: Request, facts: Facts) -> dict[str, str]:
    """The base image of this machine, from the file that Acme's images carry; nothing on any other machine."""
    try:
        with open(request.system.path("/etc/acme-image"), encoding="utf-8") as file:
            return {"image": file.read().strip()}
    except FileNotFoundError:
        return {}
