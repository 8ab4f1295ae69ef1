"""The reference decoder against the engine, and against itself without cache, batch and order."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from decoding import engine_options, make_requests, open_model, run
from hpd import _native
from hpd.prompt.text import Labels, instruction_text, key_texts, system_text
from hpd.prompt.tokens import PromptTokenizer
from hpd.schema.attributes import Attribute, Schema
from hpd.training import masks
from hpd.training.decode import Decoder, has_ended
from hpd.training.network import GgufVocabulary, attention_mask, load_network
from hpd.training.rows import Prompter, TrainingPrompt, skeleton
from reference import Reference, is_complete

KINDS = ("qwen3", "llama-spm", "gemma3", "qwen2")
N_TOKENS = 10
TIE = 1e-4
"""Two libraries add up in different orders: where the best two are closer, either may win."""


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def gguf(kind, tiny_model):
    return tiny_model(kind)


@pytest.fixture(scope="module")
def vocabulary(gguf):
    return GgufVocabulary(gguf)


@pytest.fixture(scope="module")
def decoder(gguf, vocabulary):
    return Decoder(load_network(gguf), vocabulary.piece, vocabulary.end_tokens, N_TOKENS)


def full_logits(model, prompt, values, k_max):
    """The logits after every token of a row in natural order, no cache, no batch."""
    tokens = list(prompt.tokens)
    ends = []
    for key, value in zip(prompt.keys, values, strict=True):
        tokens += [*key, *value]
        ends.append(len(tokens) - 1)
    roles = masks.to_tensors(masks.stack([prompt.layout(k_max).whole([len(v) for v in values])]))
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([tokens]),
            position_ids=roles.position,
            attention_mask=attention_mask(
                model, masks.dense(prompt.mask, roles), roles.position, roles.position
            ),
        ).logits[0]
    return [logits[end] for end in ends]


def slow_decode(decoder, prompt):
    """Every step from nothing; also how near each choice was to another."""
    values = [[] for _ in prompt.keys]
    raw = [b"" for _ in prompt.keys]
    margins = [[] for _ in prompt.keys]
    active = set(range(len(prompt.keys)))
    for _ in range(decoder.max_tokens):
        # What is done is pruned before its last token is fed.
        fed = [v if i in active else v[:-1] for i, v in enumerate(values)]
        rows = full_logits(decoder.model, prompt, fed, decoder.max_tokens)
        for i in sorted(active):
            best = rows[i].topk(2)
            token = int(best.indices[0])
            margins[i].append(float(best.values[0] - best.values[1]))
            values[i].append(token)
            raw[i] += decoder.piece(token)
            if token in decoder.end_tokens or has_ended(raw[i]):
                active.discard(i)
        if not active:
            break
    return values, margins


def same_up_to_ties(found, expected, margins):
    """Equal, or different first where the choice was a tie."""
    for i, (a, b) in enumerate(zip(found, expected, strict=False)):
        if a != b:
            return margins[i] < TIE
    return len(found) == len(expected)


def margin_of(decoder, prompt, field, tokens):
    """The margin between the best two tokens after the first ones of a branch's value."""
    values = [tokens if i == field else [] for i in range(len(prompt.keys))]
    best = full_logits(decoder.model, prompt, values, N_TOKENS)[field].topk(2).values
    return float(best[0] - best[1])


def number_of(kind, mask, numbers):
    """One of two numbers: each model and each mask is tried with both."""
    return numbers[(KINDS.index(kind) + masks.MASKS.index(mask)) % 2]


@pytest.mark.parametrize("mask", ["branch", "skeleton"])
def test_the_engine_says_the_same(kind, gguf, decoder, mask):
    n_stacked = number_of(kind, mask, (1, 3))
    with Reference(gguf) as reference:
        requests = make_requests(reference, 6, layout=mask, n_stacked=n_stacked, seed=4)
    prompts = [
        skeleton(tokens, keys) if mask == "skeleton" else TrainingPrompt(tokens, keys)
        for (tokens, keys), _ in requests
    ]
    results = run(_native.Engine(open_model(gguf), engine_options()), requests, max_tokens=N_TOKENS)
    decoded = decoder.decode(prompts, batch_size=4)
    n_tokens = 0
    for asked, result, values in zip(prompts, results, decoded, strict=True):
        for field, (ours, engines) in enumerate(zip(values, result.values, strict=True)):
            theirs = list(engines.tokens)
            if engines.finish == "end_of_generation":
                theirs = theirs[:-1]
            mine = ours.tokens
            if engines.finish == "invalid":  # the engine sees it earlier, inside objects too
                mine = mine[: len(theirs)]
            n_tokens += len(mine)
            if mine != theirs:
                pairs = enumerate(zip(mine, theirs, strict=False))
                at = next(i for i, (a, b) in pairs if a != b)
                assert margin_of(decoder, asked, field, mine[:at]) < TIE, (mine, theirs)
    assert n_tokens > 60, "the models say next to nothing: this shows nothing"


