"""Check the handwritten wordings: ``python -m recipe.documents.check [FOLDER or FILE ...]``.

Every wording is rendered with many seeds, its golds are looked for in its text, and wordings that
are too much alike are named. Without arguments, all kinds are checked.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from recipe.documents.asking import Ask
from recipe.documents.golds import GoldError, gold
from recipe.documents.kind import FOLDER, Kind, kind_names, load_kind
from recipe.documents.rendering import Rendered, render
from recipe.documents.wording import Wording, WordingError
from recipe.facts.fact import UNCLEAR

N_SEEDS = 20
N_WANTED = 150
ALIKE = 0.5
"""The share of its runs of four words that a wording may have in common with another one."""


def problems_of(kind: Kind, wording: Wording, n_seeds: int = N_SEEDS) -> Iterator[str]:
    """Complaints about one wording, each with its file and line."""
    most = 0
    for seed in range(n_seeds):
        try:
            rendered = render(wording, kind, Random(seed))
            golds = {path: gold(ask, path, rendered.states) for path, ask in kind.asked.items()
                     if ask.sort != "group"}  # fmt: skip
        except WordingError as error:
            yield str(error)
            return
        except GoldError as error:
            yield str(wording.error(error))
            return
        if len(rendered.text) < 8:
            yield str(wording.error("the text is nearly empty"))
            return
        for path, value in _texts(kind.asked, golds):
            if value not in rendered.text and " ".join(value.split()) not in " ".join(
                rendered.text.split()
            ):
                yield str(wording.error(f"{path}: the text does not hold {value!r}"))
                return
        most = max(most, sum(value not in (None, []) and value is not UNCLEAR
                             for value in golds.values()))  # fmt: skip
    if most < 2:
        yield str(wording.error("fewer than two facts are stated"))


def _texts(asked: Mapping[str, Ask], golds: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, value in golds.items():
        ask = asked[path]
        if value is None or value is UNCLEAR:
            continue
        if ask.sort == "text":
            yield path, value
        elif ask.sort == "texts":
            yield from ((path, item) for item in value)
        elif ask.sort == "objects":
            for item in value:
                yield from _texts(ask.parts, item)


def runs(wording: Wording) -> frozenset[tuple[str, ...]]:
    """The runs of four words of the handwritten text, without its slots."""
    body = re.sub(r"\[\[[a-z_0-9.]+(=[^|\[\]]+)?\|(.*?)\]\]", r"\2", wording.body, flags=re.S)
    body = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " § ", body, flags=re.S)
    words = re.findall(r"§|\w+", body.lower())
    runs = {tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3))}
    return frozenset(run for run in runs if run.count("§") < 2) or frozenset(runs)


def alike(wordings: Sequence[Wording]) -> Iterator[str]:
    """Pairs of wordings that have too many runs of words in common."""
    all_runs = [runs(wording) for wording in wordings]
    where: dict[tuple[str, ...], list[int]] = {}
    for number, own in enumerate(all_runs):
        shared = Counter(other for run in own for other in where.get(run, ()))
        for other, n_shared in shared.items():
            if n_shared > ALIKE * min(len(own), len(all_runs[other])) and n_shared > 1:
                before = wordings[other]
                yield str(
                    wordings[number].error(
                        f"{n_shared} of its {len(own)} runs of four words stand in "
                        f"{before.file.name}:{before.line} as well"
                    )
                )
        for run in own:
            where.setdefault(run, []).append(number)


def show(wording: Wording, rendered: Rendered, kind: Kind) -> None:
    """Print a rendered wording and its golds, for reading."""
    print(f"----- {wording.file.name}:{wording.line}")
    print(rendered.text)
    print("-----")
    for path, ask in kind.asked.items():
        if ask.sort != "group":
            value = gold(ask, path, rendered.states)
            if value is not None and value != []:
                print(f"  {path} = {value!r}")


def main(arguments: Sequence[str]) -> int:
    """Check the files or kinds that are named; with ``--show``, print each wording once."""
    shown = "--show" in arguments
    paths = [Path(argument).resolve() for argument in arguments if not argument.startswith("-")]
    names = sorted({path.name if path.is_dir() else path.parent.name for path in paths})
    unknown = set(names) - set(kind_names())
    if unknown:
        print(f"no such kind (a folder with facts.py) in {FOLDER}: {', '.join(unknown)}")
        return 2
    n_problems = 0
    for name in names or kind_names():
        try:
            kind = load_kind(name)
        except WordingError as error:
            print(error)
            n_problems += 1
            continue
        files = {path for path in paths if path.is_file() and path.suffix == ".txt"}
        wanted = [
            wording for wording in kind.wordings if not files or wording.file.resolve() in files
        ]
        problems = [problem for wording in wanted for problem in problems_of(kind, wording)]
        problems += alike(kind.wordings)
        print(*problems, sep="\n", end="\n" if problems else "")
        n_problems += len(problems)
        if shown and not problems:
            for number, wording in enumerate(wanted):
                show(wording, render(wording, kind, Random(number)), kind)
        languages = Counter(wording.language for wording in kind.wordings)
        print(
            f"{name}: {len(kind.wordings)} of {N_WANTED} wordings ("
            + ", ".join(f"{language} {n}" for language, n in languages.most_common())
            + f"), {len(problems)} problems"
        )
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
