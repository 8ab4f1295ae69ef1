"""An extractor for tests, which may be given the answers to decode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpd import _native
from hpd.documents import Document
from hpd.extractor import Extractor
from hpd.pipeline.long_documents import Replay


class SmallExtractor(Extractor):
    """One thread: a tiny model has no work for more, which would only wait for each other.

    ``answers`` are known answers by text, decoded in place of the model's own: all logits are
    computed as always, and only then is the known token taken.
    """

    def __init__(
        self,
        schema: object,
        model: object,
        *,
        answers: Mapping[str, Mapping[str, Any]] | None = None,
        **settings: Any,
    ) -> None:
        def replay(document: Document) -> Mapping[str, Any] | None:
            return None if answers is None else answers.get(document.text)

        settings = {"n_threads": 1, "replay": Replay(replay)} | settings
        super().__init__(schema, model, **settings)  # type: ignore[arg-type]

    @property
    def native_model(self) -> _native.Model:
        """The loaded model."""
        assert self._pipeline._model is not None
        return self._pipeline._model

    @property
    def engine(self) -> _native.Engine:
        """The engine, for settings that only tests make."""
        return self._pipeline._engine
