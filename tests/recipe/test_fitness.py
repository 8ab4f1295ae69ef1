"""The table that shows whether the mean confidence tells texts that the box was made for."""

from __future__ import annotations

import numpy as np
import pytest

from hpd.results import Extraction, FieldResult
from hpd.schema import load_schema
from recipe.fitness import N_LINES, REPOSITORY, area, means, pieces

THREE = load_schema("a, b, c")


class Sure:
    """An extractor whose confidence is what its document says."""

    def extract(self, text, schema):
        confidence = float(text)
        fields = {a.name: FieldResult(confidence) for a in schema.attributes}
        return Extraction(text, {}, fields=fields)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [([0.1, 0.2], [0.3, 0.9], 1.0), ([0.5], [0.5], 0.5), ([0.4, 0.8], [0.5, 0.7], 0.5)],
)
def test_the_area_is_how_often_the_first_is_lower(low, high, expected):
    assert area(np.array(low), np.array(high)) == pytest.approx(expected)
    assert area(np.array(high), np.array(low)) == pytest.approx(1 - expected)


def test_each_document_has_its_mean_and_too_few_fields_have_none():
    questions = [("0.5", THREE), ("0.9", load_schema("a")), ("0.25", THREE), ("0.75", THREE)]
    assert means(Sure(), iter(questions), 3) == pytest.approx([0.5, 0.25])


def test_pieces_are_lines_of_this_repository():
    text, schema = next(pieces("models/recipe/*.py"))
    files = (REPOSITORY / "models" / "recipe").glob("*.py")
    assert any(text in file.read_text(encoding="utf-8") for file in files)
    assert text.count("\n") < N_LINES
    assert len(schema.attributes) == 5
