"""The page in a real browser: keyboard, kill and resume, undo, export."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from annotation.chromium import chromium, missing, requested_hosts

from minpairs.annotation import read_study, trials

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(missing()), reason=missing() or "never"),
]
LEFT, RIGHT, BACKSPACE = "\ue012", "\ue014", "\ue003"  # WebDriver's codes of the keys
SENTENCES = {
    "他看了一部电影。": "他看了一头电影。",
    "门口停着两辆车。": "门口停着两本车。",
    "我把衣服洗了。": "我被衣服洗了。",
    "她喝了三杯茶。": "她喝了三匹茶。",
    "<b>1 & 2</b>": "<i>1 & 2</i>",
}


class Page:
    """The command, serving, and a browser on its page."""

    def __init__(self, driver, folder):
        self.driver, self.folder = driver, folder
        self.pairs = folder / "pairs.jsonl"
        self.pairs.write_text(
            "".join(
                json.dumps({"sentence_good": good, "sentence_bad": bad}) + "\n"
                for good, bad in SENTENCES.items()
            )
        )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = str(probe.getsockname()[1])
        self.process = None

    def open(self, shown: str):
        command = [sys.executable, "-m", "minpairs", "annotate", str(self.pairs)]
        options = ["--annotator", "ann", "--out", str(self.folder / "study"), "--no-browser"]
        self.process = subprocess.Popen(
            [*command, *options, "--port", self.port],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"COLUMNS": "200"},
        )
        for line in self.process.stderr:
            if "the page is at" in line:
                break
        self.driver.get(f"http://127.0.0.1:{self.port}/")
        self.wait(shown)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()

    def press(self, *keys: str):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def text(self, name: str) -> str:
        script = "return document.getElementById(arguments[0])?.innerText ?? ''"
        return self.driver.execute_script(script, name).strip()

    def wait(self, shown: str):
        """Waits until the counter says so and the pair that is then due is in view."""
        order = [(t.left, t.right) for t in trials(read_study(self.folder / "study"), "ann")]
        due = [*order, ("", "")][int(shown.split(maxsplit=1)[0])]
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = self.text("count"), self.text("left"), self.text("right")
            if found == (shown, *due):
                return
            time.sleep(0.05)
        pytest.fail(f"the page never showed {(shown, *due)}, but {found}")

    def judgements(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "study/ann.jsonl").open()]


@pytest.fixture
def page(tmp_path):
    with chromium(tmp_path) as driver:
        page = Page(driver, tmp_path)
        yield page
        page.kill()


def test_three_pairs_by_keyboard_a_kill_and_the_rest(page):
    page.open("0 / 5")
    seen = []
    for key, shown in ((LEFT, "1 / 5"), ("2", "2 / 5"), ("0", "3 / 5 · 已跳过 1")):
        seen.append((page.text("left"), page.text("right")))
        page.press(key)
        page.wait(shown)
    assert [(line["left"], line["right"]) for line in page.judgements()] == seen
    assert [line["choice"] for line in page.judgements()] == ["left", "right", "skip"]

    due = page.text("left")
    page.kill()
    page.open("3 / 5 · 已跳过 1")
    assert page.text("left") == due

    page.press(BACKSPACE)
    page.wait("2 / 5")
    for key, shown in (("1", "3 / 5"), (RIGHT, "4 / 5"), (LEFT, "5 / 5")):
        page.press(key)
        page.wait(shown)
    assert "谢谢" in page.text("question")
    assert page.text("left") == ""

    page.driver.find_element("id", "export").click()
    path = page.folder / "ann.csv"
    end = time.monotonic() + 20
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert [row["choice"] for row in rows] == ["left", "right", "left", "right", "left"]
    assert {row["chosen"] for row in rows} <= {*SENTENCES, *SENTENCES.values()}
    # A sentence is text, whatever it looks like.
    assert any(row["left"].startswith("<") for row in rows)
    assert requested_hosts(page.driver) == {"127.0.0.1"}


def test_keys_pressed_at_once_answer_only_for_the_pair_in_view(page):
    page.open("0 / 5")
    first = page.text("left")
    page.press(LEFT, LEFT, RIGHT)
    page.wait("1 / 5")
    time.sleep(1)
    assert [(line["left"], line["choice"]) for line in page.judgements()] == [(first, "left")]


def test_a_second_tab_cannot_answer_a_pair_again(page):
    page.open("0 / 5")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.driver.get(f"http://127.0.0.1:{page.port}/")
    page.wait("0 / 5")
    page.press(LEFT)
    page.wait("1 / 5")
    page.driver.switch_to.window(first)
    page.press(RIGHT)
    page.wait("1 / 5")
    assert [line["choice"] for line in page.judgements()] == ["left"]
