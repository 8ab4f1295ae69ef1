"""Confidence beside accuracy, and ``hpd calibrate``."""

import json
import random
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.errors import OptionError
from hpd.evaluation import calibration_documents
from hpd.evaluation.calibration import (
    CoveragePoint,
    calibrate,
    coverage_curve,
    reliability,
    scored_answers,
)
from hpd.evaluation.confidence_fit import ScoredConfidence
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Counts
from hpd.extractor import Extractor
from hpd.models.cache import CacheWarning
from hpd.models.calibrations import store_calibration, stored_calibration
from hpd.models.model_files import bundled_model
from hpd.values.confidence import ANY_KIND, ConfidenceMap, read_map
from jsonl import read_lines, write_lines
from small_extractor import give_answers


def answer(confidence, outcome):
    is_right, is_stated = outcome in ("nn", "vc"), outcome in ("vc", "vn", "vw")
    return ScoredConfidence(0, ANY_KIND, confidence, outcome in ("nn", "vn"), is_right, is_stated)


def test_bins_and_error():
    made = [answer(0.95, "vc")] * 3 + [
        answer(0.95, "vw"),
        answer(0.15, "nv"),
        answer(1.0, "vc"),
    ]
    table = reliability(made)
    assert [(b.low, b.high, b.n) for b in table.bins] == [(0.1, 0.2, 1), (0.9, 1.0, 5)]
    assert table.bins[1].accuracy == pytest.approx(0.8)
    assert table.bins[1].confidence == pytest.approx(0.96)
    assert table.ece == pytest.approx((5 * 0.16 + 1 * 0.15) / 6)


def test_a_threshold_makes_nulls_of_values():
    made = [
        answer(0.2, "vw"),
        answer(0.3, "nv"),
        answer(0.9, "vc"),
        answer(0.1, "nn"),
    ]
    rows = calibrate(made).thresholds
    assert rows[0.0] == Counts(nn=1, nv=1, vc=1, vw=1)
    assert rows[0.3] == Counts(nn=1, nv=1, vn=1, vc=1)
    assert rows[0.5] == Counts(nn=2, vn=1, vc=1)
    assert rows[0.95] == Counts(nn=2, vn=2)


def test_only_fields_with_gold_and_confidence_count():
    examples = [Example("1", "t", "c", {"a": ["x"], "b": None, "d": ["y"]}), Example("2", "t", "c")]
    fields = {"a": {"confidence": 0.9}, "b": {"confidence": 0.8}, "e": {"confidence": 1}}
    first = Prediction("1", {"a": "x", "b": None, "e": 1}, fields)
    expected = [answer(0.9, "vc"), answer(0.8, "nn")]
    assert scored_answers(examples, [first, None]) == expected
    assert scored_answers(examples, [first, Prediction("2", None)]) == expected


def test_what_was_turned_into_null_counts_for_the_thresholds_alone():
    examples = [Example("1", "t", "c", {"a": ["x"], "b": None})]
    fields = {"a": {"confidence": 0.1, "raw": ' "y"'}, "b": {"confidence": 0.8}}
    made = scored_answers(examples, [Prediction("1", {"a": None, "b": None}, fields)])
    assert [answer.was_nulled for answer in made] == [True, False]
    table = calibrate(made)
    assert [own.n for own in table.by_kind["nulls"]] == [1, 1]
    assert table.by_kind["values"][0].n == 0
    assert table.thresholds[0.0] == Counts(nn=1, vn=1)


# --- precision against coverage ---


def test_the_curve_takes_in_the_most_likely_values_first():
    made = [
        answer(0.9, "vc"),
        answer(0.5, "vw"),
        answer(0.7, "vc"),
        answer(0.5, "vc"),
    ]
    made += [answer(0.99, "nn"), answer(0.2, "vn")]  # nulls, which do not count
    assert coverage_curve(made) == [
        CoveragePoint(0.9, 0.25, 1.0), CoveragePoint(0.7, 0.5, 1.0), CoveragePoint(0.5, 1.0, 0.75),
    ]  # fmt: skip
    assert coverage_curve([]) == []


N_DOCUMENTS = 400
SCHEMA = "brand, price float"


