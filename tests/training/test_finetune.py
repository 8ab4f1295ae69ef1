"""Fine-tuning: what rows teach, what the loop does with them, and the command from end to end."""

from __future__ import annotations

import json
import shutil

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
pytest.importorskip("safetensors")

from hpd.cli import main
from hpd.errors import InputError
from hpd.prompt import LABEL_KEY
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.training import data, masks
from hpd.training.conversion.from_gguf import gguf_to_transformers
from hpd.training.conversion.to_gguf import export_model
from hpd.training.data import Labelled, RowMaker, Source, make_rows
from hpd.training.loop import Loop, LoopOptions, collate, log_entries, loss_sum
from hpd.training.lora import add_lora
from hpd.training.models import load_model
from hpd.training.packing import NO_TARGET
from hpd.training.predict import Predictor
from hpd.training.prompter import Prompter
from hpd.training.rows import TrainingRow
from hpd.training.vocabulary import CheckpointVocabulary

SCHEMA = Schema((Attribute("Brand"), Attribute("Color"), Attribute("Size", "integer")))
TEXTS = ["Nike Shoe Black 10", "Sony Camera", "Bosch Battery Red", "Canon Boot Blue 6"]
ANSWERS = [
    {"Brand": "Nike", "Color": "Black", "Size": 10},
    {"Brand": "Sony", "Color": None, "Size": None},
    {"Brand": "Bosch", "Color": "Red", "Size": None},
    {"Brand": "Canon", "Color": "Blue", "Size": 6},
]
DOCUMENTS = [Labelled(text, SCHEMA, answer) for text, answer in zip(TEXTS, ANSWERS, strict=True)]


