"""Settings that are tried, kept and found again; what they cost is made up, or not looked at."""

import json

import pytest

import hpd
from hpd import Extractor, Options, _native
from hpd.bench.methods import parse_contest
from hpd.bench.tune import AXES, TuneRun, TuneSearch, axes_for, default_settings
from hpd.bench.workload import N_DOCUMENTS, catalogue
from hpd.cli import main
from hpd.errors import HpdError
from hpd.models import settings as tuned
from hpd.models.cache import CACHE_VARIABLE, CacheWarning
from hpd.models.settings import load_model
from hpd.options import TUNABLE

FASTEST = {
    "in_flight": 4, "n_batch": 64, "n_ubatch": 64, "drafts": False,
}  # fmt: skip
KNOWN = {"model": {"name": "a"}, "machine": {"n_threads": 2}, "options": {}}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv("HPD_AMX", "0")
    monkeypatch.delenv(tuned.TUNED_VARIABLE, raising=False)
    return tmp_path / "cache"


# --- options ---


def test_options_know_what_was_not_set():
    assert Options().unset == tuple(TUNABLE)
    some = Options(in_flight=16, drafts=False)
    assert some.unset == ("n_batch", "n_ubatch")
    every = Options(n_batch=1, n_ubatch=1, in_flight=1, drafts=True)
    assert every.unset == ()


def test_what_was_set_wins_over_what_was_tuned_and_that_over_the_default():
    options = Options(in_flight=16, drafts=True).with_defaults({"in_flight": 64, "n_batch": 1024})
    assert (options.in_flight, options.n_batch, options.n_ubatch) == (16, 1024, 512)
    assert options.drafts is True
    assert options.unset == ()
    assert options.with_defaults(FASTEST) == options


# --- the search ---


class FakeMachine:
    """Costs that are known: a base, times a factor for each value that has one."""

    def __init__(self, **factors):
        self.factors = factors
        self.used = []
        self.n_different = lambda settings: 0
        self.n_left = 10_000

    def measure(self, settings):
        self.used.append(settings)
        self.n_left -= 1
        seconds = 1.0
        for name, factor in self.factors.items():
            seconds *= factor.get(settings[name], 1.0)
        return TuneRun(seconds, self.n_different(settings))

    def search(self, base=None, n_documents=100):
        base = base or Options()
        axes = axes_for(base, n_documents)
        return TuneSearch(
            self.measure, default_settings(base), axes, 1, lambda: self.n_left <= 0
        ).run()


def test_the_fastest_of_each_setting_is_found():
    machine = FakeMachine(in_flight={32: 0.8, 64: 0.9}, drafts={False: 0.5}, n_ubatch={1024: 0.9})
    found = machine.search()
    assert found.chosen == {
        "in_flight": 32, "n_batch": 1024, "n_ubatch": 1024, "drafts": False,
    }  # fmt: skip
    assert found.speedup == pytest.approx(1 / (0.8 * 0.5 * 0.9))
    assert found.trials[0].settings == TUNABLE


def test_settings_that_hang_on_each_other_are_found_in_a_second_pass():
    machine = FakeMachine()

    def measure(settings):
        machine.used.append(settings)
        if settings["drafts"]:
            return TuneRun(1.0)
        # Only without drafts many in flight are better.
        return TuneRun(0.6 if settings["in_flight"] == 64 else 0.8)

    machine.measure = measure
    assert machine.search().chosen == {**TUNABLE, "drafts": False, "in_flight": 64}


def test_ties_go_to_the_default():
    machine = FakeMachine(in_flight={32: 0.98}, drafts={False: 0.975}, n_batch={256: 0.99})
    found = machine.search()
    assert (found.chosen, found.speedup) == (TUNABLE, 1.0)


def test_small_gains_that_do_not_last_are_none():
    machine = FakeMachine()
    lucky = 7

    def measure(settings):
        machine.used.append(settings)
        # A machine that others leave alone in the first contest, but for the default's turns.
        is_early = len(machine.used) < lucky and settings["in_flight"] == 8
        return TuneRun(0.5 if is_early else 1.0)

    machine.measure = measure
    found = machine.search()
    assert {"in_flight": 8, **{n: v for n, v in TUNABLE.items() if n != "in_flight"}} in [
        trial.settings for trial in found.trials
    ]
    assert (found.chosen, found.speedup) == (TUNABLE, 1.0)


