"""The header of GGUF files, against the gguf package, and what is no such header."""

import gguf
import pytest

from hpd.errors import ModelLoadError
from hpd.models.gguf_files import read_gguf_header


@pytest.mark.parametrize("kind", ["qwen3", "gemma3", "jamba"])
def test_the_header_is_that_which_the_gguf_package_reads(tiny_model, kind):
    path = tiny_model(kind)
    header = read_gguf_header(path)
    reader = gguf.GGUFReader(path)
    assert [(t.name, t.n_bytes, t.offset + reader.data_offset) for t in header.tensors] == [
        (t.name, t.n_bytes, t.data_offset) for t in reader.tensors
    ]
    assert header.n_weight_bytes == path.stat().st_size - reader.data_offset
    for key, field in reader.fields.items():
        if key.startswith("GGUF."):
            continue
        contents = field.contents()
        if not isinstance(contents, list):
            assert header.metadata[key] == contents, key
        else:
            assert header.lengths[key] == len(contents), key
            if not contents or not isinstance(contents[0], str):
                assert header.metadata[key] == contents, key


def test_a_file_that_breaks_off_anywhere_in_its_header_says_so(tiny_model, tmp_path):
    whole = tiny_model("qwen3").read_bytes()
    n_header = len(whole) - read_gguf_header(tiny_model("qwen3")).n_weight_bytes
    cut = tmp_path / "cut.gguf"
    for n in (5, 12, 24, 100, n_header // 2, n_header - 40):
        cut.write_bytes(whole[:n])
        with pytest.raises(ModelLoadError, match=f"ends at byte {n}; .* download it again"):
            read_gguf_header(cut)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a GGUF file"),
        (b"PK\3\4", "not a GGUF file"),
        (b"GGUF\1\0\0\0" + bytes(16), "GGUFv1"),
        (b"GGUF\0\0\0\3" + bytes(16), "endianness"),
        # One key, named "", of a type that there is not.
        (b"GGUF\3\0\0\0" + bytes(8) + b"\1" + bytes(15) + b"\x63\0\0\0", "header cannot be read"),
        # general.alignment as a text, on which llama.cpp itself would end the process.
        (
            b"GGUF\3\0\0\0"
            + bytes(8)
            + b"\1"
            + bytes(7)
            + b"\x11"
            + bytes(7)
            + b"general.alignment"
            + b"\x08\0\0\0"
            + b"\2"
            + bytes(7)
            + b"32",
            "header cannot be read",
        ),
        # A text of 2**63 bytes.
        (b"GGUF\3\0\0\0" + bytes(8) + b"\1" + bytes(14) + b"\x80", "ends at byte 32"),
    ],
)
def test_what_is_no_header(tmp_path, content, says):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelLoadError, match=says):
        read_gguf_header(path)
