"""The box's network, as it is trained, against transformers' Qwen3."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

from transformers import Qwen3Config, Qwen3ForCausalLM

from hpd.training.packing import FieldTokens, pack, visible
from recipe.batches import N_TOKENS, joined
from recipe.model import Box, Shape, to_transformers

SHAPE = Shape(96, n_embd=64, n_layer=2, n_head=4, n_head_kv=2, head_dim=16, n_ff=96, n_ctx=256)


@pytest.fixture(scope="module")
def box():
    torch.manual_seed(3)
    traits = torch.tensor([[i // 2 * 2, i % 2, i % 4] for i in range(SHAPE.n_vocab)])
    return Box(SHAPE, traits).eval()


@pytest.fixture(scope="module")
def rows():
    """Rows of different lengths, whose fields share beginnings."""
    rng = np.random.default_rng(4)

    def some(n):
        return rng.integers(1, SHAPE.n_vocab, n).tolist()

    result = []
    for n_prompt in (5, 60, 23):
        begin = some(2)
        fields = [FieldTokens([*begin, *some(n)], some(3)) for n in (1, 2, 4)]
        result.append(pack(some(n_prompt), fields))
    return result


@torch.no_grad()
def test_packed_rows_have_the_logits_of_each_row_alone_in_transformers(box, rows):
    qwen = Qwen3ForCausalLM(Qwen3Config(**SHAPE.as_config(), attn_implementation="eager"))
    missing = qwen.load_state_dict(to_transformers(box), strict=False)
    assert set(missing.missing_keys) <= {"lm_head.weight"}
    assert not missing.unexpected_keys
    expected = []
    for row in rows:
        bias = torch.where(torch.from_numpy(visible(row.parents)), 0.0, -1e9)
        output = qwen.eval()(
            torch.from_numpy(row.tokens).long()[None],
            attention_mask=bias[None, None],
            position_ids=torch.from_numpy(row.positions).long()[None],
        )
        expected.append(output.logits[0])
    batch = joined(rows)
    assert batch.n_tokens == sum(map(len, rows)) < len(batch.tokens) == N_TOKENS
    everything = torch.arange(batch.n_tokens)
    logits = forward(box, batch, everything)
    difference = (logits - torch.cat(expected)).abs().max()
    # The products are computed in bfloat16.
    assert difference < 0.03 * torch.cat(expected).abs().max()
    blind = replace(batch, masks=[np.eye(len(mask), dtype=bool) for mask in batch.masks])
    assert (forward(box, blind, everything) - torch.cat(expected)).abs().max() > 10 * difference


@torch.no_grad()
def test_a_row_s_logits_do_not_depend_on_the_others(box, rows):
    alone = forward(box, joined(rows[1:2]), torch.arange(len(rows[1])))
    first = len(rows[0])
    among = forward(box, joined(rows), torch.arange(first, first + len(rows[1])))
    assert torch.allclose(alone, among, atol=1e-3)


def forward(box, batch, picked):
    masks = [torch.from_numpy(mask) for mask in batch.masks]
    with torch.autocast("cpu", torch.bfloat16):
        return box(
            torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions), masks, picked
        ).float()
