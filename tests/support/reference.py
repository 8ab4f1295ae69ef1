"""The slow and obvious reference: one value at a time, straight through llama.cpp.

Every value has the context for itself: memory cleared, prompt and key decoded in one batch of a
single sequence, then one token at a time, the most probable one, until the value is complete.
Nothing is shared, forked, batched or guessed, so whatever the engine does must agree with this.
"""

from __future__ import annotations

import ctypes
import json
import re
from dataclasses import dataclass, field
from typing import Literal

import llama_cpp
import numpy as np

Stop = Literal["complete", "end_of_generation", "max_tokens"]


@dataclass
class ReferenceValue:
    """The model's text after one key."""

    tokens: list[int] = field(default_factory=list)
    """Without the token that ended generation, where there was one."""
    logprobs: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    """Logit of each token minus the runner-up's."""
    raw: bytes = b""
    """The text of the tokens, including all of the one that completes the value."""
    stop: Stop = "max_tokens"
    stop_margin: float | None = None
    """Of the token that ended generation, where there was one."""

    @property
    def text(self):
        return self.raw.decode("utf-8", "replace")


# --- when is a value done -------------------------------------------------------------------------

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ZEROS = re.compile(r"^(-?)0+(?=\d)", re.ASCII)
_DELIMITERS = frozenset(" \t\r\n,]}")


def _refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)


def is_complete(raw):
    """Whether the text holds one whole JSON value, whatever comes after it.

    A string ends at its first unescaped quote, be its escapes valid or not; a number may begin with
    zeros, and needs a delimiter, as more digits could follow.
    """
    text = raw.decode("utf-8", "replace").lstrip(" \t\r\n")
    text = _ZEROS.sub(r"\1", text)
    if text.startswith('"'):
        return _STRING.match(text) is not None
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        return False
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return text[end : end + 1] in _DELIMITERS
    return True


# --- the model ------------------------------------------------------------------------------------


class Reference:
    """A model and a context of one sequence."""

    def __init__(
        self,
        model_path,
        *,
        n_ctx=2048,
        kv_type=llama_cpp.GGML_TYPE_F16,
        n_threads=1,
    ):
        llama_cpp.llama_backend_init()
        model_params = llama_cpp.llama_model_default_params()
        model_params.use_extra_bufts = False  # weights as they lie in the file
        model_params.n_gpu_layers = 0
        self.model = llama_cpp.llama_model_load_from_file(str(model_path).encode(), model_params)
        if not self.model:
            raise RuntimeError(f"llama.cpp cannot load {model_path}")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = n_ctx
        params.n_batch = params.n_ubatch = n_ctx
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = n_threads
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.type_k = params.type_v = kv_type
        params.swa_full = True
        params.kv_unified = True
        params.no_perf = True
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        if not self.context:
            llama_cpp.llama_model_free(self.model)
            raise RuntimeError(f"llama.cpp cannot make a context for {model_path}")
        self.n_ctx = int(llama_cpp.llama_n_ctx(self.context))
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.n_vocab = int(llama_cpp.llama_vocab_n_tokens(self.vocab))
        self._pieces = {}

    def close(self):
        """Free the context and the model."""
        if self.context:
            llama_cpp.llama_free(self.context)
            llama_cpp.llama_model_free(self.model)
            self.context = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()

    def tokenize(self, text, *, add_special=False, parse_special=True):
        """Tokens of a text; control tokens in it are read as such."""
        raw = text.encode()
        size = len(raw) + 8
        buffer = (llama_cpp.llama_token * size)()
        n = llama_cpp.llama_tokenize(
            self.vocab, raw, len(raw), buffer, size, add_special, parse_special
        )
        assert n >= 0, "the buffer holds a token per byte"
        return list(buffer[:n])

    def piece(self, token):
        """The bytes that a token says; nothing for a control token."""
        if token not in self._pieces:
            buffer = ctypes.create_string_buffer(256)
            n = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 256, 0, False)
            assert n >= 0, "no piece is that long"
            self._pieces[token] = buffer.raw[:n]
        return self._pieces[token]

    def logits_after(self, tokens):
        """Decode the next tokens of the sequence in one batch; the last one's logits.

        The row is llama.cpp's own memory, overwritten by the next call.
        """
        buffer = (llama_cpp.llama_token * len(tokens))(*tokens)
        code = llama_cpp.llama_decode(
            self.context, llama_cpp.llama_batch_get_one(buffer, len(tokens))
        )
        if code != 0:
            raise RuntimeError(f"llama_decode returned {code} for {len(tokens)} tokens")
        row = llama_cpp.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(row, (self.n_vocab,))

    def value(self, prompt, key, max_tokens):
        """Decode the value of one key, alone."""
        tokens = [*prompt, *key]
        if len(tokens) + max_tokens > self.n_ctx:
            raise ValueError(f"{len(tokens)} + {max_tokens} tokens exceed {self.n_ctx}")
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        value = ReferenceValue()
        for _ in range(max_tokens):
            logits = self.logits_after(tokens)
            token = int(logits.argmax())
            top = float(logits[token])
            logits[token] = -np.inf
            runner_up = float(logits.max())
            logits[token] = top
            # No text follows a control token, whatever it means elsewhere.
            if llama_cpp.llama_vocab_is_eog(self.vocab, token) or llama_cpp.llama_vocab_is_control(
                self.vocab, token
            ):
                value.stop = "end_of_generation"
                value.stop_margin = top - runner_up
                break
            value.tokens.append(token)
            value.margins.append(top - runner_up)
            value.logprobs.append(-float(np.log(np.exp(logits.astype(np.float64) - top).sum())))
            value.raw += self.piece(token)
            if is_complete(value.raw):
                value.stop = "complete"
                break
            tokens = [token]
        return value
