"""Training rows hold exactly the keys that decoding sends, in every wave."""

import json
import math
from functools import partial
from random import Random
from types import SimpleNamespace

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import strategies
from decoding import engine_options, open_model
from hpd import _native
from hpd.bench.known_answers import KnownAnswers
from hpd.documents import Document
from hpd.options import Options
from hpd.pipeline.prompts import FieldsPrompt
from hpd.prompt.questions import schema_leaves
from hpd.schema import Schemas, load_schema
from hpd.training import masks
from hpd.training.data import LabelledDocument, RowMaker, TrainingSource
from hpd.training.finetune import FinetuneOptions, finetune
from hpd.training.loop import LoopOptions
from hpd.training.masks import TokenKind
from hpd.training.network import GgufVocabulary, load_network
from hpd.training.predict import Predictor
from hpd.training.rows import NO_TARGET
from small_extractor import SmallExtractor

TEXTS = ["Nike Shoe, Black", "Canon Battery 日本", "Café  10 M US"]
MAX_TOKENS = 400


@pytest.fixture(scope="module", params=["spanning", "apart"])
def kind(request):
    """Whether tokens span two keys of a skeleton; then each of its fields is a branch."""
    return request.param


@pytest.fixture(scope="module")
def model(kind, tiny_model, tmp_path_factory):
    architecture, name = ("llama", "llama-spm") if kind == "spanning" else ("qwen3", "qwen3")
    path = tmp_path_factory.mktemp(kind) / "model.gguf"
    return trained_copy(tiny_model(name, n_ctx_train=16384), path, architecture)


def trained_copy(source, path, architecture):
    """The same model, said to be trained for hpd, and without a token for ``":,`` in qwen3."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_string("hpd.lists", "numbers")
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value = field.contents()
        if field.name == "tokenizer.ggml.merges":
            value = [merge for merge in value if ":" not in merge.split()[0]]
        inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, value, field.types[0], inner)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def loaded(model):
    return open_model(model)


@pytest.fixture(scope="module")
def vocabulary(model):
    return GgufVocabulary(model)


def prompt_of(model, schema, layout, answers, lists="numbers"):
    """The prompt of documents with these answers known."""
    options = Options(layout=layout, lists=lists, max_tokens=MAX_TOKENS)
    known = dict(zip(TEXTS, answers, strict=False))
    documents = [(i, Document(text)) for i, text in enumerate(known)]
    return FieldsPrompt(KnownAnswers(model, schema, options, known=known.get), documents)


def sent_keys(prompt, answered):
    """Prompt and key of every field that the engine is sent, which answers as told."""
    sent = []
    request = prompt.first_request()
    while request is not None:
        sent += [(*request.prompt, *field.key) for field in request.fields]
        request = prompt.next_request(answered(request))
    return sent


def engine_of(model):
    """The engine, as ``sent_keys`` asks it."""
    engine = _native.Engine(model, engine_options())

    def answered(request):
        engine.submit(
            0,
            request.prompt,
            request.fields,
            n_instruction=request.n_instruction,
            n_cached=request.n_cached,
            keep_prompt=request.keep_prompt,
        )
        answers = []
        while not answers:
            answers = engine.step()
        assert not answers[0].error
        return answers[0]

    return answered


def known_answer(model, request):
    """What the engine answers where all values are known, without its computing."""
    values = [
        SimpleNamespace(
            tokens=field.replay,
            text=b"".join(map(model.piece, field.replay)),
            finish="complete",
            margin=math.inf,
            **dict.fromkeys(("logprobs", "log_shares", "margins"), [0.0] * len(field.replay)),
        )
        for field in request.fields
    ]
    numbers = ("prompt", "prefill", "cached", "completion")
    usage = {f"n_{name}_tokens": 0 for name in numbers}
    usage |= dict.fromkeys(("n_steps", "n_drafted", "n_accepted", "seconds"), 0)
    return SimpleNamespace(values=values, error="", **usage)


def taught_keys(row):
    """All that each value's first token is to be said from: prompt and key as the mask shows it."""
    is_value = np.isin(row.roles.kind, [TokenKind.VALUE, TokenKind.LONE_VALUE])
    last = np.flatnonzero((row.targets != NO_TARGET) & ~is_value)
    # Only what these see: all that every token sees would be the square of a long row.
    keys, queries = (masks.stack([roles]) for roles in (row.roles, row.roles.at(last)))
    visible = masks.dense(row.mask, keys, queries)[0, 0].numpy()
    taught = []
    for index in range(len(last)):
        seen = visible[index].nonzero()[0]
        assert not is_value[seen].any()
        positions = row.roles.position[seen]
        assert sorted(positions) == list(range(len(seen))), "a gap, or two tokens in one place"
        taught.append(tuple(row.tokens[seen[positions.argsort()]].tolist()))
    return taught


