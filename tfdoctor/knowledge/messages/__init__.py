"""What programs say, as data: one catalogue, by code, of the texts that give a cause away, and of those that mean nothing."""
