"""Values are decoded once: the results are those of decoding every document, and cost nothing."""

import itertools
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from hpd.documents import NOT_YET, Document
from hpd.errors import OptionError
from hpd.extractor import Extractor
from hpd.models.cache import content_fingerprint
from hpd.options import Options
from hpd.pipeline.reuse import FolderTable
from hpd.schema import load_schema, load_schemas
from nightly import nightly
from shop import EXACT, TEXTS

SCHEMA = "brand, color, sizes [{name, number int}], line after brand"
SETTINGS = {"n_threads": 1, "quiet": True, "on_invalid": "record"} | EXACT


def extract(documents, model, schema=SCHEMA, **settings):
    """The extractions, and the number of batches that they took."""
    with Extractor(schema, model, **(SETTINGS | settings)) as extractor:
        return list(extractor.extract_many(documents, on_error="record")), extractor.stats.n_batches


def values(extractions):
    """All that the extractions say of the documents, without what that cost."""
    return [
        (
            extraction.id,
            extraction.data,
            extraction.error,
            extraction.truncated_at,
            extraction.text,
            {
                path: (field.value, field.raw, field.start, field.end, field.match, field.error)
                for path, field in extraction.fields.items()
            },
        )
        for extraction in extractions
    ]


def n_decoded(extractions):
    """The tokens of all values."""
    return sum(e.usage.completion_tokens for e in extractions if e.usage)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"method": "ar"},
        {"in_flight": 1},
        {"on_overflow": "chunk", "n_ctx": 512, "max_tokens": 8, "lists": "numbers"},
        *nightly(
            {"layout": "skeleton"},
            {"layout": "label"},
            {"on_invalid": "retry"},
            {"on_overflow": "truncate", "n_ctx": 512, "max_tokens": 8, "lists": "numbers"},
            {"on_overflow": "error", "n_ctx": 512, "max_tokens": 8, "lists": "numbers"},
        ),
    ],
    ids=str,
)
def test_equal_documents_have_the_values_of_decoding_each(tiny_model, settings):
    texts = [TEXTS[0], TEXTS[1], " ".join(TEXTS * 20) if "n_ctx" in settings else TEXTS[2]]
    documents = [Document(texts[n % 3], f"{n}") for n in range(7)]
    model = tiny_model()
    schema = load_schema(SCHEMA)
    short = [replace(a, max_items=4) if a.item else a for a in schema.attributes]
    schema = replace(schema, attributes=tuple(short))  # Or it counts up to dozens of items.
    each, n_each = extract(documents, model, schema, dedupe=False, **settings)
    once, n_once = extract(documents, model, schema, **settings)
    assert values(once) == values(each)
    assert n_decoded(once) == n_decoded(each[:3]) < n_decoded(each)
    if settings.get("on_overflow") != "error":
        assert n_once < n_each or settings.get("in_flight") != 1
        assert all(e.usage and e.usage.reused_values for e in once[3:])
    assert not any(e.usage and e.usage.reused_values for e in each)


def test_a_later_call_knows_what_an_earlier_one_decoded(tiny_model):
    with Extractor(SCHEMA, tiny_model(), **SETTINGS) as extractor:
        first = extractor.extract(TEXTS[0])
        n_batches = extractor.stats.n_batches
        second = extractor.extract(TEXTS[0])
        assert extractor.stats.n_batches == n_batches
        assert second.data == first.data
        assert second.fields == first.fields
        assert second.usage == replace(second.usage, completion_tokens=0, prompt_tokens=0)
        assert second.to_dict()["usage"]["reused_values"] >= 4
        # Another schema is another question, in another instruction.
        extractor.extract(TEXTS[0], schema=["brand", "color"])
        assert extractor.stats.n_batches > n_batches


