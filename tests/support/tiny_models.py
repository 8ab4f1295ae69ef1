"""Random-weight GGUF models of a few layers, written in a moment, that talk like real ones.

The weights are noise, but not only: a few reserved dimensions of the residual stream carry the
class of the last token (end of a key, open quote, text, digit, end of a value), and the output
matrix answers it. So a model asked ``{"Brand":`` opens a string, writes null or a number, and
closes its strings after some tokens, while *which* words it says hangs on everything it can see:
a forgotten fork, a wrong position or a leaking neighbour changes the talk.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as GgmlType
from gguf import TokenType

KINDS = ("qwen3", "llama", "llama-spm", "gemma3", "qwen3moe", "mamba", "lfm2", "jamba")
"""All shapes. ``llama-spm`` and ``gemma3`` have a SentencePiece vocabulary, the others BPE."""

_SENTENCE_PIECE = ("llama-spm", "gemma2", "gemma3")
ATTENTION_KINDS = ("qwen3", "llama", "llama-spm", "gemma3", "qwen3moe")
BIASED_KIND = "qwen2"
"""Its queries, keys and values have a bias. Not one of ``KINDS``, either."""
SOFT_CAPPED_KIND = "gemma2"
"""Its attention's scores are capped. Its talk is not that of the others: not one of ``KINDS``."""

RECURRENT_KINDS = ("mamba",)
HYBRID_KINDS = ("lfm2", "jamba")

# Seeds are counted from here: with some, a model says nothing but null.
_FIRST_SEED = {
    "qwen2": 0,
    "qwen3": 0,
    "llama": 15,
    "llama-spm": 14,
    "gemma3": 15,
    "gemma2": 15,
    "qwen3moe": 0,
    "mamba": 0,
    "lfm2": 8,
    "jamba": 13,
}

QUANTS = ("f32", "q8_0", "q4_0")

SLIDING_WINDOW = 24
"""Of gemma3: shorter than any prompt, so that what leaves the window matters."""

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)

_N_EMBD = 128
_N_HEAD = 4
_N_HEAD_KV = 2
_HEAD_DIM = 64
_N_FF = 160
_RMS_EPS = 1e-6
_ROPE_BASE = 10000.0
_LOOK_BACK = (1, 2, 3, 5)  # how far back each head of the first layer looks

# Pieces that make joint and split tokenization differ come first: earlier merges win.
_JSON_PIECES = [
    *(' "', '":', '":,', '",', '"}', '"},', "},", '{"', "{}", ' {"', ' ["', '"]', ", ", '", "'),
    *(" null", " true", " false", "null", "true", "false", '\\"', "\\n", " -"),
]
_WORD_LIST = (
    "Brand Color Colour Size Material Type Model Capacity Weight Width Length Number Flavor "
    "Scent Gender Document Documents Attributes Example answer name address count item price "
    "city maker Nike Diesel Bosch Canon Sony Adidas Samsung Apple Green Black White Blue Red "
    "Silver Gold Brown Leather Cotton Steel Plastic Rubber Wood Glass Mens Men Women Kids "
    "Shoe Shoes Sneaker Boot High Low Top Battery Camera Coffee Roast Tea Vanilla Mint Bean "
    "Pack Ounce Inch Pound Watt Volt Count Set New the and for with from this that you are "
    "not all one two six ten "
)
_WORDS = _WORD_LIST.split()
_MULTIBYTE_PIECES = ["é", "ü", "™", "®", "½", "€", "日", "本", "日本", "😀", "”", "“", "…", " é"]

_CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin|>"]


# --- vocabulary ---------------------------------------------------------------------------------


@dataclass
class Vocabulary:
    """Tokens as the GGUF lists them, and what each one says."""

    kind: str
    """``bpe`` or ``spm``."""
    tokens: list[str] = field(default_factory=list)
    types: list[TokenType] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    """The bytes that a token decodes to; empty for control tokens."""
    merges: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def add(self, token, text, kind, score=0.0):
        """Append one token."""
        self.tokens.append(token)
        self.texts.append(text)
        self.types.append(kind)
        self.scores.append(score)

    def forget(self, missing):
        """Rename the tokens of single bytes, so that the tokenizer does not find them."""
        for index, text in enumerate(self.texts):
            if len(text) == 1 and text in missing:
                self.tokens[index] = f"[unused {index}]"
                self.types[index] = TokenType.UNUSED

    def id(self, token):
        """The id of a token by its name in the GGUF."""
        return self.tokens.index(token)


