"""Finding models in the window, with a hub on the loopback."""

from __future__ import annotations

import json

import keyring.core
import pytest
from keyring.backend import KeyringBackend
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.models.downloads import DownloadState
from app.ui.models import model_search
from app.ui.models.get_model import GetModelDialog
from engine import hub
from engine.hub.models import is_known_architecture
from tests.hub import connected

LEFT = Qt.MouseButton.LeftButton
LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "max_position_embeddings": 131_072,
    "quantization": {"bits": 4, "group_size": 64},
}
CARD = (
    b"---\nlicense: mit\n---\n# A pocket model\n\n![Its logo](https://pictures.test/a.png)\n\n"
    b"See [the page](https://example.test/x).\n\n```python\nprint(1)\n```\n"
)
FIRST = "mlx-community/Pocket-4bit"
SUGGESTED = "mlx-community/Qwen3.5-9B-4bit"


def files(**config):
    return {
        "config.json": json.dumps({**LLAMA, **config}).encode(),
        "tokenizer.json": b"{}",
        "model.safetensors": bytes(range(256)) * 200,
        "README.md": CARD,
        "chat_template.jinja": b"{% if tools %}{{ tools }}{% endif %}<think>",
    }


@pytest.fixture
def served(monkeypatch, tmp_path):
    is_known_architecture(
        {"model_type": "llama"}
    )  # imports mlx-lm, which takes seconds the first time
    monkeypatch.setattr(GetModelDialog, "TYPING_MS", 1)
    monkeypatch.setattr(GetModelDialog, "MOVING_MS", 1)
    monkeypatch.setattr(model_search, "machine_memory", lambda: 16 * 2**30)
    with connected(monkeypatch, tmp_path / "home") as running:
        running.add(FIRST, files(), about={"downloads": 1200, "cardData": {"license": "mit"}})
        running.add("somebody/Pocket", files(), about={"downloads": 5000})
        running.add(SUGGESTED, files())
        yield running


@pytest.fixture
def opened(served, start):
    run = start().ready()
    run.qtbot.mouseClick(run.pane.empty.get, LEFT)
    dialog = run.window.downloads_in_window.dialog
    run.until(dialog.isVisible)
    run.until(dialog.finding.memory_budget)  # the engine reports the memory later
    return run, dialog


class Chain(KeyringBackend):
    priority = 5.0

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def chain(monkeypatch, served):
    made = Chain()
    monkeypatch.setattr(keyring.core, "_keyring_backend", made)
    return made


def search(run, dialog, words="pocket"):
    run.qtbot.keyClicks(dialog.field, words)
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    run.until(lambda: "found" in dialog.heading.text())


def marks(dialog):
    return {entry.ref: entry.mark for entry in dialog.models.entries}


def test_large_models_are_slow_without_a_gpu(opened):
    run, dialog = opened
    machine = run.window.downloads_in_window
    machine._memory = 16 * 10**9
    dialog.show_memory()
    dialog.models.choose(len(dialog.models.entries) - 1)
    assert marks(dialog)[dialog.models.ref] == "Fits, slow"
    assert dialog.found.fits.text().endswith("Without a GPU, expect slow replies.")
    machine._has_gpu = True
    dialog.show_memory()
    assert marks(dialog)[dialog.models.ref] == "Fits"
    assert "GPU" not in dialog.found.fits.text()


def click(run, dialog, ref):
    row = [entry.ref for entry in dialog.models.entries].index(ref)
    place = dialog.models.visualRect(dialog.models.model().index(row, 0)).center()
    run.qtbot.mouseClick(dialog.models.viewport(), LEFT, pos=place)


def cancel_the_question():
    asked = []

    def press():
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(10, press)
            return
        asked.append(box.text())
        box.defaultButton().click()

    QTimer.singleShot(0, press)
    return asked