def test_what_is_hopeless_is_run_once():
    machine = FakeMachine(in_flight={4: 9.0})
    trials = machine.search().trials
    assert [len(t.seconds) for t in trials if t.settings["in_flight"] == 4] == [1]
    assert len(next(t for t in trials if t.settings["in_flight"] == 8).seconds) == 3


def test_settings_that_answer_otherwise_are_not_chosen():
    machine = FakeMachine(drafts={False: 0.5}, in_flight={8: 0.5})
    machine.n_different = lambda settings: 2 * (not settings["drafts"])
    found = machine.search()
    assert found.chosen == {**TUNABLE, "in_flight": 8}
    # One of a hundred documents is rounding.
    machine.n_different = lambda settings: 1
    assert machine.search().chosen == {**TUNABLE, "in_flight": 8, "drafts": False}


def test_settings_that_do_not_work_are_told_and_passed_over():
    machine = FakeMachine(n_batch={2048: 0.1})
    measure = machine.measure

    def failing(settings):
        if settings["n_batch"] == 2048:
            raise HpdError("no memory")
        return measure(settings)

    machine.measure = failing
    found = machine.search()
    assert found.chosen == TUNABLE
    assert [t.problem for t in found.trials if t.settings["n_batch"] == 2048] == ["no memory"]


def test_a_default_that_does_not_work_is_an_error():
    machine = FakeMachine()

    def failing(settings):
        raise HpdError("document 3: too long")

    machine.measure = failing
    with pytest.raises(HpdError, match="document 3"):
        machine.search()


@pytest.mark.parametrize("n_runs", [0, 1, 3, 8, 20])
def test_nothing_new_is_tried_when_the_time_is_up(n_runs):
    machine = FakeMachine(in_flight={4: 0.5})
    machine.n_left = n_runs
    found = machine.search()
    # The default comes first, and what won is held against it at the end.
    assert len(machine.used) <= max(1, n_runs) + 6
    assert found.chosen["in_flight"] == (0 if n_runs < 3 else 4)
    assert len(found.trials) <= max(1, n_runs)


def test_what_was_said_is_not_varied():
    machine = FakeMachine(in_flight={4: 0.1}, n_batch={1024: 0.1}, drafts={False: 0.5})
    found = machine.search(Options(in_flight=8, n_batch=300))
    assert found.chosen == {
        **TUNABLE, "in_flight": 8, "n_batch": 300, "n_ubatch": 300, "drafts": False
    }  # fmt: skip
    assert {used["in_flight"] for used in machine.used} == {8}


def test_no_more_are_in_flight_than_there_are_documents():
    assert [change["in_flight"] for change in axes_for(Options(), 20)[0]] == [0, 4, 8, 16]
    assert axes_for(Options(), 3)[0] == [{"in_flight": 0}]


def test_every_default_is_among_what_is_tried():
    for axis in AXES:
        assert any(all(TUNABLE[name] == value for name, value in c.items()) for c in axis)


def test_the_made_up_listings_are_always_the_same():
    workload = catalogue()
    assert workload == catalogue()
    assert len({item.text for item in workload.items}) == N_DOCUMENTS
    assert not {item.text for item in workload.items} & {item.text for item in workload.warm_up}


# --- kept and found again ---


def test_what_is_kept_is_found_for_the_same_model_and_machine_only():
    tuned.store_tuned(KNOWN, FASTEST)
    assert tuned.load_tuned(KNOWN) == FASTEST
    for part in (
        {"model": {"name": "b"}},
        {"machine": {"n_threads": 3}},
        {"options": {"stack": 2}},
    ):
        assert tuned.load_tuned({**KNOWN, **part}) == {}
    tuned.store_tuned(KNOWN, TUNABLE)
    assert tuned.load_tuned(KNOWN) == TUNABLE


@pytest.mark.parametrize(
    "text",
    [
        "half a li",
        "[]",
        "{}",
        '{"tuned": null}',
        json.dumps({"tuned": {**FASTEST, "drafts": 1}}),
        json.dumps({"tuned": {**FASTEST, "in_flight": -1}}),
        json.dumps({"tuned": {**FASTEST, "n_batch": -5}}),
        json.dumps({"tuned": {**FASTEST, "n_ubatch": "512"}}),
        "\udcff",
    ],
)
def test_a_broken_file_is_left_out_with_a_warning(text):
    file = tuned.store_tuned(KNOWN, FASTEST)
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.warns(CacheWarning, match=rf"{file.name} cannot be read"):
        assert tuned.load_tuned(KNOWN) == {}


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    with pytest.raises(HpdError, match=f"cannot be stored.*{CACHE_VARIABLE}"):
        tuned.store_tuned(KNOWN, FASTEST)


