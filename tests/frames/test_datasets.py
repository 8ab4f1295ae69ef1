"""Data sets of Hugging Face, mapped batch by batch, in this process and in others."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets")

from frame_texts import SCHEMA, SETTINGS, TEXTS, expected_rows
from hpd.errors import InputError
from hpd.frames import BatchExtractor, extract

NEW = [*SCHEMA["properties"]]


def data_set():
    features = datasets.Features(
        {"title": datasets.Value("string"), "kind": datasets.ClassLabel(names=["shop", "mail"])}
    )
    columns = {"title": TEXTS, "kind": [0, 1, 0, 1, 0]}
    return datasets.Dataset.from_dict(columns, features=features)


def rows_of(mapped):
    return [{name: row[name] for name in NEW} for row in mapped.with_format(None)]


@pytest.mark.parametrize("format_", [None, "arrow", "pandas", "numpy"])
@pytest.mark.parametrize("batch_size", [1, 1000])
def test_a_data_set_is_mapped(format_, batch_size):
    given = data_set() if format_ is None else data_set().with_format(format_)
    batch = BatchExtractor(SCHEMA, column="title", **SETTINGS)
    mapped = given.map(batch, batched=True, batch_size=batch_size)
    assert rows_of(mapped) == expected_rows()
    assert mapped.features["kind"] == given.features["kind"]
    assert mapped.features["brand"].dtype == "string"
    assert mapped.features["price"]["amount"].dtype == "float64"


def test_a_first_batch_of_nulls_has_the_types_of_the_others():
    given = datasets.Dataset.from_dict({"title": [None, TEXTS[0]]})
    batch = BatchExtractor(SCHEMA, column="title", **SETTINGS)
    mapped = given.map(batch, batched=True, batch_size=1)
    assert rows_of(mapped) == [expected_rows()[1], expected_rows()[0]]


def test_a_stream_is_mapped():
    batch = BatchExtractor(SCHEMA, column="title", **SETTINGS)
    mapped = data_set().to_iterable_dataset().map(batch, batched=True, remove_columns=["kind"])
    rows = list(mapped)
    assert [{name: row[name] for name in NEW} for row in rows] == expected_rows()
    assert set(rows[0]) == {"title", *NEW}


def test_a_data_set_that_was_mapped_is_found_in_the_cache(tmp_path):
    hash_of = datasets.fingerprint.Hasher.hash
    hashes = [
        hash_of(BatchExtractor(SCHEMA, column="title", max_tokens=n, **SETTINGS))
        for n in (64, 64, 32)
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_data_set_as_a_frame_is_told_what_to_do():
    with pytest.raises(InputError, match=r"dataset\.map\(hpd\.frames\.BatchExtractor"):
        extract(data_set(), SCHEMA, column="title")


PROGRAM = """
import sys
import datasets
import hpd.frames

def main():
    given = datasets.Dataset.from_dict({"title": ["Luma shirt", "Nike shoe"]})
    if "spawn" in sys.argv:
        import multiprocess
        multiprocess.set_start_method("spawn")
    extract = hpd.frames.BatchExtractor("brand", column="title", n_threads=1, quiet=True)
    if "used" in sys.argv:
        extract.load()
    print(given.map(extract, batched=True, num_proc=2)["brand"][:])

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("arguments", [[], ["used"], ["used", "spawn"]], ids=str)
def test_processes_have_their_own_model_or_say_why_not(arguments, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, str(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "HF_DATASETS_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1"},
    )
    if arguments == ["used"]:
        assert run.returncode
        assert "multiprocessing's 'spawn'" in run.stderr
    else:
        assert run.stdout.strip().endswith("['Luma', 'Nike']"), run.stderr
