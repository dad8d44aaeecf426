"""Design tokens: the window's colors and sizes.

Colors must not be defined anywhere else in the UI.
"""

from __future__ import annotations

from msgspec import Struct


class ThemeTokens(Struct, frozen=True):
    dark: bool  # light text on dark backgrounds
    background: str  # conversation and active tab
    back: str  # conversation in inactive panes, slightly shaded
    surface: str  # sidebar, tab bar and score
    raised: str  # fields, buttons, the composer, menus and popovers
    tint: str  # user messages
    # Controls under the mouse, and controls that are pressed or selected in a list.
    hover: str
    pressed: str
    # Main text; secondary text and icons.
    text: str
    muted: str
    # Hairlines; quotes, tables and menu edges.
    border: str
    divider: str
    outline: str  # edges of buttons and fields; lighter than their text
    border_strong: str  # edges of controls without text, e.g. check boxes, and scroll bars
    # Focus rings, links and main buttons; text on main buttons.
    accent: str
    accent_text: str
    accent_quiet: str  # selected menu items
    broadcast: str  # composers that will receive a broadcast
    difference: str  # words in which compared replies differ
    # Errors and deletions, and the background behind them.
    danger: str
    danger_wash: str
    # Success and insertions, and the background behind them.
    success: str
    success_wash: str
    # Backgrounds of code and selected text.
    code_background: str
    selection: str
    # Tooltips and toasts, including a toast's button under the mouse.
    tooltip: str
    tooltip_hover: str
    tooltip_text: str
    strong: bool = False  # high contrast; selected items get an outline


# Light, dark, high-contrast light, high-contrast dark.
_COLORS = {
    "background": ("#fdfdfc", "#1b1d1d", "#ffffff", "#000000"),
    "back": ("#f7f8f6", "#171919", "#f7f7f7", "#101010"),
    "surface": ("#f4f4f2", "#151717", "#ffffff", "#000000"),
    "raised": ("#ffffff", "#252828", "#ffffff", "#000000"),
    "tint": ("#eef2f0", "#272c2b", "#f0f0f0", "#1c1c1c"),
    "hover": ("#e9eae7", "#222626", "#e6e6e6", "#262626"),
    "pressed": ("#dfe1dd", "#2d3231", "#d9d9d9", "#333333"),
    "text": ("#1d2120", "#e5e8e6", "#000000", "#ffffff"),
    "muted": ("#5c6460", "#9ba39f", "#424242", "#c4c4c4"),
    "border": ("#e4e5e2", "#2c3030", "#6b6b6b", "#8c8c8c"),
    "divider": ("#cdd1cd", "#434948", "#303030", "#bdbdbd"),
    "outline": ("#d3d7d3", "#3d4443", "#000000", "#ffffff"),
    "border_strong": ("#868c88", "#6f7775", "#000000", "#ffffff"),
    "accent": ("#0b736c", "#52c4b9", "#00453f", "#6fe7db"),
    "accent_text": ("#ffffff", "#06211e", "#ffffff", "#000000"),
    "accent_quiet": ("#dcebe8", "#1d3835", "#c9ece7", "#00332f"),
    "broadcast": ("#fdf1d9", "#352d1b", "#fff0cc", "#33260a"),
    "difference": ("#e4dcf8", "#3a3157", "#d9caff", "#3b2a70"),
    "danger": ("#b3261e", "#ff9287", "#8a0000", "#ffb3ab"),
    "danger_wash": ("#fbeeec", "#33211f", "#fff0f0", "#330b08"),
    "success": ("#1c7440", "#74d094", "#00471f", "#8ff0b0"),
    "success_wash": ("#e9f5ec", "#1b2f22", "#e9faee", "#062a14"),
    "code_background": ("#f3f4f2", "#232727", "#f5f5f5", "#141414"),
    "selection": ("#bfe0dc", "#23534e", "#8fe0d6", "#00564f"),
    "tooltip": ("#262b29", "#343a39", "#000000", "#ffffff"),
    "tooltip_hover": ("#414846", "#4a5250", "#333333", "#d4d4d4"),
    "tooltip_text": ("#f2f4f3", "#eef1f0", "#ffffff", "#000000"),
}
LIGHT, DARK, HIGH_LIGHT, HIGH_DARK = (
    ThemeTokens(**{name: each[n] for name, each in _COLORS.items()}, dark=n % 2 == 1, strong=n > 1)
    for n in range(4)
)

# Sizes in pixels, in multiples of 4.
COLUMN = 760
SIDEBAR = 240
TAB = 36
ROW = 32
RADIUS = 12
RADIUS_SMALL = 8
ICON = 18
SMALL_ICON = 16
RING = 2  # line width of focus rings

# Unscaled text sizes in pixels.
TITLE_PX = 20
HEADING_PX = 15
BODY_PX = 15
LEAD_PX = 14
"""Size of help texts, notices and model names."""
UI_PX = 13
SMALL_PX = 12
TINY_PX = 11
CODE_PX = 13
LINE_HEIGHT = 1.5
LANES_LIGHT = (
    "#0072b2", "#c05a00", "#00805d", "#a8437f", "#2c86c4", "#8a6d00", "#6a4fb3", "#5c6670",
)  # fmt: skip
LANES_DARK = (
    "#56a9e0", "#f0963c", "#3cc49b", "#e58fc2", "#8fd0f5", "#e3c84e", "#b19cf0", "#aeb8bf",
)  # fmt: skip
"""Lane colors in the score, with a contrast of 3:1 or more.

They are based on Okabe and Ito's color-blind safe palette.
"""


def lane_color(number: int, *, dark: bool) -> str:
    lanes = LANES_DARK if dark else LANES_LIGHT
    return lanes[number % len(lanes)]


NARROW = 420  # narrower panes have less padding and hide secondary stats
