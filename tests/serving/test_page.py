"""The commands and programs of docs/serving.md, run as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client", "openai"):
    pytest.importorskip(package)

from tools import docs
from tools.server_process import Server

PAGE = (docs.ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


def here(text: str, server: Server) -> str:
    """A text with the address of the test's server in place of the usual one."""
    assert ADDRESS in text
    return text.replace(ADDRESS, server.url)


def steady(value: Any, name: str = "") -> Any:
    """All that does not depend on the machine: of a confidence, that it is there."""
    if isinstance(value, dict):
        return {key: steady(inner, key) for key, inner in value.items() if key != "usage"}
    return None if name in ("confidence", "uncalibrated") else value


def test_the_first_request_gives_what_is_shown(server: Server) -> None:
    (command,) = re.findall(r"```bash\n(curl .*?)```", PAGE, re.DOTALL)
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert shutil.which("curl"), "the page's command needs curl"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", here(command, server)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert steady(json.loads(done.stdout)) == steady(json.loads(shown))


def test_the_program_finds_the_brand(server: Server) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", here(program, server)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Diesel" in done.stdout
    assert "Black" in done.stdout
