"""The files of published data sets, and ``hpd data``."""

import gzip
import json

import pytest

import dataset_files
from hpd.cli import main
from hpd.errors import InputError, SchemaError
from hpd.evaluation.datasets import (
    DATASET_FORMATS,
    find_format,
    read_dataset,
    schema_path,
    suggest_schemas,
    survey,
    write_dataset,
)
from hpd.evaluation.json_form import json_text
from hpd.evaluation.rows import Example, load_examples
from hpd.schema import load_schema
from jsonl import read_lines, write_lines

FILES = {
    "extractgpt": dataset_files.extractgpt,
    "wdc-pave": dataset_files.wdc_pave,
    "amazon-2023": dataset_files.amazon,
    "conll": dataset_files.conll,
}


def rows(path, name, *, whole_documents=False):
    return list(read_dataset(path, DATASET_FORMATS[name], whole_documents=whole_documents))


def documents(path, name, *, whole_documents=False):
    every = rows(path, name, whole_documents=whole_documents)
    assert all(isinstance(row, Example) for row in every)
    return [row for row in every if isinstance(row, Example)]


def problems(path, name, **named):
    return [str(row) for row in rows(path, name, **named) if isinstance(row, InputError)]


@pytest.mark.parametrize("name", [*DATASET_FORMATS])
def test_a_format_is_told_by_the_first_lines(name, tmp_path):
    assert find_format(FILES[name](tmp_path)).name == name


@pytest.mark.parametrize("text", ["", "\n\n", "some words\nand more\n", '{"a": 1}\n', "[1]\n"])
def test_a_file_in_no_format(text, tmp_path):
    path = tmp_path / "other.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=r"other\.txt: (empty|none of the formats)"):
        find_format(path)
    with pytest.raises(InputError, match="cannot be opened"):
        find_format(tmp_path / "gone")


@pytest.mark.parametrize("name", [*DATASET_FORMATS])
def test_a_packed_file_is_the_same(name, tmp_path):
    path = FILES[name](tmp_path)
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert find_format(packed).name == name
    assert rows(packed, name) == rows(path, name)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        rows(packed, name)


# --- rows with target_scores ---


def test_titles(tmp_path):
    first, second, third = documents(dataset_files.extractgpt(tmp_path), "extractgpt")
    assert first == Example(
        "1", "Veldra Women's Trail Shoe, Moss, 8 M", "Shoes",
        {"Brand": ["Veldra"], "Color": ["Moss", "moss green"]},
    )  # fmt: skip
    assert (second.id, second.gold) == ("2", {"Brand": ["Harbor"], "Caffeine": None})
    assert third.gold == {}


def test_pave(tmp_path):
    first, second = documents(dataset_files.wdc_pave(tmp_path), "wdc-pave")
    assert first == Example(
        "501", "Inkwell Pen Set\nTwelve pens, blue", "Office",
        {"Brand": ["Inkwell"], "Quantity": ["Set", "Twelve"], "Width": None},
    )  # fmt: skip
    assert second.text == "Paper"


ROW = {"input": "t", "category": "c", "target_scores": {"a": {"x": 1}}}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({**ROW, "input": None}, "the field 'input' should be text, but is null"),
        ({**ROW, "input": " "}, "'input': no text"),
        ({**ROW, "category": ""}, "the category should be text"),
        ({**ROW, "category": 3}, "the category should be text, but is the int 3"),
        ({**ROW, "target_scores": ["a"]}, "target_scores should be an object, but is a list"),
        ({**ROW, "target_scores": {"a": "x"}}, "target_scores['a'] should be an object of values"),
        ('"text"', "expected a JSON object"),
        ("{", "not valid JSON"),
    ],
)
def test_a_row_with_target_scores_that_is_wrong(row, says, tmp_path):
    path = write_lines(tmp_path / "dev.jsonl", ROW, row, ROW)
    (problem,) = problems(path, "extractgpt")
    assert problem.startswith(f"{path}:2: ")
    assert says in problem
    assert [row.id for row in rows(path, "extractgpt") if isinstance(row, Example)] == [
        "1", "3",
    ]  # fmt: skip


# --- Amazon ---


