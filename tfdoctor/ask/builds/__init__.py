"""Reads build files (Dockerfiles, requirements, locks, notebooks …) as what they say of the environments that they make."""
