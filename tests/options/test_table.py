"""The table of options: that each is declared in full, and that what is made from it is whole."""

import argparse
import math
import re

import pytest

from hpd import Options
from hpd.cli import build_parser
from hpd.cli.arguments import add_option_arguments
from hpd.options import OPTIONS, TUNABLE, engine_identity, speed_identity, values_identity
from option_values import NEEDED, OTHER

LEFT_OUT = {
    "extract": set(),
    "serve": set(),
    "mcp": {"on_invalid"},
    "bench": {"method", "on_invalid", "dedupe", "cache"},
    "tune": {"method", "on_invalid", "deterministic", "dedupe", "cache"},
}
"""The commands with options, and those that they do not have."""


def commands():
    """The parser of each command."""
    (group,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    yield from group.choices.items()


def without_spaces(text):
    """A text, however it is broken into lines."""
    return "".join(text.split())


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_declared_in_full(name):
    option = OPTIONS[name]
    assert (option.name, option.default) == (name, getattr(Options(), name))
    assert all(re.fullmatch(r"--[a-z-]{3,}|-[a-z]{1,3}", flag) for flag in option.flags)
    assert sum(flag.startswith("--") for flag in option.flags) == bool(option.flags)
    assert len(option.help) > 10
    assert not option.help.endswith(".")
    if option.kind in ("integer", "number"):
        assert -math.inf < option.minimum < option.maximum < math.inf
        assert option.metavar
    assert not option.needs or option.needs in NEEDED
    assert option.check_value(option.default) == option.default


def test_the_help_of_extract_has_48_flags():
    flags = [action for action in dict(commands())["extract"]._actions if action.option_strings]
    assert len(flags) <= 48


@pytest.mark.parametrize("command", LEFT_OUT)
def test_a_command_has_all_options_but_those_that_it_cannot_honour(command):
    parser = dict(commands())[command]
    (by_name,) = (a for a in parser._actions if "--set" in a.option_strings)
    assert LEFT_OUT[command] == OPTIONS.keys() - by_name._options.keys()
    flags = {}
    for action in parser._actions:
        flags.setdefault(action.dest, set()).update(action.option_strings)
    shown = without_spaces(parser.format_help())
    for name in OPTIONS.keys() - LEFT_OUT[command]:
        if OPTIONS[name].flags:
            assert {*OPTIONS[name].flags} <= flags[name]
            assert without_spaces(OPTIONS[name].help) in shown


def test_a_flag_means_the_same_in_every_command():
    meanings = {}
    for _, parser in commands():
        for action in parser._actions:
            for flag in action.option_strings:
                if not flag.startswith("--"):
                    meanings.setdefault(flag, set()).add(action.dest)
    assert {flag: names for flag, names in meanings.items() if len(names) > 1} == {}
    assert meanings["-s"] == {"seed"}


def test_nothing_that_is_made_from_the_table_leaves_an_option_out():
    assert OTHER.keys() == OPTIONS.keys()
    options = Options(**OTHER)
    defaults = {name for name, o in OPTIONS.items() if getattr(options, name) == o.default}
    assert defaults == {"method", "deterministic", "cache"}
    parser = argparse.ArgumentParser()
    add_option_arguments(parser)
    assert vars(parser.parse_args([])).keys() == {*OPTIONS, "model", "hf_repo"}


# --- what an option decides ---


def test_what_decides_values_is_in_every_identity():
    """One option at a time: whoever changes it may not go on, nor use what was kept."""
    for name, option in OPTIONS.items():
        needed = {option.needs: NEEDED[option.needs]} if option.needs else {}
        if OTHER[name] == option.default:
            continue  # tested by itself
        before, after = Options(**needed), Options(**{**needed, name: OTHER[name]})
        changes = values_identity(before) != values_identity(after)
        assert changes == (option.affects == "values" and name != "n_ctx"), name
        of_engine = option.target in ("engine", "model", "sampling") and name != "adapters"
        assert (engine_identity(before) != engine_identity(after)) == (changes and of_engine), name


def test_another_attention_kernel_is_another_run():
    for settings in ({"flash_attn": "on"}, {"cpu_attention": False}, {"n_gpu_layers": 0}):
        assert values_identity(Options(**settings)) != values_identity(Options())
        assert engine_identity(Options(**settings)) != engine_identity(Options())


def test_a_larger_context_may_save_documents_that_failed():
    assert values_identity(Options(n_ctx=900)) == values_identity(Options())
    cut = Options(on_overflow="chunk")
    assert values_identity(cut.with_settings({"n_ctx": 900})) != values_identity(cut)


def test_a_deterministic_run_depends_on_rounding_but_not_on_what_is_in_flight():
    run = Options(deterministic=True, n_threads=2)
    for settings in ({"n_threads": 3}, {"n_batch": 64}, {"drafts": False}):
        assert values_identity(run.with_settings(settings)) != values_identity(run)
    assert values_identity(run.with_settings({"in_flight": 3})) == values_identity(run)


def test_tuned_settings_hold_for_other_answers_but_not_for_another_engine():
    tuned = speed_identity(Options())
    assert not tuned.keys() & {*TUNABLE, "seed", "max_tokens", "null_threshold", "instructions"}
    for settings in ({"n_threads": 3}, {"layout": "label"}, {"flash_attn": "off"}, {"stack": 2}):
        assert speed_identity(Options(**settings)) != tuned
