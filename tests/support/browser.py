"""A page in headless Chromium.

Needs Chromium and its driver (on Debian: ``apt-get install chromium chromium-driver``) and
selenium (``pip install 'hpd-cpp[browser]'``).
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BINARIES = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SECONDS = 60
"""The longest wait for anything, as machines may be busy."""

DESKTOP = (1280, 860)
PHONE = (390, 844)


def has_browser() -> bool:
    """Whether Chromium and its driver are installed."""
    return _binary() is not None and shutil.which(DRIVER) is not None


class Browser:
    """One window, with a method for everything that tests do with it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path | str, size: tuple[int, int] = DESKTOP, theme: str = "light") -> None:
        """Load a page again in a window of that size, under a system of that theme."""
        width, height = size
        self.driver.get("about:blank")
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.devtools("Emulation.setEmulatedMedia", features=features)
        self.logged("performance")
        self.logged("browser")
        self.driver.get(page if isinstance(page, str) else page.as_uri())
        # Nobody does anything before the page is painted, which may undo a scroll.
        self.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        )

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Call a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a JavaScript expression; ``arguments[0]`` and so on are given to it."""
        return self.driver.execute_script(f"return ({script})", *arguments)

    def press(self, *keys: str) -> None:
        """Press keys one after another, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector: str) -> None:
        """Click the first element that a CSS selector names, even if the page draws it again."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.wait import WebDriverWait

        def clicked(_: object) -> bool:
            self.driver.find_element("css selector", selector).click()
            return True

        WebDriverWait(
            self.driver, SECONDS, ignored_exceptions=[StaleElementReferenceException]
        ).until(clicked)

    def text(self, selector: str) -> str:
        """All text in the first element of a selector, whether it is in sight or not."""
        text = self.run("document.querySelector(arguments[0])?.textContent", selector)
        assert text is not None, f"no element is {selector}"
        return str(text)

    def choose(self, control: str, value: str) -> None:
        """Set a field or a list as a person would, at once."""
        self.run(
            "(c => { c.value = arguments[1]; c.dispatchEvent(new Event('input')) })"
            "(document.getElementById(arguments[0]))",
            control,
            value,
        )

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, SECONDS).until(lambda _: self.run(condition))

    def logged(self, kind: str) -> list[Any]:
        """The new entries of a log."""
        return list(self.driver.get_log(kind))

    def requests(self) -> list[str]:
        """The addresses asked for since the page was opened, data addresses left out."""
        messages = [json.loads(entry["message"])["message"] for entry in self.logged("performance")]
        urls = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith("data:")]

    def complaints(self) -> list[str]:
        """Errors, and what the page's policy has blocked."""
        return [entry["message"] for entry in self.logged("browser") if entry["level"] == "SEVERE"]


@contextmanager
def headless_browser() -> Iterator[Browser]:
    """A browser with a fresh profile; ``RuntimeError`` where there is none."""
    from selenium import webdriver

    if not has_browser():
        raise RuntimeError(f"Chromium ({', '.join(BINARIES)}) or {DRIVER} is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = _binary()
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService(shutil.which(DRIVER))
        )
        driver.set_script_timeout(SECONDS)
        try:
            yield Browser(driver)
        finally:
            driver.quit()


def _binary() -> str | None:
    return next((path for name in BINARIES if (path := shutil.which(name))), None)
