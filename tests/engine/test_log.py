"""llama.cpp's log: silent, but for the message of what has failed."""

import pytest

from command_line import run_python
from decoding import engine_options, open_model
from hpd import _native
from hpd._core import testing
from hpd.errors import ModelLoadError


def test_a_message_has_the_lines_of_its_own_call(tiny_model, tmp_path):
    """Not those of an earlier failure."""
    options = _native.ModelOptions()
    options.adapters = [(str(tmp_path / "absent-adapter.gguf"), 1.0)]
    with pytest.raises(ModelLoadError, match=r"said:[\s\S]*absent-adapter\.gguf"):
        _native.Model([str(tiny_model("qwen3"))], options)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(ModelLoadError, match=r"llama\.cpp said") as error:
        open_model(broken)
    assert "absent-adapter" not in str(error.value)


def test_a_failure_that_llama_cpp_says_nothing_of_has_no_lines(tiny_model, tmp_path):
    with pytest.raises(ModelLoadError):
        open_model(tmp_path / "absent.gguf")
    with pytest.raises(ModelLoadError) as error:
        _native.Model([str(tiny_model("qwen3"))], progress=lambda share: False)
    assert "absent.gguf" not in str(error.value)


def test_both_modules_see_one_log(tiny_model):
    """A context that tests make reports what llama.cpp said to the users' module."""
    model = open_model(tiny_model("qwen3"))
    options = engine_options(flash_attn="off", cache_type_v="q8_0")
    with pytest.raises(ModelLoadError, match="quantized V cache requires flash_attn"):
        _native.Engine(model, options)
    with pytest.raises(ModelLoadError, match="quantized V cache requires flash_attn"):
        testing.Context(model, options)


@pytest.mark.parametrize("verbose", [False, True])
def test_loading_is_silent_unless_it_is_asked_not_to_be(tiny_model, verbose):
    code = (
        "import sys\n"
        "from hpd import _native\n"
        f"_native.echo_log({verbose})\n"
        "options = _native.ModelOptions()\n"
        "_native.Engine(_native.Model([sys.argv[1]], options))\n"
    )
    done = run_python("-c", code, tiny_model("qwen3"), check=True)
    assert ("llama_model_loader" in done.stderr) == verbose
    assert bool(done.stderr) == verbose
