"""Finding the model; the Hub is a small server on this machine."""

from __future__ import annotations

import hashlib
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

import hpd.models.model_files
from command_line import run_python
from hpd.errors import ModelLoadError
from hpd.models.hub.hugging_face import choose_file, parse_hf
from hpd.models.model_files import local_lora, parse_lora, resolve_model
from local_server import answering

GGUF = b"GGUF\x03\x00\x00\x00rest"

# --- local files ---


def write(path, content=GGUF):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not a GGUF file: it is empty"),
        (b"GG", "is not a GGUF file: it begins with 'GG'"),
        (b"<!DOCTYPE html>", "is not a GGUF file: it begins with '<!DOCTYP'"),
        (b"\xff\0", r"is not a GGUF file: it begins with '\\\\xff\\x00'"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
    ],
)
def test_what_is_no_model(tmp_path, content, says):
    path = write(tmp_path / "m.gguf", content)
    with pytest.raises(ModelLoadError, match=says):
        resolve_model(path)
    with pytest.raises(ModelLoadError, match=says):
        local_lora(path)


def test_what_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(ModelLoadError, match=r"there is no model .*gone\.gguf$"):
        resolve_model(tmp_path / "gone.gguf")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelLoadError, match=r"there is no model user/repo; .* use hf_repo"):
        resolve_model("user/repo")
    with pytest.raises(ModelLoadError, match="there is no adapter"):
        local_lora(tmp_path / "gone.gguf")


def test_a_name_that_is_nearly_that_of_a_file(tmp_path, monkeypatch):
    write(tmp_path / "qwen3-0.6b-q8.gguf")
    with pytest.raises(ModelLoadError, match=r"did you mean .*/qwen3-0\.6b-q8\.gguf\?$"):
        resolve_model(tmp_path / "qwen3-0.6b-q4.gguf")
    monkeypatch.chdir(tmp_path.parent)
    folder = tmp_path.name
    with pytest.raises(ModelLoadError, match=rf"did you mean {folder}/qwen3-0\.6b-q8\.gguf\?$"):
        resolve_model(f"{folder}/qwen3-0.6b-q4.gguf")
    with pytest.raises(ModelLoadError, match=r"no model llama; hpd models lists the short names"):
        resolve_model("llama")


def test_a_folder(tmp_path):
    with pytest.raises(ModelLoadError, match="is a folder without a GGUF file"):
        resolve_model(tmp_path)
    write(tmp_path / "a.gguf")
    with pytest.raises(ModelLoadError, match=r"is a folder with a\.gguf: name the file"):
        resolve_model(tmp_path)


def test_a_split_model_opens_at_its_first_part(tmp_path):
    parts = [write(tmp_path / f"m-0000{n}-of-00003.gguf") for n in (1, 2, 3)]
    assert resolve_model(parts[1]) == parts[0]
    parts[0].unlink()
    parts[2].unlink()
    with pytest.raises(
        ModelLoadError, match=r"one of 3 parts, .*: m-00001-of-00003\.gguf, m-00003-of-00003\.gguf$"
    ):
        resolve_model(parts[1])


def test_every_part_is_checked(tmp_path):
    first = write(tmp_path / "m-00001-of-00002.gguf")
    write(tmp_path / "m-00002-of-00002.gguf", b"junk")
    with pytest.raises(ModelLoadError, match=r"00002-of-00002\.gguf is not a GGUF file"):
        resolve_model(first)


def test_the_environment_names_the_model(tmp_path, monkeypatch):
    named, other = write(tmp_path / "named.gguf"), write(tmp_path / "other.gguf")
    monkeypatch.setenv("HPD_MODEL", str(named))
    assert resolve_model() == named
    assert resolve_model(other) == other


def test_the_bundled_model(tmp_path, monkeypatch):
    monkeypatch.delenv("HPD_MODEL", raising=False)
    here = tmp_path / "python" / "hpd" / "machine" / "model_files.py"
    monkeypatch.setattr(hpd.models.model_files, "__file__", str(here))
    with pytest.raises(ModelLoadError, match=r"no bundled model.*model \(-m\) or hf_repo"):
        resolve_model()
    checkout = write(tmp_path / "models" / "hpd-box.gguf")
    assert resolve_model() == checkout
    installed = write(tmp_path / "python" / "hpd" / "models" / "hpd-box.gguf")
    assert resolve_model() == installed


