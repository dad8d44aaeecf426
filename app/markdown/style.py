"""Colours and sizes of rendered Markdown."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MarkdownStyle:
    """Everything the renderer asks about looks. Colours are "#rrggbb", sizes pixels.

    Attributes:
        text, muted: body text; quotations, list markers and code labels.
        border: hairlines of tables and rules. quote_bar: the bar left of a quotation.
        code_background: behind code blocks; inline_code_background: behind `code` in a line.
        accent: links.
        dark: chooses the colours of highlighted code.
        font_family, code_family: "" takes the system's.
        font_px, code_px: body and code size.
        line_height: of the body, as a multiple of the font's own size (1.5).
    """

    text: str = "#1f1f1e"
    muted: str = "#6b6a66"
    border: str = "#dddcd7"
    code_background: str = "#f6f5f1"
    inline_code_background: str = "#efeeea"
    accent: str = "#2a62c9"
    quote_bar: str = "#d3d1ca"
    dark: bool = False
    font_family: str = ""
    font_px: int = 15
    code_family: str = ""
    code_px: int = 13
    line_height: float = 1.5


LIGHT = MarkdownStyle()
DARK = MarkdownStyle(
    text="#ececea",
    muted="#a3a29c",
    border="#3b3b38",
    code_background="#242422",
    inline_code_background="#333331",
    accent="#7fb0ff",
    quote_bar="#4a4a46",
    dark=True,
)
