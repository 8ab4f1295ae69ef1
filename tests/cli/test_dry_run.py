"""Previews of a request without a model (``--dry-run``); and warnings."""

import json
import re

import pytest

from hpd import _native
from hpd.cli import main
from hpd.cli.dry_run import context_size, preview
from hpd.models.settings import load_vocabulary
from hpd.options import Options
from hpd.schema import load_schema
from small_extractor import SmallExtractor as Extractor


@pytest.fixture(scope="module")
def model(tiny_model):
    return tiny_model("qwen3", n_ctx_train=2048)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "Diesel sneaker"}\n{"text": "Nike shoe"}\n')
    return path


@pytest.fixture
def no_weights(monkeypatch):
    """Refuses a context, which would need them."""

    def refuse(*_):
        pytest.fail("a context was made")

    monkeypatch.setattr(_native, "Engine", refuse)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stack": 2},
        {"method": "ar"},
        {"layout": "skeleton"},
        {"layout": "label", "stack": 2},
    ],
    ids=str,
)
def test_the_preview_is_what_the_extractor_asks(model, settings, first_requests):
    texts = ["Diesel sneaker", "Nike shoe"][: settings.get("stack", 1)]
    examples = [("Puma", {"brand": "Puma", "tags": []})]
    options = Options(**settings)
    vocabulary = load_vocabulary(model)
    schema = load_schema("brand, tags [str], why after brand")
    shown = preview(vocabulary, schema, texts, options, examples)
    with Extractor(schema, model, options=options, examples=examples, n_ctx=4096) as extractor:
        list(extractor.extract_many(texts))
        request = first_requests[-1]
        assert shown.n_prompt == len(request.prompt)
        assert shown.n_instruction == request.n_instruction > 10
        assert [n for _, n in shown.keys] == [len(field.key) for field in request.fields]
        text = extractor.text_of(request)
        # Control tokens have no text of their own. The prompt goes on into the keys as far as
        # all of them agree.
        assert text.startswith(re.sub(r"<\|im_\w+\|>", "", shown.text))
        assert context_size(vocabulary, Options()) == 2048 == extractor._pipeline._limit.n_cells


def test_dry_run_prints_prompt_and_counts(model, source, no_weights, capsys):
    command = ["extract", str(source), "--schema", "brand, color", "-m", str(model), "--dry-run"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "Document:\nDiesel sneaker" in printed
    assert "Nike" not in printed
    assert '{"color":' in printed
    assert "2048 tokens" in printed
    assert "over" not in printed.replace("over any", "").split("----")[-1]
    assert main([*command, "--set", "stack=2", "-c", "64"]) == 0
    printed = capsys.readouterr().out
    assert "[2]\nNike shoe" in printed
    assert '{"2": {"brand":' in printed
    assert "over " in printed.split("----")[-1]


def test_dry_run_by_category(model, tmp_path, no_weights, capsys):
    schema = tmp_path / "s.json"
    schema.write_text('{"shoe": ["brand"], "tea": ["flavor"]}')
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "Mint", "kind": "tea"}\n')
    examples = tmp_path / "examples.jsonl"
    rows = [
        {"text": "Green tea", "kind": "tea", "data": {"flavor": "green"}},
        {"text": "A Nike", "kind": "shoe", "data": {"brand": "Nike"}},
    ]
    examples.write_text("\n".join(map(json.dumps, rows)))
    command = ["extract", str(source), "--schema", str(schema), "-m", str(model), "--dry-run"]
    command += ["--category-field", "kind", "--examples", str(examples)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert '{"flavor":' in printed
    assert "Green tea" in printed
    assert "A Nike" not in printed
    source.write_text('{"text": "Fiat", "kind": "car"}\n')
    assert main(command) == 2
    assert "no schema for the category 'car'" in capsys.readouterr().err
    examples.write_text('{"text": "Fiat", "kind": "car", "data": {}}\n')
    assert main(command) == 2
    assert "examples.jsonl:1: there is no schema" in capsys.readouterr().err
    examples.write_text('{"text": "Fiat", "kind": "shoe", "data": {"maker": "Fiat"}}\n')
    assert main(command) == 2
    assert "category 'shoe': example 1: 'maker' is not" in capsys.readouterr().err


def test_dry_run_of_nothing_is_an_error(model, tmp_path, capsys):
    source = tmp_path / "in.jsonl"
    source.write_text("")
    assert main(["extract", str(source), "--schema", "a", "-m", str(model), "--dry-run"]) == 2
    assert "there is no document" in capsys.readouterr().err


def test_a_warning_is_one_plain_line(capsys):
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "weird"}}}
    for _ in range(2):  # Not only the first time.
        assert main(["schema", json.dumps(schema)]) == 0
        assert capsys.readouterr().err == (
            "hpd: warning: $.properties.a.format: the format 'weird' is not known here: "
            "values are not checked\n"
        )
