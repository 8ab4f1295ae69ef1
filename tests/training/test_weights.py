"""The network against the engine, what is written against what was read, and packed rows."""

import gguf
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
llama_cpp = pytest.importorskip("llama_cpp")

from hpd.errors import InputError, OptionError
from hpd.schema import load_schema
from hpd.training import ROUNDED_TYPES, masks
from hpd.training.data import LabelledDocument, RowMaker
from hpd.training.network import (
    GgufVocabulary,
    TrainedWeights,
    add_lora,
    attention_mask,
    load_network,
    lora_factors,
    loss_sum,
    pack,
    round_weights,
    use_attention,
)
from hpd.training.rows import NO_TARGET
from hpd.training.weights import (
    ARCHITECTURES,
    GgufFile,
    file_type_number,
    set_metadata,
    write_adapter,
    write_model,
)

KINDS = ("llama-spm", "qwen2", "qwen3", "gemma3")
SCHEMA = load_schema("Brand, tags [str], Size int")
ANSWER = {"Brand": "Nike", "tags": ["Black", "Boot"], "Size": 10}
TEXT = "Nike Shoe Black 10 Canon Boot Blue 6 Sony Camera Nike Shoe Black 10 Canon Boot Green 7"


@pytest.fixture(scope="module", params=KINDS)
def path(request, tiny_model):
    return tiny_model(request.param)


def engine_logits(path, tokens, adapter=None):
    lora = None if adapter is None else str(adapter)
    model = llama_cpp.Llama(
        str(path), n_ctx=256, n_threads=1, logits_all=True, verbose=False, lora_path=lora
    )
    model.eval(tokens)
    return np.array(model.scores[: len(tokens)])


def logits(network, tokens):
    use_attention(network, "sdpa")
    with torch.no_grad():
        return network(torch.tensor([tokens])).logits[0].numpy()


def parameters(network):
    return {name: p.detach().numpy() for name, p in network.named_parameters()}


def rows_of(path, n=1, mask="branch"):
    vocabulary = GgufVocabulary(path)
    maker = RowMaker(vocabulary, 16)
    documents = [LabelledDocument(f"{TEXT} {i}", SCHEMA, ANSWER) for i in range(n)]
    return [maker.fields([document], mask) for document in documents]


def test_every_architecture_has_a_tiny_model():
    assert {kind.split("-")[0] for kind in KINDS} == {*ARCHITECTURES}


def test_the_network_says_what_the_engine_says(path):
    tokens = GgufVocabulary(path).tokenize(TEXT)
    ours, theirs = logits(load_network(path), tokens), engine_logits(path, tokens)
    # The engine's cache is F16.
    assert np.abs(ours - theirs).max() < 0.002 * np.abs(theirs).max()


def test_unchanged_weights_are_written_as_they_were(path, tmp_path):
    base = GgufFile(path)
    write_model(base, tmp_path / "out.gguf", parameters(load_network(path)), "F32")
    again = GgufFile(tmp_path / "out.gguf")
    assert again.tensors.keys() == base.tensors.keys()
    for name, tensor in base.tensors.items():
        assert np.array_equal(again.tensors[name].data, tensor.data), name
    kept = [f for f in base.reader.fields if not f.startswith("GGUF.")]
    for name in kept:
        assert again.value(name) == base.value(name), name
    assert GgufVocabulary(again.path).tokenize(TEXT) == GgufVocabulary(path).tokenize(TEXT)


def test_what_the_old_weights_said_is_not_said_of_the_new_ones(tiny_model, tmp_path):
    path = tiny_model("qwen3")
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(path.read_bytes())
    set_metadata(copy, "hpd.confidence", "[1]")
    assert GgufFile(copy).value("hpd.confidence") == "[1]"
    network = load_network(copy)
    write_model(GgufFile(copy), copy, parameters(network), "F16", {"hpd.label": "on"})
    assert GgufFile(copy).value("hpd.confidence") is None
    assert GgufFile(copy).value("hpd.label") == "on"
    set_metadata(copy, "hpd.label", "")
    assert GgufFile(copy).value("hpd.label") is None


@pytest.mark.parametrize(
    ("kind", "is_compiled"), [*((kind, False) for kind in ROUNDED_TYPES), ("Q4_0", True)]
)
def test_weights_are_rounded_as_the_quantiser_rounds_them(kind, is_compiled, tiny_model, tmp_path):
    path = tiny_model("qwen3")
    network = load_network(path)
    write_model(GgufFile(path), tmp_path / "out.gguf", parameters(network), kind)
    file = GgufFile(tmp_path / "out.gguf")
    n_checked = 0
    TrainedWeights(network, rounding=kind, is_compiled=is_compiled)
    for name, parameter in network.named_parameters():
        tensor = file.tensors[file.name_of(name)]
        if tensor.tensor_type.name == kind and "embed" not in name and "lm_head" not in name:
            n_checked += 1
            stored = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            assert np.array_equal(parameter.detach().numpy(), stored), name
    assert n_checked == 21


