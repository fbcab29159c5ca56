"""The installed TensorFlow, read from its files and never imported."""
