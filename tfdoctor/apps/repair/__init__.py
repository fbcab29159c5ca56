"""`tfdoctor fix`: tries a fix in a clone of the environment, proves that it helps, exchanges the two, and can undo it."""
