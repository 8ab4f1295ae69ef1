"""A calibration in the metadata of a model file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

gguf = pytest.importorskip("gguf")

from hpd.errors import ModelLoadError
from hpd.extractor import Extractor
from hpd.models.gguf_files import read_gguf_header
from hpd.models.model_files import box_model
from hpd.training.conversion.metadata import set_metadata
from hpd.values.confidence import METADATA_KEY

MAP = json.dumps({"form": 1, "values": {"any": [[0, 0.125]]}, "nulls": {"any": [[0, 0.25]]}})
TITLE = "Luma tea light, white"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(shutil.copy(box_model(), tmp_path / "model.gguf"))


def test_the_weights_and_all_else_stay(model: Path) -> None:
    before = read_gguf_header(box_model())
    set_metadata(model, METADATA_KEY, MAP)
    after = read_gguf_header(model)
    assert after.metadata[METADATA_KEY] == MAP
    kept = {key: value for key, value in after.metadata.items() if key != METADATA_KEY}
    assert kept == {key: value for key, value in before.metadata.items() if key != METADATA_KEY}
    assert after.lengths == before.lengths
    old, new = (gguf.GGUFReader(path).tensors for path in (box_model(), model))
    for one, two in zip(old, new, strict=True):
        assert (one.name, one.tensor_type) == (two.name, two.tensor_type)
        assert (one.data == two.data).all()
    set_metadata(model, METADATA_KEY, "")
    assert METADATA_KEY not in read_gguf_header(model).metadata


def test_a_model_applies_its_own_calibration_unless_it_is_told_not_to(model: Path) -> None:
    with Extractor("brand, size", model, calibration="none") as extractor:
        plain = extractor.extract(TITLE)
    set_metadata(model, METADATA_KEY, MAP)
    with Extractor("brand, size", model) as extractor:
        own = extractor.extract(TITLE)
    assert plain.data == own.data == {"brand": "Luma", "size": None}
    assert [own.fields[name].confidence for name in ("brand", "size")] == [0.125, 0.25]
    for name, field in own.fields.items():
        assert field.uncalibrated == plain.fields[name].confidence
    with Extractor("brand, size", model, calibration="none") as extractor:
        off = extractor.extract(TITLE)
    assert off.to_dict()["fields"] == plain.to_dict()["fields"]


def test_a_model_with_an_adapter_is_another_one(model: Path, tmp_path: Path) -> None:
    set_metadata(model, METADATA_KEY, MAP)
    adapter = tmp_path / "adapter.gguf"
    writer = gguf.GGUFWriter(adapter, "qwen3")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 1.0)
    for name in "ab":  # of one rank, and zero
        shape = (1, 256) if name == "a" else (256, 1)
        writer.add_tensor(f"blk.0.attn_q.weight.lora_{name}", np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with Extractor("brand, size", model, loras=[(str(adapter), 1.0)]) as extractor:
        adapted = extractor.extract(TITLE)
    assert [field.uncalibrated for field in adapted.fields.values()] == [None, None]


def test_a_calibration_that_cannot_be_read_is_an_error_of_the_model(model: Path) -> None:
    set_metadata(model, METADATA_KEY, "{}")
    with pytest.raises(ModelLoadError, match=f"{METADATA_KEY}.*--calibration none"):
        Extractor("brand", model)
    Extractor("brand", model, calibration="none").close()
