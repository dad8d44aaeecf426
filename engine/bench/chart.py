"""A chart of tokens per second against the number of chats, as an SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine.bench.traffic import Figures

_WIDTH, _HEIGHT, _LEFT, _TOP = 360, 240, 56, 44
_COLOURS = ("#3b6fd4", "#8a8f98", "#d9822b", "#2e9e6b")


def chart(figures: Sequence[Figures], title: str) -> str:
    """One panel for each kind of traffic, one line for each contender."""
    kinds = list(dict.fromkeys(f.traffic for f in figures))
    names = list(dict.fromkeys(f.contender for f in figures))
    chats = sorted({f.chats for f in figures})
    top = max(f.rate for f in figures)
    width, height = len(kinds) * (_WIDTH + _LEFT) + 24, _TOP + _HEIGHT + 76
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for place, kind in enumerate(kinds):
        x0 = _LEFT + place * (_WIDTH + _LEFT)
        parts.append(f'<text x="{x0}" y="{_TOP - 6}" font-weight="bold">{escape(kind)}</text>')
        parts += _axes(x0, chats, top)
        for name, colour in zip(names, _COLOURS, strict=False):
            rates = {f.chats: f.rate for f in figures if (f.traffic, f.contender) == (kind, name)}
            parts += _line([(_x(x0, chats, n), _y(r, top)) for n, r in rates.items()], colour)
    for place, (name, colour) in enumerate(zip(names, _COLOURS, strict=False)):
        x = _LEFT + place * 190
        parts.append(f'<rect x="{x}" y="{height - 22}" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 20}" y="{height - 16}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _x(x0: int, chats: Sequence[int], n: int) -> float:
    return x0 + _WIDTH * (chats.index(n) / max(1, len(chats) - 1))


def _y(rate: float, top: float) -> float:
    return _TOP + _HEIGHT * (1 - rate / (top * 1.05))


def _axes(x0: int, chats: Sequence[int], top: float) -> list[str]:
    bottom = _TOP + _HEIGHT
    parts = []
    for step in range(5):
        rate = top * step / 4
        y = _y(rate, top)
        parts.append(
            f'<line x1="{x0}" y1="{y:.1f}" x2="{x0 + _WIDTH}" y2="{y:.1f}" stroke="#dddddd"/>'
        )
        parts.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{rate:.0f}</text>')
    for n in chats:
        x = _x(x0, chats, n)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{n}</text>')
    middle = x0 + _WIDTH / 2
    parts.append(
        f'<text x="{middle:.1f}" y="{bottom + 36}" text-anchor="middle">chats; tokens/s</text>'
    )
    return parts


def _line(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]
