"""Refusals: once, in a sentence, of all that cannot work; what does nothing is said."""

import pytest

import hpd
from hpd.cli import main
from hpd.errors import ContextOverflowError, ModelLoadError
from hpd.models import hardware
from jsonl import read_lines, write_texts
from small_extractor import extracted


@pytest.fixture
def source(tmp_path):
    return str(write_texts(tmp_path / "in.jsonl", "Nike shoe", "Puma shoe"))


def test_a_plan_that_cannot_fit_is_refused_once(source, capfd):
    assert main(["extract", source, "--schema", "brand", "--max-tokens", "1000000"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("leaves none of the context") == 1
    with pytest.raises(ContextOverflowError, match="a smaller max_tokens"):
        hpd.Extractor("brand", max_tokens=1_000_000)


def test_more_cells_than_any_memory_are_refused(source, capfd):
    assert main(["extract", source, "--schema", "brand", "-c", "2000000000"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "small.gguf takes about" in err
    with pytest.raises(ModelLoadError, match="takes about"):
        hpd.Extractor("brand", n_ctx=2_000_000_000)


def test_a_document_of_which_nothing_fits_is_not_cut_to_nothing(tiny_model):
    word = "\U0001f469\u200d" * 20 + "\U0001f469"  # one character for readers, never cut
    (extraction,) = extracted(
        "a",
        tiny_model("qwen3"),
        [word * 30],
        n_ctx=512,
        max_tokens=140,
        on_overflow="truncate",
        on_error="record",
    )
    assert extraction.data is None
    assert "not one word fits" in extraction.error.message


def test_options_for_a_gpu_that_is_not_there_are_said_to_do_nothing(source, capfd):
    if hardware.devices():
        pytest.fail("this test is for builds without a GPU")
    assert main(["extract", source, "--schema", "brand", "-ngl", "5", "--quiet"]) == 0
    out, err = capfd.readouterr()
    assert len(read_lines(out)) == 2
    assert "without effect: --gpu-layers; this build of llama.cpp has no GPU" in err
    several = [
        "--set",
        "split_mode=row",
        "--set",
        "tensor_split=3,1",
        "--set",
        "main_gpu=1",
        "-ngl",
        "0",
    ]
    assert main(["extract", source, "--schema", "brand", *several, "--quiet"]) == 0
    err = capfd.readouterr().err
    assert (
        "without effect: --set split_mode, --set tensor_split, --set main_gpu; with --gpu-layers 0"
        in err
    )
    assert main(["extract", source, "--schema", "brand", "-ngl", "0", "--quiet"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("command", ["extract", "bench"])
def test_an_empty_name_is_no_output(source, capfd, command):
    assert main([command, source, "--schema", "brand", "-o", ""]) == 2
    assert "-o/--output: is empty" in capfd.readouterr().err


def test_figures_do_not_replace_a_file(source, tmp_path, capfd):
    figures = tmp_path / "figures.jsonl"
    figures.write_text("those of last night\n")
    assert main(["bench", source, "--schema", "brand", "-o", str(figures)]) == 2
    error = capfd.readouterr().err
    assert "already exists" in error
    assert figures.read_text() == "those of last night\n"


@pytest.mark.parametrize("name", ["a[0]", "a[12]", "a[]"])
def test_a_name_cannot_be_the_path_of_an_item(name, capfd):
    assert main(["schema", f'["b", "{name}"]']) == 0
    capfd.readouterr()
    array = '{"type": "array", "items": {"type": "string"}}'
    properties = f'{{"a": {array}, "{name}": {{"type": "string"}}}}'
    assert main(["schema", f'{{"type": "object", "properties": {properties}}}']) == 2
    assert "two attributes have this same path" in capfd.readouterr().err
