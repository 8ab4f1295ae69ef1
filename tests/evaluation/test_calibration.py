"""Confidence beside accuracy, against hand-made answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.cli import main
from hpd.evaluation.calibration import Answer, answers, calibrate, reliability
from hpd.evaluation.rows import Example
from hpd.evaluation.scores import Counts

found = st.lists(
    st.builds(Answer, st.floats(0, 1), st.sampled_from(["nn", "nv", "vn", "vc", "vw"])),
    max_size=40,
)


def test_bins_and_error() -> None:
    made = [Answer(0.95, "vc")] * 3 + [Answer(0.95, "vw"), Answer(0.15, "nv"), Answer(1.0, "vc")]
    table = reliability(made)
    assert [(b.low, b.high, b.n) for b in table.bins] == [(0.1, 0.2, 1), (0.9, 1.0, 5)]
    assert table.bins[1].accuracy == pytest.approx(0.8)
    assert table.bins[1].confidence == pytest.approx(0.96)
    assert table.ece == pytest.approx((5 * 0.16 + 1 * 0.15) / 6)


def test_a_threshold_makes_nulls_of_values() -> None:
    made = [Answer(0.2, "vw"), Answer(0.3, "nv"), Answer(0.9, "vc"), Answer(0.1, "nn")]
    rows = {row.threshold: row.counts for row in calibrate(made).thresholds}
    assert rows[0.0] == Counts(nn=1, nv=1, vc=1, vw=1)
    assert rows[0.3] == Counts(nn=1, nv=1, vn=1, vc=1)
    assert rows[0.5] == Counts(nn=2, vn=1, vc=1)
    assert rows[0.95] == Counts(nn=2, vn=2)


@given(found)
def test_nothing_is_lost(made: list[Answer]) -> None:
    table = calibrate(made)
    assert table.values.n + table.nulls.n == len(made)
    for kind in (table.values, table.nulls):
        assert sum(b.n for b in kind.bins) == kind.n
        assert 0 <= kind.ece <= 1
        assert all(b.low - 1e-9 <= b.confidence <= b.high + 1e-9 for b in kind.bins)
    for row in table.thresholds:
        counts = row.counts
        assert counts.nn + counts.nv + counts.vn + counts.vc + counts.vw == len(made)
    n_values = [row.counts.vc + row.counts.vw + row.counts.nv for row in table.thresholds]
    assert n_values == sorted(n_values, reverse=True)
    assert json.dumps(table.to_json())


def test_only_fields_with_gold_and_confidence_count() -> None:
    examples = [Example("1", "t", "c", {"a": ["x"], "b": None, "d": ["y"]}), Example("2", "t", "c")]
    made = answers(
        examples, [{"a": "x", "b": None, "e": 1}, None], [{"a": 0.9, "b": 0.8, "e": 1}, None]
    )
    assert made == [Answer(0.9, "vc"), Answer(0.8, "nn")]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predicted.jsonl"
    rows = [
        {"id": "1", "text": "Nike", "gold": {"brand": "Nike", "color": None}},
        {"id": "2", "text": "Puma", "gold": {"brand": "Puma", "color": "red"}},
    ]
    lines = [
        {"id": "2", "data": {"brand": "Pum", "color": None},
         "fields": {"brand": {"confidence": 0.3}, "color": {"confidence": 0.8}}},
        {"id": "1", "data": {"brand": "Nike", "color": None},
         "fields": {"brand": {"confidence": 0.92}, "color": {"confidence": 0.7}}},
    ]  # fmt: skip
    gold.write_text("\n".join(map(json.dumps, rows)))
    predicted.write_text("\n".join(map(json.dumps, lines)))
    return str(predicted), str(gold)


def test_on_the_command_line(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *files, "--calibration"]) == 0
    printed = capsys.readouterr().out
    assert "confidence of values" in printed
    assert "confidence of nulls" in printed
    assert "expected calibration error: 0.1900" in printed  # (0.3 + 0.08) / 2
    assert "--null-threshold" in printed
    assert main(["eval", *files, "--calibration", "--json"]) == 0
    calibration = json.loads(capsys.readouterr().out)["calibration"]
    assert calibration["values"]["n"] == 2
    assert calibration["nulls"]["bins"][0]["accuracy"] == 1.0
    assert main(["eval", *files, "--json"]) == 0
    assert "calibration" not in json.loads(capsys.readouterr().out)


def test_the_plot(files: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    image = tmp_path / "calibration.png"
    assert main(["eval", *files, "--plot", str(image)]) == 0
    assert image.read_bytes().startswith(b"\x89PNG")


def test_the_plot_without_matplotlib_says_what_to_install(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hpd.cli.eval.find_spec", lambda name: None)
    assert main(["eval", *files, "--plot", "x.png"]) == 2
    assert "pip install 'hpd-cpp[plot]'" in capsys.readouterr().err


def test_no_confidences_is_an_error(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id": "1", "data": {"brand": "Nike"}}')
    assert main(["eval", str(bare), files[1], "--calibration"]) == 2
    assert "tells no confidences" in capsys.readouterr().err
