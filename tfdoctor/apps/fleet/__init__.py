"""The same examination on many nodes through an existing engine, and one summary of any number of reports."""