@pytest.fixture
def files(tmp_path):
    """Values that are right half as often as they say, and nulls that are always right."""
    chance = random.Random(1)
    gold, predicted = [], []
    for n in range(N_DOCUMENTS):
        confidence, price = round(chance.random(), 3), round(chance.random(), 3)
        is_right, is_price = (chance.random() < p / 2 for p in (confidence, price))
        gold.append({"id": n, "gold": {"brand": "a", "price": 1 if is_price else None, "x": None}})
        predicted.append(
            {
                "id": n,
                "data": {"brand": "a" if is_right else "b", "price": 1, "x": None, "tags": ["a"]},
                "fields": {
                    "brand": {"confidence": confidence},
                    "price": {"confidence": price},
                    "x": {"confidence": 0.5},
                    "tags": {"confidence": 0.9},
                },
            }
        )
    return (
        str(write_lines(tmp_path / "predicted.jsonl", *predicted)),
        str(write_lines(tmp_path / "gold.jsonl", *gold)),
    )


def test_the_file_maps_each_type_and_the_errors_are_printed(files, tmp_path, capsys):
    output = tmp_path / "calibration.json"
    command = ["calibrate", *files, "--schema", SCHEMA + ", x", "-o", str(output)]
    assert main([*command, "--json"]) == 0
    errors = {row["answers"]: row for row in json.loads(capsys.readouterr().out)}
    assert [*errors] == ["values", "values of type number", "values of type string",
                         "nulls", "nulls of type string"]  # fmt: skip
    assert errors["values"]["n"] == 2 * N_DOCUMENTS
    assert errors["values"]["without"] == pytest.approx(0.25, abs=0.05)
    assert errors["values"]["with"] < 0.06
    fitted = read_map(output)
    assert fitted("string", 0.8, is_null=False) == pytest.approx(0.4, abs=0.12)
    assert fitted("string", 0.5, is_null=True) > 0.95
    assert {*fitted.values} == {"any", "number", "string"}

    assert main(command) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main([*command, "--overwrite"]) == 0
    assert "values of type number" in capsys.readouterr().out


def test_a_null_threshold_is_kept_in_the_file(files, tmp_path, capsys):
    output = tmp_path / "calibration.json"
    command = ["calibrate", *files, "-o", str(output), "--overwrite"]
    assert main(command) == 0
    assert read_map(output).null_threshold == 0
    assert main([*command, "--null-threshold", "0.4"]) == 0
    assert read_map(output).null_threshold == 0.4
    capsys.readouterr()
    # A quarter of the values are right, and no value more often than every other time.
    assert main([*command, "--null-threshold", "best"]) == 0
    assert 0.1 < read_map(output).null_threshold < 0.3
    says = f"null threshold with the highest F1: {read_map(output).null_threshold:g}"
    assert says in capsys.readouterr().err
    assert main([*command, "--null-threshold", "1.5"]) == 2
    assert "1.5 is above 1" in capsys.readouterr().err


