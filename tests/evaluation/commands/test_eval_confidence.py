"""``hpd eval --calibration`` and ``--plot``."""

import json

import pytest

from hpd.cli import main
from jsonl import write_lines

FEW = ("--resamples", "100")


@pytest.fixture
def files(tmp_path):
    gold = write_lines(
        tmp_path / "gold.jsonl",
        {"id": "1", "text": "Nike", "gold": {"brand": "Nike", "color": None}},
        {"id": "2", "text": "Puma", "gold": {"brand": "Puma", "color": "red"}},
    )
    predicted = write_lines(
        tmp_path / "predicted.jsonl",
        {"id": "2", "data": {"brand": "Pum", "color": None},
         "fields": {"brand": {"confidence": 0.3}, "color": {"confidence": 0.8}}},
        {"id": "1", "data": {"brand": "Nike", "color": None},
         "fields": {"brand": {"confidence": 0.92}, "color": {"confidence": 0.7}}},
    )  # fmt: skip
    return str(predicted), str(gold)


def test_calibration(files, capsys):
    assert main(["eval", *files, "--calibration", *FEW]) == 0
    printed = capsys.readouterr().out
    assert "confidence of values" in printed
    assert "confidence of nulls" in printed
    assert "expected calibration error: 0.1900" in printed  # (0.3 + 0.08) / 2
    assert "--null-threshold" in printed
    assert main(["eval", *files, *FEW]) == 0
    assert "--null-threshold" not in capsys.readouterr().out


def test_json_has_calibration_and_coverage(files, capsys):
    assert main(["eval", *files, "--json", *FEW]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["calibration"]["values"]["n"] == 2
    assert result["calibration"]["nulls"]["bins"][0]["accuracy"] == 1.0
    assert result["coverage"] == [
        {"threshold": 0.92, "coverage": 0.5, "precision": 1.0},
        {"threshold": 0.3, "coverage": 1.0, "precision": 0.5},
    ]


@pytest.mark.parametrize(("extension", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_plot(files, tmp_path, extension, begins):
    pytest.importorskip("matplotlib")
    image = tmp_path / f"plot.{extension}"
    assert main(["eval", *files, "--plot", str(image), *FEW]) == 0
    first = image.read_bytes()
    assert first.startswith(begins)
    # Two files side by side make another picture, and the same call the same one.
    other = write_lines(tmp_path / "other.jsonl", {"id": "1", "data": {"brand": "x"}})
    assert main(["eval", *files, "--vs", str(other), "--plot", str(image), *FEW]) == 0
    assert image.read_bytes() != first
    assert main(["eval", *files, "--plot", str(image), *FEW]) == 0
    assert image.read_bytes() == first


def test_what_the_plot_shows(files, tmp_path):
    pytest.importorskip("matplotlib")
    import matplotlib as mpl

    image = tmp_path / "plot.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        assert main(["eval", *files, "--plot", str(image), *FEW]) == 0
        text = image.read_text()
        for shown in ("brand (2)", "color (1)", "95% interval", "values: 2", "coverage: share"):
            assert shown in text
        bare = write_lines(tmp_path / "bare.jsonl", {"id": "1", "data": {"brand": "Nike"}})
        assert main(["eval", str(bare), files[1], "--plot", str(image), *FEW]) == 0
        text = image.read_text()
        assert "brand (2)" in text
        assert "coverage" not in text


def test_the_plot_without_matplotlib_says_what_to_install(files, monkeypatch, capsys):
    monkeypatch.setattr("hpd.extras.find_spec", lambda name: None)
    assert main(["eval", *files, "--plot", "x.png"]) == 2
    assert "[plot]" in capsys.readouterr().err
