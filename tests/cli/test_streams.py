"""The program with closed, full or redirected standard streams, and interrupted while it starts."""

import json
import subprocess
import sys

import pytest

from command_line import run_python
from jsonl import write_texts

HPD = f"{sys.executable} -c 'import sys; from hpd.command import main; sys.exit(main())'"


def shell(command, folder):
    """A command of the shell, in which ``hpd`` stands for the program."""
    run = subprocess.run(
        ["sh", "-c", command.replace("hpd ", f"{HPD} ")],
        cwd=folder, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "Traceback" not in run.stderr, run.stderr
    return run


@pytest.fixture
def folder(tmp_path):
    write_texts(tmp_path / "in.jsonl", "Nike shoe")
    return tmp_path


@pytest.mark.parametrize(
    "arguments", ["extract in.jsonl --schema brand", "--version", "extract --help", "schema brand"]
)
def test_a_closed_standard_output_is_said_before_anything_is_done(folder, arguments):
    run = shell(f"hpd {arguments} >&-", folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("hpd: error: standard output is closed")


def test_an_output_file_needs_no_standard_output(folder):
    run = shell("hpd extract in.jsonl --schema brand -o out.jsonl --quiet >&-", folder)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads((folder / "out.jsonl").read_text())["data"] == {"brand": "Nike"}


def test_a_closed_standard_input_is_said(folder):
    run = shell("hpd extract - --schema brand <&-", folder)
    assert run.returncode == 2
    assert "standard input is closed" in run.stderr
    assert shell("hpd extract in.jsonl --schema brand <&-", folder).returncode == 0


def test_messages_do_not_go_into_results_where_standard_error_is_closed(folder):
    run = shell("hpd extract in.jsonl --schema brand --set verbose=on 2>&-", folder)
    assert run.returncode == 0
    assert json.loads(run.stdout)["data"] == {"brand": "Nike"}
    run = shell("hpd extract none.jsonl --schema brand 2>&-", folder)
    assert (run.returncode, run.stdout) == (2, "")


@pytest.mark.parametrize("arguments", ["extract --help", "schema brand", "--version"])
def test_output_that_cannot_be_written_is_an_error(folder, arguments):
    run = shell(f"hpd {arguments} >/dev/full", folder)
    assert run.returncode == 1
    assert "No space left" in run.stderr


def test_whoever_reads_only_the_beginning_is_no_error(folder):
    run = shell("{ hpd extract --help; echo $? >&2; } | head -n 1", folder)
    assert run.stderr == "0\n"


@pytest.mark.parametrize("name", ["/dev/stdout", "-"])
def test_a_file_behind_standard_output_is_not_emptied(folder, name):
    run = shell(f"echo before > out; hpd extract in.jsonl --schema brand -o {name} >> out", folder)
    assert run.returncode == 0, run.stderr
    before, line = (folder / "out").read_text().splitlines()
    assert before == "before"
    assert json.loads(line)["data"] == {"brand": "Nike"}


@pytest.mark.parametrize(
    "code", ["import sys; sys.exit(0)", "class E(BaseException): pass\nraise E('no')"]
)
def test_a_users_module_cannot_end_the_program(folder, code):
    (folder / "leaving.py").write_text(code)
    run = shell("hpd extract in.jsonl --schema leaving:Model", folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert "importing 'leaving' failed" in run.stderr


@pytest.mark.parametrize("module", ["hpd.cli", "argparse", "hpd.options"])
def test_ctrl_c_while_it_starts_ends_it_without_a_word(folder, module):
    program = f"""
import os, signal, sys
import hpd.command

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.modules.pop({module!r}, None)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["hpd", "extract", "in.jsonl", "--schema", "brand"]
sys.exit(hpd.command.main())
"""
    run = run_python("-c", program, cwd=folder)
    assert (run.returncode, run.stderr) == (130, "")
