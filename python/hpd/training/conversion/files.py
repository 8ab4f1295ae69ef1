"""Files of a conversion: JSON in and out, and outputs that appear whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hpd.errors import InputError


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; ``InputError`` names the file that cannot be read."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    return data


def write_json(path: Path, data: object) -> None:
    """Write an object for people and programs to read."""
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


class Scratch:
    """A file beside the output that is gone afterwards, come what may."""

    def __init__(self, output: Path, suffix: str) -> None:
        self.path = output.with_name(output.name + suffix)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.path.unlink(missing_ok=True)


class Replacing(Scratch):
    """A new file that takes the output's place as one, and only if all went well."""

    def __init__(self, output: Path) -> None:
        super().__init__(output, ".new")
        self.output = output

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            os.replace(self.path, self.output)
        else:
            self.path.unlink(missing_ok=True)
