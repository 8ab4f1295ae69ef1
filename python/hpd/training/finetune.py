"""Fine-tuning end to end: documents and a GGUF file in, a GGUF file or adapter out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import torch

from hpd.errors import InputError, OptionError
from hpd.evaluation.rows import load_examples
from hpd.evaluation.scores import evaluate
from hpd.messages import counted
from hpd.options import Options
from hpd.pipeline.compiled_schema import trained_lists
from hpd.prompt.lists import LISTS_KEY
from hpd.prompt.text import LABEL_KEY, LENGTH_KEY, Lists
from hpd.schema.schemas import Schemas
from hpd.training import data
from hpd.training.data import (
    LabelledDocument,
    OnUnnamed,
    RowForm,
    RowMaker,
    RowStream,
    TrainingSource,
)
from hpd.training.loop import LoopOptions, TrainingLoop, Validate
from hpd.training.network import (
    GgufVocabulary,
    add_lora,
    compile_parts,
    freeze,
    load_network,
    lora_factors,
    loss_sum,
    pack,
)
from hpd.training.predict import Predictor
from hpd.training.rows import NO_TARGET, KeyedMask, TrainingRow
from hpd.training.weights import GgufFile, write_adapter, write_model

LabelSource = Path | Literal["gold", "self"]
"""Where labels come from: gold values, output of ``hpd extract``, or the model itself."""

Say = Callable[[str], None]

ADAPTER_RATES = (2e-4, 5e-4, 1e-3, 2e-3)
MODEL_RATES = (2e-5, 5e-5, 1e-4, 3e-4)
"""Learning rates tried for an adapter, and for all weights of a model."""
TRIAL_FILE = "learning-rates.json"
_N_TRIAL_UPDATES = 12
_N_HELD_OUT = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class FinetuneOptions:
    """Options of fine-tuning."""

    forms: Mapping[RowForm, float] = field(default_factory=lambda: {"branch": 1.0})
    """Forms of rows and their weights; validation uses the first."""
    max_tokens: int = 64
    """Maximum length of a value; the gap of ``paper``."""
    unnamed: OnUnnamed = "null"
    stack: int = 1
    instructions: str = ""
    """The instructions that the extractor will be given."""
    lists: Lists | None = None
    """How the rows of lists are asked for; None: as the model was trained, else ``whole``."""
    max_row: int = 4096
    """Maximum tokens in a row; longer rows leave out fields of later waves, or are skipped."""
    lora_rank: int = 0
    """0: all weights are trained."""
    lora_alpha: float = 0.0
    """0: twice the rank."""
    freeze: int = 0
    """The number of first layers that are not trained; if not 0, embeddings are not either."""
    file_type: str = "Q8_0"
    """Type of the GGUF file, if all weights are trained."""
    n_dev: int = 100
    """Documents per validation; 0: all."""
    device: str = "cpu"
    rates: tuple[float, ...] = ()
    """Learning rates to choose from in a short trial; empty: the loop's is used."""
    loop: LoopOptions = field(default_factory=LoopOptions)


@dataclass(frozen=True, slots=True)
class FinetuneResult:
    """The result of fine-tuning."""

    gguf: Path | None
    """The model, or the adapter for ``hpd extract --lora``; None if the run is to be resumed."""
    n_steps: int
    best_f1: float | None
    """On the validation documents; None if there are none."""


