"""What a kernel runs of tfdoctor by choice, and what it leaves for whoever watches it."""
