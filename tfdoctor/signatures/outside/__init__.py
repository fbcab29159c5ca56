"""What Python's own parts say of the world around a program: its encodings, its downloads, the desktop it was started from."""
