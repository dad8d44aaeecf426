"""`python -m tests.bench.markdown`: cost of appending text, and limits for hostile text.

Prints milliseconds per 5-character append, each shown immediately (the worst case), near 1,000,
10,000 and 60,000 characters of an answer, and their ratio. Then prints the times for slow texts in
200 chunks.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from app.markdown.document import MarkdownDocument
from tests.bench.samples import mixed

PIECE = 5


def per_append(length: int, window: int = 3_000) -> tuple[float, float]:
    """Mean and worst milliseconds per shown append in the last `window` of `length` characters."""
    text = mixed(length)
    document = MarkdownDocument()
    document.document.setTextWidth(720)
    document.document.documentLayout().documentSize()
    head = max(length - window, 0)
    document.append(text[:head])
    document.refresh()
    document.document.size()
    costs: list[float] = []
    for place in range(head, length, PIECE):
        start = time.perf_counter()
        document.append(text[place : place + PIECE])
        document.refresh()
        document.document.size()  # triggers layout, like a view does
        costs.append((time.perf_counter() - start) * 1e3)
    return sum(costs) / len(costs), max(costs)


HOSTILE: dict[str, Callable[[], str]] = {
    "100,000 >": lambda: ">" * 100_000,
    "100,000 [": lambda: "[" * 100_000,
    "unclosed fence, 60,000": lambda: "```py\n" + "x = 1  # a line of code\n" * 2_500,
    "list, 60,000": lambda: "- an item of a list that never ends\n" * 1_667,
    "table of 2,000 rows": lambda: "| a | b |\n|---|---|\n" + "| cell | another |\n" * 2_000,
    "one line of 1,000,000": lambda: "word " * 200_000,
    "stars": lambda: "**a *b " * 14_000,
    "definitions": lambda: "".join(f"[x{n}]\n\n[x{n}]: /u\n\n" for n in range(2_000)),
    "control and bidi": lambda: "\u202e\x01\u2066a\n" * 20_000,
}


def hostile(text: str) -> tuple[float, float, float]:
    """Return total seconds, and worst append and finish in ms, for 200 chunks shown immediately."""
    document = MarkdownDocument()
    document.document.setTextWidth(720)
    size = max(len(text) // 200, 1)
    worst = 0.0
    begin = time.perf_counter()
    for place in range(0, len(text), size):
        start = time.perf_counter()
        document.append(text[place : place + size])
        document.refresh()
        document.document.size()
        worst = max(worst, time.perf_counter() - start)
    start = time.perf_counter()
    document.finish()
    document.document.size()
    end = time.perf_counter()
    return end - begin, worst * 1e3, (end - start) * 1e3


def main() -> int:
    """Print the figures and return 1 if the cost of an append grows with the answer."""
    arguments = argparse.ArgumentParser(prog="python -m tests.bench.markdown")
    arguments.add_argument("--json", action="store_true", help="figures for machines")
    chosen = arguments.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    per_append(1_000)  # warm up fonts and lexers
    appends = {length: per_append(length) for length in (1_000, 10_000, 60_000)}
    ratio = appends[60_000][0] / appends[10_000][0]
    slow = {name: hostile(make()) for name, make in HOSTILE.items()}
    if chosen.json:
        print(json.dumps({"append_ms": appends, "ratio_60k_10k": ratio, "hostile_s_ms_ms": slow}))
    else:
        for length, (mean, worst) in appends.items():
            print(f"{length:>7,} characters: {mean:6.2f} ms per append, worst {worst:6.1f}")
        print(f"60,000 against 10,000: {ratio:.2f}x")
        for name, (total, worst, end) in slow.items():
            print(f"{name:>24}: {total:6.2f} s, worst append {worst:6.0f} ms, finish {end:6.0f} ms")
    del application
    return 0 if ratio < 1.5 else 1


if __name__ == "__main__":
    sys.exit(main())
