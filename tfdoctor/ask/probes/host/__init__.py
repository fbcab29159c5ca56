"""The machine and what it grants this process: system, processor, memory, control group, container."""
