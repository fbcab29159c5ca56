"""Names that a log tells: a pod's is private, a package's is not."""

from __future__ import annotations

from tfdoctor.say.redact.identity import Identity, with_names_of


def hosts(*lines: str) -> tuple[str, ...]:
    return with_names_of(Identity(), lines).hosts


def test_what_kubectl_describes_has_a_private_name() -> None:
    assert hosts("Name:         train-7f9c", "Namespace:    research") == ("research", "train-7f9c")


def test_a_name_in_the_last_line_is_private() -> None:
    assert hosts("Name: train-7f9c") == ("train-7f9c",)


def test_what_pip_shows_is_a_package() -> None:
    assert hosts("Name: tensorflow-cpu", "Version: 2.15.0", "Location: /usr/lib/python3") == ()
