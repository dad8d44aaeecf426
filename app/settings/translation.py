"""Which language the program speaks: chosen, read, and handed to `app.settings.language`.

``STRETTO_LANGUAGE=xx`` gives longer texts with accents between brackets. What shows without them
has not gone through `app.settings.language`; what ends without its bracket is cut off.
``STRETTO_LANGUAGE=ar-xx`` gives texts that run from right to left, in a mirrored window.
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
"""Names a language for one run, or one of `app.settings.translation`; goes before the setting."""

SYSTEM = "system"  # the setting that follows the system

_spoken = "en"

_of_qt: list[QTranslator] = []  # Qt's own words, of which Qt keeps no reference

DOCKING = (
    *(mark("Close Tab"), mark("Close"), mark("Close Others")),
    *(mark("Detach"), mark("Unpin (Dock)"), mark("Minimize")),
)
"""What Qt Advanced Docking's tabs and their menus say. It brings no translations."""


class _WordsOfDocking(QTranslator):
    """Translates them by our files. Qt asks it only for what no other translator knows."""

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, text: str, comment: str | None = None, n: int = -1
    ) -> str | None:
        return tr(text) if context.startswith("ads::") and text in DOCKING else None


def wanted(setting: str, system: Sequence[str]) -> str:
    """The code of the language to speak.

    Args:
        setting: a code of `LANGUAGES`, or `SYSTEM`.
        system: the languages that the system asks for, the best first, as ``de-DE`` or
            ``zh-Hant-TW``; of those the first that there is, else English. Traditional Chinese is
            none that there is.
    """
    if setting in LANGUAGES:
        return setting
    traditional = False
    for tag in system:
        name, *rest = tag.replace("_", "-").split("-")
        if name == "zh":
            # The list goes on from zh-Hant-TW to a mere zh, which by itself is simplified.
            traditional |= bool({"Hant", "TW", "HK", "MO"} & set(rest)) and "Hans" not in rest
            if "Hans" in rest or not (traditional or {"Hant", "TW", "HK", "MO"} & set(rest)):
                return "zh_CN"
        elif name in LANGUAGES:
            return name
    return "en"


def install(qt: QApplication, setting: str) -> str:
    """Speak the language of the setting from now on; returns its code.

    To be called before there are windows. Where its files are missing or damaged, the log says so
    and the program speaks English.
    """
    while _of_qt:
        qt.removeTranslator(_of_qt.pop())
    global _spoken
    code = wanted(setting, QLocale.system().uiLanguages())
    asked = os.environ.get(ENVIRONMENT, "")
    if asked in TRANSLATIONS or asked in LANGUAGES:
        code = asked
    elif asked:
        log.warning("%s=%s names no language", ENVIRONMENT, asked)
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
    """Whether the next start, with this setting, speaks another language than this one."""
    if os.environ.get(ENVIRONMENT):
        return False
    return wanted(setting, QLocale.system().uiLanguages()) != _spoken


def _translations(code: str) -> language.Translate | None:
    file = paths.resources() / "languages" / f"stretto_{code}.qm"
    translator = QTranslator()
    if not translator.load(str(file)):
        log.warning("The translations of %s cannot be read: %s", code, file)
        return None

    @lru_cache(4096)  # painting asks for the same few again and again
    def translate(text: str, comment: str, n: int) -> str:
        return translator.translate(CONTEXT, text, comment, n) or ""

    return translate


def _take_words_of_qt(qt: QApplication, code: str) -> None:
    """The buttons of Qt's dialogs and its menus of text fields."""
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator()
    if translator.load(str(Path(folder, f"qtbase_{code}.qm"))):
        qt.installTranslator(translator)
        _of_qt.append(translator)
    else:
        log.warning("Qt's own translations of %s are missing in %s", code, folder)


def _take_words_of_docking(qt: QApplication) -> None:
    docking = _WordsOfDocking()
    qt.installTranslator(docking)
    _of_qt.append(docking)


def _locale(code: str) -> QLocale:
    """How numbers and dates are written: as the system does it, if that speaks the language."""
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
"""What a translation must leave as it is: places for values, mnemonics, marks of HTML, links."""

_LONGER = 0.35  # how much longer than the English the texts are, which is much for German


def _accented(text: str) -> str:
    kept = _KEPT.findall(text)
    changed = [part.translate(_ACCENTED) for part in _KEPT.split(text)]
    rest = "".join(between + own for between, own in zip(changed, [*kept, ""], strict=True))
    return f"[{rest}{' ·' * round(len(text) * _LONGER / 2)}]"


def _mirrored(text: str) -> str:
    # The first letter makes it a text from right to left, the last one closes it on its left.
    return f"ش{text}ش"


def _by_number(text: str, comment: str, n: int) -> str:
    return text if n in (-1, 1) else comment


TRANSLATIONS: dict[str, Translate] = {
    "xx": lambda text, comment, n: _accented(_by_number(text, comment, n)),
    "ar-xx": lambda text, comment, n: _mirrored(_by_number(text, comment, n)),
}
MIRRORED = {"ar-xx"}  # those in which the window is mirrored
