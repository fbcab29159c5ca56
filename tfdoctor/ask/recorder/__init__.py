"""Starts a command, watches it and asks about its death: more facts. It judges nothing, and the command is untouched."""
