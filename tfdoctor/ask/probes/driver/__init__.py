"""NVIDIA's driver: its files, and what libcuda and NVML answer in a child."""
