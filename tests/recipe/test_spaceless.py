"""Short texts in languages that have no blanks between words."""

from collections import Counter
from random import Random

from recipe.spaceless import spaceless_row


def test_texts_have_each_value_as_it_is():
    seen = Counter()
    for seed in range(500):
        text, schema, answer = spaceless_row(Random(seed))
        assert [attribute.name for attribute in schema.attributes] == list(answer)
        assert any(value is not None for value in answer.values())
        for attribute in schema.attributes:
            value = answer[attribute.name]
            seen[attribute.type] += value is not None
            seen["null"] += value is None
            if attribute.type == "string" and value is not None:
                assert value in text
            elif attribute.type in ("integer", "number") and value is not None:
                assert str(value) in text.replace(",", "")
    assert min(seen[kind] for kind in ("string", "integer", "number", "date", "null")) > 50