@pytest.fixture(scope="module")
def checkpoint(tiny_model, tmp_path_factory):
    return gguf_to_transformers(tiny_model("qwen3"), tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def vocabulary(checkpoint):
    return CheckpointVocabulary(checkpoint)


def rows_of(vocabulary, documents=DOCUMENTS, mask="branch", **settings):
    maker = RowMaker(vocabulary, vocabulary.eos, mask, 16)
    return make_rows(documents, maker, **settings)[0]


def text_of(vocabulary, tokens):
    return b"".join(vocabulary.piece(int(token)) for token in tokens).decode()


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", masks.MASKS)
def test_a_row_teaches_the_values_and_nothing_else(vocabulary, mask):
    for row, answer in zip(rows_of(vocabulary, mask=mask), ANSWERS, strict=True):
        taught = text_of(vocabulary, row.targets[row.targets != NO_TARGET])
        # A number ends where something else begins.
        numbers = "" if answer["Size"] is None else "}"
        values = [json.dumps(value) for value in answer.values()]
        assert taught == "".join(f" {value}" for value in values) + numbers


def test_a_packed_row_costs_what_its_fields_cost_alone(checkpoint, vocabulary):
    """One document with all its fields in a row: the same losses as a plain sequence for each."""
    model = load_model(checkpoint)
    for document, row in zip(DOCUMENTS, rows_of(vocabulary), strict=True):
        alone = 0.0
        n_alone = 0
        for name in document.answer:
            one = Labelled(document.text, SCHEMA, {name: document.answer[name]})
            (single,) = rows_of(vocabulary, [one])
            plain = TrainingRow(single.tokens, single.targets, masks.causal(len(single)), "branch")
            with torch.no_grad():
                alone += float(loss_sum(model, collate([plain])))
            n_alone += len(plain)
        with torch.no_grad():
            packed = float(loss_sum(model, collate([row])))
        assert packed == pytest.approx(alone, rel=1e-4)
        assert len(row) < 0.6 * n_alone


def test_a_whole_answer_follows_the_engines_prompt(vocabulary):
    (row, *_) = rows_of(vocabulary, whole_answer=True)
    prompt = Prompter(vocabulary, SCHEMA, "branch").answer([TEXTS[0]])
    n_prompt = len(prompt.tokens) + len(prompt.keys[0])
    assert row.tokens[:n_prompt].tolist() == [*prompt.tokens, *prompt.keys[0]]
    taught = row.targets[row.targets != NO_TARGET]
    assert text_of(vocabulary, taught) == '{"Brand": "Nike", "Color": "Black", "Size": 10}'
    assert taught[-1] == vocabulary.eos
    assert masks.dense(row.mask, masks.stack([row.roles])).equal(
        masks.dense("branch", masks.stack([masks.causal(len(row))]))
    )


def test_stacked_documents_share_a_row(vocabulary):
    (row,) = rows_of(vocabulary, DOCUMENTS[:2], stack=2)
    text = text_of(vocabulary, row.tokens)
    assert all(document in text for document in TEXTS[:2])
    assert '{"1": {"Brand":' in text
    assert '{"2": {"Size":' in text
    (answer,) = rows_of(vocabulary, DOCUMENTS[:2], stack=2, whole_answer=True)
    taught = text_of(vocabulary, answer.targets[answer.targets != NO_TARGET])
    assert json.loads(taught) == {"1": ANSWERS[0], "2": ANSWERS[1]}


@pytest.mark.parametrize("mask", masks.MASKS)
def test_what_is_not_known_is_not_taught(vocabulary, mask):
    """Nor is what would have to be said with an unknown value in sight."""
    schema = load_schema("Brand, Color, tags [str], Size after Color, Type after Brand")
    answer = {"Brand": "Nike", "Size": "9", "Type": "Shoe"}
    (row,) = rows_of(vocabulary, [Labelled(TEXTS[0], schema, answer)], mask=mask)
    taught = text_of(vocabulary, row.targets[row.targets != NO_TARGET])
    assert taught == ' "Nike" "Shoe"'
    assert '{"Brand": "Nike", "Type":' in text_of(vocabulary, row.tokens)
    # Decoding asks for it all the same, and in a skeleton the next keys show it.
    assert ('"Color":' in text_of(vocabulary, row.tokens)) == (mask != "branch")
    unknown = Labelled(TEXTS[0], schema, {"Size": "9"})
    assert make_rows([unknown], RowMaker(vocabulary, vocabulary.eos, mask, 16)) == ([], 0)


def test_long_values_and_long_rows(vocabulary):
    wordy = Labelled("A", SCHEMA, {"Brand": "very long " * 30})
    maker = RowMaker(vocabulary, vocabulary.eos, "paper", 16)
    rows, n_long = make_rows([wordy, wordy], maker)
    assert [(row.targets != NO_TARGET).sum() for row in rows] == [16, 16]
    assert n_long == 0
    assert make_rows([wordy], maker, max_row=10) == ([], 1)


# --- labels ---------------------------------------------------------------------------------------


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_labels_beside_the_documents(tmp_path):
    schema = load_schema("Brand, Size int, tags [str]")
    lines = [
        {"input": "A", "target_scores": {"Brand": {"x": 1, "y": 1}, "Size": {"3": 1}}},
        {"input": "B", "target_scores": {"Brand": {"n/a": 1}, "tags": {"p": 1, "q": 1}}},
        {"text": "C", "gold": {"Brand": "z", "tags": ["r"]}},
        {"text": "D", "data": {"Size": 4}},
    ]
    source = Source(write(tmp_path / "train.jsonl", lines))
    named = [document.answer for document in data.gold_labels(source, schema, "skip")]
    assert named == [
        {"Brand": "x", "Size": 3},
        {"Brand": None, "tags": ["p", "q"]},
        {"Brand": "z", "tags": ["r"]},
        {"Size": 4},
    ]
    every = [document.answer for document in data.gold_labels(source, schema)]
    assert every[3] == {"Brand": None, "Size": 4, "tags": None}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "A"}, r"train.jsonl:1: no gold values"),
        ({"text": "A", "gold": {"Size": "many"}}, r"train.jsonl:1: the gold value of Size"),
    ],
)
def test_bad_labels_are_named(tmp_path, line, message):
    source = Source(write(tmp_path / "train.jsonl", [line]))
    with pytest.raises(InputError, match=message):
        data.gold_labels(source, SCHEMA)


