"""The mean confidence of a box on texts that it was made for, and on others.

    PYTHONPATH=python:models python models/recipe/fitness.py [-m MODEL] [--layout LAYOUT]
        [--count N]

``hpd extract`` says so if the model in the box was probably not made for the documents of a run
(``hpd.cli.fitness``). This shows what that is worth: of each kind of text the mean, the 5th and
the 95th percentile of the documents, how many are below the bound, and the area under the ROC
curve, which is how often such a text has a lower mean than a generated listing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

import hpd
from hpd.cli.fitness import LEAST_MEAN, Fitness
from hpd.schema import load_schema
from hpd.schema.attributes import Schema
from recipe import held_out
from recipe.examples import Example
from recipe.trial_settings import trial_parser, trial_settings
from recipe.written import read_written

# Others than those to which the calibration was fitted.
SEED = 992_001
OF_A_LISTING = "brand, color, material, size, weight"
"""Attributes for texts that have no questions of their own."""
N_LINES = 12
"""Lines of a piece of source code or of a page."""
REPOSITORY = Path(__file__).parents[2]

Questions = Iterator[tuple[str, Schema]]


def generated(examples: Callable[[Random], Iterator[Example]]) -> Questions:
    """The first text of each example, with its own questions."""
    for example in examples(Random(SEED)):
        yield example.documents[0], Schema(tuple(example.schema))


def written() -> Questions:
    """The written documents, with their own questions."""
    documents = read_written()
    Random(SEED).shuffle(documents)
    for document in documents:
        yield document.text, load_schema(document.schema)


def pieces(pattern: str) -> Questions:
    """Pieces of this repository's files, asked what a listing is asked."""
    found = []
    for file in sorted(REPOSITORY.glob(pattern)):
        lines = file.read_text(encoding="utf-8").splitlines()
        starts = range(0, len(lines) - N_LINES, N_LINES)
        found += ["\n".join(lines[start : start + N_LINES]) for start in starts]
    Random(SEED).shuffle(found)
    for text in found:
        yield text[:1000], load_schema(OF_A_LISTING)


def means(
    extractor: hpd.Extractor[object], questions: Questions, count: int
) -> NDArray[np.float64]:
    """The mean confidence of each document that has enough fields; shape (documents,)."""
    found = []
    for text, schema in islice(questions, count):
        fitness = Fitness()
        fitness.add(extractor.extract(text, schema=schema))
        if fitness.mean is not None:
            found.append(fitness.mean)
    return np.array(found)


def area(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """The area under the ROC curve: how often a value of ``low`` is below one of ``high``."""
    below = low[:, None] < high[None, :]
    ties = low[:, None] == high[None, :]
    return float((below + 0.5 * ties).mean())


def main() -> None:
    """Print the table."""
    parser = trial_parser(__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="documents of a kind (default: 100)")
    asked = parser.parse_args()
    settings = trial_settings(asked)
    kinds = {
        "generated listings": generated(held_out.listings),
        "generated documents": generated(held_out.documents),
        "written documents": written(),
        "pages of hpd": pieces("docs/*.md"),
        "source code, Python": pieces("python/hpd/**/*.py"),
        "source code, C++": pieces("src/hpd_cpp/**/*.cpp"),
    }
    print(f"| | documents | mean | 5% | 95% | below {LEAST_MEAN} | area under the ROC curve |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    listings = np.empty(0)
    with hpd.Extractor("text", **settings) as extractor:
        for kind, questions in kinds.items():
            found = means(extractor, questions, asked.count)
            listings = listings if len(listings) else found
            low, high = np.percentile(found, [5, 95])
            separated = "" if found is listings else f"{area(found, listings):.3f}"
            print(
                f"| {kind} | {len(found)} | {found.mean():.2f} | {low:.2f} | {high:.2f} "
                f"| {np.mean(found < LEAST_MEAN):.0%} | {separated} |"
            )


if __name__ == "__main__":
    main()
