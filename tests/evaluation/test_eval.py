"""``hpd eval``: one file against gold, and two against each other."""

import json

import pytest

from hpd.cli import main
from jsonl import read_lines, write_lines

FEW = ("--resamples", "100")


def gold_rows(path):
    return write_lines(
        path,
        {"input": "red Nike", "category": "Shoes", "target_scores": {"Brand": {"Nike": 1}}},
        {"input": "blue shoe", "category": "Shoes", "target_scores": {"Color": {"blue": 1}}},
    )


@pytest.fixture
def files(tmp_path):
    predicted = write_lines(
        tmp_path / "pred.jsonl",
        {"id": "1", "data": {"Brand": "nike", "Color": "red"}},
        {"id": "2", "error": {"type": "E", "message": "m"}},
    )
    return str(predicted), str(gold_rows(tmp_path / "gold.jsonl"))


def words(text):
    """The lines of a table, blanks evened out."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_table(files, capfd):
    assert main(["eval", *files, "--per-attribute", *FEW]) == 0
    out = words(capfd.readouterr().out)
    assert out[0] == "2 documents, 1 failed"
    assert "exact plain micro 0.00 0.00 0.00 0.00 to 0.00 0 1 1 0 0" in out
    assert "exact strict micro 0.00 0.00 0.00 0.00 to 0.00 0 1 1 1 1" in out
    assert "normalized plain micro 100.00 50.00 66.67 0.00 to 100.00 1 0 1 0 0" in out
    assert out[2].endswith("right wrong missed invented correctly empty")
    assert "intervals: percentile bootstrap over documents, 100 samples, seed 0" in out
    assert "Shoes Color 0.00 0.00 0.00 0.00 to 0.00 0 0 1 0 0" in out


def test_json_has_every_figure(files, capfd):
    assert main(["eval", *files, "--json", *FEW, "--seed", "4"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert (result["n_rows"], result["n_missing"], result["n_failed"]) == (2, 0, 1)
    assert result["normalized"]["plain"]["micro"] == {
        "precision": 100.0, "recall": 50.0, "f1": 66.67,
        "nn": 0, "nv": 0, "vn": 1, "vc": 1, "vw": 0,
    }  # fmt: skip
    assert result["strict"]["micro"]["nv"] == 1
    assert [cell["attribute"] for cell in result["plain"]["attributes"]] == ["Brand", "Color"]
    assert result["normalized"]["intervals"]["plain"]["micro"]["f1"] == [0.0, 100.0]
    assert result["scores"]["normalized_f1"] == 66.67
    assert result["resampling"]["n_resamples"] == 100
    assert result["resampling"]["seed"] == 4
    assert not {"versus", "calibration", "throughput"} & set(result)


def test_ids_that_do_not_fit_are_said(tmp_path, files, capfd):
    other = write_lines(tmp_path / "o.jsonl", {"id": "2", "data": {}}, {"id": "7", "data": {}})
    assert main(["eval", str(other), files[1], *FEW]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("2 documents, 1 without a prediction\n")
    assert "gold.jsonl:1 (id '1')" in err
    assert "o.jsonl:2 (id '7')" in err
    assert main(["eval", str(other), files[1], "--json", *FEW]) == 0
    assert json.loads(capfd.readouterr().out)["matching"]["surplus"] == [{"id": "7", "line": 2}]


def test_tables_on_both_sides(tmp_path, capfd):
    gold, predicted = tmp_path / "gold.csv", tmp_path / "made.tsv"
    gold.write_text('asin,title,Brand,Color\na,a red Nike,Nike,red\nb,Puma,"[""Puma"", ""P""]",\n')
    predicted.write_text("asin\tBrand\tColor\nb\tP\tgrey\na\tNike\tred\n")
    command = ["eval", str(predicted), str(gold), "--id-field", "asin", *FEW]
    assert main(command) == 0
    out, err = capfd.readouterr()
    assert "exact plain micro 75.00 100.00 85.71" in "\n".join(words(out))
    assert "gold.csv: columns taken as attributes: Brand, Color" in err
    assert "exact strict micro 75.00 100.00 85.71" in "\n".join(words(out))
    # A column that is named as the text is no attribute; then the title is one.
    assert main([*command, "--text-field", "Color"]) == 0
    assert "attributes: title, Brand" in capfd.readouterr().err


def test_the_attributes_of_each_category(tmp_path, files, capfd):
    gold = files[1]
    attributes = tmp_path / "attributes.json"
    for content, nn in (('{"Shoes": ["Brand", "Color", "Size"]}', 4), ('["Heel"]', 2)):
        attributes.write_text(content)
        command = ["eval", "--lookup", gold, gold, "--attributes", str(attributes), "--json"]
        assert main([*command, *FEW]) == 0
        micro = json.loads(capfd.readouterr().out)["strict"]["micro"]
        assert (micro["vc"], micro["nn"]) == (2, nn)


def test_what_it_cost(tmp_path, files, capfd):
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "steps": 3, "seconds": 0.5}
    lines = [{"id": i, "data": {}, "usage": usage} for i in "12"]
    predicted = str(write_lines(tmp_path / "o.jsonl", *lines))
    assert main(["eval", predicted, files[1], "--price-per-hour", "3.6", *FEW]) == 0
    out = capfd.readouterr().out
    assert "cost of 2 documents: 20 tokens read, 0 from the cache, 8 generated" in out
    assert "throughput: 2.00 documents a second or more; $0.5000 for 1000 documents or less" in out
    command = ["eval", predicted, files[1], "--price-per-hour", "3.6", "--wall-seconds", "0.2"]
    assert main([*command, *FEW]) == 0
    assert "throughput: 10.00 documents a second; $0.1000 for" in capfd.readouterr().out
    assert main([*command, "--json", *FEW]) == 0
    assert json.loads(capfd.readouterr().out)["throughput"]["dollars_per_1000"] == 0.1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["GOLD"], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        (["GOLD", "GOLD", "--lookup", "GOLD"], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        (["GOLD", "GOLD"], "neither 'data' nor 'error'"),
        (["OTHER", "GOLD"], "1 prediction for 2 documents, and the documents have no ids"),
        (["gone.jsonl", "GOLD"], "cannot be opened"),
        (["PRED", "GOLD", "--attributes", "gone.json"], "gone.json"),
        (["OTHER", "EMPTY"], "empty.jsonl has no rows"),
        (["PRED", "GOLD", "--calibration"], "has no confidences"),
        (["GOLD", "--lookup", "GOLD", "--calibration"], "--calibration needs PRED"),
        (["PRED", "GOLD", "--price-per-hour", "2"], "have no usage"),
        (["PRED", "GOLD", "--disagreements", "x"], "--disagreements needs a second file"),
        (["PRED", "GOLD", "--plot", "x.bmp"], "--plot x.bmp: the name must end in .svg, .png"),
        (["PRED", "--vs", "PRED", "--calibration"], "--calibration needs GOLD"),
        (["PRED", "--vs", "PRED", "--per-attribute"], "--per-attribute needs GOLD"),
    ],
)
def test_what_is_refused(arguments, says, tmp_path, files, capfd):
    paths = {
        "PRED": files[0],
        "GOLD": files[1],
        "OTHER": str(write_lines(tmp_path / "other.jsonl", {"id": "x", "data": {}})),
        "EMPTY": str(write_lines(tmp_path / "empty.jsonl")),
    }
    assert main(["eval", *(paths.get(argument, argument) for argument in arguments)]) == 2
    out, err = capfd.readouterr()
    assert says in err
    assert out == ""


@pytest.fixture
def three(tmp_path):
    """Three documents: the first file is right twice; the second never, and lacks one of them."""
    gold = [
        {"id": name, "gold": {"brand": brand, "color": None}}
        for name, brand in (("a", "N"), ("b", "P"), ("c", "R"))
    ]
    first = [
        {"id": "a", "data": {"brand": "N", "color": None}},
        {"id": "b", "data": {"brand": "P", "color": None}},
        {"id": "c", "data": {"brand": "x\ny", "color": None}},
    ]
    second = [
        {"id": "c", "data": {"brand": None, "color": "red"}},
        {"id": "a", "data": {"brand": "n", "color": None}},
    ]
    return {
        "gold": str(write_lines(tmp_path / "gold.jsonl", *gold)),
        "first": str(write_lines(tmp_path / "first.jsonl", *first)),
        "second": str(write_lines(tmp_path / "second.jsonl", *second)),
    }


def test_differences_agreement_and_disagreements(three, capfd):
    command = ["eval", three["first"], three["gold"], "--vs", three["second"], *FEW]
    assert main(command) == 0
    out, err = capfd.readouterr()
    rows = words(out)
    assert any(row.startswith("exact plain micro 66.67 0.00 +66.67") for row in rows)
    assert any("normalized plain micro 66.67 40.00 +26.67" in row for row in rows)
    assert any("exchanges; outcomes differ in 3 documents" in row for row in rows)
    assert "all fields 6 33.33% 50.00%" in rows
    assert "fields with a value in either 4 0.00% 25.00%" in rows
    assert "fields that differ: 4; all (--disagreements FILE writes all):" in rows
    assert 'a brand "N" "n" "N" right, wrong' in rows
    assert 'b brand "P" null "P" right, missed' in rows
    # What a value holds cannot break the table.
    assert 'c brand "x\\ny" null "R" wrong, missed' in rows
    assert "second.jsonl" in err
    assert "gold.jsonl:2 (id 'b')" in err


def test_json_and_the_file_of_disagreements(tmp_path, three, capfd):
    kept = tmp_path / "differ.jsonl"
    command = ["eval", three["first"], three["gold"], "--vs", three["second"], *FEW]
    assert main([*command, "--json", "--disagreements", str(kept)]) == 0
    versus = json.loads(capfd.readouterr().out)["versus"]
    assert versus["first"] == three["first"]
    assert versus["second_matching"]["missing"] == [{"id": "b", "line": 2}]
    assert versus["agreement"]["same"] == 33.33
    assert versus["n_disagreements"] == 4
    f1 = versus["differences"]["exact"]["plain"]["micro"]["f1"]
    assert (f1["first"], f1["second"]) == (66.6667, 0.0)
    # Of eight exchanges four leave F1 as far apart: none, c, a and b, all three.
    assert f1["p_value"] == pytest.approx(0.5, abs=0.15)
    assert set(versus["differences"]["normalized"]["strict"]["macro"]) == {
        "precision", "recall", "f1",
    }  # fmt: skip
    lines = read_lines(kept)
    assert len(lines) == 4
    assert lines[0] == {
        "id": "a", "line": 1, "attribute": "brand", "first": "N", "second": "n", "gold": ["N"],
        "first_outcome": "vc", "second_outcome": "vw", "same_normalized": True,
    }  # fmt: skip


def test_values_are_shown_as_they_are_unless_they_could_break_the_table(tmp_path, capfd):
    first = write_lines(tmp_path / "1.jsonl", {"id": 1, "data": {"a": "Café", "b": "x\u202ey"}})
    second = write_lines(tmp_path / "2.jsonl", {"id": 1, "data": {"a": "z" * 99}})
    assert main(["eval", str(first), "--vs", str(second)]) == 0
    rows = words(capfd.readouterr().out)
    assert f'1 a "Café" "{"z" * 32}...' in rows
    assert '1 b "x\\u202ey" null' in rows


def test_many_disagreements_are_cut_on_the_terminal(tmp_path, capfd):
    first = write_lines(tmp_path / "1.jsonl", *({"id": i, "data": {"a": i}} for i in range(50)))
    second = write_lines(tmp_path / "2.jsonl", *({"id": i, "data": {"a": -i}} for i in range(50)))
    kept = tmp_path / "differ.jsonl"
    assert main(["eval", str(first), "--vs", str(second), "--disagreements", str(kept)]) == 0
    rows = words(capfd.readouterr().out)
    assert "fields that differ: 49; the first 20 (--disagreements FILE writes all):" in rows
    assert "20 a 20 -20" in rows
    assert not any(row.startswith("21 a") for row in rows)
    assert len(read_lines(kept)) == 49


def test_agreement_without_gold(three, capfd):
    assert main(["eval", three["first"], "--vs", three["second"], "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert result["versus"]["agreement"]["n_fields"] == 6
    assert result["versus"]["differences"] == {}
    assert "plain" not in result
    assert result["scores"]["agreement"] == 33.33


# --- thresholds ---


@pytest.mark.parametrize(
    ("least", "missed"),
    [
        ("66.67", []),
        ("80", ["f1 is 66.67, 13.33 below 80"]),
        ("f1=60,strict_recall=66.67, macro_f1 = 10", []),
        ("f1=70,recall=70", ["f1 is 66.67, 3.33 below 70", "recall is 66.67, 3.33 below 70"]),
        ("agreement=30,normalized_agreement=50", []),
        ("agreement_filled=1", ["agreement_filled is 0.00, 1.00 below 1"]),
    ],
)
def test_fail_under(least, missed, three, capfd):
    command = ["eval", three["first"], three["gold"], "--vs", three["second"], *FEW]
    assert main([*command, "--fail-under", least]) == (1 if missed else 0)
    out, err = capfd.readouterr()
    assert out.startswith("3 documents")
    said = [line for line in err.splitlines() if "--fail-under" in line]
    assert said == [f"hpd: --fail-under: {line}" for line in missed]


@pytest.mark.parametrize(
    ("least", "says"),
    [
        ("f2=3", "unknown score 'f2'; known: precision, recall, f1, macro_precision"),
        ("f1", "'f1' is not a number"),
        ("", "'' is not a number"),
        ("f1=2,f1=3", "f1 is given twice"),
        ("f1=101", "from 0 to 100"),
        ("f1=nan", "from 0 to 100"),
    ],
)
def test_wrong_thresholds(least, says, capfd):
    assert main(["eval", "a", "b", "--fail-under", least]) == 2
    assert says in capfd.readouterr().err


def test_thresholds_of_what_is_not_computed(three, capfd):
    assert main(["eval", three["first"], three["gold"], "--fail-under", "agreement=3"]) == 2
    assert "--fail-under agreement needs a second file: --vs OTHER" in capfd.readouterr().err
    assert main(["eval", three["first"], "--vs", three["second"], "--fail-under", "3"]) == 2
    assert "--fail-under f1 needs GOLD" in capfd.readouterr().err
