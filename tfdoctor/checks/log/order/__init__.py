"""Which way out comes first: what is free before what is dear, what was not tried before what was."""
