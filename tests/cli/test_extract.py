"""``hpd extract``: what goes in, what comes out, and with which options."""

import io
import json
import re
from pathlib import Path

from command_line import Terminal
from fake_extractor import ASKED
from hpd.cli import main
from hpd.options import Options
from jsonl import read_lines, write_lines, write_texts


def test_extract_writes_a_line_a_document_and_a_summary_beside_them(tmp_path, fake, capfd):
    source = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "é"}, {"text": "y"})
    assert main(["extract", str(source), "--schema", "brand, color"]) == 0
    out, err = capfd.readouterr()
    assert read_lines(out) == [
        {"id": "a", "data": {"text": "é", "category": None}},
        {"id": "2", "data": {"text": "y", "category": None}},
    ]
    assert "é" in out
    assert re.fullmatch(r"hpd: 2 documents, \S+ a second\n", err)
    assert fake[0].examples == []
    assert fake[0].options == Options()


def test_extract_says_that_an_id_comes_again(tmp_path, fake, capfd):
    rows = ({"id": "a", "text": "x"}, {"id": "b", "text": "y"}, {"id": "a", "text": "z"})
    source = write_lines(tmp_path / "in.jsonl", *rows)
    assert main(["extract", str(source), "--schema", "brand"]) == 0
    out, err = capfd.readouterr()
    assert [line["id"] for line in read_lines(out)] == ["a", "b", "a"]
    assert "1 document has the id of an earlier one: the first is document 3" in err
    main(["extract", str(source), "--schema", "brand", "--quiet"])
    assert capfd.readouterr().err == ""


def test_extract_from_standard_input(fake, capfd, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"title,n\nx,1\n")))
    assert main(["extract", "-", "--format", "csv", "--schema", "brand", "--id-field", "n"]) == 0
    assert read_lines(capfd.readouterr().out)[0]["id"] == "1"


def test_an_empty_input_gives_an_empty_output_without_a_model(tmp_path, no_extractor):
    out = tmp_path / "out"
    source = str(write_texts(tmp_path / "in.jsonl"))
    assert main(["extract", source, "--schema", "a", "-o", str(out)]) == 0
    assert out.read_text() == ""


def test_each_document_has_the_schema_of_its_category(tmp_path, fake, capfd):
    schema = tmp_path / "attributes.json"
    schema.write_text('{"Shoes": ["Brand", "Size"], "Tea": ["Flavor"]}')
    source = write_lines(
        tmp_path / "in.jsonl",
        {"input": "s1", "category": "Shoes"},
        {"input": "t", "category": "Tea"},
        {"input": "c", "category": "Coffee"},
        {"input": "s2", "category": "Shoes"},
        {"input": "none"},
    )
    command = ["extract", str(source), "--schema", str(schema)]
    assert main([*command, "--category-field", "category", "--text-field", "input"]) == 3
    found = read_lines(capfd.readouterr().out)
    assert [line.get("data", {}).get("category") for line in found] == [
        "Shoes", "Tea", None, "Shoes", None,
    ]  # fmt: skip
    assert found[2]["error"]["message"] == (
        "line 3: there is no schema for the category 'Coffee', only for: Shoes, Tea"
    )
    assert "no field 'category'" in found[4]["error"]["message"]
    shoes = fake[0].schemas.for_category("Shoes")
    assert [attribute.name for attribute in shoes] == ["Brand", "Size"]

    assert main(command) == 2
    assert "--category-field" in capfd.readouterr().err
    # Texts are descriptions, so this is one schema.
    command = ["extract", str(source), "--schema", '{"Shoes": "brand, size", "Tea": "flavor"}']
    assert main([*command, "--category-field", "category"]) == 2
    assert "there is one schema for all documents" in capfd.readouterr().err


