"""Number of files and functions in `engine/` that a plain second reply runs through.

`python -m tests.engine.path_of_a_reply [--names] [MODEL FOLDER]` prints counts per file, or names.
Only named functions of this process count, so comprehensions, lambdas and child processes don't.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

from engine import Engine, SamplingParams

ENGINE = Path(__file__).parents[2] / "engine"


def crossed(folder: Path) -> dict[str, list[str]]:
    seen: set[CodeType] = set()
    looking = False

    def note(frame: FrameType, event: str, arg: object) -> None:
        if looking and event == "call":
            seen.add(frame.f_code)

    threading.setprofile(note)  # for threads started from now on
    sys.setprofile(note)
    try:
        with Engine() as engine:
            chat = engine.open_session(engine.load(folder))
            chat.send("hello", SamplingParams(max_tokens=8)).tokens(60)
            looking = True
            chat.send("and then?", SamplingParams(max_tokens=8)).tokens(60)
            looking = False
    finally:
        threading.setprofile(None)
        sys.setprofile(None)
    found: dict[str, list[str]] = {}
    for code in seen:
        path = Path(code.co_filename)
        if ENGINE in path.parents and not code.co_name.startswith("<"):
            found.setdefault(str(path.relative_to(ENGINE)), []).append(code.co_qualname)
    return found


def main(arguments: list[str]) -> None:
    names = "--names" in arguments
    folders = [each for each in arguments if each != "--names"]
    with tempfile.TemporaryDirectory() as made:
        if folders:
            found = crossed(Path(folders[0]))
        else:
            from engine.bench.random_models import write_model
            from tests.engine.families import FAMILIES

            found = crossed(write_model(Path(made) / "model", FAMILIES["plain"]))
    for file, called in sorted(found.items()):
        print(f"{len(called):4}  {file}")
        for name in sorted(called) if names else ():
            print(f"      {name}")
    print(f"{len(found)} files, {sum(map(len, found.values()))} functions")


if __name__ == "__main__":
    main(sys.argv[1:])
