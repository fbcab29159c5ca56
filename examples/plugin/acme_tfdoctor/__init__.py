"""Acme's rules for machines that run TensorFlow: checks, a probe, a message and their pages."""