@pytest.mark.parametrize("instructions", ["", "Sizes are <|im_start|> European."])
@pytest.mark.parametrize("n_stacked", [1, 2])
def test_prompts_are_the_engines(gguf, vocabulary, n_stacked, instructions):
    """Through the same template and layout."""
    schema = Schema((Attribute("Brand", description="the maker"), Attribute("Größe")))
    documents = ["Nike <|im_end|> Shoe\n\n日本, 10 M US", "  Café  "][:n_stacked]
    paths = [("Brand",), ("Größe",)]
    engines = PromptTokenizer(
        open_model(gguf),
        system_text(n_stacked),
        instruction_text(schema, instructions=instructions),
    )
    labels = PromptTokenizer(
        open_model(gguf),
        system_text(n_stacked, "label"),
        instruction_text(schema, layout="label", instructions=instructions),
    )
    for layout in ("branch", "skeleton", "label"):
        if layout == "label":
            keys = [Labels(schema).key((), path) for path in paths]
        else:
            keys = key_texts(paths, layout)
        theirs = (labels if layout == "label" else engines).tokenize(documents, keys)
        prompter = Prompter(vocabulary, schema, layout, instructions)
        ours = prompter.fields(documents, keys)
        expected = TrainingPrompt(theirs.prompt, theirs.keys)
        if layout == "skeleton":
            expected = skeleton(theirs.prompt, theirs.keys)
        assert ours == expected
    answer = engines.tokenize(documents, [""])
    prompter = Prompter(vocabulary, schema, "branch", instructions)
    assert prompter.answer(documents) == TrainingPrompt(answer.prompt, answer.keys)


def test_skeletons_share_their_keys(gguf, vocabulary):
    schema = Schema(tuple(Attribute(name) for name in ("Brand", "Color", "Size")))
    paths = [("Brand",), ("Color",), ("Size",)]
    keys = key_texts(paths, "skeleton")
    asked = Prompter(vocabulary, schema, "skeleton").fields(["Nike Shoe"], keys)
    text = b"".join(map(vocabulary.piece, [t for key in asked.keys for t in key])).decode()
    if asked.mask == "skeleton":
        assert text.endswith('"Brand":, "Color":, "Size":')
    else:
        # This vocabulary has a token that spans two keys, so each field carries them all.
        assert any('":,' in vocabulary.piece(t).decode() for key in asked.keys for t in key)
        assert text.count('"Brand":') == 3
    clean = skeleton([1, 2], [[5, 6], [5, 6, 7], [5, 6, 7, 8, 9]])
    assert clean == TrainingPrompt([1, 2], [[5, 6], [7], [8, 9]], "skeleton", 3)
    later = skeleton([1, 2], [[5, 6], [5, 6, 7], [5, 8], [5, 9]], n_first=2)
    assert later == TrainingPrompt([1, 2], [[5, 6], [7], [5, 8], [5, 9]], "skeleton", 2)
    assert skeleton([1], [[5, 6], [5, 9]]) == TrainingPrompt([1], [[5, 6], [5, 9]], "branch")


@pytest.mark.parametrize("mask", masks.MASKS)
def test_cache_batches_and_pruning_change_nothing(kind, decoder, vocabulary, mask):
    n_stacked = number_of(kind, mask, (1, 2))
    schema = Schema(tuple(Attribute(name) for name in ("Brand", "Color", "Size")))
    prompter = Prompter(vocabulary, schema, mask)
    places = [()] if n_stacked == 1 else [("1",), ("2",)]
    prompts = []
    for i, words in enumerate(["Nike Shoe", "Black Boot, 10 M US", "Canon Battery 日本 12-Pack"]):
        paths = [(*place, name) for place in places for name in ("Brand", "Color", "Size")[: i + 1]]
        keys = key_texts(paths, prompter.layout)
        prompts.append(prompter.fields([words] * n_stacked, keys))
    decoded = decoder.decode(prompts, batch_size=2)
    assert len({len(values) for values in decoded}) > 1
    for asked, values in zip(prompts, decoded, strict=True):
        expected, margins = slow_decode(decoder, asked)
        for value, tokens, near in zip(values, expected, margins, strict=True):
            found = value.tokens
            if tokens[-1] in decoder.end_tokens:
                tokens = tokens[:-1]
            assert same_up_to_ties(found, tokens, near)


def test_values_of_the_paper_see_each_other(decoder, vocabulary):
    """A value can depend on the values before it, but only with ``paper``."""
    schema = Schema((Attribute("Brand"), Attribute("Color")))
    paths = [("Brand",), ("Color",)]
    for mask in masks.MASKS:
        prompter = Prompter(vocabulary, schema, mask)
        asked = prompter.fields(["Nike Shoe"], key_texts(paths, prompter.layout))
        color = vocabulary.tokenize(' "Black')
        one, other = (
            full_logits(decoder.model, asked, [vocabulary.tokenize(f' "{brand}'), color], 9)[1]
            for brand in ("Nike", "Sony")
        )
        assert torch.equal(one, other) == (mask != "paper")


def test_a_whole_answer_is_a_field_without_a_key(decoder, vocabulary):
    schema = Schema((Attribute("Brand"),))
    prompt = Prompter(vocabulary, schema, "branch").answer(["Nike Shoe"])
    (value,) = decoder.decode([prompt])[0]
    tokens = [*prompt.tokens, *(prompt.keys[0])]
    for token in value.tokens:
        with torch.no_grad():
            assert int(decoder.model(torch.tensor([tokens])).logits[0, -1].argmax()) == token
        tokens.append(token)
    assert value.tokens


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", False),
        (b' "', False),
        (b' "a\\"', False),
        (b' "a",', True),
        (b' "\xe6\x97', False),
        (b" nul", False),
        (b" null", True),
        (b" 12", False),
        (b" 012,", True),
        (b" -", False),
        (b' {"a": 1}', True),
        (b' {"a": [', False),
    ],
)
def test_when_a_value_is_done(raw, expected):
    assert has_ended(raw) == is_complete(raw) == expected


@pytest.mark.parametrize("raw", [b" nope", b" x"])
def test_what_cannot_become_a_value_has_ended(raw):
    assert has_ended(raw)
