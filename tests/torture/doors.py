"""Random formulas and Markdown for the window's libraries.

They run in a child process without a screen with the window's code: `tex.formula`, Qt's SVG, and a
`MarkdownDocument` that is laid out and painted. Inputs that kill a child by a signal, or exceed
their time limit, are reported and kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

LIMIT_S = 10.0
"""Seconds of CPU time for one input, which is laid out up to twenty times."""
HANGS_S = 60.0
"""Seconds of real time for one input."""
MOST_USES = 400
"""Number of inputs for one child process."""
MEMORY = 6 * 2**30
CHILD = "--child"


class WorkerError(Exception):
    """The child process crashed or hung."""


class Worker:
    def __init__(self, door: str) -> None:
        self.left = MOST_USES
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.doors", CHILD, door],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            text=True,
        )

    def ask(self, given: object) -> tuple[float, str]:
        """Return the seconds of work, and "passed", "refused" or an error message for an input.

        Raises:
            WorkerError: the child took too long, or a signal killed it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        starting = 30.0 if self.left == MOST_USES else 0.0
        self.left -= 1
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(given) + "\n")
            self._process.stdin.flush()
        said = ""
        if select.select([self._process.stdout], [], [], HANGS_S + starting)[0]:
            said = self._process.stdout.readline().strip()
        if not said:
            raise WorkerError(self.end())
        took, _, words = said.partition(" ")
        if float(took) > LIMIT_S:
            raise WorkerError(f"signal 9 after {took} s of work")
        return float(took), words

    def end(self) -> str:
        """End the child, and return how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self._process.wait(1.0 if self._process.poll() is None else None)
            if status < 0:
                self._process.communicate()
                return f"crash (signal {-status})"
            return f"ended with status {status}"
        self._process.kill()
        self._process.communicate()
        return f"signal 9 after {HANGS_S:g} s: a hang"


def formula(rng: random.Random) -> list[object]:
    count = rng.randrange(1, rng.choice([5, 30, 120, 600]))
    return ["".join(rng.choice(_TEX) for _ in range(count)), rng.random() < 0.5]


def text(rng: random.Random) -> list[object]:
    """Return hostile Markdown, its width, and the number of pieces."""
    made = list[str]()
    for _ in range(rng.randrange(1, rng.choice([3, 10, 60]))):
        piece = rng.choice([_characters, _word, _marks, _blocks])(rng)
        made.append(piece * rng.choice([1, 1, 1, 2, 50]))
    whole = "".join(made)[: rng.choice([100, 2_000, 20_000])]
    return [whole, rng.choice([40, 300, 720, 5000]), rng.choice([1, 3, 20])]


def _characters(rng: random.Random) -> str:
    some = [chr(rng.randrange(0x20, 0x11_0000)) for _ in range(rng.randrange(20))]
    some += rng.choices(_STRANGE, k=rng.randrange(40))
    rng.shuffle(some)
    return "".join(c for c in some if not 0xD800 <= ord(c) < 0xE000 or rng.random() < 0.1)


def _word(rng: random.Random) -> str:
    return rng.choice(["a", "W", "م", "א", "क्ष", "日", "👩‍👩‍👧", "\u200d", "ﷺ"]) * rng.choice(
        [5, 300, 3000]
    )


def _marks(rng: random.Random) -> str:
    return rng.choice("aअกا") + "".join(
        rng.choice("\u0301\u0323\u0489\u064b\u0651\u0e47\u0e49\u093c\u20dd")
        for _ in range(rng.choice([3, 40, 1000]))
    )


def _blocks(rng: random.Random) -> str:
    return rng.choice(_MARKDOWN)


FUZZERS: dict[str, Callable[[random.Random], list[object]]] = {
    "ziamath": formula,
    "qt": text,
}

_TEX = [
    *("x", "1", "+", "=", "^", "_", "{", "}", "(", ")", "&", " ", "\\\\", "'", "|", "[", "]", ","),
    *("\\frac", "\\sqrt", "\\left(", "\\right)", "\\left.", "\\right|", "\\sum", "\\int", "\\lim"),
    *("\\begin{matrix}", "\\end{matrix}", "\\begin{cases}", "\\end{cases}", "\\overline"),
    *("\\begin{align}", "\\end{align}", "\\text{a b}", "\\mathbb{R}", "\\color{red}", "\\hat"),
    *("\\textcolor{#00f}", "\\operatorname{f}", "\\binom", "\\underbrace", "\\stackrel", "\\dots"),
    *("\\alpha", "\\infty", "\\not", "\\,", "\\quad", "\\hspace{9999cm}", "\\rule{9cm}{9cm}"),
    *("\\mathrm", "\\limits", "\\middle|", "\\vec", "\\dot", "\\prime", "\\unknown", "\\", "%"),
    *("日", "\u202e", "\x00", "👋", "\u0301", "~", "#", "$", "\\newcommand{\\a}{\\a\\a}", "\\a"),
    *("\\sqrt[", "{x}", "^{", "_{", "\\frac{1}{", "\\over", "\\atop", "\\choose", "\\cancel{x}"),
]
_STRANGE = [
    *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"),
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\ufeff", "\ufffc", "\ufffd", "\ufffe"),
    *("\u0300", "\u0488", "\u20e0", "\ufe0f", "\ufe0e", "\U000e0001", "\U000e0061", "\u2028"),
    *("\u2029", "\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\xa0", "\xad"),
    *("\u115f", "\u1160", "\u3164", "\u17b4", "\u180e", "\t", "\r", "\n", "\U0001f3fb", "\u061c"),
    *("\ue000", "\U0010ffff", "\U0001f1e6", "\ud800", "\udfff", "\u0d4e", "\u0e33", "\u1031"),
]
_MARKDOWN = [
    *(
        "# ",
        "> ",
        ">" * 40,
        "- ",
        "1. ",
        "999999999. ",
        "```\n",
        "```py\n",
        "    ",
        "---\n",
        "\n\n",
    ),
    *("| a | b |\n|---|:-:|\n| c | d |\n", "**", "*", "~~", "`", "[a](", ")", "<b>", "![", "](x)"),
    *("$x$", "$$", "\\[", "\\]", "- [ ] ", "- [x] ", "&amp;", "&#0;", "&#x202e;", "http://a.b/"),
    *("  - a\n", "   1) b\n", "a\\\n", "a  \n", "[^1]", "[x]: /u\n", "<!--", "\t\t", "= \n===\n"),
]


def _work_on_formulas() -> Callable[[list[object]], str]:
    from PySide6.QtCore import QByteArray, QRectF
    from PySide6.QtGui import QColor, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    from app.markdown import MarkdownDocument, tex

    image = QImage(400, 200, QImage.Format.Format_ARGB32)

    def work(given: list[object]) -> str:
        source, display = str(given[0]), bool(given[1])
        made = tex.formula(source, display)
        document = MarkdownDocument()
        document.set_text(tex.typed_source(source, display))
        document.document.setTextWidth(300)
        document.document.size()
        if made is None:
            return "refused"
        image.fill(QColor("white"))
        painter = QPainter(image)
        QSvgRenderer(QByteArray(made.svg.encode())).render(painter, QRectF(0, 0, 400, 200))
        painter.end()
        return "passed"

    return work


def _work_on_text() -> Callable[[list[object]], str]:
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QFontMetrics, QImage, QPainter

    from app.markdown import MarkdownDocument

    image = QImage(720, 600, QImage.Format.Format_ARGB32)

    def work(given: list[object]) -> str:
        text, width, pieces = str(given[0]), int(str(given[1])), int(str(given[2]))
        document = MarkdownDocument()
        document.document.setTextWidth(width)
        size = max(1, len(text) // pieces)
        for at in range(0, len(text), size):
            document.append(text[at : at + size])
            document.refresh()
            document.document.size()
        document.finish()
        document.settle()
        document.document.setTextWidth(width / 2 + 10)
        image.fill(0)
        painter = QPainter(image)
        document.paint_under(painter, QRectF(image.rect()))
        document.document.drawContents(painter, QRectF(image.rect()))
        painter.end()
        document.plain_text()
        title = QFontMetrics(document.document.defaultFont())
        title.elidedText(text[:200], Qt.TextElideMode.ElideRight, 120)
        return "passed"

    return work


def handle_inputs(door: str) -> None:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    work = {"ziamath": _work_on_formulas, "qt": _work_on_text}[door]()
    for line in sys.stdin:
        began = time.process_time()
        try:
            said = work(json.loads(line))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        print(f"{time.process_time() - began:.2f} {json.dumps(said)[1:-1]}", flush=True)
    del application


def run(door: str, seconds: float, seed: int, keep: Path) -> bool:
    rng, counts, good = random.Random(seed), Counter[str](), True
    slowest: tuple[float, object] = (0.0, None)
    worker = Worker(door)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        given = FUZZERS[door](rng)
        if not worker.left:
            worker.end()
            worker = Worker(door)
        try:
            took, said = worker.ask(given)
            slowest = max(slowest, (took, given), key=lambda pair: pair[0])
        except WorkerError as error:
            said, worker = str(error), Worker(door)
        counts[said] += 1
        if said not in ("passed", "refused"):
            good = False
            keep.mkdir(parents=True, exist_ok=True)
            file = keep / f"{door}-{counts.total()}.txt"
            file.write_text(f"{said}\n{given!r}")
            print(f"  {door}: {said[:200]} -> {file}", flush=True)
    worker.end()
    told = ", ".join(f"{n:,} {said}" for said, n in counts.most_common())
    print(f"{door}: {counts.total():,} inputs in {seconds:g} s: {told}")
    print(f"  most work: {slowest[0]:.1f} s over {slowest[1]!r:.300}")
    return good


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture doors", description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"of {', '.join(FUZZERS)}")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each door")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--keep", type=Path, default=Path("build/fuzz"), help="where bad input goes"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.doors) - set(FUZZERS):
        parser.error(f"no such door: {', '.join(sorted(unknown))}")
    doors = options.doors or list(FUZZERS)
    good = [run(door, options.seconds, options.seed, options.keep) for door in doors]
    return 0 if all(good) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == [CHILD]:
        handle_inputs(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
