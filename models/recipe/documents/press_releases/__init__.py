"""Press releases."""
