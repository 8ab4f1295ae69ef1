"""Guesses: they pay where text is copied, and never change a value."""

import json

import pytest

import tiny_models
from decoding import LOGPROB_ERROR, engine_options, open_model
from hpd import _native
from hpd._core import testing
from small_extractor import SmallExtractor


def replayed(model, documents, **settings):
    """Values that are known beforehand, decoded; and how many steps they took together."""
    engine = _native.Engine(model, engine_options(n_in_flight=1, **settings))
    testing.check_every_step(engine, True)
    testing.fix_least_probability(engine, 0.1)
    keys = [model.tokenize(key) for key in ('{"Brand":', '{"Color":', '{"Size":')]
    texts, n_steps = [], 0
    for i, (document, values) in enumerate(documents):
        prompt = model.tokenize(f"<|im_start|>user\n{document}<|im_end|>\n", True)
        fields = [
            _native.Field(key, replay=model.tokenize(value))
            for key, value in zip(keys, values, strict=True)
        ]
        engine.submit(i, prompt, fields, n_instruction=2)
        while not engine.idle:
            for result in engine.step():
                texts.append([value.text for value in result.values])
                n_steps += result.n_steps
                assert result.n_accepted <= result.n_drafted
    return texts, n_steps, engine


def catalogue():
    names = ["Exposure Quantum", "Velocity Harbor", "Meridian Falcon", "Granite Tempest"]
    return [
        (
            f"{name} Running Shoe {i}, Black, 10 M US",
            [f' "{name} Running Shoe {i}"', ' "Black"', " null" if i % 4 else ' "10 M US"'],
        )
        for i, name in enumerate(names * 8)
    ]


def test_drafts_halve_the_steps_of_copied_values(tiny_model):
    model = open_model(tiny_model("qwen3"))
    plain, n_plain, without = replayed(model, catalogue(), drafts=False)
    drafted, n_drafted, with_ = replayed(model, catalogue(), drafts=True)
    assert drafted == plain
    assert plain == [[value.encode() for value in values] for _, values in catalogue()]
    assert n_drafted < n_plain / 2
    assert with_.stats.n_batches < without.stats.n_batches


def test_a_list_that_may_fill_the_context_is_drafted(tiny_model):
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_ctx=1024))
    testing.fix_least_probability(engine, 0.1)
    names = [f"{name} {i}" for i in range(6) for name in ("oak", "ash", "elm")]
    prompt = model.tokenize("<|im_start|>user\n" + "\n".join(names) + "<|im_end|>\n", True)
    replay = model.tokenize(" " + json.dumps(names))
    for max_tokens in (len(replay), 1024 - len(prompt) - 8):
        fields = [
            _native.Field(model.tokenize(key), replay=replay, max_tokens=max_tokens)
            for key in ('{"trees":', '{"woods":')
        ]
        engine.submit(max_tokens, prompt, fields, n_instruction=2)
        results = []
        while not results:
            results = engine.step()
        assert [value.finish for value in results[0].values] == ["complete"] * 2
        assert results[0].n_drafted > len(replay)
        assert results[0].n_steps < len(replay)


def test_later_waves_draft_from_the_document(tiny_model):
    """All of the prompt is cached by then, but only the instruction is no place to look up."""
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_in_flight=1))
    testing.check_every_step(engine, True)
    testing.fix_least_probability(engine, 0.1)
    instruction = model.tokenize("<|im_start|>user\n", True)
    prompt = instruction + model.tokenize("Exposure Quantum Running Shoe, Black")
    value = model.tokenize(' "Exposure Quantum Running Shoe"')
    n_steps = []
    for wave, name in enumerate(("Title", "Name")):
        field = _native.Field(model.tokenize(f'{{"{name}":'), replay=value)
        n_cached = len(prompt) if wave else len(instruction)
        engine.submit(
            wave,
            prompt,
            [field],
            n_instruction=len(instruction),
            n_cached=n_cached,
            keep_prompt=wave == 0,
        )
        while not engine.idle:
            for result in engine.step():
                assert result.values[0].tokens == value
                assert result.n_cached_tokens == (n_cached if wave else 0)
                n_steps.append(result.n_steps)
    assert n_steps[1] <= n_steps[0] < (len(value) - 1) / 2


@pytest.mark.parametrize(
    "later", ["first, second after first", "names [str]"], ids=["after", "items"]
)
def test_fields_that_wait_draft_like_those_that_do_not(tiny_model, later):
    names = ["Exposure Quantum Running Shoe", "Granite Tempest Running Backpack"]
    answer = {"first": names[0], "second": names[1], "names": names}
    text = ", ".join(names)

    def n_steps(schema, *, drafts=True):
        settings = {"drafts": drafts, "max_tokens": 40, "answers": {text: answer}}
        with SmallExtractor(schema, tiny_model("qwen3"), **settings) as extractor:
            testing.fix_least_probability(extractor.engine, 0.1)
            extraction = extractor.extract(text)
        assert extraction.data == {name: answer[name] for name in extraction.data}
        return extraction.usage.steps

    first, both = n_steps("first"), n_steps("first, second")
    assert both < n_steps("first, second", drafts=False) / 2
    n_count_steps = 1  # the array's length and its delimiter
    assert n_steps(later) <= both + max(first, n_count_steps)