@pytest.mark.parametrize("n_stacked", [1, 3])
@pytest.mark.parametrize(
    ("layout", "lists"),
    [
        ("branch", "names"), ("skeleton", "names"),
        ("branch", "numbers"), ("skeleton", "numbers"), ("label", "numbers"),
    ],
)  # fmt: skip
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_rows_hold_what_decoding_sends(loaded, vocabulary, layout, lists, n_stacked, data):
    schema = data.draw(strategies.schemas())
    answers = [data.draw(strategies.answers_of(schema)) for _ in range(n_stacked)]
    documents = [LabelledDocument(t, schema, a) for t, a in zip(TEXTS, answers, strict=False)]
    maker = RowMaker(vocabulary, MAX_TOKENS, lists=lists)
    row = maker.fields(documents, layout)
    prompt = prompt_of(loaded, schema, layout, answers, lists)
    assert sorted(taught_keys(row)) == sorted(sent_keys(prompt, partial(known_answer, loaded)))


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_rows_hold_the_items_and_what_comes_after_them(loaded, vocabulary, kind, layout):
    """The engine itself answers."""
    schema = load_schema(
        "brand, tags [str], lines [{item, qty int}], best after tags, size after best"
    )
    answer = {
        "brand": "Nike",
        "tags": ["a", "b"],
        "lines": [{"item": "shoe", "qty": 2}],
        "best": "b",
        "size": None,
    }
    document = LabelledDocument(TEXTS[0], schema, answer)
    row = RowMaker(vocabulary, 64).fields([document], layout)
    taught = taught_keys(row)
    prompt = prompt_of(loaded, schema, layout, [answer])
    assert sorted(taught) == sorted(sent_keys(prompt, engine_of(loaded)))
    texts = [b"".join(map(vocabulary.piece, tokens)).decode() for tokens in taught]
    ends = ('"tags": {"2":', '{"tags": ["a", "b"], "best":', '{"best": "b", "size":')
    if layout == "label":
        ends = ("B2", 'B ["a", "b"], F', 'F "b", G')
    for end in ends:
        assert sum(text.endswith(end) for text in texts) == 1, end
    assert len(taught) == len(schema_leaves(schema)) + 4
    # Together in one row, the first wave as a skeleton and the later ones each by itself.
    is_mixed = layout == "skeleton" and kind == "apart"
    assert row.mask == ("skeleton" if is_mixed else "branch")
    assert (TokenKind.LONE_KEY in row.roles.kind) == is_mixed


@pytest.mark.parametrize("layout", ["branch", "skeleton"])
def test_rows_hold_lists_of_names_and_the_parts_of_named_rows(loaded, vocabulary, layout):
    schema = load_schema("tags [str], lines [{item, qty int, unit}], total float")
    items = ["Hemoglobin", "Leukocytes", "Platelets", "Leukocytes"]
    lines = [{"item": item, "qty": i, "unit": "g"} for i, item in enumerate(items)]
    answer = {"tags": [f"tag number {i}" for i in range(40)], "lines": lines, "total": None}
    document = LabelledDocument(TEXTS[0], schema, answer)
    maker = RowMaker(vocabulary, 12, lists="names")
    row = maker.fields([document], layout)
    prompt = prompt_of(loaded, schema, layout, [answer], "names")
    sent = sent_keys(prompt, partial(known_answer, loaded))
    assert sorted(taught_keys(row)) == sorted(sent)
    texts = [b"".join(map(vocabulary.piece, tokens)).decode() for tokens in sent]
    start = '"lines": [{"item": "Hemoglobin", "qty": 0, "unit":'
    assert sum(text.endswith(start) for text in texts) == 1
    # A list is longer than a value may be, and none of it is cut.
    targets = b"".join(vocabulary.piece(t) for t in row.targets if t != NO_TARGET).decode()
    assert '"tag number 39"]' in targets
    assert '["Hemoglobin", "Leukocytes", "Platelets", "Leukocytes"]' in targets
    assert '{"item": "Platelets", "qty": 2}, {"item": "Leukocytes", "qty": 3}]' in targets


