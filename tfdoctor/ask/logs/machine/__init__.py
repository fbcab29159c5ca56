"""What a log tells of the machine it was written on."""
