"""The network in PyTorch: loaded from a GGUF file, with packed rows, adapters, rounded weights."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from hpd.errors import InputError
from hpd.models.settings import load_vocabulary
from hpd.training import masks
from hpd.training.rows import NO_TARGET, TrainingRow
from hpd.training.weights import GgufFile, adapter_changes

PACKED_ATTENTION = "hpd_packed"
"""The name in transformers of the attention for packed rows."""


# --- files ----------------------------------------------------------------------------------------


def load_network(path: Path, device: str = "cpu", adapter: Path | None = None) -> Any:
    """Load the causal language model of a GGUF file in F32, with attention that takes any mask.

    Args:
        path: the file, which may be quantised.
        device: the device to load it on.
        adapter: a GGUF adapter to add to its weights.
    """
    base = GgufFile(path)
    config = AutoConfig.for_model(base.form.model_type, **base.config())
    network: Any = AutoModelForCausalLM.from_config(
        config, attn_implementation="sdpa", dtype=torch.float32
    )
    parameters = dict(network.named_parameters())
    with torch.no_grad():
        for name, values in base.parameters(parameters):
            parameters[name].copy_(torch.from_numpy(values))
        factors = base.frequency_factors()
        if factors is not None:
            network.get_decoder().rotary_emb.inv_freq /= torch.from_numpy(factors)
        if adapter is not None:
            by_tensor = {base.name_of(name): parameter for name, parameter in parameters.items()}
            for name, change in adapter_changes(base, adapter):
                by_tensor[name] += torch.from_numpy(change)
    return network.to(device).eval()


class GgufVocabulary:
    """The vocabulary of a GGUF file. The engine tokenizes, so any of its tokenizers works."""

    def __init__(self, path: Path) -> None:
        self._model = load_vocabulary(path)
        self.chat_template = self._model.chat_template
        self.bos = self._model.bos
        self.control_tokens = self._model.control_tokens
        self.metadata = self._model.metadata
        self.lora_metadata = self._model.lora_metadata
        self.tokenize = self._model.tokenize
        self.piece = self._model.piece
        ends = [t for t in range(self._model.n_vocab) if self._model.ends_generation(t)]
        self.end_tokens = frozenset(ends)
        eos = self._model.metadata("tokenizer.ggml.eos_token_id")
        self.eos = int(eos) if eos else ends[0]
        """The token that ends an answer."""
        first = self.tokenize("x")[:1]
        self._adds_space = any(self.piece(token).startswith(b" ") for token in first)

    def tokenize_inside(self, text: str) -> list[int]:
        """Tokenize a text that follows other text, as a value follows its key."""
        if self._adds_space:
            for before in (":", "x", "\n"):
                prefix = self.tokenize(before)
                tokens = self.tokenize(before + text)
                if tokens[: len(prefix)] == prefix:
                    return list(tokens[len(prefix) :])
        return list(self.tokenize(text))


# --- packed rows ----------------------------------------------------------------------------------


class PackedRows(NamedTuple):
    """Rows end to end: linear layers compute them together, attention row by row.

    The common prefix of all prompts, such as the instruction, is computed once, in the first row.
    """

    tokens: Any
    positions: Any
    targets: Any
    """The target tokens."""
    target_indexes: Any
    """The indexes of the tokens whose next tokens are the targets."""
    segments: list[AttentionSegment]

    @property
    def n_tokens(self) -> int:
        """Total number of tokens, without padding."""
        return int(self.tokens.shape[1])


@dataclass(frozen=True, slots=True)
class AttentionSegment:
    """A row's position among packed rows, and its mask."""

    start: int
    end: int
    n_shared: int
    """Leading tokens shared with the first row."""
    visible: Any
    """The row's mask, (own tokens, shared and own tokens)."""
    positions: Any
    """Position ids of the shared and own tokens."""
    _biases: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def bias(self, n_grouped: int, window: int | None, dtype: Any) -> Any:
        """Return the attention bias: 0 where a token sees another, else the lowest number.

        Args:
            n_grouped: query heads per key head; the bias is repeated for each along the first axis.
            window: size of the sliding window; None: no window.
            dtype: type of the scores.
        """
        # Cached, because all layers use the same.
        kind = n_grouped, window, dtype
        if kind not in self._biases:
            near = self.visible
            if window is not None:
                near = near & (self.positions[self.n_shared :, None] - self.positions < window)
            bias = torch.zeros(near.shape, dtype=dtype, device=near.device)
            bias = bias.masked_fill_(~near, torch.finfo(dtype).min).repeat(n_grouped, 1)
            self._biases[kind] = bias
        return self._biases[kind]