def test_suggested_model_downloads_in_three_clicks(opened, served):
    run, dialog = opened
    assert SUGGESTED in marks(dialog)
    assert dialog.found.about.text() == dialog.ok.toolTip() != ""
    click(run, dialog, SUGGESTED)
    assert dialog.found.name.text() == "Qwen3.5-9B-4bit"
    assert "Apache 2.0" in dialog.found.about.text()
    assert served.asked == []
    run.qtbot.mouseClick(dialog.ok, LEFT)
    run.until(lambda: run.window.downloads.get(SUGGESTED) is not None)
    download = run.window.downloads.get(SUGGESTED)
    run.until(lambda: download.state is DownloadState.DONE)
    assert marks(dialog)[SUGGESTED] == "Downloaded"
    click(run, dialog, SUGGESTED)
    assert dialog.ok.text() == "Open"
    run.qtbot.mouseClick(dialog.ok, LEFT)
    assert run.pane.chat.record.model == SUGGESTED


def test_model_is_found_and_downloaded_by_keyboard(opened, served):
    run, dialog = opened
    run.until(dialog.field.hasFocus)
    run.qtbot.keyClicks(dialog.field, "pocket")
    assert served.asked == []
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    run.until(lambda: dialog.heading.text() == "2 models found")
    assert [entry.ref for entry in dialog.models.entries] == [FIRST, "somebody/Pocket"]
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
    assert dialog.models.hasFocus()
    assert dialog.found.name.text() == "Pocket-4bit"
    run.until(dialog.ok.isEnabled)
    run.qtbot.keyClick(dialog.models, Qt.Key.Key_Down)
    assert dialog.models.ref == "somebody/Pocket"
    run.qtbot.keyClick(dialog.models, Qt.Key.Key_Up)
    run.qtbot.keyClick(dialog.models, Qt.Key.Key_Up)
    assert dialog.field.hasFocus()
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
    run.until(dialog.ok.isEnabled)
    run.qtbot.keyClick(dialog.models, Qt.Key.Key_Return)
    run.until(lambda: run.window.downloads.get(FIRST) is not None)
    run.until(lambda: run.window.downloads.get(FIRST).state is DownloadState.DONE)
    assert len(dialog.models.entries) == 2  # the results stay, so another can be chosen
    assert dialog.found.name.text() == "Pocket-4bit"
    assert (dialog.ok.text(), dialog.ok.isEnabled()) == ("Open", True)


def test_results_show_details_and_fit(opened, served):
    run, dialog = opened
    run.window.downloads_in_window._memory = 4 * 10**9
    search(run, dialog)
    run.until(lambda: set(marks(dialog).values()) == {"Fits"})
    about = dialog.models.entries[0].about
    assert about == "0.1 MB · 4-bit · 128K context · 1K downloads"
    assert dialog.models.entries[1].about.endswith("by somebody")
    dialog.models.focus_list()
    run.until(lambda: dialog.found.facts.text())
    assert "Reasoning, tools" in dialog.found.facts.text()
    assert "MIT" in dialog.found.facts.text()
    dialog.found.chats.setCurrentIndex(dialog.found.chats.findData(8))
    assert dialog.found.fits.property("danger")
    assert set(marks(dialog).values()) == {"Too large"}
    dialog.found.chats.setCurrentIndex(dialog.found.chats.findData(2))
    run.window.downloads_in_window._memory = 2_800_000_000
    dialog.show_memory()
    assert set(marks(dialog).values()) == {"Tight"}


def test_model_card_loads_nothing(opened, served):
    run, dialog = opened
    search(run, dialog)
    dialog.models.focus_list()
    card = dialog.found.card
    run.until(lambda: "A pocket model" in card.text)
    assert "license" not in card.text
    assert "Its logo" in card.text
    assert "print(1)" in card.text
    view = card.view
    found = view.document().find("page")
    place = view.cursorRect(found).center() - QPoint(8, 0)
    assert view.anchorAt(place) == "https://example.test/x"
    asked = cancel_the_question()
    run.qtbot.mouseClick(view.viewport(), LEFT, pos=place)
    run.until(lambda: asked)
    assert not any("a.png" in one.path for one in served.asked)


FAULTS = (
    ({"refuse": 429, "retry_after": "30"}, "Too many requests to Hugging Face. Try again in 30 s."),
    ({"refuse": 503}, "status 503"),
    ({"answer": b"[1, 2"}, "is invalid"),
    ({"break_off": True}, "Check the connection"),
    ({"endless": True}, "longer than 16 MB"),
)


