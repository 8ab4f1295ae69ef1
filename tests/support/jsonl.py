"""Files of JSON lines, written and read."""

import json


def write_lines(path, *rows):
    """Write one line for each row: text as it is, anything else as JSON."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read_lines(source):
    """The values of a file's lines, or of a text's."""
    text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def write_texts(path, *texts):
    """Write one document for each text."""
    return write_lines(path, *({"text": text} for text in texts))