def pack(rows: Sequence[TrainingRow], device: Any = "cpu") -> PackedRows:
    """Pack rows end to end, without padding; the prefix that they share is packed only once."""
    segments: list[AttentionSegment] = []
    start = 0
    n_common = _n_common(rows)
    own = [slice(n_common if number else 0, None) for number in range(len(rows))]
    for row, part in zip(rows, own, strict=True):
        roles = masks.to_tensors(masks.stack([row.roles]), device)
        visible = masks.dense(row.mask, roles)[0, 0, part]
        end = start + len(visible)
        n_shared = n_common if segments else 0
        segments.append(AttentionSegment(start, end, n_shared, visible, roles.position[0]))
        start = end
    tokens = np.concatenate([row.tokens[part] for row, part in zip(rows, own, strict=True)])
    targets = np.concatenate([row.targets[part] for row, part in zip(rows, own, strict=True)])
    target_indexes = np.nonzero(targets != NO_TARGET)[0]
    return PackedRows(
        torch.from_numpy(tokens).to(device)[None],
        torch.cat([each.positions[each.n_shared :] for each in segments])[None],
        torch.from_numpy(targets[target_indexes]).to(device),
        torch.from_numpy(target_indexes).to(device),
        segments,
    )


def _n_common(rows: Sequence[TrainingRow]) -> int:
    """Count the leading tokens that all prompts share, before the first target."""
    n_common = min(
        min(
            (row.roles.kind == masks.TokenKind.PROMPT).sum(),
            *np.nonzero(row.targets != NO_TARGET)[0],
        )
        for row in rows
    )
    heads = np.stack([row.tokens[:n_common] for row in rows])
    differing = np.nonzero((heads != heads[0]).any(axis=0))[0]
    return int(differing[0]) if len(differing) else n_common


def loss_sum(network: Any, batch: PackedRows) -> Any:
    """Return the sum of the cross entropies of all targets."""
    use_attention(network, PACKED_ATTENTION)
    hidden = network.get_decoder()(
        input_ids=batch.tokens,
        position_ids=batch.positions,
        use_cache=False,
        segments=batch.segments,
    ).last_hidden_state[0]
    # Logits are only needed for targets.
    logits = network.get_output_embeddings()(hidden[batch.target_indexes]).float()
    return functional.cross_entropy(logits, batch.targets, reduction="sum")


def use_attention(network: Any, name: str) -> None:
    """Make a network use the attention of this name in transformers."""
    if network.config.get_text_config()._attn_implementation != name:
        network.set_attn_implementation(name)


def _attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, *, scaling: float,
    segments: Sequence[AttentionSegment], sliding_window: int | None = None, **_: Any,
) -> tuple[Any, None]:  # fmt: skip
    """Compute attention within each row by matrix products, which are faster than SDPA on a CPU."""
    n_heads, n_kv = query.shape[1], key.shape[1]
    n_grouped = n_heads // n_kv
    # Split in one call: the gradient of each separate slice would be as long as all rows.
    n_common = segments[-1].n_shared
    sizes = [each.end - each.start for each in segments]
    queries = (query[0] * scaling).split(sizes, 1)
    (common_keys, *keys), (common_values, *values) = (
        each[0].split([n_common, sizes[0] - n_common, *sizes[1:]], 1) for each in (key, value)
    )
    out = []
    for segment, own, own_keys, own_values in zip(segments, queries, keys, values, strict=True):
        n = own.shape[1]
        grouped = own.reshape(n_kv, n_grouped * n, -1)
        bias = segment.bias(n_grouped, sliding_window, grouped.dtype)
        scores = torch.baddbmm(bias, grouped, torch.cat((common_keys, own_keys), 1).transpose(1, 2))
        mixed = torch.bmm(torch.softmax(scores, -1), torch.cat((common_values, own_values), 1))
        out.append(mixed.view(1, n_heads, n, -1).transpose(1, 2))
    return torch.cat(out, 1), None


ALL_ATTENTION_FUNCTIONS[PACKED_ATTENTION] = _attention
ALL_MASK_ATTENTION_FUNCTIONS[PACKED_ATTENTION] = lambda *arguments, **options: None


