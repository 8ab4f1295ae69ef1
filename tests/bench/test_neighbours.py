"""``benchmarks.paper.neighbours``: ways that guess write what one token a pass writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from benchmarking import a_few_titles, tables_of
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours import chained, padellm, reasoning
from benchmarks.paper.neighbours.ways import (
    AR,
    WAYS,
    NGrams,
    Passes,
    Way,
    anpd,
    jacobi,
    n_right,
    one_by_one,
)
from hpd._native import Model, ModelOptions
from hpd.prompt.text import instruction_text, key_text, system_text
from hpd.prompt.tokens import PromptTokenizer
from hpd.results import Extraction, FieldValue
from hpd.schema import Schemas, load_schema
from jsonl import write_lines
from small_model import small_model

TEXTS = ("Nike Air Max, Black, Size 10", "Lipton green tea, 20 bags, green tea with lemon")
SCHEMA = load_schema(["Brand", "Color", "Product type"])


@pytest.fixture(scope="module")
def passes() -> Iterator[Passes]:
    made = Passes(small_model())
    yield made
    made.close()


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(None, tmp_path, model=small_model(), n_threads=1)


@pytest.fixture(scope="module")
def prompts() -> list[list[int]]:
    """Those of the whole answer, and of each value, to each text."""
    options = ModelOptions()
    options.vocab_only = True
    model = Model([str(small_model())], options)
    tokenizer = PromptTokenizer(model, system_text(), instruction_text(SCHEMA))
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


def test_each_token_is_noted_with_the_pass_after_which_it_is_final(
    passes: Passes, prompts: Sequence[Sequence[int]]
) -> None:
    for way in (one_by_one, anpd, partial(jacobi, n_block=4)):
        before = passes.n_passes
        answer = way(passes, prompts[1])
        assert len(passes.final) == len(answer)
        assert passes.final == sorted(passes.final)
        assert (passes.final[0], passes.final[-1]) == (1, passes.n_passes - before)
    assert chained([[1, 2], [1], [1, 2, 2]]) == [1, 2, 3, 4, 5, 5]


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


def test_a_text_that_several_labels_claim_is_the_likeliest_ones() -> None:
    given = {
        "person": [("Paris", 0.4), ("Ada", 0.9), ("Ada", 0.2)],
        "city": [("Paris", 0.7), ("Ada", 0.3)],
        "product": [],
    }
    fields = {
        f"{label}[{i}]": FieldValue(confidence, value=text)
        for label, texts in given.items()
        for i, (text, confidence) in enumerate(texts)
    }
    fields["person"] = FieldValue(0.9, value=3)
    data = {label: [text for text, _ in texts] for label, texts in given.items()}
    extraction = Extraction(id="1", data=data, fields=fields)
    assert padellm.without_doubles(extraction) == {
        "person": ["Ada", "Ada"], "city": ["Paris"], "product": [],
    }  # fmt: skip
    assert padellm.first_mentions(extraction) == {"person": "Ada", "city": "Paris", "product": None}


def test_without_tokens_to_think_nothing_else_is_asked() -> None:
    assert reasoning.side_by_side(SCHEMA, 0) == SCHEMA
    assert reasoning.one_chain(SCHEMA, 0) == SCHEMA


def test_each_value_sees_its_own_thought_alone(bench: Workbench) -> None:
    asked = reasoning.side_by_side(SCHEMA, 2)
    names = [each.name for each in SCHEMA.attributes]
    assert [each.after for each in asked.attributes[len(names) :]] == [
        (f"Thought on {name}",) for name in names
    ]
    with reasoning.TITLES.extractor(bench, Schemas.of(SCHEMA)) as extractor:
        extraction = extractor.extract(TEXTS[0])
    assert list(reasoning.values(extraction)) == names
    thoughts = [extraction.data[f"Thought on {name}"] for name in names]
    assert all(0 < len(thought) <= 32 for thought in thoughts)


def test_all_ways_stand_in_one_table(tmp_path: Path) -> None:
    a_few_titles(tmp_path)
    (table,) = tables_of("neighbours", tmp_path)
    head, ar, *others = table.rows
    assert (ar[0], ar[1], ar[-1]) == (AR, "1.00", "0")
    assert [row[0] for row in others[: len(WAYS) - 1]] == list(WAYS)[1:]
    assert {len(row) for row in table.rows} == {len(head)}


def test_thoughts_of_every_length_stand_in_one_table(tmp_path: Path) -> None:
    a_few_titles(tmp_path)
    (table,) = tables_of("reasoning", tmp_path)
    assert table.rows[0][1:4] == ["F1, R = 0", "F1, R = 8", "F1, R = 32"]
    assert len(table.rows) == 3


def test_entities_are_counted_by_their_labels(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "crossner"
    folder.mkdir(parents=True)
    rows = [{"text": "Ada lives in Oslo .", "gold": {"person": ["Ada"], "city": None}}]
    write_lines(folder / "ai.jsonl", *rows)
    lists = {name: {"type": "array", "items": {"type": "string"}} for name in ("person", "city")}
    schema = {"type": "object", "properties": lists}
    (folder / "ai.schema.json").write_text(json.dumps(schema))
    (table,) = tables_of("entities", tmp_path)
    assert [row[0] for row in table.rows] == [
        "way", "AR: one object of lists", "counts, then all mentions at once",
        "PaDeLLM: the same without doubles",
    ]  # fmt: skip
