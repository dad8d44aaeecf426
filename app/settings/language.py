"""The words of the program in the language of the person.

Every text that a person reads goes through `tr`, `counted` or `mark`. The English text is what a
translation is found by, so that the code reads as the window does. lupdate collects them into
``resources/languages/*.ts`` (``make languages``), lrelease makes the ``.qm`` files that Qt reads
(``packaging/bootstrap.py``). Nothing here imports Qt: the store and the tools have texts too.

Imports: nothing of the program.
"""

from __future__ import annotations

from collections.abc import Callable

CONTEXT = "Stretto"  # what all texts are filed under in the files of translations

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh_CN": "简体中文",
}
"""The languages that there are, by their codes, each as it is called in itself."""

Translate = Callable[[str, str, int], str]
"""(text, comment, n) to the translated text with its places for values, "" if there is none; n is
-1 where nothing is counted."""

Number = Callable[[float, int], str]
"""(value, decimals) to the number as it is written in the language."""

_translate: Translate | None = None
_number: Number | None = None


def install(translate: Translate | None, number: Number | None = None) -> None:
    """Let these give all texts and numbers from now on; None for the English ones."""
    global _translate, _number
    _translate, _number = translate, number


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """`text` in the person's language, with `values` put in for its ``{names}``.

    Args:
        text: a literal, so that it is found by ``make languages``, or a name for what `mark` was
            given.
        comment: a literal; what tells apart two meanings of one English text, and helps who
            translates.
        values: texts and figures, formatted already. Without any, braces stay as they are.
    """
    found = (_translate(text, comment, -1) if _translate is not None else "") or text
    return found.format(**values) if values else found


def counted(one: str, many: str, n: int, /, **values: object) -> str:
    """The text for `n` things: ``counted("%n chat", "%n chats", n)``.

    Both are literals with ``%n`` for the number, or with ``%Ln`` for the number as `number` writes
    it. Languages with more forms, or one, have theirs in their file, under `one` with `many` for a
    comment.
    """
    found = _translate(one, many, n) if _translate is not None else ""
    found = found or (one if n == 1 else many)
    found = found.replace("%Ln", number(n)).replace("%n", str(n))
    return found.format(**values) if values else found


def mark(text: str, comment: str = "", /) -> str:
    """`text` as it is: found here, and translated where `tr` is called with it.

    For texts that stand in a table which is made when its module is imported, before the language
    is known. A comment is given to `tr` as well.
    """
    return text


def code() -> str:
    """The code of the window's language: "en" where nothing is translated."""
    return tr("en", "the code of this language: names of days and months are in it")


def percent(share: float) -> str:
    """ "12%" for 0.12, as the person's language writes it."""
    return tr("{number}%", number=f"{share * 100:.0f}")


def number(value: float, decimals: int = 0) -> str:
    """ "4,096" or "1.4" as the person's language writes it; whole numbers without decimals."""
    if _number is not None:
        return _number(value, decimals)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{decimals}f}"
