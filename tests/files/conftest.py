"""A server that speaks S3, and one of web pages, on this machine."""

import functools
import http.server
import threading

import pytest

from fake_extractor import fake

__all__ = ["fake"]


@pytest.fixture(scope="session")
def s3_server():
    """The address of a server that speaks S3."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_server, monkeypatch, tmp_path):
    """The file system of S3, with an empty bucket ``shop``."""
    s3fs = pytest.importorskip("s3fs")
    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "HPD_CACHE": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    filesystem = s3fs.S3FileSystem(use_listings_cache=False)
    filesystem.mkdir("shop")
    yield filesystem
    filesystem.rm("shop", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves files, and refuses those that are private."""

    def do_GET(self):
        """Answer."""
        if "private" in self.path:
            self.send_error(403)
        else:
            super().do_GET()

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def web(tmp_path):
    """The address of a web server, and the folder of its pages."""
    pytest.importorskip("aiohttp")
    folder = tmp_path / "web"
    folder.mkdir()
    handler = functools.partial(Pages, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    thread.join()
    server.server_close()
