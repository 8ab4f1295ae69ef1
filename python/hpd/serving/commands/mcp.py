"""``hpd mcp``: values for assistants, over the Model Context Protocol."""

from __future__ import annotations

import argparse
import threading
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import add_option_arguments, parsed_options
from hpd.cli.common import EXIT_OK, UsageError
from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.extras import require_extra
from hpd.files.reader import RecordReader
from hpd.pipeline.cancellation import Cancellation
from hpd.pipeline.plan import RunPlan, plan_run
from hpd.schema import as_schemas, describe_all, to_json_schemas
from hpd.version import __version__

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from hpd.extractor import Extractor

MAX_DOCUMENTS = 256
"""Maximum number of documents per call, as an assistant reads the whole result."""

_DESCRIPTION = """\
Let an assistant extract values from texts, and from files in the named folders, over standard input
and output (Model Context Protocol). The model runs on this machine, and nothing leaves it. There
are two tools: extract (a text or file path, and a schema) and schema (how hpd reads a schema).

  hpd mcp ~/invoices ~/mails
  claude mcp add hpd -- hpd mcp ~/invoices        # an example for one assistant
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "mcp", usage="%(prog)s [FOLDER ...] [options]", description=_DESCRIPTION
    )
    parser.add_argument(
        "folders",
        metavar="FOLDER",
        nargs="*",
        help="folder whose files may be read; by default none",
    )
    parser.set_defaults(run=run)
    add_option_arguments(parser, leave_out=("on_invalid",))


def run(arguments: argparse.Namespace) -> int:
    require_extra("hpd mcp", "mcp", ("mcp",))
    folders = [Path(folder).resolve() for folder in arguments.folders]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder")
    options = parsed_options(arguments).with_settings({"on_invalid": "record", "quiet": True})
    # Extractors need a schema; this one is never used.
    plan = plan_run(["value"], arguments.model, arguments.hf_repo, options)
    plan.model  # noqa: B018 - a missing one is an error now, not at the first extraction
    tools = Tools(folders, plan)
    try:
        _server(tools).run("stdio")
    finally:
        tools.close()
    return EXIT_OK


class Tools:
    """The tools that the server offers to an assistant; thread-safe.

    Args:
        folders: folders whose files may be read.
        plan: the model, and the options of reading and decoding. The model is loaded at the first
            extraction, as assistants start more servers than they use.
    """

    def __init__(self, folders: list[Path], plan: RunPlan) -> None:
        self._folders = folders
        self._plan = plan
        self._extractor: Extractor[Any] | None = None
        self._lock = threading.Lock()

    def extract(
        self, schema: object, text: str | None, path: str | None, cancellation: Cancellation
    ) -> dict[str, Any]:
        """Extract from a text, or from the documents of a file.

        Raises:
            CallCancelledError: ``cancellation`` was cancelled.
            HpdError: the schema or the file cannot be read, or the file is not allowed.
        """
        if (text is None) == (path is None):
            raise InputError("give either a text or a path")
        schemas = as_schemas(schema)
        documents = [Document(text)] if text is not None else self._documents(Path(path or ""))
        n_more = max(0, len(documents) - MAX_DOCUMENTS)
        extractions = dict(
            self._open_extractor().iter_indexed(
                documents[:MAX_DOCUMENTS],
                schema=schemas,
                on_error="record",
                cancellation=cancellation,
            )
        )
        lines = {"extractions": [extractions[index].to_dict() for index in sorted(extractions)]}
        note = {"note": f"the file has more documents; only the first {MAX_DOCUMENTS} were read"}
        return {**lines, **note} if n_more else lines

    def schema(self, schema: object) -> dict[str, Any]:
        """Show how a schema is read: a table, and JSON Schema.

        Raises:
            HpdError: it cannot be read.
        """
        schemas = as_schemas(schema)
        return {"table": describe_all(schemas), "json_schema": to_json_schemas(schemas)}

    def close(self) -> None:
        if self._extractor is not None:
            self._extractor.close()

    def _documents(self, path: Path) -> list[Document]:
        # Resolve links and .. before checking the folder.
        candidates = [(folder / path).resolve() for folder in self._folders] or [path]
        full = next((each for each in candidates if each.exists()), candidates[0])
        if not any(full.is_relative_to(folder) for folder in self._folders):
            allowed = ", ".join(map(str, self._folders)) or "none: give folders to hpd mcp"
            raise InputError(f"{path} is not in an allowed folder ({allowed})")
        documents = []
        with RecordReader(full) as reader:
            for record in islice(reader, MAX_DOCUMENTS + 1):
                if record.error is not None:
                    raise record.error
                documents.append(record)
        return documents

    def _open_extractor(self) -> Extractor[Any]:
        from hpd.extractor import Extractor

        with self._lock:
            if self._extractor is None:
                self._extractor = Extractor.from_plan(self._plan)
            return self._extractor


def _server(tools: Tools) -> MCPServer[Any]:
    import anyio.to_thread
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server: MCPServer[Any] = MCPServer("hpd", version=__version__, log_level="WARNING")

    async def call(function: Any, *arguments: Any) -> dict[str, Any]:
        try:
            result: dict[str, Any] = await anyio.to_thread.run_sync(
                function, *arguments, abandon_on_cancel=True
            )
        except HpdError as error:
            raise ToolError(str(error)) from error
        return result

    @server.tool()
    async def extract(
        schema: str | list[str] | dict[str, Any], text: str | None = None, path: str | None = None
    ) -> dict[str, Any]:
        """Fill a schema from a text, or from each document of a local file (text, PDF, e-mail,
        HTML, CSV, JSON Lines, Parquet), with a model on this machine. A value has a confidence
        and, if the document states it, its place there; null means it is not stated.

        The schema is one line ("brand: the maker, color, price float?"), a list of names, an
        object of name to description, or a JSON Schema.
        """
        cancellation = Cancellation()
        try:
            return await call(tools.extract, schema, text, path, cancellation)
        finally:
            cancellation.cancel()

    @server.tool()
    async def schema(schema: str | list[str] | dict[str, Any]) -> dict[str, Any]:
        """Show how extract reads a schema: a table, and JSON Schema."""
        return await call(tools.schema, schema)

    return server
