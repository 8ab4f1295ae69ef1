"""``hpd compare``: blind comparison of systems by people."""

from __future__ import annotations

import argparse
import webbrowser
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpd.cli.arguments import add_document_arguments, integer, not_empty
from hpd.cli.common import EXIT_INTERRUPTED, EXIT_OK, UsageError, input_errors_as_usage, say
from hpd.evaluation.commands.inputs import check_fields, read_sources, refuse
from hpd.evaluation.comparison import (
    ComparisonSession,
    JudgementFile,
    PairTrial,
    System,
    load_judgements,
    load_systems,
    plan_trials,
    system_names,
)
from hpd.evaluation.comparison_server import ComparisonServer
from hpd.evaluation.json_form import json_text
from hpd.evaluation.matching import reread_sources
from hpd.messages import counted, format_table

if TYPE_CHECKING:
    from hpd.evaluation.comparison_results import AnnotatorAgreement, ComparisonMatrix

_DESCRIPTION = """\
Blind comparison by people, as in the paper's appendix D. A page on this machine shows a document
and the values of two systems side by side, in random order and without their names; the annotator
says which are truer to the document, or that it is a tie. With more than two systems, two are drawn
for each document. Run the same command again to continue.

  hpd compare hpd.jsonl ar.jsonl --annotator ann
  hpd compare hpd.jsonl ar.jsonl --results judgements.jsonl

--results prints wins, ties and losses, and for each system the score 100 (W + T) / (W + 2T + L):
0 means only losses, 50 as many wins as losses, 100 only wins. The paper's figure 8 has
r = (W + T) / (T + L) "normalized to 0-100"; this is 100 r / (1 + r). Intervals are bootstrapped
over documents. Agreement is Cohen's kappa for two annotators, Krippendorff's alpha for more.
"""

