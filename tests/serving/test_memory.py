"""The measurement of a server's memory: a small one."""

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)

from tools.memory import main


@pytest.mark.parametrize(("percent", "code"), [("1000", 0), ("-99", 1)])
def test_growth_of_a_server(percent, code, capsys):
    assert main(["--server", "--few", "2", "--many", "4", "--percent", percent]) == code
    (measured, verdict) = capsys.readouterr().out.splitlines()
    assert measured.startswith("2 and 4 requests to hpd serve: ")
    assert ("all is well" in verdict) == (code == 0)
