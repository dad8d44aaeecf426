"""Tree of a chat's branches."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.ui.compare.branch_compare import BranchCompare
from app.ui.pane.branches import BranchTree
from tests.app.conftest import Run, Start
from tests.app.desk import edit

KEY = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def lines(tree: BranchTree) -> list[str]:
    view, model, found = tree.view, tree.model, list[str]()
    index = model.index(0, 0)
    while index.isValid():
        run = model.run(index)
        name = f"[{model.name(run)}] " if model.name(run) else ""
        mark = ">" if run.shown else ""
        found.append(f"{' ' * run.depth}{mark}{name}{model.excerpt(run)} {len(run.ids)}")
        index = view.indexBelow(index)
    return found


def branched(run: Run) -> BranchTree:
    pane = run.pane
    run.ask("say one")
    run.ask("say two")
    first = pane.chat.transcript.path[1].id
    pane.chat.regenerate(pane.chat.transcript.path[0].id)
    run.answered()
    edit(pane.chat, pane.chat.transcript.path[0].id, "say other")
    run.answered()
    pane.chat.show_branch_of(first)
    run.window.commands["tree"].trigger()
    return pane.tree


DRAWN = [
    ">Beginning of the chat 0",
    " say other 2",
    ">say one 1",
    " Guide: one 1",
    ">Guide: one 3",
]
NAMED = [*DRAWN[:3], " Guide: one 3", ">[Again and] Guide: one 1"]


def press(run: Run, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    for key in keys:
        run.qtbot.keyClick(run.pane.tree.view, key, modifiers)


def test_branch_is_named_compared_and_chosen(start: Start):
    run = start().ready()
    tree, pane = branched(run), run.pane
    assert tree.view.hasFocus()
    assert lines(tree) == DRAWN
    press(run, KEY.Key_Up, KEY.Key_F2)
    editor = QApplication.focusWidget()
    run.qtbot.keyClicks(editor, "  Again  and ")
    run.qtbot.keyClick(editor, KEY.Key_Return)
    run.until(lambda: lines(tree)[3] == " [Again and] Guide: one 1")
    assert tree.view.hasFocus()
    press(run, KEY.Key_Return, modifiers=SHIFT)
    window = run.window.findChild(BranchCompare)
    texts = [[v.document().toPlainText() for v in c.texts] for c in window.columns]
    assert texts == [["one", "say two", "two"], ["one"]]
    window.reject()
    run.until(lambda: run.window.findChild(BranchCompare) is None)
    run.window.activateWindow()  # window managers do this
    run.until(run.window.isActiveWindow)
    press(run, KEY.Key_Return)
    assert not pane.is_tree_shown
    assert [m.content for m in pane.chat.transcript.path] == ["say one", "one "]
    assert pane.composer.field.hasFocus()
    # The name survives a restart.
    run.end()
    run = start().ready()
    run.window.commands["tree"].trigger()
    assert lines(run.pane.tree) == NAMED


def test_branch_is_pruned_and_run_is_split(run: Run):
    tree = branched(run)
    press(run, KEY.Key_Up, KEY.Key_Delete)
    run.until(lambda: lines(tree) == [*DRAWN[:2], ">say one 4"])
    assert tree.view.hasFocus()
    run.window.commands["undo"].trigger()
    run.until(lambda: lines(tree) == DRAWN)
    press(run, *[KEY.Key_Up] * 4, KEY.Key_Down)
    assert tree.view.currentIndex().data() == "say other"
    press(run, KEY.Key_Right, modifiers=SHIFT)
    assert lines(tree)[1:3] == [" say other 1", " Guide: other 1"]
    press(run, KEY.Key_Down)
    press(run, KEY.Key_Right, modifiers=SHIFT)
    assert lines(tree) == DRAWN


def test_tree_stays_usable_during_a_reply(run: Run):
    branched(run)
    pane = run.pane
    press(run, KEY.Key_Escape)
    assert not pane.is_tree_shown
    run.say("hold 2")
    run.until(lambda: run.answer(pane))
    run.window.commands["tree"].trigger()
    press(run, KEY.Key_Up, KEY.Key_Return)
    assert run.window.toast.isVisible()  # with the reason
    run.qtbot.keyClicks(pane.tree.view, "x")
    assert (pane.composer.text, pane.is_tree_shown) == ("x", True)
    run.engine.release()
    run.answered()
