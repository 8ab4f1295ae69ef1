"""What a release needs: a change log that agrees with the tag, others' licences, and its parts."""

import json
import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

import hpd

ROOT = Path(__file__).parents[2]


def agrees(folder, tag):
    """Whether the workflow would publish a tag of a checkout."""
    workflow = (ROOT / ".github" / "workflows" / "packages.yml").read_text(encoding="utf-8")
    (script,) = re.findall(r"- run: \|\n((?: {10}.*\n)*?(?: {10}.*CHANGELOG\.md\n))", workflow)
    # As GitHub runs it.
    command = ["bash", "-eo", "pipefail", "-c", textwrap.dedent(script)]
    env = {**os.environ, "GITHUB_REF_NAME": tag}
    return subprocess.run(command, cwd=folder, env=env, check=False).returncode == 0


@pytest.fixture
def checkout(tmp_path):
    """A checkout's version and change log, where the newest release has a date."""
    (tmp_path / "python" / "hpd").mkdir(parents=True)
    shutil.copy(ROOT / "python" / "hpd" / "version.py", tmp_path / "python" / "hpd")
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = f"## {hpd.__version__}, "
    assert heading in log
    released = re.sub(f"^{re.escape(heading)}.*", f"{heading}2026-12-01", log, flags=re.MULTILINE)
    (tmp_path / "CHANGELOG.md").write_text(released, encoding="utf-8")
    return tmp_path


def test_a_tag_is_published_if_it_has_the_codes_version_and_a_date(checkout):
    assert agrees(checkout, f"v{hpd.__version__}")
    assert not agrees(checkout, "v99.0.0")
    log = checkout / "CHANGELOG.md"
    log.write_text(log.read_text(encoding="utf-8").replace("2026-12-01", "not released yet"))
    assert not agrees(checkout, f"v{hpd.__version__}")


def test_the_licences_of_what_is_inside_are_part_of_every_distribution():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (stated,) = re.findall(r"^license-files = \[(.*)\]$", project, flags=re.MULTILINE)
    patterns = re.findall(r'"([^"]+)"', stated)
    files = {path for pattern in patterns for path in ROOT.glob(pattern)}
    assert all(any(ROOT.glob(pattern)) for pattern in patterns)
    contents = (ROOT / "licenses" / "CONTENTS.txt").read_text(encoding="utf-8")
    for path in files - {ROOT / "LICENSE", ROOT / "licenses" / "CONTENTS.txt"}:
        assert path.name in contents
    built = (ROOT / "src" / "llama_cpp" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "LICENSE DESTINATION lib" in built


def test_a_wheel_lists_the_versions_and_licences_of_its_parts():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = r'^wheel\.force-include\."(.*)" = "\${SKBUILD_METADATA_DIR}/sboms/.*\.cdx\.json"$'
    (path,) = re.findall(included, project, flags=re.MULTILINE)
    parts = {
        part["name"]: part
        for part in json.loads((ROOT / path).read_text(encoding="utf-8"))["components"]
    }
    (pin,) = set(re.findall(r'"llama-cpp-python==(.*)"', project))
    assert parts["llama-cpp-python"]["version"] == pin
    assert parts["llama-cpp-python"]["purl"] == f"pkg:pypi/llama-cpp-python@{pin}"
    stated = {each["license"]["id"] for part in parts.values() for each in part["licenses"]}
    (licence,) = re.findall('^license = "(.*?)"', project, flags=re.MULTILINE)
    assert stated == set(licence.split(" AND "))
