"""Spell check while typing, with corrections by keyboard."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from app.settings.settings import Settings
from app.spelling import systems
from app.spelling.systems import SpellingSystem
from app.ui.composer.composer import ComposerText
from app.ui.composer.spelling_marks import SpellingMarks
from tests.app.conftest import Run, Start


def menu_of(field: ComposerText) -> QMenu | None:
    return next((menu for menu in field.findChildren(QMenu) if menu.isVisible()), None)


RIGHT = {"en_US": "hello world this is right and so on", "de_DE": "hallo welt das ist richtig"}
KEY = Qt.Key


class Dictionaries:
    """Fake spell checker with two languages that records the calling threads."""

    def __init__(self, *, gui_only: bool = False) -> None:
        self.gui_only = gui_only
        self.words = {language: set(words.split()) for language, words in RIGHT.items()}
        self.threads: set[int] = set()
        self.asked: list[str] = []

    def languages(self) -> list[str]:
        return list(self.words)

    def is_known(self, language: str, word: str) -> bool:
        self.threads.add(threading.get_ident())
        self.asked.append(word)
        return word.lower() in self.words[language]

    def suggestions(self, language: str, word: str) -> list[str]:
        self.threads.add(threading.get_ident())
        return sorted(w for w in self.words[language] if w[0] == word[0].lower())

    def add(self, language: str, word: str) -> None:
        self.words[language].add(word.lower())


Begin = Callable[..., Run]


@pytest.fixture
def begin(start: Start, monkeypatch: pytest.MonkeyPatch) -> Begin:
    def begin(system: SpellingSystem | None, spelling: str = "en_US") -> Run:
        monkeypatch.setattr(systems, "open_system", lambda: system)
        monkeypatch.setattr(systems, "GUI_ONLY", (sys.platform,) if gui_only(system) else ())
        run = start()
        run.app.settings.set(spelling=spelling)
        run.pane.focus_composer()
        run.until(run.pane.composer.field.hasFocus)
        return run

    return begin


def gui_only(system: SpellingSystem | None) -> bool:
    return system is not None and system.gui_only


def misspelt(run: Run) -> SpellingMarks:
    marks = run.pane.composer.field.findChild(SpellingMarks)
    assert marks is not None
    return marks


def marked(run: Run) -> list[str]:
    selections = run.pane.composer.field.extraSelections()
    return [one.cursor.selectedText() for one in selections]


def menu(run: Run) -> QMenu:
    run.until(lambda: menu_of(run.pane.composer.field))
    found = menu_of(run.pane.composer.field)
    assert found is not None
    return found


def entries(of: QMenu) -> list[str]:
    return [action.text() for action in of.actions() if not action.isSeparator()]


def entry(of: QMenu, text: str) -> QAction:
    return next(action for action in of.actions() if action.text() == text)


@pytest.mark.parametrize("gui", [False, True])
def test_misspelt_words_are_marked_except_current(begin: Begin, gui: bool):
    system = Dictionaries(gui_only=gui)
    run = begin(system)
    field = run.pane.composer.field
    run.qtbot.keyClicks(field, "helo world `wrld` thsi")
    run.until(lambda: marked(run) == ["helo"])
    run.qtbot.keyClicks(field, " ")
    run.until(lambda: marked(run) == ["helo", "thsi"])
    assert field.toPlainText() == "helo world `wrld` thsi "
    here = threading.get_ident()
    assert system.threads == {here} if gui else here not in system.threads
    field.clear()
    run.until(lambda: not marked(run))


def test_visible_words_are_checked_once(begin: Begin):
    system = Dictionaries()
    run = begin(system)
    letters = "abcdefghij"
    words = ["z" + "".join(letters[int(c)] for c in f"{n:04}") for n in range(3000)]
    run.pane.composer.field.setPlainText("\n".join(words))
    run.until(lambda: marked(run))
    assert len(system.asked) == len(set(system.asked))
    assert len(system.asked) < 600
    assert words[0] in marked(run)
    assert words[-1] not in marked(run)


def test_menu_key_offers_corrections(begin: Begin):
    run = begin(Dictionaries())
    field = run.pane.composer.field
    field.insertPlainText("😀 helo world ")
    run.until(lambda: marked(run) == ["helo"])
    for _ in range(8):
        run.qtbot.keyClick(field, KEY.Key_Left)
    where = field.cursorRect().center()
    reason = QContextMenuEvent.Reason.Keyboard
    event = QContextMenuEvent(reason, where, field.mapToGlobal(where))
    QApplication.sendEvent(field, event)
    opened = menu(run)
    assert entries(opened)[:3] == ["hello", "Add to Dictionary", "Ignore"]
    run.qtbot.keyClick(opened, KEY.Key_Return)
    assert run.pane.composer.text == "😀 hello world "
    run.until(lambda: not marked(run))
    run.qtbot.keyClick(field, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert run.pane.composer.text == "😀 helo world "


def test_correct_word_has_the_usual_menu(begin: Begin):
    run = begin(Dictionaries())
    run.qtbot.keyClicks(run.pane.composer.field, "helo world ")
    run.until(lambda: marked(run) == ["helo"])
    field = run.pane.composer.field
    where = field.cursorRect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, where, field.mapToGlobal(where))
    assert not misspelt(run)._on_menu(event)


def test_word_can_be_added_or_ignored(begin: Begin):
    system = Dictionaries()
    run = begin(system)
    run.qtbot.keyClicks(run.pane.composer.field, "Stretto wrld ")
    run.until(lambda: marked(run) == ["Stretto", "wrld"])
    run.window.commands.run("next_misspelt")
    assert run.pane.composer.field.textCursor().selectedText() == "Stretto"
    entry(menu(run), "Add to Dictionary").trigger()
    menu(run).close()
    run.until(lambda: marked(run) == ["wrld"])
    run.until(lambda: "stretto" in system.words["en_US"])
    run.until(lambda: menu_of(run.pane.composer.field) is None)
    run.window.commands.run("next_misspelt")
    entry(menu(run), "Ignore").trigger()
    menu(run).close()
    run.until(lambda: not marked(run))
    run.until(lambda: menu_of(run.pane.composer.field) is None)
    run.window.commands.run("next_misspelt")
    run.until(lambda: run.window.toast.text == "No misspelled words found.")


def test_spelling_language_applies_immediately(begin: Begin):
    run = begin(Dictionaries())
    run.qtbot.keyClicks(run.pane.composer.field, "hallo world ")
    run.until(lambda: marked(run) == ["hallo"])
    run.window.commands.run("settings")
    box = run.settings.spelling.box
    run.until(lambda: box.count() == 4)
    for language, wrong in (("de_DE", ["world"]), ("off", []), ("en_US", ["hallo"])):
        box.setCurrentIndex(box.findData(language))
        box.activated.emit(box.currentIndex())
        run.until(lambda wrong=wrong: marked(run) == wrong)
        assert run.app.settings.spelling == language
    run.settings.close()


def test_words_of_another_script_are_left_alone(begin: Begin):
    run = begin(Dictionaries())
    run.pane.composer.field.insertPlainText("привет мир helo ")
    run.until(lambda: marked(run) == ["helo"])


def test_missing_spell_checker_is_explained(begin: Begin):
    run = begin(None)
    run.qtbot.keyClicks(run.pane.composer.field, "helo ")
    run.until(lambda: run.window.spelling.speller.opened)
    run.window.commands.run("settings")
    shown = run.settings.spelling
    assert not shown.box.isEnabled()
    assert "needs enchant" in shown.why.text()
    assert not shown.why.isHidden()
    run.settings.close()
    run.window.commands.run("next_misspelt")
    run.until(lambda: "needs enchant" in run.window.toast.text)
    assert marked(run) == []


@pytest.mark.parametrize("gui", [False, True])
def test_failing_spell_checker_is_disabled(begin: Begin, gui: bool):
    class Broken(Dictionaries):
        def is_known(self, language: str, word: str) -> bool:
            raise OSError("the dictionary is damaged")

    run = begin(Broken(gui_only=gui))
    run.qtbot.keyClicks(run.pane.composer.field, "helo ")
    speller = run.window.spelling.speller
    run.until(lambda: speller.opened and not speller.languages)
    assert speller.why_not


def test_an_unknown_setting_falls_back(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"spelling": 3}')
    assert Settings.load(file).spelling == "auto"


def test_system_dictionary_works_if_installed(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Skipped unless libenchant and an English dictionary are installed."""
    monkeypatch.setenv("ENCHANT_CONFIG_DIR", str(tmp_path))  # folder for added words
    systems.open_system.cache_clear()
    system = systems.open_system()
    systems.open_system.cache_clear()
    if system is None or "en_US" not in system.languages():
        pytest.skip("this system has no spell checker with an English dictionary")
    assert system.is_known("en_US", "hello")
    assert not system.is_known("en_US", "helo")
    assert "hello" in system.suggestions("en_US", "helo")
    system.add("en_US", "Strettonian")
    assert system.is_known("en_US", "Strettonian")
