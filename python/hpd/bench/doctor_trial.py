"""A trial of a model: ``python -m hpd.bench.doctor_trial MODEL.gguf``.

``hpd doctor`` runs it in a separate process, as llama.cpp may crash on a processor for which it was
not built, or if memory is short. It prints a JSON object.
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
    """Answer the questions of the self-test with a model.

    Returns:
        ``answers``: the data of each text, with confidences by dotted path; ``seconds``, without
        loading; ``tuned``, the settings that apply; ``n_attention_taken`` and
        ``n_attention_left``, attention nodes computed by hpd's kernel and by llama.cpp;
        ``attention_kernels``, those for this processor, fastest first, each with the reason why
        it cannot be used, or an empty text.
    """
    stored = stored_questions()
    texts = [question["text"] for question in stored["questions"]]
    # Uncalibrated, because a wrong kernel shows in the model's own confidence.
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
    print(json.dumps(answers_of(Path(model))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
