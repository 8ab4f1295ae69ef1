"""The metric once more, as plainly as it can be written: the oracle of its tests.

Lists of rows as they stand in a file, loops over them, and nothing shared with ``hpd.evaluation``.
"""

from decimal import Decimal

NO_VALUE = (None, "n/a", "None")
KINDS = ("nn", "nv", "vn", "vc", "vw")


def outcome(targets, answer):
    """One of nn, nv, vn, vc, vw, for one attribute of one row."""
    golds = [key.strip() for key in targets] if targets else ["n/a"]
    if golds[0] == "n/a":
        return "nn" if answer in NO_VALUE else "nv"
    if answer in NO_VALUE:
        return "vn"
    return "vc" if answer in golds else "vw"


def scores(outcomes):
    """Precision, recall and F1 in percent; the first two rounded before the third."""
    n_right = outcomes.count("vc")
    n_given = n_right + outcomes.count("vw") + outcomes.count("nv")
    n_gold = n_right + outcomes.count("vw") + outcomes.count("vn")
    precision = round(100 * n_right / n_given, 2) if n_given else 0.0
    recall = round(100 * n_right / n_gold, 2) if n_gold else 0.0
    if precision + recall == 0:
        return precision, recall, 0.0
    return precision, recall, round(2 * precision * recall / (precision + recall), 2)


def count(outcomes):
    """The number of each of ``KINDS``."""
    return tuple(outcomes.count(kind) for kind in KINDS)


def mean(percentages):
    """The mean of numbers with two places, to two places; added up in decimals, so exactly."""
    return round(float(sum(Decimal(str(each)) for each in percentages) / len(percentages)), 2)


def answers_by_row(rows, lines):
    """The prediction for each row; the second row with an id gets the second line with it."""
    answers = []
    for number, row in enumerate(rows):
        n_before = sum(other["id"] == row["id"] for other in rows[:number])
        own = [line for line in lines if line["id"] == row["id"]]
        answers.append(own[n_before].get("data") if n_before < len(own) else None)
    return answers


def evaluate(rows, lines, *, strict):
    """The outcomes of each category and attribute, micro and macro.

    With ``strict`` a row also counts for the attributes that only other rows of its category name.
    """
    cells = {}
    for row, answer in zip(rows, answers_by_row(rows, lines), strict=True):
        names = set(row["target_scores"])
        if strict:
            for other in rows:
                if other["category"] == row["category"]:
                    names |= set(other["target_scores"])
        for name in names:
            value = None if answer is None else answer.get(name)
            kind = outcome(row["target_scores"].get(name), value)
            cells.setdefault((row["category"], name), []).append(kind)
    together = [kind for cell in cells.values() for kind in cell]
    filled = [scores(cell) for cell in cells.values() if set(cell) != {"nn"}]
    return {
        "cells": {
            cell: tuple(kinds.count(kind) for kind in KINDS) for cell, kinds in cells.items()
        },
        "counts": tuple(together.count(kind) for kind in KINDS),
        "micro": scores(together),
        "macro": tuple(map(mean, zip(*filled, strict=True))) if filled else (0.0, 0.0, 0.0),
        "n_cells": len(filled),
    }
