"""Models that don't fit in memory, and the alternatives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QPushButton

from app.bridge import Bridge
from app.chats.options import ChatOptions
from app.chats.turn import Event
from app.models.loading import LoadState, ModelLoader
from app.ui.models.fit import Choice, FitAction, FitDialog, choices, search_words
from engine import Fit
from engine.hub import downloads
from tests.app.conftest import Run, Start
from tests.app.fake_engine import FakeEngine
from tests.waiting import wait_until

LEFT = Qt.MouseButton.LeftButton
WIDE, SMALL = "/models/wide-14B-8bit", "/models/Small-3B"


@pytest.fixture
def crowded(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(downloads, "cache_root", lambda: tmp_path / "hub")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    run = start().ready()
    run.window.chats.use_model(SMALL)
    run.ready()
    run.engine.loaded = [SMALL]
    return run


def refused(run: Run) -> None:
    run.window.chats.new()
    run.window.chats.use_model(WIDE)
    run.until(lambda: run.pane.header.state == "Not loaded")


def asked(run: Run) -> FitDialog:
    run.until(run.pane.notice.isVisible)
    run.qtbot.mouseClick(run.pane.notice.unload, LEFT)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, FitDialog)
    return dialog


def take(run: Run, dialog: FitDialog, words: str) -> None:
    button = next(b for b in dialog.buttons if b.accessibleName().startswith(words))
    run.qtbot.mouseClick(button, LEFT)


def test_unfitting_model_is_not_loaded_with_an_explanation(crowded: Run):
    loads = crowded.engine.loads
    refused(crowded)
    notice = crowded.pane.notice
    crowded.until(notice.isVisible)
    for figure in ("7.1 GB", "5.0 GB", "2.0 GB", "100 MB", "6.0 GB"):
        assert figure in notice.text
    assert crowded.engine.loads == loads
    dialog = asked(crowded)
    for button in dialog.buttons:
        assert isinstance(button, QPushButton)
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.accessibleDescription()
    assert len(dialog.buttons) == 4  # 8-bit KV cache, 4,096 tokens, unload, smaller model
    crowded.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert crowded.pane.header.state == "Not loaded"

    # Unload another model with the keyboard, after which this model loads.
    dialog = asked(crowded)
    dialog.buttons[2].setFocus()
    crowded.qtbot.keyClick(dialog.buttons[2], Qt.Key.Key_Space)
    crowded.ready()
    assert crowded.engine.unloaded == ["Small-3B"]
    assert crowded.pane.chat.options.kv_bits is None


def test_smaller_kv_cache_is_set_per_chat(crowded: Run):
    refused(crowded)
    take(crowded, asked(crowded), "Use 8-bit KV cache")
    crowded.ready()
    assert crowded.pane.chat.options.kv_bits == 8
    crowded.say("say one")
    assert crowded.answered() == "one "
    assert crowded.engine.sent[-1].session.options["kv_bits"] == 8


def test_shorter_context_is_set_per_chat(crowded: Run):
    refused(crowded)
    take(crowded, asked(crowded), "Limit this chat to 4,096")
    crowded.ready()
    chat = crowded.pane.chat
    assert chat.options.context == 4096
    assert chat.options.context_of(8192) == 4096
    crowded.say("say one")
    assert crowded.answered() == "one "
    assert crowded.engine.sent[-1].session.options["context"] == 4096
    loader = crowded.app.loader
    loader.unload(WIDE)
    chat.model.set(WIDE)
    crowded.ready()
    loader.unload(WIDE)
    loader.request(WIDE)  # for a chat of the usual length
    crowded.until(lambda: loader.get(WIDE).state is LoadState.FAILED)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Qwen3-30B-A3B-Instruct-2507-4bit", "qwen3"),
        ("Llama-3.3-70B-Instruct-8bit", "llama-3.3"),
        ("gemma-3-27b-it-qat-4bit", "gemma-3"),
        ("Mixtral-8x7B-v0.1", "mixtral"),
        ("gpt-oss-120b-MXFP4-Q8", "gpt-oss"),
        ("phi-4", "phi-4"),
    ],
)
def test_smaller_models_are_searched_by_family(name: str, words: str):
    assert search_words(name) == words


def test_loading_anyway_applies_once(crowded: Run):
    loader = crowded.app.loader
    loader.allow_oversize(WIDE)
    loader.request(WIDE)
    crowded.until(lambda: loader.get(WIDE).state is LoadState.READY)
    loader.unload(WIDE)
    loader.request(WIDE)
    crowded.until(lambda: loader.get(WIDE).state is LoadState.FAILED)


def test_waiting_question_is_answered_once_model_fits(crowded: Run):
    refused(crowded)
    crowded.say("say hello")
    crowded.until(lambda: crowded.pane.chat.transcript.last("assistant").status == "error")
    failed = crowded.pane.chat.transcript.last("assistant").id
    crowded.until(lambda: crowded.pane.transcript.row(failed))
    row = crowded.pane.transcript.row(failed)
    crowded.until(row.isVisible)
    crowded.qtbot.mouseClick(row.error.buttons[0], LEFT)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, FitDialog)
    take(crowded, dialog, "Unload Small-3B")
    assert crowded.answered() == "hello "


def test_busy_or_pinned_model_is_not_offered_for_unloading(crowded: Run):
    small = crowded.pane
    refused(crowded)
    crowded.app.settings.set(pinned=(SMALL,))
    dialog = asked(crowded)
    assert not [b for b in dialog.buttons if b.accessibleName().startswith("Unload")]
    dialog.close()
    crowded.app.settings.set(pinned=())
    dialog = asked(crowded)
    crowded.say("hold 2", small)
    crowded.until(lambda: crowded.answer(small))
    take(crowded, dialog, "Unload Small-3B")  # it started a reply while the dialog was open
    assert crowded.engine.unloaded == []
    small.chat.turn.handle(Event.STOP)
    crowded.answered(small)

    # The search for a smaller model starts with this model's name.
    crowded.until(lambda: crowded.pane.header.state == "Not loaded")
    take(crowded, asked(crowded), "Find a smaller model")
    found = crowded.window.downloads_in_window.dialog
    assert found.field.text() == "wide"
    found.close()


def test_smaller_installed_variant_is_offered(crowded: Run, tmp_path):
    for name, size in (("Wide-14B-4bit", 900), ("Wide-14B-6bit", 5_000), ("Other-14B-4bit", 10)):
        folder = tmp_path / "mine" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
        (folder / "model.safetensors").write_bytes(bytes(size))
    installed = crowded.app.models.installed
    installed.add_folder(str(tmp_path / "mine"))
    crowded.until(lambda: not installed.looking)
    fit = Fit(10_000, 1, 100, 100, 8192, 1, None, 2_000)
    found = choices(fit, WIDE, crowded.app.library, installed, for_chat=True)
    assert [c.way for c in found] == [FitAction.VARIANT, FitAction.FIND]
    refused(crowded)
    crowded.say("say hello")
    crowded.until(lambda: crowded.pane.chat.transcript.last("assistant").status == "error")
    dialog = crowded.window.models.fitting.open(WIDE, crowded.pane.chat)
    take(crowded, dialog, "Use Wide-14B-6bit instead")
    assert crowded.answered() == "hello "
    assert crowded.pane.header.model_button.text() == "Wide-14B-6bit"


def test_models_window_shows_fit_dialog(crowded: Run, tmp_path):
    folder = tmp_path / "wide-2B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (folder / "model.safetensors").write_bytes(bytes(10))
    crowded.app.settings.set(models=(str(folder),))
    crowded.window.commands["models"].trigger()
    window = crowded.window.models.window
    crowded.until(lambda: window.choose(folder))
    window.foot.load.trigger()
    crowded.until(lambda: isinstance(QApplication.activeModalWidget(), FitDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, FitDialog)
    assert dialog.parent() is window
    assert not [b for b in dialog.buttons if "this chat" in b.accessibleName()]
    take(crowded, dialog, "Unload Small-3B")
    crowded.until(lambda: window.foot.load.text() == "Unload")


def test_quantized_copy_is_offered_for_unquantized_model(crowded: Run, tmp_path):
    for name, more in (("wide-14B", {}), ("wide-15B", {"quantization": {"bits": 4}})):
        folder = tmp_path / "mine" / name
        folder.mkdir(parents=True)
        config = {"model_type": "llama", "torch_dtype": "bfloat16", **more}
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "model.safetensors").write_bytes(bytes(6_000))
    installed = crowded.app.models.installed
    installed.add_folder(str(tmp_path / "mine"))
    crowded.until(lambda: not installed.looking)

    def offered(name: str, free: int) -> list[Choice]:
        fit, ref = Fit(6_000, 1, 100, 100, 8192, 1, None, free), str(tmp_path / "mine" / name)
        found = choices(fit, ref, crowded.app.library, installed, for_chat=False)
        return [choice for choice in found if choice.way is FitAction.CONVERT]

    (eight,) = offered("wide-14B", 4_000)
    assert "8" in eight.detail
    assert offered("wide-14B", 2_000)[0].detail != eight.detail
    assert offered("wide-14B", 1_000) == offered("wide-15B", 4_000) == []
    crowded.window.models.fitting._apply_choice(eight, WIDE, "")
    assert QApplication.activeModalWidget().objectName() == "convert-dialog"


def test_choice_for_deleted_chat_does_no_harm(crowded: Run):
    refused(crowded)
    dialog = asked(crowded)
    chat_id = crowded.pane.chat.id
    crowded.window.workspace.close_pane(crowded.pane)
    crowded.app.library.release(chat_id)
    take(crowded, dialog, "Unload Small-3B")
    crowded.until(lambda: crowded.app.loader.get(WIDE).state is LoadState.READY)


def test_fitted_model_loads_at_next_start(crowded: Run, start: Start):
    """A load requested before the engine starts keeps the chat's KV bits and context."""
    refused(crowded)
    crowded.pane.chat.set_options(ChatOptions(kv_bits=8), "")
    crowded.pane.chat.model.load()
    crowded.ready()
    crowded.say("say one")
    crowded.answered()
    crowded.end()
    engine = FakeEngine()
    engine.loaded = [SMALL]
    again = start(engine_factory=lambda _paths, _settings: engine)
    loader = again.app.loader
    again.until(lambda: loader.get(WIDE).state in {LoadState.READY, LoadState.FAILED})
    assert loader.get(WIDE).state is LoadState.READY, loader.get(WIDE).error


@pytest.mark.parametrize("fitting_first", [True, False])
def test_one_fitting_chat_is_enough(fitting_first: bool, qapp: QApplication):
    """If several chats request a model before the engine starts, the smallest request counts."""
    root = QObject()
    bridge = Bridge(root)
    loader, engine = ModelLoader(bridge, root), FakeEngine()
    try:
        engine.loaded = [SMALL]
        wishes: list[tuple[int | None, int | None]] = [(8, None), (None, None), (None, 8192)]
        for bits, context in wishes if fitting_first else wishes[::-1]:
            loader.request(WIDE, bits, context)
        loader.attach(engine)  # type: ignore[arg-type]  # speaks as much as is used here
        wait_until(lambda: loader.get(WIDE).state is not LoadState.LOADING)
        assert loader.get(WIDE).state is LoadState.READY, loader.get(WIDE).error
    finally:
        loader.detach()
        engine.stop()
        root.deleteLater()
