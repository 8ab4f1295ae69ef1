"""Write the documents that ``hpd calibrate -m MODEL`` uses.

    PYTHONPATH=python:models python -m recipe.calibration_documents

They are every second of the short handwritten documents that are never trained on; the others
evaluate a calibration.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict

from hpd.evaluation.calibration_documents import DOCUMENTS_FILE, GoldDocument
from recipe.handwritten import Handwritten, kept_aside
from recipe.handwritten.export import line_of

N_DOCUMENTS = 120
MAX_LINE_BYTES = 1500


def is_for_calibration(document: Handwritten) -> bool:
    """Return whether a document may come with hpd, rather than be for tests."""
    return zlib.crc32(document.name[::-1].encode()) % 2 == 0


def gold_document(document: Handwritten) -> GoldDocument:
    """Return a handwritten document as ``hpd calibrate`` scores it."""
    return GoldDocument(document.name, document.text, document.schema, document.answer)


def chosen() -> list[Handwritten]:
    """Choose documents from all files in turn."""
    by_file = defaultdict(list)
    for document in kept_aside():
        names = {question.attributes[0].name for question in document.questions}
        is_plain = len(names) == len(document.questions)
        if is_plain and is_for_calibration(document) and len(_line(document)) < MAX_LINE_BYTES:
            by_file[document.name.partition("/")[0]].append(document)
    taken: list[Handwritten] = []
    while len(taken) < N_DOCUMENTS:
        taken += [documents.pop() for documents in by_file.values() if documents]
    return sorted(taken[:N_DOCUMENTS], key=lambda document: document.name)


def _line(document: Handwritten) -> bytes:
    fields = line_of(document)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    DOCUMENTS_FILE.write_bytes(b"".join(map(_line, chosen())))
    print(f"{DOCUMENTS_FILE.name}: {DOCUMENTS_FILE.stat().st_size} bytes")
