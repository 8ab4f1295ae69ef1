"""Inputs and outputs elsewhere: S3, the web, archives."""

import gzip
import sys
import zipfile

import pytest

from hpd.cli import main
from hpd.errors import InputError
from hpd.files.inputs import InputReader
from jsonl import read_lines, write_lines, write_texts

pytest.importorskip("fsspec")


def texts(*names, **options):
    with InputReader(names, **options) as reader:
        return {record.id: str(record.error or record.text) for record in reader}


def test_a_bucket_is_read_as_a_folder_is(bucket):
    bucket.pipe_file("shop/b/one.txt", b"one")
    bucket.pipe_file("shop/a.jsonl", b'{"text": "two"}\n{"id": "x", "text": "three"}\n')
    bucket.pipe_file("shop/b/c.csv.gz", gzip.compress(b"text\nfour\n"))
    bucket.pipe_file("shop/photo.jpg", b"")
    one = {"s3://shop/b/one.txt": "one"}
    rows = {"s3://shop/a.jsonl:1": "two", "x": "three"}
    found = {**rows, "s3://shop/b/c.csv.gz:1": "four", **one}
    assert texts("s3://shop/") == texts("s3://shop") == found
    with InputReader(["s3://shop"]) as reader:
        assert reader.files.skipped == {".jpg": 1}
    assert texts("s3://shop/*/*.txt", "s3://shop/a.jsonl") == {**one, **rows}
    assert texts("s3://shop/a.jsonl") == {"1": "two", "x": "three"}


