from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app import flows
from app.ui.widgets.standard_dialogs import describe_link
from app.ui.widgets.textview import TextView


@pytest.fixture
def visited():
    from PySide6.QtCore import QObject, Slot

    class Browser(QObject):
        def __init__(self):
            super().__init__()
            self.addresses = []

        @Slot(QUrl)
        def visit(self, address):
            self.addresses.append(address.toString())

    browser = Browser()
    for scheme in ("https", "file"):
        QDesktopServices.setUrlHandler(scheme, browser, "visit")
    yield browser.addresses
    for scheme in ("https", "file"):
        QDesktopServices.unsetUrlHandler(scheme)


@pytest.fixture
def view(look, qtbot: QtBot):
    document = QTextDocument()
    shown = TextView(document)
    qtbot.addWidget(shown)
    return shown


def answer_dialog(button):
    said = []

    def press():
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(10, press)
            return
        said.extend([box.text(), box.informativeText()])
        next(b for b in box.buttons() if b.text() == button).click()

    QTimer.singleShot(0, press)
    return said


def follow(qtbot: QtBot, view, address, button):
    said = answer_dialog(button)
    view.anchorClicked.emit(QUrl(address))
    qtbot.waitUntil(lambda: bool(said) and not flows.running_tasks())
    return said


def test_link_opens_after_confirming_address(qtbot, view, visited):
    said = follow(qtbot, view, "https://example.org/page", "Cancel")
    assert said[1] == "https://example.org/page"
    assert visited == []
    follow(qtbot, view, "https://example.org/page", "Open Link")
    assert visited == ["https://example.org/page"]


def test_file_link_is_never_opened(qtbot, view, visited):
    said = follow(qtbot, view, "file:///etc/passwd", "Close")
    assert "Blocked" in said[0]
    assert visited == []


def test_text_never_loads_anything(view, tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_text("secret")
    view.setSource(QUrl.fromLocalFile(str(secret)))
    assert view.toPlainText() == ""
    for kind in (1, 2, 3):
        assert view.loadResource(kind, QUrl.fromLocalFile(str(secret))) is None


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("https://xn--80ak6aa92e.com/login", "xn--80ak6aa92e.com"),  # look-alike letters
        ("https://good.org/%E2%80%AEgpj.exe", "%E2%80%AE"),  # would reverse the rest
    ],
)
def test_address_is_shown_as_sent(qtbot, view, visited, address, seen):
    said = follow(qtbot, view, address, "Cancel")
    assert seen in said[1]
    assert said[1].isascii()
    assert visited == []


def test_deceptive_address_is_not_opened(qtbot, view, visited):
    said = follow(qtbot, view, "https://good.org:443@evil.example/", "Close")
    assert "evil.example" in said[1]
    assert visited == []


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,<script>x</script>",
        "file:///etc/passwd", "FILE:///etc/passwd", "smb://host/share", "ftp://host/x",
        "ssh://host",
        "vbscript:x", "x-apple.systempreferences:", "ms-word:ofe|u|http://x", "about:blank",
        "/etc/passwd", "",
        "https:evil.example", "https:///evil.example", "https://good.org\\@evil.example/", "http://",
        "https://user:word@evil.example/", "mailto:a@b.org?attach=/etc/passwd",
        "mailto:?ATTACHMENT=x",
    ],
)  # fmt: skip
def test_dangerous_link_is_never_opened(address):
    _, shown, may_open = describe_link(QUrl(address))
    assert not may_open
    assert shown.isascii() or "“@”" in shown


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://аррӏе.com/login", "xn--80ak6aa92e.com"),  # Cyrillic
        ("https://good.org\u2044x.evil.example", "evil.example"),
        ("https://gооd.org/", "xn--"),
        ("https://good.org.evil.example/good.org", "good.org.evil.example"),
        ("http://2130706433/", "127.0.0.1"),
    ],
)
def test_question_names_the_real_host(address, host):
    question, shown, may_open = describe_link(QUrl(address))
    if may_open:
        assert host in question
        assert shown.isascii()
    else:
        assert question.startswith("Blocked")


def test_the_end_of_a_long_host_is_seen():
    question, _, may_open = describe_link(QUrl("https://" + "good.org." * 25 + "evil.example/"))
    assert may_open
    assert "good.org.evil.example" in question
    assert len(question) < 120
