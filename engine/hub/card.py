"""A model card made fit to be read: its words stay, what only a browser can show goes. Pure.

Cards are Markdown with HTML in it, mostly for pictures and their places. No picture is fetched, so
of each its own words are kept.
"""

from __future__ import annotations

import re

LONGEST = 60_000
"""Characters of a card that are shown."""

_HEAD = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?(-->|\Z)", re.DOTALL)
_STYLE = re.compile(r"<(style|script)\b[^<>]*>.*?(</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_PICTURE = re.compile(r"<img\b[^<>]*?\balt\s*=\s*[\"']([^\"'<>]*)[\"'][^<>]*>", re.IGNORECASE)
_LINE = re.compile(r"<(br|hr)\s*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(a|b|abbr|blockquote|br|center|code|details|div|em|figcaption|figure|font|h[1-6]|hr|i|img"
    r"|kbd|li|ol|p|picture|pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th"
    r"|thead|tr|u|ul|video|audio|iframe)\b[^<>]*>",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"!\[([^\[\]]*)\](\([^()]*\)|\[[^\[\]]*\])")  # ![words](address)
_LINKED = re.compile(r"\[\s*\]\([^()]*\)")  # a link around a picture without words
_MANY = re.compile(r"\n{3,}")


def card_text(text: str) -> str:
    """The Markdown of a card without its head, pictures and HTML. Code stays as it is."""
    text = _HEAD.sub("", text[: 2 * LONGEST].replace("\r\n", "\n"), count=1)
    parts: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark is None:
            prose.append(line)
            continue
        if not fence and mark is not None:
            parts.append(_plain("\n".join(prose)))
            prose, fence = [], mark[1]
        elif mark is not None and mark[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
        parts.append(line)
    parts.append(_plain("\n".join(prose)))
    whole = _MANY.sub("\n\n", "\n".join(parts)).strip()
    return whole if len(whole) <= LONGEST else whole[:LONGEST].rstrip() + " …"


def _plain(text: str) -> str:
    for pattern, instead in (
        (_COMMENT, ""),
        (_STYLE, ""),
        (_PICTURE, r"\1"),
        (_LINE, "\n"),
        (_TAG, ""),
        (_SHOWN, r"\1"),
        (_LINKED, ""),
    ):
        text = pattern.sub(instead, text)
    return "\n".join(line if line.strip() else "" for line in text.split("\n"))
