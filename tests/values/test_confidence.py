"""Maps of confidence: their curves, and what is no map."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.values.confidence import ConfidenceMap, Curve

SHARES = st.floats(0, 1, allow_subnormal=False)
CURVES = st.lists(SHARES, min_size=1, max_size=6, unique=True).flatmap(
    lambda xs: st.lists(SHARES, min_size=len(xs), max_size=len(xs)).map(
        lambda ys: Curve(tuple(zip(sorted(xs), sorted(ys), strict=True)))
    )
)


@given(CURVES, SHARES, SHARES)
def test_a_curve_never_falls_and_its_least_confidence_reaches_the_share(curve, one, two):
    low, high = sorted((one, two))
    assert curve(low) <= curve(high) + 1e-12
    assert curve.points[0][1] <= curve(low) <= curve.points[-1][1]
    least = curve.inverse(one)
    if least == float("inf"):
        assert curve(1.0) < one
    else:
        assert curve(least) >= one - 1e-6
        assert least == 0 or curve(least * (1 - 1e-6) - 1e-9) <= one


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is not JSON"),
        ("[]", "hpd calibrate"),
        ('{"form": 2}', "hpd calibrate"),
        ('{"form": 1, "values": {}}', "no 'nulls'"),
        ('{"form": 1, "values": {"date": []}, "nulls": {}}', "values of 'date': pairs"),
        ('{"form": 1, "values": {"date": [[0, 2]]}, "nulls": {}}', "from 0 to 1"),
        ('{"form": 1, "values": {"date": [[0, true]]}, "nulls": {}}', "from 0 to 1"),
        ('{"form": 1, "values": {"date": [[0, 1], [0, 1]]}, "nulls": {}}', "must rise"),
        ('{"form": 1, "values": {"date": [[0, 1], [1, 0]]}, "nulls": {}}', "must not fall"),
    ],
)
def test_what_is_no_map_is_refused_with_the_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        ConfidenceMap.from_json(text)
