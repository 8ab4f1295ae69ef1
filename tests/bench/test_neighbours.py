"""``benchmarks.neighbours``: ways that guess write what one token a pass writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

import dataset_files
from benchmarks.neighbours import __main__ as neighbours
from benchmarks.neighbours.decoding import AR, WAYS
from benchmarks.neighbours.jacobi import jacobi
from benchmarks.neighbours.ngrams import NGrams, anpd
from benchmarks.neighbours.passes import Passes, Way, n_right, one_by_one
from benchmarks.published.result import load_results
from hpd import prompt
from hpd._native import Model, ModelOptions
from hpd.prompt import PromptTokenizer, key_text
from hpd.schema import load_schemas
from small_model import small_model

TEXTS = ("Nike Air Max, Black, Size 10", "Lipton green tea, 20 bags, green tea with lemon")
SCHEMA = load_schemas(["Brand", "Color", "Product type"])


@pytest.fixture(scope="module")
def passes() -> Iterator[Passes]:
    made = Passes(small_model())
    yield made
    made.close()


@pytest.fixture(scope="module")
def prompts() -> list[list[int]]:
    """Those of the whole answer, and of each value, to each text."""
    options = ModelOptions()
    options.vocab_only = True
    model = Model([str(small_model())], options)
    tokenizer = PromptTokenizer(model, prompt.system_text(), prompt.instruction_text(SCHEMA))
    keys = ["", *(key_text((each.name,)) for each in SCHEMA.attributes)]
    made = [tokenizer.tokenize([text], keys) for text in TEXTS]
    return [[*each.prompt, *key] for each in made for key in each.keys]


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(partial(jacobi, n_block=64), id="jacobi"),
        pytest.param(partial(jacobi, n_block=4), id="hybrid"),
        pytest.param(partial(jacobi, n_block=1), id="blocks of one"),
        pytest.param(anpd, id="anpd"),
    ],
)
def test_guesses_do_not_change_an_answer(
    way: Way, passes: Passes, prompts: Sequence[Sequence[int]]
) -> None:
    for tokens in prompts:
        greedy = one_by_one(passes, tokens)
        margins = dict(passes.margins)
        before = passes.n_passes
        found = way(passes, tokens)
        assert passes.n_passes - before <= len(greedy)
        place = n_right(found, greedy)
        # A pass of more tokens rounds otherwise, which may turn a near tie.
        assert found == greedy or margins[place] < 0.05


def test_what_has_been_said_before_is_read_once(
    passes: Passes, prompts: Sequence[Sequence[int]]
) -> None:
    taken = []
    for way in (one_by_one, anpd):
        before = passes.n_passes
        for tokens in prompts:
            way(passes, tokens)
        taken.append(passes.n_passes - before)
    assert taken[1] < taken[0]


def test_the_longest_context_is_asked_first_and_counts_adapt() -> None:
    ngrams = NGrams()
    ngrams.add([1, 2, 3, 9, 2, 4, 1, 2])
    assert ngrams.draft(2) == [3, 9]
    ngrams.add([5, 1, 2, 5, 1, 2])
    assert ngrams.draft(1) == [5]
    ngrams.add([77])
    assert ngrams.draft(3) == []


def test_a_guess_is_right_up_to_the_first_token_that_was_not_said() -> None:
    assert n_right([1, 2, 3], [1, 2, 4, 5]) == 2
    assert n_right([], [1]) == 0
    assert n_right([1, 2], [1, 2, 3]) == 2


@pytest.mark.parametrize("part", ["neighbours", "neighbours-whole"])
def test_all_ways_stand_in_one_table(part: str, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "oa-mine"
    folder.mkdir(parents=True)
    titles = dataset_files.extractgpt(folder)
    titles.rename(titles.with_name("dev.jsonl"))
    names = {"Shoes": ["Brand"], "Tea": ["Brand"]}
    titles.with_name("attributes.json").write_text(json.dumps(names))
    asked = ["--data", folder.parent, "-m", small_model(), "--part", part, "--limit", "2"]
    asked += ["--results", tmp_path / "results", "--work", tmp_path / "work", "-t", "1"]
    assert neighbours.main([str(each) for each in asked]) == 0
    (table,) = load_results(tmp_path / "results")[part].finding.tables
    head, ar, *others = table.rows
    assert (ar[0], ar[1], ar[-1]) == (AR, "1.00", "0")
    assert [row[0] for row in others[: len(WAYS) - 1]] == list(WAYS)[1:]
    assert {len(row) for row in table.rows} == {len(head)}
