"""The commands and programs of docs/serving.md, run as they stand there."""

import json
import re
import shutil
import subprocess
import sys

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client", "openai"):
    pytest.importorskip(package)

from tools import docs

PAGE = (docs.ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


def here(text, server):
    """A text with the address of the test's server in place of the usual one."""
    assert ADDRESS in text
    return text.replace(ADDRESS, server.url)


def steady(value, name=""):
    """All that does not depend on the machine: of a confidence, that it is there."""
    if isinstance(value, dict):
        return {key: steady(inner, key) for key, inner in value.items() if key != "usage"}
    return None if name in ("confidence", "uncalibrated") else value


def test_the_first_request_gives_what_is_shown(server):
    (command,) = re.findall(r"```bash\n(curl .*?)```", PAGE, re.DOTALL)
    shown, _ = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert shutil.which("curl"), "the page's command needs curl"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", here(command, server)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert steady(json.loads(done.stdout)) == steady(json.loads(shown))


def test_the_decisions_shown_are_made(server):
    _, shown = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    answers = server.post("/v1/systemone", json.loads(shown)).json["answers"]
    assert 0 <= answers["refund"]["noul"] <= 1
    assert answers["team"]["choice"] in ("billing", "shipping")
    assert 0 <= answers["tone"]["score"] <= 2


def test_the_program_finds_the_brand(server):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", here(program, server)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Diesel" in done.stdout
    assert "Black" in done.stdout
