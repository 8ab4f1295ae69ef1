"""docs/reliability.md has the rows of the tests that try them, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from outcomes import PAGE, ROOT, Row, tables, with_rows, without_message


def marked(path: Path) -> Iterator[Row]:
    """The rows that the markers of a file of tests ask for, as they can be read."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.outcome":
            table, happens, comes = (ast.literal_eval(argument) for argument in node.args)
            yield Row(table, happens, comes, path)


def test_the_page_has_the_rows_of_the_tests_and_no_others() -> None:
    rows = [row for path in sorted((ROOT / "tests").rglob("test_*.py")) for row in marked(path)]
    of_page = tables(PAGE.read_text(encoding="utf-8"))
    assert {row.table for row in rows} <= of_page.keys()
    assert len(rows) > 90
    for name, lines in of_page.items():
        expected = sorted(str(row) for row in rows if row.table == name)
        assert sorted(map(without_message, lines)) == expected, "pytest -m outcome --write-outcomes"


def test_known_rows_keep_their_place_and_new_ones_follow() -> None:
    path = ROOT / "tests" / "test_x.py"
    old = [Row("t", "b", "1", path), Row("t", "a", "2", path), Row("t", "gone", "3", path)]
    page = with_rows("<!-- outcomes: t -->\n<!-- end -->\n", old)
    new = Row("t", "a|c", "4", path, message="hpd: no")
    page = with_rows(page, [new, old[1], Row("t", "b", "5", path)])
    assert tables(page) == {
        "t": [
            "| b | 5 | [`test_x`](../tests/test_x.py) |",
            "| a | 2 | [`test_x`](../tests/test_x.py) |",
            "| a\\|c | 4<br>`hpd: no` | [`test_x`](../tests/test_x.py) |",
        ]
    }
