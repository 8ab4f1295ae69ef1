"""Values for options, good and bad, and which of them an option may have."""

import math

from hypothesis import strategies as st

from hpd.options import OPTIONS

# What an option cannot do without, so that it may be set at all.
NEEDED = {
    "draft_model": "d.gguf", "temperature": 0.5, "split_mode": "row", "on_overflow": "chunk",
}  # fmt: skip

OTHER = {
    "method": "hpd", "layout": "skeleton", "lists": "numbers",
    "instructions": "Be brief.", "stack": 2, "in_flight": 5, "drafts": False,
    "draft_model": "d.gguf", "n_draft": 4, "draft_p_min": 0.5, "max_tokens": 9, "n_ctx": 100,
    "probabilities": True,
    "deterministic": False, "dedupe": False, "cache": "",
    "n_batch": 64, "n_ubatch": 32,
    "n_threads": 3, "n_threads_batch": 4, "n_gpu_layers": 0,
    "split_mode": "row", "tensor_split": (3.0, 1.0), "main_gpu": 1,
    "flash_attn": "on", "cpu_attention": False, "cpu_products": False,
    "cache_type_k": "q8_0", "cache_type_v": "bf16",
    "adapters": (("a.gguf", 0.5), ("b.gguf", 1.0)), "temperature": 0.75, "top_k": 3, "top_p": 0.5,
    "min_p": 0.125, "seed": 42, "on_invalid": "record", "on_missing": "null",
    "null_threshold": 0.25,
    "calibration": "none", "require_grounding": True, "verbatim": True,
    "on_overflow": "chunk", "chunk_size": 300, "passes": 2, "verbose": True, "quiet": True,
}  # fmt: skip
"""One value for each option that is not its default; all together are good, so the method is, and
``deterministic`` and ``cache``, which cannot be combined with a stack."""

numbers = st.one_of(
    st.integers(),
    st.integers(min_value=-2, max_value=600),
    st.floats(),
    st.sampled_from(
        [int(bound) + step for o in OPTIONS.values() if math.isfinite(o.maximum)
         for bound in (o.minimum, o.maximum) for step in (-1, 0, 1)]
    ),
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["on", "off", "auto", "hpd", "ar", "q8_0", "", "1_0", "0x10", "1e3", "-0"]),
    numbers.map(str),
)
anything = st.one_of(
    st.none(), st.booleans(), numbers, texts, st.binary(max_size=4), st.complex_numbers(),
    st.lists(texts, max_size=2), st.dictionaries(texts, numbers, max_size=1),
    st.lists(st.tuples(texts, numbers), max_size=2), st.builds(object),
    st.lists(numbers, max_size=3), st.lists(st.integers(0, 3), max_size=3).map(tuple),
)  # fmt: skip


def is_allowed(option, value):
    """Whether an option may have a value: read off the table by hand, one kind at a time."""
    is_whole = type(value) is int
    is_number = is_whole or type(value) is float
    if value is None:
        return option.may_be_none
    if option.kind == "integer":
        return is_whole and option.minimum <= value <= option.maximum
    if option.kind == "number":
        return is_number and option.minimum <= value <= option.maximum
    if option.kind == "switch":
        return value is True or value is False
    if option.kind == "choice":
        return any(value == choice for choice in option.choices)
    if option.is_long_text:
        return type(value) is str and "\0" not in value and is_unicode(value)
    if option.kind == "text":
        return type(value) is str and "\0" not in value
    if type(value) not in (list, tuple):
        return False
    if option.kind == "shares":
        are_shares = all(type(share) in (int, float) and 0 <= share <= 1e38 for share in value)
        return are_shares and (not value or sum(value) > 0)
    return all(is_adapter(pair) for pair in value)


def is_unicode(value):
    """Whether a text has no half of a surrogate pair."""
    return not any("\ud800" <= char <= "\udfff" for char in value)


def is_adapter(pair):
    """Whether a value is a file and a scale."""
    if type(pair) not in (list, tuple) or len(pair) != 2:
        return False
    path, scale = pair
    is_path = type(path) is str and "\0" not in path
    return is_path and type(scale) in (int, float) and -1e38 <= scale <= 1e38
