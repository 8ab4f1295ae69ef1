"""The commands, outputs and programs in the README and the docs, run as they stand there."""

import json
import re
import shlex

import pytest

from tools import docs

MAP = docs.ROOT / "llms.txt"
README = docs.PAGES[0].read_text(encoding="utf-8")
OUTPUTS = [block for page in docs.PAGES for block in docs.blocks(page) if block.kind == "output"]
EXAMPLES = sorted(path.name for path in (docs.ROOT / "examples").iterdir() if path.is_dir())

# What differs from machine to machine: times, and what rounding decides.
_VARIES = {"usage", "confidence", "uncalibrated"}
NEAR_TIE = re.compile(r"=~[^;\n]*")
"""An answer that another processor may give differently, as `models/recipe/written.py` marks it."""


def same_everywhere(printed):
    """JSON without what varies; text, which must not vary but for near ties."""
    try:
        parsed = [json.loads(printed)]
    except json.JSONDecodeError:
        try:
            parsed = [json.loads(line) for line in printed.splitlines()]
        except json.JSONDecodeError:
            return NEAR_TIE.sub("=~", printed).split()
    return [steady(each) for each in parsed]


def steady(value):
    """A JSON value without what varies."""
    if isinstance(value, dict):
        return {key: steady(inner) for key, inner in value.items() if key not in _VARIES}
    return [steady(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("block", OUTPUTS, ids=lambda block: f"{block.page.name}:{block.what}")
def test_a_command_prints_what_is_shown(block):
    assert same_everywhere(docs.run(block.what)) == same_everywhere(block.text)


def test_the_first_command_is_the_one_whose_output_is_shown():
    install, _, extract = docs.command("install").partition(" && ")
    assert install == """CMAKE_ARGS="-DCMAKE_PROJECT_INCLUDE='$PWD/slim.cmake'" pip install ."""
    # A terminal shows a table of itself.
    assert f"{extract} --show table" in [block.what for block in OUTPUTS]


def rows(file):
    """The lines of a JSONL file."""
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def programs():
    """The Python of the pages that need no extra."""
    for page in (docs.PAGES[0], docs.ROOT / "docs/python.md"):
        text = page.read_text(encoding="utf-8")
        yield from re.findall(r"<!-- python -->\n```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("program", [*programs()])
def test_a_program_runs(program):
    printed = docs.run(f"python -W error -c {shlex.quote(program)}")
    assert printed.startswith("{")


def test_the_notebook_runs():
    folder = docs.ROOT / "examples"
    cells = json.loads((folder / "first_steps.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    # The last line of a cell is what Jupyter shows.
    shown = [re.sub(r"^(\w.*)\Z", r"print(\1)", each, flags=re.MULTILINE) for each in code]
    program = "\n\n".join(shown)
    printed = docs.run(f"python -W error -c {shlex.quote(program)}", folder)
    assert "Sneaker" in printed
    assert "Product(brand=" in printed


def test_every_example_is_in_the_readme():
    assert len(EXAMPLES) == 5
    for name in EXAMPLES:
        (schema,) = (docs.ROOT / "examples" / name).glob("schema.*")
        source = f"examples/{name}/documents.jsonl"
        assert f"hpd extract {source} --schema examples/{name}/{schema.name}" in README


@pytest.mark.parametrize("name", EXAMPLES)
def test_most_of_an_example_s_values_are_found(name):
    folder = docs.ROOT / "examples" / name
    (schema,) = folder.glob("schema.*")
    printed = docs.run(f"hpd extract {folder}/documents.jsonl --schema {schema} --quiet")
    found = {line["id"]: line["data"] for line in map(json.loads, printed.splitlines())}
    gold = {row["id"]: row["data"] for row in rows(folder / "answers.jsonl")}
    assert found.keys() == gold.keys()
    # The answers are what a document states, whatever the bundled model makes of it.
    right = [
        found[each].get(field) == value for each in gold for field, value in gold[each].items()
    ]
    assert sum(right) > 0.6 * len(right)


@pytest.mark.parametrize("name", EXAMPLES)
def test_answers_stand_beside_their_documents(name):
    folder = docs.ROOT / "examples" / name
    documents, answers = rows(folder / "documents.jsonl"), rows(folder / "answers.jsonl")
    assert documents == [{key: row[key] for key in ("id", "text")} for row in answers]


def test_links_lead_somewhere():
    for page in (*docs.PAGES, MAP):
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_map_for_models():
    text = MAP.read_text(encoding="utf-8")
    missing = [page.name for page in docs.PAGES if f"{page.relative_to(docs.ROOT)})" not in text]
    assert missing == []
    assert docs.command("install").partition(" && ")[0] in text
