"""`python -m engine convert FOLDER --bits 4 --out NEW`: a smaller copy of a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.cli.arguments import Line, bar, terminable
from engine.errors import DOWNLOAD_CANCELLED, INVALID_REQUEST, EngineError
from engine.hub import conversion
from engine.sandbox import confined

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

EPILOG = """\
mlx-lm's own conversion, in a process of its own. The new folder is complete or it is not there.
Exit status: 0 it is there, 1 it is not, 2 that cannot be asked, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("folder", help="a model folder whose weights are not quantised")
    parser.add_argument("--out", required=True, metavar="NEW", help="the folder to be made")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--bits", type=int, choices=conversion.BITS, default=4, help="(4)")
    how.add_argument("--recipe", choices=conversion.RECIPES, help="more bits where they matter")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    folder, out = Path(options.folder).expanduser(), Path(options.out).expanduser()
    if options.child:
        conversion.in_child(folder, out, options.bits, options.recipe, options.child)
        return DONE
    line = Line(sys.stderr)

    def progress(done: int, total: int) -> None:
        if line.shown and not options.quiet:
            line.draw(f"{bar(done, max(total, 1))} {done / 1e6:.0f} of about {total / 1e6:.0f} MB")

    try:
        with terminable():
            print(conversion.convert(folder, out, options.bits, options.recipe, progress))
        return DONE
    except KeyboardInterrupt:
        print("convert: interrupted; nothing is left of it.", file=sys.stderr)
        return INTERRUPTED
    except EngineError as error:
        print(f"convert: {error.message}", file=sys.stderr)
        wrong = error.code in (INVALID_REQUEST, DOWNLOAD_CANCELLED)
        return WRONG if wrong else FAILED
    finally:
        line.clear()
        confined.shared().close()
