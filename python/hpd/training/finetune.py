"""Fine-tuning from end to end: a file of documents and a model in, a GGUF file or adapter out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from hpd.errors import InputError
from hpd.evaluation.rows import Example, load_examples
from hpd.evaluation.scores import evaluate
from hpd.options import Method
from hpd.prompt import LABEL_KEY, LABEL_SETTING, DocumentTurn
from hpd.training import data
from hpd.training.conversion.adapter_to_gguf import export_adapter
from hpd.training.conversion.from_gguf import gguf_to_transformers
from hpd.training.conversion.to_gguf import export_model
from hpd.training.data import Labelled, RowMaker, Schemas, Source, Unnamed
from hpd.training.loop import Loop, LoopOptions
from hpd.training.lora import add_lora, plain
from hpd.training.models import load_model, save_model
from hpd.training.predict import Predictor
from hpd.training.prompter import KeyedMask
from hpd.training.rate_trial import chosen_rate
from hpd.training.rows import TrainingRow
from hpd.training.vocabulary import CheckpointVocabulary

Labels = Path | Literal["gold", "self"]
"""The source of labels: gold values, lines of ``hpd extract``, or the model itself."""

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class FinetuneOptions:
    """The options of fine-tuning."""

    method: Method = "hpd"
    mask: KeyedMask = "branch"
    """Of ``hpd``: what a field sees of the others."""
    max_tokens: int = 64
    """Longest value; the gap of ``paper``."""
    unnamed: Unnamed = "null"
    stack: int = 1
    instructions: str = ""
    """The user's words on the task, as the extractor will be told them."""
    document_turn: DocumentTurn = "user"
    """In whose turn of the chat documents stand, as the extractor will be told."""
    max_row: int = 4096
    """Longer rows are left out."""
    lora_rank: int = 0
    """0: all weights are trained."""
    lora_alpha: float = 0.0
    """0: twice the rank."""
    file_type: str = "Q8_0"
    """Of the GGUF file, when all weights are trained."""
    n_dev: int = 100
    """Documents in a validation; 0: all."""
    device: str = "cpu"
    rates: tuple[float, ...] = ()
    """Learning rates of which a short trial chooses; none: that of the loop is taken."""
    loop: LoopOptions = field(default_factory=LoopOptions)


@dataclass(frozen=True, slots=True)
class FinetuneResult:
    """The result of fine-tuning."""

    gguf: Path
    """The model, or the adapter for ``hpd extract --lora``."""
    n_steps: int
    best_f1: float | None
    """On the validation documents; None without any."""


def finetune(
    train: Source,
    output: Path,
    model: Path,
    schemas: Schemas,
    options: FinetuneOptions | None = None,
    *,
    labels: Labels = "gold",
    dev: Source | None = None,
    resume: bool = False,
    quiet: bool = False,
    say: Say = lambda message: None,
) -> FinetuneResult:
    """Teach a model, and write what it became into ``output``.

    Args:
        train: the documents to learn from.
        output: a folder; it also holds the log and what is needed to go on after an interruption.
        model: a transformers checkpoint's folder, or a GGUF file.
        schemas: what is asked for, or what of each category.
        options: how.
        labels: who says what is right.
        dev: documents with gold values, which choose the best state.
        resume: go on where the last run into ``output`` stopped.
        quiet: no progress line.
        say: takes messages for people.
    """
    options = options or FinetuneOptions()
    output.mkdir(parents=True, exist_ok=True)
    base = checkpoint_folder(model, output)
    vocabulary = CheckpointVocabulary(base)
    examples = _dev_examples(dev, options) if dev is not None else []
    network = load_model(base, options.device)
    if labels == "self":
        say("the model labels the documents itself")
    teacher = Predictor(network, vocabulary, instructions=options.instructions)
    documents = _documents(train, labels, schemas, options, teacher)
    rows = _rows(documents, vocabulary, options, say)
    if options.lora_rank:
        alpha = options.lora_alpha or 2.0 * options.lora_rank
        network = add_lora(network, options.lora_rank, alpha, options.loop.seed)
    n_trained = sum(p.numel() for p in network.parameters() if p.requires_grad)
    say(
        f"{len(rows)} rows with {sum(map(len, rows))} tokens; "
        f"{n_trained / 1e6:.1f} million weights to train"
    )
    settings = {
        name: getattr(options, name)
        for name in ("method", "mask", "max_tokens", "lora_rank", "instructions", "document_turn")
    }
    validate = _validation(examples, schemas, vocabulary, options, dev) if examples else None
    if options.rates:
        dev_rows = []
        if dev is not None:
            of_dev = data.gold_labels(dev, schemas, options.unnamed)
            dev_rows = _rows(of_dev, vocabulary, options, say)
        rate = chosen_rate(
            *(network, rows, dev_rows, options.rates, options.loop, output), resume=resume, say=say
        )
        say(f"learning rate {rate:g}")
        options = replace(options, loop=replace(options.loop, learning_rate=rate))
    loop = Loop(network, rows, options.loop, output, validate, settings=settings, quiet=quiet)
    progress = loop.run(resume=resume)
    network.eval()
    gguf = _export(network, base, output, options)
    return FinetuneResult(gguf, progress.step, progress.best_f1 if examples else None)


