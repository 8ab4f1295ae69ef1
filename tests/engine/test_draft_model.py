"""Guesses of a smaller model: the values stay the same, and a good one takes most of the steps."""

import math

import pytest

import hpd
import tiny_models
from decoding import F32_TIE, ON_DEVICE, engine_options, make_requests, open_model, run
from hpd import _native
from hpd._core import testing
from hpd.errors import ModelLoadError
from hpd.models.model_files import resolve_draft_model
from nightly import nightly
from reference import Reference
from small_model import small_model

N_TOKENS = 40


def requests_of(path, n=12):
    """So many requests; a device that is one of software needs minutes for each of them."""
    with Reference(path) as reference:
        return make_requests(reference, min(n, 2) if ON_DEVICE else n)


def one_value_each(path, n=6):
    """A request for each key, as a whole answer is asked."""
    return [
        ((prompt, [key]), n_instruction)
        for (prompt, keys), n_instruction in requests_of(path, n)
        for key in keys
    ]


def decode(path, requests, draft=None, **settings):
    """All requests, with every budget recounted after every step."""
    settings = {"drafts": False, "draft_p_min": 0.0, **settings}
    draft_model = None if draft is None else open_model(draft)
    engine = _native.Engine(open_model(path), engine_options(draft_model=draft_model, **settings))
    return run(engine, requests, max_tokens=N_TOKENS), engine


def assert_same(results, plain):
    """Fail where tokens differ, but for what comes after two that are as good."""
    assert not [result.error for result in (*results, *plain) if result.error]
    assert ON_DEVICE or not n_near_ties(results) + n_near_ties(plain)
    for one, two in zip(results, plain, strict=True):
        for value, wanted in zip(one.values, two.values, strict=True):
            firm = next((i for i, margin in enumerate(wanted.margins) if is_near_tie(margin)), None)
            assert value.tokens[:firm] == wanted.tokens[:firm]


def is_near_tie(margin):
    return abs(margin) <= F32_TIE


def n_near_ties(results):
    """Places where the same tokens in another batch may go on otherwise: none on a processor."""
    values = [value for result in results for value in result.values]
    return sum(is_near_tie(margin) for value in values for margin in value.margins)


def counts(results):
    """Tokens guessed, tokens accepted, steps."""
    n_drafted = sum(result.n_drafted for result in results)
    n_accepted = sum(result.n_accepted for result in results)
    return n_drafted, n_accepted, sum(result.n_steps for result in results)


def sampling(seed):
    options = _native.SamplingOptions()
    options.temperature, options.top_k, options.top_p, options.min_p = 1.0, 0, 1.0, 0.0
    options.seed = seed
    return options


@pytest.mark.parametrize("in_flight", [16, *nightly(1)])
@pytest.mark.parametrize("kind", tiny_models.ATTENTION_KINDS)
def test_greedy_values_stay_the_same(tiny_model, kind, in_flight):
    path, other = tiny_model(kind), tiny_model(kind, seed=1)
    requests = requests_of(path, 5)
    plain, _ = decode(path, requests, n_in_flight=in_flight)
    drafted, _ = decode(path, requests, path, n_in_flight=in_flight)
    assert_same(drafted, plain)
    n_drafted, n_accepted, _ = counts(drafted)
    assert n_drafted > 0
    if not n_near_ties(drafted):
        assert n_accepted == n_drafted
    for settings in ({"drafts": True}, {"n_draft": 3}):  # both kinds of guesses, or one
        drafted, _ = decode(path, requests, other, n_in_flight=in_flight, **settings)
        assert_same(drafted, plain)
        assert counts(drafted)[0] > 0


@pytest.mark.parametrize("in_flight", [1, 16])
def test_sampled_values_stay_the_same(tiny_model, in_flight):
    path = tiny_model("qwen3")
    requests = requests_of(path, 5)
    settings = {"sampling": sampling(3), "n_in_flight": in_flight}
    plain, _ = decode(path, requests, **settings)
    for draft in (path, tiny_model("qwen3", seed=1)):
        drafted, _ = decode(path, requests, draft, **settings)
        assert_same(drafted, plain)
        assert counts(drafted)[0] > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"n_ctx": 256},  # requests must start again when cells run short
        {"n_ctx": 512, "n_in_flight": 32},
        {"n_batch": 5, "n_ubatch": 5},  # prompts are cut anywhere, in the draft model, too
        {"n_seq_max": 3},  # no sequence is left where an instruction and a prompt have theirs
        {"n_seq_max": 5, "n_ctx": 256},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["qwen3", *nightly("gemma3")])
