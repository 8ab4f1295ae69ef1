"""The rules in the system's text, where a caller has its own."""

import pytest

from hpd.errors import OptionError
from hpd.prompt.text import STACK_RULE, SYSTEM_PROMPT
from small_extractor import SmallExtractor


@pytest.mark.parametrize("stack", [1, 2])
def test_own_rules_take_the_place_of_the_usual_ones(tiny_model, stack, first_requests):
    with SmallExtractor(
        "brand", tiny_model("qwen3"), system_prompt="Be brief.", stack=stack
    ) as extractor:
        list(extractor.extract_many(["Diesel", "Nike"]))
        text = extractor.text_of(first_requests[-1])
    assert "Be brief." in text
    assert (STACK_RULE in text) == (stack == 2)
    assert SYSTEM_PROMPT not in text


def test_the_layout_with_rules_of_its_own_takes_no_others(tiny_model):
    with pytest.raises(OptionError, match="give none"):
        SmallExtractor("brand", tiny_model("qwen3"), system_prompt="Be brief.", layout="label")
