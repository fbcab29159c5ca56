"""What is supported: facts of the published TensorFlow wheels and of NVIDIA's pages, each with its source."""
