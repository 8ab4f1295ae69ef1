"""Commands of evaluation, one module each."""