def byte_characters():
    """GPT-2's printable stand-in for every byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in characters)
    return characters | {byte: chr(256 + n) for n, byte in enumerate(others)}


def bpe_vocabulary(pieces=(*_JSON_PIECES, *_MULTIBYTE_PIECES), words=_WORDS):
    """256 bytes, merges that build pieces and words from the left, control tokens."""
    vocabulary = Vocabulary("bpe")
    characters = byte_characters()
    for byte in range(256):
        vocabulary.add(characters[byte], bytes([byte]), TokenType.NORMAL)
    known = set(vocabulary.tokens)
    for piece in [*pieces, *(prefix + word for word in words for prefix in ("", " "))]:
        raw = piece.encode()
        name = "".join(characters[byte] for byte in raw)
        for end in range(2, len(name) + 1):
            if name[:end] not in known:
                known.add(name[:end])
                vocabulary.merges.append(f"{name[: end - 1]} {name[end - 1]}")
                vocabulary.add(name[:end], raw[:end], TokenType.NORMAL)
    for token in _CONTROL:
        vocabulary.add(token, b"", TokenType.CONTROL)
    return vocabulary


def spm_vocabulary():
    """SentencePiece: pieces by score over a byte fallback.

    Pieces run over the end of the prompt on purpose: with ``\\n{"`` the key ``{"`` does not
    tokenize after a newline as it does alone.
    """
    vocabulary = Vocabulary("spm")
    vocabulary.add("<unk>", b"", TokenType.UNKNOWN)
    vocabulary.add("<s>", b"", TokenType.CONTROL)
    vocabulary.add("</s>", b"", TokenType.CONTROL)
    for byte in range(256):
        vocabulary.add(f"<0x{byte:02X}>", bytes([byte]), TokenType.BYTE)
    known = set()
    words = [prefix + word for word in _WORDS for prefix in ("", " ")]
    printable = [chr(code) for code in range(0x20, 0x7F)]
    for piece in [*printable, "\n{", '\n{"', *_JSON_PIECES, *_MULTIBYTE_PIECES, *words]:
        name = piece.replace(" ", "\u2581")
        # Every prefix must be a piece too: SentencePiece merges two neighbours at a time.
        for end in range(1, len(name) + 1):
            if name[:end] not in known:
                known.add(name[:end])
                score = -float(len(known))
                vocabulary.add(name[:end], piece[:end].encode(), TokenType.NORMAL, score)
    for token in _CONTROL[1:3]:
        vocabulary.add(token, b"", TokenType.CONTROL)
    return vocabulary


# --- what follows what --------------------------------------------------------------------------

_CLASSES = ("key", "open", "text", "space", "number", "done", "control")
_ALWAYS = 0  # the dimension that is the same for every token
_N_RESERVED = 1 + len(_CLASSES)
_AMPLITUDE = 4.0
# Always the same before a value: what these say themselves must not decide it.
_QUIET = ("key", "open", "control")
_QUIET_SCALE = 0.3

_NOISE = 2.2  # standard deviation of the logits that hang on the context
_MIX = 3.5  # how loud the context is in the stream, against the last token itself
_FINAL_RMS = 4.5  # of the residual stream after the last layer, as measured

_CLOSERS = {'"', '",', '"}', '"},', '":', '"]', '":,', '", "', '", '}

# logit added to a token (or a class of tokens) after a token of a class
_BIAS = {
    "always": {"control": -6.0, "odd byte": -3.5, "raw control": -8.0},
    "key": {' "': 14.5, " null": 13.5, " true": 10.5, " ": 12.0, ' {"': 6.0, ' ["': 5.0},
    "open": {"closer": -2.0, "number": -1.0},
    "text": {"closer": 1.8},
    "space": {"number": 9.0},
    "number": {"number": 6.0, ",": 9.0, "}": 8.0, ".": 5.0, ", ": 6.0},
    "done": {",": 7.0, ", ": 7.0, "}": 8.0, "end": 15.0},
    "control": {'{"': 8.0},
}


def _token_class(vocabulary, index):
    if vocabulary.types[index] in (TokenType.CONTROL, TokenType.UNKNOWN):
        return "control"
    text = vocabulary.texts[index].decode("utf-8", "replace")
    if text.endswith(":"):
        return "key"
    if text in {' "', '{"', ' {"', ' ["', '\n{"', '", "'}:
        return "open"
    if text == " ":
        return "space"
    if text.strip().isdigit():
        return "number"
    if text.strip() in {"null", "true", "false", ",", "}", "{}"} or text in _CLOSERS:
        return "done"
    return "text"


def _bias_matrix(vocabulary):
    """Logits by (token, reserved dimension)."""
    matrix = np.zeros((len(vocabulary.tokens), _N_RESERVED), np.float32)
    for index, raw in enumerate(vocabulary.texts):
        text = raw.decode("utf-8", "replace")
        names = {text, _token_class(vocabulary, index)}
        if text in _CLOSERS:
            names.add("closer")
        if "\ufffd" in text:
            names.add("odd byte")
        if len(raw) == 1 and (raw < b" " or raw == b"\x7f"):
            names.add("raw control")
        if vocabulary.tokens[index] in ("<|im_end|>", "</s>"):
            names.add("end")
        for dimension, after in enumerate(("always", *_CLASSES)):
            matrix[index, dimension] = sum(_BIAS[after].get(name, 0.0) for name in names)
    for name in _QUIET:
        column = matrix[:, 1 + _CLASSES.index(name)]
        column += (1 - _QUIET_SCALE) * matrix[:, _ALWAYS]
        column /= _QUIET_SCALE
    return matrix


# --- weights ------------------------------------------------------------------------------------


class _Weights:
    """Tensors in GGUF names and numpy shapes (rows are outputs)."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.tensors = {}

    def noise(self, name, *shape, gain=1.0, stream=""):
        """Normal noise that keeps the size of its input, times ``gain``.

        What reads the ``"in"`` side of the stream is blind to the reserved dimensions, and what
        writes to its ``"out"`` side leaves them as they are.
        """
        values = self.random.standard_normal(shape, np.float32) * (gain / shape[-1] ** 0.5)
        if stream == "in":
            values[..., :_N_RESERVED] = 0.0
        elif stream == "out":
            values[..., :_N_RESERVED, :] = 0.0
        self.tensors[name] = values

    def constant(self, name, *shape, value=1.0):
        self.tensors[name] = np.full(shape, value, np.float32)

    def put(self, name, values):
        self.tensors[name] = np.ascontiguousarray(values, np.float32)

    # each of the following is one half of a layer

    def attention(self, layer, *, qk_norm, local, n_head, n_kv, neox=True):
        """Peaked attention: by place if ``local``, so that the talk hangs on the latest words,
        else by what is there, so that it hangs on single words of the document.
        """
        block = f"blk.{layer}."
        gain = 1.0 if qk_norm else 1.5
        self.noise(f"{block}attn_q.weight", n_head * _HEAD_DIM, _N_EMBD, gain=gain, stream="in")
        self.noise(f"{block}attn_k.weight", n_kv * _HEAD_DIM, _N_EMBD, gain=gain, stream="in")
        self.noise(f"{block}attn_v.weight", n_kv * _HEAD_DIM, _N_EMBD, stream="in")
        self.noise(
            f"{block}attn_output.weight", _N_EMBD, n_head * _HEAD_DIM, gain=_MIX, stream="out"
        )
        if local:
            # One vector in every key and, turned by as many positions (RoPE), in every query:
            # each head sees best what is that far behind.
            shared = self.random.standard_normal((n_kv, _HEAD_DIM), np.float32)
            shared *= 2.0 * gain / _AMPLITUDE
            self.tensors[f"{block}attn_k.weight"][:, _ALWAYS] = shared.ravel()
            shared = np.repeat(shared, n_head // n_kv, axis=0)
            for head in range(n_head):
                shared[head] = _rotated(shared[head], -_LOOK_BACK[head], neox=neox)
            self.tensors[f"{block}attn_q.weight"][:, _ALWAYS] = shared.ravel()
        if qk_norm:
            self.constant(f"{block}attn_q_norm.weight", _HEAD_DIM, value=1.5)
            self.constant(f"{block}attn_k_norm.weight", _HEAD_DIM, value=1.5)

    def feed_forward(self, layer):
        block = f"blk.{layer}."
        self.noise(f"{block}ffn_gate.weight", _N_FF, _N_EMBD, gain=1.2, stream="in")
        self.noise(f"{block}ffn_up.weight", _N_FF, _N_EMBD, gain=1.2, stream="in")
        self.noise(f"{block}ffn_down.weight", _N_EMBD, _N_FF, gain=1.2, stream="out")

    def experts(self, layer, n_expert, n_ff):
        block = f"blk.{layer}."
        self.noise(f"{block}ffn_gate_inp.weight", n_expert, _N_EMBD, gain=2.0, stream="in")
        self.noise(f"{block}ffn_gate_exps.weight", n_expert, n_ff, _N_EMBD, gain=1.2, stream="in")
        self.noise(f"{block}ffn_up_exps.weight", n_expert, n_ff, _N_EMBD, gain=1.2, stream="in")
        self.noise(f"{block}ffn_down_exps.weight", n_expert, _N_EMBD, n_ff, gain=1.2, stream="out")

    def mamba(self, layer, *, norms):
        block = f"blk.{layer}."
        inner, n_state, n_conv, rank = _ssm_sizes()
        self.noise(f"{block}ssm_in.weight", 2 * inner, _N_EMBD, stream="in")
        self.noise(f"{block}ssm_conv1d.weight", inner, n_conv, gain=1.2)
        self.constant(f"{block}ssm_conv1d.bias", inner, value=0.0)
        self.noise(f"{block}ssm_x.weight", rank + 2 * n_state, inner, gain=1.5)
        self.noise(f"{block}ssm_dt.weight", inner, rank, gain=0.5)
        self.constant(f"{block}ssm_dt.bias", inner, value=-2.0)
        # Slow to forget: the state must still show the head of a long document.
        rates = np.geomspace(0.005, 1.0, n_state)
        self.put(f"{block}ssm_a", np.tile(-rates, (inner, 1)))
        self.constant(f"{block}ssm_d", inner)
        self.noise(f"{block}ssm_out.weight", _N_EMBD, inner, gain=0.3 * _MIX, stream="out")
        if norms:
            self.constant(f"{block}ssm_dt_norm.weight", rank)
            self.constant(f"{block}ssm_b_norm.weight", n_state)
            self.constant(f"{block}ssm_c_norm.weight", n_state)

    def short_convolution(self, layer, n_conv):
        block = f"blk.{layer}.shortconv."
        self.noise(f"{block}conv.weight", _N_EMBD, n_conv, gain=1.5)
        self.noise(f"{block}in_proj.weight", 3 * _N_EMBD, _N_EMBD, stream="in")
        self.noise(f"{block}out_proj.weight", _N_EMBD, _N_EMBD, gain=0.4 * _MIX, stream="out")

    def embeddings(self, vocabulary, *, scale, final_norm):
        """Input rows that carry the token's class, output rows that answer it."""
        n_tokens = len(vocabulary.tokens)
        rows = self.random.standard_normal((n_tokens, _N_EMBD), np.float32)
        rows[:, :_N_RESERVED] = 0.0
        for index in range(n_tokens):
            name = _token_class(vocabulary, index)
            rows[index, _ALWAYS] = _AMPLITUDE
            rows[index, 1 + _CLASSES.index(name)] = _AMPLITUDE
            if name in _QUIET:
                rows[index] *= _QUIET_SCALE
        self.put("token_embd.weight", rows * scale)
        self.noise("output.weight", n_tokens, _N_EMBD, gain=_NOISE)
        reserved = _bias_matrix(vocabulary) * (_FINAL_RMS / _AMPLITUDE)
        self.tensors["output.weight"][:, :_N_RESERVED] = reserved
        self.constant(f"{final_norm}.weight", _N_EMBD)


def _rotated(vector, n_positions, *, neox):
    """A head's vector after RoPE; pairs are (i, i + half) with ``neox``, else (2i, 2i + 1)."""
    half = len(vector) // 2
    angles = n_positions * _ROPE_BASE ** (-np.arange(half) / half)
    turn = np.exp(1j * angles)
    if neox:
        turned = (vector[:half] + 1j * vector[half:]) * turn
        return np.concatenate([turned.real, turned.imag])
    turned = (vector[0::2] + 1j * vector[1::2]) * turn
    return np.stack([turned.real, turned.imag], axis=1).ravel()


def _ssm_sizes():
    """(inner, state, convolution, rank of dt); llama.cpp wants inner = 2 * embedding."""
    return 2 * _N_EMBD, 16, 4, 8


def _norm(weights, layer, *names):
    for name in names:
        weights.constant(f"blk.{layer}.{name}.weight", _N_EMBD)


# --- shapes -------------------------------------------------------------------------------------


def _transformer(writer, weights, kind):
    n_layer = 3
    # llama.cpp wants the heads of qwen2 to split the embedding.
    n_head, n_head_kv = (2, 1) if kind == BIASED_KIND else (_N_HEAD, _N_HEAD_KV)
    qk_norm = kind not in ("llama", "gemma2", "qwen2")
    writer.add_block_count(n_layer)
    writer.add_head_count(n_head)
    writer.add_head_count_kv(n_head_kv)
    writer.add_key_length(_HEAD_DIM)
    writer.add_value_length(_HEAD_DIM)
    writer.add_rope_dimension_count(_HEAD_DIM)
    writer.add_rope_freq_base(_ROPE_BASE)
    writer.add_feed_forward_length(_N_FF)
    if kind == "qwen3moe":
        writer.add_expert_count(4)
        writer.add_expert_used_count(2)
        writer.add_expert_feed_forward_length(96)
    if kind == "gemma2":
        writer.add_sliding_window(SLIDING_WINDOW)
        writer.add_attn_logit_softcapping(50.0)
        writer.add_final_logit_softcapping(30.0)
    if kind == "gemma3":
        writer.add_sliding_window(SLIDING_WINDOW)
        # the last layer of three sees everything, the others a window
        writer.add_sliding_window_pattern(3)
        writer.add_rope_freq_base_swa(_ROPE_BASE)
    for layer in range(n_layer):
        _norm(weights, layer, "attn_norm", "ffn_norm")
        weights.attention(
            layer,
            qk_norm=qk_norm,
            local=layer == 0,
            n_head=n_head,
            n_kv=n_head_kv,
            neox=kind != "llama",
        )
        if kind == "qwen2":
            for name, n in (("q", n_head), ("k", n_head_kv), ("v", n_head_kv)):
                weights.noise(f"blk.{layer}.attn_{name}.bias", n * _HEAD_DIM, gain=2.0)
        if kind == "qwen3moe":
            weights.experts(layer, 4, 96)
        else:
            weights.feed_forward(layer)
        if kind in ("gemma2", "gemma3"):
            # These norms come after the output projection: here the reserved rows are cut.
            for name in ("post_attention_norm", "post_ffw_norm"):
                gain = np.full(_N_EMBD, 0.5 * _MIX if "attention" in name else 0.7, np.float32)
                gain[:_N_RESERVED] = 0.0
                weights.put(f"blk.{layer}.{name}.weight", gain)


def _add_ssm_keys(writer):
    inner, n_state, n_conv, rank = _ssm_sizes()
    writer.add_ssm_conv_kernel(n_conv)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(n_state)
    writer.add_ssm_time_step_rank(rank)


def _mamba(writer, weights):
    n_layer = 4
    writer.add_block_count(n_layer)
    writer.add_head_count(0)
    writer.add_feed_forward_length(0)
    _add_ssm_keys(writer)
    for layer in range(n_layer):
        _norm(weights, layer, "attn_norm")
        weights.mamba(layer, norms=False)


def _hybrid(writer, weights, kind):
    has_attention = (False, True, False, True)
    writer.add_block_count(len(has_attention))
    writer.add_head_count(2)
    writer.add_head_count_kv([1 if here else 0 for here in has_attention])
    writer.add_feed_forward_length(_N_FF)
    if kind == "lfm2":
        writer.add_rope_freq_base(_ROPE_BASE)
        writer.add_shortconv_l_cache(3)
    else:
        _add_ssm_keys(writer)
    for layer, here in enumerate(has_attention):
        _norm(weights, layer, "attn_norm", "ffn_norm")
        if here:
            # Heads split the embedding here; the other layers see to what is near.
            weights.attention(layer, qk_norm=kind == "lfm2", local=False, n_head=2, n_kv=1)
        elif kind == "lfm2":
            weights.short_convolution(layer, 3)
        else:
            weights.mamba(layer, norms=True)
        weights.feed_forward(layer)


# --- file ---------------------------------------------------------------------------------------


def make_model(kind, directory, quant="f32", n_ctx_train=4096, seed=0, without=""):
    """Write ``{kind}-{quant}-{seed}-{n_ctx_train}.gguf`` and return its path; reused if there.

    ``without``: characters whose bytes have no tokens in its vocabulary.
    """
    if kind not in (*KINDS, SOFT_CAPPED_KIND, BIASED_KIND):
        raise ValueError(f"unknown kind {kind!r}: one of {', '.join(KINDS)}")
    if quant not in QUANTS:
        raise ValueError(f"unknown quant {quant!r}: one of {', '.join(QUANTS)}")
    lacks = f"-without-{without.encode().hex()}" if without else ""
    path = Path(directory) / f"{kind}-{quant}-{seed}-{n_ctx_train}{lacks}.gguf"
    if path.exists():
        return path
    arch = kind.split("-")[0]
    vocabulary = spm_vocabulary() if kind in _SENTENCE_PIECE else bpe_vocabulary()
    vocabulary.forget(without.encode())
    # not hash(), which differs from run to run
    digest = hashlib.sha256(f"{kind} {_FIRST_SEED[kind] + seed}".encode()).digest()
    weights = _Weights(int.from_bytes(digest[:8], "big"))

    partial = path.with_suffix(".part")
    writer = gguf.GGUFWriter(partial, arch)
    writer.add_name(f"tiny {kind}")
    writer.add_context_length(n_ctx_train)
    writer.add_embedding_length(_N_EMBD)
    writer.add_layer_norm_rms_eps(_RMS_EPS)
    add_vocabulary(writer, vocabulary, kind)
    if arch == "mamba":
        _mamba(writer, weights)
    elif arch in HYBRID_KINDS:
        _hybrid(writer, weights, arch)
    else:
        _transformer(writer, weights, arch)
    weights.embeddings(
        vocabulary,
        # Gemma multiplies embeddings by the root of their length
        scale=_N_EMBD**-0.5 if arch in ("gemma2", "gemma3") else 1.0,
        final_norm="token_embd_norm" if arch == "lfm2" else "output_norm",
    )
    if arch == SOFT_CAPPED_KIND:
        del weights.tensors["output.weight"]  # Gemma 2 has the embeddings there
    for name, values, ggml_type in _stored(weights, quant):
        writer.add_tensor(name, values, raw_dtype=ggml_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.rename(path)
    return path


def add_vocabulary(writer, vocabulary, kind):
    """Add the keys of a vocabulary, as those of a model of this kind, to what is written."""
    if vocabulary.kind == "bpe":
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("llama-bpe" if kind == "llama" else "qwen2")
        writer.add_token_merges(vocabulary.merges)
        writer.add_bos_token_id(vocabulary.id("<|begin|>"))
        writer.add_add_bos_token(kind == "llama")
        writer.add_pad_token_id(vocabulary.id("<|endoftext|>"))
    else:
        writer.add_tokenizer_model("llama")
        writer.add_token_scores(vocabulary.scores)
        writer.add_bos_token_id(vocabulary.id("<s>"))
        writer.add_unk_token_id(vocabulary.id("<unk>"))
        writer.add_add_bos_token(True)
        # as in Gemma and in Llama 2
        writer.add_add_space_prefix(kind == "llama-spm")
    writer.add_token_list(vocabulary.tokens)
    writer.add_token_types(vocabulary.types)
    writer.add_eos_token_id(vocabulary.id("<|im_end|>"))
    writer.add_eot_token_id(vocabulary.id("<|im_end|>"))
    writer.add_chat_template(CHAT_TEMPLATE)


# Small or sensitive tensors that llama.cpp's own quantiser leaves alone, too.
_UNQUANTISED = re.compile(r"ffn_gate_inp|conv1d|shortconv\.conv|ssm_(a|d|x|dt)\b|norm")


def _stored(weights, quant):
    ggml_type = {"f32": GgmlType.F32, "q8_0": GgmlType.Q8_0, "q4_0": GgmlType.Q4_0}[quant]
    for name, values in weights.tensors.items():
        keep = values.ndim < 2 or values.shape[-1] % 32 or _UNQUANTISED.search(name)
        if ggml_type is GgmlType.F32 or keep:
            yield name, values, GgmlType.F32
        else:
            yield name, gguf.quants.quantize(values, ggml_type), ggml_type
