"""The engine's structs hold what the options say, and leave nothing out."""

import pytest

from hpd import Options, _native
from hpd.models import settings as native_options
from hpd.models.settings import engine_options, model_options
from hpd.options import OPTIONS
from option_values import OTHER

STRUCTS = {
    "engine": _native.EngineOptions,
    "model": _native.ModelOptions,
    "sampling": _native.SamplingOptions,
}
NOT_FOR_USERS = {
    "engine": {
        "n_seq_max",  # all that llama.cpp has
        "swa_full",  # forks need all cells
        "offload_kqv",  # for the tests of memory
        "sampling",  # a struct of its own
    },
    "model": {
        "use_mmap",
        "vocab_only",  # for previews
    },
    "sampling": set(),
}


@pytest.fixture(autouse=True)
def no_files(monkeypatch):
    """Adapters need not be there, nor is it found out whether this machine has AMX."""
    monkeypatch.setenv("HPD_AMX", "0")
    monkeypatch.setattr(native_options, "local_lora", lambda path: f"/{path}")
    monkeypatch.setattr(native_options, "load_draft_model", lambda options: None)
    monkeypatch.setitem(native_options._CONVERTERS, "draft_model", lambda options: None)


def members(target):
    return {name for name in dir(STRUCTS[target]) if not name.startswith("_")}


@pytest.mark.parametrize("target", STRUCTS)
def test_every_member_is_an_option_or_not_for_users(target):
    set_by_options = {o.native_name for o in OPTIONS.values() if o.target == target}
    assert set_by_options | NOT_FOR_USERS[target] == members(target)
    assert not set_by_options & NOT_FOR_USERS[target]


def native(options):
    """The structs as options make them."""
    engine = engine_options(options)
    return {"engine": engine, "model": model_options(options), "sampling": engine.sampling}


def test_what_is_said_arrives():
    structs = native(Options(**OTHER))
    for name, option in OPTIONS.items():
        if option.target in STRUCTS and name not in (
            "draft_model", "adapters", "tensor_split",
        ):  # fmt: skip
            assert getattr(structs[option.target], option.native_name) == OTHER[name]
    assert structs["model"].tensor_split == [3.0, 1.0]
    assert structs["model"].adapters == [("/a.gguf", 0.5), ("/b.gguf", 1.0)]


def test_a_deterministic_engine():
    assert native(Options(deterministic=True))["engine"].deterministic


def test_the_engine_has_the_same_defaults():
    structs = native(Options())
    for name, option in OPTIONS.items():
        if option.target in STRUCTS:
            ours = getattr(structs[option.target], option.native_name)
            theirs = getattr(STRUCTS[option.target](), option.native_name)
            assert ours == (pytest.approx(theirs) if isinstance(ours, float) else theirs), name
