"""What takes several lines of a log: tracebacks, the accounts of the allocator, the tables of nvidia-smi."""
