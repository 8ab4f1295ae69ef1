"""``hpd schema``, ``--help`` and ``--version``: what the command says about itself."""

import json

import pytest

import hpd.extractor
import hpd.models.model_files
from command_line import exit_code, run_python
from hpd import _native
from hpd.cli import COMMANDS, main
from hpd.options import OPTIONS


def test_schema(tmp_path, capfd):
    assert main(["schema", "brand, price float?"]) == 0
    assert "price  number" in capfd.readouterr().out
    assert main(["schema", "brand, price float?", "--json"]) == 0
    assert list(json.loads(capfd.readouterr().out)["properties"]) == ["brand", "price"]
    file = tmp_path / "s.json"
    file.write_text('{"Shoes": ["Brand"], "Tea": ["Flavor"]}')
    assert main(["schema", str(file), "--json"]) == 0
    assert list(json.loads(capfd.readouterr().out)) == ["Shoes", "Tea"]
    assert main(["schema", str(file)]) == 0
    assert "Tea\n\nPATH" in capfd.readouterr().out
    for arguments in (["[]"], ["brand", "-m", "x.gguf"], ["brand", "--json", "-hf", "user/repo"]):
        assert main(["schema", *arguments]) == 2
        assert "hpd: error: " in capfd.readouterr().err


@pytest.mark.parametrize(
    "command",
    [[], *([name] for name in ("extract", "eval", "data", "bench", "tune", "finetune", "schema"))],
)
def test_help_fits_a_terminal(command, capsys):
    assert exit_code(*command, "--help") == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: hpd")
    assert max(map(len, out.splitlines())) <= 100


def test_version(capsys):
    assert exit_code("--version") == 0
    ours, llama, place = capsys.readouterr().out.splitlines()
    assert ours == f"hpd {hpd.__version__}"
    assert place.startswith("computing on ")
    version = f"{_native.llama_cpp_version()} of llama-cpp-python {_native.LLAMA_CPP_PYTHON}"
    assert llama == f"llama.cpp {version}" + (", bundled with hpd" if _native.BUNDLED else "")


def test_help_needs_no_engine():
    code = (
        "import sys\nfrom hpd.cli import build_parser\nbuild_parser()\n"
        "sys.exit(any(name in sys.modules for name in ('llama_cpp', 'hpd._core', 'numpy')))"
    )
    assert run_python("-c", code).returncode == 0


def test_a_command_starts_without_the_others():
    code = (
        "import sys\nfrom hpd.cli import build_parser\nbuild_parser('extract')\n"
        "print(*sorted(name for name in sys.modules if name.startswith('hpd.cli.')))"
    )
    done = run_python("-c", code, check=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded.intersection(COMMANDS) == {"extract"}


def test_help_of_hpd_itself_loads_no_command(capsys):
    assert exit_code("--help") == 0
    helped = capsys.readouterr().out
    assert exit_code() == 0
    assert capsys.readouterr().out == helped
    rows = [row.split(maxsplit=1) for row in helped.splitlines()]
    assert all([name, line] in rows for name, (_, line) in COMMANDS.items())
    code = (
        "import sys\nfrom hpd.cli import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(name for name in sys.modules if name.startswith('hpd.')))"
    )
    done = run_python("-c", code, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {module for module, _ in COMMANDS.values()}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("extarct", "did you mean extract?"),
        ("modles", "did you mean models?"),
        ("xyz", "there are"),
    ],
)
def test_an_unknown_command_gets_a_suggestion(word, said, capsys):
    assert main([word]) == 2
    assert said in capsys.readouterr().err


def test_set_help_lists_every_option(capsys):
    assert exit_code("extract", "--set", "help") == 0
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in OPTIONS)


def test_a_run_in_a_pipe_loads_no_rich(tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text("")
    code = (
        "import sys\nfrom hpd.cli import main\n"
        f"main(['extract', {str(source)!r}, '--schema', 'a'])\nsys.exit('rich' in sys.modules)"
    )
    assert run_python("-c", code).returncode == 0
