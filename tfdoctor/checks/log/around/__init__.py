"""What stands around the words of a log: where it ends, which system wrote it, what else was at work."""
