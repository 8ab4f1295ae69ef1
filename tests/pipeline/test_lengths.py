"""A text of a format is not much longer than its document: a model that writes on is cut soon."""

import pytest

from small_extractor import SmallExtractor as Extractor

MOST = 400


def schema_of(form):
    return {
        "type": "object",
        "properties": {"link": {"type": "string", "format": form}},
        "required": ["link"],
    }


@pytest.mark.parametrize("form", ["uri", "url", "email", "hostname"])
def test_a_value_without_support_is_cut_soon_and_says_so(model, first_requests, form):
    settings = {"max_tokens": MOST, "on_invalid": "record"}
    with Extractor(schema_of(form), model, **settings) as extractor:
        extraction = extractor.extract("A black desk lamp")
    (field,) = first_requests[-1].fields
    n_document = len(first_requests[-1].prompt) - first_requests[-1].n_instruction
    assert field.max_tokens <= 2 * n_document + 32 < MOST / 2
    assert extraction.usage.completion_tokens <= field.max_tokens
    assert extraction.data["link"] is None or extraction.fields["link"].error is None


@pytest.mark.parametrize("n", [1, 10, 60])
def test_a_long_value_that_the_document_states_comes_whole(model, n):
    link = "https://example.org/" + "/".join(f"part{i}" for i in range(n))
    text = f"See {link} for more."
    known = {text: {"link": link}}
    with Extractor(schema_of("uri"), model, answers=known, max_tokens=2 * MOST) as extractor:
        assert extractor.extract(text).data == {"link": link}
