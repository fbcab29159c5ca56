"""Programs that died in a way that another line of their log explains: memory that grew, a copy on a Mac, other languages' programs."""
