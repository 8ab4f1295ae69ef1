"""Closing engines and models: from any thread, and the memory is free at once."""

import gc
import subprocess
import threading
from pathlib import Path

import pytest

from command_line import run_python
from decoding import engine_options, open_model
from hpd import _native
from hpd._core import testing
from hpd.errors import EngineClosedError
from nightly import nightly

N_OPENED = 50
MEBIBYTE = 1 << 20


def resident_bytes():
    """The memory that this process has now."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * resource.getpagesize()
    import os

    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) * 1024


def growth(work):
    """The bytes by which this process grows while something is done again and again."""
    for _ in range(5):  # llama.cpp and the allocator keep something of the first ones
        work()
    gc.collect()
    before = resident_bytes()
    for _ in range(N_OPENED):
        work()
    gc.collect()
    return resident_bytes() - before


def submit(engine, prompt, max_tokens):
    fields = [_native.Field([5], max_tokens=max_tokens)]
    engine.submit(0, prompt, fields, n_instruction=0)


def decode_a_little(model, engine):
    submit(engine, model.tokenize("Nike Shoe, Black"), 4)
    while not engine.idle:
        engine.step()


@pytest.mark.parametrize("with_draft_model", [True, *nightly(False)])
def test_closed_engines_and_models_hold_no_memory(tiny_model, with_draft_model):
    """Python still has all the objects: closing frees, not the garbage collector."""
    path = tiny_model("qwen3")
    closed = []

    def open_and_close():
        model = open_model(path)
        draft = open_model(path) if with_draft_model else None
        engine = _native.Engine(model, engine_options(draft_model=draft))
        decode_a_little(model, engine)
        engine.close()
        for opened in (model, draft):
            if opened is not None:
                opened.close()
        closed.append((engine, model, draft))

    # The cells of a single one of these engines take 6 MiB.
    assert growth(open_and_close) < N_OPENED * MEBIBYTE


def test_an_engine_that_is_forgotten_is_freed_too(tiny_model):
    path = tiny_model("qwen3")

    def open_and_forget():
        model = open_model(path)
        decode_a_little(model, _native.Engine(model, engine_options()))

    assert growth(open_and_forget) < N_OPENED * MEBIBYTE


def test_every_call_after_closing_is_refused(tiny_model):
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options())
    decode_a_little(model, engine)
    assert not engine.closed
    engine.close()
    engine.close()  # once more does no harm
    engine.interrupt(True)
    engine.wake()
    assert engine.closed
    assert engine.stats.n_batches > 0, "what it did can still be asked"
    for call in (
        lambda: engine.submit(0, [1], [], n_instruction=0),
        engine.step,
        engine.advance,
        lambda: engine.cancel({0}),
        engine.cancel_all,
        lambda: engine.forget_prompt([1]),
        lambda: engine.idle,
        lambda: engine.wants_request,
    ):
        with pytest.raises(EngineClosedError, match="the engine is closed"):
            call()


def test_a_closed_model_is_refused(tiny_model):
    model = open_model(tiny_model("qwen3"))
    model.close()
    model.close()
    for call in (
        lambda: model.tokenize("Nike"),
        lambda: model.piece(1),
        lambda: model.n_vocab,
        lambda: _native.Engine(model, engine_options()),
        lambda: engine_options(draft_model=model),
    ):
        with pytest.raises(EngineClosedError, match="the model is closed"):
            call()


def test_an_engine_goes_on_when_its_model_is_closed(tiny_model):
    model = open_model(tiny_model("qwen3"))
    prompt = model.tokenize("Nike Shoe, Black")
    engine = _native.Engine(model, engine_options())
    model.close()
    submit(engine, prompt, 4)
    n_results = 0
    while not engine.idle:
        n_results += len(engine.step())
    assert n_results == 1


def endless_work(model, engine):
    """Requests of many batches each, one after the other."""
    prompt = model.tokenize("Nike Shoe, Black. " * 100)
    while True:
        submit(engine, prompt, 8)
        while not engine.idle:
            engine.advance()


def test_close_ends_a_run_in_another_thread(tiny_model):
    """It waits for the step under way, which gets the error, and frees the engine."""
    model = open_model(tiny_model("qwen3"))
    for _ in range(10):
        engine = _native.Engine(model, engine_options(n_batch=16))
        errors = []

        def work(engine=engine, errors=errors):
            try:
                endless_work(model, engine)
            except EngineClosedError as error:
                errors.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        while engine.stats.n_batches < 3:
            pass
        engine.close()
        thread.join()
        assert errors == ["the engine is closed"]


def test_statistics_can_be_read_beside_a_running_step(tiny_model):
    """They are those after the last step, all of one moment, and never go back."""
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_batch=16))

    def work():
        with pytest.raises(EngineClosedError):
            endless_work(model, engine)

    thread = threading.Thread(target=work)
    thread.start()
    n_batches, n_tokens = 0, 0
    while n_batches < 200:
        stats = engine.stats
        assert stats.n_batches >= n_batches
        assert stats.n_tokens >= n_tokens
        assert stats.n_batches <= stats.n_tokens <= 16 * stats.n_batches
        n_batches, n_tokens = stats.n_batches, stats.n_tokens
    engine.close()
    thread.join()


def test_two_threads_in_one_engine_get_a_clear_error(tiny_model):
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_ctx=4096))
    prompt = model.tokenize("Nike Shoe, Black. " * 300)
    for _ in range(50):
        submit(engine, prompt, 8)
    errors = []

    def use(call):
        while not engine.idle and not errors:
            try:
                call()
            except EngineClosedError as error:
                errors.append(str(error))

    thread = threading.Thread(target=use, args=[engine.step])
    thread.start()
    use(engine.step)
    thread.join()
    assert errors
    assert set(errors) == {"the engine is in use by another thread"}


def test_the_last_reference_is_dropped_without_the_gil(tiny_model):
    assert not testing.has_gil_when_deleted()
    model = open_model(tiny_model("qwen3"))
    assert testing.is_deleted_without_gil(model)
    options = engine_options(draft_model=model)
    assert options.draft_model is not None
    assert testing.is_deleted_without_gil(options.draft_model)


def test_the_interpreter_may_end_before_an_engine(tiny_model):
    """Modules are cleared at exit, in an order of their own."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from decoding import engine_options, open_model\n"
        "from hpd import _native\n"
        "model = open_model(Path(sys.argv[1]))\n"
        "engine = _native.Engine(model, engine_options(draft_model=model))\n"
        "fields = [_native.Field([5], max_tokens=4)]\n"
        "engine.submit(0, model.tokenize('Nike'), fields, n_instruction=0)\n"
        "engine.step()\n"
        "sys.modules['kept'] = engine\n"
    )
    tests = Path(__file__).parents[1]
    folders = [str(tests / "support"), str(tests.parent)]
    done = run_python("-c", code, tiny_model("qwen3"), *folders)
    assert (done.returncode, done.stderr) == (0, "")
