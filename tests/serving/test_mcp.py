"""``hpd mcp``, asked by the SDK's own client over standard input and output."""

import asyncio
import json
import os
import sys

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from command_line import run_hpd
from hpd.cli.common import EXIT_USAGE


def answers(folder, *calls):
    """Whether each call is an error, and the text that it gives."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hpd.cli", "mcp", "-t", "1", str(folder)],
        env=dict(os.environ),
    )

    async def asked():
        async with Client(stdio_client(server)) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["extract", "schema"]
            found = []
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                found.append((bool(result.is_error), result.content[0].text))
            return found

    return asyncio.run(asyncio.wait_for(asked(), 120))


def test_an_assistant_fills_schemas_from_texts_and_files(tmp_path):
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "a.csv").write_text('text\n"Luma T-shirt, red, cotton"\n"Diesel sneaker, black"\n')
    (tmp_path / "secret.txt").write_text("Diesel")
    (allowed / "link.txt").symlink_to(tmp_path / "secret.txt")
    schema = "brand: the maker, color"
    found = answers(
        allowed,
        ("extract", {"text": "Diesel Men's sneaker, Black", "schema": schema}),
        ("extract", {"path": "a.csv", "schema": ["brand", "color"]}),
        ("extract", {"path": str(tmp_path / "secret.txt"), "schema": schema}),
        ("extract", {"path": "link.txt", "schema": schema}),
        ("extract", {"path": "../secret.txt", "schema": schema}),
        ("extract", {"schema": schema}),
        ("extract", {"text": "x", "schema": "secret.json"}),
        ("schema", {"schema": "price float?"}),
    )
    assert [is_error for is_error, _ in found] == [False, False, *[True] * 5, False]
    texts = [text for _, text in found]
    (line,) = json.loads(texts[0])["extractions"]
    assert line["data"] == {"brand": "Diesel", "color": "Black"}
    assert line["fields"]["brand"]["start"] == 0
    of_file = json.loads(texts[1])["extractions"]
    assert [line["id"] for line in of_file] == ["1", "2"]
    assert of_file[1]["data"]["color"] == "black"
    assert all("not in an allowed folder" in text for text in texts[2:5])
    assert "either a text or a path" in texts[5]
    assert "names a file or a Python class" in texts[6]
    assert json.loads(texts[7])["json_schema"]["properties"]["price"]["type"] == ["number", "null"]


def test_a_folder_that_is_none_is_an_error_of_usage(tmp_path):
    done = run_hpd("mcp", str(tmp_path / "gone"))
    assert done.returncode == EXIT_USAGE
    assert "is not a folder" in done.stderr
