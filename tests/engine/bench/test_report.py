"""The report that users of other machines send in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.bench import report
from engine.bench.report import Figure
from engine.bench.subject import Subject


def test_report_keeps_results_around_failed_part(
    model_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.json"

    def good(name: str) -> Callable[[Subject], Iterator[Figure]]:
        return lambda _it: iter([Figure(name, 2.0, "x", 1.5), Figure(name, 2.0, "ms", 1.5, False)])

    def bad(_it: Subject) -> Iterator[Figure]:
        assert len(json.loads(file.read_text())["models"][0]["figures"]) == 2
        raise MemoryError("no room")

    monkeypatch.setattr(report, "_measure_prefill", good("reading"))
    monkeypatch.setattr(report, "_long_prompt", bad)
    monkeypatch.setattr(report, "_measure_throughput", lambda chats: good(f"{chats} chats"))
    said: list[str] = []
    models = [str(tmp_path / "nothing"), str(model_folder("plain"))]
    assert not report.run(models[1:], 60, file, said.append)
    (found,) = json.loads(file.read_text())["models"]
    assert [f["held"] for f in found["figures"]] == [True, False] * (1 + len(report.CHATS))
    assert found["errors"] == ["MemoryError: no room"]
    assert str(tmp_path) not in file.read_text()
    assert any("MISSED" in line for line in said)
    assert any("MemoryError" in line for line in said)

    report.run(models, 60, file, said.append)  # a model that fails to load doesn't abort the report
    missing, loaded = json.loads(file.read_text())["models"]
    assert missing["errors"]
    assert loaded["figures"]
    report.run(models[1:], 0, file, said.append)
    (late,) = json.loads(file.read_text())["models"]
    assert late["errors"] == ["The time was over before everything was measured."]
