"""Choice of the language, and missing translation files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.settings import paths, translation
from app.settings.language import LANGUAGES, counted, number, percent, tr
from app.settings.paths import Paths
from app.settings.settings import Settings
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.figures import bytes_line, figures_line, seconds
from tests.app.conftest import Start
from tests.texts import languages, places_of

GERMAN = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>Delete {title}?</source>
        <translation>{title} löschen?</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>a state</comment>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token of {name}</source>
        <comment>%Ln tokens of {name}</comment>
        <translation>
            <numerusform>%Ln Token von {name}</numerusform>
            <numerusform>%Ln Tokens von {name}</numerusform>
        </translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
</context>
</TS>
"""

Say = Callable[..., str]


@pytest.fixture
def say(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Say]:
    def install(setting: str, asked: str = "") -> str:
        monkeypatch.setenv(translation.ENVIRONMENT, asked)
        return translation.install(qapp, setting)

    yield install
    install("en")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole = tmp_path_factory.mktemp("resources")
    folder = whole / "languages"
    folder.mkdir()
    (folder / "stretto_de.ts").write_text(GERMAN, encoding="utf-8")
    assert languages().make(folder)
    return whole


@pytest.fixture
def german(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "resources", lambda: compiled)
    return compiled / "languages"


@pytest.mark.parametrize(
    ("setting", "system", "code"),
    [
        ("fr", ["de-DE"], "fr"),
        ("system", ["de-Latn-CH", "de-CH", "de"], "de"),
        ("system", ["pt-BR", "pt", "es-ES", "es", "de"], "es"),
        ("system", ["en-GB", "en", "de-DE", "de"], "en"),
        ("system", ["zh-Hans-CN", "zh-CN", "zh-Hans", "zh"], "zh_CN"),
        ("system", ["zh"], "zh_CN"),
        ("system", ["zh-Hant-TW", "zh-TW", "zh-Hant", "zh"], "en"),
        ("system", ["zh-Hant-HK", "zh-HK", "zh-Hant", "zh", "ja-JP", "ja"], "ja"),
        ("system", ["zh-TW", "zh", "zh-Hans-CN", "zh-CN"], "zh_CN"),
        ("system", ["ja_JP"], "ja"),
        ("system", ["C"], "en"),
        ("system", [], "en"),
        ("tlh", ["de"], "de"),
    ],
)
def test_first_available_language_is_used(setting: str, system: list[str], code: str) -> None:
    assert translation.choose_language(setting, system) == code


def test_traditional_chinese_is_detected_from_qt() -> None:
    assert translation.choose_language("system", QLocale("zh_TW").uiLanguages()) == "en"
    assert translation.choose_language("system", QLocale("zh_SG").uiLanguages()) == "zh_CN"


def test_texts_numbers_and_qts_own_words(say: Say, german: Path, qapp: QApplication) -> None:
    assert say("de") == "de"
    assert tr("Delete {title}?", title="„A“") == "„A“ löschen?"
    assert (tr("Open"), tr("Open", "a state"), tr("Open", "new")) == ("Öffnen", "Offen", "Öffnen")
    text = ("%Ln token of {name}", "%Ln tokens of {name}")
    assert counted(*text, 1, name="A") == "1 Token von A"
    assert counted(*text, 4096, name="A") == "4.096 Tokens von A"
    assert tr("Not translated {x}", x=1) == "Not translated 1"
    assert counted("%n text", "%n texts", 2) == "2 texts"
    assert (number(1234567), number(1.44, 1)) == ("1.234.567", "1,4")
    assert qapp.translate("QPlatformTheme", "Cancel") == "Abbrechen"
    assert QLocale().decimalPoint() == ","
    say("en")
    assert (tr("Open"), number(1234567), QLocale().decimalPoint()) == ("Open", "1,234,567", ".")
    assert qapp.translate("QPlatformTheme", "Cancel") == "Cancel"


def test_numbers_follow_language(say: Say) -> None:
    shown = (seconds(1.25), bytes_line(1_440_000_000), percent(0.123))
    assert shown == ("1.2 s", "1.4 GB", "12%")
    say("de")
    assert number(1.44, 1) in bytes_line(1_440_000_000)
    assert "4.096" in figures_line({"reused_tokens": 4096})


