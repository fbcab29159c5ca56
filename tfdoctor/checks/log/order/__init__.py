"""Which way out comes first: what is free before what is expensive, what was not tried before what was."""
