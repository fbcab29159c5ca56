"""What would work here, and the commands that put right what was found, made for the environment at hand."""
