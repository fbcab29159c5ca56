"""What would work on this machine, and the fixes that follow from it."""
