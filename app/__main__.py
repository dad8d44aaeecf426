"""``python -m app`` and ``stretto``: open the window, or run one of the engine's commands."""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from app import __version__
from app.settings.paths import Paths


def main(arguments: list[str] | None = None) -> int:
    argv = sys.argv[1:] if arguments is None else arguments
    if argv[:1] == ["--confined-child"]:  # the frozen program as started by `engine.sandbox`
        from engine.sandbox.child import main as serve

        return serve(argv[1:])
    if argv[:1] == ["--rank-child"]:  # the frozen program as started by `engine.cluster`
        from engine.cluster.rank import main as rank

        return rank(argv[1:])
    if argv and not argv[0].startswith("-"):
        from engine.cli.main import main

        return main(argv, prog="stretto")
    parser = argparse.ArgumentParser(
        prog="stretto",
        description="Many local chats, side by side.",
        epilog="Without the window: stretto chat|batch|serve|download|bench, with --help each",
    )
    parser.add_argument("--profile", type=Path, help="keep everything in this folder")
    parser.add_argument(
        "--ask", action="store_true", help="open a small window for a quick question"
    )
    parser.add_argument("--version", action="version", version=f"Stretto {__version__}")
    parser.add_argument("--self-test", action="store_true", help="try everything out, and report")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="the self-test's report for machines"
    )
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", help="the self-test's window as PNG"
    )
    options = parser.parse_args(argv)
    if options.self_test:
        from app.program import selftest

        return selftest.run(options.json, options.picture)
    paths = Paths.for_profile(options.profile) if options.profile else Paths.standard()

    # Startup creates almost no garbage, so skip the collections (a tenth of the startup time).
    # `app.program.collector` runs them later.
    gc.disable()
    # Importing Qt is slow, so parse the arguments first to keep --help fast.
    from app.system import pyside

    pyside.skip_source_reading()
    from PySide6.QtCore import QTimer

    from app.program.application import Application, make_qt
    from app.settings import translation
    from app.settings.settings import Settings
    from app.system import logs
    from app.ui.dialogs.store_dialogs import say_already_running

    logs.log_uncaught()
    qt = make_qt(sys.argv[:1])
    application = Application(qt, paths)
    application.ended.connect(qt.quit)
    # The collector's timer runs Python code often enough to handle Ctrl+C in a terminal.
    for number in (signal.SIGINT, signal.SIGTERM):
        # quit through the event loop, because a signal may arrive during startup
        signal.signal(number, lambda *_: QTimer.singleShot(0, application.shut_down))
    try:
        started = application.start()
        while not started and application.chosen_profile is not None:
            application.shut_down()
            application = Application(qt, Paths.for_profile(application.chosen_profile))
            application.ended.connect(qt.quit)
            started = application.start()
        if started:
            if options.ask and application.window is not None:
                application.window.quick.ask()
            status = qt.exec()
            while application.restarts:
                application = Application(qt, application.paths, before=application)
                application.ended.connect(qt.quit)
                status = qt.exec() if application.start() else 1
            application.shut_down()
            _end_process(status)
        if not application.already_runs:
            return 0 if application.down else 1
        # There is nothing to clean up yet, so let signals kill the process even if the other
        # instance hangs.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        application.single.quick = options.ask
        if not application.single.call():
            translation.install(qt, Settings.read_without_saving(paths.settings).language)
            say_already_running()
            return 1
        return 0
    finally:
        # Also after a failed startup, because running threads would keep the process alive.
        application.shut_down()


def _end_process(status: int) -> NoReturn:
    """Exit after the last `shut_down` without Python's teardown.

    Teardown waits for the engine thread, which can't be interrupted during an import or a load, and
    frees half a million objects. That can take seconds, and everything is already saved.
    """
    atexit._run_exitfuncs()  # ends child processes and lets Qt release the screen
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None in a frozen program without a console
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
