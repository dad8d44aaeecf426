"""`python -m engine report`: ten minutes of measuring, one file to send back."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.bench import report
from engine.cli.arguments import GUIDE

FILE = "stretto-report.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", nargs="*", default=[str(GUIDE)], help="model folders or downloaded hub ids"
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="in all (10)")
    parser.add_argument("--out", type=Path, default=Path(FILE), help=f"the file ({FILE})")


def main(options: argparse.Namespace) -> int:
    held = report.run(options.models, options.minutes, options.out, print)
    print(f"\n{options.out.resolve()} has all of it. It names no person and no chat.")
    return 0 if held else 1
