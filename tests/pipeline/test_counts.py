"""An attribute that a user calls "count" is no list's count."""

import pytest

from hpd.options import Options
from hpd.pipeline.chunking import add_pass
from hpd.pipeline.document_values import DocumentValues, is_count
from hpd.prompt.questions import Leaf
from hpd.prompt.text import COUNT_KEY
from hpd.results import FieldValue
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from hpd.values.confidence import COUNT_KIND
from hpd.values.grounding import Grounder
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor

SCHEMA = load_schema("count int, pack {count int, size}, tags [str], lines [{count int, size}]")
OWN = [("count",), ("pack", "count"), ("lines", "1", "count")]
COUNTS = [("tags", COUNT_KEY), ("lines", COUNT_KEY)]


def test_a_count_is_what_a_list_has():
    assert [path for path in OWN + COUNTS if is_count(SCHEMA, path)] == COUNTS


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_the_threshold_is_for_it_as_well(tiny_model, method):
    def found(threshold):
        settings = {"method": method, "null_threshold": threshold, "max_tokens": 12, **EXACT}
        with SmallExtractor("count int?, size int?", tiny_model(seed=1), **settings) as extractor:
            return [each.data for each in extractor.extract_many(TEXTS)]

    assert any(data["count"] is not None for data in found(0.0))
    assert all(data["count"] is None for data in found(1.0))


def test_its_confidence_is_that_of_its_type():
    values = DocumentValues({path: FieldValue(0.5, raw="1", value=1) for path in OWN + COUNTS})
    kinds = []

    def note(kind, confidence, *, is_null=False):
        kinds.append(kind.split(" ")[0])
        return confidence

    values.calibrate(SCHEMA, note)
    assert kinds == ["integer"] * len(OWN) + [COUNT_KIND] * len(COUNTS)


def test_a_sibling_depends_on_none_of_that_name():
    near = FieldValue(0.5, raw="1", value=1, margin=0.01)
    values = DocumentValues({("pack", "count"): near, ("lines", COUNT_KEY): near})
    size = Attribute("size", "string")
    assert values.inherited_margin(Leaf(("pack", "size"), size)) is None
    assert values.inherited_margin(Leaf(("lines", "1", "size"), size)) == 0.01


def test_a_later_pass_fills_it():
    whole = DocumentValues({("count",): FieldValue(0.5, raw="null")})
    later = DocumentValues({("count",): FieldValue(0.5, raw="3", value=3)})
    add_pass(SCHEMA, whole, later)
    assert whole.fields["count",].value == 3


def test_it_is_grounded():
    values = DocumentValues({path: FieldValue(0.5, raw="3", value=3) for path in OWN + COUNTS})
    values.ground(SCHEMA, Grounder("3 pieces"), Options())
    assert {values.fields[path].match for path in OWN} == {"exact"}
    assert {values.fields[path].match for path in COUNTS} == {None}