def test_parquet_in_a_bucket_is_read_in_parts(bucket, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": ["one", "two"]}), tmp_path / "t.parquet")
    bucket.put_file(str(tmp_path / "t.parquet"), "shop/t.parquet")
    assert texts("s3://shop/t.parquet") == {"1": "one", "2": "two"}


def test_pages_of_the_web_are_read(web):
    address, folder = web
    write_texts(folder / "a.jsonl", "one")
    (folder / "b.txt").write_text("two")
    assert texts(f"{address}/a.jsonl?token=b.c") == {"1": "one"}
    assert texts(f"{address}/*.txt", f"{address}/a.jsonl") == {
        f"{address}/b.txt": "two",
        f"{address}/a.jsonl:1": "one",
    }


def test_files_in_an_archive_are_read(bucket, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/one.txt", "one")
        archive.writestr("two.txt", "two")
    here = tmp_path / "a.zip"
    found = {f"zip://in/one.txt::{here}": "one", f"zip://two.txt::{here}": "two"}
    assert texts(f"zip://::{here}") == found
    bucket.put_file(str(here), "shop/a.zip")
    assert texts("zip://*.txt::s3://shop/a.zip") == {"zip://two.txt::s3://shop/a.zip": "two"}


def refusal(*names):
    with pytest.raises(InputError) as caught:
        texts(*names)
    return str(caught.value)


def test_what_cannot_be_read_is_told_with_the_reason(bucket, web, monkeypatch, tmp_path):
    address, _ = web
    bucket.pipe_file("shop/a.txt", b"one")
    bucket.pipe_file("shop/a.xyz", b"")
    assert refusal("s3://nowhere/a.txt").endswith("The specified bucket does not exist")
    assert refusal("s3://shop/b.txt").endswith("no such file or folder")
    assert refusal("s3://shop/a.txt", "s3://shop/b.txt").startswith("s3://shop/b.txt: ")
    assert refusal("s3://shop/*.csv").endswith("no file matches")
    assert refusal(f"{address}/a.txt").endswith("the server answers 404 File not found")
    assert refusal(f"{address}/private.txt").endswith("the server answers 403 Forbidden")
    assert "no.example" in refusal("http://no.example.invalid/a.txt")
    assert "Protocol not known" in refusal("nothing://a.txt")
    assert "unsupported file type '.xyz'" in refusal("s3://shop/a.xyz")
    assert "no such file" in refusal(f"zip://a.txt::{tmp_path}/gone.zip").lower()
    assert "as in zip://*::docs.zip" in refusal("zip://docs.zip")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    assert "gs://b/a.txt: cannot be opened: Please install gcsfs" in refusal("gs://b/a.txt")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    bucket.clear_instance_cache()
    assert "Unable to locate credentials" in refusal("s3://shop/a.txt")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert "s3://shop/a.txt needs fsspec: run `pip install 'hpd-cpp[remote]'`" in refusal(
        "s3://shop/a.txt"
    )


def test_a_file_that_goes_meanwhile_has_an_error_line(bucket):
    for name in "ab":
        bucket.pipe_file(f"shop/{name}.txt", name.encode())
    with InputReader(["s3://shop"]) as reader:
        bucket.rm_file("shop/a.txt")
        records = list(reader)
    assert "no such file" in str(records[0].error)
    assert records[1].text == "b"


def run(*words):
    return main(["extract", *map(str, words), "--schema", "brand"])


def lines_at(bucket, path):
    bucket.invalidate_cache()
    return read_lines(bucket.cat_file(path).decode())


def test_lines_are_written_to_a_bucket_and_a_later_run_goes_on(bucket, fake, tmp_path, capfd):
    source = write_texts(tmp_path / "in.jsonl", "x", "too long", "z")
    out = "s3://shop/runs/out.jsonl"
    assert run(source, "-o", out, "--limit", "2") == 3
    assert [line["id"] for line in lines_at(bucket, "shop/runs/out.jsonl")] == ["1", "2"]
    assert bucket.exists("shop/runs/out.jsonl.run")
    assert run(source, "-o", out) == 2
    assert f"{out} already exists" in capfd.readouterr().err
    assert run(source, "-o", out, "--resume") == 3
    assert [line["id"] for line in lines_at(bucket, "shop/runs/out.jsonl")] == ["1", "2", "3"]
    assert [document.text for document in fake[-1].documents] == ["too long", "z"]
    assert main(["status", out]) == 3
    assert "3 of 3 documents" in capfd.readouterr().out
    # Nothing stays here.
    assert not any((tmp_path / "cache" / "remote").iterdir())


def test_a_table_in_a_bucket_is_not_read_with_the_folder_that_it_lies_in(bucket, fake):
    bucket.pipe_file("shop/in.jsonl", b'{"text": "one"}\n')
    for more in ([], ["--overwrite"]):
        assert run("s3://shop/", "-o", "s3://shop/out.csv", *more) == 0
        assert bucket.cat_file("shop/out.csv") == b"id,brand,error,text\n1,,,one\n"


def test_an_interrupted_run_leaves_its_output_to_the_next(bucket, fake, tmp_path, capfd):
    source = write_texts(tmp_path / "in.jsonl", "a", "b", "c", "d", "crash", "f")
    out = "s3://shop/out.jsonl"
    assert run(source, "-o", out) == 1
    assert not bucket.exists("shop/out.jsonl")
    write_texts(source, "a", "b", "c", "d", "e", "f")
    assert run(source, "-o", out) == 2
    assert "--resume" in capfd.readouterr().err
    assert run(source, "-o", out, "--resume") == 0
    assert len(lines_at(bucket, "shop/out.jsonl")) == 6
    assert len(fake[-1].documents) < 6


def test_a_replaced_output_stays_until_the_new_one_is_whole(bucket, fake, tmp_path, capfd):
    bucket.pipe_file("shop/out.jsonl", b"old\n")
    source = write_texts(tmp_path / "in.jsonl", "a", "b", "c", "d", "interrupt", "f")
    assert run(source, "-o", "s3://shop/out.jsonl", "--overwrite") == 130
    assert bucket.cat_file("shop/out.jsonl") == b"old\n"
    write_texts(source, "a", "b", "c", "d", "e", "f")
    assert run(source, "-o", "s3://shop/out.jsonl", "--overwrite", "--resume") == 0
    assert len(lines_at(bucket, "shop/out.jsonl")) == 6
    assert len(fake[-1].documents) < 6


def test_lines_that_cannot_be_copied_stay_here(bucket, fake, tmp_path, capfd, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("Access Denied")

    source = write_texts(tmp_path / "in.jsonl", "a")
    with monkeypatch.context() as broken:
        broken.setattr(type(bucket), "put_file", refuse)
        assert run(source, "-o", "s3://shop/out.jsonl") == 1
    assert "Access Denied; finished documents are in" in capfd.readouterr().err
    assert run(source, "-o", "s3://shop/out.jsonl", "--resume") == 0
    assert len(lines_at(bucket, "shop/out.jsonl")) == 1


def test_what_cannot_be_written_is_told_before_a_model_is_loaded(bucket, fake, tmp_path, capfd):
    bucket.pipe_file("shop/in.txt", b"one")
    source = write_lines(tmp_path / "in.jsonl", {"text": "x"})
    for out, said in (
        ("s3://nowhere/out.jsonl", "Not Found"),
        ("https://example.org/out.jsonl", "hpd can read from there, but not write"),
        (f"zip://out.jsonl::{tmp_path}/a.zip", "hpd can read from there, but not write"),
        ("s3://shop/runs/", "is a folder"),
        ("s3://shop/in.txt", "already exists"),
        ("s3://shop/out.xml", ".xml files are not written"),
    ):
        assert run(source, "-o", out) == 2
        assert said in capfd.readouterr().err
    assert run("s3://shop/in.txt", "-o", "s3://shop/in.txt", "--overwrite") == 2
    assert "is read in this run" in capfd.readouterr().err
    assert not fake