def test_a_row_that_is_too_long_leaves_out_cells_and_nothing_of_the_first_wave(vocabulary):
    schema = load_schema("lines [{item, qty int, unit}], total float")
    items = ["Hemoglobin", "Leukocytes", "Platelets", "Neutrophils"]
    lines = [{"item": item, "qty": i, "unit": "g"} for i, item in enumerate(items)]
    document = LabelledDocument(TEXTS[0], schema, {"lines": lines, "total": 4})
    maker = RowMaker(vocabulary, 12, lists="names")
    whole = maker.row([document], "branch")
    keys = taught_keys(whole)
    assert len(maker.row([document], "branch", len(whole))) == len(whole)
    drawn = set()
    for seed in range(8):
        row = maker.row([document], "branch", len(whole) - 1, Random(seed))
        left_out = [key for key in keys if key not in taught_keys(row)]
        assert len(row) < len(whole)
        assert left_out
        assert not set(left_out) & set(keys[:2])
        assert set(taught_keys(row)) < set(keys)
        drawn.add(tuple(left_out))
    assert len(drawn) > 1
    # The first wave stays, and is too long for a stream that allows less.
    assert taught_keys(maker.row([document], "branch", 10)) == keys[:2]


LABELLED = [
    ("Nike Shoe Black", {"Brand": "Nike", "tags": ["Black", "Shoe"], "Type": "Shoe"}),
    ("Sony Camera", {"Brand": "Sony", "tags": ["Camera"], "Type": "Camera"}),
    ("Canon Boot Blue", {"Brand": "Canon", "tags": ["Blue", "Boot"], "Type": "Boot"}),
]


@pytest.mark.parametrize(
    ("mask", "n_stacked", "lists"),
    [("branch", 1, "names"), ("branch", 1, "numbers"), ("skeleton", 3, "numbers")],
)
def test_validation_predicts_what_the_engine_extracts(
    tiny_model, tmp_path, monkeypatch, mask, n_stacked, lists
):
    """All waves: items of arrays, and what comes after others. Both say what was taught."""
    # In stacks of any order so small a model does not learn which document an item is of.
    monkeypatch.setattr("hpd.training.data.N_SHUFFLED", 1)
    schema = load_schema("Brand, tags [str], Type after Brand tags")
    lines = [json.dumps({"text": text, "gold": answer}) for text, answer in LABELLED]
    (tmp_path / "train.jsonl").write_text("\n".join(lines))
    source = TrainingSource(tmp_path / "train.jsonl")
    loop = LoopOptions(epochs=20, batch_tokens=300, learning_rate=3e-3, bf16=False)
    options = FinetuneOptions(
        forms={mask: 1}, stack=n_stacked, max_tokens=12, file_type="f32", loop=loop, lists=lists
    )
    result = finetune(
        source, tmp_path / "out", tiny_model("qwen3"), Schemas.of(schema), options, quiet=True
    )
    predictor = Predictor(
        load_network(result.gguf), GgufVocabulary(result.gguf), "hpd", mask, 12, n_stacked,
        lists=lists,
    )  # fmt: skip
    texts = [text for text, _ in LABELLED]
    predicted = predictor.predict(texts, [schema] * len(texts))
    with SmallExtractor(
        schema, result.gguf, layout=mask, stack=n_stacked, max_tokens=12
    ) as extractor:
        extracted = [extraction.data for extraction in extractor.extract_many(texts)]
    assert predicted == extracted == [answer for _, answer in LABELLED]
