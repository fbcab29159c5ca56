"""What a log says of NumPy: names that it removed, forms that it changed, releases that a TensorFlow is made for."""
