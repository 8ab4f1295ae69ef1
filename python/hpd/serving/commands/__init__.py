"""Commands of serving, one module each."""
