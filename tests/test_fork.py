"""Processes that are forked, as multiprocessing does on Linux up to Python 3.13."""

import pytest

from command_line import run_python

CHILD = """
import multiprocessing, sys
import hpd

def work(text):
    try:
        with hpd.Extractor("brand", quiet=True, n_threads=2) as extractor:
            return str(extractor.extract(text).data)
    except hpd.HpdError as error:
        return str(error)

if __name__ == "__main__":
    if sys.argv[2] == "used":
        with hpd.Extractor("brand", quiet=True, n_threads=2) as extractor:
            extractor.extract("Nike shoe")
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.apply(work, ["Nike shoe"]))
"""


def outcome(tmp_path, method, use):
    """The answer of a child process, forked or spawned from one that has used hpd or has not."""
    program = tmp_path / "parent.py"
    program.write_text(CHILD)
    run = run_python(program, method, use)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.parametrize("use", ["used", "imported"])
def test_a_forked_process_works_or_says_why_not(tmp_path, use):
    answer = outcome(tmp_path, "fork", use)
    if use == "imported":
        assert answer == "{'brand': 'Nike'}"
    else:
        assert "multiprocessing's 'spawn'" in answer


def test_a_spawned_process_works(tmp_path):
    assert outcome(tmp_path, "spawn", "used") == "{'brand': 'Nike'}"
