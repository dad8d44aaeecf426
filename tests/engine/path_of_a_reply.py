"""How many files and functions of `engine/` a plain second reply crosses, in this process.

`python -m tests.engine.path_of_a_reply [MODEL FOLDER]` prints them by file. Named functions count,
comprehensions and lambdas do not; nor does what the confined children do.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

from engine import Engine, SamplingParams

ENGINE = Path(__file__).parents[2] / "engine"


def crossed(folder: Path) -> Counter[str]:
    """By file, how many functions a chat's second message calls until its answer has ended."""
    seen: set[CodeType] = set()
    looking = False

    def note(frame: FrameType, event: str, arg: object) -> None:
        if looking and event == "call":
            seen.add(frame.f_code)

    threading.setprofile(note)  # for the threads that are started from now on
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
    named = [c for c in seen if not c.co_name.startswith("<")]
    inside = [Path(c.co_filename) for c in named if ENGINE in Path(c.co_filename).parents]
    return Counter(str(path.relative_to(ENGINE)) for path in inside)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        if len(sys.argv) > 1:
            found = crossed(Path(sys.argv[1]))
        else:
            from engine.bench.random_models import write_model
            from tests.engine.families import FAMILIES

            found = crossed(write_model(Path(made) / "model", FAMILIES["plain"]))
    for file, count in sorted(found.items()):
        print(f"{count:4}  {file}")
    print(f"{len(found)} files, {found.total()} functions")


if __name__ == "__main__":
    main()
