"""``hpd doctor``: its checks, what it prints, and its exit code."""

import json
import sys
from pathlib import Path

import pytest

import hpd.bench.doctor
from command_line import run_hpd
from hpd import _native
from hpd.bench import doctor
from hpd.bench.doctor import Finding, run_checks, stored_questions
from hpd.cli import main
from hpd.models import hardware
from hpd.models.memory import Memory, memory, readable_size
from small_model import small_model


def test_without_its_engine_nothing_else_is_tried(monkeypatch):
    monkeypatch.delattr("hpd._native")
    monkeypatch.setitem(sys.modules, "hpd._native", None)
    first, *rest = run_checks()
    assert first.state == "broken"
    assert "the engine cannot be loaded" in first.text
    assert "reinstall it" in first.remedy
    assert [check.name for check in rest] == ["memory", "cache"]


@pytest.mark.parametrize(
    ("paths", "state"),
    [
        (["/a/libllama.so"], "ok"),
        (["/a/libllama.so", "/a/libllama.so"], "ok"),
        (["/a/libllama.so", "/b c/libllama.so.0"], "broken"),
        ([], "broken"),
    ],
)
def test_more_than_one_library_is_a_fault(tmp_path, monkeypatch, paths, state):
    monkeypatch.setattr(_native, "BUNDLED", False)
    maps = tmp_path / "maps"
    lines = [f"7f00-7f01 r-xp 00000000 08:01 42    {path}" for path in ["/lib/libc.so", *paths]]
    maps.write_text("\n".join(lines))
    check = doctor.check_library(maps)
    assert check.state == state
    assert check.details["paths"] == sorted(set(paths))


def test_the_library_of_llama_cpp_python_does_not_meet_the_bundled_one(tmp_path, monkeypatch):
    monkeypatch.setattr(_native, "BUNDLED", True)
    maps = tmp_path / "maps"
    names = ("libllama", "libhpd-llama")
    lines = [f"7f00-7f01 r-xp 00000000 08:01 42    /a/{name}.so" for name in names]
    maps.write_text("\n".join(lines))
    check = doctor.check_library(maps)
    assert (check.state, check.text) == ("ok", "/a/libhpd-llama.so")


def test_features_that_llama_cpp_was_built_without(monkeypatch):
    monkeypatch.setattr(doctor, "cpu_flags", lambda: frozenset({"avx2", "avx512f", "other"}))
    monkeypatch.setattr(_native, "BUNDLED", False)
    monkeypatch.setattr(_native, "system_info", lambda: "CPU : AVX2 = 1 | FMA = 1")
    check = doctor.check_processor()
    assert check.state == "note"
    assert check.text.endswith("AVX2, AVX512; llama.cpp was built without AVX512, so it is slow")
    assert "-DGGML_NATIVE=ON" in check.remedy
    monkeypatch.setattr(doctor, "cpu_flags", lambda: None)
    assert doctor.check_processor().state == "ok"


def test_bundled_libraries_are_built_for_this_processor(monkeypatch):
    monkeypatch.setattr(doctor, "cpu_flags", lambda: frozenset({"avx2", "avx_vnni"}))
    monkeypatch.setattr(_native, "BUNDLED", True)
    monkeypatch.setattr(_native, "system_info", lambda: "CPU : AVX2 = 1")
    monkeypatch.setattr(_native, "cpu_library", lambda: "/a/lib/libggml-cpu-haswell.so")
    check = doctor.check_processor()
    assert (check.state, check.remedy) == ("ok", "")
    assert check.text.endswith("AVX2, AVX_VNNI; llama.cpp computes with libggml-cpu-haswell.so")


@pytest.mark.parametrize("is_bundled", [False, True])
def test_llama_cpp_for_cuda_is_built_where_hpd_has_it_from(tmp_path, monkeypatch, is_bundled):
    monkeypatch.setattr(_native, "BUNDLED", is_bundled)
    monkeypatch.setattr(_native, "supports_gpu_offload", lambda: False)
    monkeypatch.setattr(doctor, "devices", list)
    (tmp_path / "0000").mkdir()
    remedy = doctor.check_gpu(tmp_path).remedy
    assert "-DGGML_CUDA=ON" in remedy
    assert ("checkout of hpd" in remedy) is is_bundled
    assert ("llama-cpp-python" in remedy) is not is_bundled


