"""Texts of the program in the user's language.

All texts for the user use `tr`, `counted` or `mark`. The English text is the key of a translation.
lupdate collects the texts in ``resources/languages/*.ts`` (``make languages``), and lrelease
creates the ``.qm`` files for Qt (``packaging/bootstrap.py``). Does not import Qt, since the store
and the tools have texts, too.

Imports: nothing of the program.
"""

from __future__ import annotations

from collections.abc import Callable

CONTEXT = "Stretto"  # context of all texts in the files of translations

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh_CN": "简体中文",
}
"""Supported languages by code, with their own names."""

Translate = Callable[[str, str, int], str]
"""Callback that returns the translation of (text, comment, n), or "". n is -1 without a count."""

Number = Callable[[float, int], str]
"""Callback that formats (value, decimals) in the language's notation."""

_translate: Translate | None = None
_number: Number | None = None


def install(translate: Translate | None, number: Number | None = None) -> None:
    """Set the functions for all texts and numbers, or None for English."""
    global _translate, _number
    _translate, _number = translate, number


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """Return `text` in the user's language, with `values` for its ``{names}``.

    Args:
        text: a literal, so that ``make languages`` finds it, or a variable with a result of `mark`.
        comment: a literal that distinguishes two meanings of one English text, and helps
            translators.
        values: texts and formatted figures. Without any, braces stay as they are.
    """
    found = (_translate(text, comment, -1) if _translate is not None else "") or text
    return found.format(**values) if values else found


def counted(one: str, many: str, n: int, /, **values: object) -> str:
    """Return the text for `n` things: ``counted("%n chat", "%n chats", n)``.

    Both are literals with ``%n`` for the number, or ``%Ln`` for the result of `number`. Languages
    with more forms, or one, have them in their file, under `one` with `many` as comment.
    """
    found = _translate(one, many, n) if _translate is not None else ""
    found = found or (one if n == 1 else many)
    found = found.replace("%Ln", number(n)).replace("%n", str(n))
    return found.format(**values) if values else found


def mark(text: str, comment: str = "", /) -> str:
    """Mark a text for translation and return it. `tr` translates it later.

    For texts in tables, which are created at import before the language is known. `tr` needs the
    comment, too.
    """
    return text


def code() -> str:
    """Return the code of the window's language, "en" without translation."""
    return tr("en", "the code of this language: names of days and months are in it")


def percent(share: float) -> str:
    """Return "12%" for 0.12, in the user's language."""
    return tr("{number}%", number=f"{share * 100:.0f}")


def number(value: float, decimals: int = 0) -> str:
    """Return "4,096" or "1.4" in the user's language. Integers have no decimals."""
    if _number is not None:
        return _number(value, decimals)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{decimals}f}"
