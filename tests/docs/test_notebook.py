"""The notebook runs from its first cell to its last, and draws its figure."""

import nbformat
import pytest
from docs.blocks import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "notebooks" / "let_alone_figure_1.ipynb"
PARAMETERS = """
MODELS = {"gpt2": {}, "my-model": {"device": "cpu"}}
SUITES = ["npi", "clause"]
LIMIT = 2
MEASURE = "mean"
OUT = "results/figure_1"
"""


@pytest.fixture
def executed(home):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    (parameters,) = (
        cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())
    )
    names = [line.split(" = ")[0] for line in PARAMETERS.split("\n") if line]
    assert names == [line.split(" = ")[0] for line in parameters.source.split("\n")]
    parameters.source = PARAMETERS
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(home)}})
    return client.execute(), home


def test_the_notebook_ends_with_the_figure(executed):
    notebook, home = executed
    shown = [
        output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())
    ]
    assert sum("image/png" in data for data in shown) == 1
    assert sum("both orders %" in data.get("text/html", "") for data in shown) == 2
    written = sorted(path.name for path in (home / "results" / "figure_1").glob("*.*g"))
    assert [name.rpartition(".")[2] for name in written] == ["png", "svg"]