def attention_mask(network: Any, visible: Any, queries: Any, keys: Any) -> Any:
    """Return a dense mask in the form that the network takes, with its sliding windows.

    Args:
        network: a causal language model.
        visible: a dense mask, (rows, 1, queries, keys).
        queries: position ids of the tokens being fed, (rows, queries).
        keys: position ids of the tokens that they may see, (rows, keys).
    """
    config = network.config.get_text_config()
    n_window = getattr(config, "sliding_window", None)
    kinds = getattr(config, "layer_types", None)
    if n_window is None or (kinds is not None and "sliding_attention" not in kinds):
        return visible
    distance = queries[:, None, :, None] - keys[:, None, None, :]
    near = visible & (distance < n_window)
    return near if kinds is None else {"full_attention": visible, "sliding_attention": near}


# --- adapters -------------------------------------------------------------------------------------

ADAPTED_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The linear layers of every block, all of which llama.cpp's adapters support."""


class Lora(torch.nn.Module):  # type: ignore[misc]
    """A frozen linear layer plus the product of two thin matrices."""

    def __init__(self, layer: Any, rank: int, alpha: float) -> None:
        super().__init__()
        self.layer = layer
        self.scale = alpha / rank
        device = layer.weight.device
        self.a = torch.nn.Parameter(torch.empty(rank, layer.in_features, device=device))
        self.b = torch.nn.Parameter(torch.zeros(layer.out_features, rank, device=device))
        torch.nn.init.kaiming_uniform_(self.a, a=5**0.5)

    def forward(self, x: Any) -> Any:
        change = functional.linear(functional.linear(x, self.a), self.b)
        return self.layer(x) + self.scale * change


def add_lora(network: Any, rank: int, alpha: float, seed: int = 0) -> None:
    """Add new, randomly initialized adapters to the network, and freeze all other weights."""
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for module in list(network.modules()):
            for name in ADAPTED_LAYERS:
                if isinstance(getattr(module, name, None), torch.nn.Linear):
                    setattr(module, name, Lora(getattr(module, name), rank, alpha))


def freeze(network: Any, n_layers: int) -> None:
    """Freeze the embeddings and the first ``n_layers`` layers of the network.

    Raises:
        InputError: no layer would be left to train.
    """
    layers = network.get_decoder().layers
    if n_layers >= len(layers):
        raise InputError(
            f"the model has {len(layers)} layers: none is left if {n_layers} are frozen"
        )
    for module in (network.get_input_embeddings(), *layers[:n_layers]):
        module.requires_grad_(False)


def lora_factors(network: Any) -> dict[str, tuple[Any, Any]]:
    """Return A and B of each adapter, by the name of the weight they change."""
    return {
        f"{name}.weight": (module.a.detach().float().cpu().numpy(),
                           module.b.detach().float().cpu().numpy())
        for name, module in network.named_modules()
        if isinstance(module, Lora)
    }  # fmt: skip


# --- weights in training --------------------------------------------------------------------------


def round_weights(weights: Any, kind: str, *, is_compiled: bool = False) -> Any:
    """Round weights as ggml's quantisation does."""
    scales: Any = _compile(_scales) if is_compiled else _scales
    round_blocks: Any = _compile(_round_blocks) if is_compiled else _round_blocks
    blocks = weights.reshape(-1, 32)
    return round_blocks(blocks, *scales(blocks, kind), kind).reshape(weights.shape)


@functools.cache
def _compile(function: Callable[..., Any]) -> Any:
    return torch.compile(function, dynamic=True)


def _scales(blocks: Any, kind: str) -> tuple[Any, Any]:
    """Return each block's scale in F16, and the factor for its weights."""
    if kind == "Q8_0":
        scale = blocks.abs().amax(1, keepdim=True) / 127
    else:
        largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
        scale = largest / (-8 if kind == "Q4_0" else -16)
    # Not in ``_round_blocks``: compiled code would use the scale before it is rounded to F16.
    return scale.half(), torch.where(scale != 0, 1 / scale, torch.zeros_like(scale))


def _round_blocks(blocks: Any, scale: Any, inverse: Any, kind: str) -> Any:
    """Return the stored integers times their scale."""
    scaled = blocks * inverse
    if kind == "Q8_0":
        # Round halves away from zero.
        integers = torch.trunc(scaled + 0.5 * torch.sign(scaled))
    else:
        half = 8 if kind == "Q4_0" else 16
        integers = torch.trunc(scaled + (half + 0.5)).clamp_(0, 2 * half - 1) - half
    return integers * scale.float()


