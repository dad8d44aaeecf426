"""The README's pictures, and screenshots: ``python -m tests.bench.screenshots OUTDIR``.

Without options it records ``streaming.webp``, ``light.webp`` and ``dark.webp`` in the real program.
``--screens`` captures every screen in the given language and looks instead; see
`tests.bench.screens`.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from app.models.suggestions import find_small_folder
from app.settings import translation
from app.settings.paths import GUIDE
from tests.bench import screens
from tests.bench.drive import program
from tests.bench.moving_picture import SIZE, film


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="OUTDIR")
    parser.add_argument("--model", help="model's folder (default: SmolLM2, or else the Guide)")
    parser.add_argument("--screens", action="store_true", help="capture every screen instead")
    parser.add_argument("--language", help="a code, or xx and ar-xx for texts that are made up")
    parser.add_argument(
        "--look", choices=screens.LOOKS, nargs="+", default=["light"], help="of --screens"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.language:
        os.environ[translation.ENVIRONMENT] = options.language
    if options.screens:
        tail = f"{options.language}-" if options.language else ""
        taken = screens.take(options.folder, options.look, tail)
        print(len(taken), "screenshots in", options.folder)
        return 0
    with program(options.model or find_small_folder() or GUIDE, SIZE) as driver:
        film(driver, options.folder / "streaming.webp")
    return 0


if __name__ == "__main__":
    sys.exit(main())
