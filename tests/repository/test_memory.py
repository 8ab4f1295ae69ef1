"""The measurement of memory: a small one."""

from __future__ import annotations

import pytest

from tools.memory import documents, main, resident


def test_no_two_documents_are_the_same() -> None:
    assert len(set(documents(1000))) == 1000


def test_resident_memory_grows_with_what_is_held() -> None:
    before = resident()
    held = bytearray(b"x" * 50_000_000)
    assert resident() - before > 40
    del held


@pytest.mark.parametrize(("percent", "code"), [("1000", 0), ("-99", 1)])
def test_growth_is_what_it_is_told_to_be(
    percent: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--few", "2", "--many", "4", "--extractors", "1"]
    assert main([*few, "--percent", percent]) == code
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 5
    assert ("all is well" in said) == (code == 0)
