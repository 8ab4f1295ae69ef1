"""Vocabularies that cannot write everything: said of the document, or of the model."""

import pytest

from decoding import open_model
from hpd import _native
from hpd._core import testing
from hpd.documents import Document
from hpd.errors import InputError, ModelLoadError
from small_extractor import SmallExtractor
from tiny_models import byte_characters

KINDS = ["llama-spm", "qwen3"]
"""llama.cpp throws where a byte is missing in the first, and drops the character in the other."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_character_that_cannot_be_written_is_named(tiny_model, kind):
    model = open_model(tiny_model(kind, without="ж"))
    for text in ("ж", "Nike жж Shoe", "日本 Café ж"):
        with pytest.raises(InputError, match=r"cannot write 'ж' \(U\+0436\): leave it out"):
            model.tokenize(text)


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_be_written_is_as_with_a_whole_vocabulary(tiny_model, kind):
    whole, lacking = open_model(tiny_model(kind)), open_model(tiny_model(kind, without="ж"))
    for text in ("", " ", "Nike  Shoe", "日本 Café 😀\n\tx", " leading", "<|im_end|>"):
        assert lacking.tokenize(text) == whole.tokenize(text)
        assert lacking.tokenize(text, True) == whole.tokenize(text, True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("missing", "name"), [("q", r"'q' \(U\+0071\)"), ("{", r"'\{'")])
def test_a_vocabulary_without_all_of_ascii_is_refused(tiny_model, kind, missing, name):
    with pytest.raises(ModelLoadError, match=f"cannot write {name}.* all of ASCII"):
        open_model(tiny_model(kind, without=missing))


def test_only_the_document_that_cannot_be_written_fails(tiny_model):
    documents = [
        Document("Nike Shoe", "a"),
        Document("Nike жук", "b"),
        Document("Diesel Shoe", "c"),
    ]
    path = tiny_model("llama-spm", without="ж")
    with SmallExtractor("Brand", path, stack=3, max_tokens=4) as extractor:
        extractions = list(extractor.extract_many(documents, on_error="record"))
        with pytest.raises(InputError, match=r"document 2 \(id b\): .*'ж'"):
            list(extractor.extract_many(documents))
    errors = {e.id: e.error and e.error.type for e in extractions}
    assert errors == {"a": None, "b": "InputError", "c": None}


def test_the_tokens_of_bytes_have_the_names_that_vocabularies_give_them():
    assert {b: testing.bpe_byte(b) for b in range(256)} == byte_characters()


def test_characters_are_shown_by_code_point():
    text = "aé€😀\n\u0085"
    shown = [testing.shown(c) for c in testing.characters(text)]
    assert shown == [
        *("'a' (U+0061)", "'é' (U+00E9)", "'€' (U+20AC)", "'😀' (U+1F600)"),
        *("U+000A", "U+0085"),
    ]


def test_a_model_of_the_vocabulary_alone_is_checked_too(tiny_model):
    options = _native.ModelOptions()
    options.vocab_only = True
    with pytest.raises(ModelLoadError, match="all of ASCII"):
        _native.Model([str(tiny_model("qwen3", without="q"))], options)
