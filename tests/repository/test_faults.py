"""The seeded faults: each still fits the code, and names tests that there are."""

import pytest

from tools import faults


@pytest.mark.parametrize("patch", faults.PATCHES, ids=lambda patch: patch.stem)
def test_a_fault_fits_the_code(patch):
    assert faults.applies(patch, faults.CHECKOUT)
    for test in faults.tests_of(patch):
        assert (faults.CHECKOUT / test.partition("::")[0]).exists()


def test_there_are_thirty_faults():
    assert len(faults.PATCHES) >= 30
