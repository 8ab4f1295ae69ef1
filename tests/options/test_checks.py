"""Values that options may not have: none is taken, none ends in anything but an OptionError."""

import fractions
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hpd
from hpd import Extractor, OptionError, Options
from hpd.options import OPTIONS, combine_options, option_label
from option_values import NEEDED, anything, is_allowed, is_unicode, texts

NUMBERS = [option for option in OPTIONS.values() if option.kind in ("integer", "number")]
options = st.sampled_from(list(OPTIONS.values()))


def made_with(option, value):
    """Options with one value, and with what that needs."""
    needed = {option.needs: NEEDED[option.needs]} if option.needs else {}
    return Options(**{**needed, option.name: value})


def result(function, error):
    """The result of a function, and the message of the error that it may raise instead."""
    try:
        return function(), ""
    except error as caught:
        return None, str(caught)


@given(options, anything)
def test_a_value_is_kept_or_refused_by_name(option, value):
    made, message = result(lambda: made_with(option, value), OptionError)
    if is_allowed(option, value):
        kept = value
        if option.kind == "adapters":
            kept = tuple(map(tuple, value))
        elif option.kind == "shares":
            kept = tuple(map(float, value))
        assert (message, getattr(made, option.name)) == ("", kept)
    else:
        assert message.startswith(f"{option_label(option.name)} must be {option.allowed}, not ")


@given(options.filter(lambda option: option.kind != "adapters"), texts)
def test_a_text_is_read_or_refused(option, text):
    value, message = result(lambda: option.parse(text), ValueError)
    if message:
        assert message.startswith("must be ")
        assert text not in option.choices
        is_no_prose = option.is_long_text and (text[:1] == "@" or not is_unicode(text))
        assert option.kind != "text" or text == "" or "\0" in text or is_no_prose
    else:
        assert is_allowed(option, value)
        assert option.kind not in ("text", "choice") or value == text


@pytest.mark.parametrize("option", NUMBERS, ids=lambda option: option.name)
def test_the_bounds_are_good_and_what_is_beyond_them_is_not(option):
    step = 1 if option.kind == "integer" else 1e-9
    for bound, beyond in (
        (option.minimum, option.minimum - step),
        (option.maximum, option.maximum + step),
    ):
        assert getattr(made_with(option, bound), option.name) == bound
        with pytest.raises(
            OptionError, match=rf"^{re.escape(option_label(option.name))} must be a "
        ):
            made_with(option, beyond)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"seed": 99999999999999999999},
            "seed (--seed) must be a whole number from 0 to 18446744073709551615, "
            "not 99999999999999999999",
        ),
        (
            {"n_ctx": 99999999999},
            "n_ctx (--ctx-size) must be a whole number from 0 to 2147483647, not 99999999999",
        ),
        ({"in_flight": "x"}, "in_flight must be a whole number from 0 to 256, not 'x'"),
        ({"in_flight": True}, "whole number from 0 to 256, not True"),
        ({"stack": 2.0}, "not 2.0"),
        ({"stack": None}, "not None"),
        ({"drafts": 1}, "drafts must be True or False, not 1"),
        (
            {"temperature": float("nan")},
            "temperature (--temp) must be a number from 0 to 100, not nan",
        ),
        ({"temperature": 10**400}, "not 1000"),
        ({"layout": "tree"}, "layout must be one of branch, skeleton, label, not 'tree'"),
        ({"draft_model": b"x"}, "draft_model must be text, not b'x'"),
        ({"draft_model": "a\0b"}, "must be text"),
        ({"draft_model": "x" * 10**6}, None),
        ({"cache_type_k": "x" * 10**6}, "xxx..."),
        ({"stack": 10**5000}, "not an unprintable int"),
        (
            {"adapters": "a.gguf"},
            "adapters (--lora) must be pairs of a file and a scale, not 'a.gguf'",
        ),
        ({"adapters": (("a.gguf", float("inf")),)}, "pairs of a file and a scale"),
        (
            {"tensor_split": (0, 0)},
            "tensor_split must be numbers of at least 0, not all of them 0, "
            "separated by commas, not (0, 0)",
        ),
        ({"tensor_split": (3, -1)}, "not (3, -1)"),
        ({"tensor_split": (10**400,)}, "not (1000"),
        (
            {"tensor_split": (3, 1), "split_mode": "none"},
            "tensor_split cannot be combined with split_mode 'none': one GPU has the",
        ),
        ({"main_gpu": 1}, "main_gpu does nothing without split_mode"),
        (
            {"main_gpu": 1, "split_mode": "tensor"},
            "main_gpu cannot be combined with split_mode 'tensor': no GPU has more",
        ),
        ({"n_draft": 4}, "n_draft does nothing without draft_model"),
        ({"top_k": 4}, "top_k does nothing without temperature (--temp)"),
        (
            {"n_batch": 64, "n_ubatch": 65},
            "n_ubatch (--ubatch-size) must not be above n_batch (--batch-size)",
        ),
        (
            {"deterministic": True, "stack": 2},
            "deterministic cannot be combined with stack: documents in",
        ),
        (
            {"deterministic": True, "draft_model": "d.gguf"},
            "deterministic cannot be combined with draft_model",
        ),
        (
            {"flash_attn": "off", "cache_type_v": "q8_0"},
            "cache_type_v (--cache-type-v) must be one of f32, f16, bf16 if "
            "flash_attn (--flash-attn) is off, not q8_0",
        ),
    ],
)
def test_messages_name_the_option_and_what_it_may_be(settings, message):
    if message is None:
        Options(**settings)
        return
    with pytest.raises(OptionError) as caught:
        Options(**settings)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


