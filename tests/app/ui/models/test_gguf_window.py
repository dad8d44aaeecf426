from __future__ import annotations

from pathlib import Path

import pytest

from app import flows
from tests.app.conftest import Run, answering
from tests.engine.gguf_files import small


def test_the_command_opens_a_gguf_file_in_the_active_chat(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = small().write(tmp_path / "Some-model.Q4_K_M.gguf")
    answering(monkeypatch, "ask_for_file", file)
    run.window.chats.open_gguf_file()
    run.until(lambda: run.pane.chat.record.model == str(file))
    run.until(lambda: str(file) in run.app.settings.models)
    assert run.pane.header.model_button.text() != "Guide"


def test_canceled_file_dialog_changes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "ask_for_file", None)
    run.window.chats.open_gguf_file()
    run.until(lambda: not flows.running_tasks())
    assert run.pane.header.model_button.text() == "Guide"
    assert len(run.panes) == 1
