"""The frames of each library: their columns as Arrow arrays, and the same kind of frame again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from hpd.errors import InputError
from hpd.version import install_command

_KINDS = "a DataFrame of pandas or polars, an Arrow table, or a batch of them"


class Frame(Protocol):
    """A frame of any library."""

    @property
    def names(self) -> list[Any]:
        """The names of its columns."""

    def column(self, name: str) -> Any:
        """A column as a chunked Arrow array."""

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        """The frame of its library with further columns, which are chunked Arrow arrays."""


def open_frame(frame: object) -> Frame:
    """A frame of any kind that is known here.

    Raises:
        InputError: it is none, or one that has to be computed first; or pyarrow is missing.
    """
    pyarrow = arrow_module()
    if isinstance(frame, pyarrow.Table):
        return _Arrow(frame)
    if isinstance(frame, pyarrow.RecordBatch):
        return _Arrow(pyarrow.Table.from_batches([frame]), _only_batch)
    # A frame of a library that nobody has imported cannot be there.
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return _Pandas(frame)
    if polars is not None and isinstance(frame, polars.DataFrame):
        return _Polars(frame)
    if polars is not None and isinstance(frame, polars.LazyFrame):
        raise InputError(
            "a LazyFrame has no rows yet, and the model would read them again each time that it is "
            "collected: give frame.collect()"
        )
    if type(frame).__module__.partition(".")[0] == "datasets" and hasattr(frame, "map"):
        raise InputError(
            "a data set of Hugging Face is mapped: "
            "dataset.map(hpd.frames.BatchExtractor(schema, column='text'), batched=True)"
        )
    if isinstance(getattr(frame, "pa_table", None), pyarrow.Table):
        # A batch of datasets, whose lists would lose their types where all values are null.
        return _Arrow(frame.pa_table)  # type: ignore[attr-defined]
    if isinstance(frame, Mapping):
        return _Lists(frame)
    if hasattr(frame, "__arrow_c_stream__") and hasattr(frame, "columns"):
        return _Arrow(pyarrow.table(frame))
    kind = type(frame).__name__
    raise InputError(f"{kind} is not a frame: {_KINDS} is expected")


def texts_of(frame: Frame, name: str) -> Iterator[str | None]:
    """The texts of a column, None for null; they are made as they are asked for.

    Raises:
        InputError: there is no such column, or it does not hold text.
    """
    if name not in frame.names:
        names = ", ".join(map(str, frame.names[:20])) or "none"
        raise InputError(f"the frame has no column {name!r}; its columns: {names}")
    pyarrow = arrow_module()
    array = frame.column(name)
    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    is_text = (
        pyarrow.types.is_string(kind)
        or pyarrow.types.is_large_string(kind)
        or pyarrow.types.is_null(kind)
        or str(kind) == "string_view"
    )
    if not is_text:
        raise InputError(f"the column {name!r} should hold text, and is of the type {kind}")
    return (text for chunk in array.chunks for text in _slices(chunk))


def _slices(chunk: Any, n_rows: int = 1000) -> Iterator[str | None]:
    """The rows of an array; a few at a time are Python's."""
    for begin in range(0, len(chunk), n_rows):
        yield from chunk.slice(begin, n_rows).to_pylist()


def arrow_module() -> Any:
    """pyarrow; ``InputError`` if it is not installed."""
    try:
        import pyarrow
    except ImportError as error:
        raise InputError(f"frames need pyarrow: run `{install_command('frames')}`") from error
    return pyarrow


class _Arrow:
    """A table of Arrow, or what is made one."""

    def __init__(self, table: Any, given_back: Callable[[Any], Any] | None = None) -> None:
        self._table = table
        self._given_back = given_back

    @property
    def names(self) -> list[Any]:
        return list(self._table.column_names)

    def column(self, name: str) -> Any:
        if self.names.count(name) > 1:
            raise InputError(f"the frame has more than one column {name!r}: rename one of them")
        return self._table.column(name)

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        table = self._table
        for name, array in columns.items():
            table = table.append_column(name, array)
        return table if self._given_back is None else self._given_back(table)


def _only_batch(table: Any) -> Any:
    """The single record batch of a table that was made of one."""
    pyarrow = arrow_module()
    columns = [column.combine_chunks() for column in table.columns]
    arrays = [c.combine_chunks() if isinstance(c, pyarrow.ChunkedArray) else c for c in columns]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=table.schema)


class _Lists:
    """A dict of lists, one for each column; who gives it adds the new ones to it himself."""

    def __init__(self, lists: Mapping[Any, Any]) -> None:
        self._lists = lists

    @property
    def names(self) -> list[Any]:
        return list(self._lists)

    def column(self, name: str) -> Any:
        pyarrow = arrow_module()
        try:
            return pyarrow.chunked_array([pyarrow.array(self._lists[name], from_pandas=True)])
        except (ValueError, TypeError) as error:  # pyarrow's own derive from these
            raise InputError(f"the column {name!r} should hold text: {error}") from error

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        return {name: array.to_pylist() for name, array in columns.items()}


class _Pandas:
    """A frame of pandas, whose index is kept; the new columns have pandas' Arrow types."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def names(self) -> list[Any]:
        return list(self._frame.columns)

    def column(self, name: str) -> Any:
        pyarrow = arrow_module()
        series = self._frame[name]
        if series.ndim > 1:
            raise InputError(f"the frame has more than one column {name!r}: rename one of them")
        try:
            array = pyarrow.Array.from_pandas(series)
        except (ValueError, TypeError) as error:  # pyarrow's own derive from these
            raise InputError(f"the column {name!r} should hold text: {error}") from error
        return array if isinstance(array, pyarrow.ChunkedArray) else pyarrow.chunked_array([array])

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        import pandas

        index = self._frame.index
        series = {
            name: pandas.Series(array, index=index, dtype=pandas.ArrowDtype(array.type))
            for name, array in columns.items()
        }
        return self._frame.assign(**series)


class _Polars:
    """A frame of polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def names(self) -> list[Any]:
        return list(self._frame.columns)

    def column(self, name: str) -> Any:
        return arrow_module().chunked_array([self._frame.get_column(name).to_arrow()])

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        import polars

        series = [polars.Series(name, polars.from_arrow(array)) for name, array in columns.items()]
        return self._frame.with_columns(series)
