"""AMD GPUs: builds that leave them out, what AMD's tools and libraries say, and what that means."""
