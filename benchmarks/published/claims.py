"""The figures, tables and claims of the paper, and the part or test here that is about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.published.combined import COST
from benchmarks.published.result import Result


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the paper, with what is done about it here."""

    place: str
    """The section, figure or table."""
    says: str
    part: str | None = None
    """The part that measures it."""
    by: str = ""
    """The command, if it is not that of a part of ``benchmarks.reproduce``."""
    remark: str = ""
    """The reason for all that is not done here; or the things that a command shows."""

    def command(self) -> str:
        """The command that makes the outcome, for a cell of a table."""
        if self.by:
            return f"`{self.by}`"
        return f"`--part {self.part}`" if self.part is not None else "none"

    def outcome(self, results: Mapping[str, Result], *, is_told: bool = False) -> str:
        """The outcome in a sentence or two, for a cell of a table.

        Args:
            results: by part.
            is_told: whether a claim above has the same part.
        """
        parts = []
        if self.part is not None:
            measured = results.get(self.part)
            told = "not measured yet" if measured is None else _told(measured)
            parts.append("as above" if is_told else told)
        parts += [self.remark] if self.remark else []
        sentences = [f"{part[0].upper()}{part[1:]}".rstrip(".") for part in parts]
        return ". ".join(sentences) + "."


def _told(measured: Result) -> str:
    return f"{measured.finding.headline} ({measured.conditions.date})"


_TABLES = "python -m benchmarks.tables"

CLAIMS = (
    Claim(
        "Abstract, section 1",
        "cost and time fall by up to 13.8 times, at no loss of quality",
        COST,
        by=_TABLES,
        remark="On a CPU a step of many tokens costs more than one of a single token, so less is "
        "to be gained than on a GPU; for quality see table 1",
    ),
    Claim(
        "Section 1",
        "works with all LLMs",
        by="pytest tests/engine/test_engine.py tests/engine/test_pitfalls.py",
        remark="Kinds of models are tested with small random weights against a slow reference; "
        "recurrent ones get a copy of their state for each field",
    ),
    Claim(
        "Section 4.2, equations 4 to 6",
        "values are independent given the document, so the steps fall from the length of the "
        "answer to that of its longest value",
        "passes",
        by="python -m benchmarks.neighbours --part passes",
    ),
    Claim(
        "Section 4.2",
        "with AR the order of the attributes matters, as errors are carried on (Shinzato et al.)",
        "order",
    ),
    Claim(
        "Section 4.3, algorithms 1 and 2, figures 2, 3, 5, 6, 7",
        "position ids with gaps, and masks that are the same in training and decoding",
        by="pytest tests/training/test_masks.py tests/training/test_decode.py",
        remark="The reference decoder in PyTorch is the algorithm as it stands in the paper; the "
        "engine has a sequence for each field in place of gaps",
    ),
    Claim(
        "Section 4.3, figure 3",
        "a field may see the keys and the unfinished values of the others",
        "fine-tuned",
        remark="With mask `branch` a field sees the prompt alone",
    ),
    Claim("Section 4.3.1, B.2", "K_max = 30 is long enough for a value", "k-max"),
    Claim(
        "Section 4.3.5, B.2",
        "documents are stacked, six in a prompt, without harm",
        "stacks",
    ),
    Claim("Section 1", "96 tokens are decoded in one step of a prompt", "width"),
    Claim(
        "Section 4.4",
        "self-supervision brings a model to decode in parallel as well as token by token",
        "self-supervision",
        remark="The paper has no figures for it",
    ),
    Claim(
        "Section 4.4, 5",
        "small models learn from a large one (GPT-4.1 labels 45,000 products)",
        by="hpd finetune listings.jsonl --labels larger.jsonl -m small.gguf -o small",
        remark="Not measured: there is no smaller model with real weights",
    ),
    Claim(
        "Section 1",
        "quantization goes with HPD",
        "quantization",
    ),
    Claim(
        "Table 1, base models",
        "plug-and-play: as base models, HPD is on par with AR or better in 5 of 6",
        "zero-shot",
        remark="The paper shows base models on Amazon Reviews only",
    ),
    Claim(
        "Table 1, fine-tuned",
        "HPD - AR in F1: 0.7% lower on OA-Mine, 4.5% higher on AE-110k, on average",
        "fine-tuned",
        remark="Of WDC-PAVE there is only one file, so nothing to train on",
    ),
    Claim(
        "Table 1, Amazon Reviews",
        "LLM-F1 of HPD 0.7% higher than of AR",
        "descriptions",
        remark="Amazon Reviews 2023 is not at hand, nor are GPT-4.1, which labelled it, Claude, "
        "which judged it, and a GPU for 8 to 32 billion parameters",
    ),
    Claim(
        "Table 1, dollars",
        "1,000 products cost 3.73 times less on OA-Mine, 3.21 on AE-110k, 13.79 on Amazon Reviews",
        COST,
        by=_TABLES,
    ),
    Claim(
        "Table 1, GPT-4 and GPT-4.1",
        "0.681 and 0.822 on OA-Mine with no and ten examples; 0.621 and 0.875 on AE-110k",
        remark="Cannot be run: no such model is at hand, and no endpoint",
    ),
    Claim("Table 2", "1,452 and 491 rows of OA-Mine, 1,568 and 524 of AE-110k", "data"),
    Claim(
        "Table 3",
        "HPD 10.78 times AR, speculative decoding 1.26 to 2.08 times",
        "speculation",
    ),
    Claim(
        "Figure 4",
        "up to 7.55 times AR; more documents in a prompt help more than more prompts",
        "figure-4",
    ),
    Claim("Table 4", "about 10 times AR at every size from 1.7 to 32 billion", COST, by=_TABLES),
    Claim(
        "Section 6",
        "on 500 million documents, 597,000 dollars are saved against AR",
        COST,
        by=_TABLES,
    ),
    Claim(
        "Figure 8, appendix D",
        "people prefer HPD to AR (26.7% to 18.8%, 54.5% ties) and to GPT-4.1; the judge agrees",
        by="hpd compare hpd.jsonl ar.jsonl --annotator NAME",
        remark="Cannot be run: there are no annotators. The command is the study: pairs in random "
        "order, the matrix, the score ([Blind comparison](comparison.md))",
    ),
    Claim(
        "Appendix E, LLM-F1",
        "a large model as the judge",
        by="hpd judge values.jsonl gold.jsonl",
        remark="The model in the box is no judge: it agreed with gold on half of the values "
        "([Judging](judging.md))",
    ),
    Claim(
        "Appendix B.1, figure 10",
        "a large model names 16 attributes for each category",
        by="hpd discover listings.jsonl -k 16 -m large.gguf",
        remark="Cannot be run with a sensible outcome: no large model is at hand "
        "([Discovery](discovery.md))",
    ),
    Claim(
        "Limitations",
        "FlexAttention and SDPA both do it",
        by="pytest tests/training/test_masks.py",
        remark="Both masks are made by one rule; SDPA is used",
    ),
    Claim(
        "Section 1, limitations",
        "should work for any independent outputs, not only products",
        by="pytest tests/repository/test_readme.py",
        remark="Invoices, job ads, named entities and support tickets are among the examples, "
        "each with its answers",
    ),
)
