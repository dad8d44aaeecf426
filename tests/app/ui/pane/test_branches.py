"""Tree of a chat's branches."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from app.ui.compare.branch_compare import BranchCompare
from app.ui.pane.branches import BranchTree
from tests.app.conftest import Run, Start
from tests.app.desk import edit

KEY = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


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


def read(tree: BranchTree) -> list[str]:
    interface = QAccessible.queryAccessibleInterface(tree.view)
    return [interface.child(n).text(QAccessible.Text.Name) for n in range(interface.childCount())]


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


def test_tree_is_used_by_keyboard(start: Start):
    run = start().ready()
    tree, bot = branched(run), run.qtbot
    view, pane = tree.view, run.pane
    assert view.hasFocus()
    drawn = [
        ">Beginning of the chat 0",
        " say other 2",
        ">say one 1",
        " Guide: one 1",
        ">Guide: one 3",
    ]
    assert lines(tree) == drawn
    assert tree.words.text() == "3 branches · 7 messages"
    # Name it and select it.
    for _ in range(3):
        bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Down)
    bot.keyClick(view, KEY.Key_Down)
    bot.keyClick(view, KEY.Key_F2)
    editor = QApplication.focusWidget()
    assert editor is not None
    bot.keyClicks(editor, "  Again  and ")
    bot.keyClick(editor, KEY.Key_Return)
    run.until(lambda: lines(tree)[3] == " [Again and] Guide: one 1")
    assert view.hasFocus()
    assert read(tree)[-3:-1] == ["say one, 1 branch, shown", "Again and, Guide: one"]
    # Compare it with the shown branch.
    bot.keyClick(view, KEY.Key_Return, SHIFT)
    window = run.window.findChild(BranchCompare)
    texts = [[v.document().toPlainText() for v in c.texts] for c in window.columns]
    assert texts == [["one", "say two", "two"], ["one"]]
    window.reject()
    run.until(lambda: run.window.findChild(BranchCompare) is None)
    run.window.activateWindow()  # window managers do this
    run.until(run.window.isActiveWindow)
    bot.keyClick(view, KEY.Key_Return)
    assert not pane.is_tree_shown
    assert [m.content for m in pane.chat.transcript.path] == ["say one", "one "]
    assert pane.composer.field.hasFocus()
    # Prune the other branch and undo.
    run.window.commands["tree"].trigger()
    seen = [
        ">Beginning of the chat 0",
        " say other 2",
        ">say one 1",
        " Guide: one 3",
        ">[Again and] Guide: one 1",
    ]
    assert lines(tree) == seen
    bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Delete)
    run.until(lambda: lines(tree) == [*seen[:2], ">say one 2"])
    assert view.hasFocus()
    run.window.commands["undo"].trigger()
    run.until(lambda: lines(tree) == seen)
    # Split the run into messages and join it.
    bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Down)
    assert view.currentIndex().data() == "say other"
    bot.keyClick(view, KEY.Key_Right, SHIFT)
    assert lines(tree)[1:3] == [" say other 1", " Guide: other 1"]
    bot.keyClick(view, KEY.Key_Down)
    bot.keyClick(view, KEY.Key_Right, SHIFT)
    assert lines(tree) == seen
    # The tree works while a reply streams: text goes to the composer, Esc closes it.
    bot.keyClick(view, KEY.Key_Escape)
    assert not pane.is_tree_shown
    run.say("hold 2")
    run.until(lambda: run.answer(pane))
    run.window.commands["tree"].trigger()
    said = view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Again and, Guide: one, 3 messages, shown, replying"
    bot.keyClick(view, KEY.Key_Up)
    bot.keyClick(view, KEY.Key_Return)
    assert run.window.toast.isVisible()
    bot.keyClicks(view, "x")
    assert (pane.composer.text, pane.is_tree_shown) == ("x", True)
    run.engine.release()
    run.until(lambda: not pane.chat.reply.is_active)
    # The name survives a restart.
    run.end()
    run = start().ready()
    run.window.commands["tree"].trigger()
    assert lines(run.pane.tree) == [*seen[:4], ">[Again and] Guide: one 3"]