def finetune(
    train: TrainingSource,
    output: Path,
    model: Path,
    schemas: Schemas | None,
    options: FinetuneOptions,
    *,
    labels: LabelSource = "gold",
    dev: TrainingSource | None = None,
    resume: bool = False,
    quiet: bool = False,
    say: Say = lambda message: None,
) -> FinetuneResult:
    """Fine-tune a model, and write it to ``output``.

    Args:
        train: the training documents.
        output: folder for the model, the log and the checkpoint.
        model: a GGUF file.
        schemas: one for all documents, or one per category; None: each document has its own.
        options: options of fine-tuning.
        labels: where labels come from.
        dev: documents with gold values, used to choose the best weights.
        resume: continue the last run in ``output``.
        quiet: hide the progress line.
        say: called with messages for the user.
    """
    options = _with_default_epochs(options, train)
    base = GgufFile(model)
    vocabulary = GgufVocabulary(model)
    network = load_network(model, options.device)
    lists = _lists(options, vocabulary)
    stream = _stream(train, labels, schemas, options, lists, network, vocabulary, say)
    if options.lora_rank:
        if options.freeze:
            raise OptionError("freeze does nothing with lora_rank, which freezes all weights")
        alpha = options.lora_alpha or 2.0 * options.lora_rank
        add_lora(network, options.lora_rank, alpha, options.loop.seed)
    elif options.freeze:
        freeze(network, options.freeze)
    if options.loop.is_compiled:
        compile_parts(network)
    n_trained = sum(p.numel() for p in network.parameters() if p.requires_grad)
    say(f"{n_trained / 1e6:.1f} million weights to train")
    output.mkdir(parents=True, exist_ok=True)
    if options.rates:
        rate = choose_rate(network, stream, options.rates, options.loop, output, resume=resume)
        say(f"learning rate {rate:g}, the best of a short trial ({output / TRIAL_FILE})")
        options = replace(options, loop=replace(options.loop, learning_rate=rate))
    validate = None
    if dev is not None:
        validate = _validation(dev, schemas, network, vocabulary, options, lists)
    settings = {
        name: getattr(options, name)
        for name in ("max_tokens", "stack", "lora_rank", "freeze", "instructions")
    }
    settings["forms"] = dict(options.forms)
    settings["lists"] = lists
    loop = TrainingLoop(
        network, stream, options.loop, output, validate, settings=settings, quiet=quiet
    )
    progress = loop.run(resume=resume)
    if not progress.step:
        raise InputError("no documents left to train on")
    if stream.n_skipped:
        say(f"skipped {counted(stream.n_skipped, 'row')} longer than {options.max_row} tokens")
    best = progress.best_f1 if dev is not None else None
    if not progress.is_done:
        return FinetuneResult(None, progress.step, best)
    written = _export(network, base, output, options, lists, stream)
    return FinetuneResult(written, progress.step, best)


def _lists(options: FinetuneOptions, vocabulary: GgufVocabulary) -> Lists:
    """Return how the rows of lists are asked for, which is recorded in the trained file."""
    is_labelled = "label" in options.forms
    if is_labelled and options.lists not in (None, "numbers"):
        raise OptionError(
            f"lists={options.lists}: with --mask label, rows are asked for by numbers"
        )
    as_asked = Options(layout="label" if is_labelled else "branch")
    return options.lists or trained_lists(vocabulary, as_asked)


def _with_default_epochs(options: FinetuneOptions, train: TrainingSource) -> FinetuneOptions:
    loop = options.loop
    if train.is_stream and loop.epochs is not None:
        raise InputError(f"{train.path} can be read only once: set --minutes")
    if loop.epochs is None and loop.minutes is None and not train.is_stream:
        return replace(options, loop=replace(loop, epochs=3.0))
    return options


def _stream(
    train: TrainingSource,
    labels: LabelSource,
    schemas: Schemas | None,
    options: FinetuneOptions,
    lists: Lists,
    network: Any,
    vocabulary: GgufVocabulary,
    say: Say,
) -> RowStream:
    maker = RowMaker(vocabulary, options.max_tokens, options.instructions, lists)
    labelled: Sequence[LabelledDocument] | None = None
    if labels == "self":
        say("the model labels the documents itself")
        labelled = _own_labels(train, schemas, options, network, vocabulary)
    elif isinstance(labels, Path):
        labelled = data.teacher_labels(train, labels, schemas, options.unnamed)

    def documents() -> Iterator[LabelledDocument]:
        if labelled is not None:
            return iter(labelled)
        return data.gold_labels(train, schemas, options.unnamed)

    return RowStream(
        documents, maker, options.forms, options.stack, options.max_row, options.loop.seed,
        is_read_once=train.is_stream,
    )  # fmt: skip


def _own_labels(
    train: TrainingSource,
    schemas: Schemas | None,
    options: FinetuneOptions,
    network: Any,
    vocabulary: GgufVocabulary,
) -> Sequence[LabelledDocument]:
    records = list(train.records())
    own = data.document_schemas(schemas, train, records)
    # Autoregressively, as models are trained to answer, whichever form is trained here.
    teacher = Predictor(
        network, vocabulary, "ar", max_tokens=options.max_tokens, instructions=options.instructions
    )
    found = teacher.predict([record.text for record in records], own)
    return data.label(records, own, found, options.unnamed)


