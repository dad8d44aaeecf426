"""Replies never load anything."""

from __future__ import annotations

import re
import socket
import sys
import threading
import time

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.markdown import tex
from app.markdown.highlight import CodeHighlighter
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.widgets.textview import TextView
from tests.app.conftest import Start

RED = QColor("#ff0013")


class Watch:
    def __init__(self):
        self.armed = False
        self.seen = []
        sys.addaudithook(self._hear)  # audit hooks cannot be removed

    def _hear(self, event, what):
        if self.armed and event.startswith(EVENTS):
            self.seen.append((event, str(what[:2])))


EVENTS = (
    "open", "os.listdir", "os.scandir", "os.system", "os.exec", "subprocess.", "webbrowser.",
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.", "ctypes.dlopen",
)  # fmt: skip


@pytest.fixture(scope="module")
def audit():
    watch = Watch()
    yield watch
    watch.armed = False


@pytest.fixture
def bait(tmp_path, audit):
    folder = tmp_path / "bait"
    folder.mkdir()
    picture = QImage(60, 60, QImage.Format.Format_RGB32)
    picture.fill(RED)
    picture.save(str(folder / "red.png"))
    (folder / "text.tex").write_text("SECRET")
    server = socket.create_server(("127.0.0.1", 0))
    calls = []

    def accept():
        while True:
            try:
                caller, _ = server.accept()
            except OSError:
                return
            calls.append(caller.recv(1000))
            caller.close()

    listener = threading.Thread(target=accept, name="bait")
    listener.start()
    audit.seen.clear()
    audit.armed = True
    yield folder, f"http://127.0.0.1:{server.getsockname()[1]}", calls, audit.seen
    audit.armed = False
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    listener.join()


def evil(folder, address):
    picture, text = folder / "red.png", folder / "text.tex"
    return f"""# ![h](file://{picture}) <img src="file://{picture}">

![a](file://{picture}) ![b]({picture}) ![c]({address}/b.png) ![d](data:image/png;base64,iVBO)
![e][r]

[r]: {address}/ref.png "title"

<img src="file://{picture}"> <img src={address}/i.png> <object data="file://{picture}"></object>
<style>@import url({address}/s.css);</style> <link rel=stylesheet href="{address}/l.css">
<svg><image href="file://{picture}"/></svg> <iframe src="{address}"></iframe>

| a | b |
|---|---|
| ![a](file://{picture}) | <img src="file://{picture}"> |

> - [ ] ![a]({picture}) <img src="{picture}">

$\\input{{{text}}}$ $\\include{{{text}}}$ $\\includegraphics{{{picture}}}$ $\\url{{{address}/m}}$
$\\href{{file://{picture}}}{{x}}$ $\\write18{{touch {folder}/made}}$ \\(\\openin5={text}\\)

```{text}
x
```

```python -x file://{text}
print(1)
```

<{address}/auto> [j](javascript:alert(1)) [f](file://{picture}) [g]({address}/g)
"""


def shows(widget, color):
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return bytes([color.blue(), color.green(), color.red(), 255]) in bytes(picture.constBits())


def test_watch_notices_file_network_and_image_access(bait, qtbot: QtBot):
    """Make sure that the tests below can fail."""
    folder, address, calls, seen = bait
    (folder / "text.tex").read_text()
    assert [event for event, what in seen if "text.tex" in what] == ["open"]
    socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))).close()
    assert [event for event, _ in seen if event == "socket.connect"]
    qtbot.waitUntil(lambda: bool(calls))
    label = QLabel(f"<img src='{folder / 'red.png'}'>")
    qtbot.addWidget(label)
    assert shows(label, RED)


def test_an_answer_reaches_no_file_and_no_network(start: Start, bait):
    folder, address, calls, seen = bait
    run = start().ready()
    seen.clear()
    run.pane.chat.turn.send(f"<img src={folder}/red.png><b>x</b>")
    run.answered()
    run.pane.chat.turn.send("paste " + evil(folder, address))
    assert "javascript" in run.answered()
    assert not shows(run.window, RED)
    bad = [
        (e, what) for e, what in seen if str(folder) in what or not e.startswith(("open", "os."))
    ]
    assert bad == []
    assert calls == []
    assert sorted(path.name for path in folder.iterdir()) == ["red.png", "text.tex"]