def test_options_reach_the_extractor(tmp_path, fake, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    source = str(write_texts(tmp_path / "in.jsonl", "x"))
    command = (
        "--set layout=skeleton --set stack=2 --set in_flight=5 --max-tokens 9 --on-overflow chunk"
        " --on-missing null --null-threshold 0.25 --set require_grounding=on -m m.gguf -c 100 -b 64"
        " -ub 32 -t 3 -ngl 7"
        " -fa off -ctk q8_0 -ctv bf16 --lora a.gguf:0.5 --lora b.gguf --temp 0.7 --set top_k=3"
        " --set top_p=0.5 --set min_p=0.1 -s 42 --set drafts=on --set verbose=on"
        " --set draft_model=d.gguf --set n_draft=4 --set draft_p_min=0.5 --set cpu_attention=off"
    )
    assert main(["extract", source, "--schema", "a", *command.split()]) == 0
    assert fake[0].options == Options(
        layout="skeleton", stack=2, in_flight=5, max_tokens=9, on_overflow="chunk",
        on_missing="null",
        null_threshold=0.25, require_grounding=True, n_ctx=100, n_batch=64, n_ubatch=32,
        n_threads=3, n_gpu_layers=7, flash_attn="off", cache_type_k="q8_0", cache_type_v="bf16",
        adapters=(("a.gguf", 0.5), ("b.gguf", 1.0)), temperature=0.7, top_k=3, top_p=0.5, min_p=0.1,
        seed=42, drafts=True, verbose=True,
        draft_model="d.gguf", n_draft=4, draft_p_min=0.5, cpu_attention=False,
    )  # fmt: skip
    assert main(["extract", source, "--schema", "a", "-hf", "user/repo:Q8_0", "-ngl", "-1"]) == 0
    assert fake[1].options == Options(n_gpu_layers=-1)
    assert ASKED == [("m.gguf", None), (None, "user/repo:Q8_0")]


def test_examples_go_into_the_prompt(tmp_path, fake, capfd):
    source = str(write_texts(tmp_path / "in.jsonl", "x"))
    examples = write_lines(tmp_path / "ex.jsonl", {"text": "red shoe", "data": {"a": "red"}})
    assert main(["extract", source, "--schema", "a", "--examples", str(examples)]) == 0
    assert fake[0].examples == [("red shoe", {"a": "red"})]
    capfd.readouterr()
    write_lines(examples, {"text": "no answer"})
    assert main(["extract", source, "--schema", "a", "--examples", str(examples)]) == 2
    assert "ex.jsonl:1: an example needs its answer in 'data'" in capfd.readouterr().err


def test_the_progress_bar_shows_on_a_terminal_only(tmp_path, fake, monkeypatch):
    source, out = write_texts(tmp_path / "in.jsonl", *"abcd"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "-o", str(out), "--overwrite"]
    for extra, shown in (([], "4/4"), (["--limit", "3"], "3/3"), (["--quiet"], "")):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        assert main([*command, *extra]) == 0
        text = terminal.getvalue()
        assert shown in text
        assert ("doc/s" in text or "0:00" in text) == bool(shown)
        assert (" core" in text) == bool(shown), "the device, before the first document"


def test_with_text_a_line_has_its_text_and_the_other_columns(tmp_path, fake, capfd):
    source = write_lines(
        tmp_path / "in.jsonl",
        {"id": "a", "title": "x", "description": "é", "price": 3, "tags": ["n"]},
        {"id": "b", "title": "too long"},
        {"id": "c", "price": float("nan")},
    )
    assert main(["extract", str(source), "--schema", "brand", "--with-text", "--quiet"]) == 3
    fine, failed, unread = read_lines(capfd.readouterr().out)
    assert list(fine) == ["id", "data", "text", "input"]
    assert fine["text"] == "x\né"
    assert fine["input"] == {"price": 3, "tags": ["n"]}
    assert (failed["text"], failed["error"]["type"]) == ("too long", "ContextOverflowError")
    assert "input" not in failed
    assert "text" not in unread
    assert unread["input"] == {"price": "NaN"}


def test_with_text_the_named_fields_are_no_other_columns(tmp_path, fake, capfd):
    source = write_lines(tmp_path / "in.jsonl", {"sku": 7, "body": "x", "text": "y", "kind": "k"})
    arguments = ["--text-field", "body", "--id-field", "sku"]
    assert main(["extract", str(source), "--schema", "a", "--with-text", *arguments]) == 0
    (line,) = read_lines(capfd.readouterr().out)
    assert (line["id"], line["text"]) == ("7", "x")
    assert line["input"] == {"text": "y", "kind": "k"}


def test_a_run_goes_on_with_its_texts_or_not_at_all(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "x", "y"), tmp_path / "out.jsonl"
    command = ["extract", str(source), "--schema", "a", "-o", str(out), "--quiet"]
    assert main([*command, "--with-text", "--limit", "1"]) == 0
    assert main([*command, "--resume"]) == 2
    assert "--with-text" in capfd.readouterr().err
    assert main([*command, "--resume", "--with-text"]) == 0
    assert [line["text"] for line in read_lines(out)] == ["x", "y"]


def test_the_summary_counts_documents_without_text(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "", "a", " \n\t"), tmp_path / "out"
    assert main(["extract", str(source), "--schema", "brand", "-o", str(out)]) == 0
    said = capfd.readouterr().err
    assert ", 2 without text" in said
    assert "1 and 1 more: it has no text" in said
    write_texts(source, "")
    assert main(["extract", str(source), "--schema", "brand", "-o", str(out), "--overwrite"]) == 0
    assert ", 1 without text" in capfd.readouterr().err


def test_each_file_has_a_schema_of_its_own(tmp_path, fake):
    folder, schemas = tmp_path / "in", tmp_path / "schemas"
    folder.mkdir(), schemas.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"text {name}")
    (schemas / "a.json").write_text('["text"]')
    (schemas / "b.json").write_text('{"type": "object", "properties": {"category": {}}}')
    out = tmp_path / "out.jsonl"
    arguments = ("extract", str(folder), "--schema", str(schemas / "{stem}.json"), "-o", str(out))
    assert main([*arguments]) == 3
    (extractor,) = fake
    names = [str(schemas / f"{name}.json") for name in ("a", "b")]
    assert extractor.schemas.categories == names
    assert [document.category for document in extractor.documents] == names
    failed = [line for line in read_lines(out) if "error" in line]
    assert [line["id"] for line in failed] == [str(folder / "c.txt")]
    assert "there is no file" in failed[0]["error"]["message"]
    assert "c.json" in failed[0]["error"]["message"]
    assert main([*arguments, "--overwrite", "--category-field", "x"]) == 2
    for name in names:
        Path(name).unlink()
    assert main([*arguments, "--overwrite"]) == 2