def _validation(
    dev: TrainingSource,
    schemas: Schemas | None,
    network: Any,
    vocabulary: GgufVocabulary,
    options: FinetuneOptions,
    lists: Lists,
) -> Validate:
    examples = list(
        load_examples(
            dev.path,
            text_field=dev.text_field,
            id_field=dev.id_field,
            category_field=dev.category_field,
        )
    )
    records = list(dev.records())
    if options.n_dev and options.n_dev < len(examples):
        # Chosen evenly from the file, which may be sorted by category.
        chosen = [i * len(examples) // options.n_dev for i in range(options.n_dev)]
        examples, records = [examples[i] for i in chosen], [records[i] for i in chosen]
    own_schemas = data.document_schemas(schemas, dev, records)
    if schemas is None:
        # Scores are by category, so each document with its own schema needs its own category.
        examples = [replace(example, category=str(i)) for i, example in enumerate(examples)]
    names_by_category = {
        example.category: [attribute.name for attribute in schema]
        for example, schema in zip(examples, own_schemas, strict=True)
    }
    form = next(iter(options.forms))
    mask: KeyedMask = "branch" if form == "ar" else form
    predictor = Predictor(
        network, vocabulary, "ar" if form == "ar" else "hpd", mask, options.max_tokens,
        options.stack, options.instructions, lists,
    )  # fmt: skip

    def validate() -> dict[str, float]:
        found = predictor.predict([example.text for example in examples], own_schemas)
        scores = evaluate(examples, found, names_by_category)
        micro = scores.plain.micro
        return {
            "f1": micro.f1, "precision": micro.precision, "recall": micro.recall,
            "strict_f1": scores.strict.micro.f1,
        }  # fmt: skip

    return validate


def _export(
    network: Any,
    base: GgufFile,
    output: Path,
    options: FinetuneOptions,
    lists: Lists,
    stream: RowStream,
) -> Path:
    metadata: dict[str, str] = {LISTS_KEY: lists}
    if stream.n_longest:  # A run that was complete before it was resumed has read no row.
        metadata[LENGTH_KEY] = str(stream.n_longest)
    if "label" in options.forms:
        metadata[LABEL_KEY] = "on"
    if options.lora_rank:
        adapter = output / "adapter.gguf"
        alpha = options.lora_alpha or 2.0 * options.lora_rank
        write_adapter(base, adapter, lora_factors(network), alpha, metadata)
        return adapter
    model = output / "model.gguf"
    parameters = dict(network.named_parameters())
    weights = {name: p.detach().float().cpu().numpy() for name, p in parameters.items()}
    if options.freeze:
        # The network may have rounded frozen weights to bfloat16.
        for name, values in base.parameters(parameters):
            if not parameters[name].requires_grad:
                weights[name] = values
    write_model(base, model, weights, options.loop.rounding or options.file_type, metadata)
    return model


# --- the learning rate ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _FirstRows:
    """The first rows of a stream, for one epoch."""

    first: Sequence[TrainingRow]

    def per_epoch(self) -> int:
        return len(self.first)

    def rows(self, n_done: int = 0) -> Iterator[tuple[int, TrainingRow]]:
        return islice(enumerate(self.first, start=1), n_done, None)


def choose_rate(
    network: Any,
    stream: RowStream,
    rates: Sequence[float],
    options: LoopOptions,
    folder: Path,
    *,
    resume: bool,
) -> float:
    """Return the learning rate with the lowest loss, and write all losses into the folder.

    Each rate trains the same network for a dozen updates, with its own schedule; the loss is
    measured on held-out rows. The network's weights are restored afterwards.
    """
    file = folder / TRIAL_FILE
    if resume and file.exists():
        losses = {float(rate): loss for rate, loss in json.loads(file.read_text()).items()}
        return min(losses, key=lambda rate: losses[rate])
    n_tokens = _N_TRIAL_UPDATES * options.batch_tokens
    rows: list[TrainingRow] = []
    for _, row in replace(stream, is_read_once=True).rows():
        rows.append(row)
        if sum(map(len, rows)) > n_tokens or len(rows) > 2000:
            break
    held_out = rows[::5][:_N_HELD_OUT]
    trained = [row for i, row in enumerate(rows) if i % 5 or i >= 5 * len(held_out)] or rows
    once = replace(options, epochs=1.0, minutes=None, part=None, warmup=1, decay=1.0)
    initial = {n: p.detach().clone() for n, p in network.named_parameters() if p.requires_grad}
    losses = {}
    for rate in rates:
        with TemporaryDirectory() as scratch:
            first_rows: Any = _FirstRows(trained)
            TrainingLoop(
                network, first_rows, replace(once, learning_rate=rate), Path(scratch), quiet=True
            ).run()
        losses[rate] = _loss(network, held_out)
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                if name in initial:
                    parameter.copy_(initial[name])
    file.write_text(json.dumps(losses) + "\n", encoding="utf-8")
    return min(losses, key=lambda rate: losses[rate])


def _loss(network: Any, rows: Sequence[TrainingRow]) -> float:
    network.eval()
    device = next(network.parameters()).device
    with torch.no_grad():
        total = sum(float(loss_sum(network, pack([row], device))) for row in rows)
    loss = total / max(1, sum(int((row.targets != NO_TARGET).sum()) for row in rows))
    # Training diverged at this rate, which must not be chosen.
    return math.inf if math.isnan(loss) else loss
