"""The warning where a model is asked in a layout that nobody taught it."""

import shutil
import warnings

import pytest

from hpd import Extractor
from hpd.cli import main
from hpd.pipeline.layout_warning import LayoutWarning
from hpd.prompt.text import LABEL_KEY
from shop import EXACT

ASK = {"layout": "label", **EXACT}


def open_quietly(model, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Extractor("a", model, **settings).close()


def test_a_model_that_was_not_taught_labels(model):
    with pytest.warns(LayoutWarning, match=r"^layout 'label' .*finetune --mask") as caught:
        Extractor("a", model, **ASK).close()
    assert [each.filename for each in caught] == [__file__]
    for layout in ("branch", "skeleton"):
        open_quietly(model, **{**ASK, "layout": layout})


def test_the_file_of_a_model_says_that_it_was(model, tmp_path):
    pytest.importorskip("gguf")
    from hpd.training.weights import set_metadata

    own = tmp_path / "own.gguf"
    shutil.copy(model, own)
    set_metadata(own, LABEL_KEY, "on")
    open_quietly(own, **ASK)


def test_the_bundled_model_was():
    open_quietly(None, **ASK)


def test_the_program_says_it_in_one_line(model, tmp_path, capsys):
    text = tmp_path / "a.txt"
    text.write_text("Lamp", encoding="utf-8")
    assert (
        main(["extract", str(text), "--schema", "a", "-m", str(model), "--set", "layout=label"])
        == 0
    )
    lines = [line for line in capsys.readouterr().err.splitlines() if "warning: " in line]
    assert len(lines) == 1
    assert lines[0].startswith(
        "hpd: warning: layout 'label' (--set layout): the file of this model"
    )
