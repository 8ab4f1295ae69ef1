"""The commands of docs/tasks.md, as they stand there, with files of the names that they use."""

import gzip
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pdf_files import pdf_of, table_pdf
from server_process import serving
from small_model import small_model
from tools import docs

MADE = Path(__file__).parents[1] / "files/made"
ADDRESS = "http://127.0.0.1:8000"
TITLES = ["Luma Cotton T-Shirt for Men, White, XL", "Tavola Frying Pan, black"]

PACKAGES = {
    "[files]": (),
    "[frames]": ("narwhals", "pyarrow", "pandas"),
    "[html]": ("inscriptis",),
    "[mcp]": ("mcp",),
    "[ocr]": ("PIL", "pypdfium2"),
    "[office]": ("inscriptis", "openpyxl", "python_calamine", "oxmsg"),
    "[parquet]": ("pyarrow",),
    "[pdf]": ("pypdfium2",),
    "[ray]": ("ray", "pyarrow"),
    "[serve]": ("fastapi", "uvicorn", "httptools", "prometheus_client"),
}
"""What the extras install, as far as a task needs it."""

EXPECTED = {
    "Word and OpenDocument": "4711",
    "A bank statement that adds up": "lines",
    "A contract of 40 pages": "ends_on",
    "A table over three pages": "lines",
    "A workbook with several sheets": "Wool coat",
    "Invoices to a sheet": "invoice_number",
    "Lab reports": "patient",
    "Orders by e-mail": "order.eml/lines.txt",
    "Resumes": "skills",
    "Scans": "scans/receipt.png",
    "Slides": "35",
    "A book": "4711",
    "Check how a schema is read": "the maker",
    "Continue an interrupted run": "--with-text               False",
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
    letter = (
        "From: a@shop.example\nSubject: order 4711\nContent-Type: multipart/mixed; boundary=B\n\n"
        f"--B\n\nOrder 4711: {shirt}\n--B\nContent-Disposition: attachment; filename=lines.txt\n"
        "Content-Type: text/plain\n\nOrder 4711\n2 hammers\n3 saws\n--B--\n"
    )
    invoice = [
        ("Luma Ltd",),
        ("Invoice number", "LU-4711"),
        ("Date", "2024-05-31"),
        ("Total", "90"),
    ]
    statement = [
        ("Date", "Text", "Amount"),
        ("2024-05-02", "Rent", "-600.00"),
        ("2024-05-09", "Salary", "1900.00"),
        ("", "Total", "1300.00"),
    ]
    head = ("Item", "Quantity", "Amount")
    stock = [[head, (item, "2", "24.00")] for item in ("Hammer", "Saw", "Drill")]
    clauses = [f"{n}. The parties keep clause {n}." for n in range(1, 39)]
    contract = ["Contract between Alder Ltd and Birch GmbH", *clauses, "It ends on 2027-12-31."]
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
        "invoices/2026/luma.pdf": table_pdf(invoice),
        "statement.pdf": table_pdf(statement),
        "table.pdf": table_pdf(*stock),
        "contract.pdf": pdf_of(*contract),
        "labs/ann.txt": b"Patient: Ann Miller\nTest Value Unit\nGlucose 5.4 mmol/l\n",
        "resumes/ann.txt": b"Ann Miller\nSkills: Python\nBosch, engineer, 2019 to 2024\n",
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


@pytest.fixture
def scans(folder, monkeypatch):
    """A scan, and a stand-in for what recognises its text."""
    pytest.importorskip("PIL.Image").new("RGB", (400, 100), "white").save(
        make_folder(folder / "scans") / "receipt.png"
    )
    stand_in = make_folder(folder / "stand_in") / "rapidocr_onnxruntime.py"
    box = [[20, 20], [200, 20], [200, 40], [20, 40]]
    line = [box, "Invoice number LU-4711", 0.99, [], [], []]
    stand_in.write_text(f"def RapidOCR():\n    return lambda pixels, **_: ([{line}], [0.1])\n")
    monkeypatch.setenv("PYTHONPATH", str(stand_in.parent), prepend=os.pathsep)


def make_folder(path):
    path.mkdir()
    return path


def need(text):
    """Skip the test if a task's text names what is not installed."""
    extras = re.findall(r"`(\[\w+\])`", text)
    if extras == [f"[{os.environ.get('HPD_EXTRA')}]"]:
        return  # by `nox -s extras`, which finds out whether the extra has all that the task needs
    for extra in extras:
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
    if "`[ocr]`" in text:
        request.getfixturevalue("scans")
    for language, block in re.findall(r"^```(bash|python)\n(.*?)^```", text, re.M | re.S):
        script += block if language == "bash" else f"python - <<'END'\n{block}END\n"
    root = docs.ROOT if "checkout" in text else folder
    printed = docs.run(script, root, small_model())
    assert EXPECTED.get(task, "brand") in printed + written(folder)
