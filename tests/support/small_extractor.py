"""An extractor for tests, which may be given the answers to decode."""

from functools import partial

from hpd.bench.known_answers import KnownAnswers
from hpd.extractor import Extractor


def give_answers(extractor, known):
    """Have known answers decoded from here on, in place of the model's own."""
    pipeline = extractor._pipeline
    pipeline._compile_schema, pipeline._reuse = partial(KnownAnswers, known=known), None
    pipeline._makers.clear()


class SmallExtractor(Extractor):
    """One thread: a tiny model has no work for more, which would only wait for each other.

    A tiny model is never sure, so no value is too unlikely unless a test says otherwise.

    Every document is decoded, the second of two equal ones as well, unless a test says otherwise.

    ``answers`` are known answers by text, decoded in place of the model's own: all logits are
    computed as always, and only then is the known token taken.
    """

    def __init__(self, schema, model, *, answers=None, **settings):
        usual = {"n_threads": 1, "null_threshold": 0.0}
        if "cache" not in settings:
            usual["dedupe"] = False
        super().__init__(schema, model, **(usual | settings))
        if answers is not None:
            give_answers(self, answers.get)

    @property
    def native_model(self):
        """The loaded model."""
        assert self._pipeline._model is not None
        return self._pipeline._model

    def text_of(self, request):
        """The prompt of a request."""
        return b"".join(map(self.native_model.piece, request.prompt)).decode()

    @property
    def engine(self):
        """The engine, for settings that only tests make."""
        return self._pipeline._engine


def extracted(schema, model, texts, *, on_error="raise", **settings):
    """The extractions of some documents, by an extractor of their own."""
    with SmallExtractor(schema, model, **settings) as extractor:
        return list(extractor.extract_many(texts, on_error=on_error))
