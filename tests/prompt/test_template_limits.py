"""Chat templates that would take all time or memory: an error, soon."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hpd.errors import ModelLoadError
from hpd.prompt import render, template

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.fixture
def one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "CPU_SECONDS", 1)


@pytest.mark.usefixtures("one_second")
def test_a_template_that_loops_for_ever_is_an_error() -> None:
    with pytest.raises(ModelLoadError, match="does not come to an end within 1 s"):
        render(LOOP + "{{ messages[1].content }}", "s")


@pytest.mark.parametrize(
    "greedy",
    [
        "{{ 'x' * 3000000000 }}",
        "{{ 'x'.ljust(3000000000) }}",
        "{% set n = namespace(x='x') %}{% for i in range(40) %}{% set n.x = n.x ~ n.x %}"
        "{% endfor %}",
    ],
)
def test_a_template_that_takes_all_memory_is_an_error(greedy: str) -> None:
    with pytest.raises(ModelLoadError, match="1024 MiB"):
        render(greedy + "{{ messages[1].content }}", "s")


@pytest.mark.parametrize(
    "broken", ["{{ messages[7].content.x }}", "{{ 1 / 0 }}", "{{ messages + 1 }}", "{% for %}"]
)
def test_whatever_a_template_raises_is_an_error(broken: str) -> None:
    with pytest.raises(ModelLoadError, match=r"chat template fails: ."):
        render(broken, "s")


def test_a_renderer_that_cannot_run_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no interpreter here >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(ModelLoadError, match="no interpreter here"):
        render("{{ messages[1].content }} for a broken renderer", "s")


def test_the_renderer_has_nothing_loaded_in_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/no/such/sanitizer.so")
    assert "LD_PRELOAD" not in template._environment()