def test_the_identity_tells_models_machines_and_options_apart(tiny_model, monkeypatch):
    paths = [tiny_model("qwen3"), tiny_model("qwen3", "q8_0"), tiny_model("llama")]
    models = [_native.Model([str(path)]) for path in paths]
    known = [tuned.tuning_key(m, p, Options()) for m, p in zip(models, paths, strict=True)]
    assert len({json.dumps(each["model"]) for each in known}) == 3
    assert known[0] == tuned.tuning_key(models[0], paths[0], Options(seed=3, max_tokens=9))
    for other in (Options(stack=2), Options(n_threads=99), Options(cache_type_k="q8_0")):
        assert known[0] != tuned.tuning_key(models[0], paths[0], other)
    monkeypatch.setattr(tuned, "processor", lambda: "another")
    assert known[0] != tuned.tuning_key(models[0], paths[0], Options())


# --- the extractor ---

SETTINGS = {"n_ctx": 1024, "n_threads": 1, "max_tokens": 6}


def keep(path, **settings):
    """Keep FASTEST for a model, as if it had been found."""
    options = Options(**{**SETTINGS, **settings})
    model = load_model(path, options)
    return tuned.store_tuned(tuned.tuning_key(model, path, options), FASTEST)


def test_the_extractor_takes_what_was_tuned(tiny_model):
    path = tiny_model()
    texts = [f"Nike shoe {n}, black" for n in range(12)]
    with Extractor("brand, color", path, **SETTINGS) as extractor:
        assert extractor.tuned == {}
        assert extractor.options.in_flight == 0
        answers = [extraction.data for extraction in extractor.extract_many(texts)]
    keep(path)
    with Extractor("brand, color", path, **SETTINGS) as extractor:
        assert extractor.tuned == FASTEST
        assert extractor.options == Options(**SETTINGS, **FASTEST)
        assert [extraction.data for extraction in extractor.extract_many(texts)] == answers


def test_what_is_said_wins(tiny_model, monkeypatch):
    path = tiny_model()
    keep(path)
    with Extractor("a", path, **SETTINGS, in_flight=16, drafts=True) as extractor:
        assert extractor.tuned == {n: FASTEST[n] for n in ("n_batch", "n_ubatch")}
        assert (extractor.options.in_flight, extractor.options.drafts) == (16, True)
    monkeypatch.setenv(tuned.TUNED_VARIABLE, "0")
    with Extractor("a", path, **SETTINGS) as extractor:
        assert (extractor.tuned, extractor.options.in_flight) == ({}, 0)


def test_what_was_tuned_is_for_other_options_not_taken(tiny_model):
    path = tiny_model()
    keep(path)
    for other in ({"method": "ar"}, {"stack": 2}, {"n_threads": 2}, {"flash_attn": "off"}):
        with Extractor("a", path, **{**SETTINGS, **other}) as extractor:
            assert extractor.tuned == {}
    with Extractor("a", tiny_model("llama"), **SETTINGS) as extractor:
        assert extractor.tuned == {}


def test_which_documents_share_a_prompt_does_not_hang_on_it(tiny_model):
    path = tiny_model()
    keep(path, stack=2)
    rows = [hpd.Document(f"cap {n}", category="b" if n in (0, 99) else "a") for n in range(100)]
    with Extractor({"a": ["x"], "b": ["y"]}, path, **SETTINGS, stack=2) as extractor:
        assert extractor.options.in_flight == FASTEST["in_flight"]
        order = [index for index, _ in extractor.iter_indexed(rows)]
    # The first one waits for the other of its category, as it would with 16 in flight.
    assert abs(order.index(0) - order.index(99)) == 1


def test_a_broken_file_does_not_stop_the_extractor(tiny_model):
    path = tiny_model()
    keep(path).write_text("{")
    with pytest.warns(CacheWarning), Extractor("a", path, **SETTINGS) as extractor:
        assert extractor.options.in_flight == 0


