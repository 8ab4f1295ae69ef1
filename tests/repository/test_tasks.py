"""The commands of docs/tasks.md, as they stand there, with files of the names that they use."""

import gzip
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pdf_files import pdf_of
from server_process import serving
from small_model import small_model
from tools import docs

MADE = Path(__file__).parents[1] / "external/made"
ADDRESS = "http://127.0.0.1:8000"
TITLES = ["Luma Cotton T-Shirt for Men, White, XL", "Tavola Frying Pan, black"]

PACKAGES = {
    "[files]": (),
    "[frames]": ("narwhals", "pyarrow", "pandas"),
    "[html]": ("inscriptis",),
    "[mcp]": ("mcp",),
    "[office]": ("inscriptis", "openpyxl", "python_calamine", "oxmsg"),
    "[parquet]": ("pyarrow",),
    "[pdf]": ("pypdfium2",),
    "[ray]": ("ray", "pyarrow"),
    "[serve]": ("fastapi", "uvicorn", "httptools", "prometheus_client"),
}
"""What the extras install, as far as a task needs it."""

EXPECTED = {
    "Word and OpenDocument": "4711",
    "Rows of a spreadsheet": "Wool coat",
    "Slides": "35",
    "A book": "4711",
    "Check how a schema is read": "the maker",
    "Continue an interrupted run": "order                     input",
    "Score the values": "right",
    "Check the installation": "ok",
}
"""What a task prints or writes where it is not a value of ``brand``, whichever that is."""

_PAGE = (docs.ROOT / "docs/tasks.md").read_text(encoding="utf-8")
TASKS = dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", _PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def server():
    with serving("-t", "1") as server:
        yield server


@pytest.fixture
def folder(tmp_path):
    """The files of the page."""
    shirt, pan = TITLES
    goods = [
        {"text": shirt, "title": shirt, "sku": "a1", "kind": "clothes"},
        {"text": pan, "title": pan, "sku": "a2", "kind": "pans"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in goods).encode()
    table = f'sku,title\na1,"{shirt}"\na2,"{pan}"\n'
    letter = f"From: a@shop.example\nSubject: order\n\n{shirt}\n"
    answers = [{"brand": "Luma", "color": "White"}, {"brand": "Tavola", "color": "black"}]
    gold = "".join(json.dumps({"id": i, "data": row}) + "\n" for i, row in enumerate(answers, 1))
    files = {
        "texts/shirt.txt": shirt.encode(),
        "texts/more/pan.txt": pan.encode(),
        "titles.txt": "\n".join(TITLES).encode(),
        "listings.csv": table.encode(),
        "old.csv": f"text\tprice\n{shirt}\t12,50 €\n".encode("cp1252"),
        "listings.jsonl": lines,
        "listings.jsonl.gz": gzip.compress(lines),
        "goods.jsonl": lines,
        "gold.jsonl": gold.encode(),
        "invoices/2026/shirt.pdf": pdf_of(shirt),
        "pages/shirt.html": f"<title>Shop</title><p>{shirt}</p>".encode(),
        "mails/order.eml": letter.encode(),
        "letter.docx": (MADE / "w.docx").read_bytes(),
        "letter.odt": (MADE / "w.odt").read_bytes(),
        "stock.xlsx": (MADE / "t.xlsx").read_bytes(),
        "slides.pptx": (MADE / "p.pptx").read_bytes(),
        "book.epub": (MADE / "w.epub").read_bytes(),
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    if importlib.util.find_spec("pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet

        pa.parquet.write_table(pa.table({"title": TITLES}), tmp_path / "listings.parquet")
    return tmp_path


def need(text):
    """Skip the test if a task's text names what is not installed."""
    for extra in re.findall(r"`(\[\w+\])`", text):
        for package in PACKAGES[extra]:
            pytest.importorskip(package)
    for package in ("openai", "pydantic"):
        if f"from {package} import" in text:
            pytest.importorskip(package)
    if "docker" in text and (
        shutil.which("docker") is None
        or subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no Docker engine can be reached")


def written(folder):
    """What a task wrote, as text."""
    text = ""
    for file in folder.glob("values.*"):
        if file.suffix == ".parquet":
            import pyarrow.parquet

            text += str(pyarrow.parquet.read_table(file).to_pylist())
        elif file.suffix == ".xlsx":
            import openpyxl

            text += str(list(openpyxl.load_workbook(file).active.values))
        elif file.is_file():
            text += file.read_text(encoding="utf-8")
    return text


def test_there_are_thirty_tasks():
    assert len(TASKS) >= 30
    assert EXPECTED.keys() <= TASKS.keys()


@pytest.mark.parametrize("task", TASKS)
def test_a_task(task, folder, request):
    text = TASKS[task]
    script = ""
    if ADDRESS in text:
        need("`[serve]`")
        text = text.replace(ADDRESS, request.getfixturevalue("server").url)
    need(text)
    for language, block in re.findall(r"^```(bash|python)\n(.*?)^```", text, re.M | re.S):
        script += block if language == "bash" else f"python - <<'END'\n{block}END\n"
    root = docs.ROOT if "checkout" in text else folder
    printed = docs.run(script, root, small_model())
    assert EXPECTED.get(task, "brand") in printed + written(folder)
