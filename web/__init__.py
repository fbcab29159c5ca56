"""The pages of the documentation site that run tfdoctor in a browser."""
