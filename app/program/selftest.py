"""``stretto --self-test``: check an installed app, using a temporary profile.

Opens the window with the Guide, asks in two panes at the same time, draws the window, and reads the
store. This uses everything that a frozen app could lack without an error at startup: data files,
native libraries, late imports, child processes.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from app import __version__
from app.settings.paths import Paths
from app.system.crash import versions

if TYPE_CHECKING:
    from app.program.application import Application
    from app.ui.pane.pane import ChatPane
    from app.ui.window.main_window import MainWindow

QUESTIONS = ("Tell me a long story", "Write a long answer about trees")
MAX_ANSWER_TOKENS = 160
MIN_COLORS = 20  # a real window has more colors than this; an empty window has two or three
PDF_TEXT = "The lighthouse keeps its lamp in a blue box"


class Check(Struct):
    name: str
    ok: bool
    detail: str
    seconds: float


class LogErrors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info is not None:
            text += f" ({record.exc_info[1]!r})"
        if record.levelno >= logging.ERROR or "No module named" in text:
            self.found.append(text)

    def report(self) -> str:
        if self.found:
            raise RuntimeError("; ".join(self.found))
        return "no errors"


def run(json_to: Path | None = None, picture_to: Path | None = None) -> int:
    """Run the checks up to the first failure and print a report. Return 0 on success."""
    from PySide6.QtCore import qVersion

    # Run without a display unless the caller sets a platform.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    machine = {
        "system": platform.platform(),
        "python": platform.python_version(),
        "qt": qVersion(),
        **versions(),
    }
    results: list[Check] = []
    errors = LogErrors()
    logging.getLogger().addHandler(errors)
    with tempfile.TemporaryDirectory(prefix="stretto-self-test-") as folder:
        window = WindowTest(Paths.for_profile(Path(folder)), picture_to, machine)
        checks: dict[str, Callable[[], str]] = {
            "start": window.start,
            "answers": window.answers,
            "picture": window.picture,
            "document": window.document,
            "store": window.store,
            "tool": check_tool,
            "formula": check_formula,
            "signature": check_signature,
            "licences": check_licenses,
            "log": errors.report,
        }
        for name, check in checks.items():
            start = time.perf_counter()
            try:
                ok, detail = True, check()
            except Exception as error:
                traceback.print_exc()
                ok, detail = False, f"{type(error).__name__}: {error}"
            results.append(Check(name, ok, detail, time.perf_counter() - start))
            if not ok:
                break
        window.end()
    logging.getLogger().removeHandler(errors)
    passed = all(result.ok for result in results)
    print(f"Stretto {__version__}")
    for key, value in machine.items():
        print(f"  {key}: {value}")
    for result in results:
        mark = "ok  " if result.ok else "FAIL"
        print(f"{mark} {result.name} ({result.seconds:.1f} s): {result.detail}")
    print("Everything works." if passed else "Something does not work.")
    if json_to is not None:
        report = {"version": __version__, "ok": passed, "machine": machine}
        report["checks"] = to_builtins(results)
        json_to.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 0 if passed else 1


def wait_until(condition: Callable[[], object], timeout_s: float) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop, timer = QEventLoop(), QTimer(interval=20)
    end = time.monotonic() + timeout_s

    def check() -> None:
        if condition() or time.monotonic() > end:
            loop.quit()

    timer.timeout.connect(check)
    timer.start()
    loop.exec()
    timer.stop()
    if not condition():
        raise TimeoutError(f"nothing happened within {timeout_s:g} s")


class WindowTest:
    def __init__(self, paths: Paths, picture_to: Path | None, machine: dict[str, Any]) -> None:
        self._paths = paths
        self._picture_to = picture_to
        self._machine = machine
        self._application: Application | None = None

    @property
    def _window(self) -> MainWindow:
        assert self._application is not None
        assert self._application.window is not None
        return self._application.window

    @property
    def _pane(self) -> ChatPane:
        assert self._window.workspace.active is not None
        return self._window.workspace.active

    def start(self) -> str:
        from app.models.loading import LoadState
        from app.program.application import Application, make_qt

        self._application = Application(make_qt(["stretto"]), self._paths)
        self._application.start()
        ends = (LoadState.READY, LoadState.FAILED)
        wait_until(lambda: self._pane.chat.model.status.state in ends, 120)
        engine = self._application.loader.engine
        if engine is None or self._pane.chat.model.status.state is LoadState.FAILED:
            raise RuntimeError(self._pane.notice.text)
        self._machine["backend"] = engine.stats()["backend"]
        return "the window is open, the Guide is loaded"

    def answers(self) -> str:
        left_chat = self._pane.chat
        self._window.chats.split("right")
        chats = (left_chat, self._pane.chat)
        for chat, question in zip(chats, QUESTIONS, strict=True):
            options = replace(chat.options, max_tokens=MAX_ANSWER_TOKENS)
            chat.set_options(options, chat.record.system)
            chat.turn.send(question)
        wait_until(
            lambda: all(
                c.reply.message_id and c.reply.message(c.reply.message_id).content for c in chats
            ),
            60,
        )
        wait_until(lambda: not any(c.reply.is_active for c in chats), 120)
        answers = [c.transcript.path[-1] for c in chats]
        for message in answers:
            if message.status != "complete" or not message.content.strip():
                raise RuntimeError(f"an answer is {message.status}: {message.error or 'empty'}")
        return "two chats answered at once: " + " / ".join(repr(m.content[:40]) for m in answers)

    def picture(self) -> str:
        pixmap = self._window.grab()
        if self._picture_to is not None:
            pixmap.save(str(self._picture_to))
        image = pixmap.toImage()
        width, height = image.width(), image.height()
        colors = {image.pixel(x, y) for x in range(0, width, 3) for y in range(0, height, 3)}
        if len(colors) < MIN_COLORS:
            raise RuntimeError(f"the window shows {len(colors)} colors: nothing was drawn")
        return f"{width} x {height} pixels, {len(colors)} colors"

    def document(self) -> str:
        from PySide6.QtGui import QFont, QPainter, QPdfWriter

        file = self._paths.data / "a page.pdf"
        writer = QPdfWriter(str(file))
        painter = QPainter(writer)
        painter.setFont(QFont("Inter", 12))
        painter.drawText(800, 1200, PDF_TEXT)
        painter.end()
        attacher = self._pane.chat.attacher
        refused: list[str] = []
        attacher.file_rejected.connect(refused.append)
        attacher.add([file])
        wait_until(lambda: refused or attacher.files, 60)
        text = None
        if not refused and self._application is not None and self._application.store is not None:
            (attachment,) = attacher.files
            text = self._application.store.texts.get(attachment.hash)
            attacher.draw_pages(attachment, ())
            wait_until(lambda: refused or attacher.files[0].is_image, 60)
        if refused:
            raise RuntimeError(refused[0])
        if text is None or PDF_TEXT not in " ".join(" ".join(text.pages).split()):
            raise RuntimeError("the text of a PDF is not what was written into it")
        drawn = attacher.files[0]
        attacher.remove(drawn)
        return f"the text of a PDF, and its page as {drawn.width} x {drawn.height} pixels"

    def store(self) -> str:
        from app.store import Store

        self.end()
        with Store.open(self._paths.chats) as store:
            counts = {
                message.content: len(store.path(chat.id))
                for chat in store.chats()
                for message in store.messages(chat.id)
                if message.role == "user"
            }
        for question in QUESTIONS:
            if counts.get(question, 0) < 2:
                raise RuntimeError(f"{question!r} and its answer are not in the store")
        return f"{len(counts)} chats written and read"

    def end(self) -> None:
        if self._application is not None:
            self._application.shut_down()


def check_tool() -> str:
    from app.tools.host import ToolHost
    from app.tools.servers import ServerConfig
    from engine.sandbox.process import engine_command

    command, *arguments = engine_command("mcp")
    host = ToolHost()
    try:
        host.set_servers([ServerConfig("stretto", command, tuple(arguments), cwd=str(Path.cwd()))])
        tools = {tool.name: tool for tool in host.tools("stretto").result(90)}
        result = host.call(tools["ask"], {"prompt": "Hello"}).result(90)
    finally:
        host.shut_down()
    if result.error or not result.text.strip():
        raise RuntimeError(f"the tool says {result.text!r}")
    return f"{', '.join(sorted(tools))} over stdio: {result.text[:40]!r}"


def check_formula() -> str:
    from app.markdown import tex

    drawn = tex.formula(r"\sum_{i=1}^n \frac{1}{i^2}", True)
    if drawn is None:
        raise RuntimeError("a formula could not be set")
    return f"{drawn.width:.0f} x {drawn.height:.0f} pixels"


def check_signature() -> str:
    from nacl.signing import SigningKey

    key = SigningKey.generate()
    key.verify_key.verify(key.sign(b"version"))
    return "verified"


def check_licenses() -> str:
    from app.system.licenses import components

    parts = components()
    missing = [part.name for part in parts if len(part.text) < 100]
    if missing or "PySide6_Essentials" not in [part.name for part in parts]:
        raise RuntimeError(f"no text for {', '.join(missing) or 'PySide6'}")
    return f"of {len(parts)} parts"
