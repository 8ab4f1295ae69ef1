"""The command line: what goes where, exit codes, resuming; with a stand-in for the extractor.

At the end of the file the real one runs, in processes of their own.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import hpd.extractor
import hpd.machine.model_files
from hpd.cli import build_parser, main
from hpd.errors import HpdError, ModelLoadError
from hpd.options import Options
from hpd.pipeline.job import Document
from hpd.results import Extraction, Failure

N_AHEAD = 3
"""How many documents the stand-in has in flight."""


class FakeExtractor:
    """Answers each document with its own text; some texts make it misbehave."""

    made: ClassVar[list[FakeExtractor]] = []
    tuned: ClassVar[dict[str, int]] = {}

    def __init__(
        self, schema: object, model: str | None = None, *, hf: str | None, options: Options,
        examples: Sequence[tuple[str, object]],
    ) -> None:  # fmt: skip
        if model == "gone.gguf":
            raise ModelLoadError("there is no model gone.gguf")
        self.schema, self.model, self.hf = schema, model, hf
        self.options, self.examples = options, examples
        self.documents: list[Document] = []
        self.closed = False
        self.made.append(self)

    def extract_many(self, documents: Iterable[Document], *, on_error: str) -> Iterator[Extraction]:
        assert on_error == "record"
        waiting: list[Document] = []
        for document in documents:
            self.documents.append(document)
            waiting.append(document)
            if len(waiting) == N_AHEAD:
                yield self._answer(waiting.pop(0))
        for document in waiting:
            yield self._answer(document)

    def _answer(self, document: Document) -> Extraction:
        if document.text == "interrupt":
            raise KeyboardInterrupt
        if document.text == "crash":
            raise HpdError("the engine broke")
        if document.text == "too long":
            return Extraction(document.id, error=Failure("ContextOverflowError", "9 tokens over"))
        return Extraction(document.id, {"text": document.text, "category": document.category})

    def __enter__(self) -> FakeExtractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakeExtractor]]:
    monkeypatch.setattr(hpd.extractor, "Extractor", FakeExtractor)
    FakeExtractor.made.clear()
    yield FakeExtractor.made
    assert all(extractor.closed for extractor in FakeExtractor.made)


@pytest.fixture
def no_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a model would be loaded."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a model was loaded")

    monkeypatch.setattr(hpd.extractor, "Extractor", refuse)


def documents(path: Path, *rows: Any) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(line + "\n" for line in lines))
    return path


def texts(path: Path, *words: str) -> Path:
    return documents(path, *({"text": word} for word in words))


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def exit_code(*arguments: str) -> int:
    """Of a command line that argparse itself refuses or answers."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code


# --- extract: the way through ---


def test_extract_writes_a_line_a_document_and_nothing_else(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source = documents(tmp_path / "in.jsonl", {"id": "a", "text": "é"}, {"text": "y"})
    assert main(["extract", str(source), "--schema", "brand, color"]) == 0
    out, err = capfd.readouterr()
    assert lines(out) == [
        {"id": "a", "data": {"text": "é", "category": None}},
        {"id": "2", "data": {"text": "y", "category": None}},
    ]
    assert "é" in out
    assert err == ""
    assert (fake[0].model, fake[0].hf, fake[0].examples) == (None, None, [])
    assert fake[0].options == Options()


def test_extract_to_a_file(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = texts(tmp_path / "in.jsonl", "x", "y", "z"), tmp_path / "out.jsonl"
    assert main(["extract", str(source), "--schema", "brand", "-o", str(out), "--limit", "2"]) == 0
    assert [line["id"] for line in lines(out.read_text())] == ["1", "2"]
    assert capfd.readouterr() == ("", "")
    assert len(fake[0].documents) == 2


def test_extract_from_standard_input(
    fake: list[FakeExtractor],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"title,n\nx,1\n")))
    assert main(["extract", "-", "--format", "csv", "--schema", "brand", "--id-field", "n"]) == 0
    assert lines(capfd.readouterr().out)[0]["id"] == "1"


def test_an_empty_input_gives_an_empty_output_without_a_model(
    tmp_path: Path, no_extractor: None
) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    assert (
        main(["extract", str(texts(tmp_path / "in.jsonl")), "--schema", "a", "-o", str(out)]) == 0
    )
    assert out.read_text() == ""


