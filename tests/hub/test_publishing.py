"""One commit, of exactly the files that were listed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import httpx2
import pyarrow as pa
import pytest
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    EvalResultEntry,
    HfApi,
    SpaceCardData,
)
from huggingface_hub.errors import LocalTokenNotFoundError, RepositoryNotFoundError
from typer.testing import CliRunner

from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.cli import app
from minpairs.errors import HubError
from minpairs.hub.publishing import METRIC_FILES, plan_dataset, plan_metric, plan_results, push

METRIC = Path(__file__).parents[2] / "metrics" / "minimal_pairs"


class Hub:
    """Stands for HfApi: keeps the calls, and the files that a repository has."""

    def __init__(self, *there: str) -> None:
        self.there = list(there)
        self.calls: dict[str, tuple] = {}

    def list_repo_files(self, repo, **options):
        return self.there

    def create_commit(self, repo, operations, **options):
        self.calls["create_commit"] = (repo, operations, options)
        return SimpleNamespace(commit_url=f"https://hub/{repo}/commit/1")

    def __getattr__(self, name):
        # Every other call must exist on the real API with these arguments.
        real = getattr(HfApi, name)

        def call(*arguments, **options):
            import inspect

            inspect.signature(real).bind(self, *arguments, **options)
            self.calls[name] = (*arguments, options)

        return call

    @property
    def added(self):
        operations = self.calls["create_commit"][1]
        return {o.path_in_repo: o for o in operations if isinstance(o, CommitOperationAdd)}

    @property
    def deleted(self):
        operations = self.calls["create_commit"][1]
        return [o.path_in_repo for o in operations if isinstance(o, CommitOperationDelete)]


@pytest.fixture
def toy(tmp_path):
    pairs = pa.table({"sentence_good": ["a"], "sentence_bad": ["b"]})
    write_folder({"one": pairs}, tmp_path / "toy", CardText("Toy", "en", "A toy."))
    (tmp_path / "toy" / "notes.txt").write_text("mine")
    return tmp_path / "toy"


def test_a_dataset_is_one_commit_of_its_files(toy):
    hub = Hub()
    url = push(plan_dataset(toy, "org/toy"), hub, private=True)
    assert url == "https://hub/org/toy/commit/1"
    (data,) = toy.glob("data/one/*")
    assert set(hub.added) == {"README.md", f"data/one/{data.name}"}
    assert hub.added["README.md"].path_or_fileobj == (toy / "README.md").read_bytes()
    assert hub.calls["create_repo"] == (
        "org/toy",
        {"repo_type": "dataset", "private": True, "exist_ok": True, "space_sdk": None},
    )
    assert hub.calls["create_commit"][2]["repo_type"] == "dataset"
    assert "create_branch" not in hub.calls


def test_data_of_an_earlier_release_are_removed_and_nothing_else(toy):
    old = "data/one/test-0123456789abcdef.parquet"
    hub = Hub(old, ".gitattributes", "LICENSE", "data/one/other.parquet")
    push(plan_dataset(toy, "org/toy"), hub)
    assert hub.deleted == [old]


def test_data_without_a_licence_are_not_passed_on(toy):
    card = toy / "README.md"
    card.write_text(card.read_text().replace("license: cc-by-4.0", "license: unknown"))
    with pytest.raises(HubError, match="the licence is unknown"):
        plan_dataset(toy, "org/toy")


def test_a_branch_is_made_and_committed_to(toy):
    hub = Hub()
    push(plan_dataset(toy, "org/toy"), hub, revision="v2")
    assert hub.calls["create_branch"][1]["branch"] == "v2"
    assert hub.calls["create_commit"][2]["revision"] == "v2"


def test_the_metric_is_a_gradio_space_of_four_files():
    hub = Hub()
    plan = plan_metric(METRIC, "org/minimal_pairs")
    push(plan, hub)
    assert set(hub.added) == set(METRIC_FILES)
    assert hub.calls["create_repo"][1]["space_sdk"] == "gradio"
    front = (METRIC / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    import yaml

    card = SpaceCardData(**yaml.safe_load(front))
    assert (card.sdk, card.app_file) == ("gradio", "app.py")


def test_the_metric_has_the_name_that_evaluate_looks_for():
    with pytest.raises(HubError, match="name it org/minimal_pairs"):
        plan_metric(METRIC, "org/my-metric")


def test_another_folder_is_not_the_metric(toy, tmp_path):
    with pytest.raises(HubError, match=r"app\.py is missing"):
        plan_metric(toy, "org/minimal_pairs")
    for name in METRIC_FILES:
        (tmp_path / name).write_bytes((METRIC / name).read_bytes())
    (tmp_path / "minimal_pairs.py").write_text("class Accuracy: pass")
    with pytest.raises(HubError, match="defines no MinimalPairs"):
        plan_metric(tmp_path, "org/minimal_pairs")


def test_results_go_to_a_model_that_is_there(tmp_path):
    hub = Hub()
    entry = EvalResultEntry("org/toy", "one_sum", 50.0)
    push(plan_results({"toy": [entry]}, "org/model"), hub)
    assert list(hub.added) == [".eval_results/toy.yaml"]
    assert "create_repo" not in hub.calls
    assert hub.calls["create_commit"][2]["repo_type"] == "model"


@pytest.mark.parametrize("repo", ["toy", "", "org/", "org/to y", "a/b/c"])
def test_what_names_no_repository_is_refused(toy, repo):
    with pytest.raises(HubError, match="--repo"):
        plan_dataset(toy, repo)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (LocalTokenNotFoundError("no token"), "hf auth login"),
        (RepositoryNotFoundError("404", response=SimpleNamespace(headers={}, request=None)), "404"),
        (httpx2.ConnectError("no network"), "no network"),
    ],
)
def test_a_refusal_of_the_hub_is_an_error_of_ours(toy, fault, said):
    hub = Hub()

    def refuse(*arguments, **options):
        raise fault

    hub.create_commit = refuse
    with pytest.raises(HubError, match=said):
        push(plan_dataset(toy, "org/toy"), hub)


def test_a_dry_run_lists_every_file_with_its_size_and_sends_nothing(toy, monkeypatch):
    monkeypatch.setattr(HfApi, "create_commit", lambda *a, **o: pytest.fail("it was sent"))
    command = ["publish", "climp", str(toy), "--repo", "org/toy", "--dry-run"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0
    sizes = {
        line.split()[1]: int(line.split()[0].replace(",", ""))
        for line in shown.stdout.splitlines()[:-1]
    }
    plan = plan_dataset(toy, "org/toy")
    assert sizes == {path: (toy / path).stat().st_size for path in plan.files}
    assert shown.stdout.splitlines()[-1].split()[0] == f"{sum(sizes.values()):,}"
    assert plan.left == ("notes.txt",)


def test_the_command_sends_what_it_lists(toy, monkeypatch):
    hub = Hub()
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: hub)
    command = ["publish", "climp", str(toy), "--repo", "org/toy"]
    shown = CliRunner().invoke(app, command)
    assert shown.stdout.splitlines()[-1] == "https://hub/org/toy/commit/1"
    assert set(hub.added) == set(plan_dataset(toy, "org/toy").files)
