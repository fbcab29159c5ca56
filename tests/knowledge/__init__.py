"""The knowledge as data: what its builder refuses, and that each slip is named with its place."""
