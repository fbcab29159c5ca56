"""tfdoctor: why TensorFlow won't use this GPU or can't be imported, with the command that fixes it."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """`%load_ext tfdoctor` (docs/jupyter.md)."""
    from tfdoctor.jupyter.inside.extension import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext tfdoctor`."""
    from tfdoctor.jupyter.inside.extension import unload

    unload()
