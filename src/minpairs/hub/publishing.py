"""What is sent to the Hub, planned file by file; then one commit."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    EvalResultEntry,
    HfApi,
    RepoCard,
    eval_result_entries_to_yaml,
)
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalTokenNotFoundError
from huggingface_hub.utils._validators import validate_repo_id

from minpairs.errors import HubError
from minpairs.hub.folders import CARD, checked_files
from minpairs.parsing import read_card

METRIC_FILES = ("README.md", "app.py", "minimal_pairs.py", "requirements.txt")
_METRIC = "minimal_pairs"
# Data that an earlier release of ours put there; nothing else in a repository is ours to remove.
_DATA = re.compile(r"data/[^/]+/test-[0-9a-f]{16}\.parquet")


@dataclass(frozen=True, slots=True)
class Plan:
    """A commit that is to be made.

    Attributes:
        repo: ``ORG/NAME``.
        kind: ``dataset``, ``space`` or ``model``.
        files: contents by path in the repository; what is there under other names stays, except
            data files of earlier releases.
        left: files of the folder that do not belong there and are not sent.
        message: of the commit.
    """

    repo: str
    kind: str
    files: Mapping[str, bytes]
    left: tuple[str, ...]
    message: str

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(map(len, self.files.values()))


def plan_dataset(folder: Path, repo: str) -> Plan:
    """A dataset folder, after its rows have been compared with its card.

    Raises:
        HubError: ``repo`` names no repository, or the data have no licence to be passed on.
        SuiteError: the folder is not what its card says.
    """
    check_repo(repo)
    files = checked_files(folder)
    if read_card(folder / CARD, str(folder / CARD), HubError).get("license") in (None, "unknown"):
        raise HubError(
            f"{folder / CARD}: the licence is unknown, so the data may not be passed on; "
            "if you have the right to, name the licence there"
        )
    return _plan(folder, repo, "dataset", files)


def plan_metric(folder: Path, repo: str) -> Plan:
    """The metric as a Space.

    Raises:
        HubError: the folder is not the metric's, or ``repo`` has a name under which `evaluate`
            would not find it.
    """
    check_repo(repo)
    if repo.rpartition("/")[2] != _METRIC:
        raise HubError(
            f"{repo}: evaluate.load looks for a script of the repository's name; "
            f"name it {repo.rpartition('/')[0]}/{_METRIC}"
        )
    for name in METRIC_FILES:
        if not (folder / name).is_file():
            raise HubError(f"{folder / name} is missing: {folder} is not the metric's folder")
    card = RepoCard.load(folder / "README.md", ignore_metadata_errors=False).data.to_dict()
    if (card.get("sdk"), card.get("app_file")) != ("gradio", "app.py"):
        raise HubError(f"{folder / 'README.md'}: a gradio Space has sdk: gradio, app_file: app.py")
    script = folder / f"{_METRIC}.py"
    if "MinimalPairs" not in _names(script):
        raise HubError(f"{script} defines no MinimalPairs: {folder} is not the metric's folder")
    return _plan(folder, repo, "space", METRIC_FILES)


def plan_results(entries: Mapping[str, Sequence[EvalResultEntry]], repo: str) -> Plan:
    """Results of a model, one file a benchmark.

    Args:
        entries: by benchmark.
        repo: the model's repository.

    Raises:
        HubError: ``repo`` names no repository.
    """
    import yaml

    check_repo(repo)
    files = {
        f".eval_results/{benchmark}.yaml": yaml.safe_dump(
            eval_result_entries_to_yaml(list(found)), sort_keys=False, allow_unicode=True, width=100
        ).encode("utf-8")
        for benchmark, found in entries.items()
    }
    return Plan(repo, "model", files, (), f"Results on {', '.join(entries)}")


def check_repo(repo: str, option: str = "--repo") -> None:
    """Refuses what names no repository.

    Raises:
        HubError: it is not ``ORG/NAME``.
    """
    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise HubError(f"{option} {repo!r}: {error}") from error
    if "/" not in repo:
        raise HubError(f"{option} {repo!r} is not ORG/NAME")


def push(plan: Plan, api: HfApi, *, private: bool = False, revision: str | None = None) -> str:
    """Makes the commit; a dataset's or a Space's repository is made where there is none.

    Args:
        plan: what is sent.
        api: the Hub, with its own way to find the user's token.
        private: for a repository that is made now.
        revision: the branch; made where there is none.

    Returns:
        The address of the commit.

    Raises:
        HubError: the Hub refuses; says why.
    """
    try:
        if plan.kind != "model":
            api.create_repo(
                plan.repo,
                repo_type=plan.kind,
                private=private or None,
                exist_ok=True,
                space_sdk="gradio" if plan.kind == "space" else None,
            )
        if revision is not None:
            api.create_branch(plan.repo, branch=revision, repo_type=plan.kind, exist_ok=True)
        there = api.list_repo_files(plan.repo, repo_type=plan.kind, revision=revision)
        stale = [
            path
            for path in there
            if plan.kind == "dataset" and _DATA.fullmatch(path) and path not in plan.files
        ]
        commit = api.create_commit(
            plan.repo,
            [
                *(CommitOperationAdd(path, content) for path, content in plan.files.items()),
                *(CommitOperationDelete(path) for path in stale),
            ],
            commit_message=plan.message,
            repo_type=plan.kind,
            revision=revision,
        )
    except LocalTokenNotFoundError as error:
        raise HubError("the Hub needs to know who you are: `hf auth login`, or HF_TOKEN") from error
    except (HfHubHTTPError, httpx2.HTTPError, OSError) as error:
        raise HubError(f"{plan.repo} could not be sent: {error}") from error
    return str(commit.commit_url)


def _plan(folder: Path, repo: str, kind: str, names: Sequence[str]) -> Plan:
    there = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    return Plan(
        repo,
        kind,
        {name: (folder / name).read_bytes() for name in names},
        tuple(name for name in there if name not in names),
        f"Upload {folder.resolve().name} with minpairs",
    )


def _names(script: Path) -> set[str]:
    """What a script defines or imports."""
    try:
        body = ast.parse(script.read_text(encoding="utf-8")).body
    except (SyntaxError, UnicodeDecodeError) as error:
        raise HubError(f"{script} is no Python: {error}") from error
    defined = {node.name for node in body if isinstance(node, ast.ClassDef)}
    imported = {
        alias.asname or alias.name
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return defined | imported
