"""The cache of the most recently used values."""

import threading

from hpd.pipeline.recent import RecentlyUsed


def test_what_was_not_used_for_longest_is_made_again():
    made = []
    kept = RecentlyUsed(2)
    for key in "abacab":
        assert kept.get_or_make(key, lambda key=key: made.append(key) or key.upper()) == key.upper()
    assert made == ["a", "b", "c", "b"]
    assert [*kept.items()] == [("a", "A"), ("b", "B")]


def test_another_thread_cannot_drop_a_value_that_is_being_read():
    kept = RecentlyUsed(1)

    class Key:
        """A key that another thread has the time to drop as soon as it is found."""

        n_looks = 0

        def __hash__(self):
            self.n_looks += 1
            if self.n_looks == 4:  # Three put it there; this one finds it.
                other.start()
                other.join(0.2)
            return 1

    key = Key()
    other = threading.Thread(target=kept.get_or_make, args=("b", lambda: "B"))
    for _ in range(4):
        assert kept.get_or_make(key, lambda: "A") == "A"
    other.join()
    assert len(kept) == 1
