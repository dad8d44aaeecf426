"""Release metadata and the release workflows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.system import licenses

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def release(module: Callable[[str], Any]) -> Any:
    return module("release")


def test_parts_list_includes_licenses(release: Any, tmp_path: Path) -> None:
    file = tmp_path / licenses.SHIPPED
    system = licenses.Component("libstdc++6", "12.2.0-14", "GPL-3", "…", "deb")
    file.write_text(licenses.as_json([*licenses.installed(), system]), encoding="utf-8")
    listed = release.parts_list(file)
    assert listed["bomFormat"] == "CycloneDX"
    by_name = {part["name"]: part for part in listed["components"]}
    assert by_name["mlx-lm"]["licenses"] == [{"license": {"name": "MIT"}}]
    assert by_name["mlx-lm"]["purl"].startswith("pkg:pypi/mlx-lm@")
    assert by_name["libstdc++6"]["purl"] == "pkg:deb/libstdc%2B%2B6@12.2.0-14"
    json.dumps(listed)


def test_notes_are_the_changelog_s_own_words(
    release: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = (
        "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2030-01-01\n- New.\n\n## [1.1.0]\n- Old.\n"
    )
    monkeypatch.setattr(release, "CHANGELOG", tmp_path / "CHANGELOG.md")
    release.CHANGELOG.write_text(changes, encoding="utf-8")
    assert release.notes("v1.2.0") == "- New.\n"
    assert release.notes("v1.1.0") == "- Old.\n"
    with pytest.raises(ValueError, match="no section"):
        release.notes("v1.3.0")


def test_tag_must_match_version() -> None:
    command = [sys.executable, "packaging/release.py", "check", "v99.0.0"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "pyproject.toml says" in done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_is_valid(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow[True]  # YAML parses the key "on" as a boolean
    assert workflow["permissions"] == {"contents": "read"}  # jobs declare additional permissions
    jobs = workflow["jobs"]
    for name, job in jobs.items():
        needs = job.get("needs", [])
        assert {*([needs] if isinstance(needs, str) else needs)} <= {*jobs}, name
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
            continue
        assert job["timeout-minutes"] <= 60
        matrix = job.get("strategy", {}).get("matrix", {})
        for used in re.findall(r"matrix\.(\w+)", yaml.safe_dump(job)):
            assert used in matrix
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step
                continue
            script = re.sub(r"\$\{\{.*?\}\}", "X", step["run"])
            done = subprocess.run(["bash", "-n", "-c", script], check=False, capture_output=True)
            assert done.returncode == 0, done.stderr
            for called in re.findall(r"packaging/[\w./]+", script):
                assert (ROOT / called).exists(), called


def test_release_signature_matches_program(
    release: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.system import updates

    monkeypatch.setattr(release, "CHANGELOG", tmp_path / "CHANGELOG.md")
    release.CHANGELOG.write_text("## [9.9.0]\n- New.\n", encoding="utf-8")
    secret, public = release.new_key()
    made = release.signed("v9.9.0", "https://example.org/get", secret)
    read = updates.parse_release(json.dumps(made).encode(), bytes.fromhex(public))
    assert read == updates.Release("9.9.0", "https://example.org/get", "- New.\n")
    with pytest.raises(ValueError, match="https"):
        release.signed("v9.9.0", "http://example.org", secret)
    with pytest.raises(ValueError, match="64 hex"):
        release.signed("v9.9.0", "https://example.org", "")
    target = tmp_path / "updates.json"
    monkeypatch.delenv("STRETTO_UPDATES_URL", raising=False)
    assert not release.updates_source(target)
    assert not target.exists()
    monkeypatch.setenv("STRETTO_UPDATES_URL", "https://example.org/updates.json")
    monkeypatch.setenv("STRETTO_UPDATES_KEY", public)
    assert release.updates_source(target)
    assert updates.load_source(target) is not None