class TrainedWeights:
    """The F32 weights being trained, from which the network's weights are made.

    A network in bfloat16 or with rounded weights gets a copy after each update; the gradient of the
    copy is used for the weight itself (a straight-through estimator).

    Args:
        network: the network, which is converted to ``dtype``.
        dtype: ``torch.float32`` or ``torch.bfloat16``.
        rounding: one of ``hpd.training.ROUNDED``, or empty. Embeddings and norms are never rounded.
        is_compiled: round with compiled code.
    """

    def __init__(
        self,
        network: Any,
        dtype: Any = torch.float32,
        rounding: str = "",
        *,
        is_compiled: bool = False,
    ) -> None:
        self._network = network
        self._rounding = rounding
        self._is_compiled = is_compiled
        named = {n: p for n, p in network.named_parameters() if p.requires_grad}
        self._is_copied = bool(rounding) or dtype != torch.float32
        masters = {n: torch.nn.Parameter(p.detach().clone()) for n, p in named.items()}
        self.by_name = masters if self._is_copied else named
        """The weights, by name."""
        self._copies = named
        if dtype != torch.float32:
            # Buffers stay F32: rounded rotary frequencies would be wrong for distant tokens.
            for parameter in network.parameters():
                parameter.data = parameter.data.to(dtype)
        self.put()

    def put(self) -> None:
        """Copy the current weights into the network."""
        if not self._is_copied:
            return
        with torch.no_grad():
            for name, copy in self._copies.items():
                copy.copy_(self._for_network(name))

    def _for_network(self, name: str) -> Any:
        weights = self.by_name[name]
        is_rounded = self._rounding and weights.ndim > 1 and "embed" not in name
        if not is_rounded or "lm_head" in name or weights.shape[-1] % 32:
            return weights
        return round_weights(weights, self._rounding, is_compiled=self._is_compiled)

    def take_gradients(self) -> None:
        """Move the gradients of the copies to the weights."""
        if self._is_copied:
            for name, copy in self._copies.items():
                self.by_name[name].grad = None if copy.grad is None else copy.grad.float()
                copy.grad = None

    def copy(self) -> dict[str, Any]:
        """Return copies of the weights."""
        return {name: weights.detach().cpu().clone() for name, weights in self.by_name.items()}

    def finish(self, weights: Mapping[str, Any]) -> None:
        """Convert the network to F32 with these weights; weights not given keep their values."""
        self._network.float()
        with torch.no_grad():
            for name, copy in self._copies.items():
                copy.copy_(weights.get(name, self.by_name[name]))

    def set(self, weights: Mapping[str, Any]) -> None:
        """Restore weights."""
        with torch.no_grad():
            for name, tensor in weights.items():
                self.by_name[name].copy_(tensor)
        self.put()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.by_name.values())


def compile_parts(network: Any) -> None:
    """Compile norms and gates into fused kernels, which takes half a minute once.

    Attention is not compiled: its shapes differ from row to row, and each would be compiled anew.
    """
    for module in network.modules():
        if type(module).__name__.endswith(("RMSNorm", "MLP")):
            compiled = torch.compile(module.forward, dynamic=True)
            module.forward = functools.partial(_forward, module.forward, compiled)


def _forward(plain: Any, compiled: Any, x: Any) -> Any:
    # Validation has inputs of many shapes, each of which would be compiled.
    return (compiled if torch.is_grad_enabled() else plain)(x)


# --- the faster type ------------------------------------------------------------------------------


@functools.cache
def bf16_is_faster(device: str) -> bool:
    """Return whether matrix products are faster in bfloat16 than in float32 on a device.

    CPUs without bfloat16 instructions are many times slower, so on a CPU both are timed, which
    takes milliseconds. Other devices worth training on have such instructions.
    """
    return not device.startswith("cpu") or _seconds(torch.bfloat16) < _seconds(torch.float32)


def _seconds(dtype: Any) -> float:
    matrix = torch.ones(256, 256, dtype=dtype)
    times = []
    for _ in range(4):
        start = time.perf_counter()
        matrix @ matrix
        times.append(time.perf_counter() - start)
    # The first product creates the kernel, and is not counted.
    return min(times[1:])
