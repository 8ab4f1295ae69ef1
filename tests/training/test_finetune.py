"""Fine-tuning: what rows teach, what the loop does with them, and the command from end to end."""

import io
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from command_line import Terminal
from hpd.cli import main
from hpd.errors import InputError, OptionError
from hpd.prompt.text import LABEL_KEY, LENGTH_KEY
from hpd.schema import Schemas, load_schema, load_schemas
from hpd.schema.attributes import Attribute, Schema
from hpd.training import data, masks
from hpd.training.data import LabelledDocument, RowMaker, RowStream, TrainingSource
from hpd.training.finetune import TRIAL_FILE, FinetuneOptions, choose_rate, finetune
from hpd.training.loop import LOG_FILE, LoopOptions, TrainingLoop
from hpd.training.network import (
    GgufVocabulary,
    add_lora,
    compile_parts,
    freeze,
    load_network,
    loss_sum,
    pack,
)
from hpd.training.predict import Predictor
from hpd.training.rows import NO_TARGET, Prompter, TrainingRow

SCHEMA = Schema((Attribute("Brand"), Attribute("Color"), Attribute("Size", "integer")))
SCHEMAS = Schemas.of(SCHEMA)
TEXTS = ["Nike Shoe Black 10", "Sony Camera", "Bosch Battery Red", "Canon Boot Blue 6"]
ANSWERS = [
    {"Brand": "Nike", "Color": "Black", "Size": 10},
    {"Brand": "Sony", "Color": None, "Size": None},
    {"Brand": "Bosch", "Color": "Red", "Size": None},
    {"Brand": "Canon", "Color": "Blue", "Size": 6},
]
DOCUMENTS = [
    LabelledDocument(text, SCHEMA, answer) for text, answer in zip(TEXTS, ANSWERS, strict=True)
]


@pytest.fixture(scope="module")
def vocabulary(model):
    return GgufVocabulary(model)


def maker_of(vocabulary):
    return RowMaker(vocabulary, 16)


def rows_of(vocabulary, documents=DOCUMENTS, form="branch"):
    maker = maker_of(vocabulary)
    return [maker.row([document], form) for document in documents]


def stream_of(vocabulary, documents=DOCUMENTS, **settings):
    defaults = {"forms": {"branch": 1.0}}
    return RowStream(lambda: documents, maker_of(vocabulary), **{**defaults, **settings})


def text_of(vocabulary, tokens):
    return b"".join(vocabulary.piece(int(token)) for token in tokens).decode()


def causal(row):
    """The roles of the row's tokens as plain text."""
    return masks.RowLayout("branch", len(row), [], 1).prompt()


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", masks.MASKS)
def test_a_row_teaches_the_values_and_nothing_else(vocabulary, mask):
    for row, answer in zip(rows_of(vocabulary, form=mask), ANSWERS, strict=True):
        taught = text_of(vocabulary, row.targets[row.targets != NO_TARGET])
        # A number ends where something else begins.
        numbers = "" if answer["Size"] is None else "}"
        values = [json.dumps(value) for value in answer.values()]
        assert taught == "".join(f" {value}" for value in values) + numbers


def test_a_packed_row_costs_what_its_fields_cost_alone(model, vocabulary):
    """One document with all its fields in a row: the same losses as a plain sequence for each."""
    network = load_network(model)
    for document, row in zip(DOCUMENTS, rows_of(vocabulary), strict=True):
        alone = 0.0
        n_alone = 0
        for name in document.answer:
            one = LabelledDocument(document.text, SCHEMA, {name: document.answer[name]})
            (single,) = rows_of(vocabulary, [one])
            plain = TrainingRow(single.tokens, single.targets, causal(single), "branch")
            with torch.no_grad():
                alone += float(loss_sum(network, pack([plain])))
            n_alone += len(plain)
        with torch.no_grad():
            together = float(loss_sum(network, pack([row])))
        assert together == pytest.approx(alone, rel=1e-4)
        assert len(row) < 0.6 * n_alone


