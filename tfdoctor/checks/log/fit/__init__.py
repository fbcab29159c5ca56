"""Packages that ask TensorFlow or Keras for a name that the installed one lacks: which of the two is too new, and what fits."""
