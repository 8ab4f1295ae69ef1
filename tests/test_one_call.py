"""``hpd.extract``: one call, with a model that stays loaded, and schemas of any form."""

import os
import shutil
import threading

import pytest

import hpd
from hpd import one_call

TEXT = "Nike Air Max 90, white, size 43"


@pytest.fixture(autouse=True)
def nothing_loaded():
    one_call._models.clear()
    yield
    for loaded in one_call._models.values():
        if loaded.extractor is not None:
            loaded.extractor.close()
    one_call._models.clear()


def test_the_model_stays_loaded_whatever_the_schema(monkeypatch):
    loaded = []
    load = one_call.Extractor.__init__

    def counted(self, *args, **kwargs):
        loaded.append(args)
        load(self, *args, **kwargs)

    monkeypatch.setattr(one_call.Extractor, "__init__", counted)
    first = hpd.extract(TEXT, "brand, color")
    assert set(first.data) == {"brand", "color"}
    assert set(hpd.extract(TEXT, ["Size"]).data) == {"Size"}
    assert hpd.extract(TEXT, "brand, color").data == first.data
    assert len(loaded) == 1
    hpd.extract(TEXT, "brand", max_tokens=8)
    assert len(loaded) == 2


def test_every_call_needs_a_schema():
    for _ in range(2):
        with pytest.raises(hpd.SchemaError, match="None"):
            hpd.extract(TEXT, None)
        hpd.extract(TEXT, "brand", max_tokens=2)


@pytest.mark.parametrize("settings", [{"model": ""}, {"model": 5}, {"hf_repo": ""}])
def test_what_is_no_name_of_a_model_is_refused(settings):
    ((name, value),) = settings.items()
    hpd.extract(TEXT, "brand", max_tokens=2)
    for call in (
        lambda: hpd.extract(TEXT, "brand", **settings),
        lambda: hpd.Extractor("a", **settings),
    ):
        with pytest.raises(hpd.OptionError, match=f"{name} must be the name of .*, not {value!r}"):
            call()


def test_only_the_models_of_the_latest_calls_are_kept(tiny_model):
    for model in (None, tiny_model("qwen3"), tiny_model("llama")):
        hpd.extract(TEXT, "brand", model, max_tokens=2)
    assert len(one_call._models) == 2


def test_threads_share_the_model():
    expected = hpd.extract(TEXT, "brand, color").data
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(hpd.extract(TEXT, "brand, color").data))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_another_model_in_the_environment_is_noticed(monkeypatch, tiny_model):
    own = hpd.extract(TEXT, "brand, color").fields["brand"].confidence
    monkeypatch.setenv("HPD_MODEL", str(tiny_model("qwen3")))
    other = hpd.extract(TEXT, "brand, color").fields["brand"].confidence
    monkeypatch.undo()
    assert hpd.extract(TEXT, "brand, color").fields["brand"].confidence == own != other


def test_another_file_of_the_same_name_is_noticed(monkeypatch, tiny_model, tmp_path):
    confidences = []
    for folder, name in (("a", "qwen3"), ("b", "llama"), ("b", "qwen3")):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / folder)
        shutil.copy(tiny_model(name), "copy.gguf")
        os.replace("copy.gguf", "model.gguf")
        found = hpd.extract(TEXT, "brand", "model.gguf", max_tokens=2)
        confidences.append(found.fields["brand"].confidence)
    assert confidences[0] == confidences[2] != confidences[1]


@pytest.mark.parametrize("name", ["system_prompt", "max_tokns"])
def test_what_is_no_option_is_refused(name):
    with pytest.raises(hpd.OptionError, match=f"there is no option '{name}'"):
        hpd.extract(TEXT, "brand", **{name: ()})


def test_examples_are_shown_and_their_tokens_kept():
    shown = [("A red Nike", {"brand": "Nike"})]
    plain = hpd.extract(TEXT, "brand", max_tokens=2)
    first = hpd.extract(TEXT, "brand", examples=shown, max_tokens=2)
    assert first.usage.prompt_tokens > plain.usage.prompt_tokens
    as_dicts = [{"text": text, "data": data} for text, data in shown]
    again = hpd.extract(TEXT, "brand", examples=as_dicts, max_tokens=2)
    assert (again.data, again.usage.reused_values) == (first.data, 1)
    with pytest.raises(hpd.OptionError, match="example 1"):
        hpd.extract(TEXT, "brand", examples=["ab"])


def test_a_document_and_its_error_as_an_extractor_has_them():
    document = hpd.Document(TEXT, "a1")
    assert hpd.extract(document, "brand").id == "a1"
    found = hpd.extract(hpd.Document("x " * 20_000, "a2"), "brand", on_error="record")
    assert (found.id, found.data, found.error.type) == ("a2", None, "ContextOverflowError")
    with pytest.raises(hpd.ContextOverflowError):
        hpd.extract("x " * 20_000, "brand")


def test_nobody_waits_for_a_model_that_another_thread_loads(monkeypatch, tiny_model):
    expected = hpd.extract(TEXT, "brand").data
    begun, goes_on = threading.Event(), threading.Event()
    load = one_call.Extractor.__init__

    def slow(self, *args, **kwargs):
        begun.set()
        assert goes_on.wait(60)
        load(self, *args, **kwargs)

    monkeypatch.setattr(one_call.Extractor, "__init__", slow)
    model = tiny_model("qwen3")
    other = threading.Thread(target=lambda: hpd.extract(TEXT, "brand", model, max_tokens=2))
    other.start()
    assert begun.wait(60)
    answers = []
    mine = threading.Thread(
        target=lambda: answers.append(hpd.extract(TEXT, "brand").data), daemon=True
    )
    mine.start()
    mine.join(20)
    goes_on.set()
    other.join()
    assert answers == [expected]


def test_a_schema_that_cannot_be_read_is_an_error_before_and_after_the_loading():
    for _ in range(2):
        with pytest.raises(hpd.SchemaError):
            hpd.extract(TEXT, "")
        hpd.extract(TEXT, "brand")


def test_everything_public_is_listed(tmp_path):
    assert dir(hpd) == sorted(hpd.__all__)
    assert all(hasattr(hpd, name) for name in hpd.__all__)