def test_a_category_without_a_schema_is_named(tmp_path):
    lines = [{"text": "A", "category": "Tea", "gold": {}}]
    source = Source(write(tmp_path / "train.jsonl", lines), category_field="category")
    with pytest.raises(InputError, match=r"train.jsonl:1: category 'Tea': the schema has Shoes"):
        data.gold_labels(source, {"Shoes": SCHEMA})


def test_a_teachers_labels(tmp_path):
    source = Source(
        write(tmp_path / "d.jsonl", [{"id": i, "text": t} for i, t in enumerate("ABC")])
    )
    labels = [
        {"id": "2", "data": {"Brand": "c"}, "fields": {}},
        {"id": "0", "data": {"Brand": None}, "fields": {}},
        {"id": "1", "error": {"type": "DecodeError", "message": "no"}},
    ]
    path = write(tmp_path / "labels.jsonl", labels)
    taught = data.teacher_labels(source, path, load_schema("Brand"))
    assert [(d.text, d.answer) for d in taught] == [("A", {"Brand": None}), ("C", {"Brand": "c"})]


# --- the loop -------------------------------------------------------------------------------------


def options(**settings):
    defaults = {"epochs": 3, "batch_size": 2, "accumulate": 1, "learning_rate": 1e-3, "bf16": False}
    return LoopOptions(**{**defaults, **settings})


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_a_run_that_was_interrupted_ends_like_one_that_was_not(checkpoint, vocabulary, tmp_path):
    rows = rows_of(vocabulary)
    straight, broken = load_model(checkpoint), load_model(checkpoint)
    Loop(straight, rows, options(), tmp_path / "a", quiet=True).run()
    Loop(broken, rows, options(), tmp_path / "b", quiet=True).run(stop_after=3)
    half = weights(broken).clone()
    resumed = load_model(checkpoint)
    Loop(resumed, rows, options(), tmp_path / "b", quiet=True).run(resume=True)
    assert torch.equal(weights(resumed), weights(straight))
    assert not torch.equal(weights(resumed), half)
    steps = [entry["step"] for entry in log_entries(tmp_path / "b")]
    assert steps == [1, 2, 3, 4, 5, 6]
    with pytest.raises(InputError, match="run with steps 6, not 10"):
        Loop(resumed, rows, options(epochs=5), tmp_path / "b", quiet=True).run(resume=True)


def test_accumulated_batches_make_the_update_of_one_batch(checkpoint, vocabulary, tmp_path):
    rows = rows_of(vocabulary)
    found = []
    for size, accumulate in ((4, 1), (1, 4), (3, 2)):
        model = load_model(checkpoint)
        once = options(epochs=1, batch_size=size, accumulate=accumulate)
        Loop(model, rows, once, tmp_path / f"{size}", quiet=True).run()
        (entry,) = log_entries(tmp_path / f"{size}")
        found.append((entry["loss"], entry["gradient_norm"]))
    assert found[1] == pytest.approx(found[0], rel=1e-3)
    assert found[2] == pytest.approx(found[0], rel=1e-3)


def test_training_ends_early_with_the_best_weights(checkpoint, vocabulary, tmp_path):
    model = load_model(checkpoint)
    seen = []
    scores = iter([10.0, 20.0, 15.0, 20.0, 99.0])

    def validate(network):
        seen.append(weights(network).clone())
        return {"f1": next(scores)}

    settings = options(epochs=10, patience=2)
    progress = Loop(model, rows_of(vocabulary), settings, tmp_path, validate, quiet=True).run()
    assert (progress.best_f1, progress.best_step, progress.stopped) == (20.0, 2, True)
    assert len(seen) == 4
    assert torch.equal(weights(model), seen[1])


def test_the_learning_rate_rises_and_falls(checkpoint, vocabulary, tmp_path):
    settings = options(epochs=50, warmup=0.1, learning_rate=1.0)
    loop = Loop(load_model(checkpoint), rows_of(vocabulary), settings, tmp_path)
    rates = [loop.learning_rate(step) for step in range(loop.n_steps)]
    assert loop.n_steps == 100
    assert rates[:10] == pytest.approx([0.1 * (i + 1) for i in range(10)])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[10] == 1.0
    assert 0 < rates[-1] < 0.01


