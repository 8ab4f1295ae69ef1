"""What is said at the end of a run."""

import re

from hpd.cli import main
from hpd.cli.writing import RunSummary
from hpd.results import Extraction, FieldValue, Usage
from hpd.schema.data_checks import CheckResult
from jsonl import write_texts


def said_of(*extractions):
    """The summary of a run of these extractions."""
    summary = RunSummary()
    for extraction in extractions:
        summary.add_values(extraction)
        summary.add_line(None)
    return summary.text(0)


def test_the_summary_counts_nulls_and_what_was_refused():
    sure, tie, null = FieldValue(value="x"), FieldValue(value="y", margin=0.01), FieldValue()
    some = Extraction("1", {}, {"a": sure, "b": tie, "c": null, "d": sure})
    assert said_of(some) == "1 document, 25% null"
    unsure, refused = FieldValue(raw=' "x"'), FieldValue(raw=' "x"', error="no number")
    more = Extraction("2", {}, dict.fromkeys("abc", unsure))
    says = "57% null; 3 of them rejected as low-confidence"
    assert f"{says} (text kept in `raw`)" in said_of(some, more)
    last = Extraction("3", {}, {"d": refused})
    says = "62% null; 3 of them rejected as low-confidence and 1 of them rejected as not valid"
    assert f"{says} (text kept in `raw`)" in said_of(some, more, last)


def test_the_summary_counts_values_that_were_decoded_before_or_cut_off():
    reused = [Extraction(usage=Usage(reused_values=n)) for n in (0, 3, 2)]
    assert said_of(*reused) == "3 documents, 5 values were decoded before"
    cut = FieldValue(value="a long te", truncated=True)
    said = said_of(Extraction(fields={"a": cut, "b": FieldValue(value="x")}))
    assert said.endswith(", 1 cut off (`truncated`): a larger --max-tokens keeps more")


def test_every_run_ends_with_a_summary(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "too long", "b"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "brand"]
    says = r"hpd: 3 documents, \S+ a second, 1 failed \(ContextOverflowError\): 9 tokens over"
    assert main(command) == 3
    assert re.fullmatch(rf"{says}\n", capfd.readouterr().err)
    assert main([*command, "--quiet"]) == 3
    assert capfd.readouterr().err == ""
    assert main([*command, "-o", str(out)]) == 3
    assert re.fullmatch(rf"{says}\n", capfd.readouterr().err)
    assert main([*command, "-o", str(out), "--resume"]) == 3
    assert capfd.readouterr().err.startswith("hpd: 1 document (2 more were done before), ")


def test_the_summary_counts_the_checks_that_did_not_pass():
    failed, unknown = CheckResult("a > 1", False, 0, 1), CheckResult("a > 1", None)
    assert said_of(Extraction(checks=(failed,))) == "1 document, 1 check failed (`checks`)"
    said = said_of(Extraction(checks=(failed, unknown)), Extraction(checks=(failed,)))
    assert said == "2 documents, 2 checks failed (`checks`), 1 check unknown (nulls)"
