"""Batches of a frame: one model in each process, whatever is pickled and forked."""

import pickle
import shutil

import pytest

pytest.importorskip("pyarrow")

import pyarrow

from frame_texts import SCHEMA, SETTINGS, TEXTS, expected_rows
from hpd.errors import InputError, ModelLoadError, OptionError
from hpd.frames import BatchExtractor
from small_model import small_model

TABLE = pyarrow.table({"title": pyarrow.array(TEXTS, "string")})


def batch_extractor(schema=SCHEMA, **settings):
    return BatchExtractor(schema, column="title", **(SETTINGS | settings))


def test_each_batch_gets_its_columns():
    extract = batch_extractor(on_error="record", prefix="x_")
    first, second = extract(TABLE.slice(0, 2)), extract(TABLE.slice(2))
    names = [f"x_{name}" for name in SCHEMA["properties"]]
    rows = pyarrow.concat_tables([first, second]).select(names).to_pylist()
    assert [list(row.values()) for row in rows] == [list(row.values()) for row in expected_rows()]
    assert first.schema == second.schema
    assert first.column_names[-1] == "x_error"


def test_a_process_loads_a_model_once():
    extract = batch_extractor()
    copy = pickle.loads(pickle.dumps(extract))
    assert copy.load() is extract.load()
    assert batch_extractor(max_tokens=32).load() is not extract.load()
    assert copy(TABLE)["brand"].to_pylist() == [row["brand"] for row in expected_rows()]


def test_what_is_pickled_tells_models_apart(tmp_path):
    model = tmp_path / "model.gguf"
    shutil.copy(small_model(), model)
    states = [pickle.dumps(batch_extractor(model=model)) for _ in range(2)]
    with model.open("ab") as file:
        file.write(b"\0")
    assert states[0] == states[1]
    assert pickle.dumps(batch_extractor(model=model)) != states[0]


def test_what_cannot_work_is_refused_when_it_is_made(tmp_path):
    with pytest.raises(OptionError, match="max_tokens"):
        batch_extractor(max_tokns=3)
    with pytest.raises(ModelLoadError):
        batch_extractor(model=tmp_path / "gone.gguf")
    with pytest.raises(InputError, match="no column 'title'"):
        batch_extractor()(pyarrow.table({"name": ["x"]}))
