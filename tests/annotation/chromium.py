"""A headless Chromium for tests of the page."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit


def missing() -> str:
    """Why there can be no browser test here; empty where there can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed (pip install 'minpairs[dev]')"
    if _binary() is None or shutil.which("chromedriver") is None:
        return "no Chromium with chromedriver here (Debian: chromium, chromium-driver)"
    try:
        import gradio  # noqa: F401
    except ImportError:
        return "gradio is not installed (pip install 'minpairs[annotate]')"
    return ""


@contextmanager
def chromium(downloads, width=1200, height=800):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _binary()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=en"):
        options.add_argument(argument)
    options.add_experimental_option(
        "prefs",
        {"download.default_directory": str(downloads)},
    )
    # What the page asks of the network.
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options, service)
    try:
        # Windows cannot be made as narrow as a phone; an emulated screen can.
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 640},
        )
        yield driver
    finally:
        driver.quit()


def _binary():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def requested_hosts(driver) -> set[str]:
    """Hosts that the page has asked for anything."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    return {host for url in urls if (host := urlsplit(url).hostname)}
