"""Faults made on purpose: ``python -m tools.faults`` sees whether the tests notice them.

Each is a small change of the code in a copy of this checkout, ``build/faults``, whose C++ is
compiled there. The tests named beside it pass without the change, and one of them must fail with
it. Exits with 1 if a fault is not noticed, and with 2 if one no longer fits the code.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hpd.models.model_files import BOX_NAME
from tools import testing_module

CHECKOUT = Path(__file__).resolve().parents[1]
COPY = CHECKOUT / "build" / "faults"
_LONGEST = 1800
"""Seconds for the tests of a fault; one that makes them wait for ever is noticed, too."""


class Fault(NamedTuple):
    """A text of a file, and what stands in its place."""

    name: str
    file: str
    text: str
    replacement: str
    tests: str
    """Below ``tests``, as pytest takes them."""


FAULTS = (
    # --- Python ---
    Fault(
        "a document that breaks a step takes its neighbours with it",
        "python/hpd/pipeline/pipeline.py",
        "            self._retry_alone()\n            return\n",
        "            raise\n",
        "pipeline/test_runner.py",
    ),
    Fault(
        "values kept by another temperature are used",
        "python/hpd/pipeline/reuse.py",
        "        repr(engine_identity(options)),\n",
        "",
        "pipeline/test_reuse.py",
    ),
    Fault(
        "a refused value is forgotten when it is refused again",
        "python/hpd/pipeline/document_values.py",
        "(*self._refused.get(place, ()), RefusedText(before.raw, reason))",
        "(RefusedText(before.raw, reason),)",
        "pipeline/test_retries.py",
    ),
    Fault(
        "a value as likely as the threshold becomes null",
        "python/hpd/pipeline/document_values.py",
        "if confidence < limits.least:",
        "if confidence <= limits.least:",
        "pipeline/test_near_ties.py test_thresholds.py",
    ),
    Fault(
        "places in a chunk are told as places in the document",
        "python/hpd/pipeline/chunking.py",
        "start=result.start + offset,",
        "start=result.start,",
        "pipeline/test_chunking.py",
    ),
    Fault(
        "a normalised match ends where its last word begins",
        "python/hpd/values/places.py",
        "low, high = normalized.starts[at], normalized.ends[end - 1]\n            if",
        "low, high = normalized.starts[at], normalized.starts[end - 1]\n            if",
        "values/test_places.py",
    ),
    Fault(
        "an item of a list may not begin where the one before it ends",
        "python/hpd/values/windows.py",
        "states[bisect_right(ends, window.start) - 1]",
        "states[max(0, bisect_left(ends, window.start) - 1)]",
        "values/test_placement.py",
    ),
    Fault(
        "the limit that a number must stay below is allowed",
        "python/hpd/values/parsing.py",
        "value >= attribute.exclusive_maximum",
        "value > attribute.exclusive_maximum",
        "values/test_parsing.py",
    ),
    Fault(
        "nulls have the confidence of values",
        "python/hpd/values/confidence.py",
        "curves = self.nulls if is_null else self.values",
        "curves = self.values",
        "evaluation/test_confidence_fit.py",
    ),
    Fault(
        "after a resume, lines wait for one that is there already",
        "python/hpd/files/writer.py",
        "self._end = entry.end\n                self._next = max(self._next, entry.place + 1)",
        "self._end = entry.end\n                self._next = max(self._next, entry.place)",
        "files/test_writer.py",
    ),
    Fault(
        "a document has its id for a category",
        "python/hpd/files/reader.py",
        "category = self._category(row)\n",
        "category = self._category(row) and record_id\n",
        "files/test_records.py",
    ),
    Fault(
        "a document that cannot be read has no line",
        "python/hpd/cli/writing.py",
        "                self._write(place, record, error_line(record.id, error))\n",
        "",
        "cli/test_extract_failures.py",
    ),
    Fault(
        "--keep-errors keeps none",
        "python/hpd/cli/output.py",
        "        keep_errors=arguments.keep_errors,\n",
        "",
        "cli/test_output.py",
    ),
    Fault(
        "another file of calibration is no other setting",
        "python/hpd/cli/output.py",
        '        decoding["calibration"] = file_fingerprint(options.calibration)\n',
        "        pass\n",
        "evaluation/test_calibration.py::test_another_calibration_is_another_run",
    ),
    Fault(
        "a prompt begins twice",
        "python/hpd/prompt/tokens.py",
        "if self._model.bos >= 0 and head[:1] != [self._model.bos]:",
        "if self._model.bos >= 0:",
        "prompt/test_tokens.py",
    ),
    Fault(
        "max_tokens of a request is passed over",
        "python/hpd/serving/chat.py",
        '        settings["max_tokens"] = n_most\n',
        "        pass\n",
        "serving/test_chat.py",
    ),
    Fault(
        "a client that left keeps the engine busy",
        "python/hpd/serving/dispatcher.py",
        "                done.cancel()\n                cancellation.cancel()\n",
        "                pass\n",
        "serving/test_server.py",
    ),
    Fault(
        "a field is taught its own key",
        "python/hpd/training/rows.py",
        "targets[len(tokens) - 1 if key else len(prompt.tokens) - 1] = wanted[0]",
        "targets[len(prompt.tokens) - 1] = wanted[0]",
        "training/test_finetune.py::test_a_row_teaches_the_values_and_nothing_else",
    ),
    # --- C++ ---
    Fault(
        "a token may skip positions",
        "src/hpd_cpp/model/context.cpp",
        "if (t.position != it->second) {",
        "if (t.position < it->second) {",
        "engine/test_pitfalls.py",
    ),
    Fault(
        "the sequence of a prompt is never given back",
        "src/hpd_cpp/scheduling/holdings.cpp",
        "        pool_.give_back(std::exchange(r.base, no_seq));\n",
        "        r.base = no_seq;\n",
        "engine/test_scheduler.py",
    ),
    Fault(
        "fields that take turns do not see the prompt",
        "src/hpd_cpp/scheduling/holdings.cpp",
        "for (Value * v : group) ops_.fork(r.base, v->seq, r.n_prompt());",
        "",
        "engine/test_engine.py",
    ),
    Fault(
        "a full cache stays as full at the next try",
        "src/hpd_cpp/engine.cpp",
        "start_again(status == DecodeStatus::full);",
        "start_again(false);",
        "engine/test_faults.py",
    ),
    Fault(
        "guesses count behind the end of a value",
        "src/hpd_cpp/engine.cpp",
        "if (is_done || !is_right) continue;",
        "if (!is_right) continue;",
        "engine/test_drafting.py",
    ),
    Fault(
        "cells of refused guesses stay",
        "src/hpd_cpp/scheduling/holdings.cpp",
        "ops_.trim(v.seq, v.n_past());",
        "",
        "engine/test_drafting.py",
    ),
    Fault(
        "a quote behind a backslash ends a value",
        "src/hpd_cpp/sampling/json_scanner.cpp",
        "lexeme_ = Lexeme::escape;",
        "lexeme_ = Lexeme::string;",
        "engine/test_json_scanner.py",
    ),
    Fault(
        "the latest prefix makes room for others",
        "src/hpd_cpp/scheduling/prefix_cache.cpp",
        "p.last_used < oldest->last_used",
        "p.last_used > oldest->last_used",
        "engine/test_prefix_cache.py",
    ),
    Fault(
        "all tokens of a value are drawn with one number",
        "src/hpd_cpp/sampling/sampling.cpp",
        "mix(mix(mix(seed) ^ stream) ^ n)",
        "mix(mix(mix(seed) ^ stream) + 0 * n)",
        "engine/test_sampling.py",
    ),
    Fault(
        "a grammar allows what it allowed one token before",
        "src/hpd_cpp/sampling/constraint.cpp",
        "        allowed_.clear();\n        n_checked_ = 0;\n",
        "        n_checked_ = 0;\n",
        "engine/test_shares.py",
    ),
    Fault(
        "every adapter has its full effect",
        "src/hpd_cpp/model/model.cpp",
        "lora_scales_.push_back(scale);",
        "lora_scales_.push_back(1.0f + 0.0f * scale);",
        "engine/test_adapters.py",
    ),
    Fault(
        "attention forgets to weigh what it summed before",
        "src/hpd_cpp/attention/kernel.cpp",
        "        total *= decay;\n",
        "",
        "engine/test_attention.py",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try faults, and say of each whether it was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a part of it is enough")
    names = parser.parse_args(arguments).names
    chosen = [f for f in FAULTS if not names or any(part in f.name for part in names)]
    for fault in chosen:
        if (CHECKOUT / fault.file).read_text(encoding="utf-8").count(fault.text) != 1:
            print(f"{fault.file} does not hold, once, what this changes: {fault.name}")
            return 2
    copy_checkout()
    compile_copy()
    if not passes({test for fault in chosen for test in fault.tests.split()}):
        print("the tests fail without any fault")
        return 2
    n_missed = 0
    for fault in chosen:
        start = time.monotonic()
        is_missed = passes_with(fault)
        n_missed += is_missed
        verdict = "MISSED" if is_missed else "noticed"
        print(f"{verdict:7} {time.monotonic() - start:4.0f} s  {fault.name}", flush=True)
    print(f"{len(chosen) - n_missed} of {len(chosen)} faults were noticed")
    return 1 if n_missed else 0


def passes_with(fault: Fault) -> bool:
    """Whether the tests of a fault pass with it."""
    path = COPY / fault.file
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(fault.text, fault.replacement), encoding="utf-8")
    try:
        if fault.file.startswith("src/"):
            compile_copy()
        return passes(fault.tests.split())
    finally:
        path.write_text(right, encoding="utf-8")


def passes(tests: Iterable[str]) -> bool:
    """Whether tests of the copy pass.

    Raises:
        RuntimeError: they could not be run.
    """
    # Python tells what it has compiled by the second in which the source was written.
    env = {**os.environ, "PYTHONPATH": str(COPY / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile", "unshrunk"]
    command += [f"tests/{test}" for test in sorted(tests)]
    try:
        run = subprocess.run(command, cwd=COPY, env=env, timeout=_LONGEST, capture_output=True)
    except subprocess.TimeoutExpired:
        return False
    if run.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout.decode()}")
    return run.returncode == 0


def copy_checkout() -> None:
    """Bring the copy up to date; C++ that is as it was keeps its time, so little is compiled."""
    for folder in ("python", "tests"):  # what was deleted goes there as well
        shutil.rmtree(COPY / folder, ignore_errors=True)
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listing, cwd=CHECKOUT, text=True).splitlines():
        source, target = CHECKOUT / name, COPY / name
        if source.exists() and not (target.exists() and filecmp.cmp(source, target, False)):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    shutil.copy(CHECKOUT / "models" / BOX_NAME, COPY / "python" / "hpd" / "models")


def compile_copy() -> None:
    """Compile the copy's C++ for its Python."""
    testing_module.build(COPY / "build", COPY, "all")
    for module in (COPY / "build").glob("_core*.so"):
        shutil.copy(module, COPY / "python" / "hpd")


if __name__ == "__main__":
    sys.exit(main())
