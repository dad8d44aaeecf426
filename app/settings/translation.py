"""Selection and loading of the language for `app.settings.language`.

``STRETTO_LANGUAGE=xx`` makes all texts longer, adds accents, and puts them in brackets. Text
without brackets isn't translatable, and text without the closing bracket is cut off.
``STRETTO_LANGUAGE=ar-xx`` shows right-to-left text in a mirrored window.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication

from app.settings import language, paths
from app.settings.language import CONTEXT, LANGUAGES, Translate, mark, tr

log = logging.getLogger(__name__)

ENVIRONMENT = "STRETTO_LANGUAGE"

SYSTEM = "system"  # setting value for the system's language

_spoken = "en"

# Translators for Qt's own texts, kept here because Qt doesn't own them.
_of_qt: list[QTranslator] = []

DOCKING = (
    *(mark("Close Tab"), mark("Close"), mark("Close Others")),
    *(mark("Detach"), mark("Unpin (Dock)"), mark("Minimize")),
)
"""Texts in the tabs and menus of Qt Advanced Docking, which isn't translated."""


class _WordsOfDocking(QTranslator):
    """Translates Qt's texts with our files, if no other translator has them."""

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, text: str, comment: str | None = None, n: int = -1
    ) -> str | None:
        return tr(text) if context.startswith("ads::") and text in DOCKING else None


def choose_language(setting: str, system: Sequence[str]) -> str:
    """Return the language to use.

    ``setting`` is a code in `LANGUAGES`, or `SYSTEM` for the first supported language of ``system``
    (e.g. ``de-DE`` or ``zh-Hant-TW``, in order of preference). The fallback is English. Traditional
    Chinese isn't supported.
    """
    if setting in LANGUAGES:
        return setting
    traditional = False
    for tag in system:
        name, *rest = tag.replace("_", "-").split("-")
        if name == "zh":
            # The list may continue from zh-Hant-TW with zh, although zh alone would mean
            # simplified.
            traditional |= bool({"Hant", "TW", "HK", "MO"} & set(rest)) and "Hans" not in rest
            if "Hans" in rest or not (traditional or {"Hant", "TW", "HK", "MO"} & set(rest)):
                return "zh_CN"
        elif name in LANGUAGES:
            return name
    return "en"


def install(qt: QApplication, setting: str) -> str:
    """Switch to the language in the settings and return its code.

    Call this before creating windows. If files are missing or damaged, the UI is in English.
    """
    while _of_qt:
        qt.removeTranslator(_of_qt.pop())
    global _spoken
    code = choose_language(setting, QLocale.system().uiLanguages())
    requested = os.environ.get(ENVIRONMENT, "")
    if requested in TRANSLATIONS or requested in LANGUAGES:
        code = requested
    elif requested:
        log.warning("unknown language in %s: %s", ENVIRONMENT, requested)
    translate = TRANSLATIONS.get(code)
    if translate is None and code != "en":
        translate = _translations(code)
        code = code if translate is not None else "en"
    locale = _locale(code)
    QLocale.setDefault(locale)
    qt.setLayoutDirection(
        Qt.LayoutDirection.RightToLeft if code in MIRRORED else locale.textDirection()
    )
    language.install(translate, _number if code != "en" else None)
    if code in LANGUAGES and code != "en":
        _take_words_of_qt(qt, code)
    if code != "en":
        _take_words_of_docking(qt)
    _spoken = code
    return code


def needs_restart(setting: str) -> bool:
    if os.environ.get(ENVIRONMENT):
        return False
    return choose_language(setting, QLocale.system().uiLanguages()) != _spoken


def _translations(code: str) -> language.Translate | None:
    file = paths.resources() / "languages" / f"stretto_{code}.qm"
    translator = QTranslator()
    if not translator.load(str(file)):
        log.warning("cannot read the %s translations: %s", code, file)
        return None

    @lru_cache(4096)  # the same few numbers are needed on every repaint
    def translate(text: str, comment: str, n: int) -> str:
        return translator.translate(CONTEXT, text, comment, n) or ""

    return translate


def _take_words_of_qt(qt: QApplication, code: str) -> None:
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator()
    if translator.load(str(Path(folder, f"qtbase_{code}.qm"))):
        qt.installTranslator(translator)
        _of_qt.append(translator)
    else:
        log.warning("Qt's %s translations are missing in %s", code, folder)


def _take_words_of_docking(qt: QApplication) -> None:
    docking = _WordsOfDocking()
    qt.installTranslator(docking)
    _of_qt.append(docking)


def _locale(code: str) -> QLocale:
    system = QLocale.system()
    preferred = QLocale(code) if code in LANGUAGES else system
    if code == "en" and system.language() == QLocale.Language.C:
        return system
    alike = (system.language(), system.script()) == (preferred.language(), preferred.script())
    return system if alike else preferred


def _number(value: float, decimals: int) -> str:
    locale = QLocale()
    is_integer = isinstance(value, int)
    return locale.toString(value) if is_integer else locale.toString(value, "f", decimals)


_ACCENTED = str.maketrans("aceinouyACEINOUY", "âçéîñôûýÂÇÉÎÑÔÛÝ")

_KEPT = re.compile(r"\{[^{}]*\}|%L?n|%\d|&(?:#?\w+;|.)|<[^<>]+>|https?://\S+")
"""Parts that must survive translation: placeholders, mnemonics, HTML tags, links."""

_LONGER = 0.35  # fraction by which texts get longer, more than in German


def _add_accents(text: str) -> str:
    placeholders = _KEPT.findall(text)
    changed = [part.translate(_ACCENTED) for part in _KEPT.split(text)]
    rest = "".join(
        between + hole for between, hole in zip(changed, [*placeholders, ""], strict=True)
    )
    return f"[{rest}{' ·' * round(len(text) * _LONGER / 2)}]"


def _pick_plural(text: str, comment: str, n: int) -> str:
    return text if n in (-1, 1) else comment


TRANSLATIONS: dict[str, Translate] = {
    "xx": lambda text, comment, n: _add_accents(_pick_plural(text, comment, n)),
    # These letters make the whole text right-to-left.
    "ar-xx": lambda text, comment, n: f"ش{_pick_plural(text, comment, n)}ش",
}
MIRRORED = {"ar-xx"}  # languages with mirrored windows
