"""Times methods, searches for fast settings, and checks installations."""
