"""The tables of values: that nothing else comes out than what went in, whatever happens to them."""

import random
import warnings
from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.errors import HpdError
from hpd.pipeline.reuse import FolderTable, KnownValue, MemoryTable, ReuseWarning, fingerprint

floats = st.floats(width=32, allow_nan=False)
decoded = st.builds(
    KnownValue,
    st.binary(max_size=20),
    st.sampled_from(["complete", "truncated"]),
    st.lists(st.integers(0, 2**31 - 1), max_size=4).map(lambda tokens: array("i", tokens)),
    st.lists(floats, max_size=4).map(lambda logprobs: array("f", logprobs)),
    st.lists(floats, max_size=4).map(lambda log_shares: array("f", log_shares)),
    st.lists(floats, max_size=4).map(lambda margins: array("f", margins)),
)


def value(n, n_tokens=3):
    """A value that is unlike that of any other number."""
    numbers = range(n, n + n_tokens)
    floats_ = array("f", (number / 7 for number in numbers))
    return KnownValue(f' "v{n}"'.encode(), "complete", array("i", numbers), *[floats_] * 3)


@pytest.fixture(params=["memory", "folder"])
def table(request, tmp_path):
    made = MemoryTable() if request.param == "memory" else FolderTable(tmp_path / "kept")
    yield made
    made.close()


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_only_equal_parts_have_the_same_fingerprint(one, other):
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)


@given(decoded)
def test_a_value_comes_back_from_json_bit_for_bit(original):
    assert KnownValue.from_json(original.to_json()) == original


def test_values_of_a_document_are_put_together(table):
    assert table.values_of("a") == {}
    table.store("a", {"brand": value(1)})
    table.store("b", {"brand": value(2)})
    table.store("a", {"color": value(3)})
    assert table.values_of("a") == {"brand": value(1), "color": value(3)}
    assert table.values_of("b") == {"brand": value(2)}


def test_threads_do_not_lose_each_others_values(table):
    def store(n):
        table.store("a", {str(n): value(n)})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(store, range(40)))
    assert table.values_of("a") == {str(n): value(n) for n in range(40)}


def test_memory_forgets_whole_documents_those_of_long_ago_first():
    table = MemoryTable(n_tokens=4 * 2 * (50 + 3))
    for n in range(4):
        table.store(str(n), {"brand": value(n), "color": value(-n)})
    assert table.values_of("0")
    table.store("4", {"brand": value(4)})
    assert [n for n in range(5) if table.values_of(str(n))] == [0, 2, 3, 4]
    table.store("4", {"brand": value(4)})
    table.store("4", {"color": value(4)})
    assert [n for n in range(5) if table.values_of(str(n))] == [0, 2, 3, 4]
    assert len(table.values_of("0")) == len(table.values_of("4")) == 2


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(HpdError, match=r"file/kept cannot keep values .*\): name another one"):
        FolderTable(tmp_path / "file" / "kept")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "cache.db").write_text("no database at all, but long enough to be read")
    with pytest.raises(HpdError, match="delete it"):
        FolderTable(tmp_path / "kept")


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_folder_gives_right_values_or_none(tmp_path, seed):
    table = FolderTable(tmp_path)
    for n in range(60):
        table.store(str(n), {"brand": value(n, n_tokens=40)})
    table.close()
    damage(tmp_path / "cache.db", random.Random(seed))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            again = FolderTable(tmp_path)
        except HpdError:
            return
        for n in range(60):
            assert again.values_of(str(n)) in ({}, {"brand": value(n, n_tokens=40)})
            again.store(str(n), {"brand": value(n, n_tokens=40)})
    assert [warning.category for warning in caught] in ([], [ReuseWarning])
    again.close()


def test_a_damaged_entry_is_told_of_and_written_again(tmp_path):
    table = FolderTable(tmp_path)
    table._cache.set("a", {"brand": {"text": "v", "finish": "complete", "tokens": ["x"]}})
    table._cache.set("b", [1, 2])
    with pytest.warns(ReuseWarning, match="cannot be read .* delete the folder"):
        assert table.values_of("a") == {}
    for document in "ab":
        assert table.values_of(document) == {}  # one warning is enough
        table.store(document, {"brand": value(1)})
        assert table.values_of(document) == {"brand": value(1)}


def damage(file, chance):
    """Change some bytes of a file, wherever they are."""
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 20, 400])):
        content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
    file.write_bytes(content)
