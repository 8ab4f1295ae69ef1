"""``hpd status``: shows the progress of a run of ``hpd extract``."""

from __future__ import annotations

import argparse

from hpd.cli.arguments import integer
from hpd.cli.common import EXIT_FAILED, EXIT_OK, EXIT_SOME_FAILED, UsageError
from hpd.cli.inputs import reopen_inputs
from hpd.cli.output import lines_file
from hpd.errors import InputError
from hpd.evaluation.run_status import RunStatus, count_values, read_status
from hpd.files.inputs import parse_shard
from hpd.files.journal import journal_path
from hpd.files.rows import FORMATS
from hpd.files.streams import is_url, join_names
from hpd.messages import counted, format_table


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "status",
        description="Show the progress of the run that writes or wrote OUT. INPUT defaults to the "
        "run's own.",
    )
    parser.add_argument("output", metavar="OUT", help="the output of hpd extract")
    parser.add_argument(
        "input", metavar="INPUT", nargs="*", help="count the remaining documents of these inputs"
    )
    parser.add_argument("--format", choices=FORMATS, help="format of INPUT (default: by extension)")
    parser.add_argument("--limit", metavar="N", type=integer(0), help="count at most N documents")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the status of an output, and of the one that will replace it, if any.

    Returns the exit code: 3 if documents failed, 1 if the output cannot be resumed.
    """
    if is_url(arguments.output):
        from hpd.cli.remote_output import remote_status

        return remote_status(arguments, run)
    output = lines_file(arguments.output)
    new = output.with_name(output.name + ".new")
    paths = [path for path in (output, new) if journal_path(path).exists()]
    try:
        # Without any journal, the error names the one that is missing.
        statuses = [read_status(path) for path in paths or [output]]
    except InputError as error:
        raise UsageError(str(error)) from error
    print("\n\n".join(_status_text(status, arguments) for status in statuses))
    if any(status.n_missing or status.changed_line is not None for status in statuses):
        return EXIT_FAILED
    return EXIT_SOME_FAILED if any(status.failures for status in statuses) else EXIT_OK


def _status_text(status: RunStatus, arguments: argparse.Namespace) -> str:
    n_total, why_unknown = _n_documents(status, arguments)
    rows = [["output", str(status.path)], ["state", _state_text(status, n_total)]]
    done = counted(status.n_finished, "document")
    if n_total is not None:
        share = status.n_finished / n_total if n_total else 1
        done = f"{status.n_finished} of {counted(n_total, 'document')} ({share:.0%})"
    rows.append(["done", done])
    if status.n_waiting:
        rows.append(["waiting", f"{status.n_waiting} for the lines before theirs"])
    if status.failures:
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(status.failures.items()))
        ids = join_names(status.failed_ids)
        rows.append(["failed", f"{status.failures.total()}: {kinds}: {ids}"])
    counts = count_values(status.path)
    if counts["values"]:
        share = counts["nulls"] / counts["values"]
        rows.append(["values", f"{counts['values']}, of which {share:.0%} are null"])
    if counts["near_ties"]:
        meaning = "the next best token was nearly as likely, so another run may give another value"
        rows.append(["near ties", f"{counts['near_ties']} (near_tie): {meaning}"])
    n_left = max(0, (n_total or 0) - status.n_finished)
    rows.append(["left", why_unknown if n_total is None else counted(n_left, "document")])
    rows.append(["journal", _journal_text(status)])
    for name in ("input", "schema", "model"):
        if (value := status.head.about.get(name)) is not None:
            shown = ", ".join(value) if isinstance(value, list) else str(value)
            rows.append([name, " ".join(shown.split())])
    rows.append(["settings", ""])
    rows += ([f"  {name}", str(value)] for name, value in status.head.settings.items())
    return format_table(rows, n_left=2)


def _state_text(status: RunStatus, n_total: int | None) -> str:
    if status.is_running:
        return "a process is writing it"
    if n_total is not None and status.n_finished >= n_total:
        failed = "; --resume retries what failed" if status.failures else ""
        return f"complete{failed}"
    return "no process is writing it" + (
        "" if n_total is None else "; the same command with --resume does the rest"
    )


def _journal_text(status: RunStatus) -> str:
    name = journal_path(status.path).name
    if status.n_missing:
        return (
            f"the output lacks {counted(status.n_missing, 'byte')} that {name} records: "
            "lines were removed, so start again (--overwrite)"
        )
    if status.changed_line is not None:
        return (
            f"line {status.changed_line} of the output was changed since hpd wrote it: to keep the "
            "change, copy the file; then start again (--overwrite)"
        )
    if status.n_surplus and not status.is_running:
        return f"{name}; --resume removes {counted(status.n_surplus, 'byte')} of an unfinished line"
    return f"{name}, matches the output"


def _n_documents(status: RunStatus, arguments: argparse.Namespace) -> tuple[int | None, str]:
    """Return the number of documents in the input, or why it is unknown."""
    about = {**status.head.about}
    if arguments.input:
        about |= {name: getattr(arguments, name) for name in ("input", "format", "limit")}
    names, limit = about.get("input"), about.get("limit")
    if not isinstance(names, list) or "-" in names:
        return None, "unknown: the input was a stream"
    shard = status.head.settings.get("--shard")
    try:
        with reopen_inputs(
            about, str(status.path), None if shard is None else parse_shard(str(shard))
        ) as reader:
            n = reader.count()
    except (InputError, KeyError, OSError) as error:
        return None, f"unknown: {error}"
    if n is None:
        why = "the input is compressed, e-mails with attachments, or no longer a file"
        return None, f"unknown: {why}"
    # A resumed run may have gone beyond the first run's limit.
    if isinstance(limit, int) and limit >= status.n_finished:
        n = min(n, limit)
    return n, ""
