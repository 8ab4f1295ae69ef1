"""Methods of a benchmark, their settings and sweeps, by name."""

from __future__ import annotations

import pytest

from hpd import Options
from hpd.bench.methods import KINDS, SWEEPS, parse_contest


def test_method_names_say_what_is_run() -> None:
    (method,) = parse_contest("hpd:layout=skeleton,stack=4,drafts=off").methods
    options = method.options
    assert (options.method, options.layout, options.stack) == ("hpd", "skeleton", 4)
    assert options.drafts is False
    assert method.name == "hpd:layout=skeleton,stack=4,drafts=off"


def test_kinds_differ_in_what_they_are_for() -> None:
    options = {kind: parse_contest(kind).methods[0].options for kind in KINDS}
    assert options["ar"].method == "ar"
    assert options["ar"].in_flight == 1
    assert not options["ar"].drafts
    assert parse_contest("ar:drafts=on").methods[0].options.drafts
    assert options["prefill"].method == "hpd"
    assert options["prefill"].max_tokens == 1
    assert [m.options.in_flight for m in parse_contest("ar-batched").methods] == [4, 8, 16, 32]


def test_what_is_said_for_all_methods_is_not_changed_by_a_kind() -> None:
    base = Options(in_flight=8, drafts=True, stack=2)
    for kind in KINDS:
        (method,) = parse_contest(kind, base).methods
        options = method.options
        assert (options.in_flight, options.drafts, options.stack) == (8, True, 2)


def test_values_with_bars_are_tried_in_every_combination() -> None:
    methods = parse_contest("hpd:in_flight=1|2,stack=3|4").methods
    assert [(m.options.in_flight, m.options.stack) for m in methods] == [
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
    ]
    assert len({m.name for m in methods}) == 4


def test_settings_of_all_methods_are_the_base() -> None:
    base = Options(n_threads=3, flash_attn="off")
    (method,) = parse_contest("hpd:flash_attn=on", base).methods
    assert (method.options.n_threads, method.options.flash_attn) == (3, "on")


@pytest.mark.parametrize(
    "text",
    [
        "fast",
        "hpd:speed=9",
        "hpd:stack",
        "hpd:stack=x",
        "hpd:stack=0",
        "hpd:drafts=maybe",
        "hpd:method=ar",
        "hpd:loras=x",
        "hpd:documents=0",
    ],
)
def test_wrong_methods_are_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text}: "):
        parse_contest(text)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_sweep_can_be_run(sweep: str) -> None:
    methods = [m for text in SWEEPS[sweep] for m in parse_contest(text).methods]
    assert len({m.name for m in methods}) == len(methods) > 1