@pytest.mark.parametrize(
    ("names", "can_offload", "nvidia", "state", "says"),
    [
        (["Fast One"], True, True, "ok", "Fast One"),
        ([], True, False, "note", "none found"),
        ([], False, True, "note", "built for CPUs only"),
        ([], False, False, "ok", "none"),
    ],
)
def test_gpus(tmp_path, monkeypatch, names, can_offload, nvidia, state, says):
    monkeypatch.setattr(doctor, "devices", lambda: names)
    monkeypatch.setattr(_native, "supports_gpu_offload", lambda: can_offload)
    if nvidia:
        (tmp_path / "gpus" / "0000").mkdir(parents=True)
    check = doctor.check_gpu(tmp_path / "gpus")
    assert (check.state, bool(check.remedy)) == (state, state == "note")
    assert says in check.text


GIB = 1 << 30


def written(root, files):
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")
    return root


MEMINFO = f"MemTotal: {16 * GIB // 1024} kB\nMemFree: 1 kB\nMemAvailable: {8 * GIB // 1024} kB"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, Memory(16 * GIB, None, 8 * GIB)),
        # Version 2: the limit of the group around this one counts, too.
        (
            {
                "proc/self/cgroup": "0::/shop/web",
                "sys/fs/cgroup/shop/web/memory.max": "max",
                "sys/fs/cgroup/shop/memory.max": 4 * GIB,
                "sys/fs/cgroup/shop/memory.current": 3 * GIB,
                "sys/fs/cgroup/shop/memory.stat": f"anon 1\ninactive_file {GIB}",
            },
            Memory(16 * GIB, 4 * GIB, 2 * GIB),
        ),
        # In a container, where the path of the group is not visible.
        (
            {
                "proc/self/cgroup": "0::/../outside",
                "sys/fs/cgroup/memory.max": 2 * GIB,
                "sys/fs/cgroup/memory.current": GIB,
            },
            Memory(16 * GIB, 2 * GIB, GIB),
        ),
        # Version 1.
        (
            {
                "proc/self/cgroup": "5:devices:/x\n4:memory:/job",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712,
                "sys/fs/cgroup/memory/job/memory.limit_in_bytes": 12 * GIB,
                "sys/fs/cgroup/memory/job/memory.usage_in_bytes": GIB,
                "sys/fs/cgroup/memory/job/memory.stat": f"total_inactive_file {GIB // 2}",
            },
            Memory(16 * GIB, 12 * GIB, 8 * GIB),
        ),
    ],
)
def test_memory_knows_the_limits_of_control_groups(tmp_path, files, expected):
    assert memory(written(tmp_path, {"proc/meminfo": MEMINFO, **files})) == expected


def test_memory_where_the_system_tells_little(tmp_path):
    now = memory(tmp_path)
    assert now.limit is None
    assert now.available is None


def test_sizes_for_people():
    sizes = (0, 999, 1_000, 41_900_000, 1_540_000_000)
    assert [readable_size(n) for n in sizes] == ["0 bytes", "999 bytes", "1 KB", "42 MB", "1.5 GB"]


