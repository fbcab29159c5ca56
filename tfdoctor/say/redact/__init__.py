"""Takes out of a report what a ticket must not hold."""
