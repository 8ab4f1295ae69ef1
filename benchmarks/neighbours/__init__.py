"""Other ways to write more than one token at a time, on the same model and the same documents."""
