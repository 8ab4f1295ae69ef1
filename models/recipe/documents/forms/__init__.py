"""Forms that somebody has filled in."""
