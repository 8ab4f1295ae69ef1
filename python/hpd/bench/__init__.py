"""Methods timed side by side, the search for fast settings, and the check of an installation."""