def test_scarce_resources(tiny_model, kind, settings):
    path = tiny_model(kind)
    requests = requests_of(path, 8)
    plain, _ = decode(path, requests)
    for draft in (path, tiny_model(kind, seed=1)):
        drafted, _ = decode(path, requests, draft, **settings)
        assert_same(drafted, plain)


def test_requests_that_start_again(tiny_model):
    path = tiny_model("qwen3")
    model = open_model(path)
    value = model.tokenize(' "' + "long " * 12 + '"')
    fields = [
        _native.Field(model.tokenize(f'{{"{name}":'), replay=value, max_tokens=len(value))
        for name in ("a", "b", "c", "d")
    ]
    engine = _native.Engine(
        model,
        engine_options(n_ctx=512, n_in_flight=12, draft_model=model, draft_p_min=0.0, n_draft=2),
    )
    testing.check_every_step(engine, True)
    for i in range(12):
        prompt = model.tokenize(f"Instruction of some length. Document {i}: long long")
        engine.submit(i, prompt, fields, n_instruction=6)
    results = []
    while not engine.idle:
        results += engine.step()
    assert len(results) == 12
    assert all(value_.tokens == value for result in results for value_ in result.values)
    assert engine.stats.n_preempted > 0


def test_interrupted_and_cancelled(tiny_model):
    path = tiny_model("qwen3")
    requests = one_value_each(path, 4)
    plain, _ = decode(path, requests)
    model = open_model(path)
    engine = _native.Engine(
        model, engine_options(drafts=False, draft_model=model, draft_p_min=0.0, n_draft=2)
    )
    testing.check_every_step(engine, True)
    for i, ((prompt, (key,)), n_instruction) in enumerate(requests):
        fields = [_native.Field(key, max_tokens=N_TOKENS)]
        engine.submit(i, prompt, fields, n_instruction=n_instruction)
    done = engine.step() + engine.step()
    engine.interrupt(True)
    done += engine.step()
    engine.interrupt(False)
    while not engine.idle:
        done += engine.step()
    found = sorted(done, key=lambda result: result.id)
    assert_same(found, plain)
    field = _native.Field([], max_tokens=N_TOKENS)
    engine.submit(0, requests[0][0][0], [field], n_instruction=0)
    engine.step()
    engine.cancel_all()
    assert engine.idle
    assert_same(run(engine, requests, max_tokens=N_TOKENS), plain)


@pytest.mark.parametrize("in_flight", [1, 16])
@pytest.mark.parametrize("n_draft", [1, 8])
def test_a_perfect_guesser_takes_most_of_the_steps(tiny_model, n_draft, in_flight):
    path = tiny_model("qwen3")
    requests = one_value_each(path)
    settings = {"n_in_flight": in_flight, "n_draft": n_draft}
    plain, _ = decode(path, requests, **settings)
    drafted, engine = decode(path, requests, path, **settings)
    assert_same(drafted, plain)
    n_drafted, n_accepted, n_steps = counts(drafted)
    n_ties = n_near_ties(drafted)
    n_refused = n_drafted - n_accepted
    assert n_refused <= n_draft * n_ties
    # The first token comes with the prompt, and each step brings what was guessed and one more.
    lengths = [len(result.values[0].tokens) for result in drafted]
    least = sum(math.ceil((n - 1) / (n_draft + 1)) for n in lengths)
    assert least <= n_steps <= least + n_ties
    assert n_steps < counts(plain)[2]
    assert n_drafted + n_steps <= sum(lengths) + n_refused
    # The draft model has read each prompt, and then takes a step for every guess.
    assert engine.stats.n_draft_batches <= n_drafted + n_steps + 2 * len(requests)


