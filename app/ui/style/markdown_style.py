"""The theme in the terms of the Markdown renderer."""

from __future__ import annotations

from app.markdown import MarkdownStyle
from app.ui.style import tokens as t
from app.ui.style.theme import code_font, scaled, theme, ui_font


def markdown_style(*, quiet: bool = False) -> MarkdownStyle:
    """Colours and fonts of an answer; with ``quiet`` those of reasoning: muted and smaller."""
    tokens = theme().tokens
    return MarkdownStyle(
        text=tokens.muted if quiet else tokens.text,
        muted=tokens.muted,
        border=tokens.divider,
        code_background=tokens.code_background,
        inline_code_background=tokens.code_background,
        accent=tokens.accent,
        quote_bar=tokens.divider,
        dark=tokens.dark,
        font_family=ui_font().family(),
        font_px=scaled(theme().body_px - 2 if quiet else theme().body_px),
        code_family=code_font().family(),
        code_px=scaled(theme().body_px - (3 if quiet else 2)),
        line_height=t.LINE_HEIGHT,
    )
