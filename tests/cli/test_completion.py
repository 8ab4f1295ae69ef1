"""``hpd completion``: the scripts, and what bash makes of one."""

import subprocess

import pytest

pytest.importorskip("shtab")

from hpd.cli import main

# Sets COMP_WORDS as the shell does when the last word is being typed, and prints COMPREPLY.
COMPLETE = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
function=$(complete -p hpd | sed 's/.*-F \([^ ]*\).*/\1/')
$function hpd "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    path = tmp_path / "completion.bash"
    path.write_text(capsys.readouterr().out)
    return path


@pytest.fixture
def complete(script, tmp_path):

    def run(*words):
        done = subprocess.run(
            ["bash", "--norc", "-c", COMPLETE, "bash", str(script), "hpd", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return {word.strip() for word in done.stdout.split("\n") if word.strip()}

    return run


def test_commands(complete):
    assert {"extract", "eval", "models", "doctor"} <= complete("")
    assert complete("ext") == {"extract"}
    assert complete("mod") == {"models"}


def test_flags_of_a_command(complete):
    assert {"--schema", "--set", "-ngl", "--job"} <= complete("extract", "-")
    assert complete("extract", "--null") == {"--null-threshold"}
    assert complete("models", "--") == {"--help", "--json", "--speed", "--threads"}


def test_files_where_a_file_is_meant(complete, tmp_path):
    (tmp_path / "letters.jsonl").write_text("")
    (tmp_path / "model.gguf").write_text("")
    assert complete("extract", "-m", "mod") == {"model.gguf"}
    assert complete("extract", "lett") == {"letters.jsonl"}
    assert complete("extract", "letters.jsonl", "--schema", "lett") == {"letters.jsonl"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_for_other_shells(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for text in ("extract", "schema", "null-threshold", "on-overflow", "models"):
        assert text in script
