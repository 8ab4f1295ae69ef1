"""Documents with handwritten wordings: their golds, their questions, and the checker."""

import re
from collections import Counter
from random import Random

import pytest

from recipe.documents import check
from recipe.documents.asking import choice, currency, date, number, objects, text, texts, yes_no
from recipe.documents.golds import GoldError, gold
from recipe.documents.kind import Kind
from recipe.documents.questions import is_kept_aside, kinds, make_documents
from recipe.documents.rendering import render
from recipe.documents.wording import WordingError, read_wordings
from recipe.facts import Record, World
from recipe.facts.fact import UNCLEAR
from recipe.facts.world import LOCALES

ASKED = {
    "seller": text("seller"),
    "total": number("total"),
    "total.currency": currency("currency"),
    "due": date("due"),
    "paid": yes_no("paid"),
    "topic": choice("topic", "refund/money back, delivery", always=True),
    "tags": texts("tags"),
    "items": objects("items", {"name": text("name"), "price": number("price")}),
}


def draw(world):
    return {
        "seller": world.text("Ann Lee"),
        "other": world.text("Bob"),
        "total": world.money(value=1234.5),
        "due": world.date(2024, 2024),
        "items": [
            Record(name=world.text(name), price=world.money(value=2))
            for name in ("pen", "ink", "nib")[: world.count("items", 0, 3)]
        ],
    }


def rendered(tmp_path, body, name="en_test.txt", seed=0):
    file = tmp_path / name
    file.write_text(body, encoding="utf-8")
    (wording,) = read_wordings(file)
    kind = Kind("test", draw, ASKED, (wording,))
    result = render(wording, kind, Random(seed))
    return result.text, {path: gold(ask, path, result.states) for path, ask in ASKED.items()}


def test_slots_state_their_facts_and_nothing_else_is_stated(tmp_path):
    text, golds = rendered(tmp_path, "@count: items 2\n{{ seller|upper }} and {{ other }}: "
                           "{% for item in items %}{{ item.name }}; {% endfor %}")  # fmt: skip
    assert text == "ANN LEE and Bob: pen; ink;"
    assert golds == {
        "seller": "ANN LEE", "total": None, "total.currency": None, "due": None, "paid": None,
        "topic": UNCLEAR, "tags": [],
        "items": [{"name": "pen", "price": None}, {"name": "ink", "price": None}],
    }  # fmt: skip


def test_marks_and_lines_of_the_front_matter_state_facts(tmp_path):
    body = (
        "@topic: refund\n@unclear: seller\n[[due=2024-03-31|End of March]], [[paid=false|not "
        "yet]], [[tags|red]] and [[tags|blue]], [[items.1.name|tea\ntowel]], {{ seller }}"
    )
    text, golds = rendered(tmp_path, body)
    assert text == "End of March, not yet, red and blue, tea\ntowel, Ann Lee"
    assert golds == {
        "seller": UNCLEAR, "total": None, "total.currency": None, "due": "2024-03-31",
        "paid": False, "topic": "refund", "tags": ["red", "blue"],
        "items": [{"name": "tea towel", "price": None}],
    }  # fmt: skip


def test_a_branch_that_is_not_written_states_nothing(tmp_path):
    _, golds = rendered(tmp_path, "{% if items|length > 9 %}{{ total }}{% endif %}{{ due.iso }} x")
    assert golds["total"] is None
    assert golds["due"].startswith("2024-")


def test_a_date_without_its_year_is_not_asked(tmp_path):
    assert rendered(tmp_path, "until {{ due.day_month }}")[1]["due"] is UNCLEAR
    assert rendered(tmp_path, "{{ due.day_month }}, {{ due.long }}")[1]["due"] != UNCLEAR


@pytest.mark.parametrize("language", LOCALES)
def test_amounts_of_every_language_have_the_same_gold(tmp_path, language):
    for seed in range(20):
        text, golds = rendered(tmp_path, "x {{ total }} y", f"{language}_test.txt", seed)
        assert golds["total"] in (1234.5, 1234)
        assert re.sub(r"\D", "", text) in ("123450", "1234")
        assert re.fullmatch("[A-Z]{3}", golds["total.currency"])


