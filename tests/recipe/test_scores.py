"""The scores of the model's card on data sets."""

import json

import pytest

from hpd.evaluation.rows import Example
from recipe import scores

SENTENCES = {
    "Ann met Bo in Oslo .": {"person": ["Ann", "Bo"], "place": ["Oslo"], "misc": None},
    "Nothing here .": {"person": None, "place": None, "misc": ["Nothing"]},
}


def test_an_entity_is_right_under_its_own_type_and_once():
    example = Example("1", "", "", {"person": ["Ann", "Bo"], "place": None, "misc": ["x"]})
    counts = scores.entity_counts(
        example, {"person": ["Ann", "Ann"], "place": ["Bo"], "misc": ["x", "y"]}
    )
    assert list(counts) == [1, 3, 2]
    assert list(scores.entity_counts(example, None)) == [0, 0, 2]


def test_each_domain_counts_the_same(tmp_path, monkeypatch):
    for domain in scores.DOMAINS:
        lines = [json.dumps({"text": text, "gold": gold}) for text, gold in SENTENCES.items()]
        (tmp_path / f"{domain}.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def found(examples, schema, settings):
        right = [dict(SENTENCES[example.text]) for example in examples]
        return right if schema.name.startswith("ai.") else [{} for _ in examples]

    monkeypatch.setattr(scores, "extracted", found)
    n_documents, mean, interval = scores.entities(tmp_path, None, {})
    assert (n_documents, mean) == (10, 20.0)
    assert interval.low <= mean <= interval.high


def test_titles_are_scored_in_both_scopes(tmp_path, monkeypatch):
    folder = tmp_path / "oa-mine"
    folder.mkdir()
    rows = [
        {"input": "Red Acme cup", "category": "Cup", "target_scores": {"Brand": {"Acme": 1}}},
        {"input": "Blue cup", "category": "Cup", "target_scores": {"Color": {"Blue": 1}}},
    ]
    (folder / "dev.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "attributes.json").write_text('{"Cup": ["Brand", "Color"]}', encoding="utf-8")
    answers = [{"Brand": "Acme", "Color": "Red"}, {"Brand": None, "Color": "Blue"}]
    monkeypatch.setattr(scores, "extracted", lambda examples, schema, settings: answers)
    n_documents, plain, strict = scores.titles(folder, None, {})
    assert n_documents == "2"
    assert plain.startswith("100.0 (")
    assert strict.startswith("80.0 (")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["written", "handwritten", "oa-mine", "crossner"]),
        (["--only", "handwritten", "crossner"], ["handwritten", "crossner"]),
    ],
)
def test_only_the_parts_asked_for_are_scored_with_the_options_given(
    tmp_path, monkeypatch, capsys, arguments, parts
):
    for name in ("oa-mine", "crossner"):
        (tmp_path / name).mkdir()
    seen = []

    def part(name, settings, answer):
        assert settings["options"].verbatim is False
        seen.append(name)
        return answer

    monkeypatch.setattr(scores.written, "read_written", lambda: "written")
    monkeypatch.setattr(scores, "held_out", lambda limit: "handwritten")
    monkeypatch.setattr(
        scores.written, "report", lambda settings, name: part(name, settings, "a table")
    )
    monkeypatch.setattr(
        scores, "titles", lambda folder, limit, its: part(folder.name, its, ("2", "50.0", "40.0"))
    )
    interval = scores.Interval(40.0, 60.0)
    monkeypatch.setattr(
        scores, "entities", lambda folder, limit, its: part(folder.name, its, (2, 50.0, interval))
    )
    assert scores.main([str(tmp_path), *arguments, "--set", "verbatim=off"]) == 0
    assert seen == parts
    assert ("oa-mine" in capsys.readouterr().out) == ("oa-mine" in parts)
