"""The waves of questions, their keys, and known answers replayed through them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from hpd.prompt.questions import (
    UNKNOWN,
    Retry,
    Waves,
    known_waves,
    schema_leaves,
    stack_prefixes,
    value_at,
)
from hpd.prompt.text import answer_text, instruction_text, key_text, key_texts
from hpd.schema import load_schema
from hpd.schema.attributes import Schema


def asked(schema, *answers, layout="branch"):
    """The keys of every wave that these answers lead to."""
    waves = known_waves(schema, layout, answers)
    return [[question.key for question, _ in wave] for wave in waves]


def test_items_and_dependent_attributes_come_in_later_waves():
    schema = load_schema("tags [str], best after tags, why after best")
    answer = {"tags": ["a", "b"], "best": "b", "why": "so"}
    assert asked(schema, answer) == [
        ['{"tags": {"count":'],
        ['{"tags": {"1":', '{"tags": {"2":'],
        ['{"tags": ["a", "b"], "best":'],
        ['{"best": "b", "why":'],
    ]


def test_a_later_key_stands_alone_in_the_skeleton_too():
    """Decoding sends the items of an array by themselves, so nothing else may be taught."""
    schema = load_schema("brand, tags [str], size after brand")
    answer = {"brand": "Nike", "tags": ["a"], "size": "9"}
    assert asked(schema, answer, layout="skeleton") == [
        ['{"brand":', '{"brand":, "tags": {"count":'],
        ['{"brand": "Nike", "size":', '{"tags": {"1":'],
    ]


def test_stacked_documents_are_asked_under_their_numbers():
    schema = load_schema("brand, size after brand")
    answers = [{"brand": "Nike", "size": "9"}, {"brand": None, "size": None}]
    assert asked(schema, *answers) == [
        ['{"1": {"brand":', '{"2": {"brand":'],
        ['{"1": {"brand": "Nike", "size":', '{"2": {"brand": null, "size":'],
    ]


def test_only_keys_of_dependent_attributes_show_values():
    schema = load_schema("brand, tags [str], size after brand")
    shows = {
        question.key: question.shows_values
        for wave in known_waves(schema, "branch", [{"brand": "Nike", "tags": ["a"]}])
        for question, _ in wave
    }
    assert shows == {
        '{"brand":': False,
        '{"tags": {"count":': False,
        '{"tags": {"1":': False,
        '{"brand": "Nike", "size":': True,
    }


def test_a_key_that_asks_again_shows_values():
    schema = load_schema("size int")
    waves = Waves(schema)
    (question,) = waves.first()
    (again,) = waves.ask_again([Retry(0, question.leaf, [(0, "too small")])], lambda d: {})
    assert (question.shows_values, again.shows_values) == (False, True)


def test_a_label_stands_for_a_key():
    schema = load_schema("brand, tags [str], maker {city, zip after city}, parts [{name, size}]")
    answer = {"brand": "x", "tags": ["a", "b"], "maker": {"city": "Rome", "zip": "1"},
              "parts": [{"name": "n", "size": "5"}]}  # fmt: skip
    assert instruction_text(schema, [("Rome", answer)], "label") == (
        "Attributes:\nA. brand\nB. tags (list)\nC. maker\nD. maker.city\nE. maker.zip\n"
        "F. parts (list of objects)\nG. parts[].name\nH. parts[].size\n\n"
        'Example document:\nRome\nExample answer:\nA "x", B ["a", "b"], '
        'C {"city": "Rome", "zip": "1"}, F [{"name": "n", "size": "5"}]\n\n'
    )
    assert asked(schema, answer, layout="label") == [
        ["A", "B", "D", "F"],
        ['D "Rome", E', "B1", "B2", "G1", "H1"],
    ]
    assert asked(schema, answer, answer, layout="label")[0] == [
        "1A", "1B", "1D", "1F", "2A", "2B", "2D", "2F",
    ]  # fmt: skip


def test_labels_go_on_behind_z():
    schema = load_schema([f"attribute {n}" for n in range(705)])
    (keys,) = asked(schema, {}, layout="label")
    assert (keys[25:28], keys[701:703]) == (["Z", "AA", "AB"], ["ZZ", "AAA"])
    assert len(set(keys)) == 705


def test_attributes_that_an_answer_does_not_name_are_asked_all_the_same():
    schema = load_schema("brand, tags [str], size")
    (wave,) = known_waves(schema, "skeleton", [{"size": "9"}])
    assert [value for _, value in wave] == [UNKNOWN, UNKNOWN, "9"]
    assert wave[2][0].key == '{"brand":, "tags": {"count":}, "size":'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("maker", "city"), "Rome"),
        (("tags", "count"), 2),
        (("tags", "2"), "b"),
        (("tags", "3"), None),
        (("lines", "1", "qty"), 3),
        (("one", "count"), 1),
        (("one", "1"), "alone"),
        (("none", "count"), None),
        (("none", "1"), None),
        (("maker", "city", "zip"), None),
    ],
)
def test_the_value_at_a_path(path, value):
    answer = {
        "maker": {"city": "Rome"},
        "tags": ["a", "b"],
        "lines": [{"qty": 3}],
        "one": "alone",
        "none": None,
    }
    assert value_at(answer, path) == value


# --- against the obvious way --------------------------------------------------------------------


def labelled(attributes, prefix):
    """The paths of all attributes in the schema's order, with ``[]`` where items are counted."""
    paths = []
    for attribute in attributes:
        path = (*prefix, attribute.name)
        paths.append(path)
        while attribute.type == "array" and attribute.item is not None:
            path, attribute = (*path, "[]"), attribute.item
        paths += labelled(attribute.attributes, path)
    return paths


