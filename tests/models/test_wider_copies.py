"""Copies of model files with weights of type Q5_K in place of Q4_K."""

import shutil

import gguf
import numpy as np
import pytest

from hpd import _native
from hpd.errors import ModelLoadError
from hpd.models import wider_copies
from hpd.models.settings import load_draft_model, load_model
from hpd.models.weight_speed import WeightSpeed
from hpd.models.wider_copies import WiderCopyWarning, copies_folder, file_to_load, speed_gain
from hpd.options import Options
from small_model import small_model

Q4_K, Q5_K = gguf.GGMLQuantizationType.Q4_K, gguf.GGMLQuantizationType.Q5_K


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HPD_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def narrow(tmp_path):
    """A file whose weights are mostly Q4_K; one tensor has more blocks than are copied at once."""
    rng = np.random.default_rng(1)
    path = tmp_path / "narrow.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("general.file_type", 15)
    writer.add_array("tokenizer.ggml.tokens", ["a", "bé", "c"])
    for name, shape in (("small", (3, 2)), ("large", (70, 300))):
        blocks = rng.integers(0, 256, (*shape[:-1], shape[-1] * 144), np.uint8)
        # Half floats that are finite.
        blocks.reshape(-1, 144)[:, 1:4:2] &= 0x3F
        writer.add_tensor(f"{name}.weight", blocks, raw_dtype=Q4_K)
        writer.add_tensor(f"{name}.bias", rng.normal(size=5).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def faster(monkeypatch):
    """A processor that reads wide weights twice as fast."""
    asked = []

    def speeds(n_threads, types, sizes):
        asked.append(n_threads)
        seconds = {"Q4_K": 2.0, "Q5_K": 1.0}
        return [WeightSpeed(name, 0.0, dict.fromkeys(sizes, seconds[name])) for name in types]

    monkeypatch.setattr(wider_copies, "weight_speeds", speeds)
    return asked


def test_a_copy_has_the_same_weights_and_metadata(narrow, tmp_path):
    assert _native.write_wider_copy(str(narrow), str(tmp_path / "wide.gguf")) == 2
    before, after = gguf.GGUFReader(narrow), gguf.GGUFReader(tmp_path / "wide.gguf")
    for one, other in zip(before.tensors, after.tensors, strict=True):
        assert one.name == other.name
        assert other.tensor_type == (Q5_K if one.tensor_type == Q4_K else one.tensor_type)
        weights = (gguf.dequantize(each.data, each.tensor_type) for each in (one, other))
        assert np.array_equal(*weights)
    fields = {name: field.contents() for name, field in before.fields.items() if "GGUF" not in name}
    copied = {name: field.contents() for name, field in after.fields.items() if "GGUF" not in name}
    assert copied == {**fields, "general.file_type": 17}


def test_a_source_that_breaks_off_is_an_error(narrow, tmp_path):
    narrow.write_bytes(narrow.read_bytes()[:-20_000])
    with pytest.raises(ModelLoadError, match="it ends before its last tensor"):
        _native.write_wider_copy(str(narrow), str(tmp_path / "wide.gguf"))


def test_a_copy_is_made_once_and_used_from_then_on(narrow, faster):
    with pytest.warns(WiderCopyWarning, match="may be deleted at any time; wider_copy=off"):
        copy = file_to_load(narrow, Options())
    assert copy.parent == copies_folder()
    assert file_to_load(narrow, Options()) == copy
    assert len(faster) == 1
    assert [*copies_folder().iterdir()] == [copy]


def test_another_content_has_another_copy(narrow, faster):
    with pytest.warns(WiderCopyWarning):
        first = file_to_load(narrow, Options())
    data = bytearray(narrow.read_bytes())
    data[-5000] ^= 1
    narrow.write_bytes(data)
    with pytest.warns(WiderCopyWarning):
        assert file_to_load(narrow, Options()) != first


@pytest.mark.parametrize("set_", [{"wider_copy": False}, {"method": "ar"}, {"deterministic": True}])
def test_options_that_need_the_file_itself(narrow, faster, set_):
    assert file_to_load(narrow, Options(**set_)) == narrow
    assert not copies_folder().exists()


def test_no_copy_is_made_where_it_would_not_be_faster(narrow, monkeypatch):
    def speeds(n_threads, types, sizes):
        return [WeightSpeed(name, 0.0, dict.fromkeys(sizes, 1.0)) for name in types]

    monkeypatch.setattr(wider_copies, "weight_speeds", speeds)
    assert file_to_load(narrow, Options()) == narrow
    assert speed_gain(1) == 1.0


def test_no_copy_is_made_of_a_file_with_other_weights(faster):
    assert file_to_load(small_model(), Options()) == small_model()
    assert not faster


def test_a_disk_without_room_is_left_alone(narrow, faster, monkeypatch):
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=1 << 30))
    assert file_to_load(narrow, Options()) == narrow
    assert not [*copies_folder().iterdir()]


def test_the_oldest_copies_make_room(narrow, faster, monkeypatch):
    copies_folder().mkdir(parents=True)
    for i, name in enumerate(("new", "old")):
        (copies_folder() / f"{name}.gguf").write_bytes(bytes(3_000_000))
        wider_copies.os.utime(copies_folder() / f"{name}.gguf", (1000 - i, 1000 - i))
    monkeypatch.setattr(wider_copies, "MAX_COPIES_BYTES", 8_000_000)
    with pytest.warns(WiderCopyWarning):
        copy = file_to_load(narrow, Options())
    assert {*copies_folder().iterdir()} == {copy, copies_folder() / "new.gguf"}


def test_a_copy_that_cannot_be_written_is_said_and_the_file_is_used(narrow, faster):
    copies_folder().parent.mkdir(parents=True, exist_ok=True)
    copies_folder().write_text("not a folder")
    with pytest.warns(WiderCopyWarning, match="could not be made"):
        assert file_to_load(narrow, Options()) == narrow


def test_the_copy_is_what_is_loaded(monkeypatch):
    monkeypatch.setattr("hpd.models.settings.file_to_load", lambda path, options: small_model())
    assert load_model(small_model().parent / "other.gguf", Options()).n_bytes > 0


def test_a_draft_model_is_loaded_as_it_is(monkeypatch):
    asked = []

    def file(path, options):
        asked.append(options.wider_copy)
        return path

    monkeypatch.setattr("hpd.models.settings.file_to_load", file)
    load_draft_model(Options(draft_model=str(small_model())))
    assert asked == [False]
