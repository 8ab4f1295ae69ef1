"""Labels taught by a box's own answers: what the rows of a pair share, and a run in miniature."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from hpd.training.packing import NO_TARGET, FieldTokens, pack
from recipe import teach_labels, train
from small_box import run, start_of


def test_both_rows_of_a_pair_teach_the_same_values(tokenizer_folder):
    tokenizer = Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json"))
    pairs = list(islice(teach_labels.pairs(5, tokenizer, None), 80))
    shown = 0
    for pair in pairs:
        wanted, taught = (
            row.targets[row.targets != NO_TARGET] for row in (pair.shown, pair.taught)
        )
        np.testing.assert_array_equal(wanted, taught)
        if pair.taught is not pair.shown:
            shown += 1
            # A key is a letter instead of its name in JSON.
            assert len(pair.taught) - pair.taught.n_prompt < len(pair.shown) - pair.shown.n_prompt
    assert 0 < shown < len(pairs)
    assert any(pair.is_given for pair in pairs)


def test_states_are_matched_where_a_key_ends_and_where_a_value_begins():
    row = pack([1, 2], [FieldTokens([3, 4], [5, 6, 7]), FieldTokens([3, 8], [9])])
    picked = np.flatnonzero(row.targets != NO_TARGET)
    begins = dict(zip(row.tokens[picked].tolist(), teach_labels._begins(row).tolist(), strict=True))
    assert begins == {4: True, 5: True, 6: False, 8: True}


def test_all_states_of_what_stays_are_matched_and_none_of_what_the_teacher_does_not_know():
    row = pack([1, 2], [FieldTokens([3, 4], [5, 6, 7])])
    other = pack([1, 2, 8], [FieldTokens([9], [5, 6, 7])])
    kept, taught = teach_labels.Pair(row, row), teach_labels.Pair(other, row)
    given = teach_labels.Pair(row, row, is_given=True)
    batch = teach_labels.joined([kept, taught, given])
    assert batch.matched.tolist() == [*[True] * 3, *[True, True, False], *[False] * 3]


def test_rows_that_teach_other_values_are_no_pair():
    one, other = (pack([1, 2], [FieldTokens([3], [value])]) for value in (4, 5))
    with pytest.raises(ValueError, match="what a pair teaches"):
        teach_labels.joined([teach_labels.Pair(one, other)])


def test_a_student_learns_beside_the_box_that_it_began_as(folder, monkeypatch):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0
    other = start_of(folder)
    trainer = teach_labels.LabelTrainer(other, "small", "cpu", 60.0)
    before = {name: value.clone() for name, value in trainer.teacher.state_dict().items()}
    for name, value in trainer.model.state_dict().items():
        torch.testing.assert_close(value, before[name])
    tokenizer = Tokenizer.from_file(str(other / "tokenizer.json"))
    monkeypatch.setattr(teach_labels, "P_LABEL", 0.8)  # there is but one batch
    batch = next(teach_labels.stream(3, tokenizer, None))
    # The student is the teacher, so only labels and look-ups are to be learned.
    first, _ = trainer._losses(batch)
    for _ in range(12):
        loss, _ = trainer._losses(batch)
        loss.backward()
        trainer.optimizer.step(0.3)
    assert loss < 0.9 * first
    for name, value in trainer.teacher.state_dict().items():
        torch.testing.assert_close(value, before[name])


def test_the_teacher_may_be_another_box_than_the_start(folder, monkeypatch):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0
    other = start_of(folder)
    asked = []

    def unpacked(gguf, place):
        asked.append(gguf.name)
        place.mkdir()
        weights = load_file(other / "start" / "model.safetensors")
        weights["model.norm.weight"] += 1
        save_file(weights, place / "model.safetensors")

    monkeypatch.setattr(teach_labels, "gguf_to_transformers", unpacked)
    monkeypatch.setattr(teach_labels.LabelTrainer, "train", lambda *_: None)
    arguments = ("--teacher", "box.gguf", "--minutes", "9", "--resume", "--held-out", "0")
    for _ in range(2):
        assert run(other, monkeypatch, *arguments, main=teach_labels.main) == train.UNFINISHED
    assert asked == ["box.gguf"]
    trainer = teach_labels.LabelTrainer(other, "small", "cpu", 60.0)
    torch.testing.assert_close(trainer.teacher.out_norm, trainer.model.out_norm + 1)
    torch.testing.assert_close(trainer.teacher.q, trainer.model.q)


def test_a_box_to_begin_with_is_needed(folder, monkeypatch):
    with pytest.raises(SystemExit, match="--start BOX"):
        run(folder, monkeypatch, main=teach_labels.main)
    # Not even a tokenizer is made, which would keep a later start from being looked at.
    empty = folder / "empty"
    with pytest.raises(SystemExit, match="--start BOX"):
        run(empty, monkeypatch, main=teach_labels.main)
    assert not empty.exists()


def test_a_call_ends_with_its_loss_on_text_kept_aside(folder, monkeypatch):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0
    other = start_of(folder)
    part = ("--part", "0.001", "--minutes", "9", "--held-out", "1")
    assert run(other, monkeypatch, *part, main=teach_labels.main) == train.UNFINISHED
    last = json.loads((other / "log.jsonl").read_text().splitlines()[-1])
    assert last["held_out_loss"] > 0
