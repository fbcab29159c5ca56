"""Says what was found: a report in, text out. Pure; nothing is asked or judged here."""
