"""A model that writes the right answer is believed, whatever its vocabulary is.

The model is scripted (``tests/support/scripted_model.py``), so nothing but hpd can make another
value of a right one. ``python tests/support/answer_matrix.py`` prints the table of what fails.
"""

import pytest

from answer_matrix import KINDS, cells, faults, sample, table
from hpd import _native
from tools.types_page import EXAMPLES
from tools.vocabularies import FOLDER_VARIABLE, GENERATING
from vocabulary_models import SMALL, models

N_CELLS = 120
"""Of each large vocabulary, other ones for each; of the small ones, all."""


def failing(path, name, some):
    """What is wrong in some cells, for people."""
    model = _native.Model([str(path)])
    try:
        found = faults(model, some)
    finally:
        model.close()
    shown = [f"{cell}: {what}" for cell, what in found]
    rows = table({name: [cell for cell, _ in found]}, {name: some})
    return "\n".join([*shown, rows]) if found else ""


@pytest.mark.parametrize("name", SMALL)
def test_right_answers_are_believed(name, tmp_path):
    assert failing(models(tmp_path)[name](), name, [*cells()]) == ""


@pytest.mark.parametrize("name", GENERATING)
def test_right_answers_are_believed_in_llama_cpps_vocabularies(name, tmp_path):
    made = models(tmp_path)
    if made.keys() == SMALL.keys():
        pytest.skip(f"{FOLDER_VARIABLE} is not set")
    assert failing(made[name](), name, sample(name, N_CELLS)) == ""


def test_every_type_is_asked():
    rows = {example.name for example in EXAMPLES} - {"optional", "required"}
    assert {kind.row for kind in KINDS} == rows
