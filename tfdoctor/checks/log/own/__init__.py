"""What a program's own call, file or data ended it with, where TensorFlow's words alone tell what is wrong."""
