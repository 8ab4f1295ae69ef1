"""One thread drives an engine: callers that wait, leave, fail, and come from other processes."""

from __future__ import annotations

import itertools
import os
import threading

import pytest

from command_line import run_python
from hpd import Document, _native
from hpd.errors import DecodeError, EngineClosedError, HpdError, InputError
from hpd.pipeline.compiled_schema import Request
from hpd.pipeline.prompts import Prompt
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor

SECONDS = 60.0


def test_the_callers_thread_does_the_host_work(model):
    """Documents are read, tokenized and parsed where the caller is, not where the engine is."""
    threads = set()

    def documents():
        for text in TEXTS:
            threads.add(threading.current_thread().name)
            yield text

    others = set(threading.enumerate())
    with Extractor("brand", model, max_tokens=4) as extractor:
        list(extractor.extract_many(documents()))
        assert threads == {threading.current_thread().name}
        workers = set(threading.enumerate()) - others
        assert {thread.name for thread in workers} == {"hpd"}
    assert not any(thread.is_alive() for thread in workers)


def test_a_caller_that_was_interrupted_leaves_the_others_alone(model):
    def interrupted():
        yield TEXTS[0]
        raise KeyboardInterrupt

    with Extractor("brand", model, max_tokens=8) as extractor:
        other = extractor.extract_many(itertools.cycle(TEXTS))
        next(other)
        with pytest.raises(KeyboardInterrupt):
            list(extractor.extract_many(interrupted()))
        assert next(other).error is None
        assert extractor.extract(TEXTS[1]).error is None


def test_documents_are_answered_while_the_input_is_still_open(model):
    """An answer comes as soon as it is known: nothing waits for the documents after it."""
    answered = threading.Event()

    def documents():
        yield TEXTS[0]
        # A caller that reads one document ahead would wait here for ever.
        yield TEXTS[1]
        assert answered.wait(SECONDS)

    with Extractor("brand", model, max_tokens=4, in_flight=1) as extractor:
        for extraction in extractor.extract_many(documents()):
            assert extraction.error is None
            answered.set()


class FailingEngine:
    """An engine whose steps fail while it has a request that is not to be decoded."""

    def __init__(self, engine):
        self.engine = engine
        self.fails = lambda now, n_calls: False
        self.prompts = {}  # by number: the length of the prompt
        self.n_calls = 0

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def submit(self, number, prompt, *rest, **named):
        self.prompts[number] = len(prompt)
        self.engine.submit(number, prompt, *rest, **named)

    def cancel_all(self):
        self.prompts.clear()
        self.engine.cancel_all()

    def advance(self):
        self.n_calls += 1
        if self.fails(set(self.prompts.values()), self.n_calls):
            raise DecodeError("out of luck")
        results = self.engine.advance()
        for result in results:
            del self.prompts[result.id]
        return results


@pytest.fixture
def engines(monkeypatch):
    """The engines of the test's extractors, which may fail."""
    made, make = [], _native.Engine

    def engine(*arguments):
        made.append(FailingEngine(make(*arguments)))
        return made[-1]

    monkeypatch.setattr(_native, "Engine", engine)
    return made


@pytest.mark.parametrize("schema", ["brand, color", "tags [str], brand after tags"])
@pytest.mark.parametrize("n_failing", [1, 2, 3])
def test_a_step_that_fails_once_changes_no_value(model, engines, schema, n_failing):
    answers = {text: {"brand": text[:5], "tags": ["a", text[-3:]]} for text in TEXTS}
    with Extractor(schema, model, answers=answers, in_flight=3, **EXACT) as extractor:
        expected = [extraction.data for extraction in extractor.extract_many(TEXTS)]
        (engine,) = engines
        engine.n_calls, engine.fails = 0, lambda _, n: n == n_failing
        assert [extraction.data for extraction in extractor.extract_many(TEXTS)] == expected
        assert engine.n_calls >= n_failing


