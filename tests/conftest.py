"""Tiny models for every test, written once per session; llama.cpp kept quiet."""

import ctypes
import os
import signal

# llama.cpp reads these when it is loaded. The reference, which has no layer on a GPU, stays on the
# processor; and a GPU computes in whole floats, as their halves make near ties more frequent.
os.environ.setdefault("GGML_OP_OFFLOAD_MIN_BATCH", "1000000")
os.environ.setdefault("GGML_VK_DISABLE_F16", "1")
os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
# Threads that wait for another one leave it the core, where there are fewer cores than threads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Each worker of pytest-xdist has a core of its own, or all threads would wait for each other.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
if _WORKER and hasattr(os, "sched_setaffinity"):
    _CORES = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {_CORES[int(_WORKER.removeprefix("gw")) % len(_CORES)]})

import llama_cpp
import pytest
from hypothesis import Phase, settings

import tiny_models
from hpd import _native
from small_model import small_model

# That llama.cpp may crash with AMX is the subject of tests in processes of their own.
_native.leave_out_amx()

# What a test asks does not depend on the model that is in the box now.
os.environ["HPD_MODEL"] = str(small_model())


# A change passes or fails by what is in it: Hypothesis draws the same examples in every run of a
# commit, and others, more of them, in the nightly jobs. No deadlines: machines are busy.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("nightly", deadline=None, print_blob=True, max_examples=400)
# Whoever only asks whether a test fails needs no small example, which may take minutes to find.
settings.register_profile(
    "unshrunk", settings.get_profile("same"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("nightly" if "HPD_NIGHTLY" in os.environ else "same")


def pytest_configure():
    """Refuse an engine that was compiled without what tests need of it."""
    from hpd import _core  # after _native, which loads llama.cpp

    if not hasattr(_core, "testing"):
        raise pytest.UsageError(
            "hpd was installed without the parts of its engine for tests: "
            "run `HPD_BUILD_TESTS=ON pip install '.[test]'`"
        )


# Under nohup it is ignored, and so it would be by the servers that tests stop with it.
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_LOG = []
_DEBUG = 1  # GGML_LOG_LEVEL_DEBUG


@llama_cpp.llama_log_callback
def _keep_log(level, text, user_data):
    if level > _DEBUG:
        _LOG.append(text.decode("utf-8", "replace"))


llama_cpp.llama_log_set(_keep_log, ctypes.c_void_p(0))


def pytest_collection_modifyitems(config, items):
    """Leave out by day what only the nightly jobs run."""
    if "HPD_NIGHTLY" not in os.environ:
        config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("nightly")])
        items[:] = [i for i in items if not i.get_closest_marker("nightly")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what llama.cpp said where a test failed, and forget it."""
    report = yield
    if report.failed and _LOG:
        report.sections.append(("llama.cpp's log", "".join(_LOG[-200:])))
    if call.when == "teardown" or len(_LOG) > 10_000:
        _LOG.clear()
    return report


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The path of a model, made with the arguments of ``tiny_models.make_model``."""
    directory = tmp_path_factory.mktemp("tiny-models")

    def path(kind="qwen3", quant="f32", n_ctx_train=4096, seed=0, without=""):
        return tiny_models.make_model(kind, directory, quant, n_ctx_train, seed, without)

    return path


@pytest.fixture(scope="session")
def model(tiny_model):
    """A model that talks nonsense, for tests that do not mind what it says."""
    return tiny_model("qwen3")


@pytest.fixture
def first_requests(monkeypatch):
    """The first request of every prompt, each when it is asked for."""
    from hpd.pipeline.prompts import Prompt

    found = []
    first = Prompt.first_request

    def noting(prompt):
        found.append(first(prompt))
        return found[-1]

    monkeypatch.setattr(Prompt, "first_request", noting)
    return found
