"""Programs and libraries that come from elsewhere: those that a shell did not find, and those that a container or an environment brings along."""
