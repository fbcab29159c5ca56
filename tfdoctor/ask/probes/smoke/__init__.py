"""Proves the verdict: small computations in children, by the driver, by the libraries, by TensorFlow itself."""
