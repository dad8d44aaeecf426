from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.chats.turn import Draft, Event
from app.ui.compare.compare_dialog import CompareDialog
from tests.app.conftest import Run


def test_broadcast_reaches_every_pane(run: Run):
    left = run.pane
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.window.commands["broadcast"].trigger()
    assert run.window.commands["broadcast"].isChecked()
    assert left.composer.tinted
    assert right.composer.tinted
    run.say("say both")
    assert run.answered(left) == run.answered(right) == "both "
    assert not run.window.commands["broadcast"].isChecked()
    assert not left.composer.tinted
    run.say("say one")
    assert run.answered(right) == "one "
    assert run.answer(left) == "both "


@pytest.mark.parametrize(
    ("seeds", "variants"),
    [((1, 2), ["Seed 1", "Seed 2"]), ((1, 1), ["{0} 1", "{0} 2"])],
)
def test_new_chats_of_a_broadcast_differ_in_name(
    run: Run, seeds: tuple[int, int], variants: list[str]
):
    run.window.commands["split_right"].trigger()
    for pane, seed in zip(run.panes, seeds, strict=True):
        pane.chat.set_options(ChatOptions(seed=seed), "")
    run.window.commands["broadcast"].trigger()
    run.say("say both")
    name = run.pane.chat.model.status.name
    assert [pane.chat.record.variant for pane in run.panes] == [v.format(name) for v in variants]


def test_escape_turns_broadcast_off(run: Run):
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    run.pane.focus_composer()
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Escape)
    assert not run.window.commands["broadcast"].isChecked()


def test_broadcast_keeps_draft_of_busy_chat(run: Run):
    left = run.say("hold 2")
    run.until(lambda: run.answer(left))
    left.composer.set_text("my next thought")
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.window.commands["broadcast"].trigger()
    run.say("say next", right)
    assert run.answered(right) == "next "
    run.engine.release()
    run.answered(left)
    run.qtbot.wait(50)
    assert (left.composer.text, len(left.chat.transcript.path)) == ("my next thought", 2)


def test_broadcast_says_why_a_chat_did_not_get_it(run: Run, monkeypatch: pytest.MonkeyPatch):
    left = run.pane
    monkeypatch.setattr(left.chat.attacher.counter, "largest_unfit_file", lambda _files: "long.txt")
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    run.say("say next")
    assert "“long.txt”" in run.window.toast.text
    assert left.composer.text == "say next"


def test_stop_and_delete_hold_queued_broadcast(run: Run):
    left = run.say("hold 2")
    run.until(lambda: run.answer(left))
    assert left.chat.turn.handle(Event.BROADCAST, Draft("say later"))
    run.qtbot.keyClick(left.composer.field, Qt.Key.Key_Escape)
    run.until(lambda: not left.chat.reply.is_active)
    assert [each.text for each in left.chat.queue.messages] == ["say later"]
    run.say("hold 3", left)
    assert left.chat.turn.handle(Event.BROADCAST, Draft("say last"))
    chat, engine = left.chat, run.engine
    run.window.chats.delete(chat.id)
    engine.release()
    run.qtbot.wait(100)
    assert [reply.turns[-1]["content"] for reply in engine.sent] == ["hold 2", "hold 3"]


def test_chat_can_leave_and_rejoin_group(run: Run, qtbot: QtBot):
    run.window.resize(1180, 700)
    left = run.pane
    assert not left.composer.broadcast_button.isVisible()
    assert left.composer.compare.isVisible()
    run.window.commands["split_right"].trigger()
    middle = run.pane
    run.window.commands["split_right"].trigger()
    right = run.pane
    qtbot.mouseClick(left.composer.broadcast_button, Qt.MouseButton.LeftButton)
    assert run.window.broadcast.on
    qtbot.mouseClick(left.composer.broadcast_line.keep, Qt.MouseButton.LeftButton)
    run.window.workspace.activate(left)
    run.window.commands["broadcast_one"].trigger()
    assert left.composer.broadcast_button.toolTip().startswith("Join Broadcast")
    assert [pane.composer.tinted for pane in (left, middle, right)] == [False, True, True]
    run.say("say two", right)
    assert run.answered(middle) == run.answered(right) == "two "
    assert left.chat.transcript.path == []
    run.say("say own", left)
    assert run.answered(left) == "own "
    assert run.answer(middle) == run.answer(right) == "two "
    qtbot.mouseClick(left.composer.broadcast_button, Qt.MouseButton.LeftButton)
    run.say("say all", middle)
    assert [run.answered(p) for p in (left, middle, right)] == ["all "] * 3
    run.window.commands["broadcast"].trigger()
    assert not left.composer.broadcast_button.isChecked()


