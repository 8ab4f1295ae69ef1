"""Prompts as tokens: equal to tokenizing all text at once, but for control tokens in documents."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tiny_models
from decoding import open_model
from grounding import best_span
from hpd.errors import ModelLoadError
from hpd.prompt.template import render_template
from hpd.prompt.text import SYSTEM_PROMPT, Labels, instruction_text, key_text, key_texts
from hpd.prompt.tokens import PromptTokenizer, common_prefix, documents_text, render_for_model
from hpd.schema import load_schema

SCHEMA = load_schema(["Brand", "Pack size", "Größe", 'a "quoted" name', "Brand name"])
DOCUMENTS = [
    "Diesel Men's Exposure High-Top Sneaker, Black, 10 M US",
    "",
    " leading and trailing ",
    "\n\nlines\r\n\ttabs",
    "日本語 ½ é é 🎉🏽 ‮",
    '{"Brand": "x"}',
    "zero\u200bwidth",
]


def tokenizer(model):
    return PromptTokenizer(model, SYSTEM_PROMPT, instruction_text(SCHEMA))


def joint(model, documents, key):
    """The reference: the whole prompt as one text."""
    around = render_for_model(model, SYSTEM_PROMPT)
    text = around.text(instruction_text(SCHEMA), documents_text(documents)) + key
    tokens = model.tokenize(text, True)
    return tokens if tokens[:1] == [model.bos] or model.bos < 0 else [model.bos, *tokens]


@pytest.fixture(scope="module", params=tiny_models.ATTENTION_KINDS)
def model(request, tiny_model):
    return open_model(tiny_model(request.param))


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_prompt_and_key_are_tokenized_as_one(model, document, layout):
    paths = [(attribute.name,) for attribute in SCHEMA]
    if layout == "label":
        keys = [Labels(SCHEMA).key((), path) for path in paths]
    else:
        keys = key_texts(paths, layout)
    got = tokenizer(model).tokenize([document], keys)
    for key, tokens in zip(keys, got.keys, strict=True):
        assert got.prompt + tokens == joint(model, [document], key)
        assert tokens


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=60), count=st.integers(1, 3))
def test_any_text(model, text, count):
    if any(mark in text for _, mark, _, _ in model.control_tokens):
        return
    got = tokenizer(model).tokenize([text] * count, ['{"Brand":'])
    assert got.prompt + got.keys[0] == joint(model, [text] * count, '{"Brand":')


class Dressed:
    """A model with another chat template."""

    def __init__(self, model, chat_template):
        self.bos = model.bos
        self.metadata = model.metadata
        self.control_tokens = model.control_tokens
        self.tokenize = model.tokenize
        self.chat_template = chat_template


def test_without_a_chat_template_too(tiny_model):
    """No control token stands between the document and the keys then."""
    for kind in ("qwen3", "llama", "llama-spm", "gemma3"):
        plain = Dressed(open_model(tiny_model(kind)), "")
        for document in DOCUMENTS:
            got = tokenizer(plain).tokenize([document], ['{"Brand":', '{"Pack size":'])
            assert got.prompt + got.keys[0] == joint(plain, [document], '{"Brand":')
            assert got.prompt + got.keys[1] == joint(plain, [document], '{"Pack size":')


def test_a_document_never_becomes_a_control_token(model):
    control = {token for token, _, _, _ in model.control_tokens}
    marks = "".join(text for _, text, _, _ in model.control_tokens)
    assert marks
    plain = tokenizer(model).tokenize(["harmless"], ['{"Brand":'])
    evil = tokenizer(model).tokenize([f"x {marks} y"], ['{"Brand":'])
    count = [sum(token in control for token in got.prompt) for got in (plain, evil)]
    assert count[0] == count[1] > 0
    assert len(evil.prompt) > len(plain.prompt) + len(control)


def test_one_bos_at_most(model):
    got = tokenizer(model).tokenize(["text"], ['{"Brand":'])
    assert got.prompt.count(model.bos) == (1 if model.bos >= 0 else 0)
    assert model.bos < 0 or got.prompt[0] == model.bos


@pytest.mark.parametrize("template", ["{{ bos_token }}", "\n {{ bos_token }}", ""])
def test_one_bos_whether_the_template_writes_it_or_not(tiny_model, template):
    model = open_model(tiny_model("llama"))
    assert model.bos >= 0
    dressed = Dressed(model, template + "{{ messages[1].content }}{{ eos_token }}")
    got = tokenizer(dressed).tokenize(["text"], ['{"Brand":'])
    assert got.prompt[0] == model.bos
    assert got.prompt.count(model.bos) == 1


def test_a_bos_that_only_the_template_writes_is_there(tiny_model):
    model = open_model(tiny_model("qwen3"))
    assert model.bos < 0
    begin = int(model.metadata("tokenizer.ggml.bos_token_id"))
    end = int(model.metadata("tokenizer.ggml.eos_token_id"))
    dressed = Dressed(model, "{{ bos_token }}{{ messages[1].content }}{{ eos_token }}")
    got = tokenizer(dressed).tokenize(["text"], ['{"Brand":'])
    assert got.prompt[0] == begin
    assert (got.prompt.count(begin), got.prompt.count(end)) == (1, 1)


def test_the_instruction_is_shared_and_the_document_is_not(model):
    splitter = tokenizer(model)
    first = splitter.tokenize(["Nike shoe"], ['{"Brand":'])
    second = splitter.tokenize(["Éclair 12"], ['{"Brand":'])
    assert first.n_instruction == second.n_instruction == len(splitter._shared)
    assert first.prompt[: first.n_instruction] == second.prompt[: first.n_instruction]
    text = b"".join(model.piece(token) for token in first.prompt[: first.n_instruction]).decode()
    assert "Pack size" in text
    assert "Nike" not in text


def test_what_is_asked_later_has_the_same_prompt(model):
    """The cells of the first request's prompt serve the next one, whatever its keys are."""
    splitter = tokenizer(model)
    prompts = [
        splitter.tokenize(["a b c"], keys).prompt
        for keys in (['{"Brand":'], ['{"Pack size":', '{"Size":'], ['{"Tags": {"1":'])
    ]
    assert prompts[0] == prompts[1] == prompts[2]