def test_an_adapter_begins_with_the_weights_of_its_seed(checkpoint):
    def weights(seed):
        model = add_lora(load_model(checkpoint), 2, 4, seed)
        return torch.cat([p.flatten() for n, p in model.named_parameters() if ".lora_A" in n])

    torch.manual_seed(5)
    first = weights(1)
    torch.manual_seed(6)
    assert torch.equal(weights(1), first)
    assert not torch.equal(weights(2), first)


def test_an_adapter_alone_is_trained(checkpoint, vocabulary, tmp_path):
    model = add_lora(load_model(checkpoint), 2, 4)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    Loop(model, rows_of(vocabulary), options(), tmp_path, quiet=True).run()
    changed = {n for n, p in model.named_parameters() if not torch.equal(p, before[n])}
    assert changed
    assert all(".lora_" in name for name in changed)


# --- the command ----------------------------------------------------------------------------------

TRAINING = ["--quiet", "--no-bf16", "--patience", "0", "--max-tokens", "12", "-t", "1"]
TRAINING += ["--batch-size", "4", "--accumulate", "1"]
ASK = ["--schema", "Brand, Color, Size int"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    lines = [{"text": text, "gold": answer} for text, answer in zip(TEXTS, ANSWERS, strict=True)]
    write(folder / "train.jsonl", lines)
    return folder


def extracted(files, capsys, *arguments):
    capsys.readouterr()
    assert main(["extract", str(files / "train.jsonl"), *ASK, "--quiet", *arguments]) == 0
    return [json.loads(line)["data"] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")
@pytest.mark.parametrize(
    ("method", "rank", "turn"),
    [("hpd", "0", "user"), ("hpd", "16", "user"), ("ar", "16", "user"), ("hpd", "16", "assistant")],
)
def test_what_was_taught_is_extracted(files, tiny_model, tmp_path, capsys, method, rank, turn):
    model = str(tiny_model("qwen3"))
    out = tmp_path / "out"
    train = str(files / "train.jsonl")
    command = ["finetune", train, *ASK, "-m", model, "-o", str(out), "--dev", train, *TRAINING]
    asked = ["--method", method, "--document-turn", turn]
    command += [*asked, "--lora-rank", rank, "--epochs", "20"]
    command += ["--validate-every", "10", "--learning-rate"]
    command += ["3e-3", "--outtype", "f32"] if rank == "0" else ["1e-2"]
    assert main(command) == 0
    result = capsys.readouterr().out.strip()
    judged = [e["validation"]["f1"] for e in log_entries(out) if "validation" in e]
    assert judged[0] < 50
    assert max(judged) == 100
    if rank == "0":
        assert result == str(out / "model.gguf")
        found = extracted(files, capsys, "-m", result, *asked)
    else:
        assert result == str(out / "adapter.gguf")
        found = extracted(files, capsys, "-m", model, "--lora", result, *asked)
    assert found == ANSWERS


def test_a_model_can_be_its_own_teacher(files, tiny_model, checkpoint, vocabulary, tmp_path):
    """Its own answers, by autoregression, are what it is taught: little is left to learn."""
    from hpd.training.finetune import FinetuneOptions, finetune

    settings = FinetuneOptions(
        method="ar", max_tokens=12, loop=options(epochs=1, learning_rate=1e-6)
    )
    source = Source(files / "train.jsonl")
    messages = []
    finetune(
        source,
        tmp_path,
        checkpoint,
        SCHEMA,
        settings,
        labels="self",
        quiet=True,
        say=messages.append,
    )
    assert "labels the documents itself" in messages[0]
    own = Predictor(load_model(checkpoint), vocabulary, "ar", max_tokens=12).predict(
        TEXTS, [SCHEMA] * len(TEXTS)
    )
    expected = rows_of(
        vocabulary,
        [Labelled(text, SCHEMA, answer) for text, answer in zip(TEXTS, own, strict=True)],
        whole_answer=True,
    )
    n_tokens = sum(map(len, expected))
    assert f"{len(TEXTS)} rows with {n_tokens} tokens" in messages[1]


@pytest.mark.parametrize("rank", [0, 4])
@pytest.mark.parametrize(("mask", "said"), [("label", "on"), ("branch", "")])
def test_the_file_says_whether_labels_were_taught(
    files, tiny_model, checkpoint, tmp_path, rank, mask, said
):
    from hpd._native import Model, ModelOptions
    from hpd.training.finetune import FinetuneOptions, finetune

    settings = FinetuneOptions(
        mask=mask, lora_rank=rank, loop=options(epochs=1, learning_rate=1e-6)
    )
    result = finetune(
        Source(files / "train.jsonl"), tmp_path, checkpoint, SCHEMA, settings, quiet=True
    )
    if rank:
        loading = ModelOptions()
        loading.loras = [(str(result.gguf), 1.0)]
        found = Model([str(tiny_model("qwen3"))], loading)
        assert found.lora_metadata(LABEL_KEY) == [said]
        assert found.metadata(LABEL_KEY) == ""
        return
    assert Model([str(result.gguf)]).metadata(LABEL_KEY) == said
    # So does every later export of the checkpoint beside it.
    export_model(tmp_path / "model", tmp_path / "again.gguf", "F32")
    assert Model([str(tmp_path / "again.gguf")]).metadata(LABEL_KEY) == said


def test_what_is_taught_last_decides_about_labels(files, checkpoint, tmp_path):
    from hpd._native import Model
    from hpd.training.finetune import FinetuneOptions, finetune

    model = checkpoint
    for mask, said in (("label", "on"), ("branch", "")):
        settings = FinetuneOptions(mask=mask, loop=options(epochs=1, learning_rate=1e-6))
        source = Source(files / "train.jsonl")
        result = finetune(source, tmp_path / mask, model, SCHEMA, settings, quiet=True)
        assert Model([str(result.gguf)]).metadata(LABEL_KEY) == said
        model = tmp_path / mask / "model"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl", "--schema", "Brand"], "there is no file missing.jsonl"),
        (["TRAIN", "--schema", "Brand", "--method", "ar", "--mask", "paper"], "always causal"),
        (["TRAIN", "--schema", '{"A": ["x"], "B": ["y"]}'], "--category-field"),
        (["TRAIN", "--schema", "Brand", "--labels", "no.jsonl"], "no file no.jsonl with labels"),
    ],
)
def test_wrong_use_is_found_before_the_model_is_loaded(files, tmp_path, capsys, arguments, message):
    arguments = [str(files / "train.jsonl") if a == "TRAIN" else a for a in arguments]
    code = main(["finetune", *arguments, "-m", "no-such-model.gguf", "-o", str(tmp_path / "o")])
    assert code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_run_is_not_overwritten(files, tmp_path, capsys):
    (tmp_path / "checkpoint.pt").touch()
    assert main(["finetune", str(files / "train.jsonl"), *ASK, "-o", str(tmp_path)]) == 2
    assert "--resume goes on with it" in capsys.readouterr().err


def test_a_folder_that_is_no_checkpoint(files, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    command = [
        "finetune",
        str(files / "train.jsonl"),
        "--schema",
        "Brand",
        "-o",
        str(tmp_path / "o"),
    ]
    assert main([*command, "-m", str(tmp_path / "empty")]) == 1
    assert "no config.json" in capsys.readouterr().err


def test_a_checkpoint_without_a_tokenizer(checkpoint, files, tmp_path, capsys):
    shutil.copy(checkpoint / "config.json", tmp_path)
    command = [
        "finetune",
        str(files / "train.jsonl"),
        "--schema",
        "Brand",
        "-o",
        str(tmp_path / "o"),
    ]
    assert main([*command, "-m", str(tmp_path)]) == 1
    assert "no tokenizer.json" in capsys.readouterr().err
