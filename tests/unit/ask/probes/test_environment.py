"""Which environment variables are read, and above all which are not."""

from __future__ import annotations

import pytest

from tfdoctor.ask.probes.host.environment import ask, variables
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.knowledge.variable_names import counts


@pytest.mark.parametrize(
    "name",
    [
        "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA",
        "TF_CPP_MIN_LOG_LEVEL", "TF_CPP_VMODULE", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR", "TF_ENABLE_ONEDNN_OPTS",
        "TF_XLA_FLAGS", "TF_USE_LEGACY_KERAS", "TF_CONFIG", "TF_CUDNN_DETERMINISTIC", "TF_NUM_INTEROP_THREADS",
        "TF_DATA_EXPERIMENT_OPT_IN", "XLA_FLAGS", "XLA_PYTHON_CLIENT_PREALLOCATE", "JAX_PLATFORMS", "LD_LIBRARY_PATH",
        "LD_PRELOAD", "PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "KERAS_BACKEND",
        "OMP_NUM_THREADS", "KMP_DUPLICATE_LIB_OK", "MKL_NUM_THREADS", "NCCL_P2P_DISABLE", "NCCL_DEBUG",
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "TFDOCTOR_SMOKE", "CUDA_CACHE_MAXSIZE", "HIP_VISIBLE_DEVICES",
        "MALLOC_ARENA_MAX", "AUTOGRAPH_VERBOSITY",
    ],
)  # fmt: skip
def test_what_tensorflow_and_its_like_obey_is_read(name: str) -> None:
    assert counts(name)


@pytest.mark.parametrize(
    "name",
    [  # Terraform's (developer.hashicorp.com/terraform/cli/config/environment-variables, 2026-11)
        "TF_VAR_region", "TF_VAR_db_password", "TF_LOG", "TF_LOG_PATH", "TF_LOG_CORE", "TF_LOG_PROVIDER", "TF_INPUT",
        "TF_CLI_ARGS", "TF_CLI_ARGS_plan", "TF_CLI_CONFIG_FILE", "TF_DATA_DIR", "TF_WORKSPACE", "TF_IN_AUTOMATION",
        "TF_REGISTRY_DISCOVERY_RETRY", "TF_PLUGIN_CACHE_DIR", "TF_TOKEN_app_terraform_io", "TF_CLOUD_ORGANIZATION",
        "TF_IGNORE", "TF_REATTACH_PROVIDERS", "TF_STATE_PERSIST_INTERVAL", "TF_ENCRYPTION", "TF_FORCE_LOCAL_BACKEND",
        "TF_DISABLE_PLUGIN_TLS", "TF_ACC", "TF_SKIP_PROVIDER_VERIFY",
    ],
)  # fmt: skip
def test_terraforms_variables_are_not(name: str) -> None:
    assert not counts(name)


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA_API_KEY", "NGC_API_KEY", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "TF_GPU_TOKEN", "NCCL_SECRET", "KAGGLE_KEY",
        "TFDOCTOR_PASSWORD", "PYTHON_KEYRING_BACKEND", "HTTPS_PROXY", "PIP_INDEX_URL", "PATH", "USER", "HOME",
        "CUDA_LICENSE_SERVER", "XLA_PYTHON_CLIENT_AUTH",
    ],
)  # fmt: skip
def test_secrets_and_foreign_variables_are_not(name: str) -> None:
    assert not counts(name)


def test_the_facts_hold_the_users_own_values() -> None:
    environ = {"XLA_FLAGS": "--a", "CUDA_VISIBLE_DEVICES": "", "HOME": "/home/someone"}
    facts = ask(Request(System(environ=environ)), Facts())
    assert facts.variables == Known(
        {"CUDA_VISIBLE_DEVICES": "", "XLA_FLAGS": "--a"}, "environment variables"
    )


def test_none_of_them_set_is_absent() -> None:
    assert isinstance(ask(Request(System(environ={"HOME": "/x"})), Facts()).variables, Absent)


def test_a_value_of_undecodable_bytes_can_be_written_out() -> None:
    found = variables({"LD_LIBRARY_PATH": "/opt/\udcff/lib"})
    assert found["LD_LIBRARY_PATH"].encode("utf-8") == b"/opt/?/lib"