@pytest.mark.parametrize("damage", ["gone", "empty", "text", "half", "scrambled"])
def test_unreadable_translation_falls_back_to_english(
    say: Say, german: Path, caplog: pytest.LogCaptureFixture, tmp_path: Path, damage: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    good = (german / "stretto_de.qm").read_bytes()
    bad = {
        "empty": b"",
        "text": b"no translations at all\n" * 20,
        "half": good[: len(good) // 2],
        "scrambled": good[:20] + bytes(255 - b for b in good[20:]),
    }
    folder = tmp_path / "languages"
    folder.mkdir()
    if damage in bad:
        (folder / "stretto_de.qm").write_bytes(bad[damage])
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    with caplog.at_level(logging.WARNING):
        spoken = say("de")
    assert tr("Delete {title}?", title="A") in ("Delete A?", "A löschen?")
    assert counted("%n chat", "%n chats", 3) == "3 chats"
    if damage in {"gone", "empty", "text"}:
        assert spoken == "en"
        assert "cannot read the" in caplog.text
        assert QLocale().decimalPoint() == "."


def test_files_ship_for_every_language() -> None:
    folder = paths.resources() / "languages"
    assert {f.stem for f in folder.glob("*.ts")} == {f"stretto_{c}" for c in LANGUAGES if c != "en"}


def test_translations_are_rebuilt_only_if_older(compiled: Path) -> None:
    source, made = (compiled / "languages" / f"stretto_de.{kind}" for kind in ("ts", "qm"))
    before = made.stat().st_mtime_ns
    assert languages().make(source.parent)
    assert made.stat().st_mtime_ns == before
    made.unlink()
    assert languages().make(source.parent)
    assert made.exists()


TEXTS = (
    "Delete {title}?",
    "&File",
    "<b>Bold</b> &amp; more",
    "Fish && chips",
    "%Ln chats of {name}",
    "See https://example.org/docs",
    "{{topic}}",
)


@pytest.mark.parametrize("code", translation.TRANSLATIONS)
@pytest.mark.parametrize("text", TEXTS)
def test_pseudo_texts_keep_their_places(code: str, text: str) -> None:
    made = translation.TRANSLATIONS[code](text, "", -1)
    assert made != text
    assert places_of(made) == places_of(text)
    for kept in ("&F", "<b>", "</b>", "&amp;", "&& ", "https://example.org/docs", "{{topic}}"):
        assert (kept in made) == (kept in text)


def test_pseudo_language_needs_environment_variable(say: Say, qapp: QApplication) -> None:
    assert say("de", "xx") == "xx"
    assert tr("Delete {title}?", title="A").startswith("[Délété A?")
    assert "3 çhâts" in counted("%n chat", "%n chats", 3)
    assert say("system", "ar-xx") == "ar-xx"
    assert qapp.layoutDirection() is Qt.LayoutDirection.RightToLeft
    assert tr("Delete").isascii() is False
    docks = QCoreApplication.translate("ads::CDockWidgetTab", "Close Others")
    assert docks.startswith("ش"), "the words of docking, too"
    assert say("en", "no such language") == "en"
    assert qapp.layoutDirection() is Qt.LayoutDirection.LeftToRight


def test_a_language_is_chosen_in_the_settings(
    say: Say, german: Path, qapp: QApplication, qtbot: QtBot, look: object
) -> None:
    say("en")
    settings = Settings(language="en")
    parent = QWidget()
    qtbot.addWidget(parent)
    window = SettingsWindow(settings, Paths.standard(), parent)
    row = window.language
    window.show()
    shown = [row.box.itemText(n) for n in range(row.box.count())]
    assert shown == ["System", *LANGUAGES.values()]
    assert (row.box.currentText(), row.restart.isVisible()) == ("English", False)
    row.box.setCurrentIndex(row.box.findData("de"))
    row.box.activated.emit(row.box.currentIndex())
    assert settings.language == "de"
    assert row.restart.isVisible()
    with qtbot.waitSignal(window.restart_requested):
        row.restart.click()
    row.box.setCurrentIndex(row.box.findData("en"))
    row.box.activated.emit(row.box.currentIndex())
    assert not row.restart.isVisible()


def test_the_program_starts_again_in_the_language(say: Say, german: Path, start: Start) -> None:
    say("en")
    run = start()
    run.app.settings.set(language="de")
    run.window.settings_commands.show_settings()
    window = run.settings
    assert window.language.box.accessibleName() == "Language"
    window.restart_requested.emit()
    assert run.app.down
    assert run.app.restarts
    run.end()
    again = start()
    again.window.settings_commands.show_settings()
    window = again.settings
    assert window.language.box.accessibleName() == "Sprache"


def test_an_unknown_language_in_the_file_falls_back(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"language": "tlh", "zoom": 110}')
    assert (Settings.load(file).language, Settings.load(file).zoom) == ("system", 110)
    file.write_text("{")
    assert Settings.read_without_saving(file).language == "system"
    assert file.read_text() == "{"
