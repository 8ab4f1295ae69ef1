"""The time, and that alone, of an encoder shaped as DeBERTa-v3-base on the same documents.

    python benchmarks/peers/encoder.py gold.jsonl --schema schema.json --replay gold.jsonl \\
        -m model.gguf -o encoder.jsonl

GLiNER2 and the like build on this encoder: it reads the names of the attributes and the document
once, and small layers on top of it mark the values. Here it has random weights and nothing on top,
so there are no answers to check: the time is what such a method takes at least. A document counts
as many tokens as it and the attributes have in the prompt of `-m`. Needs the extra `training`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from common import Method, Question, load, measure, parser, report

from hpd import _native
from hpd.prompt import attribute_lines

_BATCH = 8
_SHAPE = {
    "vocab_size": 128_100,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
}
"""The shape of DeBERTa-v3-base, as its configuration has it: 184 million parameters."""


def encoder(dtype: torch.dtype, shape: dict[str, object]) -> torch.nn.Module:
    """The encoder with random weights."""
    from transformers import DebertaV2Config, DebertaV2Model

    torch.manual_seed(0)
    model: torch.nn.Module = DebertaV2Model(DebertaV2Config(**shape))
    return model.to(dtype).eval()


def reading(model: torch.nn.Module, lengths: dict[int, int], n_vocabulary: int) -> Method:
    """Read documents in batches, those of similar lengths together, padded to the longest."""

    def read(questions: Sequence[Question]) -> int:
        ordered = sorted(lengths[id(question)] for question in questions)
        with torch.inference_mode():
            for start in range(0, len(ordered), _BATCH):
                batch = ordered[start : start + _BATCH]
                ids = torch.arange(len(batch) * batch[-1]).reshape(len(batch), -1) % n_vocabulary
                mask = torch.arange(batch[-1])[None, :] < torch.tensor(batch)[:, None]
                model(input_ids=ids, attention_mask=mask.long())
        return 0

    return read


def main(arguments: list[str] | None = None) -> None:
    made = parser(__doc__.splitlines()[0])
    made.add_argument("--layers", type=int, default=_SHAPE["num_hidden_layers"])
    options = made.parse_args(arguments)
    asked = load(options)
    vocabulary = _native.ModelOptions()
    vocabulary.vocab_only = True
    tokenizer = _native.Model([options.model], vocabulary)
    items = [*asked.workload.items, *asked.workload.warm_up]
    lengths = {}
    for question, item in zip([*asked.questions, *asked.warm_up], items, strict=True):
        names = "\n".join(attribute_lines(asked.workload.schema(item.category)))
        lengths[id(question)] = len(tokenizer.tokenize(f"{names}\n{item.text}"))
    if options.threads:
        torch.set_num_threads(options.threads)
    shape = {**_SHAPE, "num_hidden_layers": options.layers}
    methods = {
        f"encoder of 184M, {name} (time alone)": reading(
            encoder(dtype, shape), lengths, int(str(shape["vocab_size"]))
        )
        for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16))
    }
    settings = {"n_batch": _BATCH, "n_tokens": sum(lengths[id(q)] for q in asked.questions)}
    rows = measure(asked, methods, options.rounds, settings)
    for row in rows:
        row["time_alone"] = True
    report(rows, options.output)


if __name__ == "__main__":
    main()
