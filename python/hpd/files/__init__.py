"""Records: documents read from files of any format, and results written as lines.

Everything is lazy, so ten million lines take no more memory than ten. A line that cannot be read
becomes a record with an ``error``, and the others go on.
"""

from hpd.files.inputs import InputReader, Shard, parse_shard, skipped_text
from hpd.files.journal import journal_path
from hpd.files.reader import (
    TEXT_FIELDS,
    Record,
    RecordReader,
    guess_format,
    kept_columns,
    source_name,
)
from hpd.files.rows import FORMATS, Format, page_of
from hpd.files.writer import (
    FileWriter,
    StreamWriter,
    Writer,
    error_line,
)

__all__ = [
    "FORMATS",
    "TEXT_FIELDS",
    "FileWriter",
    "Format",
    "InputReader",
    "Record",
    "RecordReader",
    "Shard",
    "StreamWriter",
    "Writer",
    "error_line",
    "guess_format",
    "journal_path",
    "kept_columns",
    "page_of",
    "parse_shard",
    "skipped_text",
    "source_name",
]
