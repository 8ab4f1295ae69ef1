"""Exported tokenizers: llama.cpp, transformers and fine-tuning split text alike."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import llama_cpp
import pytest

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from awkward import awkward_strings
from checkpoints import TOKENIZERS
from hpd import _native, prompt
from hpd.errors import InputError
from hpd.prompt.tokens import PromptTokenizer
from hpd.training.conversion.check import ORDINARY_TEXTS
from hpd.training.conversion.to_gguf import export_model
from hpd.training.vocabulary import CheckpointVocabulary
from reference import Reference

# Its text begins with a space only where nothing stands before it: not in a prompt.
SPACE_AT_FIRST = "llama2"
WITH_TEMPLATE = ("qwen2", "llama2", "gemma")
CONTROL = {
    "qwen2": "<|im_start|>",
    "gemma": "<start_of_turn>",
    "llama2": "</s>",
    "llama2-legacy": "</s>",
}


def transformers_tokenizer(folder):
    """The tokenizer of ``tokenizer.json``; AutoTokenizer may take that of the model's family."""
    return transformers.PreTrainedTokenizerFast.from_pretrained(folder)


@pytest.fixture(scope="module", params=sorted(TOKENIZERS))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def folder(checkpoint, kind):
    return checkpoint("llama", kind)


@pytest.fixture(scope="module")
def model(exported, kind):
    return _native.Model([str(exported("llama", kind))])


def test_a_thousand_awkward_strings(folder, model, kind):
    theirs = transformers_tokenizer(folder)
    ours = CheckpointVocabulary(folder)
    begin = theirs.bos_token if kind == SPACE_AT_FIRST else ""
    for text in awkward_strings(1000):
        expected = theirs.encode(begin + text, add_special_tokens=False)
        if begin:
            assert expected.pop(0) == theirs.bos_token_id
        assert model.tokenize(text) == expected, repr(text)
        assert ours.tokenize(text) == expected, repr(text)


