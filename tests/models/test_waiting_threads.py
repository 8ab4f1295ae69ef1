"""The time for which threads of llama.cpp go round while they wait, as GNU OpenMP tells it."""

import os

import pytest

from command_line import run_python

_LOAD = """
import os
import hpd._native
print(os.environ.get("GOMP_SPINCOUNT"))
"""


def told(**settings):
    """The variable after hpd was loaded, and what each OpenMP in the process says of itself."""
    names = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    done = run_python(
        "-c", _LOAD, env=environment | {"OMP_DISPLAY_ENV": "VERBOSE"} | settings, check=True
    )
    lines = [line.strip() for line in done.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
    return done.stdout.strip(), [line.rpartition("=")[2].strip(" '") for line in lines]


@pytest.mark.parametrize(
    ("settings", "spins"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "77"}, "77"), ({"OMP_WAIT_POLICY": "passive"}, "0")],
    ids=str,
)
def test_threads_go_round_a_thousand_times_unless_the_user_said_otherwise(settings, spins):
    variable, counts = told(**settings)
    # Other builds of llama.cpp have another OpenMP, or none, which say nothing here.
    assert set(counts) <= {spins}
    # It is not left to processes that the user's program starts.
    assert variable == settings.get("GOMP_SPINCOUNT", "None")