def checkpoint_folder(model: Path, output: Path) -> Path:
    """A folder that transformers can load: the model itself, or what is made of a GGUF file."""
    if model.is_dir():
        if not (model / "config.json").exists():
            raise InputError(f"{model} has no config.json, so it is no transformers checkpoint")
        return model
    return gguf_to_transformers(model, output / "base")


def _documents(
    train: Source, labels: Labels, schemas: Schemas, options: FinetuneOptions, teacher: Predictor
) -> list[Labelled]:
    if labels == "gold":
        return data.gold_labels(train, schemas, options.unnamed)
    if labels != "self":
        return data.teacher_labels(train, labels, schemas, options.unnamed)
    records = train.records()
    own = [data.schema_of(schemas, r.category, f"{train.path}:{r.line}") for r in records]
    # By autoregression, which the model was made for, whatever it is to learn.
    ar = replace(teacher, method="ar", max_tokens=options.max_tokens)
    found = ar.predict([record.text for record in records], own)
    return data.label(records, own, found, options.unnamed)


def _rows(
    documents: Sequence[Labelled],
    vocabulary: CheckpointVocabulary,
    options: FinetuneOptions,
    say: Say,
) -> list[TrainingRow]:
    maker = RowMaker(
        vocabulary,
        vocabulary.eos,
        options.mask,
        options.max_tokens,
        options.instructions,
        options.document_turn,
    )
    rows, n_long = data.make_rows(
        documents,
        maker,
        whole_answer=options.method == "ar",
        stack=options.stack,
        max_row=options.max_row,
    )
    if n_long:
        say(f"{n_long} rows are longer than {options.max_row} tokens and are left out")
    if not rows:
        raise InputError("there is nothing to train on: no document is left")
    return rows


def _dev_examples(dev: Source, options: FinetuneOptions) -> list[Example]:
    examples = list(
        load_examples(
            dev.path,
            text_field=dev.text_field,
            id_field=dev.id_field,
            category_field=dev.category_field,
        )
    )
    if not options.n_dev or options.n_dev >= len(examples):
        return examples
    # Evenly over the file, which may be sorted by category.
    return [examples[i * len(examples) // options.n_dev] for i in range(options.n_dev)]


def _validation(
    examples: Sequence[Example],
    schemas: Schemas,
    vocabulary: CheckpointVocabulary,
    options: FinetuneOptions,
    dev: Source | None,
) -> Callable[[Any], dict[str, float]]:
    where = str(dev.path) if dev is not None else "validation"
    own = [data.schema_of(schemas, example.category, where) for example in examples]
    every = {
        example.category: [attribute.name for attribute in schema]
        for example, schema in zip(examples, own, strict=True)
    }

    def validate(network: Any) -> dict[str, float]:
        predictor = Predictor(
            plain(network),
            vocabulary,
            options.method,
            options.mask,
            options.max_tokens,
            options.stack,
            options.instructions,
            options.document_turn,
        )
        found = predictor.predict([example.text for example in examples], own)
        scores = evaluate(examples, found, every)
        micro = scores.plain.micro
        return {
            "f1": micro.f1,
            "precision": micro.precision,
            "recall": micro.recall,
            "strict_f1": scores.strict.micro.f1,
        }

    return validate


def _export(network: Any, base: Path, output: Path, options: FinetuneOptions) -> Path:
    has_labels = options.method == "hpd" and options.mask == "label"
    if options.lora_rank:
        metadata = {LABEL_KEY: "on"} if has_labels else {}
        network.save_pretrained(output / "adapter")
        gguf = output / "adapter.gguf"
        export_adapter(output / "adapter", base, gguf, metadata=metadata)
        return gguf
    setattr(network.config.get_text_config(), LABEL_SETTING, has_labels)
    save_model(network, base, output / "model")
    gguf = output / "model.gguf"
    export_model(output / "model", gguf, options.file_type)
    return gguf
