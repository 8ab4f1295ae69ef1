"""The pages as a site: it builds without a warning, and asks no other host for anything."""

import re

import pytest

from command_line import run_python
from tools import docs

pytest.importorskip("material")
pytest.importorskip("mkdocstrings_handlers.python")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = run_python(
        "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder, cwd=docs.ROOT
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there_and_in_the_navigation(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in (docs.ROOT / "docs").glob("*.md"):
        assert (site / page.name).with_suffix(".html").exists()
        assert f'href="{page.stem}.html"' in home, f"{page.name} is not in the navigation"


def test_links_within_the_site_lead_somewhere(site):
    for page in site.glob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#?]+)', page.read_text(encoding="utf-8")):
            if "://" not in target and not target.startswith(("data:", "mailto:")):
                assert (page.parent / target).exists() or page.name == "404.html", (
                    f"{page.name}: {target}"
                )


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)', text)
        loaded += re.findall(
            r'<link[^>]+rel="(?:stylesheet|preconnect)"[^>]+href="(https?:[^"]+)', text
        )
        assert not loaded, f"{page.name}: {loaded}"


def test_the_reference_has_docstrings(site):
    page = (site / "reference.html").read_text(encoding="utf-8")
    for name in ("Extractor", "extract_many", "Options", "InvalidDataError"):
        assert name in page
    assert "near_tie" in page