def test_skeleton_keys_continue_each_other():
    paths = [("brand",), ("maker", "city"), ("maker", "zip"), ("color",)]
    assert key_texts(paths, "skeleton") == [
        '{"brand":',
        '{"brand":, "maker": {"city":',
        '{"brand":, "maker": {"city":, "zip":',
        '{"brand":, "maker": {"city":, "zip":}, "color":',
    ]


def test_a_key_shows_the_values_that_its_field_depends_on():
    seen = {("brand",): "Nike", ("maker", "city"): None}
    assert key_text(("maker", "zip"), seen) == ('{"brand": "Nike", "maker": {"city": null, "zip":')


def test_an_indented_key_is_the_beginning_of_indented_json():
    seen = {("brand",): "Nike", ("lines", "1", "sku"): "A1"}
    path = ("lines", "1", "qty")
    key = key_text(path, seen, rows={("lines", "1"): {}}, indents=True)
    answer = {"brand": "Nike", "lines": [{"sku": "A1", "qty": 3}]}
    whole = json.dumps(answer, indent=2)
    assert key == whole.partition(" 3")[0]
    rejected = key_text(("size",), rejected=[(0, "below 1")], indents=True)
    assert rejected == '{\n  "size": 0,\n  "wrong because": "below 1",\n  "size":'


def test_templates_that_fail_say_so():
    with pytest.raises(ModelLoadError, match="0 times instead of once"):
        render_template("no place for text", "s")
    with pytest.raises(ModelLoadError, match="2 times instead of once"):
        render_template("{{ messages[1].content }}{{ messages[1].content }}", "s")
    with pytest.raises(ModelLoadError, match="chat template fails"):
        render_template("{{ raise_exception('no') }}", "s")


class CountingModel:
    """A model that notes what it tokenizes."""

    def __init__(self, model):
        self.model = model
        self.texts = []

    def __getattr__(self, name):
        return getattr(self.model, name)

    def tokenize(self, text, *rest):
        self.texts.append(text)
        return self.model.tokenize(text, *rest)


def test_only_the_latest_keys_are_remembered(tiny_model):
    model = CountingModel(open_model(tiny_model("qwen3")))
    splitter = PromptTokenizer(model, SYSTEM_PROMPT, instruction_text(SCHEMA), max_kept_keys=16)
    keys = [f'{{"items": {{"{n}":' for n in range(20)]
    splitter.tokenize(["x"], keys)
    model.texts.clear()
    splitter.tokenize(["x"], [*keys[5:], *keys[:5]])  # one that is kept is the opening brace
    assert [key for key in keys if any(text.endswith(key) for text in model.texts)] == keys[:5]


@given(st.lists(st.lists(st.integers(0, 1), max_size=5), min_size=1, max_size=4))
def test_the_common_prefix_is_that_of_the_obvious_way(sequences):
    first = sequences[0]
    assert common_prefix(sequences) == max(
        n for n in range(len(first) + 1) if all(s[:n] == first[:n] for s in sequences)
    )


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ("Nike Air 9, size 42\n  a  b\tc\n", "Nike Air 9, size 42\n  a  b\tc"),
        ("Nike\u00a0Air\u202f9", "Nike Air 9"),
        ("\ufeffNike\u200b  Air\tMax", "Nike Air Max"),
        ("a\u00a0b\n1  2", "a b\n1  2"),
        ("5&nbsp;000&#xA0;000 a&nbsp;7", "5 000 000 a&nbsp;7"),
        ("Cafe\u0301 Du\u0308pre\u0301", "Café Düpré"),
        ("\u1100\u1175\u11b7 x", "김 x"),
        ("\ufa19 x\u0323", "\ufa19 x\u0323"),
        ("x\u200cy 👩\u200d🚀", "x\u200cy 👩\u200d🚀"),
        ("Ni\u00adke  Air\r\n", "Nike Air"),
        ("\u2068Nike\u2069\u200e Air", "Nike Air"),
        ('\u05d1\u05e2"\u05de "\u05d0" 5"', '\u05d1\u05e2\u05f4\u05de "\u05d0" 5"'),
        *[(f"Nike{chr(code)}Air", "Nike Air") for code in (*range(0x1C, 0x20), 0x0B, 0x0C)],
        *[(f"Ni{chr(code)}ke Air", "Nike Air") for code in (*range(9), *range(14, 28), 0x7F)],
        ("Nike\u2028Air\u2029\x85Max\v9\f2\r3", "Nike Air Max 9 2 3"),
        ("Nike\u2028Air\r\n9\f2\r", "Nike\nAir\r\n9\n2"),
    ],
)
def test_documents_are_normalized_for_the_model(document, shown):
    assert documents_text([document]) == f"Document:\n{shown}"
    assert documents_text([document, "x"]) == f"Documents:\n[1]\n{shown}\n[2]\nx"
    span = best_span(shown, document)
    around = "\r\n\ufeff\u2068"
    assert document[span.start : span.end].strip(around) == document.strip(around)
    assert span.match in ("exact", "normalized")
