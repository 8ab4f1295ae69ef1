"""The plugin that fails a run in which a test is skipped without permission, in runs of pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skips import allowed_skips

ROOT = Path(__file__).parents[2]
LIST = ROOT / ".ci" / "skips.txt"

_TESTS = """
import pytest

def test_passes():
    pass

@pytest.mark.skip(reason="no such processor")
def test_marked():
    pass

@pytest.mark.parametrize("n", [1, 2])
def test_half(n):
    if n == 2:
        pytest.skip("n is 2")

@pytest.mark.xfail(reason="a fault")
def test_expected_to_fail():
    assert False
"""
_FILE = "import pytest\npytest.importorskip('no_such_module')\ndef test_any(): pass\n"

ALL = """\
# processors differ
test_some.py::test_marked: no such processor
test_some.py::test_half[?]: n is 2
test_file.py: could not import 'no_such_module'*
"""


@pytest.fixture
def project(tmp_path):
    """A folder with tests of which three are skipped, in all ways that there are."""
    (tmp_path / "test_some.py").write_text(_TESTS)
    (tmp_path / "test_file.py").write_text(_FILE)
    # Settings in a folder above are not its own.
    (tmp_path / "pytest.ini").touch()
    return tmp_path


def run(project, allowed, *arguments):
    """pytest's run of the project's tests with the plugin."""
    (project / "allowed.txt").write_text(allowed)
    command = [sys.executable, "-m", "pytest", "-p", "skips", "-p", "no:cacheprovider"]
    command += ["-p", "xdist"] if "-n" in arguments else []
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer than the tests
    return subprocess.run(
        [*command, "--allowed-skips", "allowed.txt", *arguments],
        cwd=project,
        env={**environment, "PYTHONPATH": str(ROOT / "tests" / "support")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


PROCESSES = pytest.mark.parametrize("n", [(), ("-n", "2")], ids=["one process", "workers"])


@PROCESSES
def test_skips_on_the_list_pass(project, n):
    assert run(project, ALL, *n).returncode == 0


@PROCESSES
def test_skips_that_are_not_on_the_list_fail_the_run_and_are_named(project, n):
    done = run(project, ALL.replace("no such processor", "too slow").replace("[?]", "[3]"), *n)
    assert done.returncode == 1
    _, _, named = done.stdout.partition("skipped without permission")
    assert sorted(named.strip(" =\n").splitlines()[:2], reverse=True) == [
        "test_some.py::test_marked: no such processor",
        "test_some.py::test_half[2]: n is 2",
    ]
    assert "test_file.py: " not in named


def test_a_run_with_nothing_but_a_skip_that_is_not_on_the_list_fails(project):
    assert run(project, "", "test_file.py").returncode == 1


def test_a_failed_test_fails_the_run_whatever_is_postponed(project):
    (project / "test_wrong.py").write_text("def test_wrong(): assert False\n")
    assert run(project, "", "--postpone-skips", "later.txt").returncode == 1


@PROCESSES
def test_what_is_postponed_is_run_later(project, n):
    done = run(project, ALL.splitlines()[1], "--postpone-skips", "later.txt", *n)
    assert done.returncode == 0
    later = (project / "later.txt").read_text().splitlines()
    assert sorted(later) == ["test_file.py", "test_some.py::test_half[2]"]
    (project / "no_such_module.py").write_text("")
    (project / "test_some.py").write_text(_TESTS.replace("n == 2", "n == 3"))
    done = run(project, "", "@later.txt", "-v")
    assert done.returncode == 0
    assert "2 passed" in done.stdout


def test_the_project_s_own_list_is_short_and_current():
    entries = list(allowed_skips(LIST))
    assert len(entries) <= 10
    sources = [path for folder in ("tests", "tools") for path in (ROOT / folder).rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    for entry in entries:
        path, _, name = entry.test.partition("::")
        code = (ROOT / path).read_text(encoding="utf-8")
        assert name == "*" or f"def {name.partition('[')[0]}(" in code
        assert any(entry.reason.strip("*") in text for text in texts)