def test_equal_texts_of_other_categories_are_other_documents(tiny_model):
    schemas = load_schemas({"a": ["brand"], "b": ["color"]})
    documents = [Document(TEXTS[0], n, category) for n, category in enumerate("abab")]
    once, _ = extract(documents, tiny_model(), schemas)
    assert [list(e.data) for e in once] == [["brand"], ["color"]] * 2
    assert values(once) == values(extract(documents, tiny_model(), schemas, dedupe=False)[0])


def test_equal_documents_have_data_of_their_own(tiny_model):
    (first, second), _ = extract([TEXTS[0]] * 2, tiny_model())
    assert first.data == second.data
    first.data["brand"] = first.data["sizes"] = "changed"
    assert second.data != first.data


def test_an_endless_source_of_equal_documents_is_read_lazily(tiny_model):
    n_read = 0

    def same():
        nonlocal n_read
        for _ in itertools.count():
            n_read += 1
            yield TEXTS[0]

    with Extractor(SCHEMA, tiny_model(), in_flight=2, **SETTINGS) as extractor:
        for _ in itertools.islice(extractor.extract_many(same()), 50):
            pass
    assert n_read < 2000


def test_a_source_that_waits_gets_its_equal_documents(tiny_model):
    given = [TEXTS[0], TEXTS[0], NOT_YET, TEXTS[0], NOT_YET, TEXTS[1]]
    with Extractor(SCHEMA, tiny_model(), **SETTINGS) as extractor:
        found = dict(extractor.iter_indexed(given))
    assert sorted(found) == [0, 1, 2, 3]
    assert found[0].data == found[1].data == found[2].data


def test_each_document_is_decoded_where_the_first_one_s_values_would_show(tiny_model):
    for settings in (
        {"stack": 2},
        {"temperature": 0.5},
        {"deterministic": True},
        {"dedupe": False},
    ):
        each, _ = extract([TEXTS[0]] * 3, tiny_model(), **settings)
        assert not any(e.usage and e.usage.reused_values for e in each)


@pytest.mark.parametrize(
    "settings",
    [
        {"dedupe": True, "temperature": 0.5},
        {"dedupe": True, "stack": 2},
        {"dedupe": True, "deterministic": True},
        {"cache": "x", "temperature": 0.5},
        {"cache": "x", "stack": 2},
        {"cache": "x", "deterministic": True},
        {"cache": "x", "dedupe": False},
    ],
    ids=str,
)
def test_what_cannot_be_reused_is_refused(settings):
    with pytest.raises(OptionError, match=r"^(dedupe|cache).* cannot be (combined with|off)"):
        Options(**settings)


def test_a_folder_keeps_values_across_runs(tiny_model, tmp_path):
    folder = str(tmp_path / "kept")
    first, _ = extract(TEXTS, tiny_model(), cache=folder)
    again, n_batches = extract(TEXTS, tiny_model(), cache=folder)
    assert values(again) == values(first)
    assert n_batches == 0
    assert n_decoded(again) == 0


@pytest.mark.parametrize("changed", [{"max_tokens": 4}, {"layout": "skeleton"}, {"method": "ar"}])
def test_a_call_with_options_of_its_own_asks_again(tiny_model, changed):
    with Extractor(SCHEMA, tiny_model(), **SETTINGS) as extractor:
        extractor.extract(TEXTS[0])
        task = extractor.prepare(SCHEMA, **changed)
        ((_, first),) = extractor.iter_indexed([TEXTS[0]], schema=task)
        ((_, second),) = extractor.iter_indexed([TEXTS[0]], schema=task)
    (fresh,), _ = extract([TEXTS[0]], tiny_model(), **changed)
    assert (first.usage.reused_values, second.usage.completion_tokens) == (0, 0)
    assert values([first]) == values([second]) == values([fresh])


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_one_attribute_more_is_decoded_alone(tiny_model, tmp_path, layout):
    folder = str(tmp_path / "kept")
    fewer, _ = extract(TEXTS, tiny_model(), "brand, color", cache=folder, layout=layout)
    more, _ = extract(TEXTS, tiny_model(), "brand, color, weight", cache=folder, layout=layout)
    alone, _ = extract(TEXTS, tiny_model(), "brand, color, weight", layout=layout)
    for one, two, whole in zip(fewer, more, alone, strict=True):
        assert {name: two.fields[name] for name in one.fields} == one.fields
        assert two.fields["weight"].raw == whole.fields["weight"].raw
        assert two.usage.reused_values == 2
    assert 0 < n_decoded(more) < n_decoded(alone)


