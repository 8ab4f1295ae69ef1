"""Cases that only the nightly jobs run, which set ``HPD_NIGHTLY``."""

import pytest


def nightly(*cases):
    """Return cases for ``parametrize`` that are left out by day."""
    return [
        pytest.param(*case if isinstance(case, tuple) else [case], marks=pytest.mark.nightly)
        for case in cases
    ]


def by_day(one_in, cases):
    """Return cases for ``parametrize``, of which the first and one in ``one_in`` run by day."""
    return [nightly(case)[0] if i % one_in else case for i, case in enumerate(cases)]
