"""The options of ``hpd finetune``: honoured or refused, and with the defaults that they tell."""

import argparse
import re
from dataclasses import MISSING, fields

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from hpd.cli import build_parser, main
from hpd.training.command import _options
from hpd.training.finetune import ADAPTER_RATES, MODEL_RATES, FinetuneOptions
from hpd.training.loop import LoopOptions

FIELDS = {field.name: field for cls in (FinetuneOptions, LoopOptions) for field in fields(cls)}
CHOSEN = {
    "learning_rate",
    "rates",
    "device",
    "bf16",
    "epochs",
    "minutes",
    "part",
    "forms",
    "rounding",
    "is_compiled",
    "lists",
}
"""By what else is said, and by the machine."""


def parse(*arguments):
    return build_parser().parse_args(["finetune", "t", "--schema", "a", "-o", "o", *arguments])


def arguments_of_finetune():
    (commands,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return {action.dest: action for action in commands.choices["finetune"]._actions}


@pytest.mark.parametrize("name", sorted(FIELDS.keys() & arguments_of_finetune().keys() - CHOSEN))
def test_the_help_tells_the_default(name):
    action, default = arguments_of_finetune()[name], FIELDS[name].default
    told = re.findall(r"\[default: (.*)\]", action.help or "")
    if isinstance(default, str):
        assert told == ([default.lower()] if default else [])
    else:
        assert [float(number) for number in told] == [default]


def test_everything_but_these_can_be_said():
    assert FIELDS.keys() - arguments_of_finetune().keys() == {"loop", "rates"}


def test_what_is_not_said_is_as_in_python():
    made, ours = _options(parse()), FinetuneOptions(rates=MODEL_RATES)
    for field in fields(FinetuneOptions):
        if field.name != "device":
            assert getattr(made, field.name) == getattr(ours, field.name)
    assert all({field.default, field.default_factory} != {MISSING} for field in FIELDS.values())


def test_what_is_said_arrives():
    said = (
        "--mask skeleton=3,ar --max-tokens 9 --stack 2 --unnamed skip --lora-rank 3 --lora-alpha 6"
        " --freeze 2"
        " --epochs 0.5 --minutes 7 --part 2 --warmup 5 --decay 0.5 --weight-decay 1"
        " --batch-tokens 100 --max-row 99 --n-dev 7 --validate-every 5 --patience 1 --no-bf16"
        " -s 42 --device meta --outtype F16 --quantise q4_0 --compile"
        " --lists names"
    )
    made = _options(parse(*said.split()))
    assert made == FinetuneOptions(
        forms={"skeleton": 3.0, "ar": 1.0}, max_tokens=9, stack=2,
        lists="names", unnamed="skip", lora_rank=3, lora_alpha=6.0, freeze=2, max_row=99, n_dev=7,
        device="meta", file_type="F16", rates=ADAPTER_RATES, loop=LoopOptions(
            epochs=0.5, minutes=7, part=2, batch_tokens=100, warmup=5, decay=0.5, weight_decay=1.0,
            bf16=False, seed=42, validate_every=5, patience=1, rounding="Q4_0",
            is_compiled=True,
        ),
    )  # fmt: skip
    assert _options(parse("--method", "ar")).forms == {"ar": 1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--seed 99999999999999999999", "-s/--seed: must be a whole number from 0 to 1844674407"),
        ("-t 100000", "-t/--threads: must be a whole number from 0 to 512, not 100000"),
        ("--epochs inf", "--epochs: 'inf' is not a finite number"),
        ("--epochs 1e300", "--epochs: 1e300 is above 1e+06"),
        ("--learning-rate nan", "--learning-rate: 'nan' is not a finite number"),
        ("--batch-tokens 0", "--batch-tokens: 0 is below 1"),
        ("--batch-tokens 1e3", "--batch-tokens: '1e3' is not a whole number"),
        ("--mask tree", "'tree' is not one of branch, skeleton"),
        ("--mask branch=0", "every form has weight 0"),
        ("--quantise q4_k_m", "'q4_k_m' is not one of Q4_0"),
        ("--quantise q4_0 --outtype f16", "give only one"),
        ("--lora-rank 4 --freeze 2", "--freeze does nothing with --lora-rank"),
        ("--lora-rank 4 --quantise q4_0", "--quantise applies to model.gguf"),
        ("--lora-rank 99999999999999999999", "--lora-rank: 99999999999999999999 is above 4096"),
        ("--lora-alpha 4", "--lora-alpha does nothing without --lora-rank"),
        ("--n-dev 4", "--n-dev does nothing without --dev"),
        ("--validate-every 4", "--validate-every does nothing without --dev"),
        ("--patience 0", "--patience does nothing without --dev"),
        ("--lora-rank 4 --outtype F16", "--outtype applies to model.gguf"),
        ("--outtype q99", "q99"),
        ("--device nowhere", "--device nowhere cannot be used: Expected one of cpu"),
        ("-m=", "-m/--model: is empty"),
    ],
)
def test_what_does_nothing_is_refused(tmp_path, capsys, arguments, message):
    train = tmp_path / "train.jsonl"
    train.write_text('{"text": "Nike", "gold": {"a": "Nike"}}\n')
    model = [] if "-m" in arguments else ["-m", str(tmp_path)]
    command = ["finetune", str(train), "--schema", "a", "-o", str(tmp_path / "o"), *model]
    assert main([*command, *arguments.split()]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_rate_that_is_said_is_not_tried():
    made = _options(parse("--lora-rank", "8", "--learning-rate", "3e-4"))
    assert (made.rates, made.loop.learning_rate) == ((), 3e-4)
    assert _options(parse("--lora-rank", "8", "--learning-rate", "auto")).rates == ADAPTER_RATES
