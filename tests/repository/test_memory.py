"""Memory does not grow with documents, nor with extractors that were closed."""

import os

import pytest

import memory_growth
from command_line import run_python
from memory_growth import (
    RUNS,
    documents,
    in_new_process,
    of_documents,
    of_extractors,
    of_pdf_files,
)

N_FEW, N_MANY, N_EXTRACTORS = (200, 20_000, 200) if "HPD_NIGHTLY" in os.environ else (2, 4, 1)
GROWTH = 1.02 if "HPD_NIGHTLY" in os.environ else 2.0


def test_no_two_documents_are_the_same():
    assert len(set(documents(1000))) == 1000


def test_resident_memory_is_that_of_the_process():
    code = (
        "from memory_growth import resident\n"
        "before = resident()\n"
        "block = bytearray(range(250)) * 200_000\n"
        "print(resident() - before)"
    )
    # A process of its own: what other tests have left may be freed at any moment here.
    done = run_python("-c", code, check=True, cwd=os.path.dirname(memory_growth.__file__))
    assert 40 < float(done.stdout) < 60


@pytest.mark.parametrize("run", RUNS)
def test_memory_after_many_documents(run):
    before, after = in_new_process(of_documents, run, N_FEW, N_MANY)
    assert after <= GROWTH * before


def test_memory_after_many_pdf_files(tmp_path):
    pytest.importorskip("pypdfium2")
    before, after = in_new_process(of_pdf_files, tmp_path, 10 * N_FEW, 20 * N_FEW)
    assert after <= GROWTH * before


def test_memory_after_many_extractors():
    before, after = in_new_process(of_extractors, N_EXTRACTORS)
    assert after <= GROWTH * before
