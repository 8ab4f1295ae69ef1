"""A trial of a model: ``python -m hpd.bench.doctor_trial MODEL.gguf``.

``hpd doctor`` runs it in a process of its own, as llama.cpp may end that: on a processor for which
it was not built, or where memory is short. It prints one object of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from hpd import _native
from hpd.bench.doctor import stored_questions
from hpd.extractor import Extractor
from hpd.values.confidence import NO_CALIBRATION


def answers_of(model: Path) -> dict[str, Any]:
    """The answers of a model to the questions of the self-test, and how it came by them.

    Returns:
        ``answers``: the data of each text, with the confidences by dotted path; ``seconds``, which
        they took without the loading; ``tuned``, the settings that apply; ``n_attention_taken`` and
        ``n_attention_left``, the attention nodes that hpd's kernel took and left;
        ``attention_kernels``, those that this processor could run, the fastest first, each with
        the reason why it cannot be used, which is empty if it can.
    """
    stored = stored_questions()
    texts = [question["text"] for question in stored["questions"]]
    # What the model itself says, which a wrong kernel would change.
    with Extractor(stored["schema"], model, quiet=True, calibration=NO_CALIBRATION) as extractor:
        start = time.perf_counter()
        extractions = list(extractor.extract_many(texts))
        return {
            "answers": [
                {
                    "data": extraction.data,
                    "confidences": {
                        path: round(field.confidence or 0.0, 3)
                        for path, field in extraction.fields.items()
                    },
                }
                for extraction in extractions
            ],
            "seconds": time.perf_counter() - start,
            "tuned": extractor.tuned,
            "n_attention_taken": extractor.stats.n_attention_taken,
            "n_attention_left": extractor.stats.n_attention_left,
            "attention_kernels": _native.attention_problems(),
        }


def main(model: str) -> int:
    """Print what came of the trial."""
    print(json.dumps(answers_of(Path(model))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
