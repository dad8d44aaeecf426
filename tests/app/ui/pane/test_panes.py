"""Several open chats: splits, tabs, undo, and floating windows."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt
from pytestqt.qtbot import QtBot

from app.chats import panel
from app.chats.chat import Chat
from tests.app.conftest import Run, Start


def test_splits_open_new_chats(start: Start):
    run = start()
    first = run.pane
    run.window.commands["split_right"].trigger()
    second = run.pane
    run.window.commands["split_down"].trigger()
    third = run.pane
    assert run.panes == [first, second, third]
    right_of = second.mapToGlobal(second.rect().topLeft()).x()
    assert right_of > first.mapToGlobal(first.rect().topLeft()).x()
    below = third.mapToGlobal(third.rect().topLeft()).y()
    assert below > second.mapToGlobal(second.rect().topLeft()).y()
    assert third.composer.field.hasFocus()

    # The next pane gets the focus and the ring, as after a click.
    for command, pane in (("next", first), ("previous", third)):
        run.window.commands[command].trigger()
        assert run.pane is pane
        assert [each.active for each in run.panes] == [each is pane for each in run.panes]
    second.composer.field.setFocus()
    assert run.pane is second


def test_closed_pane_keeps_replying_until_undo(run: Run):
    kept = run.pane
    run.window.commands["split_right"].trigger()
    pane = run.say("hold 3")
    run.until(lambda: run.answer(pane))
    place = pane.mapTo(run.window, pane.rect().topLeft())
    run.window.commands["close"].trigger()
    assert run.panes == [kept]
    assert run.window.toast.text == "Chat closed"
    assert pane.chat.reply.is_active
    run.engine.release()
    assert run.answered(pane) == "1 2 3 end"
    run.window.commands["undo_close"].trigger()
    assert run.panes == [kept, pane]
    run.until(lambda: pane.mapTo(run.window, pane.rect().topLeft()) == place)


def test_emptied_chat_leaves_the_list(start: Start, qtbot: QtBot):
    run = start()
    qtbot.keyClicks(run.pane.composer.field, "x")
    chat_id = run.pane.chat.id
    assert run.window.sidebar.model.row_of(chat_id).isValid()
    qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Backspace)
    run.window.commands["close"].trigger()
    assert not run.window.sidebar.model.row_of(chat_id).isValid()
    run.window.commands["undo_close"].trigger()
    assert run.pane.chat.id == chat_id


def test_the_toast_undoes_a_close(start: Start, qtbot: QtBot):
    run = start()
    pane = run.pane
    run.window.commands["close"].trigger()
    assert run.panes == []
    assert run.window.workspace.nothing.button.hasFocus()
    assert not run.window.toast.isVisible()  # not shown for an empty chat
    run.window.commands["undo_close"].trigger()
    assert run.panes == [pane]
    qtbot.keyClicks(pane.composer.field, "x")
    run.window.commands["close"].trigger()
    qtbot.mouseClick(run.window.toast.button, Qt.MouseButton.LeftButton)
    assert run.panes == [pane]
    assert not run.window.toast.isVisible()

    run.window.commands["close"].trigger()  # with all panes closed, a button offers a new chat
    qtbot.mouseClick(run.window.workspace.nothing.button, Qt.MouseButton.LeftButton)
    assert len(run.panes) == 1


def test_chat_opens_beside_closed_one_after_all_were_closed(run: Run) -> None:
    run.ask("say one")
    window, first = run.window, run.pane
    window.commands["close"].trigger()
    run.until(lambda: not window.toast._settle_timer.isActive())
    window.chats.new()
    composer = run.pane.composer
    run.until(composer.isVisible)
    run.until(
        lambda: (
            not QRect(composer.mapTo(window, QPoint()), composer.size()).intersects(
                window.toast.geometry()
            )
        )
    )
    assert window.toast.isVisible()
    window.chats.open(first.chat.id)
    assert len(window.workspace.tabs_beside(first)) == 2


def test_chat_in_new_pane_is_connected_once(run: Run):
    """A replying chat outlives its pane, and another pane adds no connections."""
    pane = run.pane
    pane.composer.set_text("hold 5")
    # Columns have connections to the chat, too.
    pane.show_comparison(pane.chat.comparison.ask(panel.members_by_seed(3)))
    run.until(lambda: len(run.engine.sent) == 3)
    chat, workspace = pane.chat, run.window.workspace
    workspace.activate(pane)
    heard = [listeners(chat)]
    for _ in range(4):
        workspace.close_pane(workspace.pane(chat.id), announce=False)
        workspace.delete_closed(chat.id)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert chat.reply.is_active
        workspace.show_chat(chat)
        heard.append(listeners(chat))
    assert heard[0]["chat_changed"] > 3
    assert heard[0]["reply_ended"] >= 1
    # The first pane was created for an empty chat, whose suggestions also have connections.
    assert heard[2:] == heard[1:2] * 3
    assert all(heard[0][name] >= count for name, count in heard[1].items())
    run.engine.release()


def listeners(chat: Chat) -> dict[str, int]:
    meta = chat.metaObject()
    methods = [meta.method(number) for number in range(meta.methodCount())]
    signals = [m for m in methods if m.methodType() == m.MethodType.Signal]
    names = [bytes(m.methodSignature().data()).decode() for m in signals]
    return {name.partition("(")[0]: chat.receivers(f"2{name}") for name in names}


def test_tab_moves_through_the_composers_buttons_from_left_to_right(run: Run):
    run.window.commands["split_right"].trigger()
    composer = run.pane.composer
    buttons = [composer.broadcast_button, composer.compare, composer.attach, composer.button]
    assert all(button.isVisible() for button in buttons)
    assert [b.x() for b in buttons] == sorted(b.x() for b in buttons)
    order, widget = [], composer.field.nextInFocusChain()
    while widget is not composer.field:
        order.append(widget)
        widget = widget.nextInFocusChain()
    assert [widget for widget in order if widget in buttons] == buttons
