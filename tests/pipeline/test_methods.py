"""The limits of a decoding method, and the answer grammar that autoregression obeys."""

import json

import jsonschema
import pytest

from hpd import Options
from hpd.cli import main
from hpd.errors import SchemaError
from hpd.pipeline.task import check_method
from hpd.schema import Schemas, load_schema, load_schemas, to_json_schema
from shop import TEXTS
from small_extractor import extracted


def test_autoregression_refuses_attributes_before_those_that_they_come_after():
    ar = Options(method="ar")
    check_method(ar, load_schemas("brand, color after brand"))
    with pytest.raises(SchemaError, match=r"color comes after brand, but stands before it"):
        check_method(ar, load_schemas("color after brand, brand"))
    with pytest.raises(SchemaError, match=r"category 'tea': lines: qty comes after item"):
        check_method(ar, Schemas.of({"tea": load_schema("lines [{qty int after item, item}]")}))
    check_method(Options(), load_schemas("color after brand, brand"))


def test_the_command_line_says_so_before_any_model_is_loaded(tmp_path, capsys):
    source = tmp_path / "in.txt"
    source.write_text("Diesel sneaker\n")
    command = ["extract", str(source), "-m", "no-such.gguf", "--set", "method=ar", "--schema"]
    assert main([*command, "color after brand, brand"]) == 2
    assert "color comes after brand" in capsys.readouterr().err
    assert main([*command, "brand", "--set", "layout=skeleton"]) == 2
    assert "layout cannot be combined with method 'ar'" in capsys.readouterr().err


@pytest.mark.parametrize("stack", [1, 2])
def test_an_answer_of_random_weights_obeys_the_schema(tiny_model, stack):
    """A model of random weights writes no JSON of its own: only the grammar can make it."""
    schema = load_schema('color [red|blue], size int, sold bool, maker {"since" date}')
    settings = {"method": "ar", "stack": stack, "temperature": 2.0, "max_tokens": 32}
    checker = jsonschema.Draft202012Validator(to_json_schema(schema))
    extractions = extracted(schema, tiny_model("qwen3"), TEXTS, **settings)
    for extraction in extractions:
        assert not [field.error for field in extraction.fields.values() if field.error]
        checker.validate(json.loads(extraction.to_json())["data"])
    # Each document of a stack may be null as a whole.
    colors = [extraction.fields["color"].raw for extraction in extractions]
    assert stack > 1 or any("red" in raw or "blue" in raw for raw in colors)
