"""Options on the command line: read as in Python, or refused before a model is loaded."""

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd import Options, _native
from hpd.cli import build_parser, main
from hpd.cli.arguments import parsed_options
from hpd.options import OPTIONS
from jsonl import write_texts
from option_values import OTHER, texts

COMMANDS = ("extract", "bench", "tune")
LOADING = 1  # the exit code where options are fine, as there is no such model
with_text = st.sampled_from(
    [
        (command, option)
        for command in COMMANDS
        for option in OPTIONS.values()
        if option.kind not in ("switch", "adapters")
        if option.name != "calibration"  # its file is read before the model
        if command == "extract" or option.name not in ("method", "on_invalid", "cache")
    ]
)
NEEDED_ARGUMENTS = {
    "": [], "draft_model": ["--set", "draft_model=d.gguf"], "temperature": ["--temp", "0.5"],
    "split_mode": ["--set", "split_mode=row"], "on_overflow": ["--on-overflow", "chunk"],
}  # fmt: skip


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    file = tmp_path_factory.mktemp("options") / "in.jsonl"
    file.write_text('{"text": "x"}\n')
    return str(file)


def run(command, documents, *arguments):
    """The exit code, and what is said, of a command with a missing model."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        code = main([command, documents, "--schema", "a", "-m", "gone.gguf", *arguments])
    return code, err.getvalue()


@given(with_text, texts)
def test_a_text_is_read_as_in_python_or_refused(documents, of_command, text):
    command, option = of_command
    needed = NEEDED_ARGUMENTS[option.needs]
    said_so = [f"{option.flag}={text}"] if option.flags else ["--set", f"{option.name}={text}"]
    code, said = run(command, documents, *needed, *said_so)
    problem = ""
    try:
        option.parse(text)
    except ValueError as error:
        problem = str(error)
    if problem:
        assert code == 2
        assert said.startswith("hpd: error: argument ")
        assert (
            f"{option.flag}: {problem} (see " in said
            or f"{option.name} {problem} (see " in said
            or f"{option.name} {problem} (see " in said
        )
    else:
        assert (code, said) == (LOADING, "hpd: error: there is no model gone.gguf\n")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--seed 99999999999999999999", "--seed: must be a whole number from 0 to 184467440737095"),
        ("--temp inf", "--temp: must be a number from 0 to 100, not inf"),
        ("-fa maybe", "-fa/--flash-attn: must be one of auto, on, off, not 'maybe'"),
        ("--lora x.gguf:nan", "--lora: x.gguf:nan: the scale of an adapter must be finite"),
        ("--set n_draft=4", "n_draft does nothing without draft_model"),
        ("-b 64 -ub 65", "n_ubatch (--ubatch-size) must not be above n_batch (--batch-size)"),
        ("-fa off -ctv q8_0", "cache_type_v (--cache-type-v) must be one of f32, f16, bf16"),
        (
            "--set tensor_split=3,x",
            "tensor_split must be numbers of at least 0, not all of them 0, separated",
        ),
        ("-ctv", "expected one argument"),
        ("--set drafts=yes", "drafts must be on or off, not 'yes'"),
        ("--set draft=on", "draft: no such option: did you mean drafts?"),
        ("--set drafts", "drafts needs a value: --set drafts=VALUE"),
        ("--no-drafts", "unrecognized arguments: --no-drafts: use --set drafts=off"),
        ("--flash", "unrecognized arguments: --flash"),
        ("--schma=x", "--schma=x: did you mean --schema? (see hpd "),
        ("--set draft_model=", "draft_model must be text, not ''"),
        ("-m=", "-m/--model: is empty"),
        ("--id-field=--", "--id-field: must not be '--'"),
    ],
)
def test_bad_options_are_refused_before_the_model(documents, command, arguments, message):
    code, said = run(command, documents, *arguments.split())
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("hpd: error: ")
    assert message in said


@pytest.mark.parametrize("command", [["bench"], ["tune"], ["extract", "--dry-run"]])
def test_verbose_is_heard(documents, command, tmp_path, monkeypatch):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    echoed = []
    monkeypatch.setattr(_native, "echo_log", echoed.append)
    run(command[0], documents, *command[1:], "-m", str(broken))
    run(command[0], documents, *command[1:], "-m", str(broken), "--set", "verbose=on")
    assert echoed == [False, True]


def test_everything_that_can_be_said_in_python_can_be_said_here():
    arguments = []
    for name, value in OTHER.items():
        flag = OPTIONS[name].flag
        if value == OPTIONS[name].default:
            continue  # Its other value does not go with the rest.
        if not OPTIONS[name].flags:
            texts = {True: "on", False: "off"} if isinstance(value, bool) else {}
            text = "3,1" if name == "tensor_split" else texts.get(value, value)
            arguments += ["--set", f"{name}={text}"]
        elif isinstance(value, bool):
            arguments.append(flag)
        elif name == "adapters":
            arguments += [flag, "a.gguf:0.5", flag, "b.gguf"]
        else:
            arguments += [flag, str(value)]
    parsed = build_parser().parse_args(["extract", "-", "--schema", "a", *arguments])
    assert parsed_options(parsed) == Options(**OTHER)
    parsed = build_parser().parse_args(["extract", "-", "--schema", "a"])
    assert parsed_options(parsed) == Options()


@pytest.mark.parametrize(
    "arguments",
    [
        ["extract", "-", "--schema", "a", "--examples", "-"],
        ["bench", "-", "--schema", "a", "--replay", "-"],
        ["eval", "-", "-"],
        ["eval", "--lookup", "-", "-"],
    ],
)
def test_standard_input_is_read_once(arguments, capsys):
    assert main(arguments) == 2
    assert "hpd: error: - is standard input, which can be read only once" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "is_said"), [((), True), (("--quiet",), False)])
def test_notes_about_a_schema_are_said_unless_it_is_to_be_quiet(
    options, is_said, tmp_path, fake, capfd
):
    source = write_texts(tmp_path / "in.jsonl", "a")
    assert main(["extract", str(source), "--schema", "phone number, x", *options]) == 0
    assert (
        "note: 'phone number': read as a text of this name" in capfd.readouterr().err
    ) == is_said
