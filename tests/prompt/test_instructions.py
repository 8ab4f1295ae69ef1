"""Instructions of the user's own: in the part of the prompt that all documents share."""

import pytest

import tiny_models
from decoding import open_model
from hpd.cli import main
from hpd.errors import ContextOverflowError, OptionError
from hpd.options import Options
from hpd.prompt.text import SYSTEM_PROMPT, instruction_text
from hpd.prompt.tokens import PromptTokenizer
from hpd.schema import load_schema
from jsonl import write_texts
from small_extractor import SmallExtractor

SCHEMA = load_schema("brand: the maker, price float?")
EXAMPLES = [("Puma, 30 EUR", {"brand": "Puma", "price": 30})]
SAID = "Prices are in euros. Never take the price of the postage."


@pytest.fixture(scope="module")
def model(tiny_model):
    return tiny_model("qwen3", n_ctx_train=2048)


def test_instructions_stand_before_the_attributes():
    assert instruction_text(SCHEMA, EXAMPLES, instructions=SAID) == (
        "Instructions:\n"
        "Prices are in euros. Never take the price of the postage.\n"
        "\n"
        "Attributes:\n"
        "- brand: the maker\n"
        "- price (number)\n"
        "\n"
        "Example document:\n"
        "Puma, 30 EUR\n"
        "Example answer:\n"
        '{"brand": "Puma", "price": 30}\n'
        "\n"
    )
    assert instruction_text(SCHEMA, layout="label", instructions=SAID) == (
        "Instructions:\n"
        "Prices are in euros. Never take the price of the postage.\n"
        "\n"
        "Attributes:\n"
        "A. brand: the maker\n"
        "B. price (number)\n"
        "\n"
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stack": 2},
        {"method": "ar"},
        {"method": "ar", "stack": 2},
        {"layout": "skeleton"},
        {"layout": "label", "stack": 2},
    ],
    ids=str,
)
def test_every_way_of_asking_has_them(model, settings, first_requests):
    def prompt_of(**said):
        with SmallExtractor(SCHEMA, model, max_tokens=4, **settings, **said) as extractor:
            list(extractor.extract_many(["Diesel", "Nike"], on_error="record"))
            return extractor.text_of(first_requests[-1])

    before, attributes, after = prompt_of().partition("Attributes:\n")
    own = f"Instructions:\n{SAID}\n\n"
    assert prompt_of(instructions=SAID) == before + own + attributes + after


def test_their_cells_are_read_once(model):
    """The prompt of a document that comes later costs no more with them than without."""

    def n_read(instructions):
        with SmallExtractor(SCHEMA, model, max_tokens=4, instructions=instructions) as extractor:
            n_own = len(extractor.native_model.tokenize(instructions))
            extractor.extract("Diesel")
            usage = extractor.extract("Nike").usage
        assert usage.cached_tokens > n_own
        return usage.prompt_tokens - usage.cached_tokens, n_own

    (plain, _), (told, n_own) = n_read(""), n_read(SAID)
    assert n_own > 10
    assert told == plain


@pytest.mark.parametrize("kind", tiny_models.ATTENTION_KINDS)
def test_control_tokens_in_them_are_text(tiny_model, kind):
    native = open_model(tiny_model(kind))
    control = {token for token, _, _, _ in native.control_tokens}
    marks = "".join(text for _, text, _, _ in native.control_tokens)
    assert marks
    n_control = []
    for said in ("Be brief.", f"Be {marks} brief."):
        instruction = instruction_text(SCHEMA, instructions=said)
        tokens = PromptTokenizer(native, SYSTEM_PROMPT, instruction).tokenize(["x"], ['{"brand":'])
        n_control.append(sum(token in control for token in tokens.prompt))
        text = b"".join(native.piece(token) for token in tokens.prompt).decode()
        assert said in text
    assert n_control[0] == n_control[1] > 0


def test_too_long_ones_are_refused_with_their_number_of_tokens(model):
    with pytest.raises(ContextOverflowError, match=r"\d+ of them your instructions") as caught:
        SmallExtractor(SCHEMA, model, n_ctx=512, instructions="very long " * 400)
    assert "leaves none of the context of 512" in str(caught.value)


def test_half_of_a_surrogate_pair_is_refused():
    with pytest.raises(OptionError, match=r"instructions \(--instructions\) must be text"):
        Options(instructions="a\ud800b")


@pytest.fixture
def command(tmp_path, model, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_texts(tmp_path / "in.jsonl", "Diesel", "Nike")
    settings = ["--max-tokens", "4", "-t", "1", "--quiet", "--on-invalid", "record"]
    return ["extract", "in.jsonl", "--schema", "brand, price float?", "-m", str(model), *settings]


def test_a_run_goes_on_only_with_the_same_ones(command, tmp_path, capfd):
    (tmp_path / "said.txt").write_text(f"\ufeff{SAID}\r\n\n", encoding="utf-8")
    out = ["-o", "out.jsonl"]
    assert main([*command, "--limit", "1", *out, "--instructions", SAID]) == 0
    for other in ([], ["--instructions", "Be brief."]):
        assert main([*command, *out, "--resume", *other]) == 2
        assert "made with another option --instructions" in capfd.readouterr().err
    assert main([*command, *out, "--resume", "--instructions", "@said.txt"]) == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "No such file"), (b"\xff\xfe", "it is not UTF-8"), (b" \n", "it holds no text")],
)
def test_a_file_that_holds_none_is_refused(command, tmp_path, content, problem, capfd):
    if content is not None:
        (tmp_path / "said.txt").write_bytes(content)
    assert main([*command, "--instructions", "@said.txt"]) == 2
    said = capfd.readouterr().err
    assert "--instructions: must be text, or @ and a file that holds it, not '@said.txt'" in said
    assert problem in said


def test_a_dry_run_shows_them(command, capfd):
    assert main([*command, "--dry-run", "--instructions", SAID]) == 0
    assert f"Instructions:\n{SAID}\n\nAttributes:\n" in capfd.readouterr().out
