"""What depends on this computer: its processor, its files, what was tuned on it."""
