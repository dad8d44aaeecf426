"""Highlighted search results."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt

from app.store import AttachedText, Attachment, ChatRecord, Message, Store, new_id
from app.ui.pane import find_bar
from app.ui.pane.find_bar import FindBar
from app.ui.style.theme import theme
from app.ui.transcript import answer_row
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import MessageRow
from app.ui.transcript.user_row import UserRow
from app.ui.widgets.textview import TextView
from tests.app.conftest import Run, Start

LONG = "\n\n".join(f"Paragraph {n} says nothing." for n in range(60))


@pytest.fixture
def found(start: Start, profile):
    profile.mkdir(parents=True)
    store = Store.open(profile / "chats.db")
    chat = ChatRecord(id=new_id(), title="Fruit and others", model="guide")
    store.save_chat(chat)
    asked = Message(new_id(), chat.id, None, "user", "\n".join(["line"] * 90) + "\na wild quince")
    told = "An apple.\n\n" + LONG + "\n\n| kind | color |\n|---|---|\n| *ripe* apple | red |\n\n"
    answer = Message(new_id(), chat.id, asked.id, "assistant", told + LONG)
    for message in (asked, answer):
        store.save_message(message, as_leaf=True)
    store.close()
    return start().ready()


def with_file(profile: Path, reply: str = LONG) -> None:
    profile.mkdir(parents=True)
    text = AttachedText("page", ("Cover", "The owl sleeps by day.", LONG))
    file = Attachment("birds.pdf", "PDF", text.hash, "page", 3, len(LONG))
    with Store.open(profile / "chats.db") as store:
        chat = ChatRecord(id=new_id(), title="Birds", model="guide")
        with store.transaction():
            store.save_chat(chat)
            store.texts.save(text)
            asked = Message(new_id(), chat.id, None, "user", "When?", attachments=(file,))
            store.save_message(asked, as_leaf=True)
            answer = Message(new_id(), chat.id, asked.id, "assistant", "By night.\n\n" + reply)
            store.save_message(answer, as_leaf=True)


def search(run: Run, words: str) -> None:
    sidebar = run.window.sidebar
    sidebar.focus_search()
    run.qtbot.keyClicks(sidebar.search, words)
    run.until(lambda: sidebar.model.words == words)


def marked(row: MessageRow) -> list[str]:
    views = row.findChildren(TextView)
    return [each.cursor.selectedText() for view in views for each in view.extraSelections()]


def in_view(run: Run, row: MessageRow, words: str) -> bool:
    view = next(view for view in row.findChildren(TextView) if view.extraSelections())
    first = view.extraSelections()[0]  # keep a reference, because it owns the cursor
    cursor = first.cursor
    assert cursor.selectedText() == words
    y = view.mapTo(run.pane.transcript.viewport(), view.cursorRect(cursor).center()).y()
    return 0 < y < run.pane.transcript.viewport().height()


def rows(run: Run, kind: type) -> list[MessageRow]:
    places = run.pane.transcript.places
    return [place.row for place in places if isinstance(place.row, kind)]


def test_search_words_are_marked_in_list_and_chat(found: Run):
    search(found, "ripe apple")
    row = found.window.sidebar.model.row(found.window.sidebar.model.index(1))
    assert row.text == "Fruit and others"
    assert "ripe apple" in row.snippet
    assert "|" not in row.snippet
    assert [row.snippet[begin:end] for begin, end in row.marks] == ["ripe", "apple"]
    # The chat opens at the best match, with the words highlighted.
    found.qtbot.keyClick(found.window.sidebar.search, Qt.Key.Key_Return)
    found.until(lambda: rows(found, AnswerRow))
    (answer,) = rows(found, AnswerRow)
    assert marked(answer) == ["ripe", "apple", "apple"]  # the apple at the text's start comes last
    found.until(lambda: in_view(found, answer, "ripe"))
    theme().set_appearance("dark")
    assert marked(answer) == ["ripe", "apple", "apple"]
    # A folded message opens if its end matches.
    found.window.sidebar.search.clear()
    search(found, "quince")
    found.qtbot.keyClick(found.window.sidebar.search, Qt.Key.Key_Return)
    found.until(lambda: rows(found, UserRow) and marked(rows(found, UserRow)[0]) == ["quince"])
    found.until(lambda: in_view(found, rows(found, UserRow)[0], "quince"))


def test_highlights_clear_when_user_continues(found: Run):
    sidebar = found.window.sidebar
    for end in ("escape", "typing", "opening", "clearing", "sending"):
        sidebar.search.clear()
        found.until(lambda: not sidebar.model.words)
        search(found, "ripe apple")
        found.qtbot.keyClick(sidebar.search, Qt.Key.Key_Return)
        found.until(lambda: rows(found, AnswerRow) and marked(rows(found, AnswerRow)[0]))
        (answer,) = rows(found, AnswerRow)
        field = found.pane.composer.field
        if end == "escape":
            found.qtbot.keyClick(field, Qt.Key.Key_Escape)
        elif end == "typing":
            found.qtbot.keyClicks(field, "x")
        elif end == "sending":
            found.pane.chat.turn.send("say one")
        elif end == "clearing":
            sidebar.search.clear()
            found.until(lambda: not sidebar.model.words)
        else:
            found.window.chats.open_at(found.pane.chat.id, "")
        assert marked(answer) == [], end


def test_title_match_opens_at_matching_message(found: Run):
    found.app.library.rename(found.app.library.chats()[0].id, "Ripe things")
    search(found, "ripe")
    model = found.window.sidebar.model
    found.until(lambda: model.row(model.index(1)).message_id)
    row = model.row(model.index(1))
    assert [row.text[begin:end] for begin, end in row.title_marks] == ["Ripe"]
    assert [row.snippet[begin:end] for begin, end in row.marks] == ["ripe"]


def current(row: MessageRow) -> tuple[str, int, int]:
    (view,) = [v for v in row.findChildren(TextView) if v.extraSelections()]
    accent = theme().color("accent").name()
    marks = [m for m in view.extraSelections() if m.format.background().color().name() == accent]
    (mark,) = marks
    assert mark.format.foreground().color() == theme().color("accent_text")
    y = view.mapTo(row.parentWidget(), view.cursorRect(mark.cursor).center()).y()
    return mark.cursor.selectedText(), mark.cursor.selectionStart(), y


def test_find_highlights_current_match(found: Run):
    found.window.chats.open(found.app.library.chats()[0].id)
    found.until(lambda: rows(found, AnswerRow))
    for look in ("light", "dark"):
        theme().set_appearance(look)
        goes_from_mark_to_mark(found)
    # A folded message is expanded at a match.
    bar = found.pane.find_bar
    bar.open_bar()
    bar.field.clear()
    found.qtbot.keyClicks(bar.field, "LINE")
    for _ in range(2):
        assert found.marks().endswith(" of 90")
        (question,) = rows(found, UserRow)
        assert 0 < current(question)[2] < found.pane.transcript.viewport().height()
        found.qtbot.keyClick(bar.field, Qt.Key.Key_Return)


def test_find_continues_after_a_search_result_was_shown(found: Run):
    found.window.chats.open(found.app.library.chats()[0].id)
    found.until(lambda: rows(found, AnswerRow))
    bar, transcript = found.pane.find_bar, found.pane.transcript
    bar.open_bar()
    found.qtbot.keyClicks(bar.field, "apple")
    (answer,) = rows(found, AnswerRow)
    transcript.show_found(answer.message.id, "paragraph")
    assert "Paragraph" in marked(answer)
    found.qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert marked(answer) == ["apple", "apple"]
    assert current(answer)[0] == "apple"


def goes_from_mark_to_mark(found: Run) -> None:
    bar, height = found.pane.find_bar, found.pane.transcript.viewport().height()
    bar.open_bar()
    bar.field.clear()
    found.qtbot.keyClicks(bar.field, "apple")
    places = []
    for label in ("1 of 2", "2 of 2", "1 of 2"):
        assert found.marks() == label
        (answer,) = rows(found, AnswerRow)
        assert marked(answer) == ["apple", "apple"]
        words, place, y = current(answer)
        assert words == "apple"
        assert 0 < y < height
        places.append(place)
        found.qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert places[0] == places[2] < places[1]
    found.qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert found.marks() == "1 of 2"
    bar.close_bar()
    assert marked(rows(found, AnswerRow)[0]) == []


@pytest.mark.parametrize("after", [0, 60], ids=["in view", "far above"])
def test_find_counts_matches_in_rendered_text(
    start: Start, profile: Path, monkeypatch: pytest.MonkeyPatch, after: int
):
    monkeypatch.setattr(answer_row, "MOST_LAID_OUT", 40)
    profile.mkdir(parents=True)
    with Store.open(profile / "chats.db") as store:
        chat = ChatRecord(id=new_id(), title="Fruit", model="guide")
        store.save_chat(chat)
        parent = None
        texts = ["one pear", "A **pe**ar. " + "And so on. " * 9 + "pear pear"]
        for number, text in enumerate([*texts, *["more"] * after]):
            role = "assistant" if number % 2 else "user"
            message = Message(new_id(), chat.id, parent, role, text)
            store.save_message(message, as_leaf=True)
            parent = message.id
    run = start().ready()
    run.window.chats.open(chat.id)
    run.until(lambda: rows(run, AnswerRow))
    bar = run.pane.find_bar
    bar.open_bar()
    run.qtbot.keyClicks(bar.field, "PEAR")
    labels = []
    for _ in range(3):
        labels.append(run.marks())
        run.qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert labels == (["2 of 2", "1 of 2", "2 of 2"] if after else ["1 of 2", "2 of 2", "1 of 2"])


def test_find_searches_a_long_chat_in_slices(
    start: Start, profile: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(FindBar, "SLICE_S", 0)  # a message per slice
    profile.mkdir(parents=True)
    with Store.open(profile / "chats.db") as store:
        chat = ChatRecord(id=new_id(), title="Fruit", model="guide")
        with store.transaction():
            store.save_chat(chat)
            parent = None
            for number in range(60):
                text = "one pear" if number % 2 else "one plum"
                message = Message(new_id(), chat.id, parent, "assistant", text)
                store.save_message(message, as_leaf=True)
                parent = message.id
    run = start().ready()
    run.window.chats.open(chat.id)
    run.until(lambda: rows(run, AnswerRow))
    searched: list[str] = []

    def shown(content: str, role: str) -> str:
        searched.append(content)
        return content

    monkeypatch.setattr(find_bar, "displayed_text", shown)
    bar = run.pane.find_bar
    bar.open_bar()
    bar.field.setText("plum")
    bar.field.setText("pear")
    assert len(searched) <= 2
    assert bar.count.text() != "Not found"
    run.until(lambda: bar.count.text().endswith(" of 30"))
    number = int(bar.count.text().split()[0])
    assert current(run.pane.transcript.row(run.pane.transcript.places[2 * number - 1].message_id))
    bar.field.setText("cherry")
    run.until(lambda: bar.count.text() == "Not found")


def test_search_match_in_file_expands_its_page(start: Start, profile: Path):
    with_file(profile)
    run = start().ready()
    search(run, "owl sleeps")
    model = run.window.sidebar.model
    row = model.row(model.index(1))
    assert row.place == "birds.pdf, page 2"
    assert "birds.pdf" not in row.snippet, "the line has all its room for the words"
    assert [row.snippet[begin:end] for begin, end in row.marks] == ["owl", "sleeps"]
    run.qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Return)
    run.until(lambda: run.pane.chat.id == row.chat_id)
    run.until(lambda: rows(run, UserRow))
    (message,) = rows(run, UserRow)
    run.until(lambda: marked(message) == ["owl", "sleeps"])
    assert isinstance(message, UserRow)
    assert message.files.lines[0].isChecked()
    run.until(lambda: in_view(run, message, "owl"))


def test_clicked_file_expands_in_place(start: Start, profile: Path):
    with_file(profile, "")
    run = start().ready()
    search(run, "when")
    run.qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Return)
    run.until(lambda: rows(run, UserRow))
    run.pane.transcript.jump_to_end()
    (message,) = rows(run, UserRow)
    assert isinstance(message, UserRow)
    (line,) = message.files.lines
    before, height = line.mapTo(run.pane.transcript, QPoint()), message.height()
    run.qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    run.until(lambda: message.height() > height + 400)
    assert line.mapTo(run.pane.transcript, QPoint()).y() == before.y()
    (text,) = message.files.findChildren(TextView)
    small = text.document().defaultFont().pixelSize()
    run.app.settings.set(text_px=20)
    assert text.document().defaultFont().pixelSize() > small