def test_what_was_turned_into_null_is_left_out_and_counted(files, tmp_path, capsys):
    lines = read_lines(Path(files[0]).read_text())
    for line in lines[:5]:
        line["data"]["brand"] = None
        line["fields"]["brand"] = {"confidence": 0.01, "raw": ' "b"'}
    nulled = write_lines(tmp_path / "nulled.jsonl", *lines)
    output = tmp_path / "calibration.json"
    assert main(["calibrate", str(nulled), files[1], "-o", str(output), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)[0]["n"] == 2 * N_DOCUMENTS - 5
    assert "5 values of" in printed.err
    assert "--null-threshold 0" in printed.err


def test_what_is_read_is_not_replaced(files, capsys):
    assert main(["calibrate", *files, "-o", files[1], "--overwrite"]) == 2
    assert "is read in this run" in capsys.readouterr().err


def test_lines_without_confidence_are_refused(files, tmp_path, capsys):
    bare = write_lines(tmp_path / "bare.jsonl", {"id": "1", "data": {"brand": "a"}})
    assert main(["calibrate", str(bare), files[1], "-o", str(tmp_path / "c.json")]) == 2
    assert "has no confidences" in capsys.readouterr().err


def test_eval_shows_the_error_before_and_after(files, tmp_path, capsys):
    assert main(["eval", *files, "--calibration", "--resamples", "100"]) == 0
    assert "cross-validated in five parts" in capsys.readouterr().out
    assert main(["eval", *files, "--json", "--resamples", "100"]) == 0
    found = json.loads(capsys.readouterr().out)["calibration"]
    assert found["counterpart"]["is_calibrated"]
    assert found["counterpart"]["values"]["ece"] < 0.07 < 0.2 < found["values"]["ece"]

    # What was calibrated as it was extracted is held against what the model said.
    lines = read_lines(Path(files[0]).read_text())
    for line in lines:
        for field in line["fields"].values():
            field["uncalibrated"] = field["confidence"]
            field["confidence"] /= 2
    calibrated = str(write_lines(tmp_path / "calibrated.jsonl", *lines))
    assert main(["eval", calibrated, files[1], "--json", "--resamples", "100"]) == 0
    found = json.loads(capsys.readouterr().out)["calibration"]
    assert not found["counterpart"]["is_calibrated"]
    assert found["values"]["ece"] < 0.07 < 0.2 < found["counterpart"]["values"]["ece"]
    assert main(["eval", calibrated, files[1], "--calibration", "--resamples", "100"]) == 0
    assert "before calibration" in capsys.readouterr().out
    # And it is fitted to what the model said, once more.
    again, first = (tmp_path / name for name in ("again.json", "first.json"))
    for predicted, output in ((calibrated, again), (files[0], first)):
        assert main(["calibrate", predicted, files[1], "-o", str(output)]) == 0
    assert again.read_text() == first.read_text()


# --- hpd extract ----------------------------------------------------------------------------------

TITLES = ("Nike Air Zoom Pegasus, black, 44", "Luma T-Shirt, white, XL", "no such thing")
HALVED = {
    "form": 1,
    "values": {"any": [[0, 0], [1, 0.5]], "enum": [[0, 0.25], [1, 0.25]]},
    "nulls": {"any": [[0, 1], [1, 1]]},
}
FIELDS = "brand, color [black|white|red], size"


@pytest.fixture
def halved(tmp_path):
    path = tmp_path / "halved.json"
    path.write_text(json.dumps(HALVED))
    return path


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_the_confidence_is_mapped_and_that_of_the_model_kept(halved, method):
    with Extractor(FIELDS, calibration="none", method=method) as extractor:
        plain = [*extractor.extract_many(TITLES)]
    with Extractor(FIELDS, calibration=str(halved), method=method) as extractor:
        mapped = [*extractor.extract_many(TITLES)]
    for before, after in zip(plain, mapped, strict=True):
        assert after.data == before.data
        for name, field in before.fields.items():
            assert field.uncalibrated is None
            assert "uncalibrated" not in field.to_dict()
            other = after.fields[name]
            assert other.uncalibrated == pytest.approx(field.confidence, rel=1e-3)
            assert other.uncalibrated is not None
            expected = other.uncalibrated / 2
            if field.value is None and not field.nulled:
                expected = 1.0
            elif name == "color":
                expected = 0.25
            assert other.confidence == pytest.approx(expected)
            assert {"confidence", "uncalibrated"} <= {*other.to_dict()}


def test_a_threshold_is_one_of_calibrated_confidence(halved):
    """No value can be likelier than one half here, and no choice likelier than a quarter."""
    for threshold, is_kept in ((0.2, True), (0.3, False)):
        with Extractor(FIELDS, calibration=str(halved), null_threshold=threshold) as extractor:
            extraction = extractor.extract(TITLES[1])
        assert (extraction.data["color"] is not None) == is_kept
    with Extractor("brand", calibration=str(halved), null_threshold=0.51) as extractor:
        extraction = extractor.extract(TITLES[0])
    assert extraction.data["brand"] is None
    assert extraction.fields["brand"].nulled


def test_the_threshold_of_a_calibration_holds_unless_another_is_asked_for(halved):
    halved.write_text(json.dumps({**HALVED, "null_threshold": 0.51}))
    needed = {"type": "object", "required": ["brand"], "properties": {"brand": {"type": "string"}}}
    with Extractor("brand, size", calibration=str(halved)) as extractor:
        extraction = extractor.extract(TITLES[0])
        assert extraction.data["brand"] is None
        assert extraction.fields["brand"].nulled
        assert extraction.fields["brand"].error is None
        # What must be there is there, unless a user asks for more.
        assert extractor.extract(TITLES[0], schema=needed).data["brand"] == "Nike"
    with Extractor("brand, size", calibration=str(halved), null_threshold=0) as extractor:
        assert extractor.extract(TITLES[0]).data["brand"] == "Nike"
    settings = {"null_threshold": 0.51, "on_invalid": "record"}
    with Extractor(needed, calibration=str(halved), **settings) as extractor:
        refused = extractor.extract(TITLES[0])
    assert "less likely than 0.51" in str(refused.fields["brand"].error)


def test_known_answers_are_not_held_against_a_threshold(halved):
    halved.write_text(json.dumps({**HALVED, "null_threshold": 1}))
    known = {"brand": "Nike", "size": "44"}
    with Extractor("brand, size", calibration=str(halved)) as extractor:
        give_answers(extractor, lambda text: known)
        assert extractor.extract(TITLES[0]).data == known


def test_a_file_that_is_no_calibration_is_refused_before_a_model_is_loaded(tmp_path, capsys):
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    with pytest.raises(OptionError, match="calibration"):
        Extractor("brand", model=tmp_path / "missing.gguf", calibration=str(bad))
    texts = write_lines(tmp_path / "in.jsonl", {"text": "a"})
    for path, reason in ((bad, "hpd calibrate"), (tmp_path / "none.json", "No such file")):
        command = ["extract", str(texts), "--schema", "brand", "--calibration", str(path)]
        assert main([*command, "-m", str(tmp_path / "missing.gguf")]) == 2
        assert reason in capsys.readouterr().err


def test_another_calibration_is_another_run(halved, tmp_path, capsys):
    texts = str(write_lines(tmp_path / "in.jsonl", {"text": TITLES[0]}, {"text": TITLES[1]}))
    output = str(tmp_path / "out.jsonl")
    command = ["extract", texts, "--schema", FIELDS, "-o", output, "--calibration", str(halved)]
    assert main([*command, "--quiet", "--limit", "1"]) == 0
    assert main([*command, "--quiet", "--limit", "1", "--resume"]) == 0
    halved.write_text(json.dumps({**HALVED, "values": {"any": [[0, 0], [1, 0.9]]}}))
    capsys.readouterr()
    assert main([*command, "--quiet", "--resume"]) == 2
    assert "--calibration" in capsys.readouterr().err


@pytest.fixture
def own_documents(tmp_path, monkeypatch):
    """A few documents in place of those that come with hpd, and an empty cache."""
    lines = [
        {"id": f"t/{n}", "text": text, "schema": {"type": "object", "properties": {"brand": {
            "type": ["string", "null"]}, "voltage": {"type": ["integer", "null"]}}},
            "gold": {"brand": "Nike" if "Nike" in text else None, "voltage": None}}
        for n, text in enumerate([*TITLES, "a plain table", "two chairs", "a lamp"])
    ]  # fmt: skip
    monkeypatch.setattr(
        calibration_documents, "DOCUMENTS_FILE", write_lines(tmp_path / "documents.jsonl", *lines)
    )
    monkeypatch.setenv("HPD_CACHE", str(tmp_path / "cache"))
    calibration_documents.gold_documents.cache_clear()
    yield
    calibration_documents.gold_documents.cache_clear()


def test_a_model_is_calibrated_on_the_documents_that_come_with_hpd(own_documents, capsys):
    model = bundled_model()
    assert main(["calibrate", "-m", str(model), "--null-threshold", "0.25", "--json"]) == 0
    said = capsys.readouterr()
    assert {"values", "nulls"} <= {line["answers"] for line in json.loads(said.out)}
    assert "used from now on" in said.err
    stored = stored_calibration(model)
    assert stored is not None
    assert stored.null_threshold == 0.25
    with Extractor("brand", model) as extractor:
        field = extractor.extract("Brand: Luma").fields["brand"]
    assert field.confidence == pytest.approx(stored("string", field.uncalibrated, is_null=False))
    with Extractor("brand", model, calibration="none") as extractor:
        assert extractor.extract("Brand: Luma").fields["brand"].uncalibrated is None


def test_a_run_is_not_resumed_after_its_model_was_calibrated(own_documents, tmp_path, capsys):
    source = write_lines(tmp_path / "in.jsonl", {"text": TITLES[0]})
    model, output = bundled_model(), tmp_path / "out.jsonl"
    run = ["extract", str(source), "--schema", "brand", "-m", str(model), "-o", str(output)]
    assert main(run) == 0
    assert main([*run, "--resume"]) == 0
    store_calibration(model, ConfidenceMap())
    capsys.readouterr()
    assert main([*run, "--resume"]) != 0
    assert "calibration" in capsys.readouterr().err


def test_a_calibration_that_cannot_be_read_is_left_out(own_documents):
    model = bundled_model()
    store_calibration(model, ConfidenceMap()).write_text("{")
    with pytest.warns(CacheWarning, match="delete it, or run hpd calibrate"):
        assert stored_calibration(model) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either -m MODEL"),
        (["one.jsonl"], "give either -m MODEL"),
        (["one.jsonl", "-m", "x"], "PRED does nothing with -m"),
        (["-m", "x", "--schema", "a"], "--schema does nothing with -m"),
        (["-m", "x", "--overwrite"], "--overwrite does nothing without -o"),
        (["one.jsonl", "two.jsonl", "-t", "2"], "--threads does nothing without -m"),
    ],
)
def test_arguments_of_the_two_ways_do_not_mix(arguments, said, capsys):
    assert main(["calibrate", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_documents_that_come_with_hpd_can_be_read():
    found = calibration_documents.gold_documents()
    assert len(found) >= 100
    for document in found:
        assert {*document.answer} == {attribute.name for attribute in document.schema}