def test_amazon(tmp_path):
    hammer, tape, book = documents(dataset_files.amazon(tmp_path), "amazon-2023")
    assert hammer == Example(
        "B000000001",
        "Ferrum Claw Hammer\nForged steel\n16 oz head\nA hammer.\nFor nails.",
        "Tools",
        {"Brand": None, "Head Weight": None},
    )
    assert (tape.text, tape.category, [*tape.gold]) == ("Tape", "Tools", ["Brand"])
    assert (book.text, book.category) == ("A Field Guide\nOne text.", "Books")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"title": " ", "features": [], "description": None}, "no text in title, features, desc"),
        ({"title": "t", "features": [3]}, "features should be text or a list of text, and has the"),
        ({"title": "t", "main_category": 3}, "main_category should be text"),
        ({"title": "t", "parent_asin": 3}, "parent_asin should be text"),
        ({"title": "t", "details": "{"}, "details is not valid JSON"),
        ({"title": "t", "details": [1]}, "details should be an object, but is a list"),
    ],
)
def test_an_item_that_is_wrong(row, says, tmp_path):
    path = write_lines(tmp_path / "meta.jsonl", {"title": "fine"}, row)
    (problem,) = problems(path, "amazon-2023")
    assert problem.startswith(f"{path}:2: {says}")


def test_the_schema_of_a_category_without_gold_is_its_most_frequent_names(tmp_path):
    names = [f"name {i:02}" for i in range(30)]
    lines = [
        {"title": "t", "main_category": "Tools", "details": dict.fromkeys(names[: n + 1], "x")}
        for n in range(30)
    ]
    path = write_lines(tmp_path / "meta.jsonl", *lines)
    found = survey(rows(path, "amazon-2023"), DATASET_FORMATS["amazon-2023"], "meta.jsonl")
    assert suggest_schemas(found) == {"Tools": names[:16]}


# --- CoNLL ---


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_sentences(tmp_path):
    found = documents(dataset_files.conll(tmp_path), "conll")
    assert found == [
        Example(
            "1", "Ada Byron met Charles in New York .", "",
            {"PER": ["Ada Byron", "Charles"], "LOC": ["New York"]},
        ),
        Example("2", "Ada left", "", {"PER": ["Ada"]}),
        Example("3", "Nobody", ""),
    ]  # fmt: skip
    assert [row.line for row in found] == [3, 12, 17]


def test_whole_documents(tmp_path):
    first, second = documents(dataset_files.conll(tmp_path), "conll", whole_documents=True)
    assert first == Example(
        "1", "Ada Byron met Charles in New York .\nAda left", "",
        {"PER": ["Ada Byron", "Charles", "Ada"], "LOC": ["New York"]},
    )  # fmt: skip
    assert second.text == "Nobody"


@pytest.mark.parametrize(
    "text",
    [
        "New B-LOC\nYork I-LOC\nAda B-PER\nBob B-PER\n",  # BIO
        "New I-LOC\nYork I-LOC\nAda I-PER\nBob B-PER\n",  # IOB1
        "New B-LOC\nYork E-LOC\nAda S-PER\nBob S-PER\n",  # BIOES
        "New B-LOC\nYork L-LOC\nAda U-PER\nBob U-PER\n",  # BILOU
        "New\tB-LOC\nYork\tI-LOC\nAda\tB-PER\nBob\tB-PER",  # tabs, no line feed at the end
        "\ufeffNew  B-LOC\r\nYork   I-LOC\r\nAda B-PER\r\nBob B-PER\r\n\r\n",
        "# id 1\nNew x y B-LOC\nYork x y I-LOC\nAda x y B-PER\nBob x y B-PER\n",
    ],
)
def test_every_scheme_says_the_same(text, tmp_path):
    (document,) = documents(write(tmp_path / "x.conll", text), "conll")
    assert document.text == "New York Ada Bob"
    assert document.gold == {"LOC": ["New York"], "PER": ["Ada", "Bob"]}


def test_entities_of_more_than_two_tokens_and_across_sentences(tmp_path):
    text = "a B-X\nb M-X\nc E-X\n\nd I-X\n\ne I-X\nf I-Y\n"
    found = documents(write(tmp_path / "x.conll", text), "conll")
    assert [row.gold for row in found] == [{"X": ["a b c"]}, {"X": ["d"]}, {"X": ["e"], "Y": ["f"]}]


