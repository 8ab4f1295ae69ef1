"""An extractor for tests, which may be given the answers to decode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hpd import _native
from hpd.documents import Document
from hpd.extractor import Extractor
from hpd.pipeline.long_documents import Replay


def replay_answers(
    extractor: Extractor[Any], answer: Callable[[Document], Mapping[str, Any] | None]
) -> None:
    """Have known answers decoded from here on, in place of the model's own."""
    pipeline = extractor._pipeline
    pipeline._replay, pipeline._reuse = Replay(answer), None
    pipeline._makers.clear()


class SmallExtractor(Extractor):
    """One thread: a tiny model has no work for more, which would only wait for each other.

    Every document is decoded, the second of two equal ones as well, unless a test says otherwise.

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
            return (answers or {}).get(document.text)

        usual: dict[str, Any] = {"n_threads": 1}
        if "cache" not in settings:
            usual["dedupe"] = False
        super().__init__(schema, model, **(usual | settings))  # type: ignore[arg-type]
        if answers is not None:
            replay_answers(self, replay)

    @property
    def native_model(self) -> _native.Model:
        """The loaded model."""
        assert self._pipeline._model is not None
        return self._pipeline._model

    @property
    def engine(self) -> _native.Engine:
        """The engine, for settings that only tests make."""
        return self._pipeline._engine