_JUDGING_ARGUMENTS = (
    "annotator", "output", "limit", "seed", "port", "open",
    "documents", "text_field", "id_field",
)  # fmt: skip
"""Arguments for judging, which exclude ``--results``."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("compare", description=_DESCRIPTION)
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="outputs of hpd extract, two or more"
    )
    parser.add_argument("--results", metavar="FILE", help="print the results of these judgements")
    parser.add_argument("--json", action="store_true", help="with --results, print JSON")
    group = parser.add_argument_group("judging")
    group.add_argument("--annotator", metavar="NAME", type=not_empty, help="name of the annotator")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="output file, which annotators may share (default judgements.jsonl)",
    )
    group.add_argument("--limit", metavar="N", type=integer(1), help="judge N documents only")
    group.add_argument(
        "-s",
        "--seed",
        metavar="N",
        type=integer(0),
        help="seed of the document order and the pairs; use one per study (default 0)",
    )
    group.add_argument(
        "--port", metavar="N", type=integer(0, 65535), help="port of the page (default: a free one)"
    )
    group.add_argument("--open", action="store_true", help="open the page in the browser")
    add_document_arguments(parser.add_argument_group("texts, where the lines have none"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    _check(arguments)
    if arguments.results is not None:
        return _print_results(arguments)
    with input_errors_as_usage():
        trials, texts = _read_trials(arguments)
        file = JudgementFile(arguments.output or "judgements.jsonl")
    with file:
        session = ComparisonSession(trials, texts, file, arguments.annotator, arguments.seed or 0)
        try:
            with ComparisonServer(session, arguments.port or 0) as server:
                n = counted(len(trials), "document")
                say(f"{n} at {server.url}, until Stop or Ctrl-C")
                if arguments.open:
                    webbrowser.open(server.url)
                server.serve_forever()
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        finally:
            how = "" if session.n_judged == len(trials) else "; continue with the same command"
            judged = counted(session.n_judged, "document", of=len(trials))
            say(f"{session.annotator} has judged {judged}, in {file.path}{how}")
    return EXIT_OK


def results_text(matrix: ComparisonMatrix, agreement: AnnotatorAgreement | None) -> str:
    rows = [["in %: win tie loss", *(f"against {name}" for name in matrix.systems), "score", "95%"]]
    shares = {}
    for pair, tally in matrix.against.items():
        counts = (tally.wins, tally.ties, tally.losses)
        shares[pair] = " ".join(f"{100 * n / sum(counts):.1f}" for n in counts if any(counts))
    for name in matrix.systems:
        cells = [shares.get((name, other), "") for other in matrix.systems]
        figures = (matrix.systems[name].score, matrix.systems[name].interval)
        rows.append([name, *cells, *("" if each is None else f"{each:.1f}" for each in figures)])
    n = f"{counted(matrix.n_judgements, 'judgement')} of {counted(matrix.n_documents, 'document')}"
    parts = [n, format_table(rows)]
    if agreement is not None:
        value = "not defined" if agreement.value is None else f"{agreement.value:.3f}"
        parts.append(
            f"{agreement.n_annotators} annotators, "
            f"{counted(agreement.n_shared, 'document')} shared: "
            f"{agreement.measure} {value}, equal verdicts {agreement.raw:.1%}"
        )
    return "\n\n".join(parts)


def _check(arguments: argparse.Namespace) -> None:
    if len(arguments.systems) < 2:
        raise UsageError("a comparison needs at least two systems")
    if arguments.results is not None:
        refuse(arguments, _JUDGING_ARGUMENTS, "does nothing with --results")
        return
    refuse(arguments, ["json"], "does nothing without --results")
    if arguments.annotator is None:
        raise UsageError("give --annotator NAME to judge, or --results FILE to print results")
    check_fields(arguments)


def _read_trials(arguments: argparse.Namespace) -> tuple[list[PairTrial], dict[str, str]]:
    """Return the trials, and the documents' texts by id."""
    systems = load_systems(arguments.systems)
    failed = {i for each in systems for i, row in each.predictions.items() if row.data is None}
    if failed:
        say(f"skipped {counted(len(failed), 'document')} that failed in a system")
    texts = _read_texts(arguments, systems)
    systems = [each.without(failed) for each in systems]
    owners = Counter(i for each in systems for i in each.predictions)
    shared = {i for i, n in owners.items() if n > 1}
    if not shared:
        raise UsageError("no document has extractions of two systems: their ids differ")
    missing = sorted(shared - {*texts})
    if missing:
        message = (
            f"{counted(len(missing), 'document', 'has', of=len(shared))} no text, such as "
            f"{missing[0]!r}: hpd extract --with-text writes it, --documents PATH adds it"
        )
        if len(missing) == len(shared):
            raise UsageError(message)
        say(f"{message}; they are skipped")
        systems = [each.without(missing) for each in systems]
    trials = plan_trials(
        systems, arguments.annotator, seed=arguments.seed or 0, limit=arguments.limit
    )
    return trials, texts


def _read_texts(arguments: argparse.Namespace, systems: Sequence[System]) -> dict[str, str]:
    if arguments.documents is not None:
        ids = [own_id for system in systems for own_id in system.predictions]
        return {source.id: source.text for source in read_sources(arguments, ids)}
    texts: dict[str, str] = {}
    notices: list[str] = []
    for path, system in zip(arguments.systems, systems, strict=True):
        rows = [*system.predictions.values()]
        for row, source in zip(rows, reread_sources(path, rows, notices), strict=True):
            text = row.text if source is None else source.text
            if text is not None:
                texts.setdefault(row.known_id, text)
    for notice in notices:
        say(notice)
    return texts


def _print_results(arguments: argparse.Namespace) -> int:
    from hpd.evaluation.comparison_results import annotator_agreement, tally_matrix

    with input_errors_as_usage():
        names = system_names(arguments.systems)
        judgements = load_judgements(arguments.results)
    others = {name for each in judgements for name in (each.left, each.right)} - {*names}
    if others:
        say(f"ignored judgements about {', '.join(sorted(others))}")
    matrix = tally_matrix(judgements, names)
    if not matrix.n_judgements:
        raise UsageError(f"{arguments.results} has no judgements of {' and '.join(names)}")
    agreement = annotator_agreement(judgements, names)
    if arguments.json:
        print(json_text({**matrix.members(), "agreement": agreement}, indent=2))
    else:
        print(results_text(matrix, agreement))
    return EXIT_OK
