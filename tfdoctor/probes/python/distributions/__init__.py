"""What is installed, by the metadata of distributions: their files, what they require, and those in archives."""
