"""Child program of the crash test. It streams words and prints the number shown so far.

Usage: python -m tests.app.crash_child PROFILE. Prints "<monotonic seconds> <words>" lines.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from app.program.application import Application, make_qt
from app.settings.paths import Paths
from tests.app.fake_engine import FakeEngine


def main() -> None:
    qt = make_qt(sys.argv[:1])
    application = Application(qt, Paths.for_profile(Path(sys.argv[1])), lambda *_: FakeEngine())
    application.start()
    chat = application.window.workspace.active.chat
    words = 0

    def tell(_message_id: str, text: str, _kind: str) -> None:
        nonlocal words
        words += text.count(" ")
        print(time.monotonic(), words, flush=True)

    chat.text_added.connect(tell)
    chat.turn.send("count 1000000")
    qt.exec()


if __name__ == "__main__":
    main()
