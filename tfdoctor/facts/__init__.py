"""What is known about a machine: typed facts, their outcomes and their JSON form. Asks nothing, judges nothing."""