def test_a_cache_that_cannot_be_written_is_a_note(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for folder, state in ((tmp_path / "file", "note"), (tmp_path / "new", "ok")):
        monkeypatch.setenv("HPD_CACHE", str(folder))
        check = doctor.check_cache()
        assert check.state == state
        assert ("HPD_CACHE" in check.remedy) == (state == "note")
    assert not (tmp_path / "new").exists(), "looking makes nothing"


@pytest.mark.parametrize(
    ("forced", "amx", "works", "state", "says"),
    [
        (None, False, True, "ok", "has none"),
        (None, True, True, "ok", "on: a trial showed"),
        (None, True, False, "note", "crashed in a trial"),
        ("0", False, False, "ok", "has none"),
        ("0", True, False, "note", "off, set by HPD_AMX=0"),
        ("1", True, True, "ok", "on, set by HPD_AMX=1"),
    ],
)
def test_the_answer_about_amx(monkeypatch, forced, amx, works, state, says):
    if forced is None:
        monkeypatch.delenv(hardware.AMX_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(hardware.AMX_VARIABLE, forced)
    monkeypatch.setattr(doctor, "has_amx", lambda: amx)
    monkeypatch.setattr(doctor, "use_amx", lambda: works)
    check = doctor.check_amx()
    assert (check.state, bool(check.remedy)) == (state, state == "note")
    assert says in check.text


def by_name(checks):
    return {check.name: check for check in checks}


def test_the_self_test_passes_here(monkeypatch):
    monkeypatch.setenv("HPD_MODEL", "not the one in the box.gguf")
    checks = by_name(doctor.check_self_test())
    assert checks["self-test"].state == "ok", checks["self-test"].text
    assert "24 values of 4 documents" in checks["self-test"].text
    assert checks["attention"].state == "ok"
    if kernels := checks["attention"].details["kernels"]:
        assert f"hpd's kernel {next(iter(kernels))} is used" in checks["attention"].text


def test_the_stored_answers_are_no_near_ties():
    """Rounding, which differs from processor to processor, must not decide them."""
    for question in stored_questions()["questions"]:
        assert min(question["confidences"].values()) > 0.9, question


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("data", "Somebody", "{}, not 'Somebody'"), ("confidences", 0.5, "{} with confidence")],
)
def test_other_answers_are_broken(monkeypatch, key, value, says):
    stored = stored_questions()
    first = stored["questions"][0]
    name, answer = next((name, text) for name, text in first["data"].items() if text)
    says = says.format(f"{name} is {answer!r}")
    first[key][name] = value
    monkeypatch.setattr(doctor, "stored_questions", lambda: stored)
    check = by_name(doctor.check_self_test())["self-test"]
    assert check.state == "broken"
    assert "1 wrong" in check.text
    assert says in check.text
    assert check.remedy


def program(tmp_path, text):
    """A stand-in for Python."""
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kill -ILL $$", "died while decoding: it used an instruction that this processor lacks"),
        ("kill -KILL $$", "died while decoding: it was killed, probably because memory ran out"),
        ("kill -ALRM $$", "died while decoding: signal 14"),
        ("echo the model is odd >&2; exit 1", "failed: the model is odd"),
        ("true", "failed: without a message"),
    ],
)
def test_a_trial_that_ends_otherwise_is_broken(tmp_path, monkeypatch, text, says):
    monkeypatch.setattr(sys, "executable", program(tmp_path, text))
    (check,) = doctor.check_self_test()
    assert check.state == "broken"
    assert says in check.text


def outcome(**changes):
    stored = stored_questions()
    answers = [{key: q[key] for key in ("data", "confidences")} for q in stored["questions"]]
    whole = {"answers": answers, "seconds": 1.0, "tuned": {}, "attention_kernels": []}
    whole |= {"n_attention_taken": 0, "n_attention_left": 9}
    return json.dumps({**whole, "n_products_taken": 0, "product_kernels": [], **changes})


@pytest.mark.parametrize(
    ("n_taken", "kernels", "state", "says"),
    [
        (9, [("avx512", ""), ("avx2", "")], "ok", "hpd's kernel avx512 is used"),
        (
            9,
            [("avx512", "its results are wrong"), ("avx2", "")],
            "ok",
            "hpd's kernel avx2 is used; avx512 is not used with this llama.cpp: its results are",
        ),
        (0, [("avx2", "nodes differ")], "note", "avx2 is not used with this llama.cpp: nodes dif"),
        (0, [], "note", "hpd has no kernel for this processor"),
        (0, [("avx2", "")], "note", "hpd's kernel avx2 does not support this"),
    ],
)
def test_the_attention_kernel_is_named_and_why_others_are_off(
    tmp_path, monkeypatch, n_taken, kernels, state, says
):
    changes = {"tuned": {"n_batch": 256}, "attention_kernels": kernels}
    (tmp_path / "outcome").write_text(outcome(n_attention_taken=n_taken, **changes))
    monkeypatch.setattr(sys, "executable", program(tmp_path, f"cat {tmp_path}/outcome"))
    checks = by_name(doctor.check_self_test())
    assert checks["attention"].state == state
    assert says in checks["attention"].text
    assert "n_batch 256" in checks["tuned"].text
    assert checks["self-test"].state == "ok"


