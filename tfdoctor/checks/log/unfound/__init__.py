"""CUDA libraries that a process did not find: which, whether the log shows them elsewhere, and how to lead there."""
