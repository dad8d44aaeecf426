"""`python -m engine.hub.gguf FILE`: convert a GGUF file and print the model's folder.

With `--sha256 DIGEST`, print the folder converted from the file with that digest, if it exists
(exit status 0, otherwise 1).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.errors import EngineError
from engine.hub.gguf import kept


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m engine.hub.gguf", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--sha256", metavar="DIGEST")
    options = parser.parse_args(arguments)
    if (options.file is None) == (options.sha256 is None):
        parser.error("name a file, or a digest")
    try:
        result = (
            kept.find_by_digest(options.sha256)
            if options.sha256
            else kept.convert_if_needed(options.file)
        )
    except EngineError as error:
        print(error.message, file=sys.stderr)
        return 1
    if result is None:
        return 1
    print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
