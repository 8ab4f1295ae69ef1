"""Tiny random transformers checkpoints: every family of models with every kind of tokenizer."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from tokenizers import Regex, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers.convert_slow_tokenizer import generate_merges

from tiny_models import CHAT_TEMPLATE

SPACE = "\u2581"
LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GEMMA_TEMPLATE = (
    "{{ bos_token }}{%- for message in messages -%}"
    "{{ '<start_of_turn>' + message.role + '\n' + message.content + '<end_of_turn>\n' }}"
    "{%- endfor -%}{%- if add_generation_prompt -%}{{ '<start_of_turn>model\n' }}{%- endif -%}"
)
LLAMA2_TEMPLATE = (
    "{{ bos_token }}{%- for message in messages -%}{%- if message.role == 'user' -%}"
    "{{ '[INST] ' + message.content + ' [/INST]' }}{%- else -%}{{ ' ' + message.content }}"
    "{%- endif -%}{%- endfor -%}"
)
_SENTENCES = (
    "Zorvex Trail 5 Sneaker, Black/White, leather and cotton, size 10.5 for men and women",
    'The answer is {"Brand": "Nike", "Color": null, "Size": 12} and not {"Brand": "Adidas"}',
    "Große Straßenschuhe für Herren: weiß, grün, blau; Preis 1.299,00 € statt 1.499,00 €",
    "日本製の新款女装、日本の革靴と女性の服。한국어 텍스트 👍🏽 👍 🇩🇪",
    "  indented\n\nparagraphs\n  with   runs of spaces --- and dashes ------ and dots ......",
)


# --- tokenizers -----------------------------------------------------------------------------------


def _byte_level_model() -> BPE:
    learner = tokenizers.Tokenizer(BPE())
    learner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    learner.train_from_iterator(_SENTENCES * 3, trainer)
    return learner.model


def _parts(model: BPE) -> tuple[dict[str, int], list[tuple[str, str]]]:
    learner = tokenizers.Tokenizer(model)
    data = json.loads(learner.to_str())["model"]
    return data["vocab"], [tuple(pair) for pair in data["merges"]]


def _sentencepiece_parts(special: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Pieces in the order of their scores, and the merges that transformers makes of them."""
    learner = tokenizers.Tokenizer(BPE())
    learner.normalizer = normalizers.Replace(" ", SPACE)
    learner.pre_tokenizer = pre_tokenizers.Split(Regex(f"{SPACE}*[^{SPACE}]+"), "isolated")
    trainer = BpeTrainer(vocab_size=500, show_progress=False)
    learner.train_from_iterator(_SENTENCES * 3, trainer)
    learned = learner.get_vocab()
    pieces = sorted(learned, key=learned.__getitem__)
    names = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    vocabulary = {name: number for number, name in enumerate(names)}
    # Characters have no merge, and come last in SentencePiece's files: their scores do not matter.
    scores = {piece: -float(rank) for rank, piece in enumerate(pieces)}
    return vocabulary, generate_merges(vocabulary, scores)


def _qwen2() -> Any:
    vocabulary, merges = _parts(_byte_level_model())
    made = transformers.Qwen2Tokenizer(
        vocab=vocabulary,
        merges=merges,
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
    )
    made.chat_template = CHAT_TEMPLATE
    return made


def _byte_level(expression: str | None = None, *, ignore_merges: bool = False) -> Any:
    """Byte-level BPE with GPT-2's split or another, and a BOS token in front."""
    vocabulary, merges = _parts(_byte_level_model())
    made = tokenizers.Tokenizer(BPE(vocab=vocabulary, merges=merges, ignore_merges=ignore_merges))
    steps: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not expression)]
    if expression:
        steps.insert(0, pre_tokenizers.Split(Regex(expression), "isolated"))
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<|begin_of_text|>", "<|eot_id|>"])
    begin = made.token_to_id("<|begin_of_text|>")
    made.post_processor = processors.TemplateProcessing(
        single="<|begin_of_text|> $A",
        pair="<|begin_of_text|> $A $B",
        special_tokens=[("<|begin_of_text|>", begin)],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|begin_of_text|>", eos_token="<|eot_id|>"
    )


