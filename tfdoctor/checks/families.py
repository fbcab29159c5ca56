"""Every family of checks. Importing this registers them all."""

from __future__ import annotations

import tfdoctor.checks.crashes
import tfdoctor.checks.import_failures
import tfdoctor.checks.interpreter
import tfdoctor.checks.memory
import tfdoctor.checks.notes
import tfdoctor.checks.platform
import tfdoctor.checks.process
import tfdoctor.checks.python_packages
import tfdoctor.checks.shared_memory
import tfdoctor.checks.tensorflow_install
import tfdoctor.checks.wsl  # noqa: F401  # importing registers