def test_guesses_behind_the_end_of_a_value_do_not_count(tiny_model):
    """A document that quotes the value is guessed on after the closing quote."""
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_in_flight=1))
    testing.fix_least_probability(engine, 0.01)
    value = model.tokenize(' "Exposure Quantum"')
    prompt = model.tokenize('They call it "Exposure Quantum" and sell it in black.')
    field = _native.Field(model.tokenize('{"Name":'), replay=value)
    engine.submit(0, prompt, [field], n_instruction=0)
    while not (results := engine.step()):
        pass
    assert results[0].values[0].tokens == value
    assert results[0].n_drafted > results[0].n_accepted > 0


COLORS = ["bordeaux red", "bordeaux brown", "midnight blue", "forest green"]


def colors_of(model, *, teach="", attribute=0, **settings):
    """A field of four choices, asked of documents that do not name any."""
    engine = _native.Engine(model, engine_options(n_in_flight=1, **settings))
    testing.check_every_step(engine, True)
    testing.fix_least_probability(engine, 0.4)
    choices = [model.tokenize(f' "{color}"') for color in COLORS]
    if teach:
        engine.seed_drafter(attribute, model.tokenize(f' "{teach}"'))
    results = []
    for i, word in enumerate(["Nike", "Exposure", "Quantum"]):
        prompt = model.tokenize(f"<|im_start|>user\n{word}<|im_end|>\n", True)
        field = _native.Field(
            model.tokenize(f'{{"Color {i}":'), choices=choices, attribute=attribute
        )
        engine.submit(i, prompt, [field], n_instruction=2)
        results += engine.advance()
    return results


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_choices_are_drafted(tiny_model, kind, temperature):
    """A single step takes all of the last choice that is left, and the values are the same."""
    model = open_model(tiny_model(kind))
    sampling = _native.SamplingOptions()
    sampling.temperature = temperature
    plain = colors_of(model, sampling=sampling, drafts=False)
    drafted = colors_of(model, sampling=sampling)
    for a, b in zip(plain, drafted, strict=True):
        (value,), (same,) = a.values, b.values
        assert (same.tokens, same.finish) == (value.tokens, "complete")
        assert same.logprobs == pytest.approx(value.logprobs, abs=LOGPROB_ERROR)
        if kind not in tiny_models.ATTENTION_KINDS:
            assert b.n_drafted == 0
            continue
        # The quote is certain, the next token tells the colours apart, but for those of bordeaux.
        assert b.n_steps <= (2 if b"bordeaux" in value.text else 1) < a.n_steps
        assert 0 < b.n_accepted <= b.n_drafted


def test_examples_are_drafted(tiny_model):
    """A first document is guessed to have the value of the example, and others what it had."""
    model = open_model(tiny_model("qwen3"))
    plain = colors_of(model, drafts=False)
    answer = json.loads(plain[0].values[0].text)
    untaught = colors_of(model, attribute=5)
    taught = colors_of(model, attribute=5, teach=answer)
    elsewhere = colors_of(model, attribute=6, teach=COLORS[-1])
    for results in (untaught, taught, elsewhere):
        assert [r.values[0].tokens for r in results] == [r.values[0].tokens for r in plain]
    assert taught[0].n_steps < untaught[0].n_steps


def test_values_of_one_attribute_are_one_history_whatever_their_keys(tiny_model):
    """A key that holds what the field comes after is another one in every document."""
    model = open_model(tiny_model("qwen3"))
    apart = colors_of(model)
    together = colors_of(model, attribute=5)
    n_steps = [sum(result.n_steps for result in results) for results in (apart, together)]
    assert n_steps[1] < n_steps[0]


def test_no_drafts_where_they_are_switched_off_or_impossible(tiny_model):
    for kind, settings in (("qwen3", {"drafts": False}), ("mamba", {}), ("lfm2", {})):
        model = open_model(tiny_model(kind))
        engine = _native.Engine(model, engine_options(**settings))
        value = model.tokenize(' "Black Shoe Black Shoe Black Shoe"')
        prompt = model.tokenize("Black Shoe Black Shoe ")
        for i in range(3):
            field = _native.Field(model.tokenize('{"a":'), replay=value)
            engine.submit(i, prompt, [field], n_instruction=0)
        results = []
        while not engine.idle:
            results += engine.step()
        assert [result.n_drafted for result in results] == [0, 0, 0]


def test_guesses_take_no_more_rows_than_there_are(tiny_model):
    """Long values that are all guessed would take 600 rows, and 80 are kept for 16 sequences."""
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_seq_max=16, n_batch=1024))
    testing.check_every_step(engine, True)
    testing.fix_least_probability(engine, 0.01)
    answer = model.tokenize(' "' + "Exposure Quantum Running Shoe " * 10 + '"')
    for attribute in range(1, 13):
        engine.seed_drafter(attribute, answer)
    prompt = model.tokenize("<|im_start|>user\nNike<|im_end|>\n", True)
    fields = [
        _native.Field(
            model.tokenize(f'{{"Name {attribute}":'),
            replay=answer,
            attribute=attribute,
            max_tokens=len(answer) + 1,
        )
        for attribute in range(1, 13)
    ]
    assert 12 * len(answer) > 16 + 64
    engine.submit(0, prompt, fields, n_instruction=2)
    (result,) = engine.advance()
    assert [value.tokens for value in result.values] == [answer] * 12
    assert result.n_accepted > 64
    assert result.n_steps > 1