@pytest.mark.parametrize(
    "changed",
    [
        {"schema": {"brand": "the maker", "color": ""}},
        {"max_tokens": 7},
        {"layout": "skeleton"},
        {"method": "ar"},
        {"cache_type_k": "f16"},
        {"examples": [(TEXTS[5], {"brand": "none"})]},
        {"system_prompt": "Write what the document says."},
        {"instructions": "Brands are short."},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_decides_a_value_is_told_apart(tiny_model, tmp_path, changed):
    folder = str(tmp_path / "kept")
    extract(TEXTS[:2], tiny_model(), {"brand": "", "color": ""}, cache=folder)
    settings = {"schema": {"brand": "", "color": ""}} | changed
    kept, _ = extract(TEXTS[:2], tiny_model(), cache=folder, **settings)
    fresh, _ = extract(TEXTS[:2], tiny_model(), **settings)
    assert kept[0].usage.reused_values == ("schema" in changed)
    assert kept[0].fields["brand"].raw == fresh[0].fields["brand"].raw


def test_a_filter_of_values_is_applied_to_those_that_are_kept(tiny_model, tmp_path):
    folder = str(tmp_path / "kept")
    extract(TEXTS, tiny_model(), cache=folder)
    filtered, n_batches = extract(TEXTS, tiny_model(), cache=folder, require_grounding=True)
    fresh, _ = extract(TEXTS, tiny_model(), require_grounding=True)
    assert n_batches == 0
    assert values(filtered) == values(fresh)


def test_another_model_of_the_same_name_and_size_is_another_one(tiny_model, tmp_path):
    model = tmp_path / "model.gguf"
    content = bytearray(tiny_model().read_bytes())
    model.write_bytes(content)
    status = model.stat()
    before = content_fingerprint(model)
    assert content_fingerprint(model) == before
    content[-(len(content) // 3)] ^= 1
    model.write_bytes(content)
    os.utime(model, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert content_fingerprint(model) != before


_RUN = """
import sys
from hpd.extractor import Extractor
from shop import EXACT
with Extractor("brand, color", sys.argv[1], cache=sys.argv[2], n_threads=1, **EXACT) as extractor:
    for extraction in extractor.extract_many(f"Nike shoe, size {n}" for n in range(10_000)):
        print("x", flush=True)
"""


def test_a_killed_run_leaves_what_it_had_stored(tiny_model, tmp_path):
    folder = tmp_path / "kept"
    command = [sys.executable, "-c", _RUN, str(tiny_model()), str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for n_killed in range(3):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(20 * (n_killed + 1)):
            assert process.stdout.readline() == "x\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
    texts = [f"Nike shoe, size {n}" for n in range(60)]
    kept, n_batches = extract(texts, tiny_model(), "brand, color", cache=str(folder))
    assert n_batches == 0
    assert values(kept) == values(extract(texts, tiny_model(), "brand, color")[0])


def test_two_processes_share_a_folder(tiny_model, tmp_path):
    folder = tmp_path / "kept"
    FolderTable(folder).close()
    command = [sys.executable, "-c", _RUN.replace("10_000", "40"), str(tiny_model()), str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) for _ in range(2)
    ]
    assert [process.wait() for process in processes] == [0, 0]
    texts = [f"Nike shoe, size {n}" for n in range(40)]
    kept, n_batches = extract(texts, tiny_model(), "brand, color", cache=str(folder))
    assert n_batches == 0
    assert values(kept) == values(extract(texts, tiny_model(), "brand, color")[0])
