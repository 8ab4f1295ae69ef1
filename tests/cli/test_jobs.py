"""Jobs of ``hpd extract`` in ``hpd.toml`` and ``pyproject.toml``."""

import argparse
import re
import textwrap
from pathlib import Path

import pytest

from fake_extractor import ASKED
from hpd.cli import build_parser, main
from hpd.cli.jobs import _NOT_IN_JOBS, _PATHS, _settable_arguments
from hpd.options import OPTIONS
from jsonl import read_lines, write_texts


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of the folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    write_texts(tmp_path / "in.jsonl", "a", "b", "c")

    def write(text, name="hpd.toml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


WHOLE = """
    [job.other]
    schema = "x"

    [job.mails]
    input = ["in.jsonl"]
    schema = "brand, color"
    model = "qwen3:0.6b"
    output = "out.jsonl"
    limit = 2
    in-flight = 4
    drafts = false
    deterministic = true
    null-threshold = 0.5
    cache-type-k = "q8_0"
    lora = ["a.gguf", "b.gguf:0.5"]
    """


def test_a_job_has_all_that_a_run_needs(write, tmp_path, fake, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.gguf").write_bytes(b"GGUF")
    path = write(WHOLE)
    assert main(["extract", "--job", "mails"]) == 0
    assert len(read_lines((tmp_path / "out.jsonl").read_text())) == 2
    assert ASKED == [("qwen3:0.6b", None)]
    (extractor,) = fake
    options = extractor.options
    assert (options.in_flight, options.drafts, options.deterministic) == (4, False, True)
    assert (options.null_threshold, options.cache_type_k) == (0.5, "q8_0")
    assert options.adapters == (("a.gguf", 1.0), ("b.gguf", 0.5))
    # The same from another folder: paths are those of the file.
    (tmp_path / "below" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "below")
    assert main(["extract", "--job", "mails", "--overwrite"]) == 0
    assert fake[1].options.adapters == ((f"{tmp_path}/a.gguf", 1.0), (f"{tmp_path}/b.gguf", 0.5))
    monkeypatch.chdir(tmp_path / "below" / "deep")
    assert main(["extract", "--job", f"{path}:mails", "--overwrite"]) == 0
    assert not (tmp_path / "below" / "out.jsonl").exists()


def test_none_and_standard_output_are_no_files(write, tmp_path, fake, monkeypatch):
    write('[job.a]\ninput = "in.jsonl"\nschema = "x"\noutput = "-"\ncalibration = "none"\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert main(["extract", "--job", "a"]) == 0
    assert fake[0].options.calibration == "none"
    assert not list(tmp_path.glob("**/-"))


def test_what_is_said_on_the_command_line_wins(write, tmp_path, fake, capfd):
    for name in ("a.gguf", "b.gguf", "c.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    write_texts(tmp_path / "more.jsonl", "d")
    write(WHOLE)
    said = [
        *("more.jsonl", "-hf", "user/repo", "-o", "-", "--lora", "c.gguf", "--set", "drafts=on"),
        "--set",
        "in_flight=0",
    ]
    assert main(["extract", "--job", "mails", *said]) == 0
    assert [line["data"]["text"] for line in read_lines(capfd.readouterr().out)] == ["d"]
    assert ASKED == [(None, "user/repo")]
    options = fake[0].options
    assert options.adapters == (("c.gguf", 1.0),)
    assert (options.drafts, options.in_flight, options.null_threshold) == (True, 0, 0.5)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ('schema = "x, y"', ["x", "y"]),
        ('schema = ["x y", "z"]', ["x y", "z"]),
        ('schema = "s.json"', ["from_file"]),
        ('schema = { Brand = "the maker", Color = "as written" }', ["Brand", "Color"]),
        ('[job.a.schema]\ntype = "object"\nproperties.n.type = "integer"', ["n"]),
    ],
)
def test_a_schema_in_any_form(write, fake, schema, names):
    write('["from_file"]', "s.json")
    write(f'[job.a]\ninput = "in.jsonl"\n{schema}\n')
    assert main(["extract", "--job", "a"]) == 0
    assert [attribute.name for attribute in fake[0].schemas.single] == names


def test_a_project_s_file_and_its_folder(write, tmp_path, fake, monkeypatch, capfd):
    job = 'input = "*.jsonl"\nschema = "x"\n'
    above = write(f"[tool.hpd.job.NAME]\n{job}".replace("NAME", "a"), "pyproject.toml")
    write("[tool.ruff]\nline-length = 100\n", "below/pyproject.toml")
    monkeypatch.chdir(tmp_path / "below")
    assert main(["extract", "--job", "a"]) == 0
    printed = capfd.readouterr()
    assert len(read_lines(printed.out)) == 3
    assert f"job a of {above}" in printed.err
    own = write(f'[job.a]\n{job}\nformat = "jsonl"', "hpd.toml")
    assert main(["extract", "--job", "a"]) == 0
    assert f"job a of {own}" in capfd.readouterr().err


def test_a_pattern_in_a_folder_whose_name_looks_like_one(tmp_path, fake, monkeypatch):
    folder = tmp_path / "mails [2024]"
    (folder / "below").mkdir(parents=True)
    write_texts(folder / "in.jsonl", "a")
    (folder / "hpd.toml").write_text('[job.a]\ninput = "*.jsonl"\nschema = "x"\n')
    monkeypatch.chdir(folder / "below")
    assert main(["extract", "--job", "a"]) == 0
    assert [document.text for document in fake[0].documents] == ["a"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "there is no job 'a': it has none; write one as [job.a]"),
        ("[job.b]\n[job.c]", "there is no job 'a': it has b, c"),
        ("[job.aa]", "there is no job 'a': did you mean aa?"),
        ("[jobs.a]", "hpd.toml:1: there is no setting 'jobs' here: jobs are written as [job.NAME]"),
        ("job = 3", "each job must be a table: [job.NAME]"),
        ("[job.a\n", "hpd.toml is not TOML: "),
        ("[job.a]\nschema = 'x'\nschma = 'y'", "hpd.toml:3: job a: there is no setting 'schma'"),
        ("[job.a]\n\n'n_ctx' = 5", "hpd.toml:3: job a: there is no setting 'n_ctx'"),
        ("[job.a]\nwith_text = 1", "with_text must be true or false, not 1"),
        ("[job.a]\nid_field = 'x'\nid-field = 'y'", "id-field is given twice"),
        ("[job.a]\nn_ctx = 5", "there is no setting 'n_ctx': did you mean ctx-size?"),
        ("[job.a]\nzzz.x = 5", "hpd.toml:2: job a: there is no setting 'zzz': hpd extract --help"),
        ("[job.a]\ndry-run = true", "hpd.toml:2: job a: dry-run is for the command line"),
        ("[job.b]\nlimit = 'x'\n[job.a]\nlimit = 'x'", "hpd.toml:4: job a: limit 'x' is not"),
        ("[job.a]\nlimit = '5'", "limit must be a number, which is written without quotes: 5"),
        ("[job.a]\nlimit = -5", "limit -5 is below 0"),
        ("[job.a]\nin-flight = 999", "in-flight must be a whole number from 0 to 256, not 999"),
        ("[job.a]\nid-field = 5", 'id-field must be text, which is written in quotes: "5"'),
        ("[job.a]\nwith-text = 'yes'", "with-text must be true or false, not 'yes'"),
        ("[job.a]\ndrafts = 'yes'", "drafts must be true or false, not 'yes'"),
        ("[job.a]\nin_flight = '4'", "must be a number, which is written without quotes: 4"),
        ("[job.a]\nlimit = true", "limit must be one text or number, not true or false"),
        ("[job.a]\noutput = ['x']", "output must be one text or number, not a list"),
        ("[job.a]\ninput = [['x']]", "input must be one text or number, not a list"),
        ("[job.a]\nshow = 'last'", "show must be one of table, json, not 'last'"),
        ("[job.a]\nlayout = 'tree'", "layout must be one of branch, skeleton, label, not 'tree'"),
        ("[job.a]\nschema = 5", "schema must be text, a list of names or a table, not 5"),
        ("[job.a]\nmodel = 'm'\nhf-repo = 'u/r'", "hpd.toml:2: job a: give model or hf-repo"),
        ("[job.a]\nschema = 'x'", "required: INPUT"),
        ("[job.a]\ninput = 'in.jsonl'\nschema = 'gone.json'", "gone.json"),
        ("[job.a]\ninput = 'gone.jsonl'\nschema = 'x'", "gone.jsonl"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(write, text, says, no_extractor, capfd):
    write(text)
    assert main(["extract", "--job", "a"]) == 2
    assert says in capfd.readouterr().err


def test_files_that_are_not_there(write, tmp_path, capfd):
    assert main(["extract", "--job", "a"]) == 2
    assert f"there is no hpd.toml, and no pyproject.toml with [tool.hpd], in {tmp_path}" in (
        capfd.readouterr().err
    )
    assert main(["extract", "--job", "gone.toml:a"]) == 2
    assert "gone.toml cannot be read: No such file" in capfd.readouterr().err
    (tmp_path / "hpd.toml").write_bytes(b"\xff")
    assert main(["extract", "--job", "a"]) == 2
    assert "hpd.toml is not UTF-8 text" in capfd.readouterr().err


def test_the_page_s_jobs_are_as_they_should_be(write, tmp_path, fake):
    page = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    write(shown)
    write('["customer"]', "schema.json")
    write("Dear all", "mails/a.txt")
    write("Subject: x\n\nDear you", "archive/2024/b.eml")
    write_texts(tmp_path / "listings.jsonl", "a")
    assert main(["extract", "--job", "mails"]) == 0
    assert len((tmp_path / "mails.csv").read_text().splitlines()) == 3
    assert main(["extract", "--job", "products", "-o", "-"]) == 0
    assert [each.options.in_flight for each in fake] == [16, None]


def extract_parser():
    (commands,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return commands.choices["extract"]


def test_every_flag_can_be_kept_in_a_job():
    parser = extract_parser()
    names = {action.dest for action in _settable_arguments(parser).values()}
    left_out = {action.dest for action in parser._actions if "--set" not in action.option_strings}
    assert left_out - names == {name.replace("-", "_") for name in _NOT_IN_JOBS if name != "set"}
    assert names >= OPTIONS.keys()


def test_every_flag_that_names_a_file_is_placed_beside_the_job():
    """The metavar tells; schemas, inputs, models and adapters are placed by rules of their own."""
    named = {
        key
        for key, action in _settable_arguments(extract_parser()).items()
        if action.metavar in ("FILE", "OUT", "DIR", "FOLDER")
    }
    assert named == set(_PATHS)


def test_instructions_and_what_is_not_valid(write, tmp_path, fake, monkeypatch, capfd):
    write("Be brief.\n", "said.txt")
    job = '[job.a]\ninput = "in.jsonl"\nschema = "x"\non-invalid = "retry"\n'
    write(job + 'instructions = "@said.txt"')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert main(["extract", "--job", "a"]) == 0
    assert main(["extract", "--job", "a", "--on-invalid", "record"]) == 0
    assert [each.options.instructions for each in fake] == ["Be brief."] * 2
    assert [each.options.on_invalid for each in fake] == ["retry", "record"]
    write(job.replace("on-invalid", "strict"))
    capfd.readouterr()
    assert main(["extract", "--job", "a"]) == 2
    assert "hpd.toml:4: job a: there is no setting 'strict'" in capfd.readouterr().err
