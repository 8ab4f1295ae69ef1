"""Models that have a vocabulary and next to nothing else: one layer, all of whose weights are 0.

What they say is set from outside (``scripted_model``). The vocabularies are llama.cpp's own, which
its source has as files without weights (``tools.vocabularies``), and small ones that are made
here, each of which stands for a kind.
"""

from __future__ import annotations

import mmap
import os
import struct
from functools import partial
from pathlib import Path

import gguf
from gguf import GGMLQuantizationType as GgmlType
from gguf import GGUFValueType as ValueType

import tiny_models
from tools.vocabularies import FOLDER_VARIABLE, GENERATING, file_name

_CLOSING = ('"}', '",', '"\n', '"]', '"},', '."', '!"', ')"', '")', '",\n')
SMALL = {
    # What closes a string is one token with what follows, as in Qwen's.
    "merged": ("qwen3", partial(tiny_models.bpe_vocabulary, (*_CLOSING, ' "', '":', ", "))),
    # So is what stands between two strings, where no blanks are.
    "compact": ("llama", partial(tiny_models.bpe_vocabulary, ('":"', '","', '"}', '"}]', '":{"'))),
    # A quotation mark stands alone, as in SmolLM2's.
    "bare": ("qwen3", partial(tiny_models.bpe_vocabulary, (" null", "true", "false"))),
    # Each character that is not ASCII is cut.
    "bytes": ("llama", partial(tiny_models.bpe_vocabulary, ("th",), ())),
    # SentencePiece, which puts a blank before a text, or does not.
    "pieces": ("llama-spm", tiny_models.spm_vocabulary),
    "pieces, no blank": ("gemma3", tiny_models.spm_vocabulary),
}
"""The kind of each small vocabulary, and what makes it."""

_ALIGNMENT = 32
_N_EMBD = 32
_N_CTX = 32768
_SIZES = {
    ValueType.UINT8: 1,
    ValueType.INT8: 1,
    ValueType.UINT16: 2,
    ValueType.INT16: 2,
    ValueType.UINT32: 4,
    ValueType.INT32: 4,
    ValueType.FLOAT32: 4,
    ValueType.BOOL: 1,
    ValueType.UINT64: 8,
    ValueType.INT64: 8,
    ValueType.FLOAT64: 8,
}


class _Header:
    """The keys of a GGUF file with their values as the file has them, and their types."""

    def __init__(self, data):
        self._data = data
        _, _, _, n_keys = struct.unpack_from("<IIQQ", data)
        self._at = 24
        self.values = {}
        for _ in range(n_keys):
            begin = self._at
            name = self._bytes().decode()
            self._skip(ValueType(self._number("<I")))
            self.values[name] = bytes(data[begin : self._at])

    def length(self, name):
        """The length of a value that is an array."""
        return struct.unpack_from("<Q", self.values[name], 8 + len(name) + 4 + 4)[0]

    def _number(self, form):
        (number,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return number

    def _bytes(self):
        n = self._number("<Q")
        self._at += n
        return self._data[self._at - n : self._at]

    def _skip(self, kind):
        if kind is ValueType.STRING:
            self._bytes()
        elif kind is ValueType.ARRAY:
            inner, n = ValueType(self._number("<I")), self._number("<Q")
            if inner in _SIZES:
                self._at += n * _SIZES[inner]
            else:
                for _ in range(n):
                    self._skip(inner)
        else:
            self._at += _SIZES[kind]


def _read(path):
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _Header(data)


def _text(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _key(name, kind, value):
    return _text(name) + struct.pack("<I", kind) + value


def _architecture():
    """The keys of a model of one layer, without its vocabulary."""
    numbers = {
        "context_length": _N_CTX,
        "embedding_length": _N_EMBD,
        "block_count": 1,
        "feed_forward_length": _N_EMBD,
        "attention.head_count": 1,
        "attention.head_count_kv": 1,
    }
    keys = [_key("general.architecture", ValueType.STRING, _text("llama"))]
    keys += [
        _key(f"llama.{name}", ValueType.UINT32, struct.pack("<I", number))
        for name, number in numbers.items()
    ]
    epsilon = struct.pack("<f", 1e-5)
    keys.append(_key("llama.attention.layer_norm_rms_epsilon", ValueType.FLOAT32, epsilon))
    return keys


def _tensors(n_tokens):
    """The names, sizes and types of the tensors."""
    yield "token_embd.weight", (_N_EMBD, n_tokens), GgmlType.Q4_0
    yield "output_norm.weight", (_N_EMBD,), GgmlType.F32
    for name in ("attn_norm", "ffn_norm"):
        yield f"blk.0.{name}.weight", (_N_EMBD,), GgmlType.F32
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        yield f"blk.0.{name}.weight", (_N_EMBD, _N_EMBD), GgmlType.F32


def write_model(vocabulary, path):
    """Write a model that has the vocabulary of another file; returns its path."""
    header = _read(Path(vocabulary))
    kept = [raw for name, raw in header.values.items() if name.startswith("tokenizer.")]
    keys = [*_architecture(), *kept]
    infos, offset = [], 0
    for name, shape, kind in _tensors(header.length("tokenizer.ggml.tokens")):
        n_values = 1
        for n in shape:
            n_values *= n
        per_block, n_bytes = gguf.GGML_QUANT_SIZES[kind]
        infos.append(
            _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        )
        offset += -(-n_values // per_block * n_bytes // _ALIGNMENT) * _ALIGNMENT
    with Path(path).open("wb") as file:
        file.write(struct.pack("<IIQQ", 0x46554747, 3, len(infos), len(keys)))
        for part in (*keys, *infos):
            file.write(part)
        begin = -(-file.tell() // _ALIGNMENT) * _ALIGNMENT
        file.truncate(begin + offset)  # zeros
    return Path(path)


def write_small_model(name, path):
    """Write a model that has one of the small vocabularies; returns its path."""
    kind, make = SMALL[name]
    vocabulary = Path(f"{path}.vocabulary")
    writer = gguf.GGUFWriter(vocabulary, "llama")
    tiny_models.add_vocabulary(writer, make(), kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return write_model(vocabulary, path)


def models(directory, folder=None):
    """What makes a model for each vocabulary, and returns its path, by the vocabulary's name.

    Args:
        directory: where the models are written.
        folder: of llama.cpp's vocabularies; None: as ``HPD_VOCABULARIES`` says.
    """
    made = {}
    for name in SMALL:
        made[name] = partial(write_small_model, name, Path(directory) / f"{name}.gguf")
    folder = folder or os.environ.get(FOLDER_VARIABLE)
    for name in GENERATING if folder else ():
        path = Path(directory) / f"{name}.gguf"
        made[name] = partial(write_model, Path(folder) / file_name(name), path)
    return made