def test_an_entity_of_one_token_is_closed_and_one_said_twice_counts_once(tmp_path):
    text = "a S-X\nb I-X\nc B-X\nd E-X\ne I-X\nf O\na S-X\n"
    (document,) = documents(write(tmp_path / "x.conll", text), "conll")
    assert document.gold == {"X": ["a", "b", "c d", "e"]}


def test_a_number_sign_can_be_a_token(tmp_path):
    (document,) = documents(write(tmp_path / "x.conll", "# O\n1 B-N\n"), "conll")
    assert document.text == "# 1"


def test_what_is_wrong_in_a_sentence(tmp_path):
    path = write(
        tmp_path / "x.conll", "a O\nb PER\n\nfine O\n\nalone\n\nc E-PER\n\nd B-X\ne L-Y\n\nf\tg\t\n"
    )
    assert problems(path, "conll") == [
        f"{path}:2: the tag 'PER' is neither O nor a letter and a type, like B-PER",
        f"{path}:6: expected a token and its tag, found one column",
        f"{path}:8: E-PER has no beginning",
        f"{path}:11: L-Y has no beginning",
        f"{path}:13: the tag '' is neither O nor a letter and a type, like B-PER",
    ]
    assert [row.text for row in rows(path, "conll") if isinstance(row, Example)] == ["fine"]
    path.write_bytes(b"\xff O\n")
    (problem,) = problems(path, "conll")
    assert problem.startswith(f"{path}:1: not valid UTF-8 at byte 1 of the line; convert it")


# --- counting and converting ---


def test_a_survey(tmp_path):
    path = dataset_files.extractgpt(tmp_path)
    with path.open("a") as file:
        file.write('{"id": "1", "input": "again", "category": "Tea", "target_scores": {}}\n{\n')
    found = survey(rows(path, "extractgpt"), DATASET_FORMATS["extractgpt"], "dev.jsonl")
    assert found.categories == {"Shoes": 2, "Tea": 2}
    assert found.attributes == {
        "Shoes": {"Brand": 1, "Color": 1},
        "Tea": {"Brand": 1, "Caffeine": 0},
    }
    assert (found.n_documents, found.n_filled, found.n_none, found.n_several) == (4, 3, 1, 1)
    assert (found.n_values, found.n_in_text) == (4, 3)
    assert found.notices == ["dev.jsonl:4: the id '1' is also on line 1"]
    assert len(found.problems) == 1
    assert json.loads(json_text(found))["n_characters"] == found.n_characters == 75


def converted(path, name, output):
    found = survey(rows(path, name), DATASET_FORMATS[name], path.name)
    write_dataset(read_dataset(path, DATASET_FORMATS[name]), found, output)
    assert sorted(left.name for left in output.parent.iterdir()) == [
        output.name, schema_path(output).name,
    ]  # fmt: skip
    return read_lines(output)


