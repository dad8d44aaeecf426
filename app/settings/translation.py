"""Choice and loading of the program's language, for `app.settings.language`.

``STRETTO_LANGUAGE=xx`` shows longer texts with accents in brackets. Texts without brackets do not
use `app.settings.language`, and texts without a closing bracket are cut off.
``STRETTO_LANGUAGE=ar-xx`` shows right-to-left texts in a mirrored window.
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
"""Environment variable with a language for one run, which overrides the setting."""

SYSTEM = "system"  # value of the setting that follows the system

_spoken = "en"

_of_qt: list[QTranslator] = []  # Qt's own texts; Qt keeps no reference to translators

DOCKING = (
    *(mark("Close Tab"), mark("Close"), mark("Close Others")),
    *(mark("Detach"), mark("Unpin (Dock)"), mark("Minimize")),
)
"""Texts of Qt Advanced Docking's tabs and menus, which has no translations."""


class _WordsOfDocking(QTranslator):
    """Translator of these texts by our files. Qt uses it only for texts that others do not know."""

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, text: str, comment: str | None = None, n: int = -1
    ) -> str | None:
        return tr(text) if context.startswith("ads::") and text in DOCKING else None


def wanted(setting: str, system: Sequence[str]) -> str:
    """Return the code of the language to use.

    Args:
        setting: a code of `LANGUAGES`, or `SYSTEM`.
        system: the system's languages in order of preference, such as ``de-DE`` or ``zh-Hant-TW``.
            The first supported one is used, else English. Traditional Chinese is not supported.
    """
    if setting in LANGUAGES:
        return setting
    traditional = False
    for tag in system:
        name, *rest = tag.replace("_", "-").split("-")
        if name == "zh":
            # The list may continue from zh-Hant-TW with zh, which alone means simplified.
            traditional |= bool({"Hant", "TW", "HK", "MO"} & set(rest)) and "Hans" not in rest
            if "Hans" in rest or not (traditional or {"Hant", "TW", "HK", "MO"} & set(rest)):
                return "zh_CN"
        elif name in LANGUAGES:
            return name
    return "en"


def install(qt: QApplication, setting: str) -> str:
    """Use the language of the setting from now on, and return its code.

    Must be called before windows are created. If files are missing or damaged, that is logged, and
    texts are English.
    """
    while _of_qt:
        qt.removeTranslator(_of_qt.pop())
    global _spoken
    code = wanted(setting, QLocale.system().uiLanguages())
    asked = os.environ.get(ENVIRONMENT, "")
    if asked in TRANSLATIONS or asked in LANGUAGES:
        code = asked
    elif asked:
        log.warning("unknown language in %s: %s", ENVIRONMENT, asked)
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


def differs(setting: str) -> bool:
    """Return True if the next start with this setting uses another language."""
    if os.environ.get(ENVIRONMENT):
        return False
    return wanted(setting, QLocale.system().uiLanguages()) != _spoken


def _translations(code: str) -> language.Translate | None:
    file = paths.resources() / "languages" / f"stretto_{code}.qm"
    translator = QTranslator()
    if not translator.load(str(file)):
        log.warning("cannot read the %s translations: %s", code, file)
        return None

    @lru_cache(4096)  # painting requests the same few numbers repeatedly
    def translate(text: str, comment: str, n: int) -> str:
        return translator.translate(CONTEXT, text, comment, n) or ""

    return translate


def _take_words_of_qt(qt: QApplication, code: str) -> None:
    """Load the texts of Qt's dialogs and context menus."""
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
    """Return the format of numbers and dates: the system's if it has the same language."""
    system = QLocale.system()
    own = QLocale(code) if code in LANGUAGES else system
    if code == "en" and system.language() == QLocale.Language.C:
        return system
    alike = (system.language(), system.script()) == (own.language(), own.script())
    return system if alike else own


def _number(value: float, decimals: int) -> str:
    locale = QLocale()
    whole = isinstance(value, int)
    return locale.toString(value) if whole else locale.toString(value, "f", decimals)


_ACCENTED = str.maketrans("aceinouyACEINOUY", "âçéîñôûýÂÇÉÎÑÔÛÝ")

_KEPT = re.compile(r"\{[^{}]*\}|%L?n|%\d|&(?:#?\w+;|.)|<[^<>]+>|https?://\S+")
"""Parts that a translation must keep: placeholders, mnemonics, HTML tags, links."""

_LONGER = 0.35  # additional length of texts, a high value for German


def _accented(text: str) -> str:
    kept = _KEPT.findall(text)
    changed = [part.translate(_ACCENTED) for part in _KEPT.split(text)]
    rest = "".join(between + own for between, own in zip(changed, [*kept, ""], strict=True))
    return f"[{rest}{' ·' * round(len(text) * _LONGER / 2)}]"


def _mirrored(text: str) -> str:
    # The letters make the text right-to-left from its first to its last character.
    return f"ش{text}ش"


def _by_number(text: str, comment: str, n: int) -> str:
    return text if n in (-1, 1) else comment


TRANSLATIONS: dict[str, Translate] = {
    "xx": lambda text, comment, n: _accented(_by_number(text, comment, n)),
    "ar-xx": lambda text, comment, n: _mirrored(_by_number(text, comment, n)),
}
MIRRORED = {"ar-xx"}  # languages with a mirrored window
