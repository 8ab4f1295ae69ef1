"""Checkpoints in and out: load one for training or decoding, save one with its tokenizer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from hpd.errors import InputError, ModelLoadError

_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
)


def load_model(folder: Path, device: str = "cpu") -> Any:
    """A causal language model in F32, with attention that takes any mask."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, attn_implementation="sdpa", dtype=torch.float32, local_files_only=True
        )
    except (OSError, ValueError) as error:
        raise ModelLoadError(f"{folder}: {error}") from error
    finally:
        if bars:
            logging.enable_progress_bar()
    return model.to(device).eval()


def attention_mask(model: Any, visible: Any, queries: Any, keys: Any) -> Any:
    """The attention mask in a model's form: layers with a sliding window see less.

    Args:
        model: a causal language model.
        visible: a dense mask, (rows, 1, queries, keys).
        queries: position ids of the tokens that are fed, (rows, queries).
        keys: position ids of the tokens that they may see, (rows, keys).
    """
    config = model.config.get_text_config()
    n_window = getattr(config, "sliding_window", None)
    kinds = getattr(config, "layer_types", None)
    if n_window is None or (kinds is not None and "sliding_attention" not in kinds):
        return visible
    distance = queries[:, None, :, None] - keys[:, None, None, :]
    near = visible & (distance < n_window)
    return near if kinds is None else {"full_attention": visible, "sliding_attention": near}


def save_model(model: Any, source: Path, folder: Path) -> None:
    """A model with the tokenizer of the checkpoint it began as."""
    model.save_pretrained(folder)
    copy_tokenizer(source, folder)


def copy_tokenizer(source: Path, folder: Path) -> None:
    """Copy the files of the tokenizer and of the chat template."""
    present = [name for name in _TOKENIZER_FILES if (source / name).exists()]
    if not present:
        raise InputError(f"{source} holds no tokenizer")
    for name in present:
        shutil.copy(source / name, folder / name)
