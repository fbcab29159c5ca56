"""What several checks ask of the facts; each answer stands here once. No code is judged here."""
