"""Every family of checks. Importing this registers them all; `CHECKS` is how many they are."""

from __future__ import annotations

import tfdoctor.checks.crashes
import tfdoctor.checks.cudnn
import tfdoctor.checks.custom_ops
import tfdoctor.checks.dependencies
import tfdoctor.checks.devices
import tfdoctor.checks.driver
import tfdoctor.checks.driver_lacks_gpu
import tfdoctor.checks.driver_refusals
import tfdoctor.checks.driver_release
import tfdoctor.checks.driver_versions
import tfdoctor.checks.gpu_use
import tfdoctor.checks.handed_in
import tfdoctor.checks.hardware
import tfdoctor.checks.import_failures
import tfdoctor.checks.interpreter
import tfdoctor.checks.keras_versions
import tfdoctor.checks.libraries
import tfdoctor.checks.libraries_mixed
import tfdoctor.checks.libraries_unreachable
import tfdoctor.checks.libraries_wrong_version
import tfdoctor.checks.memory
import tfdoctor.checks.notes
import tfdoctor.checks.platform
import tfdoctor.checks.process
import tfdoctor.checks.python_packages
import tfdoctor.checks.shared_memory
import tfdoctor.checks.smoke
import tfdoctor.checks.smoke_timeout
import tfdoctor.checks.tensorflow_install
import tfdoctor.checks.tensorflow_kind
import tfdoctor.checks.wsl
import tfdoctor.checks.xla_tools  # noqa: F401  # importing registers

CHECKS = 92
"""A file that an interrupted installation left empty would take its checks along, and no check finds no fault."""