def test_numbers_of_other_kinds_are_taken():
    options = Options(
        in_flight=np.int64(8), stack=np.uint8(2), temperature=np.float32(0.5),
        null_threshold=fractions.Fraction(1, 4), top_p=1,
    )  # fmt: skip
    assert options == Options(in_flight=8, stack=2, temperature=0.5, null_threshold=0.25, top_p=1.0)
    kinds = {type(value) for value in (options.in_flight, options.stack, options.top_p)}
    assert kinds == {int, float}


def test_paths_and_lists_are_taken():
    options = Options(draft_model=Path("d.gguf"), adapters=[["a.gguf", 1], (Path("b.gguf"), 0.5)])
    assert options.draft_model == "d.gguf"
    assert options.adapters == (("a.gguf", 1.0), ("b.gguf", 0.5))


def test_an_option_error_is_a_value_error_and_one_of_hpd():
    assert issubclass(OptionError, ValueError)
    assert issubclass(OptionError, hpd.HpdError)


# --- by name ---


@given(options, st.integers(min_value=0), st.sampled_from(["drop", "double", "swap"]))
def test_the_option_that_was_meant_is_named(option, place, change):
    name = option.name
    i = place % (len(name) - 1)
    wrong = {
        "drop": name[:i] + name[i + 1 :],
        "double": name[:i] + name[i] + name[i:],
        "swap": name[:i] + name[i + 1] + name[i] + name[i + 2 :],
    }[change]
    if wrong in OPTIONS:
        return
    with pytest.raises(OptionError) as caught:
        combine_options(None, {wrong: 1})
    assert str(caught.value).startswith(f"there is no option {wrong!r}: did you mean ")


def test_names_that_are_like_none_are_told_all():
    with pytest.raises(OptionError, match="there is no option 'warp': there are method, layout"):
        combine_options(None, {"warp": 9})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"in_fligth": 3}, "there is no option 'in_fligth': did you mean in_flight?"),
        ({"in_flight": "x"}, "in_flight must be"),
        ({"options": {"in_flight": 3}}, "options must be hpd.Options, not {'in_flight': 3}"),
        ({"options": ""}, "options must be hpd.Options, not ''"),
    ],
)
def test_the_extractor_refuses_before_it_loads_a_model(settings, message):
    with pytest.raises(OptionError) as caught:
        Extractor("a", "gone.gguf", **settings)
    assert message in str(caught.value)


def test_single_options_win():
    assert combine_options(Options(stack=2, seed=1), {"seed": 3}) == Options(stack=2, seed=3)
    assert combine_options(None, {}) == Options()


@pytest.mark.parametrize(
    ("settings", "filled"),
    [
        ({}, (512, 512)),
        ({"n_batch": 64}, (64, 64)),
        ({"n_batch": 1024}, (1024, 512)),
        ({"n_ubatch": 1024}, (1024, 1024)),
        ({"n_ubatch": 64}, (512, 64)),
        ({"n_batch": 1024, "n_ubatch": 1024}, (1024, 1024)),
    ],
)
def test_a_pass_that_is_set_fits_the_call_that_is_not(settings, filled):
    options = Options(**settings).with_defaults()
    assert (options.n_batch, options.n_ubatch) == filled
