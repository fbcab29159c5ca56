"""What build files say, and what lint makes of it."""
