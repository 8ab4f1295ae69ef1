"""Chat templates of the shapes that models have, and those that would take all time or memory."""

import pytest

from hpd.errors import ModelLoadError
from hpd.prompt.template import render_template

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
BOTH = "{{ messages[0].content }}|{{ messages[1].content }}|"
USER = "<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user\n"
ANSWER = "<|im_end|>\n<|im_start|>assistant\n"

TEMPLATES = {
    "ChatML": (CHATML, USER, ANSWER),
    "thinking that can be turned off": (
        CHATML + "{% if enable_thinking is defined and enable_thinking is false %}"
        "{{ '<think>\n\n</think>\n\n' }}{% endif %}",
        USER,
        ANSWER + "<think>\n\n</think>\n\n",
    ),
    "thinking that cannot be turned off": (
        CHATML + "{{ '<think>\n' }}",
        USER,
        ANSWER + "<think>\n\n</think>\n\n",
    ),
    "an answer that was thought about in the messages": (
        "{% for m in messages %}{% set content = m.content %}{% if '</think>' in content %}"
        "{% set content = content.split('</think>')[-1] %}{% endif %}"
        "{% if m.role == 'user' %}<\uff5cUser\uff5c>{{ content }}"
        "{% else %}{{ bos_token + content }}"
        "{% endif %}{% endfor %}<\uff5cAssistant\uff5c><think>\n",
        "<s>Rules.<\uff5cUser\uff5c>",
        "<\uff5cAssistant\uff5c><think>\n\n</think>\n\n",
    ),
    "thinking under another name": (
        "{%- if not thinking is defined %}{% set thinking = true %}{% endif -%}"
        "{{ messages[0].content }}<U>{{ messages[1].content }}<A>"
        "{{ '<think>' if thinking else '</think>' }}",
        "Rules.<U>",
        "<A></think>",
    ),
    "thoughts between marks of another kind": (
        "[SYSTEM_PROMPT]{{ messages[0]['content'] }}[/SYSTEM_PROMPT]"
        "[INST]{{ messages[1]['content'] }}[/INST][THINK]",
        "[SYSTEM_PROMPT]Rules.[/SYSTEM_PROMPT][INST]",
        "[/INST][THINK]\n\n[/THINK]\n\n",
    ),
    "channels": (
        "{%- macro system() -%}Reasoning: {{ reasoning_effort }}{%- endmacro -%}"
        "<|start|>system<|message|>{{ system() }}<|end|>"
        "{% for m in messages %}<|start|>{{ 'developer' if m.role == 'system' else m.role }}"
        "<|message|>{{ m.content }}<|end|>{% endfor %}"
        "{% if add_generation_prompt %}<|start|>assistant{% endif %}",
        "<|start|>system<|message|>Reasoning: low<|end|>"
        "<|start|>developer<|message|>Rules.<|end|><|start|>user<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    "a part of the turn behind a thought": (
        "{% for m in messages %}<|begin|>{{ m.role }}<|content|>{{ m.content }}<|end|>{% endfor %}"
        "<|begin|>assistant<|think|><|end|><|begin|>assistant",
        "<|begin|>system<|content|>Rules.<|end|><|begin|>user<|content|>",
        "<|end|><|begin|>assistant<|think|><|end|><|begin|>assistant<|content|>",
    ),
    "a name before the answer": (
        "{% for m in messages %}{{ m.content }}<|eot_id|>{% endfor %}>>>",
        "Rules.<|eot_id|>",
        "<|eot_id|>>>>all\n",
    ),
    **{
        f"a thought that {opened} begins": (BOTH + opened, "Rules.|", "|" + ended)
        for opened, ended in (
            ("<reasoning>\n", "<reasoning>\n\n</reasoning>\n\n"),
            ("<Thought>", "<Thought>\n\n</Thought>\n\n"),
            ("<think_fast>\nOkay, ", "<think_fast>\nOkay,\n\n</think_fast>\n\n"),
            ("[REASONING]", "[REASONING]\n\n[/REASONING]\n\n"),
            ("<|think_start|>", "<|think_start|>\n\n<|think_end|>\n\n"),
            ("<|START_THINKING|>", "<|START_THINKING|>\n\n<|END_THINKING|>\n\n"),
            ("\u25c1think\u25b7", "\u25c1think\u25b7\n\n\u25c1/think\u25b7\n\n"),
            ("<think></think>", "<think></think>"),
        )
    },
    "channels, one of which is chosen": (
        BOTH + "<|end|><|start|>assistant<|channel|>",
        "Rules.|",
        "|<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    "channels, the first of which is for thoughts": (
        BOTH + "<|end|><|start|>assistant<|channel|>analysis<|message|>",
        "Rules.|",
        "|<|end|><|start|>assistant<|channel|>analysis<|message|>"
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    "a role of the system that is passed over": (
        "{% for m in messages if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endfor %}<A>",
        "<user>Rules.\n\n",
        "<A>",
    ),
    "typed parts of the user only": (
        "{{ messages[0].content + '|' }}{% for part in messages[1].content %}{{ part.text }}"
        "{% endfor %}|",
        "Rules.|",
        "|",
    ),
    "JSON that may have other letters": (
        "{{ messages[0].content | tojson(ensure_ascii=False) }}{{ messages[1].content }}|",
        '"Rules."',
        "|",
    ),
    "thoughts that a name is part of": (
        "{% set kind = ':opensource' %}{% for m in messages %}{{ m.content }}|{% endfor %}"
        "{{ '<think{}>'.format(kind) }}",
        "Rules.|",
        "|<think:opensource>\n\n</think:opensource>\n\n",
    ),
    "thoughts that a sentence begins": (
        "Write after [BEGIN FINAL RESPONSE].{{ messages[0].content }}\n<|begin_user|>\n"
        "{{ messages[1].content }}\n<|begin_assistant|>\nHere are my reasoning steps:\n",
        "Write after [BEGIN FINAL RESPONSE].Rules.\n<|begin_user|>\n",
        "\n<|begin_assistant|>\nHere are my reasoning steps:\n\n[BEGIN FINAL RESPONSE]\n\n",
    ),
    "marks of what is taught": (
        "{% for m in messages %}{% if m.role == 'assistant' %}{%- generation -%}"
        "{{ m.content }}{%- endgeneration -%}{% else %}<{{ m.role }}>{{ m.content }}"
        "{% generation %}</>{% endgeneration %}{% endif %}{% endfor %}",
        "<system>Rules.</><user>",
        "</>",
    ),
    "tools that are counted": (
        "{%- if tools is not none and tools | length > 0 %}{{ tools | tojson }}{% endif -%}"
        "{% for m in messages %}{{ m.content }}|{% endfor %}",
        "Rules.|",
        "|",
    ),
    "tools that are gone through": (
        "{% if tools is defined %}{% for tool in tools %}{{ tool.name }}{% endfor %}{% endif %}"
        "{% for m in messages %}{{ m.content }}|{% endfor %}",
        "Rules.|",
        "|",
    ),
    "documents and a date": (
        "{%- if not date_string is defined %}{%- if strftime_now is defined %}"
        "{%- set date_string = strftime_now('%d %b %Y') %}{%- endif %}{%- endif %}"
        "{% if documents %}{% for d in documents %}{{ d }}{% endfor %}{% endif %}"
        "{{ date_string | length }} {{ messages[0].content | trim }}|{{ messages[1].content }}|",
        "11 Rules.|",
        "|",
    ),
    "typed parts only": (
        "{% for m in messages %}<{{ m.role }}>{% for part in m.content %}"
        "{% if part.type == 'image' %}<image>{% elif part['type'] == 'text' %}{{ part['text'] }}"
        "{% endif %}{% endfor %}</>{% endfor %}",
        "<system>Rules.</><user>",
        "</>",
    ),
    "text or typed parts": (
        "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}|{% endfor %}",
        "Rules.|",
        "|",
    ),
    "no role of the system": (
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
        "{{ raise_exception('System role not supported') }}{% endif %}{% for m in messages %}"
        "{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('Roles must alternate') }}{% endif %}"
        "<turn>{{ m['role'] }}\n{{ m['content'] | trim }}<end>\n{% endfor %}{{ '<turn>model\n' }}",
        "<s><turn>user\nRules.\n\n",
        "<end>\n<turn>model\n",
    ),
    "the system's text in a namespace": (
        "{% set ns = namespace(system='') %}{% for m in messages %}{% if m.role == 'system' %}"
        "{% set ns.system = m.content %}{% continue %}{% endif %}"
        "{% if loop.last %}[INST] {{ ns.system ~ '\n\n' if ns.system }}{{ m.content }} [/INST]"
        "{% endif %}{% endfor %}",
        "[INST] Rules.\n\n",
        " [/INST]",
    ),
    "messages as JSON": (
        "{{ messages[0].content | tojson(indent=2) }}<&>{{ messages[1].content | tojson }}"
        "{{ eos_token }}",
        '"Rules."<&>"',
        '"</s>',
    ),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_rendered_up_to_the_answer(name):
    template, before, after = TEMPLATES[name]
    rendered = render_template(template, "Rules.", bos="<s>", eos="</s>")
    assert (rendered.before, rendered.after) == (before, after)


def test_a_template_that_the_model_was_fitted_with_may_pass_over_the_rules():
    template = (
        "{% for m in messages if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    )
    assert render_template(template, "Rules.").before == "<user>Rules.\n\n"
    assert render_template(template, "Rules.", needs_system_prompt=False).before == "<user>"


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
MACRO = "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}"


@pytest.mark.parametrize("endless", [LOOP, MACRO])
def test_a_template_that_does_not_end_is_an_error(endless):
    with pytest.raises(ModelLoadError, match="does not end within 100000 steps"):
        render_template(endless + "{{ messages[1].content }}", "s")


def test_a_template_that_writes_without_end_is_an_error():
    with pytest.raises(ModelLoadError, match="more than 1000000 characters"):
        render_template("{% for n in range(999) %}{{ 'x' * 9999 }}{% endfor %}", "s")


@pytest.mark.parametrize(
    "broken",
    [
        *("{{ messages[7].content.x }}", "{{ 1 / 0 }}", "{{ messages + 1 }}", "{% for %}"),
        *("{{ range(10 ** 9) | list }}", "{{ messages.clear() }}", "{{ ''.__class__.__mro__ }}"),
        *("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{% include 'x' %}"),
    ],
)
def test_whatever_a_template_raises_is_an_error(broken):
    with pytest.raises(ModelLoadError, match=r"chat template fails: ."):
        render_template(broken, "s")
