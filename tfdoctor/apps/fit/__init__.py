"""The largest batch that fits, found by trials in children (`tfdoctor fit`)."""
