"""Servers on this machine, each in a thread of its own."""

import threading
from contextlib import contextmanager


@contextmanager
def answering(server):
    """Have a server answer until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    with server:
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
