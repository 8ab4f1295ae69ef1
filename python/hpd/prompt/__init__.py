"""The prompt: its text, the model's chat template, and its tokens."""