def test_a_whole_answer_follows_the_engines_prompt(vocabulary):
    (row, *_) = rows_of(vocabulary, form="ar")
    prompt = Prompter(vocabulary, SCHEMA, "branch").answer([TEXTS[0]])
    n_prompt = len(prompt.tokens) + len(prompt.keys[0])
    assert row.tokens[:n_prompt].tolist() == [*prompt.tokens, *prompt.keys[0]]
    taught = row.targets[row.targets != NO_TARGET]
    assert text_of(vocabulary, taught) == '{"Brand": "Nike", "Color": "Black", "Size": 10}'
    assert taught[-1] == vocabulary.eos
    assert masks.dense(row.mask, masks.stack([row.roles])).equal(
        masks.dense("branch", masks.stack([causal(row)]))
    )


def test_stacked_documents_share_a_row(vocabulary):
    row = maker_of(vocabulary).row(DOCUMENTS[:2], "branch")
    text = text_of(vocabulary, row.tokens)
    assert all(document in text for document in TEXTS[:2])
    assert '{"1": {"Brand":' in text
    assert '{"2": {"Size":' in text
    answer = maker_of(vocabulary).row(DOCUMENTS[:2], "ar")
    taught = text_of(vocabulary, answer.targets[answer.targets != NO_TARGET])
    assert json.loads(taught) == {"1": ANSWERS[0], "2": ANSWERS[1]}


@pytest.mark.parametrize("mask", masks.MASKS)
def test_what_is_not_known_is_not_taught(vocabulary, mask):
    """Nor is what would have to be said with an unknown value in sight."""
    schema = load_schema("Brand, Color, tags [str], Size after Color, Type after Brand")
    answer = {"Brand": "Nike", "Size": "9", "Type": "Shoe"}
    (row,) = rows_of(vocabulary, [LabelledDocument(TEXTS[0], schema, answer)], mask)
    taught = text_of(vocabulary, row.targets[row.targets != NO_TARGET])
    assert taught == ' "Nike" "Shoe"'
    assert '{"Brand": "Nike", "Type":' in text_of(vocabulary, row.tokens)
    # Decoding asks for it all the same, and in a skeleton the next keys show it.
    assert ('"Color":' in text_of(vocabulary, row.tokens)) == (mask != "branch")
    unknown = LabelledDocument(TEXTS[0], schema, {"Size": "9"})
    assert rows_of(vocabulary, [unknown], mask) == [None]


def test_long_values_and_long_rows(vocabulary):
    wordy = LabelledDocument("A", SCHEMA, {"Brand": "very long " * 30})
    (row,) = rows_of(vocabulary, [wordy], "paper")
    assert (row.targets != NO_TARGET).sum() == 16
    stream = stream_of(vocabulary, [wordy], max_row=10, is_read_once=True)
    assert list(stream.rows()) == []
    assert stream.n_skipped == 1


# --- the stream -----------------------------------------------------------------------------------


def test_a_stream_goes_on_behind_what_is_done(vocabulary):
    """Several epochs, forms and stacks: what is left is the same from wherever one goes on."""

    def first(n, n_done=0):
        stream = stream_of(vocabulary, forms={"branch": 1, "label": 1, "ar": 1}, stack=2, seed=7)
        rows = stream.rows(n_done)
        return [(number, row.tokens.tolist()) for number, row in (next(rows) for _ in range(n))]

    whole = first(20)
    assert [number for number, _ in whole] == list(range(1, 21))
    for n_done in (1, 3, 8, 19):
        assert first(20 - n_done, n_done) == whole[n_done:]
    assert stream_of(vocabulary, stack=2).per_epoch() == 2


def test_what_is_read_once_is_not_passed_over(vocabulary):
    stream = stream_of(vocabulary, is_read_once=True)
    assert [number for number, _ in stream.rows(100)] == [101, 102, 103, 104]


def test_an_epoch_has_every_document_once_in_another_order(vocabulary, monkeypatch):
    monkeypatch.setattr(data, "N_SHUFFLED", 3)
    documents = [LabelledDocument(f"Boot {n}", SCHEMA, ANSWERS[0]) for n in range(20)]
    rows = stream_of(vocabulary, documents).rows()
    orders = [[text_of(vocabulary, next(rows)[1].tokens) for _ in documents] for _ in range(2)]
    assert len({*orders[0]}) == 20
    assert {*orders[0]} == {*orders[1]}
    assert orders[0] != orders[1]


