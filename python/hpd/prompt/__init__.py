"""The prompt: its text, the model's chat template around it, and its tokens."""