def test_a_bad_guesser_changes_nothing(tiny_model):
    path = tiny_model("qwen3")
    requests = one_value_each(path)
    plain, _ = decode(path, requests)
    drafted, _ = decode(path, requests, tiny_model("qwen3", seed=1))
    assert_same(drafted, plain)
    n_drafted, n_accepted, n_steps = counts(drafted)
    assert n_drafted > 100
    assert n_accepted < 0.05 * n_drafted
    assert n_steps <= counts(plain)[2]


def test_nothing_is_guessed_where_the_draft_model_is_unsure(tiny_model):
    path = tiny_model("qwen3")
    results, _ = decode(path, requests_of(path), path, draft_p_min=1.0)
    assert counts(results)[:2] == (0, 0)


def test_nothing_is_guessed_beyond_what_the_draft_model_was_trained_for(tiny_model):
    path = tiny_model("qwen3")
    requests = requests_of(path)
    plain, _ = decode(path, requests)
    results, engine = decode(path, requests, tiny_model("qwen3", n_ctx_train=16))
    assert_same(results, plain)
    assert counts(results)[0] == engine.stats.n_draft_batches == 0


def test_instructions_are_read_once(tiny_model):
    """One document after the other: the draft model reads what is new in each."""
    path = tiny_model("qwen3")
    requests = one_value_each(path, 3)
    apart = [(request, 0) for request, _ in requests]
    shared, with_ = decode(path, requests, path, n_in_flight=1, n_batch=8, n_ubatch=8)
    alone, without = decode(path, apart, path, n_in_flight=1, n_batch=8, n_ubatch=8)
    assert_same(shared, alone)
    if not n_near_ties(alone):
        assert counts(shared) == counts(alone)
    assert with_.stats.n_draft_batches < without.stats.n_draft_batches


def test_another_vocabulary_is_refused(tiny_model, tmp_path):
    path, draft = tiny_model("qwen3"), tiny_model("llama-spm")
    with pytest.raises(ModelLoadError, match="tokens, not") as caught:
        decode(path, [], draft)
    assert str(path) in str(caught.value)
    assert str(draft) in str(caught.value)

    near = tmp_path / "near.gguf"
    near.write_bytes(path.read_bytes().replace(b"<|begin|>", b"<|began|>"))
    with pytest.raises(ModelLoadError, match=r"is '<\|began\|>', not '<\|begin\|>'"):
        decode(path, [], near)


def test_recurrent_models(tiny_model):
    """As a draft model one is refused; as the model itself it goes without guesses, as ever."""
    with pytest.raises(ModelLoadError, match="recurrent"):
        decode(tiny_model("qwen3"), [], tiny_model("mamba"))
    path = tiny_model("lfm2")
    requests = requests_of(path, 4)
    plain, _ = decode(path, requests)
    drafted, engine = decode(path, requests, tiny_model("qwen3"))
    assert_same(drafted, plain)
    assert engine.stats.n_draft_batches == 0


@pytest.mark.parametrize("method", ["ar", "hpd"])
def test_a_model_guesses_for_itself(method):
    documents = ["Nike Running Shoe, Black, 10 M US", "Luma Cotton T-Shirt for Men, White, XL"]

    def data(**settings):
        options = hpd.Options(method=method, drafts=False, **settings)
        with hpd.Extractor("brand, color [red|black|white], size", options=options) as extractor:
            found = [extraction.data for extraction in extractor.extract_many(documents)]
            return found, extractor.stats.n_batches

    plain, n_plain = data()
    drafted, n_drafted = data(draft_model=str(small_model()))
    assert drafted == plain
    assert n_drafted < n_plain / 2 if method == "ar" else n_drafted <= n_plain


def test_names_of_draft_models(tmp_path, tiny_model, monkeypatch):
    path = tiny_model("qwen3")
    assert resolve_draft_model(str(path)) == path
    for gone in (str(tmp_path / "gone.gguf"), "folder/gone.gguf"):
        with pytest.raises(ModelLoadError, match="there is no model"):
            resolve_draft_model(gone)
    asked = []

    def download(name, *, progress):
        asked.append(name)
        return path

    monkeypatch.setattr("hpd.models.hub.download", download)
    for name in ("user/repo", "user/repo:Q8_0", "user/repo:file.gguf"):
        assert resolve_draft_model(name) == path
    assert asked == ["user/repo", "user/repo:Q8_0", "user/repo:file.gguf"]
