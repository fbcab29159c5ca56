"""What people and programs start: commands, health check, notebooks, fleet, assistants, the browser."""