@pytest.mark.parametrize("language", LOCALES)
def test_numeric_dates_can_be_read_in_one_way(language):
    for seed in range(300):
        world = World(Random(seed), language)
        day = world.date(2001, 2030)
        digits = [int(part) for part in re.findall(r"\d+", str(day.short))]
        if language == "en" and len(digits) == 3 and len(str(day.short).split()) == 1:
            first_two = digits[1:] if digits[0] > 31 else digits[:2]
            assert max(first_two) > 12 or str(day.short) == day.value.isoformat()
        assert next(iter(day.short.states.values())).gold == day.value.isoformat()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("Hello {{ nobody }}", "en_test.txt:1: 'nobody' is undefined"),
        ("Hello {{ due.shortest }}", "no form 'shortest', but long, short, iso"),
        ("Hello [[colour|red]]", r"\[\[colour|...\]\] is not in ASKED of test"),
        ("Hello [[seller|red", r"a mark reads \[\[path|words\]\]"),
        ("@count: items\nHello", "counts read"),
        ("@locale: xx_XX\nHello", "the locales of en are"),
        ("@topic refund\nHello", 'a line with @ reads "@key: value"'),
        ("{{ items[0] }}", "Record is no text: name one of its parts"),
    ],
)
def test_a_wrong_wording_is_named_with_its_line(tmp_path, body, problem):
    with pytest.raises(WordingError, match=problem):
        rendered(tmp_path, body if body.startswith("@") else "@count: items 1\n" + body)


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        ("[[total=much|much]]", "'much' is no number"),
        ("[[due=soon|soon]]", "'soon' is no ISO date"),
        ("[[paid=maybe|maybe]]", "'maybe' is neither true nor false"),
        ("[[topic=money|money]]", "'money' is none of refund, delivery"),
        ("[[seller=3|three]]", "3 is no text"),
        ("[[total.currency=euro|euro]]", "'euro' is no code"),
    ],
)
def test_a_gold_has_the_type_of_its_question(tmp_path, mark, problem):
    with pytest.raises(GoldError, match=problem):
        rendered(tmp_path, mark)


def test_the_checker_names_wordings_that_are_alike(tmp_path):
    file = tmp_path / "en_test.txt"
    same = "Thank you very much for the fast delivery of {{ total }} by {{ seller }} on Monday"
    file.write_text(f"{same}\n=====\n{same}, again\n=====\nSomething else, {{{{ seller }}}}")
    alike = list(check.alike(list(read_wordings(file))))
    assert len(alike) == 1
    assert "en_test.txt:3" in alike[0]
    assert "en_test.txt:1 as well" in alike[0]


def test_wordings_of_the_repository_are_in_order():
    """One in eight: all of them, many times, are for ``nox -s wordings``."""
    for kind in kinds():
        for wording in kind.wordings[::8]:
            assert not list(check.problems_of(kind, wording, n_seeds=1))


def test_questions_have_answers_of_their_types():
    rng = Random(3)
    types = {
        "string": str, "enum": str, "date": str, "integer": int, "number": (int, float),
        "boolean": bool, "array": list, "object": dict,
    }  # fmt: skip
    asked = Counter()
    for _ in range(150):
        schema, documents, answers = make_documents(rng, rng.choice((1, 1, 3)))
        assert len(documents) == len(answers)
        for attribute in schema:
            for answer in answers:
                value = answer[attribute.name]
                asked[attribute.type, value in (None, [])] += 1
                assert value is None or isinstance(value, types[attribute.type]), attribute
                if attribute.type == "enum":
                    assert value is None or value in attribute.choices
    for name in types:
        assert asked[name, False], name
    n_absent = sum(n for (_, is_absent), n in asked.items() if is_absent)
    assert 0.3 < n_absent / asked.total() < 0.65


def test_wordings_that_are_kept_aside_are_not_drawn():
    kind = max(kinds(), key=lambda kind: len(kind.wordings))
    aside = [wording for wording in kind.wordings if is_kept_aside(wording)]
    assert 0 < len(aside) < len(kind.wordings) / 3
    only = Kind(kind.name, kind.draw, kind.asked, tuple(aside))
    with pytest.raises(ValueError, match="has no such wordings"):
        make_documents(Random(1), kind=only)
    assert make_documents(Random(1), kind=only, kept_aside=True)
