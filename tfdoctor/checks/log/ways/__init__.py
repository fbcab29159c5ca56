"""What to type where words alone gave a cause away."""
