"""What a log tells of the GPU itself, its driver, its libraries and its compiler."""