def test_each_file_has_an_output_of_its_own(tmp_path, fake, capfd):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir(), out.mkdir()
    (folder / "a.txt").write_text("one é")
    (folder / "b.csv").write_text("text\nx\ny\n")
    (folder / "c.txt").write_text("too long")
    arguments = ("extract", str(folder), "--schema", "text", "-o", str(out / "{stem}.json"))
    assert main([*arguments]) == 3
    a, b, c = (json.loads((out / f"{name}.json").read_text()) for name in "abc")
    assert (a["id"], a["data"]["text"]) == (str(folder / "a.txt"), "one é")
    assert [line["data"]["text"] for line in b] == ["x", "y"]
    assert c["error"]["type"] == "ContextOverflowError"
    assert sorted(path.name for path in out.iterdir()) == [
        *("a.json", "b.json", "c.json", "lines.hpd.jsonl", "lines.hpd.jsonl.run"),
    ]
    (folder / "d.txt").write_text("new")
    assert main([*arguments, "--resume"]) == 3
    assert len(fake[-1].documents) == 2
    assert json.loads((out / "d.json").read_text())["data"]["text"] == "new"
    capfd.readouterr()
    (out / "lines.hpd.jsonl").unlink()
    assert main([*arguments]) == 2
    assert "already exists: replace it (--overwrite)" in capfd.readouterr().err


def test_outputs_of_two_files_must_differ(tmp_path, fake, capfd):
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "a.md").write_text("y")
    out = tmp_path / "out"
    out.mkdir()
    arguments = ("extract", str(tmp_path), "--schema", "text", "-o")
    assert main([*arguments, str(out / "{stem}.json")]) == 2
    assert "would both be" in capfd.readouterr().err
    assert main([*arguments, str(out / "{stem}.csv")]) == 2
    assert ".json or .jsonl" in capfd.readouterr().err
    assert main([*arguments, str(out / "{folder}" / "{name}.jsonl")]) == 0
    (line,) = read_lines(out / tmp_path.name / "a.md.jsonl")
    assert line["data"]["text"] == "y"
