"""Updates the expected answers of ``hpd doctor``'s self-test: ``python -m tools.self_test``.

Writes the bundled model's answers to the questions in ``python/hpd/bench/self_test.json``.
Run it after that model has changed, on a machine where the tests pass.
"""

from __future__ import annotations

import json

from hpd.bench.doctor import SELF_TEST_FILE, answers_of, stored_questions
from hpd.models.model_files import bundled_model


def main() -> None:
    """Update the file."""
    stored = stored_questions()
    answers = answers_of(bundled_model())["answers"]
    for question, answer in zip(stored["questions"], answers, strict=True):
        question.update(answer)
    SELF_TEST_FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(f"{SELF_TEST_FILE.name}: {len(answers)} answers")


if __name__ == "__main__":
    main()