def test_a_file_and_a_repository_at_once(tmp_path):
    with pytest.raises(ModelLoadError, match="not both"):
        resolve_model(tmp_path, "user/repo")


# --- adapters ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.gguf", ("a.gguf", 1.0)),
        ("a.gguf:0.5", ("a.gguf", 0.5)),
        ("a.gguf:-1", ("a.gguf", -1.0)),
        ("a.gguf:1e-3", ("a.gguf", 0.001)),
        (r"C:\models\a.gguf", (r"C:\models\a.gguf", 1.0)),
        (r"C:\models\a.gguf:2", (r"C:\models\a.gguf", 2.0)),
        ("dir:x/a.gguf", ("dir:x/a.gguf", 1.0)),
        ("a:b.gguf:0.25", ("a:b.gguf", 0.25)),
    ],
)
def test_parse_lora(text, expected):
    assert parse_lora(text) == expected


def test_a_file_whose_name_ends_like_a_scale(tmp_path):
    path = write(tmp_path / "step:100")
    assert parse_lora(str(path)) == (str(path), 1.0)
    assert parse_lora(f"{path}:0.5") == (str(path), 0.5)
    assert local_lora(path) == path


@pytest.mark.parametrize("scale", ["nan", "inf", "-inf"])
def test_a_scale_must_be_finite(scale):
    with pytest.raises(ModelLoadError, match="must be finite"):
        parse_lora(f"a.gguf:{scale}")


# --- choosing from a repository ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user/repo", ("user/repo", None)),
        ("user/repo:Q8_0", ("user/repo", "Q8_0")),
        ("https://hub.example.com/user/repo", ("user/repo", None)),
        ("hub.example.com/user/repo:Q8_0", ("user/repo", "Q8_0")),
        ("Qwen/Qwen3-0.6B-GGUF:Q8_0", ("Qwen/Qwen3-0.6B-GGUF", "Q8_0")),
        ("01.ai/model", ("01.ai/model", None)),
    ],
)
def test_parse_hf(text, expected):
    assert parse_hf(text) == expected


@pytest.mark.parametrize("text", ["", "repo", "a/b/c", "user/", "/repo", "a b/c"])
def test_what_is_no_repository(text):
    with pytest.raises(ModelLoadError, match=r"expected user/repo\[:QUANT\]"):
        parse_hf(text)


MANY = [
    "README.md",
    "mmproj-M-Q8_0.gguf",
    "imatrix.gguf",
    "M-F16.gguf",
    "M-IQ4_0.gguf",
    "M-Q4_0.gguf",
    "M-Q4_K_S.gguf",
    "M-Q8_0.gguf",
    "M-UD-Q4_K_M.gguf",
    "M-Q4_K_M.gguf",
    "BF16/M-BF16-00001-of-00002.gguf",
    "BF16/M-BF16-00002-of-00002.gguf",
]


@pytest.mark.parametrize(
    ("files", "quant", "chosen"),
    [
        (MANY, None, "M-Q4_K_M.gguf"),
        (MANY, "q8_0", "M-Q8_0.gguf"),
        (MANY, "Q4_0", "M-Q4_0.gguf"),
        (MANY, "IQ4_0", "M-IQ4_0.gguf"),
        (MANY, "F16", "M-F16.gguf"),
        (MANY, "UD-Q4_K_M", "M-UD-Q4_K_M.gguf"),
        (MANY, "BF16", "BF16/M-BF16-00001-of-00002.gguf"),
        (MANY, "M-Q4_K_S.gguf", "M-Q4_K_S.gguf"),
        (["model.Q8_0.gguf", "model.Q2_K.gguf"], None, "model.Q8_0.gguf"),
        (["model_q8_0.gguf"], "Q8_0", "model_q8_0.gguf"),
        (["Q2_K/weights.gguf", "b.gguf"], None, "Q2_K/weights.gguf"),
        (["Q2_K/weights.gguf", "b.gguf"], "q2_k", "Q2_K/weights.gguf"),
    ],
)
def test_choose_file(files, quant, chosen):
    assert choose_file("repository u/r", files, quant) == chosen


