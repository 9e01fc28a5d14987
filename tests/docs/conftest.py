import pytest
from docs.stand_ins import build, clear


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory):
    """A folder with every stand-in, and the names of what is in it."""
    home = tmp_path_factory.mktemp("reader")
    build(home)
    return home, frozenset(path.name for path in home.iterdir())


@pytest.fixture
def home(stand_ins, monkeypatch):
    """The folder a reader is in, with what the pages name and nothing else."""
    folder, kept = stand_ins
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    yield folder
    clear(folder, kept)
