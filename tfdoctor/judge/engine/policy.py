"""What the user demands of the examined machine."""

from __future__ import annotations

from tfdoctor.base.records import record


@record
class Policy:
    """What the user demands. `require_gpu`: True by --require-gpu, False by --no-require-gpu, None by neither.
    `to_be_built`: the facts are of what build files describe, and nothing is installed yet; `place`: what such a file is for, in the
    words of a `Place`; `left_open`: packages that are or may be among it in a version that nobody tells. `report`: the saved report that is judged again, as the user named it.
    """

    require_gpu: bool | None = None
    required_tensorflow: str = ""
    min_free_ram: int = 0
    min_free_vram: int = 0
    to_be_built: bool = False
    place: frozenset[str] = frozenset()
    left_open: frozenset[str] = frozenset()
    report: str = ""
