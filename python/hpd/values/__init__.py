"""Values: constraints on what is written, texts parsed into values, and these put together."""
