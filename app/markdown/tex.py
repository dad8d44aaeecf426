"""LaTeX formulas as SVG, rendered by `ziamath`."""

from __future__ import annotations

import logging
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:  # like ziamath, only imported for the first formula
    from xml.etree import ElementTree

log = logging.getLogger(__name__)

MOST_WORK = 600
"""Limit of `estimate_work` per formula. More complex formulas are shown as typed."""
MOST_SPACE = 100.0
r"""Limit for the sum of all lengths in a formula (`\hspace{2cm}`), in em.

Stretched symbols are composed of small segments, so huge lengths would be slow.
"""
INK = "#010203"  # placeholder color in the SVG
EM = 16.0  # text size of the SVG in pixels
_KEPT = 512

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|\S", re.DOTALL)
_DEEPER = {"{", "\\left", "\\begin"}
_BACK = {"}", "\\right", "\\end"}
# ziamath only supports an exponent after a matrix if the matrix is in braces.
_RAISED = re.compile(r"(\\begin\{(\w+)\}(?:(?!\\begin).)*?\\end\{\2\})(?=\s*[\^_])", re.DOTALL)

_SPACED = re.compile(r"\\(?:[hm]?skip|[hm]space|m?kern|rule|raise|lower|above|genfrac|\\\s*\[)")
"""Commands that take lengths. Elsewhere, "50 cm" is just text."""
_LENGTH = re.compile(r"([\d.,]+(?:[eE][+-]?\d+)?)\s*(cm|mm|in|pt|pc|bp|px|em|ex|mu|dd|cc|sp)")
_EMS = {"cm": 2.4, "mm": 0.24, "in": 6.0, "pc": 1.0, "em": 1.0, "ex": 0.5, "cc": 1.1}
_SMALL_EM = 0.1  # same for all other units

_SHAPES = {"svg", "g", "path", "rect", "ellipse", "polygon"}
_PLACES = {"xmlns", "xmlns:xlink", "viewBox", "d", "points", "x", "y", "cx", "cy", "rx", "ry"}
_MEASURES = _PLACES | {"width", "height", "stroke-width", "opacity"}
_COLOR = re.compile(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]+")


class Formula(Struct, frozen=True):
    """Formula at text size `EM`, in pixels. `depth` is the height below the baseline."""

    svg: str
    width: float
    height: float
    depth: float


def estimate_work(source: str) -> int:
    """Return the cost of a formula: 0.2 ms per unit, doubled for every level of nesting.

    ziamath processes nested parts once more per level, so twenty levels of `x^{x^{x^{...` take
    minutes.
    """
    total, depth = 0, 0
    for match in _TOKEN.finditer(source):
        if match[0] in _BACK:
            depth = max(0, depth - 1)
        total += 1 << depth
        if match[0] in _DEEPER:
            depth += 1
        if total > MOST_WORK:
            break
    return total


def total_space(source: str) -> float:
    """Return the sum of all lengths in a formula, in em."""
    total = 0.0
    if not _SPACED.search(source):
        return total
    for number, unit in _LENGTH.findall(source):
        try:
            total += float(number.replace(",", ".")) * _EMS.get(unit, _SMALL_EM)
        except ValueError:  # ziamath rejects this input as well
            return math.inf
    return total


_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Full-width characters, which the formula font lacks, mapped to ASCII."""


def is_harmless(drawn: ElementTree.Element) -> bool:
    """Return True if an image has only shapes in plain colors, so that drawing it can't load
    anything.

    ziamath copies color names from the formula without checking them.
    """
    return all(
        element.tag in _SHAPES
        and all(
            _COLOR.fullmatch(value) if name in ("fill", "stroke") else name in _MEASURES
            for name, value in element.attrib.items()
        )
        for element in drawn.iter()
    )


@lru_cache(maxsize=_KEPT)
def formula(source: str, display: bool) -> Formula | None:
    """Render a formula. Return None if it's invalid or too complex."""
    if estimate_work(source) > MOST_WORK or total_space(source) > MOST_SPACE:
        return None
    try:
        from xml.etree import ElementTree

        import ziamath

        ziamath.config.svg2 = False  # use paths, since Qt doesn't draw glyph references
        raised = _RAISED.sub(r"{\1}", source.translate(_WIDE))
        latex = ziamath.Latex(raised, size=EM * 1.1, color=INK, inline=not display, margin=1)
        # Letters and marks from other scripts are rendered as text.
        foreign = {c for c in raised if c > "\u02ff" and (c.isalpha() or "\u3000" < c < "\u3200")}
        if not all(map(latex.font.glyphindex, foreign)):
            log.debug("cannot render a formula: letter missing in its font")
            return None
        width, height = (side + 2 for side in latex.getsize())
        drawn = latex.svgxml()
        if not is_harmless(drawn):
            log.debug("cannot render a formula: unexpected shapes or colors")
            return None
        return Formula(
            ElementTree.tostring(drawn, encoding="unicode"),
            width,
            height,
            max(0.0, 1 - latex.getyofst()),
        )
    except Exception as error:  # the parser raises all sorts of exceptions on invalid input
        log.debug("cannot render a formula: %s: %s", type(error).__name__, error)
        return None


def typed_source(source: str, display: bool) -> str:
    mark = "$$" if display else "$"
    return f"{mark}{source}{mark}"
