"""Training rows hold exactly the keys that decoding sends, in every wave."""

import json

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
from hpd.schema import load_schema
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
    if kind == "spanning":
        return tiny_model("llama-spm", n_ctx_train=16384)
    path = tmp_path_factory.mktemp(kind) / "model.gguf"
    return without_spanning_tokens(tiny_model("qwen3", n_ctx_train=16384), path)


def without_spanning_tokens(source, path):
    """The same model with a tokenizer that makes no token of ``":,``."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, "qwen3")
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
def engine(model):
    opened = open_model(model)
    return opened, _native.Engine(opened, engine_options(n_ctx=16384))


@pytest.fixture(scope="module")
def vocabulary(model):
    return GgufVocabulary(model)


def sent_keys(engine, schema, layout, answers, lists="numbers"):
    """Prompt and key of every field that the engine is sent, with these answers known."""
    model, runner = engine
    options = Options(layout=layout, lists=lists, max_tokens=MAX_TOKENS)
    known = dict(zip(TEXTS, answers, strict=False))
    documents = [(i, Document(text)) for i, text in enumerate(known)]
    job = FieldsPrompt(KnownAnswers(model, schema, options, known=known.get), documents)
    sent = []
    request = job.first_request()
    while request is not None:
        sent += [(*request.prompt, *field.key) for field in request.fields]
        runner.submit(
            0,
            request.prompt,
            request.fields,
            n_instruction=request.n_instruction,
            n_cached=request.n_cached,
            keep_prompt=request.keep_prompt,
        )
        results = []
        while not results:
            results = runner.step()
        assert not results[0].error
        request = job.next_request(results[0])
    if job.kept_tokens is not None:
        runner.forget_prompt(job.kept_tokens)
    return sent


def taught_keys(row):
    """All that each value's first token is to be said from: prompt and key as the mask shows it."""
    visible = masks.dense(row.mask, masks.stack([row.roles]))[0, 0].numpy()
    is_value = np.isin(row.roles.kind, [TokenKind.VALUE, TokenKind.LONE_VALUE])
    taught = []
    for index in range(len(row)):
        if row.targets[index] == NO_TARGET or is_value[index]:
            continue
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
def test_rows_hold_what_decoding_sends(engine, vocabulary, layout, lists, n_stacked, data):
    schema = data.draw(strategies.schemas())
    answers = [data.draw(strategies.answers_of(schema)) for _ in range(n_stacked)]
    documents = [LabelledDocument(t, schema, a) for t, a in zip(TEXTS, answers, strict=False)]
    maker = RowMaker(vocabulary, vocabulary.eos, MAX_TOKENS, lists=lists)
    row = maker.fields(documents, layout)
    assert sorted(taught_keys(row)) == sorted(sent_keys(engine, schema, layout, answers, lists))


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_rows_hold_the_items_and_what_comes_after_them(engine, vocabulary, kind, layout):
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
    row = RowMaker(vocabulary, vocabulary.eos, 64).fields([document], layout)
    taught = taught_keys(row)
    assert sorted(taught) == sorted(sent_keys(engine, schema, layout, [answer]))
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
def test_rows_hold_lists_of_names_and_the_parts_of_named_rows(engine, vocabulary, layout):
    schema = load_schema("tags [str], lines [{item, qty int, unit}], total float")
    items = ["Hemoglobin", "Leukocytes", "Platelets", "Leukocytes"]
    lines = [{"item": item, "qty": i, "unit": "g"} for i, item in enumerate(items)]
    answer = {"tags": [f"tag number {i}" for i in range(40)], "lines": lines, "total": None}
    document = LabelledDocument(TEXTS[0], schema, answer)
    maker = RowMaker(vocabulary, vocabulary.eos, 12, lists="names")
    row = maker.fields([document], layout)
    sent = sent_keys(engine, schema, layout, [answer], "names")
    assert sorted(taught_keys(row)) == sorted(sent)
    texts = [b"".join(map(vocabulary.piece, tokens)).decode() for tokens in sent]
    assert sum(text.endswith('"lines": [{"item": "Hemoglobin", "qty":') for text in texts) == 1
    # A list is longer than a value may be, and none of it is cut.
    targets = b"".join(vocabulary.piece(t) for t in row.targets if t != NO_TARGET).decode()
    assert '"tag number 39"]' in targets
    assert '["Hemoglobin", "Leukocytes", "Platelets", "Leukocytes"]' in targets


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
    monkeypatch.setattr("hpd.training.data._shuffled", lambda documents, rng: documents)
    schema = load_schema("Brand, tags [str], Type after Brand tags")
    lines = [json.dumps({"text": text, "gold": answer}) for text, answer in LABELLED]
    (tmp_path / "train.jsonl").write_text("\n".join(lines))
    source = TrainingSource(tmp_path / "train.jsonl")
    loop = LoopOptions(epochs=20, batch_tokens=300, learning_rate=3e-3, bf16=False)
    options = FinetuneOptions(
        forms={mask: 1}, stack=n_stacked, max_tokens=12, file_type="f32", loop=loop, lists=lists
    )
    result = finetune(source, tmp_path / "out", tiny_model("qwen3"), schema, options, quiet=True)
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