def _llama2() -> Any:
    vocabulary, merges = _sentencepiece_parts(["<unk>", "<s>", "</s>"])
    made = transformers.LlamaTokenizer(vocab=vocabulary, merges=merges, add_bos_token=True)
    made.chat_template = LLAMA2_TEMPLATE
    return made


def _llama2_legacy() -> Any:
    """As the first conversions were: the space is put there by a normalizer, everywhere."""
    vocabulary, merges = _sentencepiece_parts(["<unk>", "<s>", "</s>"])
    made = tokenizers.Tokenizer(
        BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend(SPACE), normalizers.Replace(" ", SPACE)]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace(SPACE, " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def _gemma() -> Any:
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>"]
    vocabulary, merges = _sentencepiece_parts(special)
    made = transformers.GemmaTokenizer(
        vocab=vocabulary,
        merges=merges,
        additional_special_tokens=["<start_of_turn>", "<end_of_turn>"],
        add_bos_token=True,
    )
    # Runs of line ends and spaces are tokens of their own, looked for before merging.
    runs = ["\n\n", "\n\n\n", SPACE * 2]
    assert SPACE * 2 in vocabulary
    made.add_tokens([tokenizers.AddedToken(run, normalized=False, special=False) for run in runs])
    made.chat_template = GEMMA_TEMPLATE
    return made


TOKENIZERS: dict[str, Callable[[], Any]] = {
    "qwen2": _qwen2,
    "gpt-2": _byte_level,
    "llama3": partial(_byte_level, LLAMA3_SPLIT, ignore_merges=True),
    "llama3-merging": partial(_byte_level, LLAMA3_SPLIT),
    "llama2": _llama2,
    "llama2-legacy": _llama2_legacy,
    "gemma": _gemma,
}
"""Byte-level: down to ``llama3-merging``. SentencePiece with byte fallback: the others."""


# --- models ---------------------------------------------------------------------------------------

_SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6,
}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {"attention_bias": True}),
    "mistral": ("Mistral", {"sliding_window": None}),
    "qwen2": ("Qwen2", {"head_dim": 16, "tie_word_embeddings": True}),
    "qwen3": ("Qwen3", {"tie_word_embeddings": True}),
    "gemma3": (
        "Gemma3",
        {
            "sliding_window": 8,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "query_pre_attn_scalar": 32,
        },
    ),
}


def make_checkpoint(folder: Path, family: str, tokenizer: str, **settings: Any) -> Path:
    """Write a checkpoint with random weights: model, settings and tokenizer."""
    made = TOKENIZERS[tokenizer]()
    made.save_pretrained(folder)
    special = {
        "bos_token_id": made.bos_token_id,
        "eos_token_id": made.eos_token_id,
        "pad_token_id": made.pad_token_id,
    }
    return make_model(folder, family, -(-len(made) // 32) * 32, **special, **settings)


def make_model(folder: Path, family: str, vocab_size: int, **settings: Any) -> Path:
    """Write a model with random weights beside whatever tokenizer is in the folder."""
    name, own = FAMILIES[family]
    config_class = getattr(transformers, f"{name}TextConfig", None) or getattr(
        transformers, f"{name}Config"
    )
    config = config_class(vocab_size=vocab_size, **{**_SIZES, **own, **settings})
    model = getattr(transformers, f"{name}ForCausalLM")(config)
    randomise(model)
    model.save_pretrained(folder)
    return folder


def randomise(model: Any) -> None:
    """Weights so large that what a model says hangs on every one of them."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            noise = torch.randn(weights.shape, generator=generator)
            if "norm" in name:
                # Around what leaves the input as it is: 0 for Gemma, which adds 1, else 1.
                weights.copy_(weights.round().clamp(0, 1) + 0.2 * noise)
            else:
                scale = 1.0 if "embed_tokens" in name else 1.5
                weights.copy_(scale * noise / weights.shape[-1] ** 0.5)
