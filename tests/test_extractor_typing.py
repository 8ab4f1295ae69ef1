"""The types that a type checker sees: data of the schema's class, and wrong names of options."""

from dataclasses import fields
from typing import get_type_hints

import pytest

from command_line import run_python
from hpd.options import Options, Settings

PROGRAM = """
from dataclasses import dataclass
from typing import TypedDict
import hpd

@dataclass
class Shoe:
    brand: str | None
    size: float | None

class Row(TypedDict):
    brand: str | None

with hpd.Extractor(Shoe) as extractor:
    reveal_type(extractor.extract("x").data)
    reveal_type(next(extractor.extract_many(["x"])).data)
    reveal_type(extractor.aextract_many(["x"]))
    reveal_type(extractor.extract("x", schema=Row).data)
    reveal_type(extractor.extract("x", schema="brand").data)
reveal_type(hpd.Extractor("brand").extract("x").data)
reveal_type(hpd.extract("x", Shoe).data)
hpd.extract("x", Shoe, max_tokns=3)
hpd.Extractor(Shoe, in_flight="many")
"""


def test_options_and_their_types_are_those_of_the_table():
    assert get_type_hints(Settings) == {
        field.name: get_type_hints(Options)[field.name] for field in fields(Options)
    }


def test_a_type_checker_knows_the_data_and_the_options(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run_python("-m", "mypy", "--no-incremental", "--config-file", "", program, cwd=tmp_path)
    revealed = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed" in line]
    assert revealed == [
        *("program.Shoe", "program.Shoe"),
        "typing.AsyncGenerator[hpd.results.Extraction[program.Shoe], None]",
        "TypedDict(program.Row, {'brand': str | None})",
        *("dict[str, Any]", "dict[str, Any]", "program.Shoe"),
    ], done.stdout
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    wrong = [PROGRAM.splitlines()[int(line.split(":")[1]) - 1] for line in errors]
    assert set(wrong) == set(PROGRAM.splitlines()[-2:]), done.stdout
