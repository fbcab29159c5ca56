"""The release of a companion that is made for a minor of TensorFlow, and the days that part TensorFlow's minors."""

from __future__ import annotations

NUMBERED_ALIKE = ("tensorflow-text", "tf-models-official", "tf-keras", "tensorboard", "tensorflow-estimator")
"""Their minor is TensorFlow's own (their metadata)."""
_EIGHT_AHEAD = ("tensorflow-probability", "tensorflow-addons")
"""0.N+8 is made for TensorFlow 2.N, from 2.1 on (their release notes; addons ended with 0.23, for 2.15)."""
ENDED = ("tensorflow-addons", "tflite-model-maker")
"""No longer developed: a newer one does not come (their own notes)."""
_LAST = {"tensorflow-probability": 16, "tensorflow-addons": 15, "tf-keras": 99, "tensorflow-text": 99}
NEXT = {
    "1.15": "2020-01-08", "2.0": "2020-01-08", "2.1": "2020-05-07", "2.2": "2020-07-27", "2.3": "2020-12-14", "2.4": "2021-05-13", "2.5": "2021-08-11",
    "2.6": "2021-11-04", "2.7": "2022-02-02", "2.8": "2022-05-16", "2.9": "2022-09-06", "2.10": "2022-11-18", "2.11": "2023-03-22",
    "2.12": "2023-07-05", "2.13": "2023-09-26", "2.14": "2023-11-14", "2.15": "2024-03-08", "2.16": "2024-07-11", "2.17": "2024-10-24",
    "2.18": "2025-03-12", "2.19": "2025-08-13",
}  # fmt: skip
"""The day on which the wheels of the minor after it were uploaded (the registry, read 2026-11-22): what is older was not made for a newer one."""


def pin(package: str, minor: str) -> str:
    """ "keras==2.9.*" for TensorFlow 2.9; "" where no release is known to be made for it."""
    major, number = (int(each) for each in minor.split("."))
    if package == "keras":
        return _keras(major, number)
    if major != 2 or number > _LAST.get(package, 15):
        return ""
    if package in _EIGHT_AHEAD and number >= 1:
        return f"{package}==0.{number + 8}.*"
    if package in NUMBERED_ALIKE and (package != "tf-keras" or number >= 15):
        return f"{package}==2.{number}.*"
    return ""


def _keras(major: int, number: int) -> str:
    """Before 2.6 TensorFlow had its Keras inside, and the package was another one: 2.4.3 only passes on to it, from 2.2 to 2.5."""
    if major == 1 or number < 2:
        return "keras==2.3.1"
    if number < 6:
        return "keras==2.4.3"
    return f"keras==2.{number}.*" if number <= 15 else "keras>=3"


def closest(package: str, minors: tuple[str, ...]) -> tuple[str, str]:
    """The pin for the newest of the minors that has one, and that minor; "" twice for none."""
    for minor in reversed(minors):
        if found := pin(package, minor):
            return found, minor
    return "", ""
