"""A simulated NVIDIA driver and CUDA libraries: C sources, built by gcc in seconds, obeying one scenario file."""
