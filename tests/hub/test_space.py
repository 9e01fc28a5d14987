"""The metric's Space is a page that answers."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "metrics" / "minimal_pairs" / "app.py"
PASTED = "acceptable,unacceptable\n-1,-2\n-2,-1\n-3,-3\n-1,-4\n"


@pytest.fixture(scope="module")
def app():
    pytest.importorskip("gradio")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read once, when a page is made
    spec = importlib.util.spec_from_file_location("app", APP)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_pasted_numbers_become_a_table(app):
    assert "50.0" in app.answer(PASTED, None, "pairwise", "strict")
    assert "62.5" in app.answer(PASTED, None, "pairwise", "half")


def test_a_fault_is_told_with_its_line(app):
    with pytest.raises(Exception, match="line 2"):
        app.answer("acceptable,unacceptable\n-1,x\n", None, "pairwise", "strict")


@pytest.mark.slow
def test_the_page_answers_over_the_network(app):
    from gradio_client import Client

    page = app.build()
    _, address, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        client = Client(address, verbose=False)
        assert "50.0" in client.predict(PASTED, None, "pairwise", "strict")
    finally:
        page.close()
