"""Reads texts from the frames of several libraries and adds columns, through narwhals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hpd.errors import InputError
from hpd.extras import import_extra

_KNOWN_FRAMES = "a DataFrame of pandas or polars, an Arrow table, or a batch of them"
_N_ROWS = 1000
"""Number of rows that are converted to Python objects at a time."""


def _import_library(name: str) -> Any:
    return import_extra(name, name, "frames", "hpd.frames")


def arrow_module() -> Any:
    """Import pyarrow; raise ``MissingPackageError`` if it is not installed."""
    return _import_library("pyarrow")


class Frame:
    """A frame of any library, whose existing columns are not changed."""

    def __init__(
        self, native: Any, convert_back: Callable[[Any], Any] = lambda frame: frame
    ) -> None:
        self._native = native
        self._convert_back = convert_back
        self.names: list[Any] = list(getattr(native, "column_names", None) or native.columns)
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"the frame has more than one column {twice!r}: rename one of them")
        self._frame = _import_library("narwhals").from_native(native, eager_only=True)

    def values(self, name: Any) -> Iterator[Any]:
        """Yield the values of a column as Python objects, None for null."""
        series = self._frame.get_column(name)
        for begin in range(0, len(series), _N_ROWS):
            part = series[begin : begin + _N_ROWS]
            for value, is_null in zip(part.to_list(), part.is_null().to_list(), strict=True):
                yield None if is_null else value

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        """Return the library's frame with new columns, given as chunked Arrow arrays."""
        narwhals = _import_library("narwhals")
        kind = self._frame.implementation
        if kind.is_pandas():
            import pandas

            series = {
                name: pandas.Series(
                    array, index=self._native.index, dtype=pandas.ArrowDtype(array.type)
                )
                for name, array in columns.items()
            }
            return self._native.assign(**series)
        new_columns = narwhals.from_arrow(arrow_module().table(dict(columns)), backend=kind)
        return self._convert_back(
            narwhals.concat([self._frame, new_columns], how="horizontal").to_native()
        )


class _ListFrame(Frame):
    """A dict with a list per column; callers add the new columns to it themselves."""

    def __init__(self, lists: Mapping[Any, Any]) -> None:
        self._lists = lists
        self.names = list(lists)

    def values(self, name: Any) -> Iterator[Any]:
        return iter(self._lists[name])

    def with_columns(self, columns: Mapping[str, Any]) -> Any:
        return {name: array.to_pylist() for name, array in columns.items()}


def open_frame(frame: Any) -> Frame:
    """Open a frame of any supported kind.

    Raises:
        InputError: the kind is not supported, or must be computed first; or a package is missing.
    """
    pyarrow = arrow_module()
    kind = type(frame).__name__
    if kind == "LazyFrame":
        raise InputError(
            "a LazyFrame has no rows yet, and the model would read them again each time that it is "
            "collected: give frame.collect()"
        )
    if type(frame).__module__.partition(".")[0] == "datasets" and hasattr(frame, "map"):
        raise InputError(
            "a Hugging Face data set is not a frame: use "
            "dataset.map(hpd.frames.BatchExtractor(schema, column='text'), batched=True)"
        )
    if isinstance(frame, pyarrow.RecordBatch):
        return Frame(pyarrow.Table.from_batches([frame]), _only_batch)
    if isinstance(frame, pyarrow.Table):
        return Frame(frame)
    if isinstance(getattr(frame, "pa_table", None), pyarrow.Table):
        # A batch of datasets, whose lists would lose their types if all values were null.
        return Frame(frame.pa_table)
    if isinstance(frame, Mapping):
        return _ListFrame(frame)
    if not hasattr(frame, "columns"):
        raise InputError(f"{kind} is not a frame: {_KNOWN_FRAMES} is expected")
    try:
        return Frame(frame)
    except TypeError as error:
        if not hasattr(frame, "__arrow_c_stream__"):
            raise InputError(f"{kind} is not a frame: {_KNOWN_FRAMES} is expected") from error
        # From an unknown library that supports Arrow.
        return Frame(pyarrow.table(frame))


def _only_batch(table: Any) -> Any:
    """Return the single record batch of a table that was made from one."""
    arrays = [column.combine_chunks() for column in table.columns]
    return arrow_module().RecordBatch.from_arrays(arrays, schema=table.schema)


def texts_of(frame: Frame, name: Any) -> Iterator[str | None]:
    """Return an iterator over the texts of a column, with None for null and NaN.

    Raises:
        InputError: there is no such column, or it does not hold text.
    """
    if name not in frame.names:
        names = ", ".join(map(str, frame.names[:20])) or "none"
        raise InputError(f"the frame has no column {name!r}; its columns: {names}")
    for row, value in enumerate(frame.values(name)):
        if not isinstance(value, str) and not _is_null(value):
            raise InputError(
                f"the column {name!r} should hold text, but has {value!r} in row {row} (the first "
                "is 0)"
            )
    return (None if _is_null(value) else value for value in frame.values(name))


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)