@pytest.mark.parametrize(
    ("is_tied", "file_type", "embedding", "output"),
    [(True, "Q4_0", "Q5_0", None), (False, "q4_0", "Q4_0", "Q5_0"), (True, "Q5_0", "Q8_0", None)],
)
def test_the_output_of_short_rows_takes_five_bits_in_a_file_of_four(
    tiny_model, tmp_path, is_tied, file_type, embedding, output
):
    base = GgufFile(tiny_model("qwen3"))
    values = parameters(load_network(base.path))
    if is_tied:
        del base.tensors["output.weight"], values["lm_head.weight"]
    write_model(base, tmp_path / "out.gguf", values, file_type)
    types = {n: t.tensor_type.name for n, t in GgufFile(tmp_path / "out.gguf").tensors.items()}
    assert (types["token_embd.weight"], types.get("output.weight")) == (embedding, output)


def test_rounding_twice_is_rounding_once():
    weights = torch.randn(8, 64)
    for kind in ROUNDED_TYPES:
        once = round_weights(weights, kind)
        assert not torch.equal(once, weights)
        torch.testing.assert_close(round_weights(once, kind), once, atol=2e-3, rtol=0)
        assert torch.equal(round_weights(torch.zeros(1, 32), kind), torch.zeros(1, 32))


def test_an_adapter_is_the_same_in_the_engine_and_here(path, tmp_path):
    network = load_network(path)
    tokens = GgufVocabulary(path).tokenize(TEXT)
    plain = logits(network, tokens)
    add_lora(network, 3, 6.0)
    assert np.array_equal(logits(network, tokens), plain)
    torch.manual_seed(3)
    for name, parameter in network.named_parameters():
        if name.endswith(".b"):
            parameter.data = 0.05 * torch.randn_like(parameter)
    adapter = tmp_path / "adapter.gguf"
    write_adapter(GgufFile(path), adapter, lora_factors(network), 6.0)
    ours = logits(network, tokens)
    assert np.abs(ours - plain).max() > 0.1
    theirs = engine_logits(path, tokens, adapter)
    assert np.abs(ours - theirs).max() < 0.002 * np.abs(theirs).max()
    merged = logits(load_network(path, adapter=adapter), tokens)
    assert np.abs(ours - merged).max() < 1e-3


@pytest.mark.parametrize("mask", ["branch", "paper"])
def test_packed_rows_cost_what_each_costs_with_a_dense_mask(path, mask):
    """The slow way: one row, one dense mask, the network's own attention."""
    network = load_network(path)
    rows = rows_of(path, 2, mask)
    expected = 0.0
    use_attention(network, "sdpa")
    for row in rows:
        roles = masks.to_tensors(masks.stack([row.roles]))
        with torch.no_grad():
            scores = network(
                input_ids=torch.from_numpy(row.tokens)[None],
                position_ids=roles.position,
                attention_mask=attention_mask(
                    network, masks.dense(row.mask, roles), roles.position, roles.position
                ),
            ).logits[0]
        targets = torch.from_numpy(row.targets)
        taught = targets != NO_TARGET
        expected += float(
            torch.nn.functional.cross_entropy(scores[taught], targets[taught], reduction="sum")
        )
    batch = pack(rows)
    assert batch.segments[1].n_shared > 1
    assert batch.n_tokens == sum(map(len, rows)) - batch.segments[1].n_shared
    with torch.no_grad():
        assert float(loss_sum(network, batch)) == pytest.approx(expected, rel=1e-4)


def test_what_prompts_have_in_common_learns_as_if_it_stood_in_each(path):
    network = load_network(path)
    rows = rows_of(path, 3)
    loss_sum(network, pack(rows)).backward()
    together = {name: weights.grad for name, weights in network.named_parameters()}
    network.zero_grad(set_to_none=True)
    for row in rows:
        loss_sum(network, pack([row])).backward()
    for name, weights in network.named_parameters():
        torch.testing.assert_close(together[name], weights.grad, rtol=1e-3, atol=1e-4)


def test_bfloat16_leaves_the_rotary_frequencies_exact(tiny_model):
    network = load_network(tiny_model("qwen3"))
    before = network.model.rotary_emb.inv_freq.clone()
    weights = TrainedWeights(network, torch.bfloat16)
    assert network.lm_head.weight.dtype == torch.bfloat16
    assert torch.equal(network.model.rotary_emb.inv_freq, before)
    loss_sum(network, pack(rows_of(tiny_model("qwen3")))).backward()
    weights.take_gradients()
    assert all(p.grad.dtype == p.dtype == torch.float32 for p in weights)
    weights.finish({})
    assert network.lm_head.weight.dtype == torch.float32
    assert torch.equal(network.lm_head.weight, weights.by_name["lm_head.weight"])


def test_what_cannot_be_trained_is_refused(tiny_model, tmp_path):
    with pytest.raises(InputError, match=r"architecture mamba cannot be trained; .* llama, qwen2"):
        GgufFile(tiny_model("mamba"))
    with pytest.raises(OptionError, match=r"q99: unknown file type; known: .*Q4_K_M"):
        file_type_number("q99")