def test_failures_keep_their_place_and_the_rest_is_written(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source = documents(
        tmp_path / "in.jsonl",
        "nonsense", {"text": "a"}, {"text": None}, {"text": "too long"}, {"text": "b"},
        {"text": "c"}, "{}", {"text": "d"}, "17", "18",
    )  # fmt: skip
    assert main(["extract", str(source), "--schema", "brand"]) == 3
    out, err = capfd.readouterr()
    found = lines(out)
    assert [line["id"] for line in found] == [str(n) for n in range(1, 11)]
    assert [("data" in line, "error" in line) for line in found] == [
        (n in (2, 5, 6, 8), n not in (2, 5, 6, 8)) for n in range(1, 11)
    ]
    assert found[0]["error"]["type"] == "InputError"
    assert f"{source}:1: not valid JSON" in found[0]["error"]["message"]
    assert found[3]["error"] == {"type": "ContextOverflowError", "message": "9 tokens over"}
    assert err == "hpd: 6 of 10 documents failed: their lines say why\n"
    assert main(["extract", str(source), "--schema", "brand", "--quiet"]) == 3
    assert capfd.readouterr().err == ""


def test_failures_alone_do_not_pile_up(tmp_path: Path, fake: list[FakeExtractor]) -> None:
    """Their lines are out before the extractor has even one document."""
    out = tmp_path / "out"
    seen: list[int] = []

    class Watching(FakeExtractor):
        def extract_many(
            self, documents: Iterable[Document], *, on_error: str
        ) -> Iterator[Extraction]:
            for document in documents:
                seen.append(len(out.read_text().splitlines()))
                yield Extraction(document.id, {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hpd.extractor, "Extractor", Watching)
        source = documents(tmp_path / "in.jsonl", "1", "2", "3", {"text": "x"})
        assert main(["extract", str(source), "--schema", "a", "-o", str(out), "--quiet"]) == 3
    assert seen == [3]


def test_each_document_has_the_schema_of_its_category(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / "attributes.json"
    schema.write_text('{"Shoes": ["Brand", "Size"], "Tea": ["Flavor"]}')
    source = documents(
        tmp_path / "in.jsonl",
        {"input": "s1", "category": "Shoes"},
        {"input": "t", "category": "Tea"},
        {"input": "c", "category": "Coffee"},
        {"input": "s2", "category": "Shoes"},
        {"input": "none"},
    )
    command = ["extract", str(source), "--schema", str(schema)]
    assert main([*command, "--category-field", "category", "--text-field", "input"]) == 3
    found = lines(capfd.readouterr().out)
    assert [line.get("data", {}).get("category") for line in found] == [
        "Shoes", "Tea", None, "Shoes", None,
    ]  # fmt: skip
    assert found[2]["error"]["message"] == (
        "line 3: there is no schema for the category 'Coffee', only for: Shoes, Tea"
    )
    assert "no field 'category'" in found[4]["error"]["message"]
    schemas = fake[0].schema
    assert isinstance(schemas, dict)
    assert [attribute.name for attribute in schemas["Shoes"]] == ["Brand", "Size"]

    assert main(command) == 2
    assert "--category-field" in capfd.readouterr().err


def test_options_reach_the_extractor(tmp_path: Path, fake: list[FakeExtractor]) -> None:
    source = str(texts(tmp_path / "in.jsonl", "x"))
    command = (
        "--method ar --layout skeleton --stack 2 --in-flight 5 --max-tokens 9 --on-overflow chunk"
        " --null-threshold 0.25 --require-grounding -m m.gguf -c 100 -b 64 -ub 32 -t 3 -ngl 7"
        " -fa off -ctk q8_0 -ctv bf16 --lora a.gguf:0.5 --lora b.gguf --temp 0.7 --top-k 3"
        " --top-p 0.5 --min-p 0.1 -s 42 --drafts --value-batch-size 0 --verbose"
        " -md d.gguf --draft-max 4 --draft-p-min 0.5 --no-cpu-attention"
    )
    assert main(["extract", source, "--schema", "a", *command.split()]) == 0
    assert fake[0].model == "m.gguf"
    assert fake[0].options == Options(
        method="ar", layout="skeleton", stack=2, in_flight=5, max_tokens=9, on_overflow="chunk",
        null_threshold=0.25, require_grounding=True, n_ctx=100, n_batch=64, n_ubatch=32,
        n_threads=3, n_gpu_layers=7, flash_attn="off", cache_type_k="q8_0", cache_type_v="bf16",
        loras=(("a.gguf", 0.5), ("b.gguf", 1.0)), temperature=0.7, top_k=3, top_p=0.5, min_p=0.1,
        seed=42, drafts=True, n_value_batch=0, verbose=True, draft_model="d.gguf", n_draft=4,
        draft_p_min=0.5, cpu_attention=False,
    )  # fmt: skip
    assert main(["extract", source, "--schema", "a", "-hf", "user/repo:Q8_0", "-ngl", "-1"]) == 0
    assert (fake[1].hf, fake[1].options) == ("user/repo:Q8_0", Options(n_gpu_layers=-1))


def test_every_option_can_be_said_on_the_command_line() -> None:
    said = vars(build_parser().parse_args(["extract", "-", "--schema", "a"]))
    missing = {name for name in Options.__dataclass_fields__ if name not in said} - {"loras"}
    assert not missing


def test_examples_go_into_the_prompt(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source = str(texts(tmp_path / "in.jsonl", "x"))
    examples = documents(tmp_path / "ex.jsonl", {"text": "red shoe", "data": {"a": "red"}})
    assert main(["extract", source, "--schema", "a", "--examples", str(examples)]) == 0
    assert fake[0].examples == [("red shoe", {"a": "red"})]
    capfd.readouterr()
    documents(examples, {"text": "no answer"})
    assert main(["extract", source, "--schema", "a", "--examples", str(examples)]) == 2
    assert "ex.jsonl:1: an example needs its answer in 'data'" in capfd.readouterr().err


# --- extract: what can go wrong ---


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["extract"],
        ["extract", "in.jsonl"],
        ["nonsense"],
        ["extract", "in.jsonl", "--schema", "a", "--nonsense"],
        ["extract", "in.jsonl", "--schema", "a", "--method", "magic"],
        ["extract", "in.jsonl", "--schema", "a", "--stack", "0"],
        ["extract", "in.jsonl", "--schema", "a", "--in-flight", "many"],
        ["extract", "in.jsonl", "--schema", "a", "--null-threshold", "1.5"],
        ["extract", "in.jsonl", "--schema", "a", "--null-threshold", "nan"],
        ["extract", "in.jsonl", "--schema", "a", "--temp", "-1"],
        ["extract", "in.jsonl", "--schema", "a", "--lora", "a.gguf:nan"],
        ["extract", "in.jsonl", "--schema", "a", "-m", "x", "-hf", "u/r"],
        ["extract", "in.jsonl", "--schema", "a", "--meth", "ar"],
        ["eval"],
    ],
)
def test_wrong_usage_is_2(arguments: list[str], no_extractor: None) -> None:
    assert exit_code(*arguments) == 2


def test_errors_before_the_model_are_2(
    tmp_path: Path, no_extractor: None, capfd: pytest.CaptureFixture[str]
) -> None:
    source = str(texts(tmp_path / "in.jsonl", "x"))
    array = documents(tmp_path / "array.jsonl", "[", "{}", "]")
    empty = documents(tmp_path / "empty.csv")
    foreign = documents(tmp_path / "diary", "dear diary")
    for arguments, says in (
        ([source, "--schema", ""], "the schema is empty"),
        ([source, "--schema", str(tmp_path / "gone.json")], "gone.json"),
        ([str(tmp_path / "gone.jsonl"), "--schema", "a"], "gone.jsonl: cannot be opened"),
        ([str(tmp_path / "x.docx"), "--schema", "a"], "tells no format"),
        ([str(array), "--schema", "a"], "JSON array"),
        ([str(empty), "--schema", "a"], "expected a header"),
        ([source, "--schema", "a", "--resume"], "--resume needs a file"),
        ([source, "--schema", "a", "-o", source], "is INPUT, and would be overwritten"),
        ([source, "--schema", "a", "-o", str(tmp_path / "no" / "out")], "cannot be written"),
        ([source, "--schema", "a", "-o", str(foreign), "--resume"], "cannot be resumed"),
        ([source, "--schema", "a", "--examples", str(tmp_path / "gone.jsonl")], "cannot be opened"),
    ):
        assert main(["extract", *arguments]) == 2, arguments
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith("hpd: error: ")
        assert says in err
    assert Path(source).read_text() == '{"text": "x"}\n'


def test_a_model_that_cannot_be_loaded_is_1_and_costs_no_output(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = texts(tmp_path / "in.jsonl", "x"), documents(tmp_path / "out", '{"id": "1"}')
    assert main(["extract", str(source), "--schema", "a", "-m", "gone.gguf", "-o", str(out)]) == 1
    assert capfd.readouterr().err == "hpd: error: there is no model gone.gguf\n"
    assert out.read_text() == '{"id": "1"}\n'


def test_a_failure_on_the_way_is_1_and_keeps_what_there_is(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = texts(tmp_path / "in.jsonl", "x", "crash", "y"), tmp_path / "out"
    assert main(["extract", str(source), "--schema", "a", "-o", str(out)]) == 1
    assert capfd.readouterr().err == "hpd: error: the engine broke\n"
    assert [line["id"] for line in lines(out.read_text())] == ["1"]


def test_interrupted_is_130_and_resume_does_the_rest(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = texts(tmp_path / "in.jsonl", "a", "b", "interrupt", "d"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "-o", str(out)]
    assert main(command) == 130
    assert capfd.readouterr().err == (
        "hpd: interrupted: 2 documents are written; the same command with --resume does the rest\n"
    )
    assert [line["id"] for line in lines(out.read_text())] == ["1", "2"]

    with out.open("a") as file:  # as a kill in the middle of a line leaves it
        file.write('{"id": "3", "da')
    texts(source, "a", "b", "c", "d")
    assert main([*command, "--resume"]) == 0
    assert [line["data"]["text"] for line in lines(out.read_text())] == ["a", "b", "c", "d"]
    assert [document.id for document in fake[1].documents] == ["3", "4"]
    assert main([*command, "--resume"]) == 0
    assert len(fake) == 2, "nothing is left to do, so no model is loaded"
    assert len(out.read_text().splitlines()) == 4


def test_interrupted_while_loading_is_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(hpd.extractor, "Extractor", interrupt)
    assert main(["extract", str(texts(tmp_path / "in.jsonl", "x")), "--schema", "a"]) == 130
    assert capfd.readouterr().err == "hpd: interrupted: 0 documents are written\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_progress_bar_shows_on_a_terminal_only(
    tmp_path: Path, fake: list[FakeExtractor], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = texts(tmp_path / "in.jsonl", *"abcd"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "-o", str(out)]
    for extra, shown in (([], "4/4"), (["--limit", "3"], "3/3"), (["--quiet"], "")):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        assert main([*command, *extra]) == 0
        text = terminal.getvalue()
        assert shown in text
        assert ("doc/s" in text) == bool(shown)


# --- eval ---


def gold_rows(path: Path) -> Path:
    return documents(
        path,
        {"input": "red Nike", "category": "Shoes", "target_scores": {"Brand": {"Nike": 1}}},
        {"input": "blue shoe", "category": "Shoes", "target_scores": {"Color": {"blue": 1}}},
    )


def test_eval(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold = gold_rows(tmp_path / "gold.jsonl")
    predicted = documents(
        tmp_path / "pred.jsonl",
        {"id": "1", "data": {"Brand": "Nike", "Color": "red"}},
        {"id": "2", "error": {"type": "E", "message": "m"}},
    )
    assert main(["eval", str(predicted), str(gold), "--json", "--per-attribute"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["plain"]["micro"] == {
        "precision": 100.0, "recall": 50.0, "f1": 66.67,
        "nn": 0, "nv": 0, "vn": 1, "vc": 1, "vw": 0,
    }  # fmt: skip
    assert found["strict"]["micro"]["nv"] == 1
    assert found["n_missing"] == 1
    assert [cell["attribute"] for cell in found["plain"]["attributes"]] == ["Brand", "Color"]

    assert main(["eval", str(predicted), str(gold), "--per-attribute"]) == 0
    out = capfd.readouterr().out
    assert "2 documents, 1 of them without a prediction" in out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "plain micro 100.00 50.00 66.67 0 0 1 1 0" in rows
    assert "Shoes Color 0.00 0.00 0.00 0 0 1 0 0" in rows


def test_eval_with_the_attributes_of_each_category(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gold = gold_rows(tmp_path / "gold.jsonl")
    attributes = tmp_path / "attributes.json"
    for content, nn in (('{"Shoes": ["Brand", "Color", "Size"]}', 4), ('["Heel"]', 2)):
        attributes.write_text(content)
        command = ["eval", "--lookup", str(gold), str(gold), "--attributes", str(attributes)]
        assert main([*command, "--json"]) == 0
        found = json.loads(capfd.readouterr().out)["strict"]["micro"]
        assert (found["vc"], found["nn"]) == (2, nn)


def test_eval_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold = str(gold_rows(tmp_path / "gold.jsonl"))
    other = str(documents(tmp_path / "other.jsonl", {"id": "x", "data": {}}))
    for arguments, says in (
        ([gold], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        ([gold, gold, "--lookup", gold], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        ([gold, gold], "neither 'data' nor 'error'"),
        ([other, gold], "no prediction has the id of a document"),
        ([str(tmp_path / "gone.jsonl"), gold], "cannot be opened"),
        ([other, gold, "--attributes", "gone.json"], "gone.json"),
    ):
        assert main(["eval", *arguments]) == 2, arguments
        assert says in capfd.readouterr().err


# --- schema, help, version ---


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
    assert main(["schema", "[]"]) == 2
    assert "hpd: error: " in capfd.readouterr().err


@pytest.mark.parametrize("command", [[], ["extract"], ["eval"], ["schema"]])
def test_help_fits_a_terminal(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(*command, "--help") == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: hpd")
    assert max(map(len, out.splitlines())) <= 100


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--version") == 0
    ours, binding, llama = capsys.readouterr().out.splitlines()
    assert ours == f"hpd {hpd.__version__}"
    assert binding == "llama-cpp-python 0.3.36"
    assert llama.startswith("llama.cpp ")


def test_help_needs_no_engine() -> None:
    code = (
        "import sys\nfrom hpd.cli import build_parser\nbuild_parser()\n"
        "sys.exit(any(name in sys.modules for name in ('llama_cpp', 'hpd._core', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- the real extractor ---

TITLE = "Diesel Men's Exposure High-Top Sneaker, Black, 10 M US"
HPD = [sys.executable, "-m", "hpd.cli"]


@pytest.fixture
def box() -> Path:
    try:
        return hpd.machine.model_files.box_model()
    except ModelLoadError:
        pytest.skip("there is no model in the box yet")


def run_hpd(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HPD, *arguments], input=text, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_the_model_in_the_box_reads_a_title(box: Path, method: str) -> None:
    text = json.dumps({"id": "a", "text": TITLE}) + "\n"
    done = run_hpd("extract", "-", "--schema", "Brand, Color", "--method", method, text=text)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = lines(done.stdout)
    assert line["data"] == {"Brand": "Diesel", "Color": "Black"}
    assert line["usage"]["prompt_tokens"] > 0


@pytest.fixture
def random_model(tiny_model: Any) -> str:
    """Random weights: the values are nonsense, and everything else is as it will be."""
    return str(tiny_model("qwen3"))


def catalogue(path: Path, n: int) -> Path:
    return documents(path, *({"id": f"d{k}", "text": f"{TITLE} {k}"} for k in range(n)))


@pytest.mark.parametrize("method", ["hpd", "ar"])
@pytest.mark.parametrize("layout", ["branch", "skeleton"])
def test_every_document_has_its_line(
    tmp_path: Path, random_model: str, method: str, layout: str
) -> None:
    source = catalogue(tmp_path / "in.jsonl", 20)
    with source.open("a") as file:
        file.write("nonsense\n")
    done = run_hpd(
        "extract", str(source), "--schema", "Brand, Color", "-m", random_model, "--max-tokens", "4",
        "--method", method, "--layout", layout,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    found = lines(done.stdout)
    assert [line["id"] for line in found] == [*(f"d{k}" for k in range(20)), "21"]
    assert all(list(line["data"]) == ["Brand", "Color"] for line in found[:-1])


def test_a_reader_that_has_had_enough_is_no_error(tmp_path: Path, random_model: str) -> None:
    source = catalogue(tmp_path / "in.jsonl", 300)
    command = [*HPD, "extract", str(source), "--schema", "Brand", "-m", random_model]
    with subprocess.Popen(
        [*command, "--max-tokens", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["id"] == "d0"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send")
def test_ctrl_c_keeps_everything_that_is_written(tmp_path: Path, random_model: str) -> None:
    source, out = catalogue(tmp_path / "in.jsonl", 3000), tmp_path / "out"
    command = [*HPD, "extract", str(source), "--schema", "Brand, Color", "-m", random_model]
    command += ["--max-tokens", "2", "-o", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (out.exists() and out.stat().st_size):
            pass
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        message = process.stderr.read()
    assert process.returncode == 130, message
    written = lines(out.read_text())
    assert 0 < len(written) < 3000
    assert f"interrupted: {len(written)} documents are written" in message
    n_more = len(written) + 5
    again = subprocess.run([*command, "--resume", "--limit", str(n_more)], check=False)
    assert again.returncode == 0
    assert [line["id"] for line in lines(out.read_text())] == [f"d{k}" for k in range(n_more)]


def test_an_error_of_the_input_on_the_way(tmp_path: Path, random_model: str) -> None:
    """The reader's error comes out of the engine, which pulled the document, as it is."""
    source = documents(tmp_path / "in.jsonl", {"text": "x"})
    code = (
        "import sys, hpd.cli.extract as command\n"
        "from hpd.cli import main\nfrom hpd.errors import InputError\n"
        "def broken(reader):\n"
        "    yield next(reader)\n"
        "    raise InputError('the disk broke')\n"
        "command._peeked = broken\n"
        f"sys.exit(main(['extract', {str(source)!r}, '--schema', 'a', '-m', {random_model!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "hpd: error: the disk broke\n")
