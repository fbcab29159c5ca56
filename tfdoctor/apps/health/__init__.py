"""The cut-down judgement for container probes. Its path imports next to nothing: a probe has milliseconds."""
