"""Asks the machine, never judges. One subject a file; what can hang or die is asked in a child with a clock."""