def test_failed_search_keeps_earlier_results(opened, served):
    run, dialog = opened
    for fault, says in FAULTS:
        search(run, dialog)
        shown = dialog.heading.text()
        before = {name: getattr(served, name) for name in fault}
        for name, value in fault.items():
            setattr(served, name, value)
        dialog.search_button.click()
        run.until(lambda says=says: says in dialog.trouble.text())
        assert (dialog.retry.isVisible(), dialog.heading.text()) == (True, shown)
        assert len(dialog.models.entries) == 2
        for name, value in before.items():
            setattr(served, name, value)
        dialog.field.clear()
        assert SUGGESTED in marks(dialog)


def test_empty_results_and_unsupported_models_are_explained(opened, served):
    run, dialog = opened
    run.qtbot.keyClicks(dialog.field, "violoncello")
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    run.until(lambda: "No models found" in dialog.heading.text())
    dialog.field.clear()
    wants_code = files(model_file="run_me.py")
    served.add("odd/Pocket-code", {**wants_code, "README.md": b""})
    search(run, dialog)
    run.until(lambda: marks(dialog)["odd/Pocket-code"] == "Can’t be loaded")
    click(run, dialog, "odd/Pocket-code")
    run.until(lambda: "Stretto never runs such code" in dialog.found.about.text())
    assert run.window.downloads.items == []


def gated(run, dialog, served):
    served.repos["somebody/Pocket"].token = "secret"
    search(run, dialog)
    click(run, dialog, "somebody/Pocket")
    run.until(dialog.token.isVisible)


def test_token_is_saved_in_keychain_and_reused(opened, served, chain, start):
    run, dialog = opened
    gated(run, dialog, served)
    assert marks(dialog)["somebody/Pocket"] == "Gated"
    asked = cancel_the_question()
    run.qtbot.mouseClick(dialog.access.page, LEFT)
    run.until(lambda: asked)
    run.until(lambda: "Stored in your keychain once accepted" in dialog.access.note.text())
    run.qtbot.keyClicks(dialog.token, "wrong")
    run.qtbot.mouseClick(dialog.ok, LEFT)
    run.until(lambda: "has no access" in dialog.found.about.text())
    assert chain.kept == {}
    dialog.token.clear()
    run.qtbot.keyClicks(dialog.token, "secret")
    run.qtbot.mouseClick(dialog.ok, LEFT)
    run.until(lambda: dialog.ok.text() == "Download")
    run.until(lambda: [*chain.kept.values()] == ["secret"])
    run.end()
    again = start()
    again.window.downloads_in_window.show()
    dialog = again.window.downloads_in_window.dialog
    assert again.window.downloads.token == ""
    search(again, dialog)
    again.until(lambda: marks(dialog)["somebody/Pocket"] == "Gated")
    click(again, dialog, "somebody/Pocket")
    again.until(lambda: dialog.ok.text() == "Download" and dialog.ok.isEnabled())
    assert not dialog.token.isVisible()
    again.qtbot.mouseClick(dialog.ok, LEFT)
    download = again.window.downloads.get("somebody/Pocket")
    again.until(lambda: download.state is DownloadState.DONE)
    dialog.field.setText(FIRST)
    again.until(dialog.access.forget.isVisible)
    again.qtbot.mouseClick(dialog.access.forget, LEFT)
    again.until(lambda: chain.kept == {})
    assert again.window.downloads.token == ""


def test_failing_keychain_acts_like_none(opened, served, chain, monkeypatch):
    def locked(*_):
        raise RuntimeError("locked")

    for name in ("get_password", "set_password"):
        monkeypatch.setattr(chain, name, locked)
    run, dialog = opened
    gated(run, dialog, served)
    run.qtbot.keyClicks(dialog.token, "secret")
    run.qtbot.mouseClick(dialog.ok, LEFT)
    run.until(lambda: dialog.ok.text() == "Download")
    run.until(lambda: "couldn’t store the token" in dialog.access.note.text())


def test_resumed_download_uses_keychain_token(served, chain, start):
    chain.kept["Stretto", "Access token of the Hugging Face hub"] = "secret"
    served.repos["somebody/Pocket"].token = "secret"
    run = start().ready()
    run.window.downloads.add(hub.look_up("somebody/Pocket", token="secret"))
    download = run.window.downloads.get("somebody/Pocket")
    run.until(lambda: download.state is DownloadState.DONE)
