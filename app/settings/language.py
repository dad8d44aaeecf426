"""Translation of UI text.

All text for the user goes through `tr`, `counted` or `mark`, with the English text as the key.
lupdate collects the texts in ``resources/languages/*.ts`` (``make languages``), and lrelease
compiles the ``.qm`` files for Qt (``packaging/bootstrap.py``). This module doesn't import Qt,
because the store and the tools need it, too.

Imports: nothing of the program.
"""

from __future__ import annotations

from collections.abc import Callable

CONTEXT = "Stretto"  # translation context used in the files

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh_CN": "简体中文",
}
"""Native names of supported languages by code."""

Translate = Callable[[str, str, int], str]
"""Returns the translation of (text, comment, n), or "". n is -1 if there's no count."""

Number = Callable[[float, int], str]
"""Formats (value, decimals) for the language."""

_translate: Translate | None = None
_number: Number | None = None


def install(translate: Translate | None, number: Number | None = None) -> None:
    global _translate, _number
    _translate, _number = translate, number


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """Translate `text` and insert `values` for its ``{names}``.

    `text` is a literal, so that ``make languages`` can find it, or a variable set by `mark`.
    `comment` is a literal that tells apart two meanings of the same English text and helps
    translators. Without `values`, braces in the text stay as they are.
    """
    translation = (_translate(text, comment, -1) if _translate is not None else "") or text
    return translation.format(**values) if values else translation


def counted(singular: str, plural: str, n: int, /, **values: object) -> str:
    """Translate text with a plural: ``counted("%n chat", "%n chats", n)``.

    Both are literals with ``%n``, or with ``%Ln`` to format the number. Languages with more or
    fewer plural forms define them in their file, under `singular` with `plural` as the comment.
    """
    translation = _translate(singular, plural, n) if _translate is not None else ""
    translation = translation or (singular if n == 1 else plural)
    translation = translation.replace("%Ln", number(n)).replace("%n", str(n))
    return translation.format(**values) if values else translation


def mark(text: str, comment: str = "", /) -> str:
    """Mark a text for translation without translating it. Pass the result to `tr` later.

    Tables are created on import, before the language is known. If there's a comment, pass it to
    `tr` as well.
    """
    return text


def language_code() -> str:
    return tr("en", "the code of this language: names of days and months are in it")


def percent(share: float) -> str:
    return tr("{number}%", number=f"{share * 100:.0f}")


def number(value: float, decimals: int = 0) -> str:
    """Return a number in the user's format, e.g. "4,096" or "1.4". Integers get no decimals."""
    if _number is not None:
        return _number(value, decimals)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{decimals}f}"
