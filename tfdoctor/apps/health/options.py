"""What the user asked the health check for. Plain, since it is made in milliseconds."""

from __future__ import annotations

DEFAULT_MAX_AGE_S = 7 * 86400.0
TIMEOUTS = {"none": 0.9, "driver": 15.0, "tf": 120.0}
"""Seconds by --smoke. 0.9: a Kubernetes probe has 1 s. A cold GPU takes seconds for a context; TensorFlow imports in some."""


class Options:
    """`require_gpu` None: as the last examination found it. `max_age` below 0: not given. "" and 0: not given."""

    def __init__(self) -> None:
        self.smoke = "none"
        self.every = 0.0
        self.require_gpu: bool | None = None
        self.gpus = 0
        self.min_free_vram = 0
        self.min_free_ram = 0
        self.state = ""
        self.max_age = -1.0
        self.timeout = 0.0
        self.node = False
        self.as_owner = False
        self.verbose = False
        self.form = "text"
        self.output = ""
        self.python = ""
        self.sysroot = ""
        self.expires = 3600.0

    @property
    def limit(self) -> float:
        """Seconds that the whole command may take."""
        return self.timeout or TIMEOUTS[self.smoke]
