"""The examples of docs/frameworks.md, as they stand there, against ``hpd serve``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from server_process import SECONDS

PAGE = Path(__file__).parents[2] / "docs/frameworks.md"
PACKAGES = {
    "LangChain": "langchain_openai",
    "LlamaIndex": "llama_index.llms.openai_like",
    "pydantic-ai": "pydantic_ai",
    "instructor": "instructor",
    "langextract": "langextract",
    "llm": "llm",
}

_OPENING, *_SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")
EXAMPLES = dict(section.split("\n", 1) for section in _SECTIONS)


def block(language, text):
    """The only block of that language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(found)


def test_each_framework_has_an_example():
    assert [*EXAMPLES] == [*PACKAGES]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_framework_gets_the_values(name, server, tmp_path):
    pytest.importorskip(PACKAGES[name].split(".")[0])
    if name == "llm":
        command = ["bash", "-euo", "pipefail", "-c", block("bash", EXAMPLES[name])]
    else:
        program = block("python", _OPENING) + block("python", EXAMPLES[name])
        command = [sys.executable, "-c", program]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [part.replace("http://127.0.0.1:8000", server.url) for part in command],
        env={**os.environ, "PATH": path, "LLM_USER_PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"brand\W+Diesel", done.stdout)
    assert re.search(r"color\W+Black", done.stdout)