@pytest.fixture
def output(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "gold.jsonl"


@pytest.mark.parametrize("name", ["extractgpt", "wdc-pave"])
def test_a_converted_file_has_the_same_gold(name, tmp_path, output):
    path = FILES[name](tmp_path)
    converted(path, name, output)
    assert list(load_examples(output)) == list(load_examples(path))


def test_converted_entities_are_lists_and_every_type_is_stated(tmp_path, output):
    lines = converted(dataset_files.conll(tmp_path), "conll", output)
    assert [line["gold"] for line in lines] == [
        {"PER": ["Ada Byron", "Charles"], "LOC": ["New York"]},
        {"PER": ["Ada"], "LOC": None},
        {"PER": None, "LOC": None},
    ]
    schema = load_schema(schema_path(output))
    assert not isinstance(schema, dict)
    assert [(a.name, a.type, a.item and a.item.type) for a in schema] == [
        ("PER", "array", "string"), ("LOC", "array", "string"),
    ]  # fmt: skip


def test_converted_items_have_no_gold(tmp_path, output):
    lines = converted(dataset_files.amazon(tmp_path), "amazon-2023", output)
    assert [sorted(line) for line in lines] == [["category", "id", "text"]] * 3
    assert json.loads(schema_path(output).read_text()) == {"Tools": ["Brand", "Head Weight"]}


def test_an_attribute_that_no_schema_can_have_leaves_the_old_file(tmp_path, output):
    path = write_lines(
        tmp_path / "dev.jsonl", {**ROW, "target_scores": {"a": {"x": 1}, " ": {"y": 1}}}
    )
    output.write_text("old")
    with pytest.raises(SchemaError, match="category 'c'"):
        converted(path, "extractgpt", output)
    assert output.read_text() == "old"
    assert [left.name for left in output.parent.iterdir()] == ["gold.jsonl"]


def words(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_list(capfd):
    assert main(["data", "list"]) == 0
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == [*DATASET_FORMATS]


def test_check(tmp_path, capfd):
    path = dataset_files.extractgpt(tmp_path)
    assert main(["data", "check", str(path)]) == 0
    rows = words(capfd.readouterr().out)
    assert rows[0].startswith(f"{path}: extractgpt (OA-Mine and AE-110k")
    for row in (
        "documents 3",
        "attributes 4",
        "attributes without a value 1",
        "attributes with several gold values 1",
        "gold values found in the text 75.0%",
        "Shoes 2 2 2",
    ):
        assert row in rows


def test_check_names_the_lines_that_cannot_be_read(tmp_path, capfd):
    path = dataset_files.extractgpt(tmp_path)
    with path.open("a") as file:
        file.write("{\n" * 25)
    assert main(["data", "check", str(path)]) == 3
    rows = words(capfd.readouterr().out)
    assert "25 rows cannot be read:" in rows
    assert any(row.startswith(f"{path}:4: not valid JSON") for row in rows)
    assert "... and 5 more (hpd data check --json has all)" in rows
    assert main(["data", "check", str(path), "--json"]) == 3
    assert len(json.loads(capfd.readouterr().out)["problems"]) == 25


def test_convert(tmp_path, capfd):
    path, output = dataset_files.conll(tmp_path), tmp_path / "gold.jsonl"
    command = ["data", "convert", str(path), "-o", str(output)]
    assert main(command) == 0
    assert "3 documents in" in capfd.readouterr().err
    assert len(read_lines(output)) == 3
    assert list(json.loads((tmp_path / "gold.schema.json").read_text())["properties"]) == [
        "PER", "LOC",
    ]  # fmt: skip
    # Neither file is replaced unless that is said.
    assert main([*command, "--whole-documents"]) == 2
    assert f"{output} already exists" in capfd.readouterr().err
    assert main([*command, "--whole-documents", "--overwrite"]) == 0
    assert len(read_lines(output)) == 2
    output.unlink()
    assert main(command) == 2
    assert "gold.schema.json already exists" in capfd.readouterr().err


def test_convert_leaves_out_what_cannot_be_read_and_says_so(tmp_path, capfd):
    path, output = dataset_files.extractgpt(tmp_path), tmp_path / "gold.jsonl"
    with path.open("a") as file:
        file.write('{"id": "1", "input": "t", "category": "Tea", "target_scores": {}}\n{\n')
    assert main(["data", "convert", str(path), "-o", str(output)]) == 3
    err = capfd.readouterr().err
    assert f"left out: {path}:5: not valid JSON" in err
    assert f"{path}:4: the id '1' is also on line 1" in err
    assert len(read_lines(output)) == 4


def test_convert_without_attributes_writes_no_schema(tmp_path, capfd):
    path, output = tmp_path / "x.conll", tmp_path / "gold.jsonl"
    path.write_text("nothing O\n")
    assert main(["data", "convert", str(path), "-o", str(output)]) == 0
    assert "no schema, as the file has no attributes" in capfd.readouterr().err
    assert sorted(left.name for left in tmp_path.iterdir()) == ["gold.jsonl", "x.conll"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "gone.jsonl"], "gone.jsonl: cannot be opened"),
        (["check", "-"], "standard input cannot be read twice"),
        (["check", "OTHER"], "none of the formats extractgpt, wdc-pave, amazon-2023, conll"),
        (["check", "FILE", "--whole-documents"], "--whole-documents is for conll; "),
        (["convert", "FILE", "-o", "FILE", "--overwrite"], "is read in this run"),
    ],
)
def test_what_is_refused(arguments, says, tmp_path, capfd):
    other = tmp_path / "other.txt"
    other.write_text("words and words\n")
    paths = {"FILE": str(dataset_files.extractgpt(tmp_path)), "OTHER": str(other)}
    assert main(["data", *(paths.get(argument, argument) for argument in arguments)]) == 2
    out, err = capfd.readouterr()
    assert says in err
    assert out == ""
