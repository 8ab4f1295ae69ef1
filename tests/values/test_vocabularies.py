"""A model that writes the right answer is believed, whatever its vocabulary is.

The model is scripted (``tests/support/scripted_model.py``), so nothing but hpd can make another
value of a right one. ``python tests/support/answer_matrix.py`` prints the table of what fails.
"""

import os

import pytest

from answer_matrix import KINDS, cells, faults, sample, share, table
from decoding import engine_options
from hpd import _native
from hpd._core import testing
from scripted_model import Script
from tools.types_page import EXAMPLES
from tools.vocabularies import FOLDER_VARIABLE, GENERATING
from vocabulary_models import SMALL, models

N_CELLS = 40
"""Of each large vocabulary, other ones for each."""


def check(path, name, some):
    """Ask some cells of a model; fails with all that is wrong."""
    model = _native.Model([str(path)])
    try:
        found = faults(model, some)
    finally:
        model.close()
    if found:
        rows = table({name: [cell for cell, _ in found]}, {name: some})
        shown = "\n".join(f"{cell}: {what}" for cell, what in found)
        pytest.fail(f"{shown}\n{rows}", pytrace=False)


@pytest.mark.parametrize("name", SMALL)
def test_right_answers_are_believed(name, tmp_path):
    some = [*cells()] if "HPD_NIGHTLY" in os.environ else share(name)
    check(models(tmp_path)[name](), name, some)


@pytest.mark.parametrize("name", GENERATING)
def test_right_answers_are_believed_in_llama_cpps_vocabularies(name, tmp_path):
    made = models(tmp_path)
    if made.keys() == SMALL.keys():
        pytest.skip(f"{FOLDER_VARIABLE} is not set")
    check(made[name](), name, sample(name, N_CELLS))


@pytest.mark.parametrize(
    ("name", "last"), [("merged", '"}'), ("compact", '"}'), ("bare", '"'), ("pieces", '"}')]
)
def test_the_script_writes_as_its_vocabulary_does(name, last, tmp_path):
    model = _native.Model([str(models(tmp_path)[name]())])
    script = Script(model)
    engine = _native.Engine(model, engine_options())
    testing.follow_script(engine, model, script.logits)
    key = model.tokenize('{"Seating":')
    script.expect([1, 2], key, [' "outdoor"}'])
    engine.submit(0, [1, 2], [_native.Field(key)], n_instruction=0)
    while not engine.idle:
        results = engine.step()
    (value,) = results[0].values
    assert value.text == b' "outdoor"'
    assert model.piece(value.tokens[-1]) == last.encode()
    assert sum(value.logprobs) > -0.01
    model.close()


def test_every_type_is_asked():
    rows = {example.name for example in EXAMPLES} - {"optional", "required"}
    assert {kind.row for kind in KINDS} == rows
