"""What the pages show as typed and printed, one command after another."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest

from server_process import listening
from tools import docs

TEXTS = {
    "invoices/bolt.txt": "Bolt Ltd\nInvoice number: 44-A\nDue date: 2 April 2026\n"
    "Total: GBP 235.60\n",
    "invoices/lumen.eml": "From: billing@lumen.example\nSubject: Invoice L-77\n\n"
    "Your invoice L-77 is due on 1 April 2026. Total: 19.00 EUR\n",
}
MORE = "Hill & Sons\nInvoice no. 1207\nDue: 2026-05-11\nAmount due 88.20 EUR\n"


def page(name):
    return (docs.ROOT / "docs" / name).read_text(encoding="utf-8")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(block):
    """The commands of a block, each with the lines that it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def walk(block, folder):
    """Run the commands of a block, which may fail, and compare what they print."""
    for command, expected in commands(block):
        printed = docs.run(f"{{ {command}\n}} || true", folder)
        assert steady(printed) == steady(expected), command


def steady(printed):
    """What is printed, without speeds and the order of the two streams."""
    return sorted(re.sub(r"[\d.]+ a second", "N a second", printed).split("\n"))


def test_from_a_folder_to_a_workbook_with_a_correction(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    first, again = blocks(page("first-steps.md"), "console")
    walk(first, tmp_path)
    book = openpyxl.load_workbook(tmp_path / "values.xlsx")
    (cell,) = (each for each in book.active["D"] if each.value == 19)
    cell.value = 21
    book.save(tmp_path / "values.xlsx")
    (tmp_path / "invoices/more.txt").write_text(MORE)
    walk(again, tmp_path)


def test_a_handler_of_fastapi(tmp_path, monkeypatch):
    for package in ("fastapi", "uvicorn", "pydantic"):
        pytest.importorskip(package)
    text = page("python.md").partition("### In a FastAPI handler")[2]
    (tmp_path / "app.py").write_text(blocks(text, "python")[0])
    (start, _), *asked = commands(blocks(text, "console")[0])
    assert start == "python -m uvicorn app:app --port 8001 &"
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HPD_MODEL")
    with listening("-m", "uvicorn", "app:app", "--port", "0") as server:
        assert len(asked) == 2
        for command, expected in asked:
            here = command.replace("http://127.0.0.1:8001", server.url)
            assert docs.run(here, tmp_path) == expected.rstrip("\n")


def test_a_service_of_systemd(tmp_path, tiny_model):
    for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
        pytest.importorskip(package)
    (unit,) = blocks(page("serving.md"), "ini")
    (started,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    program, *arguments = shlex.split(started)
    if shutil.which("systemd-analyze"):
        file = tmp_path / "hpd.service"
        file.write_text(unit.replace(program, sys.executable))
        done = subprocess.run(
            ["systemd-analyze", "verify", file], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
    arguments[arguments.index("-m") + 1] = str(tiny_model("qwen3"))
    arguments[arguments.index("--port") + 1] = "0"
    with listening("-m", "hpd.cli", *arguments, "-t", "1") as server:
        assert server.post("/extract", {"text": "Luma lamp", "schema": "product"}).status == 200
        assert server.end() == 0
    shown = blocks(page("serving.md"), "text")[-1].splitlines()
    assert [re.sub(r"\d+", "N", line) for line in server.said[-len(shown) :]] == [
        re.sub(r"\d+", "N", line) for line in shown
    ]
