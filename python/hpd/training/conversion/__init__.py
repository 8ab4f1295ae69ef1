"""Models between transformers and llama.cpp: checkpoints and adapters to GGUF, GGUF to checkpoints.

What differs between families of models, and how their rotary positions and tokenizers are written
down on either side, has one module each; both directions use it.
"""