def slow_label(schema, path):
    """The letters of the longest attribute's path that the path begins with, and its numbers."""
    paths = labelled(schema.attributes, ())
    for end in range(len(path), 0, -1):
        for n, pattern in enumerate(paths):
            pairs = list(zip(pattern, path[:end], strict=False))
            if len(pattern) == end and all(mark in ("[]", name) for mark, name in pairs):
                inside = [name for mark, name in pairs if mark == "[]"]
                behind = [name for name in path[end:] if name != "count"]
                first = chr(ord("A") + n // 26 - 1) if n >= 26 else ""
                return first + chr(ord("A") + n % 26) + ".".join([*inside, *behind])
    raise AssertionError(path)


def slow_label_key(schema, place, leaf, answer):
    number = "".join(place)
    return (
        "".join(
            f"{number}{slow_label(schema, seen)} {answer_text(value_at(answer, seen))}, "
            for seen in leaf.after
        )
        + number
        + slow_label(schema, leaf.path)
    )


def slow_waves(schema, layout, answers):
    """Place in the answer and key of every question, wave by wave, with no state kept."""
    places = stack_prefixes(len(answers))
    open_leaves = [(d, leaf) for d in range(len(answers)) for leaf in schema_leaves(schema)]
    waves = []
    n = 0
    while open_leaves:
        due = [(d, leaf) for d, leaf in open_leaves if leaf.wave <= n]
        open_leaves = [pair for pair in open_leaves if pair not in due]
        paths = [(*places[d], *leaf.path) for d, leaf in due]
        if layout == "label":
            keys = [slow_label_key(schema, places[d], leaf, answers[d]) for d, leaf in due]
        elif n == 0:
            keys = key_texts(paths, layout)
        else:
            keys = [
                key_text(
                    path, {(*places[d], *seen): value_at(answers[d], seen) for seen in leaf.after}
                )
                for path, (d, leaf) in zip(paths, due, strict=True)
            ]
        if due:
            waves.append(list(zip(paths, keys, strict=True)))
        for d, leaf in due:
            if leaf.array is not None and leaf.array.item is not None:
                whole = Schema((leaf.array.item,))
                for number in range(1, (value_at(answers[d], leaf.path) or 0) + 1):
                    for inner in schema_leaves(whole):
                        below = (*leaf.path[:-1], str(number))
                        moved = type(inner)(
                            (*below, *inner.path[1:]),
                            inner.attribute,
                            inner.array,
                            wave=n + 1 + inner.wave,
                            after=(*leaf.after, *((*below, *path[1:]) for path in inner.after)),
                        )
                        open_leaves.append((d, moved))
        n += 1
    return waves


@given(
    st.data(),
    strategies.schemas(),
    st.sampled_from(["branch", "skeleton", "label"]),
    st.integers(1, 3),
)
def test_waves_are_those_of_the_obvious_way(data, schema, layout, n_stacked):
    answers = [data.draw(strategies.answers_of(schema)) for _ in range(n_stacked)]
    places = stack_prefixes(n_stacked)
    waves = [
        [((*places[question.document], *question.leaf.path), question.key) for question, _ in wave]
        for wave in known_waves(schema, layout, answers)
    ]
    assert waves == slow_waves(schema, layout, answers)


def test_whether_more_may_come_is_known_before_the_answers():
    waves = Waves(load_schema("tags [str]"))
    first = waves.first()
    assert waves.may_continue
    assert waves.next([0], lambda _: {}) == []
    waves = Waves(load_schema("tags [str]"))
    assert waves.first() == first
    assert len(waves.next([2], lambda _: {})) == 2
    assert not waves.may_continue


def test_new_waves_know_nothing_of_earlier_documents():
    waves = Waves(load_schema("tags [str], note after tags"), n_stacked=2)
    used = waves.copy()
    assert used.first() == waves.first()
    while used.next([2] * len(used.first()), lambda _: {"tags": ["a"], "note": "b"}):
        pass
    assert not used.may_continue
    again = waves.copy()
    assert again.may_continue
    assert again.first() == Waves(load_schema("tags [str], note after tags"), n_stacked=2).first()
