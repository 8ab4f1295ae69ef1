"""A remote output: written on this machine, and uploaded when the run ends."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path

from hpd.cli.common import EXIT_OK, EXIT_SOME_FAILED, UsageError, input_errors_as_usage, say
from hpd.cli.output import written_files
from hpd.errors import HpdError, InputError, OptionError, SchemaError
from hpd.files.journal import text_fingerprint
from hpd.files.remote_files import errors_in_words, filesystem_of
from hpd.models.cache import cache_folder


def extract_to_remote(
    arguments: argparse.Namespace, run: Callable[[argparse.Namespace], int]
) -> int:
    """Run ``hpd extract`` with a remote output.

    The output and its journal are written in hpd's cache. A run that ends or is interrupted uploads
    them, so that a later run on any machine can resume; a killed run leaves them for the next run
    on this machine.

    Args:
        arguments: the parsed arguments, with a URL for the output.
        run: runs the command with a local output.

    Raises:
        UsageError: the URL cannot be written, or the output exists.
        HpdError: ``run`` raised it, or the files cannot be uploaded and stay on this machine.
    """
    if "::" in arguments.output or arguments.output.startswith(("http://", "https://")):
        raise UsageError(f"{arguments.output}: hpd can read from there, but not write")
    remote = _RemoteOutput(arguments.output)
    was_left = remote.has_copies()
    with input_errors_as_usage():
        remote.check_output(arguments)
        arguments.output = str(remote.local)
        arguments.remote_files = remote.names()
        if was_left:
            if not arguments.quiet:
                say(f"an earlier run left its output in {remote.local.parent}")
            if arguments.resume and not remote.local.with_name(f"{remote.local.name}.new").exists():
                arguments.overwrite = False  # what was left is the beginning of the new output
        elif arguments.resume and not arguments.overwrite:
            remote.fetch()
    remote.local.parent.mkdir(parents=True, exist_ok=True)
    try:
        code = run(arguments)
    except (UsageError, SchemaError, OptionError):
        if not was_left:
            remote.forget()
        raise
    if code not in (EXIT_OK, EXIT_SOME_FAILED) and arguments.overwrite:
        say(f"{remote.name} is unchanged; finished documents are in {remote.local.parent}")
    else:
        remote.store()
    return code


def remote_status(arguments: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """Run ``hpd status`` for a remote output, with copies of its files.

    Raises:
        UsageError: it cannot be read.
    """
    remote = _RemoteOutput(arguments.output)
    was_left = remote.has_copies()
    arguments.output = str(remote.local)
    try:
        if not was_left:
            with input_errors_as_usage():
                remote.fetch()
        return run(arguments)
    finally:
        if not was_left:
            remote.forget()


class _RemoteOutput:
    """A remote output, and the copies of its files on this machine."""

    def __init__(self, name: str) -> None:
        self.name = name
        with input_errors_as_usage(), errors_in_words(name):
            self._filesystem, path = filesystem_of(name)
        self._folder, _, file = path.rpartition("/")
        if not file or name.endswith("/"):
            raise UsageError(f"{name} is a folder: name a file")
        folder = cache_folder() / "remote" / text_fingerprint(name)
        self.local = folder / file
        self._files = written_files(str(self.local))

    def check_output(self, arguments: argparse.Namespace) -> None:
        """Check that the output can be written and would not overwrite anything."""
        if self.name in arguments.input:
            raise UsageError(f"{self.name} is read in this run: name another output")
        with errors_in_words(self.name):
            bucket = self._folder.partition("/")[0]
            if bucket:
                self._filesystem.info(bucket)
            there = self._filesystem.exists(self._remote_name(self.local))
        if there and not arguments.resume and not arguments.overwrite:
            raise UsageError(
                f"{self.name} already exists: continue it (--resume), replace it "
                "(--overwrite), or name another file"
            )

    def names(self) -> list[str]:
        """Return the names of the files that belong to the output."""
        unstrip: Callable[[str], str] = self._filesystem.unstrip_protocol
        return [unstrip(self._remote_name(file)) for file in self._files]

    def has_copies(self) -> bool:
        """Return whether a killed run left files on this machine."""
        return any(file.exists() for file in self._files)

    def fetch(self) -> None:
        """Download the existing files."""
        unfinished = self.local.parent.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        with errors_in_words(self.name):
            for file in self._files:
                if self._filesystem.exists(self._remote_name(file)):
                    self._filesystem.get_file(self._remote_name(file), str(unfinished / file.name))
        shutil.rmtree(self.local.parent, ignore_errors=True)
        unfinished.rename(self.local.parent)

    def store(self) -> None:
        """Upload the files, and delete them here."""
        try:
            with errors_in_words(self.name):
                for file in self._files:
                    if file.exists() and file.suffix != ".new":
                        self._filesystem.put_file(str(file), self._remote_name(file))
        except InputError as error:
            raise HpdError(
                f"{error}; finished documents are in {self.local.parent}, and the same command "
                "with --resume uploads them"
            ) from error
        self.forget()

    def forget(self) -> None:
        """Delete the copies on this machine."""
        shutil.rmtree(self.local.parent, ignore_errors=True)

    def _remote_name(self, file: Path) -> str:
        return f"{self._folder}/{file.name}"