@pytest.mark.qt_log_ignore("Could not resolve property", extend=True)  # so it wasn't fetched
def test_formula_color_is_not_fetched(start: Start, bait):
    _, address, calls, _ = bait
    run = start().ready()
    run.pane.chat.turn.send(f"paste $\\color{{url({address}/c)}}x$")
    run.answered()
    run.window.grab()
    assert calls == []


def test_title_is_not_html(start: Start, bait):
    folder, *_ = bait
    run = start().ready()
    run.pane.chat.turn.send("say hello")
    run.answered()
    for title in ("<img src={}/red.png>", "<b>x</b>", "<img src='{}/red.png'> &amp;"):
        run.pane.chat.rename(title.format(folder))
        assert not shows(run.window, RED)
        tab = run.window.workspace._docks.all_docks()[0].widget.tabWidget()
        labels = [label for label in tab.findChildren(QLabel) if label.text()]
        assert labels
        assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
        tip = QLabel(tab.toolTip())
        run.qtbot.addWidget(tip)
        assert not shows(tip, RED)


FORMULAS = [
    r"\input{/etc/passwd}", r"\include{x}", r"\includegraphics{/x.png}", r"\write18{ls}",
    r"\url{http://x.org}",
    r"\href{http://x.org}{x}", r"\href{javascript:alert(1)}{x}", r"\text{<image href='file:///x'/>}",
    r"\text{</text><image href='x'/>}", r"\color{url(http://x.org)}x", r"\class{a}{x}",
    r"\style{fill:url(x)}{y}",
    r"\def\x{\x\x}\x", r"\catcode`\@=0", r"\begin{filecontents}{x}y\end{filecontents}",
    "<mglyph src='file:///x'/>",
]  # fmt: skip


@pytest.mark.parametrize("source", FORMULAS)
@pytest.mark.parametrize("display", [False, True])
def test_formula_loads_nothing(source, display, audit):
    tex.formula("x", False)  # loads the fonts
    tex.formula.cache_clear()
    audit.seen.clear()
    audit.armed = True
    made = tex.formula(source, display)
    audit.armed = False
    assert [what for _, what in audit.seen if "site-packages" not in what] == []
    if made is not None:
        for word in ("href", "<image", "file:", "javascript", "<script", "<style"):
            assert word not in made.svg


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "file:///etc/passwd", "python -x", "x" * 100_000, "\0", "..", "*",
             "os.system", "__import__", "pygments.lexers"],
)  # fmt: skip
def test_code_language_loads_nothing(name, audit):
    for known in ("python", "no such language"):
        CodeHighlighter("x = 1", known)
    audit.seen.clear()
    audit.armed = True
    coloring = CodeHighlighter("x = 1", name)
    done = coloring.work(time.monotonic() + 60)
    audit.armed = False
    assert done
    assert [what for _, what in audit.seen if "site-packages" not in what] == []


def formats(data):
    assert isinstance(data, QMimeData)
    return set(data.formats())


def test_clipboard_has_only_text(start: Start, bait):
    """HTML on the clipboard could make other programs load its resources.

    Only HTML from a reply is put there, which has no references except links.
    """
    folder, address, *_ = bait
    run = start().ready()
    run.pane.chat.turn.send("paste " + evil(folder, address))
    run.answered()

    def views() -> list[TextView]:
        return [view for view in run.window.findChildren(TextView) if view.toPlainText()]

    run.until(lambda: len(views()) >= 2)  # rows are created when they become visible
    for view in views():
        view.selectAll()
        view.copy()
        data = QApplication.clipboard().mimeData()
        given = formats(data)
        assert given <= {"text/plain", "text/markdown", "text/html"}
        assert data.text()
        assert ("text/html" in given) == isinstance(view, MarkdownView)
        tags = set(re.findall(r"<\w[^>]*", data.html()))
        assert not {tag for tag in tags if re.search(r"src|url\(|<(img|link|script|style)", tag)}
        hrefs = {tag for tag in tags if "href" in tag}
        assert all(re.match(r'<a href="(https?|mailto):', tag) for tag in hrefs)
