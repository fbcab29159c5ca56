"""How fast and how large the commands are, each beside a reference in the same run. `python -m benchmarks` runs all."""
