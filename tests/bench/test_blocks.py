"""Blocks of masked tokens (``benchmarks.paper.neighbours``), and how a model is taught them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from benchmarking import a_few_titles, tables_of
from benchmarks.paper.neighbours.blocks import WAYS, Blocks, confident, lexical_unit
from benchmarks.paper.neighbours.taught_blocks import N_BLOCK, mask_token, masked, segment
from hpd.schema import load_schema
from hpd.training.data import LabelledDocument, RowMaker
from hpd.training.network import (
    PACKED_ATTENTION,
    AttentionSegment,
    GgufVocabulary,
    load_network,
    use_attention,
)
from hpd.training.rows import NO_TARGET, Prompter
from small_model import small_model

MASK, END = -7, -1
SCHEMA = load_schema(["Brand", "Color", "Product type"])
TEXT = "Lipton green tea, 20 bags, green tea with lemon"


@pytest.mark.parametrize("length", [1, 4, N_BLOCK, N_BLOCK + 3])
def test_what_is_read_is_right_or_masked_and_the_value_is_taught(length: int) -> None:
    rng = Random(length)
    value = list(range(100, 100 + length))
    block = [*value, *[END] * N_BLOCK][:N_BLOCK]
    for _ in range(50):
        read, taught = masked(value, MASK, END, rng)
        assert all(token in (MASK, right) for token, right in zip(read, block[:-1], strict=True))
        assert read[0] == taught[0] == value[0]
        for index in range(1, N_BLOCK):
            is_hidden = index == N_BLOCK - 1 or read[index] == MASK
            is_of_value = index <= length
            assert taught[index] == (block[index] if is_hidden and is_of_value else NO_TARGET)


def test_next_to_what_is_written_or_anywhere() -> None:
    sure = [0.5, 0.95, 0.2, 0.99]
    assert lexical_unit(sure) == [0]
    assert lexical_unit([0.95, *sure]) == [0]
    assert lexical_unit([0.95, 0.91, 0.1, 1.0]) == [0, 1]
    assert confident(sure) == [1, 3]
    assert confident([0.2, 0.3, 0.1]) == [1]


class AllMasked(Random):
    """Draws a block that is masked from its second token on."""

    def random(self) -> float:
        return 0.0

    def randrange(self, *_: int) -> int:
        return 1


def test_blocks_are_taught_as_they_are_decoded() -> None:
    vocabulary, network = GgufVocabulary(small_model()), load_network(small_model())
    keys = ['{"Brand":', '{"Color":']
    prompt = Prompter(vocabulary, SCHEMA, "branch").fields([TEXT], keys)
    blocks = Blocks(network, vocabulary)
    blocks.begin(prompt.tokens)
    decoded = [blocks.value(key, partial(confident, least=0.0)) for key in prompt.keys]
    first = []
    for key in prompt.keys:
        blocks.begin(prompt.tokens)
        first.append(blocks.first(key))

    maker = RowMaker(vocabulary, N_BLOCK)
    row = maker.fields([LabelledDocument(TEXT, SCHEMA, {"Brand": "x" * 40, "Color": "y" * 40})])
    assert row is not None
    tokens, _, own = segment(row, mask_token(vocabulary), vocabulary.eos, AllMasked(), 0)
    ends = []
    n = len(prompt.tokens)
    for key, token in zip(prompt.keys, first, strict=True):
        n += len(key)
        tokens[n] = token
        ends.append(n)
        n += N_BLOCK - 1
    assert n == len(tokens)
    said = packed_says(network, tokens, own, mask_token(vocabulary))
    for end, token, text in zip(ends, first, decoded, strict=True):
        block = said[end - 1 : end - 1 + N_BLOCK]
        assert block[0] == token
        assert blocks.text(block) == text


def packed_says(network: Any, tokens: Any, own: AttentionSegment, mask: int) -> list[int]:
    """The likeliest token after each of a packed row's."""
    use_attention(network, PACKED_ATTENTION)
    with torch.no_grad():
        hidden = network.get_decoder()(
            input_ids=torch.from_numpy(tokens)[None],
            position_ids=own.positions[None],
            use_cache=False,
            segments=[own],
        ).last_hidden_state[0]
        logits = network.get_output_embeddings()(hidden)
    logits[:, mask] = -torch.inf
    return list(logits.argmax(-1).tolist())


def test_sure_enough_is_one_pass_and_never_sure_is_one_token_a_pass() -> None:
    vocabulary = GgufVocabulary(small_model())
    blocks = Blocks(load_network(small_model()), vocabulary)
    prompt = Prompter(vocabulary, SCHEMA, "branch").fields([TEXT], ['{"Product type":'])
    blocks.begin(prompt.tokens)
    for taken, is_one in (
        (partial(lexical_unit, least=0.0), True),
        (WAYS["one token a pass"], False),
    ):
        n_passes, n_tokens = blocks.n_passes, blocks.n_tokens
        text = blocks.value(prompt.keys[0], taken)
        assert text.startswith((" ", '"', "n"))
        n_passes, n_tokens = blocks.n_passes - n_passes, blocks.n_tokens - n_tokens
        assert n_passes == (min(2, n_tokens) if is_one else n_tokens)


def test_all_ways_stand_in_one_table(tmp_path: Path) -> None:
    a_few_titles(tmp_path)
    (table,) = tables_of("blocks", tmp_path)
    assert [row[0] for row in table.rows[1:]] == list(WAYS)
    assert (table.rows[1][1], table.rows[1][-1]) == ("1.00", "0")
