"""The image, as far as it can be checked without Docker."""

import json
import re
from pathlib import Path

from hpd.cli import build_parser

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_image_is_built_from_all_that_the_package_needs():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert all((ROOT / name).exists() for name in let_in)
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    needed = {
        "CMakeLists.txt",
        *re.findall(r"\b(?:src|models)/[\w./-]+", cmake),
        *re.findall(r'^(?:readme|input) = "(.+)"', PROJECT, re.MULTILINE),
        *re.findall(r"/src/(\S+\.cmake)\b", DOCKERFILE),
        *re.findall(r'"(licenses)/\*"', PROJECT),
    }
    assert {"README.md", "models/hpd-box.gguf", "slim.cmake", "src/hpd_cpp/engine.cpp"} <= needed
    outside = [n for n in needed if not any(n == f or n.startswith(f"{f}/") for f in let_in)]
    assert outside == []


def test_the_image_runs_hpd_as_a_user_without_rights():
    last = re.split(r"^FROM .*$", DOCKERFILE, flags=re.MULTILINE)[-1]
    said = dict(re.findall(r"^(USER|ENTRYPOINT|CMD) (.*)$", last, re.MULTILINE))
    assert said["USER"] not in ("0", "root")
    assert f"--uid {said['USER']} " in last
    assert json.loads(said["ENTRYPOINT"]) == ["hpd"]
    assert build_parser().parse_args(json.loads(said["CMD"])).host == "0.0.0.0"
    extras = {
        name for names in re.findall(r"\[([\w,]+)\]'", DOCKERFILE) for name in names.split(",")
    }
    assert extras == {"files", "mcp", "serve"}
    assert all(re.search(rf"^{extra} = \[", PROJECT, re.MULTILINE) for extra in extras)
