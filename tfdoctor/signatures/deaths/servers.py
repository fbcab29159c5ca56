"""Servers of models (TensorFlow Serving, Triton) that find no model or no part that can load it, or refuse what they are sent."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, TOOL, Signature

_served = partial(Signature, code="python-exception")

SIGNATURES = (
    _served(
        "serving-no-version",
        anchor="No versions of servable ",
        form=r"No versions of servable (?P<process>\S{1,100}) found under base path (?P<file>\S{1,300})",
        sure=LIKELY,
        samples=("W tensorflow_serving/sources/storage_path/file_system_storage_path_source.cc:268] No versions of servable half_plus_two found under base path /models/half_plus_two. Did you forget to name your leaf directory as a number (eg. '/1/')?",),
        near=("Adding/updating models. No versions of servable",),
        releases="TensorFlow Serving 1 and 2",
        sources=("ageron/handson-ml2#436 (2021-05)", "tensorflow/serving#1831 (2023-11)", "tensorflow/serving#1250 (2019-02)"),
    ),
    _served(
        "serving-no-base-path",
        anchor="Could not find base path ",
        form=r"Could not find base path (?P<file>\S{1,300}) for servable (?P<process>[\w.-]{1,100})",
        sure=LIKELY,
        samples=("E tensorflow_serving/sources/storage_path/file_system_storage_path_source.cc:369] FileSystemStoragePathSource encountered a file-system access error: Could not find base path /models/bert_sa/ for servable bert_sa",),
        near=("the base path was found for servable x",),
        releases="TensorFlow Serving 1 and 2",
        sources=("tensorflow/tensor2tensor#1473 (2019-02)", "lynnna-xu/bert_sa#1 (2019-04)"),
    ),
    _served(
        "triton-no-backend",
        anchor="unable to find 'libtriton_",
        also=("unable to find backend library for backend ", "unexpected platform type ", "unknown platform '"),
        form=r"unable to find 'libtriton_(?P<library>[\w-]{1,60})\.so'(?: for model '(?P<process>[^']{1,100})')?|unable to find backend library for backend '(?P<value>[^']{0,60})'|unexpected platform type '?(?P<package>[\w-]{1,60})'? for '?(?P<file>[\w.-]{1,100})|failed to load '(?P<symbol>[\w.-]{1,100})' version \d{1,9}: .{0,40}unknown platform '(?P<wanted>[\w-]{1,60})'",
        speaker=TOOL,
        samples=(
            "failed to load 'efficientdet' version 1: Invalid argument: unable to find 'libtriton_tensorflow_savedmodel.so' for model 'efficientdet', searched: /models/efficientdet/1",
            "E1104 12:45:39.614660 1858 model_repository_manager.cc:950] failed to load 'simple_string' version 1: Invalid argument: unknown platform 'tensorflow_graphdef'",
            "Poll failed for model directory 'rul': unexpected platform type tensorflow_savedmodel for rul",
            "Invalid argument: unable to find backend library for backend 'tensorflow', try specifying runtime on the model configuration.",
        ),
        near=("unable to find 'libfoo.so'",),
        releases="Triton 2",
        sources=("triton-inference-server/server#4200 (2022-04)", "triton-inference-server/server#2223 (2020-11)", "triton-inference-server/server#3026 (2021-06)", "triton-inference-server/server#8204 (2025-05)"),
    ),
    Signature(
        "triton-without-gpu",
        "container-without-gpu",
        "backend supports only GPU device",
        also=(" specifies invalid or unsupported gpu id ", "has kind KIND_GPU but "),
        form=r"unable to load model '(?P<process>[^'\n]{1,100})', (?P<value>\w{1,40}) backend supports only GPU device|of model (?P<package>[\w.-]{1,100}) (?:specifies invalid or unsupported gpu id (?:of )?\d{1,3}|has kind KIND_GPU but )",
        speaker=TOOL,
        sure=LIKELY,
        samples=(
            "failed to load 'ocr' version 1: Invalid argument: unable to load model 'ocr', TensorRT backend supports only GPU device",
            "Invalid argument: instance group resnet50_0 of model resnet50 specifies invalid or unsupported gpu id 0. GPUs with at least the minimum required CUDA compute compatibility of 6.000000 are:",
            "Invalid argument: instance group resnet50_0 of model resnet50 has kind KIND_GPU but server does not support GPUs",
        ),
        near=("the backend supports only one GPU device",),
        releases="Triton 20 and newer",
        sources=("triton-inference-server/server#5863 (2023-05)",),
    ),
    _served(
        "triton-no-version",
        anchor="at least one version must be available under the version policy of model ",
        form=r"at least one version must be available under the version policy of model '(?P<process>[^']{1,100})'",
        speaker=TOOL,
        samples=("E0411 model_repository_manager.cc:1279] Poll failed for model directory 'word_count': at least one version must be available under the version policy of model 'word_count'",),
        near=("a version must be available",),
        releases="Triton 2",
    ),
    _served(
        "grpc-message-too-large",
        anchor="eceived message larger than max",
        form=r"[Rr]eceived message larger than max \((?P<size>\d{1,15}) vs\.? (?P<limit>\d{1,15})\)",
        speaker=EXCEPTION,
        samples=("grpc._channel._InactiveRpcError: Received message larger than max (12582940 vs. 4194304)", "ResourceExhausted: received message larger than max (6653045 vs. 4194304)"),
        near=("received message larger than the last one",),
    ),
)  # fmt: skip
