"""The cache of the most recently used values."""

from hpd.pipeline.recent import RecentlyUsed


def test_what_was_not_used_for_longest_is_made_again():
    made = []
    kept = RecentlyUsed(2)
    for key in "abacab":
        assert kept.get_or_make(key, lambda key=key: made.append(key) or key.upper()) == key.upper()
    assert made == ["a", "b", "c", "b"]
    assert [*kept.items()] == [("a", "A"), ("b", "B")]
