"""Watches Jupyter's kernels and says, in the notebook, why one died. jupyter_client and zmq are imported here alone."""
