"""The answers that ``hpd doctor`` compares its self-test with: ``python -m tools.self_test``.

Asks the bundled model the questions in ``python/hpd/bench/doctor/self_test.json`` and writes its
answers there. To be run when that model has changed, on a machine where the tests pass.
"""

from __future__ import annotations

import json
import sys

from hpd.bench.doctor import SELF_TEST_FILE, stored_questions
from hpd.bench.doctor_trial import answers_of
from hpd.models.model_files import bundled_model


def main() -> int:
    """Write the file again."""
    stored = stored_questions()
    answers = answers_of(bundled_model())["answers"]
    for question, answer in zip(stored["questions"], answers, strict=True):
        question.update(answer)
    SELF_TEST_FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(f"{SELF_TEST_FILE.name}: {len(answers)} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
