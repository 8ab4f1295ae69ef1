"""Models behind an OpenAI-compatible endpoint, asked as a local one is (the extra ``api``)."""