def test_figures_are_of_the_settings_that_their_names_say():
    options = parse_contest("hpd:in_flight=8,drafts=off").methods[0].options
    assert (options.in_flight, options.drafts) == (8, False)
    assert options.unset == ()


# --- the command ---

TINY = ["-c", "1024", "-t", "1", "--max-tokens", "6"]


@pytest.fixture
def rows(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({"text": f"Nike shoe {n}, red"}) + "\n" for n in range(9)))
    return file


def test_the_command_keeps_what_the_next_run_takes(
    rows, tiny_model, own_cache, monkeypatch,
    capsys
):  # fmt: skip
    from hpd.bench.tune import Timer

    fake = FakeMachine(drafts={False: 0.5})
    measured = []

    def measure(self, settings, real=Timer.measure):
        if len(measured) < 4:  # what a run is really like, too
            measured.append(real(self, settings))
        return fake.measure(settings)

    monkeypatch.setattr(Timer, "measure", measure)
    source = [str(rows), "--schema", "brand, color", "-m", str(tiny_model())]
    assert main(["tune", *source, *TINY]) == 0
    out, err = capsys.readouterr()
    assert [run.seconds > 0 for run in measured] == 4 * [True]
    assert "9 documents of rows, for about 180 s" in err
    assert "drafts=off: 2.00 times as fast as the default settings" in out
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == [*TUNABLE, "runs", "ms/doc"]
    assert ["0", "on", "512", "512"] in [line[:4] for line in lines]
    (chosen,) = (line for line in lines if line[-1:] == ["chosen"])
    assert chosen[:4] == ["0", "off", "512", "512"]
    (file,) = own_cache.glob("tuned-*.json")
    assert str(file) in out
    assert json.loads(file.read_text())["tuned"]["drafts"] is False

    tokens = ["--max-tokens", "6", "--set", "verbose=on"]
    extract = ["extract", *source, "-c", "1024", "-t", "1", *tokens]
    assert main(extract) == 0
    assert "found by hpd tune: in_flight=0, drafts=off, n_batch=512" in capsys.readouterr().err
    monkeypatch.setenv(tuned.TUNED_VARIABLE, "0")
    assert main(extract) == 0
    assert "hpd tune" not in capsys.readouterr().err


def test_the_command_measures_made_up_listings(tiny_model, own_cache, capsys):
    short = ["-c", "2048", "-t", "1", "--max-tokens", "2"]
    assert main(["tune", "-m", str(tiny_model()), "--seconds", "0", *short]) == 0
    out, err = capsys.readouterr()
    assert "32 documents of made-up listings" in err
    assert "time was up" in err
    assert "nothing is faster than the default settings" in out
    assert len(list(own_cache.glob("tuned-*.json"))) == 1
    assert main(["tune", "-m", str(tiny_model()), "--seconds", "0", *short, "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "nothing is faster than the default settings" in out
    assert "made-up listings" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{rows}"], "give both INPUT and --schema, or neither"),
        (["--schema", "a"], "give both INPUT and --schema, or neither"),
        (["{gone}", "--schema", "a"], "gone.jsonl"),
        (["{empty}", "--schema", "a"], "no documents"),
        (["--set", "cache=answers"], "--set: cache: not for this command"),
        (["--method", "ar"], "unrecognized arguments: --method"),
        (["--category-field", "c"], "--category-field does nothing without INPUT"),
        (["--set=in_flight=4", "-b=64", "-ub=64", "--set", "drafts=off"], "nothing to try"),
    ],
)
def test_wrong_use_is_noticed_before_the_model(rows, arguments, message, capsys):
    empty = rows.with_name("empty.jsonl")
    empty.write_text("")
    names = {"rows": rows, "empty": empty, "gone": rows.with_name("gone.jsonl")}
    given = [argument.format(**names) for argument in arguments]
    assert main(["tune", "-m", "gone.gguf", *given]) == 2
    assert message in capsys.readouterr().err


def test_a_broken_file_is_one_line_for_a_person(rows, tiny_model, capsys):
    path = tiny_model()
    keep(path).write_text("{")
    source = ["extract", str(rows), "--schema", "brand", "-m", str(path)]
    assert main([*source, "-c", "1024", "-t", "1", "--max-tokens", "6"]) == 0
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "tuned-" in line)
    assert line.startswith("hpd: warning: ")
