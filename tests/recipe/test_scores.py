"""The scores of the model's card on data sets."""

import json

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
