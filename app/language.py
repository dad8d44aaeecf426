"""The words of the program in the language of the person.

Every text that a person reads goes through `tr`, `counted` or `mark`. The English text is what a
translation is found by, so that the code reads as the window does. lupdate collects them into
``resources/languages/*.ts`` (``make languages``), lrelease makes the ``.qm`` files that Qt reads
(``packaging/bootstrap.py``). Nothing here imports Qt: the store and the tools have texts too.

Imports: nothing of the program.
"""

from __future__ import annotations

from collections.abc import Callable

Translate = Callable[[str, str, int], str]
"""(text, comment, n) to the translated text, "" or the text itself if there is none; n is -1
where nothing is counted."""

_translate: Translate | None = None


def install(translate: Translate | None) -> None:
    """Let `translate` give all texts from now on; None for the English ones."""
    global _translate
    _translate = translate


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """`text` in the person's language, with `values` put in for its ``{names}``.

    Args:
        text: a literal, so that lupdate finds it, or a name for what `mark` was given.
        comment: a literal; what tells apart two meanings of one English text, and helps who
            translates.
        values: texts and figures, formatted already. Without any, braces stay as they are.
    """
    found = (_translate(text, comment, -1) if _translate is not None else "") or text
    return found.format(**values) if values else found


def counted(one: str, many: str, n: int, /, **values: object) -> str:
    """The text for `n` things: ``counted("%n chat", "%n chats", n)``.

    Both are literals with ``%n`` for the number. Languages with more forms, or one, have theirs in
    their file, under `one` with `many` for a comment.
    """
    found = _translate(one, many, n) if _translate is not None else ""
    if not found or found == one.replace("%n", str(n)):
        found = (one if n == 1 else many).replace("%n", str(n))
    return found.format(**values) if values else found


def mark(text: str, comment: str = "", /) -> str:
    """`text` as it is: found by lupdate here, and translated where `tr` is called with it.

    For texts that stand in a table which is made when its module is imported, before the language
    is known.
    """
    return text
