"""Reasons of disabled commands, buttons and menu entries."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QListWidget, QMenu, QWidget
from shiboken6 import isValid

from app.chats.turn import Event
from app.models.loading import LoadState
from app.ui.pane.options_popover import OptionsPopover
from app.ui.settings.settings_window import SettingsWindow
from app.ui.window.commands import REGISTRY
from tests.app.conftest import Run, Start


def sentence(words: str) -> bool:
    return 10 < len(words) <= 110 and words[0].isupper() and "None" not in words


def silent(widgets: list[QWidget]) -> Iterator[str]:
    for widget in widgets:
        for button in widget.findChildren(QAbstractButton):
            if button.isVisible() and not button.isEnabled():
                why = button.toolTip()
                if not sentence(why) or why == button.accessibleName():
                    yield f"{type(button).__name__} {button.text()!r}: {why!r}"
        for menu in [widget] if isinstance(widget, QMenu) else widget.findChildren(QMenu):
            yield from silent_entries(menu)


def silent_entries(menu: QMenu) -> Iterator[str]:
    for entry in menu.actions():
        if not entry.isEnabled() and not entry.isSeparator():
            own_words = entry.toolTip() == entry.text().replace("…", "")
            if own_words or not sentence(entry.toolTip()) or not menu.toolTipsVisible():
                yield f"{menu.title()} > {entry.text()!r}: {entry.toolTip()!r}"


def check(run: Run, state: str) -> dict[str, str]:
    refused = {}
    QApplication.processEvents()
    for menu in run.window._menus:
        menu.aboutToShow.emit()
    run.window.layouts._fill()
    shown = [w for w in QApplication.topLevelWidgets() if w.isVisible() or w is run.window]
    assert list(silent(shown)) == [], state
    for menu in run.window._menus:
        menu.aboutToHide.emit()
    for name in REGISTRY:
        why = run.window.commands.why_not(name)
        if why:
            refused[name] = why
            assert sentence(why), (state, name, why)
            run.window.toast.dismiss()
            run.window.commands.run(name)
            assert run.window.toast.text == why, (state, name)
    return refused


ON_CHATS = {name for name, made in REGISTRY.items() if made.where.value == "pane"}


def test_every_command_has_reason_in_every_state(start: Start):
    run = start()
    run.until(lambda: run.engine is not None)
    run.ready()
    new = check(run, "a new chat")
    assert {"copy_answer", "regenerate", "edit_last", "stop", "pause", "find", "rename"} <= set(new)
    assert {"larger", "smaller", "move_before", "move_after", "keep", "broadcast_one"} <= set(new)
    run.engine.loading.clear()
    run.window.chats.use_model("/models/slow")
    run.say("say later")
    assert {"regenerate", "pause", "delete"} - {"delete"} <= set(check(run, "loading"))
    run.engine.loading.set()
    run.answered()
    check(run, "answered")
    pane = run.say("hold 3")
    run.until(lambda: run.answer(pane))
    answering = check(run, "answering")
    assert {"regenerate", "same_again", "edit_last"} <= set(answering)
    assert {"stop", "pause", "copy_answer"} & set(answering) == set()
    run.window.toggle_score()
    run.until(lambda: run.window.score.rows())
    pane.chat.turn.handle(Event.PAUSE)
    check(run, "paused")
    pane.chat.turn.handle(Event.STOP)
    check(run, "stopping")
    run.answered()
    run.until(lambda: all(row.lane.state == "idle" for row in run.window.score.rows()))
    check(run, "at rest, with the score")
    run.ask("break")
    assert run.app.loader.get("/models/slow").state is LoadState.UNASKED
    check(run, "the engine has broken down")
    run.window.chats.use_model("/models/broken")
    run.until(lambda: run.pane.header.state == "Not loaded")
    check(run, "no model")
    run.window.commands["float"].trigger()
    assert "move_after" in check(run, "in a window of its own")
    while run.window.workspace.active is not None:
        run.window.workspace.close_pane(run.pane)
    none = check(run, "no chat")
    assert set(none) >= ON_CHATS
    assert len({none[name] for name in ON_CHATS}) == 1


def test_commands_without_an_object_are_refused(run: Run):
    names = "branch maximise print regenerate save_prompt stop_all broadcast_one broadcast_keep"
    for name in names.split():
        assert run.window.commands.why_not(name), name
    run.window.workspace.close_pane(run.pane)
    assert run.window.commands.why_not("find")


def test_disabled_dialog_buttons_give_reasons(run: Run):
    run.ask("say one")
    for name in ("compare", "settings", "get_model", "backups", "trash"):
        if name == "trash":
            run.window.chats.delete(run.pane.chat.id)
        run.window.commands[name].trigger()
        dialog = next(
            w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not run.window
        )
        if name == "trash":
            dialog.findChild(QListWidget).clearSelection()
        buttons = [button for button in dialog.findChildren(QAbstractButton) if button.isVisible()]
        assert all(button.isEnabled() for button in buttons) is (name == "backups")
        assert list(silent([dialog])) == [], name
        if isinstance(dialog, SettingsWindow):
            for title in run.settings.pages.pages:
                dialog.pages.show_page(title)
                assert list(silent([dialog])) == [], title
        dialog.close()
        run.until(lambda dialog=dialog: not isValid(dialog) or not dialog.isVisible())


def test_the_menus_of_a_pane_say_why_an_entry_is_grey(run: Run):
    pane = run.say("hold 1")
    run.until(lambda: run.answer(pane))
    run.pane.header.model_button.click()
    menu = QApplication.activePopupWidget()
    assert menu is not None
    grey = [entry for entry in entries(menu) if not entry.isEnabled()]
    assert len(grey) == 1
    assert list(silent([menu])) == []
    menu.close()
    run.pane.header.options_button.click()
    popover = QApplication.activePopupWidget()
    assert isinstance(popover, OptionsPopover)
    presets = run.window.pane_menus.open_presets(popover)
    assert not presets.actions()[0].isEnabled()
    assert list(silent([popover, presets])) == []
    presets.close()
    popover.close()


def entries(menu: QMenu) -> list[QAction]:
    inner = [action.menu() for action in menu.actions()]
    own = [action for action in menu.actions() if not action.isSeparator()]
    return own + [e for sub in inner if isinstance(sub, QMenu) for e in entries(sub)]
