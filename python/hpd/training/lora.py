"""Low-rank adapters, by PEFT."""

from __future__ import annotations

import warnings
from typing import Any

LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The linear layers of every block; llama.cpp's adapters can hold all of them."""


def add_lora(model: Any, rank: int, alpha: float, seed: int = 0) -> Any:
    """The model with fresh adapters, drawn by a seed, which alone will be trained."""
    import torch
    from peft import LoraConfig, get_peft_model

    settings = LoraConfig(
        r=rank,
        lora_alpha=alpha,
        lora_dropout=0.0,
        target_modules=list(LAYERS),
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        # PEFT reads a name that transformers is about to give up.
        warnings.simplefilter("ignore", FutureWarning)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return get_peft_model(model, settings)


def plain(model: Any) -> Any:
    """The causal language model itself, whether or not adapters are in it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model