def test_a_space_before_everything_where_there_is_no_template(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", SPACE_AT_FIRST), tmp_path / "base")
    (folder / "chat_template.jinja").unlink()
    export_model(folder, tmp_path / "base.gguf", "F16")
    model = _native.Model([str(tmp_path / "base.gguf")])
    theirs = transformers_tokenizer(folder)
    ours = CheckpointVocabulary(folder)
    for text in awkward_strings(200):
        assert model.tokenize(text) == ours.tokenize(text), repr(text)
        # llama.cpp puts a space before a space, too.
        if not text.startswith(" "):
            assert model.tokenize(text) == theirs.encode(text, add_special_tokens=False), repr(text)
    with_space = theirs.convert_ids_to_tokens(model.tokenize("shoe"))
    assert "".join(with_space) == "\u2581shoe"


def test_text_that_is_not_in_unicodes_composed_form(folder, model):
    """llama.cpp leaves it as it is, so fine-tuning does, too."""
    ours = CheckpointVocabulary(folder)
    for text in ("Gro\u0308ße", "cafe\u0301", "\u1100\u1161"):
        assert ours.tokenize(text) == model.tokenize(text)


def test_control_tokens_are_parsed_or_not(folder, model, kind):
    theirs = transformers_tokenizer(folder)
    ours = CheckpointVocabulary(folder)
    control = CONTROL.get(kind, "<|eot_id|>")
    text = f"{control}shoe{control} shoe\n\n{control}"
    expected = theirs.encode(text, add_special_tokens=False)
    assert expected.count(theirs.convert_tokens_to_ids(control)) == 3
    assert model.tokenize(text, True) == expected
    assert ours.tokenize(text, True) == expected
    as_text = model.tokenize(text)
    assert theirs.convert_tokens_to_ids(control) not in as_text
    assert ours.tokenize(text) == as_text
    if kind != SPACE_AT_FIRST:
        assert theirs.encode(text, add_special_tokens=False, split_special_tokens=True) == as_text


@pytest.mark.parametrize("kind", WITH_TEMPLATE, indirect=True)
def test_prompts_are_what_transformers_makes_of_the_template(folder, model):
    """The pieces that hpd tokenises one by one are what the whole text gives."""
    theirs = transformers_tokenizer(folder)
    system, instruction = prompt.system_text(), "Attributes:\n- Brand\n\n"
    for document in ("Nike shoe, Größe 5", " 日本製\n\n  shoe ", "\n"):
        user = instruction + prompt.documents_text([document])
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        text = theirs.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        whole = PromptTokenizer(model, system, instruction).tokenize([document], [""])
        assert [*whole.prompt, *whole.keys[0]] == theirs.encode(text, add_special_tokens=False)


def test_what_a_token_says(folder, model):
    ours = CheckpointVocabulary(folder)
    for token in range(model.n_vocab):
        assert ours.piece(token) == model.piece(token), token


def test_special_tokens_come_along(folder, exported, kind):
    theirs = transformers_tokenizer(folder)
    ours = CheckpointVocabulary(folder)
    with Reference(exported("llama", kind)) as reference:
        vocab = reference.vocab
        assert llama_cpp.llama_vocab_eos(vocab) == theirs.eos_token_id == ours.eos
        adds_bos = theirs.encode("shoe")[0] == theirs.bos_token_id
        assert llama_cpp.llama_vocab_get_add_bos(vocab) == adds_bos == (ours.bos >= 0)
        if adds_bos:
            assert llama_cpp.llama_vocab_bos(vocab) == theirs.bos_token_id == ours.bos
        ends = {
            token
            for token in range(llama_cpp.llama_vocab_n_tokens(vocab))
            if llama_cpp.llama_vocab_is_eog(vocab, token)
        }
        assert ends == ours.end_tokens
        template = llama_cpp.llama_model_chat_template(reference.model, None)
        assert (template or b"").decode() == (theirs.chat_template or "")
        if kind == "gemma":
            turn = theirs.convert_tokens_to_ids("<end_of_turn>")
            assert llama_cpp.llama_vocab_eot(vocab) == turn


def test_named_templates(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "named")
    template = (folder / "chat_template.jinja").read_text()
    (folder / "chat_template.jinja").unlink()
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    named = [{"name": "rag", "template": "x"}, {"name": "default", "template": template}]
    path.write_text(json.dumps(settings | {"chat_template": named}))
    assert CheckpointVocabulary(folder).chat_template == template


# --- refusals -------------------------------------------------------------------------------------


def _changed(folder: Path, copy: Path, change) -> Path:
    shutil.copytree(folder, copy)
    path = copy / "tokenizer.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return copy


def _without_bytes(data):
    data["model"]["vocab"] = {
        token: number for token, number in data["model"]["vocab"].items() if token != "<0x0A>"
    }


def _one_merge_a_piece(data):
    """As learned from text with ``tokenizers``: SentencePiece joins the others' halves as well."""
    merges = {"".join(pair): pair for pair in data["model"]["merges"]}
    data["model"]["merges"] = list(merges.values())


def _merges_that_ordinary_texts_need(data):
    """The others are left out, so that pieces differ that nobody thinks of."""
    texts = "".join(ORDINARY_TEXTS).replace(" ", "\u2581")
    merges = data["model"]["merges"]
    data["model"]["merges"] = [pair for pair in merges if "".join(pair) in texts]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("qwen2", lambda d: d["model"].update(type="Unigram"), "type Unigram; only BPE"),
        ("qwen2", lambda d: d["model"].update(end_of_word_suffix="</w>"), "end_of_word_suffix"),
        ("qwen2", lambda d: d.update(pre_tokenizer=None), "cannot say every text"),
        (
            "qwen2",
            lambda d: d["pre_tokenizer"]["pretokenizers"][0].update(pattern={"Regex": "x+"}),
            "no name for the way in which its pre_tokenizer splits",
        ),
        ("qwen2", lambda d: d.update(normalizer={"type": "Lowercase"}), "Lowercase, unknown to"),
        ("gemma", lambda d: d.update(normalizer={"type": "NFKC"}), "NFKC, unknown to hpd"),
        ("gemma", _without_bytes, "without a token for <0x0A>"),
        ("gemma", _one_merge_a_piece, "cannot split text as this tokenizer does"),
        ("gemma", _merges_that_ordinary_texts_need, "cannot split text as this tokenizer does"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_tokenizers_are_refused(checkpoint, tmp_path, kind, change, message):
    folder = _changed(checkpoint("llama", kind), tmp_path / "changed", change)
    with pytest.raises(InputError, match=message) as refused:
        export_model(folder, tmp_path / "out.gguf", "F32")
    assert str(folder / "tokenizer.json") in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["changed"]


def test_a_tokenizer_larger_than_the_model(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "small")
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"vocab_size": 64}))
    with pytest.raises(InputError, match="tokens, but the model has 64"):
        export_model(folder, tmp_path / "out.gguf", "F32")


def test_no_tokenizer_json(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "none")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"no tokenizer\.json: save the tokenizer"):
        export_model(folder, tmp_path / "out.gguf", "F32")