def test_broadcast_excludes_hidden_tabs_by_default(run: Run):
    hidden = run.pane
    run.window.chats.new()
    left = run.pane
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.until(lambda: right.isVisible() and not hidden.isVisible())
    broadcast = run.window.broadcast
    broadcast.toggle()
    assert broadcast.group == [left, right]
    assert not hidden.composer.tinted
    menu = broadcast.menu(right)
    checked = [a.isChecked() for a in menu.actions() if a.isCheckable()]
    assert checked == [False, True, True, False]  # the hidden tab, both panes, "Keep Broadcast On"
    menu.actions()[0].trigger()
    assert hidden.composer.tinted
    figures = [c for c in right.composer.broadcast_line.whom.text() if c.isdigit()]
    assert figures == ["3", "1"]  # chats, of them in hidden tabs
    run.say("say all", right)
    assert [run.answered(p) for p in (hidden, left, right)] == ["all "] * 3
    assert not right.composer.broadcast_line.isVisible()
    run.window.workspace.activate(hidden)
    run.until(lambda: hidden.isVisible() and not left.isVisible())
    broadcast.toggle()
    assert broadcast.group == [hidden, right]


def test_pinned_broadcast_applies_to_every_message(run: Run):
    left = run.pane
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    run.window.commands["broadcast_keep"].trigger()
    assert left.composer.broadcast_line.keep.isChecked()
    for word in ("one", "two"):
        run.say(f"say {word}")
        assert run.answered() == run.answered(left) == f"{word} "
    run.window.commands["broadcast"].trigger()
    run.window.commands["broadcast"].trigger()
    assert not run.window.broadcast.pinned


def test_compare_and_four_buttons_start_comparisons(run: Run, qtbot: QtBot):
    qtbot.mouseClick(run.pane.composer.compare, Qt.MouseButton.LeftButton)
    assert run.window.findChild(CompareDialog) is None  # there is no message
    run.pane.composer.set_text("say hello")
    qtbot.mouseClick(run.pane.composer.compare, Qt.MouseButton.LeftButton)
    dialog = run.window.findChild(CompareDialog)
    dialog.reject()
    run.until(lambda: run.window.findChild(CompareDialog) is None)
    run.pane.composer.set_text("say four")
    qtbot.mouseClick(run.pane.empty.demo, Qt.MouseButton.LeftButton)
    run.until(lambda: len(run.engine.sent) == 4 and not run.pane.chat.reply.is_active)
    assert {each.params.seed for each in run.engine.sent} == {1, 2, 3, 4}
    assert {each.turns[-1]["content"] for each in run.engine.sent} == {"say four"}
    assert len(run.pane.comparison.columns) == 4
    assert run.pane.composer.text == ""


def test_see_four_replies_is_a_command(run: Run, qtbot: QtBot):
    run.window.commands["palette"].trigger()
    palette = run.window.palette_commands.palette
    qtbot.keyClicks(palette.field, "see four")
    run.until(lambda: palette.finder.is_complete)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    run.until(lambda: len(run.engine.sent) == 4 and not run.pane.chat.reply.is_active)
    assert len(run.pane.comparison.columns) == 4
    run.pane.composer.set_text("say more")
    run.window.commands["four"].trigger()
    run.until(lambda: len(run.engine.sent) == 8 and not run.pane.chat.reply.is_active)
    assert {each.turns[-1]["content"] for each in run.engine.sent[4:]} == {"say more"}


def test_reopened_chat_no_longer_sends_to_several(run: Run):
    left = run.say("hold 3")
    chat = left.chat
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    assert chat.turn.several
    for pane in (left, run.pane):
        run.window.workspace.close_pane(pane)
    run.window.workspace.delete_closed(chat.id)
    run.window.commands["broadcast"].trigger()
    run.window.chats.open(chat.id)
    assert run.pane is not left
    assert run.pane.chat is chat
    assert not chat.turn.several


def test_broadcast_works_from_replying_chat(run: Run, qtbot: QtBot):
    left = run.say("hold 2")
    run.until(lambda: run.answer(left))
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.window.commands["broadcast"].trigger()
    run.window.workspace.activate(left)
    left.composer.set_text("say next")
    qtbot.keyClick(left.composer.field, Qt.Key.Key_Return)
    assert run.answered(right) == "next "
    assert [each.text for each in left.chat.queue.messages] == ["say next"]
    qtbot.keyClick(left.composer.field, Qt.Key.Key_Return)
    assert len(left.chat.transcript.path) == 2
    run.engine.release()
    run.until(lambda: len(left.chat.transcript.path) == 4)
    assert run.answered(left) == "next "
    assert len(right.chat.transcript.path) == 2, "what was broadcast is not broadcast again"
