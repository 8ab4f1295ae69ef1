"""Two readings of a GBNF grammar, to check grammars with: as a regular expression, and
llama.cpp's own."""

import ctypes
import re

import llama_cpp

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*")|(?P<set>\[(?:[^\]\\]|\\.)*\])|(?P<name>[a-zA-Z][\w-]*)'
    r"|(?P<times>[*+?]|\{\d*,?\d*\})|(?P<other>[()|])|(?P<blank>\s+)",
    re.ASCII,
)


def to_regex(grammar):
    """A grammar without recursion as the regular expression that accepts the same texts."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip("\n").split("\n"))

    def expand(rule):
        parts = []
        position = 0
        while position < len(rule):
            match = _TOKEN.match(rule, position)
            assert match is not None, f"not GBNF: {rule[position:]!r}"
            position = match.end()
            text = match.group()
            if match.lastgroup == "string":
                parts.append(f"(?:{re.escape(_unescape(text[1:-1]))})")
            elif match.lastgroup == "name":
                parts.append(f"(?:{expand(rules[text])})")
            elif match.lastgroup == "other":
                parts.append("(?:" if text == "(" else text)
            elif match.lastgroup != "blank":
                parts.append(text)
        return "".join(parts)

    return re.compile(expand(rules["root"]))


def _unescape(text):
    def one(match):
        code = match.group(1)
        if code[0] in "xuU":
            return chr(int(code[1:], 16))
        return {"n": "\n", "r": "\r", "t": "\t"}.get(code, code)

    return re.sub(r"\\(x..|u.{4}|U.{8}|.)", one, text)


class Vocabulary:
    """A model's vocabulary, for llama.cpp's own reading of grammars, one byte at a time."""

    def __init__(self, path):
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._bytes = {}
        buffer = ctypes.create_string_buffer(16)
        for token in range(llama_cpp.llama_vocab_n_tokens(self._vocab)):
            n = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, 16, 0, False)
            if n == 1:
                self._bytes.setdefault(buffer.raw[0], token)
        self._end = llama_cpp.llama_vocab_eos(self._vocab)

    def close(self):
        llama_cpp.llama_model_free(self._model)

    def parses(self, grammar):
        """Whether llama.cpp can read the grammar at all."""
        sampler = llama_cpp.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root")
        if not sampler:
            return False
        llama_cpp.llama_sampler_free(sampler)
        return True

    def accepts(self, grammar, text, *, whole=True):
        """Whether ``text`` is what the grammar describes (or, if not ``whole``, its beginning)."""
        sampler = llama_cpp.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root")
        assert sampler, grammar
        try:
            tokens = [self._bytes[byte] for byte in text.encode()]
            for token in tokens:
                if not self._allows(sampler, token):
                    return False
                llama_cpp.llama_sampler_accept(sampler, token)
            return not whole or self._allows(sampler, self._end)
        finally:
            llama_cpp.llama_sampler_free(sampler)

    def _allows(self, sampler, token):
        candidate = llama_cpp.llama_token_data(id=token, logit=1.0, p=0.0)
        candidates = llama_cpp.llama_token_data_array(
            data=ctypes.pointer(candidate), size=1, selected=-1, sorted=False
        )
        llama_cpp.llama_sampler_apply(sampler, ctypes.byref(candidates))
        return candidate.logit > float("-inf")