@pytest.mark.parametrize(
    ("n_taken", "kernels", "says"),
    [
        (9, [("avx512", ""), ("avx2", "")], "hpd's kernel avx512 is used"),
        (
            9,
            [("avx512", "its results are wrong"), ("avx2", "")],
            "hpd's kernel avx2 is used; avx512 is not used with this llama.cpp: its results are",
        ),
        (0, [("avx2", "")], "hpd has none for this processor, or leaves it to AMX or a GPU"),
    ],
)
def test_the_kernel_for_products_is_named(tmp_path, monkeypatch, n_taken, kernels, says):
    (tmp_path / "outcome").write_text(outcome(n_products_taken=n_taken, product_kernels=kernels))
    monkeypatch.setattr(sys, "executable", program(tmp_path, f"cat {tmp_path}/outcome"))
    products = by_name(doctor.check_self_test())["products"]
    assert (products.state, products.details["n_taken"]) == ("ok", n_taken)
    assert says in products.text


def test_without_a_bundled_model_the_self_test_is_left_out(monkeypatch):
    monkeypatch.setattr("hpd.models.model_files.BUNDLED_NAME", "none.gguf")
    (check,) = doctor.check_self_test()
    assert (check.state, check.text.split(":")[0]) == ("note", "skipped")


def test_a_model_is_tried(tiny_model, tmp_path, monkeypatch):
    path = tiny_model("qwen3")
    checks = by_name(doctor.check_model(path))
    assert checks["model"].state == "ok"
    assert f"{path.name} takes about" in checks["fitting"].text
    assert checks["tuned"].text.startswith(f"none for {path.name}")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(60))
    (check,) = doctor.check_model(tmp_path / "broken.gguf")
    assert check.state == "broken"
    monkeypatch.setattr(doctor, "memory", lambda: Memory(None, None, 1_000_000))
    (check,) = doctor.check_model(path)
    assert check.state == "broken"
    assert "1 MB are available: take a smaller model; not tried" in check.text


CHECKS = [
    Finding("engine", "ok", "all there"),
    Finding("cache", "note", "cannot be written " * 9, "name another folder"),
    Finding("self-test", "broken", "wrong", "build it again " * 9, {"wrong": ["a"]}),
]


def test_the_doctor_finds_this_installation_in_order():
    done = run_hpd("doctor")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    names = [line[8:].split()[0] for line in done.stdout.splitlines() if line[:1].strip()]
    assert names[:4] == ["versions", "libllama", "processor", "gpu"]
    assert "self-test" in names


@pytest.fixture
def patient(monkeypatch):
    tried = []

    def run_checks(model):
        tried.append(model)
        return CHECKS

    monkeypatch.setattr(hpd.bench.doctor, "run_checks", run_checks)
    return tried


def test_what_is_broken_is_1_and_comes_with_its_remedy(patient, monkeypatch, capfd):
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["doctor"]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "ok      engine     all there"
    assert lines[-1] == "1 broken, 1 note"
    assert max(map(len, lines)) <= 60
    assert "                   > name another folder" in lines
    assert patient == [small_model()]


def test_a_path_is_never_broken(monkeypatch, capfd):
    path = f"/srv/{'models/' * 20}box.gguf"
    checks = [Finding("model", "note", "is in two places", f"remove {path}")]
    monkeypatch.setattr(hpd.bench.doctor, "run_checks", lambda model: checks)
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["doctor"]) == 0
    assert any(path in line for line in capfd.readouterr().out.splitlines())


def test_json_for_programs(patient, capfd):
    assert main(["doctor", "--json"]) == 1
    whole = json.loads(capfd.readouterr().out)
    assert whole["ok"] is False
    assert [check["state"] for check in whole["checks"]] == ["ok", "note", "broken"]
    assert whole["checks"][2]["details"] == {"wrong": ["a"]}


def test_a_named_model_is_tried(patient, tiny_model, monkeypatch):
    random_model = str(tiny_model())
    main(["doctor", "-m", random_model])
    monkeypatch.setenv("HPD_MODEL", random_model)
    main(["doctor"])
    assert patient == [Path(random_model)] * 2
    assert main(["doctor", "-m", "gone.gguf"]) == 1
    assert len(patient) == 2