def test_what_goes_wrong_while_reading_ahead_is_raised(vocabulary):
    def documents():
        yield from DOCUMENTS
        raise InputError("line 5 is broken")

    stream = RowStream(documents, maker_of(vocabulary), {"branch": 1.0})
    with data.read_ahead(stream.rows()) as rows, pytest.raises(InputError, match="line 5"):
        list(rows)


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
    source = TrainingSource(write(tmp_path / "train.jsonl", lines))
    named = [document.answer for document in data.gold_labels(source, Schemas.of(schema), "skip")]
    assert named == [
        {"Brand": "x", "Size": 3},
        {"Brand": None, "tags": ["p", "q"]},
        {"Brand": "z", "tags": ["r"]},
        {"Size": 4},
    ]
    every = [document.answer for document in data.gold_labels(source, Schemas.of(schema))]
    assert every[3] == {"Brand": None, "Size": 4, "tags": None}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "A"}, r"train.jsonl:1: no gold values"),
        ({"text": "A", "gold": {"Size": "many"}}, r"train.jsonl:1: the gold value of Size"),
    ],
)
def test_bad_labels_are_named(tmp_path, line, message):
    source = TrainingSource(write(tmp_path / "train.jsonl", [line]))
    with pytest.raises(InputError, match=message):
        list(data.gold_labels(source, SCHEMAS))


def test_a_category_without_a_schema_is_named(tmp_path):
    lines = [{"text": "A", "category": "Tea", "gold": {}}]
    source = TrainingSource(write(tmp_path / "train.jsonl", lines), category_field="category")
    with pytest.raises(InputError, match=r"train.jsonl:1: category 'Tea': the schema has Shoes"):
        list(data.gold_labels(source, Schemas.of({"Shoes": SCHEMA})))


def test_a_teachers_labels(tmp_path):
    source = TrainingSource(
        write(tmp_path / "d.jsonl", [{"id": i, "text": t} for i, t in enumerate("ABC")])
    )
    labels = [
        {"id": "2", "data": {"Brand": "c"}, "fields": {}},
        {"id": "0", "data": {"Brand": None}, "fields": {}},
        {"id": "1", "error": {"type": "DecodeError", "message": "no"}},
    ]
    path = write(tmp_path / "labels.jsonl", labels)
    taught = data.teacher_labels(source, path, load_schemas("Brand"))
    assert [(d.text, d.answer) for d in taught] == [("A", {"Brand": None}), ("C", {"Brand": "c"})]


def test_a_line_has_its_own_schema(tmp_path):
    lines = [
        {"text": "A", "schema": "x, y int", "gold": {"x": "p", "y": 3}},
        {"text": "B", "schema": {"type": "object", "properties": {"z": {"type": "array",
         "items": {"type": "string"}}}}, "gold": {"z": ["q", "r"]}},
        {"text": "C", "gold": {}},
    ]  # fmt: skip
    source = TrainingSource(write(tmp_path / "train.jsonl", lines))
    labels = data.gold_labels(source, None)
    assert next(labels) == LabelledDocument("A", load_schema("x, y int"), {"x": "p", "y": 3})
    assert next(labels).answer == {"z": ["q", "r"]}
    with pytest.raises(InputError, match=r"train.jsonl:3: no schema: give one with --schema"):
        next(labels)
    wrong = TrainingSource(
        write(tmp_path / "wrong.jsonl", [{"text": "A", "schema": 'x, "y" nt', "gold": {}}])
    )
    with pytest.raises(InputError, match=r"wrong.jsonl:1: schema: character 8: 'nt' is not a type"):
        next(data.gold_labels(wrong, None))


# --- the loop -------------------------------------------------------------------------------------


def options(**settings):
    defaults = {"epochs": 6, "batch_tokens": 1, "warmup": 0, "learning_rate": 1e-3, "bf16": False}
    return LoopOptions(**{**defaults, **settings})


def weights(network):
    return torch.cat([p.detach().flatten() for p in network.parameters()])


def loop_of(network, vocabulary, folder, settings=None, validate=None):
    return TrainingLoop(
        network, stream_of(vocabulary), settings or options(), folder, validate, quiet=True
    )


def log_entries(folder):
    return [json.loads(line) for line in (folder / LOG_FILE).read_text().splitlines()]


def interrupt_after(loop, step):
    """Let the loop be interrupted as it asks whether it is done."""
    done = loop.done

    def interrupted():
        if loop.progress.step == step:
            raise KeyboardInterrupt
        return done()

    loop.done = interrupted


