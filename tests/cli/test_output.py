"""The output of ``hpd extract``: nothing is overwritten, mixed or lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import run_hpd, run_python
from fake_extractor import FakeExtractor
from hpd.cli import main
from jsonl import read_lines, write_lines, write_texts

BOX_COMMAND = ("--schema", "Brand, Color", "--quiet")


def test_an_output_that_is_there_is_refused(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "x"), tmp_path / "out"
    out.write_text("last night's lines\n")
    for extra in ([], ["--limit", "0"], ["--text-field", "mistyped"]):
        assert main(["extract", str(source), "--schema", "a", "-o", str(out), *extra]) == 2
        error = capfd.readouterr().err
        assert "--resume" in error
        assert out.read_text() == "last night's lines\n"
    assert not fake


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none/out.jsonl", "there is no folder"),
        ("none/out.csv", "there is no folder"),
        ("out.ods", ".ods files are not written"),
        ("out.jsonl.GZ", ".GZ files are not written"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_a_model_is_loaded(
    tmp_path, fake, capfd, name, reason
):
    source = write_texts(tmp_path / "in.jsonl", "x")
    assert main(["extract", str(source), "--schema", "a", "-o", str(tmp_path / name)]) == 2
    assert reason in capfd.readouterr().err
    assert not fake
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_an_interrupted_overwrite_leaves_the_old_file(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "interrupt"), tmp_path / "out"
    out.write_text("old\n")
    command = ["extract", str(source), "--schema", "a", "-o", str(out), "--overwrite"]
    assert main(command) == 130
    assert out.read_text() == "old\n"
    write_texts(source, "a", "b")
    assert main([*command, "--resume"]) == 0
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b"]
    assert [document.text for document in fake[1].documents] == ["b"]


@pytest.mark.parametrize("role", ["input", "schema", "examples", "model", "draft", "lora", "link"])
def test_nothing_that_is_read_is_overwritten(tmp_path, fake, monkeypatch, capfd, role):
    files = {
        "input": write_texts(tmp_path / "in.jsonl", "x"),
        "schema": tmp_path / "schema.txt",
        "examples": write_lines(tmp_path / "ex.jsonl", {"text": "x", "data": {"a": "x"}}),
        "model": tmp_path / "m.gguf",
        "draft": tmp_path / "d.gguf",
        "lora": tmp_path / "l.gguf",
        "link": tmp_path / "link",
    }
    files["schema"].write_text("a")
    for name in ("model", "draft", "lora"):
        files[name].write_bytes(b"GGUF")
    os.link(files["input"], files["link"])
    monkeypatch.setattr("hpd.pipeline.plan.resolve_model", lambda *_, **__: files["model"])
    before = {name: path.read_bytes() for name, path in files.items()}
    command = [
        "extract", str(files["input"]), "--schema", str(files["schema"]),
        "--examples", str(files["examples"]), "-m", str(files["model"]),
        "--set", f"draft_model={files['draft']}", "--lora", str(files["lora"]),
        "-o", str(files[role]), "--overwrite",
    ]  # fmt: skip
    assert main(command) == 2
    assert "is read in this run" in capfd.readouterr().err
    assert {name: path.read_bytes() for name, path in files.items()} == before
    assert not fake


def test_standard_input_is_not_overwritten(tmp_path):
    source = write_texts(tmp_path / "in.jsonl", "x")
    with open(source, "rb") as stream:
        done = run_python(
            "-m",
            "hpd.cli",
            "extract",
            "-",
            "--schema",
            "a",
            "-o",
            source,
            "--overwrite",
            stdin=stream,
        )
    assert done.returncode == 2, done.stderr
    assert "standard input" in done.stderr
    assert read_lines(source) == [{"text": "x"}]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (["--schema", "Brand"], "schema"),
        (["--set", "method=ar"], "option method"),
        (["--max-tokens", "7"], "option --max-tokens"),
        (["--temp", "1"], "option --temp"),
        (["--examples", "ex.jsonl"], "prompt"),
        (["--set", "deterministic=on"], "option deterministic"),
        (["-m", "other.gguf"], "model"),
    ],
)
def test_a_run_goes_on_with_the_same_settings_only(
    tmp_path, fake, monkeypatch, capfd, changed, named
):
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "ex.jsonl", {"text": "x", "data": {"Brand": "x"}})
    source = write_texts(tmp_path / "in.jsonl", "x", "y")
    models = {None: tmp_path / "one.gguf", "other.gguf": tmp_path / "other.gguf"}
    for n, path in enumerate(models.values()):
        path.write_bytes(b"GGUF" + bytes([n]))
    monkeypatch.setattr("hpd.pipeline.plan.resolve_model", lambda model, *_, **__: models[model])
    command = ["extract", str(source), "--schema", "Brand, Color", "-o", "out"]
    assert main([*command, "--limit", "1"]) == 0
    assert main([*command, "--resume", *changed]) == 2
    assert f"made with another {named}" in capfd.readouterr().err
    # What only decides how fast values come may change.
    assert main([*command, "--resume", "--set", "in_flight=3", "-t", "1"]) == 0
    assert len(read_lines(tmp_path / "out")) == 2


def test_a_deterministic_run_goes_on_with_what_decides_the_rounding(
    tmp_path, fake, monkeypatch, capfd
):
    monkeypatch.chdir(tmp_path)
    source = write_texts(tmp_path / "in.jsonl", "x", "y")
    command = [
        "extract",
        str(source),
        "--schema",
        "Brand",
        "-o",
        "out",
        "--set",
        "deterministic=on",
    ]
    assert main([*command, "--limit", "1", "-t", "2"]) == 0
    for changed, named in [
        (["-t", "3"], "option --threads"),
        (["-t", "2", "-b", "64"], "option --batch-size"),
        (["-t", "2", "--set", "drafts=off"], "option drafts"),
        (["-t", "2", "--set", "cpu_attention=off"], "option cpu_attention"),
    ]:
        assert main([*command, "--resume", *changed]) == 2
        assert f"made with another {named}" in capfd.readouterr().err
    assert main([*command, "--resume", "-t", "2", "--set", "in_flight=3"]) == 0


def test_failed_documents_are_done_again_and_counted_until_none_is_left(tmp_path, fake):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "too long", "b"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "-o", str(out)]
    assert main(command) == 3
    assert main([*command, "--resume"]) == 3
    assert [document.text for document in fake[-1].documents] == ["too long"]
    assert [line["id"] for line in read_lines(out)] == ["1", "2", "3"]


def test_lines_are_in_the_order_of_the_input(tmp_path, fake, monkeypatch):
    iter_indexed = FakeExtractor.iter_indexed

    def backwards(self, documents, **settings):
        return reversed(list(iter_indexed(self, documents, **settings)))

    monkeypatch.setattr(FakeExtractor, "iter_indexed", backwards)
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b", "c"), tmp_path / "out"
    assert main(["extract", str(source), "--schema", "a", "-o", str(out)]) == 0
    assert [line["id"] for line in read_lines(out)] == ["1", "2", "3"]


@pytest.mark.skipif(os.name == "nt", reason="there are no device files")
def test_devices_and_pipes_are_written_and_not_resumed(tmp_path, capfd):
    source = write_texts(tmp_path / "in.jsonl", "Diesel sneaker, black")
    for target in ("/dev/null", "/dev/stdout"):
        done = run_hpd("extract", str(source), *BOX_COMMAND, "-o", target)
        assert done.returncode == 0, done.stderr
        assert bool(done.stdout) == (target == "/dev/stdout")
        assert main(["extract", str(source), *BOX_COMMAND, "-o", target, "--resume"]) == 2
        assert "--resume needs an output file" in capfd.readouterr().err


def test_a_file_in_use_by_another_run_is_refused(tmp_path, fake, capfd):
    from hpd.files.journal import Journal

    source, out = write_texts(tmp_path / "in.jsonl", "x"), tmp_path / "out"
    journal = Journal(Path(f"{out}.run"), {})
    assert main(["extract", str(source), "--schema", "a", "-o", str(out)]) == 2
    assert "another process is writing this output" in capfd.readouterr().err
    journal.close()
    assert main(["extract", str(source), "--schema", "a", "-o", str(out)]) == 0


def test_a_run_killed_again_and_again_gets_done(tmp_path, random_model):
    """Two runs are killed after their first line, and the next one continues after it."""
    n = 16
    source = write_lines(
        tmp_path / "in.jsonl", *({"id": f"d{k}", "text": f"shoe {k}"} for k in range(n))
    )
    out = tmp_path / "out"
    # One at a time: so a run is killed long before its last line.
    options = ["--schema", "Brand, Color", "-m", random_model, "--set", "in_flight=1"]
    command = [sys.executable, "-m", "hpd.cli", "extract", str(source), *options, "-o", str(out)]
    n_kills = n_before = 0
    while n_before < n:
        resume = ["--resume"] if out.exists() else []
        with subprocess.Popen([*command, *resume], stderr=subprocess.PIPE) as process:
            while process.poll() is None and n_kills < 2:
                if out.exists() and len(out.read_bytes().splitlines()) > n_before:
                    process.kill()
                    n_kills += 1
                    break
            process.wait()
        n_now = len(out.read_bytes().splitlines())
        assert n_now > n_before
        n_before = n_now
    assert main(["extract", str(source), *options, "-o", str(out), "--resume"]) == 0
    assert n_kills == 2
    assert [line["id"] for line in read_lines(out)] == [f"d{k}" for k in range(n)]
