"""What pip's lines tell beside its list of releases: the Pythons that others ask for, an old pip, a system without files."""
