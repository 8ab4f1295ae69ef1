"""A run is planned once: whoever starts it, each check and each search is made a single time."""

import json
import signal
import sys
from collections import Counter
from functools import wraps
from types import SimpleNamespace

import pytest

import hpd
from hpd import one_call
from hpd.cli import dry_run, extract, main
from hpd.cli.output import check_output, check_outputs_per_document
from hpd.models.calibrations import stored_calibration
from hpd.models.model_files import resolve_model
from hpd.pipeline.examples import read_examples
from hpd.pipeline.task import check_method, make_task
from hpd.values.confidence import map_of_option
from jsonl import write_lines, write_texts

OF_A_TASK = (make_task, check_method, read_examples, map_of_option)
OF_A_MODEL = (resolve_model,)
OF_AN_EXTRACTOR = (*OF_A_TASK, *OF_A_MODEL, stored_calibration)
OF_A_COMMAND = (check_output, check_outputs_per_document)
LOADED_WHEN_NEEDED = (dry_run, extract)
"""Modules that would otherwise be imported while functions are counted."""


@pytest.fixture
def calls(monkeypatch):
    """How often each function was called, by whatever name its modules know it."""
    counts = Counter()

    def counting(function):
        @wraps(function)
        def counted(*args, **settings):
            counts[function.__name__] += 1
            return function(*args, **settings)

        return counted

    counted = {each: counting(each) for each in (*OF_AN_EXTRACTOR, *OF_A_COMMAND)}
    for name, module in [*sys.modules.items()]:
        for own, value in [*vars(module).items()] if name.split(".")[0] == "hpd" else ():
            if callable(value) and getattr(value, "__hash__", None) and value in counted:
                monkeypatch.setattr(module, own, counted[value])
    return counts


def once(*functions):
    return {function.__name__: 1 for function in functions}


@pytest.fixture
def arguments(tmp_path):
    examples = write_lines(tmp_path / "shown.jsonl", {"text": "red", "data": {"color": "red"}})
    source = write_texts(tmp_path / "in.jsonl", "a blue shoe")
    return [str(source), "--schema", "color", "--examples", str(examples), "-t", "1", "--quiet"]


def test_an_extraction_is_planned_once(tmp_path, arguments, calls, capfd):
    assert main(["extract", *arguments, "-o", str(tmp_path / "out.jsonl")]) == 0
    assert calls == once(*OF_AN_EXTRACTOR, *OF_A_COMMAND)


def test_a_job_is_planned_once(tmp_path, arguments, calls, capfd):
    job = {"input": "in.jsonl", "schema": "color", "examples": "shown.jsonl", "threads": 1}
    lines = [f"{name} = {json.dumps(value)}" for name, value in job.items()]
    (tmp_path / "hpd.toml").write_text("\n".join(["[job.a]", *lines]))
    assert main(["extract", "--job", f"{tmp_path / 'hpd.toml'}:a"]) == 0
    assert calls == once(*OF_AN_EXTRACTOR, *OF_A_COMMAND)


def test_a_dry_run_is_planned_once(arguments, calls, capfd):
    assert main(["extract", *arguments, "--dry-run"]) == 0
    assert calls == once(*OF_A_TASK, *OF_A_MODEL, check_output)


def test_an_extractor_is_planned_once(calls):
    with hpd.Extractor("color", examples=[("red", {"color": "red"})], n_threads=1) as extractor:
        extractor.extract("a blue shoe")
        assert calls == once(*OF_AN_EXTRACTOR)


def test_a_schema_that_comes_again_is_checked_once(calls):
    with hpd.Extractor("color", n_threads=1) as extractor:
        for _ in range(2):
            extractor.extract("a blue shoe", schema="size")
    assert calls["make_task"] == 2


def test_one_call_is_planned_once(calls):
    one_call._models.clear()
    for _ in range(2):
        hpd.extract("a blue shoe", "color", n_threads=1)
    assert calls == once(*OF_AN_EXTRACTOR)
    one_call._models.clear()


@pytest.mark.parametrize("schema", [[], ["--schema", "color"]])
def test_a_server_is_planned_once(calls, monkeypatch, schema):
    for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
        pytest.importorskip(package)
    ended = SimpleNamespace(number=signal.SIGTERM, n_cancelled=0)
    monkeypatch.setattr("hpd.serving.server.serve", lambda *_, **__: ended)
    monkeypatch.setattr("hpd.serving.commands.serve._set_up_log", lambda **_: None)
    assert main(["serve", "--port", "0", "-t", "1", "--quiet", *schema]) == 0
    assert calls == once(*OF_AN_EXTRACTOR)


def test_a_worker_of_a_cluster_looks_for_the_model_once(calls):
    """The plan of the command has checked the rest."""
    pytest.importorskip("ray")
    from hpd.files.journal import file_fingerprint
    from hpd.options import Options
    from hpd.pipeline.plan import plan_run
    from hpd.ray.workers import Worker

    plan = plan_run("color", None, None, Options(n_threads=1))
    calls.clear()
    Worker(plan, file_fingerprint(resolve_model())).start()
    assert calls == once(*OF_A_MODEL, stored_calibration)
