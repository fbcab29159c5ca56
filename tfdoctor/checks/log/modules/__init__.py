"""Modules and libraries that a process does not find, and what an unpickled object asks for: who asks, and what brings it."""