@pytest.mark.parametrize("kind", [{}, {"bf16": True, "rounding": "Q4_0"}])
def test_a_run_that_was_interrupted_ends_like_one_that_was_not(model, vocabulary, tmp_path, kind):
    straight, broken, resumed = (load_network(model) for _ in range(3))
    asked = options(epochs=2, **kind)
    loop_of(straight, vocabulary, tmp_path / "a", asked).run()
    loop = loop_of(broken, vocabulary, tmp_path / "b", asked)
    interrupt_after(loop, 5)
    with pytest.raises(KeyboardInterrupt):
        loop.run()
    loop_of(resumed, vocabulary, tmp_path / "b", asked).run(resume=True)
    assert torch.equal(weights(resumed), weights(straight))
    assert not torch.equal(weights(resumed), weights(broken))
    steps = [entry["step"] for entry in log_entries(tmp_path / "b")]
    assert steps == list(range(1, 9))
    with pytest.raises(InputError, match="run with seed 0, not 1"):
        loop_of(resumed, vocabulary, tmp_path / "b", options(seed=1)).run(resume=True)


def test_a_terminal_shows_how_much_is_done(model, vocabulary, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    loop = loop_of(load_network(model), vocabulary, tmp_path, options(epochs=1))
    loop.quiet = False
    loop.run()
    assert "100%" in terminal.getvalue()
    assert " tokens/s" in terminal.getvalue()


def test_an_update_is_the_same_in_one_pass_or_in_several(model, vocabulary, tmp_path, monkeypatch):
    found = []
    for longest in (4096, 1):
        monkeypatch.setattr("hpd.training.loop.LONGEST_PASS", longest)
        once = options(epochs=1, batch_tokens=4096)
        loop_of(load_network(model), vocabulary, tmp_path, once).run()
        (entry,) = log_entries(tmp_path)
        found.append((entry["loss"], entry["gradient_norm"]))
    assert found[1] == pytest.approx(found[0], rel=1e-3)


def test_compiled_parts_learn_the_same(model, vocabulary, tmp_path):
    found = []
    for is_compiled in (False, True):
        network = load_network(model)
        if is_compiled:
            plain = {type(each) for each in network.modules() if "forward" not in vars(each)}
            compile_parts(network)
            left = {type(each) for each in network.modules() if "forward" not in vars(each)}
            assert {kind.__name__ for kind in plain - left} == {"Qwen3RMSNorm", "Qwen3MLP"}
        loop_of(network, vocabulary, tmp_path, options(epochs=2, is_compiled=is_compiled)).run()
        entries = list(log_entries(tmp_path))
        found.append([(entry["loss"], entry["gradient_norm"]) for entry in entries])
    assert len(found[0]) == 8
    assert np.array(found[1]) == pytest.approx(np.array(found[0]), rel=1e-3)


def test_training_ends_early_with_the_best_weights(model, vocabulary, tmp_path):
    network = load_network(model)
    seen = []
    scores = iter([10.0, 20.0, 15.0, 20.0, 99.0])

    def validate():
        seen.append(weights(network).clone())
        return {"f1": next(scores)}

    settings = options(epochs=10, patience=2)
    progress = loop_of(network, vocabulary, tmp_path, settings, validate).run()
    assert (progress.best_f1, progress.best_step, progress.is_done) == (20.0, 4, True)
    assert len(seen) == 4
    assert torch.equal(weights(network), seen[1])


def test_the_rate_rises_stays_and_falls_at_the_end(model, vocabulary, tmp_path):
    settings = options(epochs=20, warmup=10, learning_rate=1.0, decay=0.25)
    loop = loop_of(load_network(model), vocabulary, tmp_path, settings)
    loop.n_rows = 80.0
    rates = []
    for step in range(80):
        loop.progress.step = loop.progress.n_rows = step
        rates.append(round(loop.learning_rate(), 3))
    assert rates[:3] == [0.1, 0.25, 0.5], "within a twentieth of all"
    assert rates[4:61] == [1.0] * 57
    assert rates[60:] == sorted(rates[60:], reverse=True)
    assert rates[70] == 0.5
    assert rates[-1] == 0.05


def test_minutes_end_a_run_and_a_part_leaves_it_to_be_resumed(model, vocabulary, tmp_path):
    for_long = options(epochs=None, minutes=1e6, part=1e-9)
    progress = loop_of(load_network(model), vocabulary, tmp_path, for_long).run()
    assert (progress.step, progress.is_done) == (1, False)
    over = options(epochs=None, minutes=1e-9)
    progress = loop_of(load_network(model), vocabulary, tmp_path, over).run(resume=True)
    assert (progress.step, progress.is_done) == (2, True)


def test_an_adapter_begins_with_the_weights_of_its_seed(model):
    def begun(seed):
        network = load_network(model)
        add_lora(network, 2, 4, seed)
        return torch.cat([p.flatten() for n, p in network.named_parameters() if n[-2:] == ".a"])

    torch.manual_seed(5)
    first = begun(1)
    torch.manual_seed(6)
    assert torch.equal(begun(1), first)
    assert not torch.equal(begun(2), first)


def test_an_adapter_alone_is_trained(model, vocabulary, tmp_path):
    network = load_network(model)
    add_lora(network, 2, 4)
    before = {name: p.detach().clone() for name, p in network.named_parameters()}
    loop_of(network, vocabulary, tmp_path).run()
    changed = {n for n, p in network.named_parameters() if not torch.equal(p, before[n])}
    assert changed
    assert all(name[-2:] in (".a", ".b") for name in changed)


def test_frozen_layers_stay_as_they_are_in_the_file(files, model, tmp_path):
    settings = FinetuneOptions(freeze=1, file_type="F32", loop=options(epochs=1, bf16=True))
    source = TrainingSource(files / "train.jsonl")
    result = finetune(source, tmp_path, model, SCHEMAS, settings, quiet=True)
    before = dict(load_network(model).named_parameters())
    after = dict(load_network(result.gguf).named_parameters())
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    frozen = {name for name in before if "embed" in name or ".layers.0." in name}
    assert frozen
    assert changed
    assert not changed & frozen


def test_an_adapter_freezes_all_layers_itself(files, model, tmp_path):
    settings = FinetuneOptions(freeze=1, lora_rank=2, loop=options(epochs=1))
    source = TrainingSource(files / "train.jsonl")
    with pytest.raises(OptionError, match="freeze does nothing with lora_rank"):
        finetune(source, tmp_path, model, SCHEMAS, settings, quiet=True)


def test_a_layer_must_be_left_to_train(model):
    with pytest.raises(InputError, match="none is left if 99 are frozen"):
        freeze(load_network(model), 99)


def test_the_rate_that_learns_is_chosen_and_the_network_stays_as_it_was(
    model, vocabulary, tmp_path
):
    """Of three: one at which nothing is learnt, a good one, and one that breaks the network."""
    documents = [
        LabelledDocument(f"Nike Shoe {n}", SCHEMA, {"Brand": "Nike", "Color": None})
        for n in range(20)
    ]
    network = load_network(model)
    before = weights(network).clone()
    stream = stream_of(vocabulary, documents)
    settings = options(batch_tokens=400)

    def choose(resume=False):
        rates = (1e-6, 1e-3, 10.0)
        return choose_rate(network, stream, rates, settings, tmp_path, resume=resume)

    assert choose() == 1e-3
    assert torch.equal(weights(network), before)
    assert [*json.loads((tmp_path / TRIAL_FILE).read_text())] == ["1e-06", "0.001", "10.0"]
    (tmp_path / TRIAL_FILE).write_text('{"1e-06": 0.5, "10.0": 0.75}')
    assert choose(resume=True) == 1e-6


# --- the command ----------------------------------------------------------------------------------

TRAINING = ["--quiet", "--no-bf16", "--max-tokens", "12", "-t", "1", "--batch-tokens", "400"]
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


@pytest.mark.parametrize(
    ("method", "rank", "kind"),
    [
        ("hpd", 0, ["--outtype", "f32"]),
        ("hpd", 0, ["--quantise", "q8_0"]),
        ("hpd", 16, []),
        ("ar", 16, []),
    ],
)
def test_what_was_taught_is_extracted(files, model, tmp_path, capsys, method, rank, kind):
    out = tmp_path / "out"
    train = str(files / "train.jsonl")
    command = ["finetune", train, *ASK, "-m", str(model), "-o", str(out), "--dev", train, *TRAINING]
    command += ["--method", method, "--lora-rank", str(rank), *kind, "--batch-tokens", "1600"]
    command += ["--epochs", "40", "--validate-every", "100", "--patience", "0"]
    command += ["--learning-rate", "1e-2" if rank else "3e-3"]
    assert main(command) == 0
    result = capsys.readouterr().out.strip()
    judged = [e["validation"]["f1"] for e in log_entries(out) if "validation" in e]
    assert judged[0] < 50
    assert max(judged) == 100
    asked = ["--set", f"method={method}"]
    if rank:
        assert result == str(out / "adapter.gguf")
        found = extracted(files, capsys, "-m", str(model), "--lora", result, *asked)
    else:
        assert result == str(out / "model.gguf")
        found = extracted(files, capsys, "-m", result, *asked)
    assert found == ANSWERS


def test_a_stream_of_lines_with_schemas_is_taught(model, tmp_path, capsys, monkeypatch):
    """Several forms in one run, read from standard input, to its end."""
    line = {"text": TEXTS[0], "schema": "Brand, Size int", "gold": {"Brand": "Nike", "Size": 10}}
    lines = (json.dumps(line) + "\n") * 24
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    mixed = ["--mask", "branch=2,ar=1,label=1", "--learning-rate", "2e-3", "--batch-tokens", "1"]
    out = tmp_path / "out"
    assert main(["finetune", "-", "-m", str(model), "-o", str(out), *TRAINING, *mixed]) == 0
    assert capsys.readouterr().out.strip() == str(out / "model.gguf")
    entries = list(log_entries(out))
    assert [entry["rows"] for entry in entries] == list(range(1, 25))
    assert entries[-1]["loss"] < 0.5 * entries[0]["loss"]


def test_a_model_can_be_its_own_teacher(files, model, vocabulary, tmp_path):
    """Its own answers, by autoregression, are what it is taught: little is left to learn."""
    settings = FinetuneOptions(
        forms={"ar": 1}, max_tokens=12, loop=options(epochs=1, learning_rate=1e-9)
    )
    source = TrainingSource(files / "train.jsonl")
    messages = []
    finetune(
        source, tmp_path, model, SCHEMAS, settings, labels="self", quiet=True, say=messages.append
    )
    assert "labels the documents itself" in messages[0]
    network = load_network(model)
    own = Predictor(network, vocabulary, "ar", max_tokens=12).predict(TEXTS, [SCHEMA] * len(TEXTS))
    documents = [LabelledDocument(text, SCHEMA, a) for text, a in zip(TEXTS, own, strict=True)]
    rows = rows_of(vocabulary, documents, "ar")
    assert sum(map(len, rows)) == list(log_entries(tmp_path))[-1]["tokens"]


@pytest.mark.parametrize("rank", [0, 4])
@pytest.mark.parametrize(("mask", "said"), [("label", "on"), ("branch", "")])
def test_the_file_says_whether_labels_were_taught(files, model, tmp_path, rank, mask, said):
    from hpd._native import Model, ModelOptions

    settings = FinetuneOptions(
        forms={mask: 1}, lora_rank=rank, loop=options(epochs=1, learning_rate=1e-6)
    )
    source = TrainingSource(files / "train.jsonl")
    result = finetune(source, tmp_path, model, SCHEMAS, settings, quiet=True)
    if rank:
        loading = ModelOptions()
        loading.adapters = [(str(result.gguf), 1.0)]
        found = Model([str(model)], loading)
        assert found.lora_metadata(LABEL_KEY) == [said]
        assert found.metadata(LABEL_KEY) == ""
        assert 0 < int(found.lora_metadata(LENGTH_KEY)[0]) <= settings.max_row
        return
    assert Model([str(result.gguf)]).metadata(LABEL_KEY) == said
    assert 0 < int(Model([str(result.gguf)]).metadata(LENGTH_KEY)) <= settings.max_row
    # What is taught last decides.
    settings = FinetuneOptions(loop=options(epochs=1, learning_rate=1e-6))
    again = finetune(source, tmp_path / "again", result.gguf, SCHEMAS, settings, quiet=True)
    assert Model([str(again.gguf)]).metadata(LABEL_KEY) == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl", "--schema", "Brand"], "there is no file missing.jsonl"),
        (
            ["TRAIN", "--schema", "Brand", "--method", "ar", "--mask", "paper"],
            "--mask needs --method hpd",
        ),
        (["TRAIN", "--schema", '{"A": ["x"], "B": ["y"]}'], "--category-field"),
        (["TRAIN", "--schema", "Brand", "--labels", "no.jsonl"], "there is no file no.jsonl"),
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
    assert "continue it with --resume" in capsys.readouterr().err
