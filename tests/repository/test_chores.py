"""The chores of the project: sessions of nox, hooks of pre-commit, jobs of the hosted CI.

None of them is run here; they name commands, sessions, extras and versions that exist.
"""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
from collections.abc import Iterator

import pytest
import yaml

from tools import docs

ROOT = docs.ROOT
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
NOXFILE = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
METADATA = importlib.metadata.metadata("hpd-cpp")
EXTRAS = set(METADATA.get_all("Provides-Extra") or [])


def sessions() -> dict[str, ast.FunctionDef]:
    """The sessions of noxfile.py by name."""
    return {
        node.name: node
        for node in NOXFILE.body
        if isinstance(node, ast.FunctionDef)
        and [ast.unparse(decorator) for decorator in node.decorator_list] == ["nox.session"]
    }


def commands() -> Iterator[str]:
    """The commands of the hosted CI, with the rows of the jobs' matrices filled in."""
    for job in WORKFLOW["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        rows = matrix.get("include") or [{name: values[0] for name, values in matrix.items()}]
        for row in rows:
            for command in (step["run"] for step in job["steps"] if "run" in step):
                for name, value in row.items():
                    command = command.replace(f"${{{{ matrix.{name} }}}}", value)
                yield command


COMMANDS = sorted(set(commands()))


def test_every_session_is_there_and_described_in_one_line() -> None:
    assert set(sessions()) == {
        "test",
        "test_all",
        "lint",
        "docs",
        "site",
        "sanitizers",
        "races",
        "benchmarks",
    }
    for session in sessions().values():
        description = ast.get_docstring(session) or ""
        assert description
        assert "\n" not in description


@pytest.mark.parametrize("name", sessions())
def test_a_session_names_what_exists(name: str) -> None:
    strings = [
        node.value
        for node in ast.walk(sessions()[name])
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    for text in strings:
        if match := re.fullmatch(r"\.\[([\w,]+)\]", text):
            assert set(match[1].split(",")) <= EXTRAS
        elif re.fullmatch(r"[.\w]+(?:/[.\w-]+)+", text):
            assert (ROOT / text).exists(), text
        elif match := re.fullmatch(r"((?:tools|hpd)(?:\.\w+)+)", text):
            assert module_exists(match[1]), text
        elif match := re.fullmatch(r"cmake\.define\.(\w+)=ON", text):
            assert f"option({match[1]} " in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")


def module_exists(name: str) -> bool:
    """Whether a module is in the checkout."""
    folder = ROOT if name.startswith("tools") else ROOT / "python"
    return (folder / f"{name.replace('.', '/')}.py").is_file()


def test_everything_for_development_is_every_extra() -> None:
    requirements = [text for text in METADATA.get_all("Requires-Dist") or [] if "[" in text]
    parts = {
        match[2]: set(match[1].split(","))
        for text in requirements
        if (match := re.fullmatch(r"hpd-cpp\[(.*)\] *; *extra == ['\"](\w+)['\"]", text))
    }
    reached = set(parts["dev"])
    for name in parts["dev"]:
        reached |= parts.get(name, set())
    assert reached == EXTRAS - {"dev"}


def test_jobs_run_every_session_but_the_docs_and_what_the_check_runs() -> None:
    named = {word for command in COMMANDS for word in re.findall(r"nox -s (\w+)", command)}
    assert named == set(sessions()) - {"docs"}
    assert ".ci/run" in COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_job_exists(command: str) -> None:
    program, *arguments = command.split()
    if program == "nox":
        assert arguments[1] in sessions()
    elif program == ".ci/run":
        assert os.access(ROOT / program, os.X_OK)
    elif program == "hpd":
        assert command in docs.command("install")
    else:
        assert (program, *arguments[:2]) == ("python", "-m", "pip")
        assert arguments[2] in ("install", "wheel")


def test_jobs_name_versions_and_places_that_exist() -> None:
    supported = {
        classifier.rpartition(" ")[2]
        for classifier in METADATA.get_all("Classifier") or []
        if re.search(r":: 3\.\d+$", classifier)
    }
    tested = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    assert set(tested["python"]) == supported
    assert {system.partition("-")[0] for system in tested["os"]} == {"ubuntu", "macos"}
    for job in WORKFLOW["jobs"].values():
        for step in job["steps"]:
            version = step.get("with", {}).get("python-version", "3.12")
            assert version in supported | {"${{ matrix.python }}"}
            assert set(step) <= {"uses", "with", "run", "env", "name"}
        assert job.get("needs", "test") in WORKFLOW["jobs"]


def test_hooks_call_the_project_s_own_tools() -> None:
    for repository in HOOKS["repos"]:
        assert repository["repo"] == "local"
        for hook in repository["hooks"]:
            assert hook["language"] == "system"
            python, m, module, *arguments = hook["entry"].split()
            assert (python, m) == ("python", "-m")
            assert module == "pytest" or module_exists(module)
            assert all((ROOT / each).exists() for each in arguments if "/" in each)
