"""What pip, uv, poetry and conda say where they could not install: which release, which Python, whose wish is in the way."""
