"""A PEFT LoRA adapter as the GGUF adapter that llama.cpp loads beside its base model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import gguf

from hpd.errors import InputError
from hpd.training.conversion.families import Array, Naming, family_of, read_config
from hpd.training.conversion.files import Replacing, read_json
from hpd.training.conversion.tensors import stored_tensors

_SUFFIXES = {".lora_A.": ".lora_a", ".lora_B.": ".lora_b"}


def export_adapter(
    adapter: Path, checkpoint: Path, output: Path, *, metadata: Mapping[str, str] = {}
) -> None:
    """Write an adapter as GGUF.

    Args:
        adapter: the folder that PEFT saved.
        checkpoint: the base model's folder, of which only ``config.json`` is read.
        output: the file; it is there whole, or not at all.
        metadata: texts that the file is to hold besides, by their keys.

    Raises:
        InputError: the adapter holds what llama.cpp's adapters cannot.
    """
    settings = read_json(adapter / "adapter_config.json")
    if settings.get("peft_type", "LORA") != "LORA":
        raise InputError(f"{adapter}: a {settings['peft_type']} adapter; only LoRA can be exported")
    for unsupported in ("use_dora", "alpha_pattern", "rank_pattern", "modules_to_save"):
        if settings.get(unsupported):
            raise InputError(
                f"{adapter}: {unsupported} has no counterpart in a GGUF adapter; "
                "merge the adapter into its model and export that"
            )
    alpha = float(settings["lora_alpha"])
    if settings.get("use_rslora"):
        alpha *= math.sqrt(settings["r"])
    family = family_of(checkpoint)
    naming = Naming.of(family, read_config(checkpoint))
    with Replacing(output) as fresh:
        writer = gguf.GGUFWriter(fresh, gguf.MODEL_ARCH_NAMES[family.architecture])
        writer.add_type(gguf.GGUFType.ADAPTER)
        for key, text in {gguf.Keys.Adapter.TYPE: "lora", **metadata}.items():
            writer.add_string(key, text)
        writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
        for name, values in _adapter_tensors(adapter, naming):
            writer.add_tensor(name, values)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def _adapter_tensors(adapter: Path, naming: Naming) -> Iterator[tuple[str, Array]]:
    names = naming.gguf_names()
    for stored in stored_tensors(adapter / "adapter_model.safetensors"):
        plain = stored.name.removeprefix("base_model.model.")
        part = next((part for part in _SUFFIXES if part in plain), None)
        base = naming.text_name(plain.replace(part, ".")) if part is not None else None
        if part is None or base not in names:
            raise InputError(f"{adapter}: {stored.name} has no counterpart in a GGUF adapter")
        values: Array = stored.load()
        if part == ".lora_B.":
            # Rows of B are rows of the layer's output; A's are the adapter's own.
            values = naming.to_gguf(base, values)
        yield names[base] + _SUFFIXES[part], values
