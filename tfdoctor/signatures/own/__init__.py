"""What TensorFlow says of a program's own."""
