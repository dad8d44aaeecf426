"""`python -m engine convert FOLDER --bits 4 --out NEW`: write a smaller copy of a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.cli.arguments import StatusLine, progress_bar, sigterm_as_interrupt
from engine.errors import DOWNLOAD_CANCELLED, INVALID_REQUEST, EngineError
from engine.hub import conversion
from engine.sandbox import confined

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

EPILOG = """\
Runs mlx-lm's conversion in a separate process. An incomplete folder is deleted.
Exit status: 0 converted, 1 failed, 2 invalid arguments, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("folder", help="model folder with weights that are not quantized")
    parser.add_argument("--out", required=True, metavar="NEW", help="folder to create")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--bits", type=int, choices=conversion.BITS, default=4, help="(default: 4)")
    group.add_argument("--recipe", choices=conversion.RECIPES, help="more bits for critical layers")
    parser.add_argument("--quiet", action="store_true", help="show no progress on stderr")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    folder, out = Path(options.folder).expanduser(), Path(options.out).expanduser()
    if options.child:
        conversion.run_child(folder, out, options.bits, options.recipe, options.child)
        return DONE
    line = StatusLine(sys.stderr)

    def progress(converted_bytes: int, total: int) -> None:
        if line.shown and not options.quiet:
            bar = progress_bar(converted_bytes, max(total, 1))
            line.draw(f"{bar} {converted_bytes / 1e6:.0f} of about {total / 1e6:.0f} MB")

    try:
        with sigterm_as_interrupt():
            print(conversion.convert(folder, out, options.bits, options.recipe, progress))
        return DONE
    except KeyboardInterrupt:
        print("convert: interrupted. The incomplete folder was deleted.", file=sys.stderr)
        return INTERRUPTED
    except EngineError as error:
        print(f"convert: {error.message}", file=sys.stderr)
        wrong = error.code in (INVALID_REQUEST, DOWNLOAD_CANCELLED)
        return WRONG if wrong else FAILED
    finally:
        line.clear()
        confined.shared().close()
