"""What paths and the bytes of files tell: names that mean another machine, or another text than was meant, and files of another kind."""
