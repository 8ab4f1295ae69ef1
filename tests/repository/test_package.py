"""The installed package: one libllama, the versions, the files that belong to it, the command."""

import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import hpd
from command_line import run_hpd, run_python
from hpd import _native
from hpd.models.model_files import is_bundled, resolve_model

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


# Decodes first: a second copy could be loaded at any step up to there.
_LIBRARIES = """
import json, sys
from hpd import _native
model = _native.Model([sys.argv[1]], _native.ModelOptions())
_native.Engine(model, _native.EngineOptions())
mapped = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}
print(json.dumps(sorted(mapped)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("library", ["llama", "ggml", "ggml-base", r"ggml-cpu(-\w+)?"])
def test_one_copy_of_each_library_is_mapped(library, mapped):
    found = [p for p in mapped if re.match(rf"lib(hpd-)?{library}\.so", Path(p).name)]
    assert len(found) == 1, found
    if _native.BUNDLED:
        assert Path(found[0]).parent == _native.LIBRARIES.resolve()
        return
    # It is the one that `import llama_cpp` loads, not the other of the wheel's two copies.
    spec = importlib.util.find_spec("llama_cpp")
    assert spec.origin is not None
    assert Path(found[0]).parent == Path(spec.origin).resolve().parent / "lib"


_TOKENS = """
import sys
{imports}
import hpd._native as native

path = sys.argv[1]
model = native.Model([path], native.ModelOptions())
text = "a small blue cup"
tokens = model.tokenize(text)
if "llama_cpp" in globals():
    llama = llama_cpp.Llama(path, n_ctx=64, n_threads=1, verbose=False)
    assert llama.tokenize(text.encode(), add_bos=False) == tokens
    llama.eval(tokens)
engine = native.Engine(model, native.EngineOptions())
engine.submit(0, tokens, [native.Field([], max_tokens=8)], n_instruction=0)
while not engine.idle:
    for answer in engine.step():
        print(*answer.values[0].tokens, *answer.values[0].logprobs)
"""


def test_llama_cpp_python_may_be_imported_before_and_after(tiny_model):
    path = tiny_model("qwen3")
    orders = ("import hpd", "import llama_cpp, hpd._native", "import hpd._native, llama_cpp")
    printed = {
        run_python("-c", _TOKENS.format(imports=order), path, check=True).stdout for order in orders
    }
    assert len(printed) == 1
    assert printed != {""}


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """The shared libraries of a process that has an engine."""
    import tiny_models

    model = tiny_models.make_model("qwen3", tmp_path_factory.mktemp("one"), "f32", 512, 0)
    done = run_python("-c", _LIBRARIES, model, env={**os.environ, "HPD_AMX": "0"}, check=True)
    return json.loads(done.stdout)


def test_the_version_is_the_installed_one():
    assert hpd.__version__ == importlib.metadata.version("hpd-cpp")


def test_a_checkout_knows_its_version_without_an_installation():
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import hpd"
    assert bare(f"{code}; print(hpd.__version__)").stdout.strip() == hpd.__version__


def test_a_checkout_that_is_not_installed_says_so():
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import hpd._native"
    done = bare(code)
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert message.startswith("hpd.errors.HpdError: hpd is not installed")
    assert message.endswith("run `pip install .` in its checkout")


def bare(code):
    """A Python that knows the standard library only."""
    return run_python("-I", "-S", "-c", code)


def test_the_version_of_llama_cpp_python_is_in_one_place():
    from hpd._native import LLAMA_CPP_PYTHON

    assert re.findall(r'"llama-cpp-python([^"]*)"', PROJECT) == [f"=={LLAMA_CPP_PYTHON}"]
    for reads_it in ("CMakeLists.txt", "python/hpd/_native.py"):
        assert LLAMA_CPP_PYTHON not in (ROOT / reads_it).read_text(encoding="utf-8")


@pytest.mark.parametrize("is_bundled", [False, True])
def test_a_wheel_with_llama_cpp_inside_requires_no_llama_cpp_python(monkeypatch, is_bundled):
    monkeypatch.setenv("HPD_LLAMA_CPP", "build/llama.cpp" if is_bundled else "")
    monkeypatch.syspath_prepend(ROOT / "src" / "llama_cpp")
    provider = importlib.import_module("llama_cpp_requirement")
    settings = {"requirement": "llama-cpp-python==9.9.9"}
    needed = [] if is_bundled else ["llama-cpp-python==9.9.9"]
    assert provider.get_requires_for_dynamic_metadata(settings) == needed
    assert provider.dynamic_metadata(settings, {}) == {"dependencies": needed}


def test_another_llama_cpp_python_is_refused():
    code = (
        "import importlib.metadata as m; real = m.version\n"
        "m.version = lambda name: '9.9.9' if name == 'llama-cpp-python' else real(name)\n"
        "import hpd._native"
    )
    done = run_python("-c", code)
    assert done.returncode == 1
    assert re.search(
        r"built for llama-cpp-python (\S+), but 9\.9\.9 is installed: "
        r"run `pip install llama-cpp-python==\1`\n\Z",
        done.stderr,
    )


def test_the_bundled_model_answers_if_none_is_named(monkeypatch):
    monkeypatch.delenv("HPD_MODEL")
    assert is_bundled(resolve_model())
    done = run_hpd("extract", "-", "--schema", "brand", "--quiet", text='{"text": "a blue cup"}')
    assert list(json.loads(done.stdout)["data"]) == ["brand"]


def test_importing_hpd_loads_no_engine():
    loaded = "[name for name in sys.modules if name in ('llama_cpp', 'hpd._core')]"
    code = f"import hpd, hpd.cli, sys; print(*{loaded})"
    done = run_python("-c", code, check=True)
    assert done.stdout.split() == []


def test_the_command_is_installed():
    (entry,) = importlib.metadata.distribution("hpd-cpp").entry_points
    assert entry.name == "hpd"
    assert entry.load().__module__ == "hpd.command"
    command = Path(sysconfig.get_path("scripts")) / ("hpd.exe" if os.name == "nt" else "hpd")
    done = subprocess.run(
        [str(command), "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith(f"hpd {hpd.__version__}\n")
