"""What can be said: the findings, their codes, and which of them is the cause of which. Asks and judges nothing."""
