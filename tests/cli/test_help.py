"""``hpd schema``, ``--help`` and ``--version``: what the command says about itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hpd.extractor
import hpd.models.model_files
from command_line import exit_code
from hpd import _native
from hpd.cli import COMMANDS, main


def test_schema(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "brand, price number?"]) == 0
    assert "price  number" in capfd.readouterr().out
    assert main(["schema", "brand, price number?", "--json"]) == 0
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
def test_help_fits_a_terminal(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(*command, "--help") == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: hpd")
    assert max(map(len, out.splitlines())) <= 100


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--version") == 0
    ours, binding, llama, place = capsys.readouterr().out.splitlines()
    assert ours == f"hpd {hpd.__version__}"
    assert place.startswith("computing on ")
    assert binding == f"llama-cpp-python {_native.LLAMA_CPP_PYTHON}"
    assert llama.startswith("llama.cpp ")


def test_help_needs_no_engine() -> None:
    code = (
        "import sys\nfrom hpd.cli import build_parser\nbuild_parser()\n"
        "sys.exit(any(name in sys.modules for name in ('llama_cpp', 'hpd._core', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_command_starts_without_the_others() -> None:
    code = (
        "import sys\nfrom hpd.cli import build_parser\nbuild_parser('extract')\n"
        "print(*sorted(name for name in sys.modules if name.startswith('hpd.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded.intersection(COMMANDS) == {"extract"}
