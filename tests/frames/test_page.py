"""The programs of docs/frames.md, which print what is shown below them."""

import re
import subprocess
import sys

import pytest

for library in ("pyarrow", "pandas", "polars", "datasets"):
    pytest.importorskip(library)

from tools import docs

PROGRAMS = re.findall(
    r"<!-- python -->\n```python\n(.*?)```\n\n```text\n(.*?)```",
    (docs.ROOT / "docs/frames.md").read_text(encoding="utf-8"),
    re.DOTALL,
)


def without_confidence(printed):
    """The words of an output; what rounding decides is left out."""
    return re.sub(r"0\.\d{3,4}\b", "0.x", printed).split()


@pytest.mark.parametrize(("program", "output"), PROGRAMS, ids=["pandas", "polars", "datasets"])
def test_a_program_prints_what_is_shown(program, output, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert without_confidence(done.stdout) == without_confidence(output)
