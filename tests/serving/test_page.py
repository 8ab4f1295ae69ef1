"""The commands and programs of docs/serving.md, run as they stand there."""

import json
import re
import shutil
import subprocess
import sys

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client", "openai"):
    pytest.importorskip(package)

from hpd.models.model_files import bundled_model
from hpd.serving.commands import serve
from server_process import serving
from tools import docs

PAGE = (docs.ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def server():
    """A server with the model that readers have."""
    with serving("-t", "1", "-m", str(bundled_model())) as server:
        yield server


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


def test_the_request_in_the_help_finds_both_values(server):
    (command,) = re.findall(r"^  (curl .*\n.*)$", serve._DESCRIPTION, re.MULTILINE)
    body = re.search(r"--json '(.*)'", command)[1]
    data = server.post("/extract", json.loads(body)).json["data"]
    assert data == {"brand": "Nordvik", "color": "black"}


def test_the_text_on_the_page_has_its_values(server):
    text, schema = re.findall(r"<textarea .*>(.+)</textarea>", server.get("/").body.decode())
    data = server.post("/extract", {"text": text, "schema": schema}).json["data"]
    assert data == {"brand": "Nordvik", "color": "black", "price": 129.5}


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
    assert done.stdout == "brand='Nordvik' color='black'\n0\n"
