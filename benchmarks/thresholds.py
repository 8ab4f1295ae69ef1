"""Evaluates null thresholds and calibrations of a model on handwritten documents.

    PYTHONPATH=models python -m benchmarks.thresholds -m MODEL [-n N]

The documents were used neither for training nor for calibration. Prints two tables: the F1 at each
null threshold, without calibration; and the expected calibration error with the number of right
values among those with a confidence of at least 0.95, without calibration and, if ``hpd calibrate
-m MODEL`` has been run, with its calibration.
"""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Sequence

from hpd.bench.workload import spread
from hpd.evaluation.calibration import reliability
from hpd.evaluation.calibration_documents import scored_extractions
from hpd.evaluation.confidence_fit import calibrate_answer, f1_above
from hpd.messages import format_table
from hpd.models.calibrations import stored_calibration
from hpd.models.hardware import processor
from hpd.models.model_files import resolve_model
from hpd.options import Options
from recipe.calibration_documents import gold_document, is_for_calibration
from recipe.handwritten import kept_aside

_THRESHOLDS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7)
_SURE = 0.95


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-m", "--model", help="a GGUF file [default: the bundled model]")
    parser.add_argument("-n", type=int, default=60, help="number of documents [default: 60]")
    parser.add_argument("-t", "--threads", type=int, default=0, help="[default: chosen]")
    asked = parser.parse_args(arguments)
    documents = [each for each in kept_aside() if not is_for_calibration(each)]
    documents = [documents[i] for i in spread(len(documents), asked.n)]
    model = resolve_model(asked.model)
    gold = map(gold_document, documents)
    answers = scored_extractions(model, gold, Options(n_threads=asked.threads))
    scored = [field for _, fields in answers for field in fields]
    n_stated = sum(answer.is_stated for answer in scored)
    print(f"{model.name}, {len(documents)} documents that state {n_stated} values;", end=" ")
    print(f"{processor()}, {datetime.date.today().isoformat()}\n")
    rows = [["null threshold", "right", "wrong", "F1"]]
    for threshold in _THRESHOLDS:
        kept = [e.is_right for e in scored if not e.is_null and e.confidence >= threshold]
        f1 = f1_above(scored, threshold)
        rows.append([f"{threshold:g}", str(sum(kept)), str(len(kept) - sum(kept)), f"{f1:.1%}"])
    print(format_table(rows))
    calibration = stored_calibration(model)
    states = {"none": scored}
    if calibration is not None:
        states["of hpd calibrate"] = [calibrate_answer(each, calibration) for each in scored]
    rows = [["calibration", "error of values", "of nulls", f"values at {_SURE} and more", "right"]]
    for name, state in states.items():
        values = [each for each in state if not each.is_null]
        sure = [each.is_right for each in values if each.confidence >= _SURE]
        errors = [reliability(e).ece for e in (values, [e for e in state if e.is_null])]
        rows.append([name, *(f"{e:.3f}" for e in errors), str(len(sure)), str(sum(sure))])
    print(format_table(rows))
    if calibration is not None:
        threshold = calibration.null_threshold
        f1 = f1_above(states["of hpd calibrate"], threshold)
        print(f"F1 with its threshold of {threshold:g}: {f1:.1%}")


if __name__ == "__main__":
    main()
