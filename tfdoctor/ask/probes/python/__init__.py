"""The examined interpreter and what is installed for it, read from files or asked in a child."""