def test_nothing_to_choose():
    with pytest.raises(ModelLoadError, match=r"no GGUF in repository u/r; it has: a\.bin, mmproj"):
        choose_file("repository u/r", ["mmproj.gguf", "a.bin"])
    with pytest.raises(ModelLoadError, match="no GGUF in repository u/r; it has: nothing"):
        choose_file("repository u/r", [])
    # Q4_K is not the beginning of Q4_K_M.
    with pytest.raises(ModelLoadError, match=r"no Q4_K in .*M-Q4_K_M\.gguf"):
        choose_file("repository u/r", MANY, "Q4_K")


# --- downloading, in a process of its own: the Hub's client reads its environment once ---

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """A Hub with repositories in memory, as far as the client needs it."""

    def __init__(self, repos):
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.repos = repos
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote(self.path.partition("?")[0])
        token = self.headers.get("Authorization")
        self.server.asked.append((self.command, path, token))
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            repo, rest = "/".join(parts[2:4]), parts[4:]
        else:
            repo, rest = "/".join(parts[:2]), parts[2:]
        files = self.server.repos.get(repo)
        if files is None:
            self._send(401, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif repo == "user/gated" and token != "Bearer hf_secret":
            self._send(403, b"{}", {"X-Error-Code": "GatedRepo"})
        elif rest[:1] == ["tree"]:
            entries = [
                {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
                for name, content in files.items()
            ]
            self._send(200, json.dumps(entries).encode())
        elif rest[:1] == ["resolve"] and "/".join(rest[2:]) in files:
            content = files["/".join(rest[2:])]
            etag = hashlib.sha256(content).hexdigest()
            self._send(200, content, {"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'})
        elif not rest or rest[0] == "revision":
            siblings = [{"rfilename": name} for name in files]
            info = {"id": repo, "modelId": repo, "sha": COMMIT, "siblings": siblings}
            self._send(200, json.dumps(info).encode())
        else:
            self._send(404, b"{}", {"X-Error-Code": "EntryNotFound"})

    def _send(self, status, content, headers=None):
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub():
    server = Hub(
        {
            "user/model": {
                "README.md": b"# m",
                "M-Q8_0.gguf": GGUF + b"q8",
                "M-Q4_K_M.gguf": GGUF + b"q4",
                "big/M-F16-00001-of-00002.gguf": GGUF + b"1",
                "big/M-F16-00002-of-00002.gguf": GGUF + b"2",
                "M-BF16-00002-of-00002.gguf": GGUF,
                "M-broken.gguf": b"<html>",
            },
            "user/torch": {"model.safetensors": b"x"},
            "user/gated": {"M.gguf": GGUF},
            "Qwen/Qwen3-0.6B-GGUF": {
                "Qwen3-0.6B-Q8_0.gguf": GGUF + b"qwen q8",
                "Qwen3-0.6B-Q4_0.gguf": GGUF + b"qwen q4",
            },
        }
    )
    with answering(server):
        yield server


SCRIPT = """
import sys
from hpd.errors import ModelLoadError
from hpd.models.model_files import resolve_model
for name in sys.argv[1:]:
    try:
        print(resolve_model(hf_repo=name) if "/" in name else resolve_model(name))
    except ModelLoadError as error:
        print("ModelLoadError:", error)
"""


@pytest.fixture
def open_hf(tmp_path):
    def run(url, *names, script=SCRIPT, **variables):
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("HF_") and "proxy" not in name.lower()
        }
        environment |= {"HF_ENDPOINT": url, "HF_HOME": str(tmp_path / "hf"), **variables}
        done = run_python("-c", script, *names, env=environment, check=True)
        # Not a terminal, so no progress bar.
        assert "%" not in done.stderr
        return done.stdout.splitlines()

    return run


def test_download_choose_and_go_offline(hub, open_hf, tmp_path):
    default, named, split, missing_part, broken, no_quant = open_hf(
        hub.url,
        *("user/model", "user/model:Q8_0", "user/model:F16"),
        *("user/model:BF16", "user/model:M-broken.gguf", "user/model:Q2_K"),
    )
    assert Path(default).read_bytes() == GGUF + b"q4"
    assert tmp_path / "hf" in Path(default).parents
    assert Path(named).read_bytes() == GGUF + b"q8"
    assert Path(split).name == "M-F16-00001-of-00002.gguf"
    assert Path(split).with_name("M-F16-00002-of-00002.gguf").read_bytes() == GGUF + b"2"
    assert missing_part == (
        "ModelLoadError: M-BF16-00002-of-00002.gguf has parts that are not in "
        "repository user/model: M-BF16-00001-of-00002.gguf"
    )
    assert "is not a GGUF file: it begins with '<html>'" in broken
    assert "no Q2_K in repository user/model; it has: M-BF16-00002-of-00002.gguf, M-Q4" in no_quant

    # All of it is in the cache now: with the switch set, and with nobody there.
    n_asked = len(hub.asked)
    offline, lacking = open_hf(hub.url, "user/model:F16", "user/torch", HF_HUB_OFFLINE="1")
    assert (offline, len(hub.asked)) == (split, n_asked)
    assert lacking == (
        "ModelLoadError: user/torch is not in the cache, and HF_HUB_OFFLINE is set; you can put a "
        "GGUF file of user/torch on this disk yourself, and name it as the model"
    )
    nobody = "http://127.0.0.1:9"
    unreachable, unknown = open_hf(nobody, "user/model:Q8_0", "user/torch")
    assert unreachable == named
    assert "user/torch is not in the cache, and the Hub cannot be reached: " in unknown


def test_what_the_hub_refuses(hub, open_hf):
    torch, private, gated, bad = open_hf(
        hub.url, "user/torch", "user/private", "user/gated", "user/--x--"
    )
    assert torch == (
        "ModelLoadError: no GGUF in repository user/torch; it has: model.safetensors; look for a "
        "repository with GGUF files, such as user/torch-GGUF"
    )
    assert "there is no repository user/private on the Hugging Face Hub, or it is" in private
    assert "repository user/gated is gated" in gated
    assert "is not the name of a repository" in bad
    (opened,) = open_hf(hub.url, "user/gated", HF_TOKEN="hf_secret")
    assert Path(opened).name == "M.gguf"


LIST = """
from hpd.models.hub import recommended
from hpd.models.hub.hugging_face import cached_models
from hpd.models.hub.inventory import recommended_on_disk
recommended.find_spec = lambda name: None  # whatever packages are installed
for file in cached_models():
    print(file.repo, file.name, file.path)
print(*recommended_on_disk(cached_models()))
"""


def test_what_is_in_the_cache_is_listed(hub, open_hf, tmp_path):
    """Of a split model the first part alone, and nothing that is no model."""
    assert open_hf(hub.url, script=LIST) == [""]
    names = ("user/model:F16", "user/model:Q8_0", "qwen3:0.6b")
    split, q8, qwen = open_hf(hub.url, *names)
    assert open_hf(hub.url, script=LIST, HF_HUB_OFFLINE="1") == [
        f"Qwen/Qwen3-0.6B-GGUF Qwen3-0.6B-Q8_0.gguf {qwen}",
        f"user/model M-Q8_0.gguf {q8}",
        f"user/model big/M-F16-00001-of-00002.gguf {split}",
        "qwen3:0.6b",
    ]


def test_a_short_name_is_downloaded_once(hub, open_hf):
    default, quant, lacking, unknown = open_hf(
        hub.url, "qwen3:0.6b", "Qwen3:0.6B-q4_0", "qwen3:0.6b-q2_k", "qwen3:0.5b"
    )
    assert Path(default).read_bytes() == GGUF + b"qwen q8"
    assert Path(quant).read_bytes() == GGUF + b"qwen q4"
    assert lacking == (
        "ModelLoadError: qwen3:0.6b-q2_k: no Q2_K in repository Qwen/Qwen3-0.6B-GGUF; it has: "
        "Qwen3-0.6B-Q4_0.gguf, Qwen3-0.6B-Q8_0.gguf"
    )
    assert "no recommended model 'qwen3:0.5b': there is qwen3:0.6b, qwen3:1.7b" in unknown
    again, other = open_hf(hub.url, "qwen3:0.6b", "qwen3:4b", HF_HUB_OFFLINE="1")
    assert again == default
    assert "qwen3:4b: Qwen/Qwen3-4B-GGUF is not in the cache, and HF_HUB_OFFLINE is set" in other
