"""Attaching, storing, sending and exporting files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.chats import file_attacher
from app.chats.actions import Action
from app.chats.exporting.export_formats import markdown_lines, plain_text_lines
from app.chats.turn import Draft
from app.ui.composer.composer import paths_in
from app.ui.composer.file_chips import FileChip
from app.ui.pane import files
from app.ui.pane.files import PagesDialog
from app.ui.pane.pane import ChatPane
from app.ui.transcript.user_row import UserRow
from engine.messages import text_of
from engine.sandbox.jobs import read_document
from tests.app.conftest import Run, Start
from tests.engine import document_samples as samples

PAGES = ["Cover", "The fox is red.", "The owl sleeps by day.", "The end"]


def names(pane: ChatPane) -> list[str]:
    return [chip.words.name for chip in pane.composer.chips.chips]


def chip(pane: ChatPane) -> FileChip:
    (only,) = pane.composer.chips.chips
    return only


def read(run: Run, condition: Callable[[], object]) -> None:
    run.qtbot.waitUntil(lambda: bool(condition()), timeout=60_000)


def give(run: Run, *paths: Path, pane: ChatPane | None = None) -> ChatPane:
    pane = pane or run.pane
    pane.composer.field.files_inserted.emit(list(paths))
    read(run, lambda: not pane.chat.attacher.reading)
    run.until(lambda: all("about" not in c.words.about for c in pane.composer.chips.chips))
    return pane


def attach_notes(run: Run, folder: Path) -> ChatPane:
    (path := folder / "notes.txt").write_text("Bring bread.")
    run.pane.composer.field.files_inserted.emit([path])
    return run.pane


def prompt(run: Run) -> str:
    return text_of(run.engine.sent[-1].turns[-1]["content"])


def copied(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(pane: QWidget, *paths: Path) -> None:
    data = copied(*paths)
    where = pane.mapTo(pane.window(), QPoint(40, 60))
    assert where
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(40, 60), copy, data, left, none)
    QApplication.sendEvent(pane, enter)
    assert enter.isAccepted()
    either, shift = copy | Qt.DropAction.MoveAction, Qt.KeyboardModifier.ShiftModifier
    dropped = QDropEvent(QPointF(40, 60), either, data, left, shift)
    assert dropped.proposedAction() == Qt.DropAction.MoveAction
    QApplication.sendEvent(pane, dropped)
    assert dropped.dropAction() == copy  # after a move, the source program would delete its file


def test_drop_activates_its_pane(run: Run, tmp_path: Path, qtbot: QtBot):
    left = run.pane
    run.window.commands["split_right"].trigger()
    run.ready()
    other = QWidget()  # source of the drag
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    run.until(other.isActiveWindow)
    (tmp_path / "a.txt").write_text("words")
    drop(left, tmp_path / "a.txt")
    run.until(lambda: run.window.workspace.active is left)
    run.until(left.composer.field.hasFocus)


@pytest.mark.usefixtures("in_children")
def test_attach_a_pdf_and_ask_about_page_3_by_keys(run: Run, tmp_path: Path, qtbot: QtBot):
    pane = run.pane
    path = samples.pdf(tmp_path / "report.pdf", PAGES)
    run.window.commands["attach"].trigger()
    run.until(lambda: pane.findChild(QFileDialog, "attach-dialog"))
    dialog = pane.findChild(QFileDialog, "attach-dialog")
    dialog.filesSelected.emit([str(path)])
    dialog.reject()
    read(run, lambda: names(pane) == ["report.pdf"] and not pane.chat.attacher.reading)
    run.until(lambda: "tokens" in chip(pane).words.about and "about" not in chip(pane).words.about)
    assert chip(pane).words.about.startswith("PDF, 4 pages, ")
    run.ask("say What stands on page 3?")
    assert prompt(run) == (
        '<file name="report.pdf">\n<page number="1">\nCover\n</page>\n'
        '<page number="2">\nThe fox is red.\n</page>\n'
        '<page number="3">\nThe owl sleeps by day.\n</page>\n'
        '<page number="4">\nThe end\n</page>\n</file>\n\nsay What stands on page 3?'
    )
    assert names(pane) == []
    asked = pane.chat.transcript.path[0]
    row = pane.transcript.row(asked.id)
    assert isinstance(row, UserRow)
    (line,) = row.files.lines
    run.window.activateWindow()
    run.until(QApplication.focusWidget)
    for key in (Qt.Key.Key_F6, Qt.Key.Key_Up, Qt.Key.Key_Tab):
        qtbot.keyClick(QApplication.focusWidget(), key)
    assert line.hasFocus()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    run.until(lambda: row.files is not None and row.files._views)
    (view,) = row.files._views.values()
    run.until(lambda: "Page 3\nThe owl sleeps by day." in view.toPlainText())
    run.say("say again")  # the file stays in the conversation
    run.answered()
    assert "The owl" in text_of(run.engine.sent[-1].turns[0]["content"])


def test_matching_passages_are_sent_with_pages(run: Run, tmp_path: Path):
    filler = ["So many words that lead nowhere and say nothing at all."] * 30
    pages = ["\n".join(filler)] * 40
    pages[29] = "The harbour of Piraeus was closed."
    pane = give(run, samples.pdf(tmp_path / "long.pdf", pages))
    assert chip(pane).words.too_much  # the test model's context is 2,048 tokens
    assert chip(pane).words.about.startswith("Too long")
    assert not pane.composer.chips.choose.isHidden()
    pane.composer.chips.choose.click()
    menu = pane.findChild(QMenu, "file-menu")
    menu.actions()[3].trigger()
    menu.close()
    run.until(lambda: "relevant passages" in chip(pane).words.about)
    assert pane.composer.chips.choose.isHidden()
    run.ask("say where is the harbour")
    assert 'shows="passages that match the question" of="40"' in prompt(run)
    assert '<page number="30">\nThe harbour of Piraeus was closed.\n</page>' in prompt(run)
    assert len(prompt(run)) < 5_000
    sent = pane.chat.transcript.path[0].attachments[0]
    assert 30 in {page for page, _, _ in sent.spans}
    pane.chat.regenerate()
    run.answered()
    assert pane.chat.transcript.path[0].attachments == (sent,)
    pane.act(Action.EDIT)  # another question selects other passages
    pane.composer.set_text("say what stands on page 7")
    pane.act(Action.SEND)
    run.answered()
    assert {page for page, _, _ in pane.chat.transcript.path[0].attachments[0].spans} == {7}


def test_too_long_file_is_not_sent(run: Run, tmp_path: Path):
    said: list[str] = []
    file = tmp_path / "long.txt"
    file.write_text("So many words that lead nowhere. " * 500)
    pane = give(run, file)
    pane.notice_posted.connect(said.append)
    pane.composer.set_text("say one")
    run.until(lambda: not pane.composer.button.isEnabled())
    pane.act(Action.SEND)
    assert said == [pane.composer.button.toolTip()]
    assert "“long.txt”" in said[0]
    assert pane.composer.chips.choose.isVisible()
    assert pane.chat.transcript.leaf_id is None
    (sent,) = pane.chat.attacher.files
    assert pane.chat.turn.why_not_send(Draft("say two", (sent,)))
    assert not pane.chat.turn.send("say one", (sent,))
    pane.chat.attacher.remove(sent)
    pane.act(Action.SEND)
    assert run.answered()
    file.write_text("a " * 3000)  # the estimate fits, but the exact count doesn't
    pane.composer.set_text("say one")
    give(run, file)
    assert pane.chat.why_not(Action.SEND)
    assert not pane.composer.button.isEnabled()


def test_pages_and_the_beginning_are_chosen(run: Run, tmp_path: Path, qtbot: QtBot):
    pane = give(run, samples.pdf(tmp_path / "a.pdf", PAGES))
    chip(pane).setFocus()
    qtbot.keyClick(chip(pane), Qt.Key.Key_Return)
    menu = pane.findChild(QMenu, "file-menu")
    menu.actions()[2].trigger()
    menu.close()
    dialog = pane.findChild(PagesDialog)
    qtbot.keyClicks(dialog.field, "5")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.hint.text()
    dialog.field.selectAll()
    qtbot.keyClicks(dialog.field, "2-3")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    run.until(lambda: "pages 2–3" in chip(pane).words.about)
    run.ask("say which")
    assert "Cover" not in prompt(run)
    assert "The owl" in prompt(run)
    (whole,) = pane.chat.transcript.path[0].attachments
    exported = "".join(markdown_lines(pane.chat.record, pane.chat.transcript.path))
    assert "*Attached: a.pdf (PDF, 4 pages; pages 2–3)*" in exported
    assert "[Attached: a.pdf" in "".join(
        plain_text_lines(pane.chat.record, pane.chat.transcript.path)
    )
    attacher = pane.chat.attacher
    attacher.put_back((0, whole))
    run.until(lambda: bool(attacher.files))
    attacher.set_used_part(whole, "beginning")
    run.until(lambda: attacher.files[0].use == "beginning")
    assert attacher.files[0].spans[0] == (1, 0, 5)


def test_file_is_removed_by_key_and_restored(run: Run, tmp_path: Path, qtbot: QtBot):
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    pane = give(run, tmp_path / "a.txt", tmp_path / "b.txt")
    assert names(pane) == ["a.txt", "b.txt"]
    field = pane.composer.field
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    first = pane.composer.chips.chips[0]
    assert first.hasFocus()
    qtbot.keyClick(first, Qt.Key.Key_Delete)
    assert names(pane) == ["b.txt"]
    assert chip(pane).hasFocus()
    run.window.toast.button.click()
    run.until(lambda: names(pane) == ["a.txt", "b.txt"])


def test_draft_files_survive_restart(start: Start, tmp_path: Path):
    run = start().ready()
    path = tmp_path / "a.txt"
    path.write_bytes("こんにちは、元気ですか".encode("shift_jis"))
    pane = give(run, path)
    pane.composer.set_text("say it")
    run.end()
    path.unlink()
    run = start().ready()
    (file,) = run.pane.chat.attacher.files
    assert (file.name, file.encoding, file.path) == ("a.txt", "cp932", str(path))
    run.ask("")
    assert prompt(run) == '<file name="a.txt">\nこんにちは、元気ですか\n</file>\n\nsay it'


def test_files_are_dropped_on_three_panes(run: Run, tmp_path: Path):
    run.window.commands["split_right"].trigger()
    run.window.commands["split_right"].trigger()
    made = []
    for number, pane in enumerate(run.panes):
        path = tmp_path / f"{number}.txt"
        path.write_text(f"text {number}")
        made.append(path)
        drop(pane, path)
    run.until(lambda: [names(pane) for pane in run.panes] == [[path.name] for path in made])
    read(run, lambda: not any(pane.chat.attacher.reading for pane in run.panes))
    assert [pane.chat.attacher.files[0].characters for pane in run.panes] == [6, 6, 6]


def test_unsupported_file_gives_an_error_message(run: Run, tmp_path: Path):
    pane = run.pane
    (tmp_path / "empty.txt").write_bytes(b"")
    pane.composer.field.files_inserted.emit([tmp_path / "empty.txt"])
    assert names(pane) == ["empty.txt"]  # still being read
    pane.composer.set_text("say it")
    assert pane.chat.attacher.reading == ("empty.txt",)
    read(run, lambda: run.window.toast.text == "“empty.txt” is empty.")
    assert names(pane) == []
    assert not pane.chat.why_not(Action.SEND)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "blob.bin").write_bytes(bytes(range(256)) * 40)
    pane.composer.field.files_inserted.emit([tmp_path / name for name in ("a", "b", "blob.bin")])
    read(run, lambda: not pane.chat.attacher.reading)
    for name in ("a", "b", "blob.bin"):
        assert f"“{name}”" in run.window.toast.text
    assert pane.composer.text == "say it"


@pytest.fixture
def slow_file(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    go = threading.Event()

    def slow(path: Path, stop: threading.Event, encoding: str) -> Any:
        go.wait(20)
        return read_document(path, stop, encoding=encoding)

    monkeypatch.setattr(file_attacher, "read_document", slow)
    return go


def test_enter_during_file_reading_sends_once(run: Run, tmp_path: Path, slow_file: threading.Event):
    pane = attach_notes(run, tmp_path)
    run.say("say it")
    assert (pane.composer.text, pane.chat.transcript.path) == ("say it", [])
    assert "“notes.txt”" in pane.composer.foot
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Escape)  # discards the edit
    assert (pane.chat.turn.draft_state.is_waiting, pane.composer.foot) == (False, "")
    assert names(pane) == ["notes.txt"]
    run.qtbot.mouseClick(pane.composer.button, Qt.MouseButton.LeftButton)
    assert pane.chat.turn.draft_state.is_waiting
    run.qtbot.keyClicks(pane.composer.field, "!")  # discards another edit
    assert not pane.chat.turn.draft_state.is_waiting
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
    slow_file.set()
    read(run, lambda: pane.chat.transcript.path)
    run.answered()
    assert "Bring bread." in prompt(run)
    assert prompt(run).endswith("say it!")
    assert (pane.composer.text, names(pane)) == ("", [])


def test_ctrl_enter_during_file_reading_interrupts_when_file_is_read(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane, field = run.say("hold 2"), run.pane.composer.field
    run.until(lambda: run.answer(pane))
    run.say("say later")
    attach_notes(run, tmp_path)
    run.say("say it")
    waits = pane.composer.foot
    run.qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert pane.composer.foot != waits
    slow_file.set()
    read(run, lambda: run.answer(pane) == "later ")
    run.answered()
    answers = [m for m in pane.chat.transcript.path if m.role == "assistant"]
    assert [m.content for m in answers[1:]] == ["it ", "later "]
    assert answers[0].status == "cancelled"


def test_file_attached_twice_is_sent_once(run: Run, tmp_path: Path, slow_file: threading.Event):
    pane = run.pane
    (path := tmp_path / "notes.txt").write_text("Bring bread.")
    pane.composer.field.files_inserted.emit([path, path])
    run.say("say it")
    slow_file.set()
    read(run, lambda: pane.chat.transcript.path)
    assert run.answered() == "it "
    assert [file.name for file in pane.chat.transcript.path[0].attachments] == ["notes.txt"]


def test_unreadable_file_keeps_waiting_message(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane = run.pane
    (path := tmp_path / "empty.txt").write_bytes(b"")
    pane.composer.field.files_inserted.emit([path])
    run.say("say it")
    slow_file.set()
    read(run, lambda: not pane.chat.attacher.reading)
    assert "“empty.txt”" in pane.composer.foot
    run.qtbot.wait(30)
    assert (pane.composer.text, pane.chat.transcript.path) == ("say it", [])
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
    assert run.answered() == "it "
    assert pane.composer.foot == ""


def test_message_waiting_for_a_file_is_sent_after_pane_closes(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane, chat_id = attach_notes(run, tmp_path), run.pane.chat.id
    run.say("say it")
    run.window.chats.new()
    run.window.workspace.close_pane(pane)
    slow_file.set()
    stored = run.app.store.messages
    read(run, lambda: [m.status for m in stored(chat_id)] == ["complete", "complete"])
    assert "Bring bread." in prompt(run)


def test_file_being_read_is_kept_after_its_chat_closes(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane, chat_id = attach_notes(run, tmp_path), run.pane.chat.id
    pane.composer.set_text("not yet")
    run.window.chats.new()
    run.window.workspace.close_pane(pane)
    run.window.workspace.delete_closed(chat_id)
    slow_file.set()
    read(run, lambda: run.app.library.chat(chat_id).draft_attachments)
    run.until(lambda: chat_id not in run.app.library._in_use)
    assert [file.name for file in run.app.store.chat(chat_id).draft_attachments] == ["notes.txt"]


def test_deleted_chat_is_closed_while_its_file_is_read(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane, library = attach_notes(run, tmp_path), run.app.library
    chat_id = pane.chat.id
    pane.composer.set_text("not yet")
    run.window.chats.new()
    run.window.workspace.close_pane(pane)
    run.window.workspace.delete_closed(chat_id)
    assert chat_id in library._in_use
    library.delete(chat_id)
    run.until(lambda: chat_id not in library._in_use)
    slow_file.set()


def test_removing_file_being_read_cancels_sending(
    run: Run, tmp_path: Path, slow_file: threading.Event
):
    pane = attach_notes(run, tmp_path)
    run.say("say it")
    chip(pane).remove_requested.emit()
    slow_file.set()
    run.until(lambda: not pane.chat.attacher._reading.running)
    run.qtbot.wait(30)
    assert (pane.composer.text, pane.chat.transcript.path) == ("say it", [])


def test_long_paste_becomes_a_file_and_back(run: Run):
    pane, long = run.pane, "words of a paste " * 300
    data = QMimeData()
    data.setText(long)
    pane.composer.field.insertFromMimeData(data)
    assert names(pane) == ["Pasted text"]
    assert pane.composer.text == ""
    run.window.toast.button.click()
    run.until(lambda: names(pane) == [])
    assert pane.composer.text == long
    run.app.settings.set(long_paste=0)
    pane.composer.set_text("")
    pane.composer.field.insertFromMimeData(data)
    assert pane.composer.text == long


def test_each_column_of_a_comparison_gets_the_files(run: Run, tmp_path: Path):
    (tmp_path / "a.txt").write_text("first words")
    pane = run.pane
    pane.chat.attacher.add([tmp_path / "a.txt"])
    pane.composer.set_text("say it")
    assert run.window.commands.why_not("compare")
    read(run, lambda: not pane.chat.attacher.reading)
    run.window.commands["panel_again"].trigger()
    run.until(lambda: len(run.engine.sent) == 3)
    prompts = {text_of(reply.turns[-1]["content"]) for reply in run.engine.sent}
    asked = '<file name="a.txt">\nfirst words\n</file>\n\nsay it\n\nAnswer as '
    assert all(prompt.startswith(asked) for prompt in prompts)
    assert len(prompts) == 3
    assert not pane.chat.attacher.files


def test_thousand_files_give_one_notice(run: Run, tmp_path: Path, monkeypatch):
    """Dragging over the window shows one notice, and only the first dropped files count."""
    pane, data = run.pane, QMimeData()
    (tmp_path / "note.txt").write_text("x")
    some = [QUrl.fromLocalFile(str(tmp_path / "note.txt"))] * 1_000
    data.setUrls(some)
    looked, asked, said = [], [], []
    is_dir = Path.is_dir
    main = threading.main_thread()
    monkeypatch.setattr(files, "paths_in", lambda mime: looked.append(1) or paths_in(mime))
    monkeypatch.setattr(
        Path, "is_dir", lambda path: asked.append(threading.current_thread()) or is_dir(path)
    )
    pane.chat.attacher.file_rejected.connect(said.append)
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(pane, QDragEnterEvent(QPoint(40, 60), copy, data, left, none))
    for x in range(100):
        move = QDragMoveEvent(QPoint(x, 60), copy, data, left, none)
        QApplication.sendEvent(pane, move)
        assert move.isAccepted()
    assert len(looked) == 1
    QApplication.sendEvent(pane, QDropEvent(QPointF(40, 60), copy, data, left, none))
    assert len(looked) == 2
    assert len(pane.chat.attacher.reading) == 20
    assert main not in asked, "each may wait for a disk"
    assert len(said) == 1
    pane.chat.attacher.cancel_reading()
    QApplication.sendEvent(pane, QDragLeaveEvent())
    over = QDragMoveEvent(QPoint(1, 60), copy, QMimeData(), left, none)
    QApplication.sendEvent(pane, over)
    assert not over.isAccepted()


def test_attaching_continues_after_unstorable_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    attacher, said, faults = run.pane.chat.attacher, [], [RuntimeError("kept nowhere")]
    attacher.file_rejected.connect(said.append)
    take = attacher._attach_result

    def fails_once(*what: Any) -> str:
        if faults:
            raise faults.pop()
        return take(*what)

    monkeypatch.setattr(attacher, "_attach_result", fails_once)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("words")
        attacher.add([tmp_path / name])
    read(run, lambda: not attacher.reading)
    assert len(said) == 1
    assert names(run.pane) == ["b.txt"]
    run.pane.composer.set_text("say it")
    assert not run.pane.chat.why_not(Action.SEND)


def test_late_file_does_not_restore_deleted_chat(
    run: Run, tmp_path: Path, slow_file: threading.Event
) -> None:
    run.ask("say yes")
    chat, go = run.pane.chat, slow_file
    (path := tmp_path / "notes.txt").write_text("Bring bread.")
    chat.attacher.add([path])
    library, store = run.app.library, run.app.store
    run.window.chats.delete(chat.id)
    go.set()
    run.until(lambda: not chat.attacher._reading.running)
    assert chat.attacher.files == ()
    chat.attacher.add_text("Whatever still comes.")  # a closed pane is kept for undo
    assert library.chat(chat.id) is None
    assert (stored := store.chat(chat.id)) is not None
    assert stored.deleted_at is not None
    library.restore(chat.id)
    chat.rename("Back again")
    assert (listed := library.chat(chat.id)) is not None
    assert (listed.title, listed.deleted_at) == ("Back again", None)
    assert (stored := store.chat(chat.id)) is not None
    assert stored.deleted_at is None


def test_files_and_results_use_the_chats_context_size(run: Run) -> None:
    chat = run.pane.chat
    model = chat.model.status.model
    assert chat.attacher.counter.limit == model.context_length
    chat.set_options(replace(chat.options, context=512), "")
    assert chat.attacher.counter.limit == chat.model.context[2] == 512
    assert 0 < chat._generator._free_tokens() <= 512


def test_file_dialog_reopens_last_folder(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files.PaneFiles, "_folder", "")
    run = start().ready()

    def dialogs() -> list[QFileDialog]:
        return run.pane.findChildren(QFileDialog, "attach-dialog")

    def opened() -> QFileDialog:
        run.window.commands["attach"].trigger()
        run.until(lambda: any(each.isVisible() for each in dialogs()))
        found = dialogs()[-1]
        assert isinstance(found, QFileDialog)
        return found

    dialog = opened()
    begun = Path(dialog.directory().absolutePath())
    assert begun in (Path.home(), Path.home() / "Documents")
    (path := tmp_path / "notes.txt").write_text("Bring bread.")
    dialog.filesSelected.emit([str(path)])
    dialog.reject()
    again = opened()
    assert Path(again.directory().absolutePath()) == tmp_path
    again.reject()
    read(run, lambda: not run.pane.chat.attacher.reading)


def test_chip_shows_the_encoding_and_changes_it(run: Run, tmp_path: Path, qtbot: QtBot):
    path, other = tmp_path / "a.csv", tmp_path / "b.txt"
    path.write_bytes("номер;дерево\n1;Ель\n".encode("koi8_r"))
    other.write_text("Grün")
    pane = give(run, path, other)
    first, second = pane.composer.chips.chips
    assert first.words.about.startswith("CSV, KOI8, ")
    assert second.words.about.startswith("text, ")
    assert "UTF-8" not in second.words.about
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Return)
    menu = pane.findChild(QMenu, "file-menu")
    inner = menu.findChild(QMenu)
    assert inner.title() == "Text Encoding"
    assert [each.text() for each in inner.actions() if each.isChecked()] == ["KOI8"]
    next(each for each in inner.actions() if each.text() == "Windows-1251").trigger()
    menu.close()
    read(run, lambda: pane.chat.attacher.files[0].encoding == "cp1251")
    assert names(pane) == ["a.csv", "b.txt"], "it stays in its place"
    assert pane.composer.chips.chips[0].words.about.startswith("CSV, Windows-1251, ")
    run.ask("say which")
    assert "номер;дерево".encode("koi8_r").decode("cp1251") in prompt(run)
