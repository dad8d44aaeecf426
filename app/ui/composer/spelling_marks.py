from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.settings.language import tr
from app.spelling.speller import Speller, Word, words
from app.ui.composer.composer import ComposerText
from app.ui.style.theme import theme
from app.ui.widgets.widget_behavior import announce

REST_MS = 250  # delay after the last change

WAIT_MS = 1_000
"""Time after which the menu opens without suggestions. With hunspell, a long word takes half a
second.
"""


class SpellingMarks(QObject):
    notice_posted = Signal(str)  # (text)

    def __init__(self, field: ComposerText, speller: Speller) -> None:
        super().__init__(field)
        self._field = field
        self._speller = speller
        self.marks: list[QTextCursor] = []  # misspelled words in text order
        self._typing = False
        self._seeking = False
        self._menu_for: tuple[QTextCursor, QPoint] | None = None
        self._check_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._check_timer.timeout.connect(self.check)
        self._suggestion_timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._suggestion_timer.timeout.connect(partial(self._open_menu, None))
        field.textChanged.connect(self._on_text)
        field.cursorPositionChanged.connect(self._on_moved)
        field.verticalScrollBar().valueChanged.connect(self._check_timer.start)
        field.open_menu = self._on_menu
        speller.changed.connect(self._on_judged)
        theme().changed.connect(self.check)

    @Slot()
    def check(self) -> None:
        self._check_timer.stop()
        field = self._field
        text = _utf16_text(field)
        if not text:
            if self.marks:
                self.marks = []
                field.setExtraSelections([])
            return
        area = field.viewport().rect()
        first = field.cursorForPosition(area.topLeft()).position()
        last = field.cursorForPosition(area.bottomRight()).position()
        visible_words = list(words(text, first, last))
        wrong = self._speller.misspelled(word.text for word in visible_words)
        cursor_at = field.textCursor().position() if self._typing else -1
        self.marks = [
            self._cursor(word)
            for word in visible_words
            if word.text in wrong and word.end != cursor_at
        ]
        field.setExtraSelections([_underline(cursor) for cursor in self.marks])

    def select_next(self) -> None:
        self._seeking = False
        text = _utf16_text(self._field)
        all_words = list(words(text))
        cursor_at = self._field.textCursor().selectionEnd()
        # Wrap around to words before the cursor.
        all_words = sorted(all_words, key=lambda word: word.end <= cursor_at)
        wrong = self._speller.misspelled(word.text for word in all_words)
        if self._speller.is_checking:
            self._seeking = True  # try again once these words have been checked
            return
        misspelled_word = next((word for word in all_words if word.text in wrong), None)
        if misspelled_word is None:
            self.notice_posted.emit(self._speller.why_not or tr("No misspelled words found."))
            return
        cursor = self._cursor(misspelled_word)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
        self._ask_menu(cursor, self._position_below(cursor))

    def _cursor(self, word: Word) -> QTextCursor:
        cursor = QTextCursor(self._field.document())
        cursor.setPosition(word.start)
        cursor.setPosition(word.end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _position_below(self, cursor: QTextCursor) -> QPoint:
        return self._field.viewport().mapToGlobal(self._field.cursorRect(cursor).bottomLeft())

    @Slot()
    def _on_text(self) -> None:
        self._typing = True
        self._check_timer.start()

    @Slot()
    def _on_moved(self) -> None:
        if not self._check_timer.isActive():  # moved by a key or click, not by typing
            self._typing = False
            self._check_timer.start()

    @Slot()
    def _on_judged(self) -> None:
        if self._seeking:
            self.select_next()
        self.check()

    def _on_menu(self, event: QContextMenuEvent) -> bool:
        keys = event.reason() == QContextMenuEvent.Reason.Keyboard
        at = self._field.textCursor() if keys else self._field.cursorForPosition(event.pos())
        self._typing = False
        self.check()
        for mark in self.marks:
            if mark.selectionStart() <= at.position() <= mark.selectionEnd():
                self._ask_menu(mark, self._position_below(mark) if keys else event.globalPos())
                return True
        return False

    def _ask_menu(self, word: QTextCursor, at: QPoint) -> None:
        announce(self._field, tr("{word} isn’t in the dictionary.", word=word.selectedText()))
        self._menu_for = (word, at)
        self._suggestion_timer.start()
        self._speller.suggest(word.selectedText(), self._open_menu)

    def _open_menu(self, suggestions: list[str] | None) -> None:
        """Open the context menu. ``suggestions`` is None if the speller timed out."""
        self._suggestion_timer.stop()
        if self._menu_for is None:
            return
        (cursor, at), self._menu_for = self._menu_for, None
        if not self._field.hasFocus():  # the focus has moved elsewhere
            return
        word = cursor.selectedText()
        menu = self._field.createStandardContextMenu()
        menu.setParent(self._field, menu.windowFlags())
        menu.aboutToHide.connect(menu.deleteLater)
        first_action = menu.actions()[0]
        added: list[QAction] = []
        for text in suggestions or ():
            added.append(QAction(text.replace("&", "&&"), menu))
            added[-1].triggered.connect(partial(self._replace, cursor, text))
        if not suggestions:
            late = tr("Suggestions took too long") if suggestions is None else tr("No suggestions")
            added.append(QAction(late, menu))
            added[-1].setEnabled(False)
        learn = QAction(tr("Add to Dictionary"), menu)
        learn.triggered.connect(lambda: self._speller.add(word))
        let_pass = QAction(tr("Ignore", "a misspelt word"), menu)
        let_pass.triggered.connect(lambda: self._speller.ignore(word))
        menu.insertActions(first_action, added)
        menu.insertSeparator(first_action)
        menu.insertActions(first_action, [learn, let_pass])
        menu.insertSeparator(first_action)
        menu.setActiveAction(added[0] if suggestions else learn)
        menu.popup(at)

    def _replace(self, word: QTextCursor, by: str, _checked: bool = False) -> None:
        word.insertText(by)
        self._field.setTextCursor(word)
        self.check()


def _utf16_text(field: ComposerText) -> str:
    """Return the text, padded so that indexes match Qt's, which count UTF-16 units."""
    text = field.toPlainText()
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(c if c <= "\uffff" else "  " for c in text)


def _underline(cursor: QTextCursor) -> QTextEdit.ExtraSelection:
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
    look.setUnderlineColor(QColor(theme().tokens.danger))
    selection = QTextEdit.ExtraSelection()
    selection.format = look
    selection.cursor = cursor
    return selection