def test_a_document_that_breaks_every_step_fails_alone(model, engines):
    odd = "a text of another length, which breaks whatever it is decoded with"
    texts = [*TEXTS[:2], odd, *TEXTS[2:]]
    with Extractor("brand", model, max_tokens=8, in_flight=3, **EXACT) as extractor:
        lengths = set()
        (engine,) = engines
        engine.fails = lambda now, _: bool(lengths.update(now))
        expected = [extraction.data for extraction in extractor.extract_many(texts)]
        n_odd = max(lengths)  # The longest prompt is that of the odd text.
        engine.fails = lambda now, _: n_odd in now
        extractions = list(extractor.extract_many(texts, on_error="record"))
        failure = extractions[2].error
        assert (failure.type, failure.message) == ("DecodeError", "out of luck")
        del extractions[2], expected[2]
        assert [extraction.data for extraction in extractions] == expected
        with pytest.raises(DecodeError, match="document 3: out of luck"):
            list(extractor.extract_many(texts))
        assert extractor.extract(TEXTS[0]).error is None


def test_after_close_everything_says_so(model):
    extractor = Extractor("brand", model, max_tokens=4)
    left_over = extractor.extract_many(itertools.cycle(TEXTS))
    next(left_over)
    extractor.close()
    with pytest.raises(EngineClosedError, match="closed"):
        list(left_over)
    for ask in (
        lambda: extractor.extract(TEXTS[0]),
        lambda: extractor.extract_many(TEXTS),
        lambda: extractor.iter_indexed(TEXTS),
    ):
        with pytest.raises(EngineClosedError, match="closed"):
            ask()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_is_told_to_spawn(model):
    with Extractor("brand", model, max_tokens=4) as extractor:
        assert extractor.extract(TEXTS[0]).error is None
        child = os.fork()
        if child == 0:
            code = 1
            try:
                extractor.extract(TEXTS[0])
            except HpdError as error:
                code = 0 if "spawn" in str(error) else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_ends_while_the_engine_works(model):
    """Its copy of the extractor is closed at its end, and must not wait for a thread it lacks."""
    code = f"""
import itertools, os, sys
import hpd
extractor = hpd.Extractor("brand, color", {str(model)!r}, n_threads=1)
endless = extractor.extract_many(itertools.cycle(["a shoe", "a hat"]))
next(endless)
child = os.fork()
if child == 0:
    sys.exit(0)
_, status = os.waitpid(child, 0)
next(endless)
extractor.close()
sys.exit(os.waitstatus_to_exitcode(status))
"""
    done = run_python("-W", "ignore::DeprecationWarning", "-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", r"use extract\(text\)"),
        (b"bytes", "decode them first"),
        ({"a": "text"}, "iterates over its keys"),
        (Document("text"), "put it into a list"),
        (7, "an iterable of texts, not int"),
    ],
)
def test_things_that_are_no_documents_are_refused(model, documents, message):
    with Extractor("brand", model, max_tokens=4) as extractor:
        with pytest.raises(InputError, match=message):
            extractor.extract_many(documents)
        with pytest.raises(InputError, match=message):
            extractor.iter_indexed(documents)


def test_a_table_is_not_read_as_the_names_of_its_columns(model):
    class Table:
        columns = ("text", "id")

        def __iter__(self):
            return iter(self.columns)

    with (
        Extractor("brand", model, max_tokens=4) as extractor,
        pytest.raises(InputError, match=r"columns text, id.*table\['text'\]"),
    ):
        extractor.extract_many(Table())


class RefusedPrompt(Prompt):
    """A prompt whose request the engine refuses as it comes."""

    def _first_request(self):
        field = _native.Field([1], max_tokens=2)
        return Request([1], [field], n_instruction=0, n_cached=0, keep_prompt=False)

    def _next_request(self, result):
        raise AssertionError("there is nothing to take")


def test_a_request_that_is_refused_at_once_ends_although_nothing_else_is_in_flight(model):
    with Extractor("brand", model, max_tokens=4) as extractor:
        loop = extractor._pipeline._loop
        pipeline = extractor._pipeline
        maker = pipeline._maker_for(pipeline._task, None)
        own = RefusedPrompt(maker._compiled_schema, [(0, Document("x"))])
        endless = threading.Thread(target=lambda: got.extend(loop.run(iter([own]))), daemon=True)
        got = []
        endless.start()
        endless.join(SECONDS)
        assert not endless.is_alive()
        assert "fewer than two tokens" in got[0][1].error.message
        assert extractor.extract("Nike").error is None
