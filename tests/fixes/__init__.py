"""Every command that a fix prints: typed in a test, resolved, or in the list of those that can't be typed here, with why."""
