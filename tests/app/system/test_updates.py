"""Update checks."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app import __version__
from app.settings.paths import Paths
from app.settings.settings import Settings
from app.system import updates
from app.system.updates import Release, Source, UpdateError, Updates
from app.ui.dialogs.about import UpdateDialog
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.theme import Theme

SECRET = SigningKey(bytes(range(32)))
KEY = bytes(SECRET.verify_key)


def document(secret: SigningKey = SECRET, **fields: Any) -> bytes:
    said = {"version": "99.0", "page": "https://example.org/get", "notes": "- New.", **fields}
    text = json.dumps(said)
    signature = base64.b64encode(secret.sign(text.encode()).signature).decode()
    return json.dumps({"signed": text, "signature": signature}).encode()


class Served(ThreadingHTTPServer):
    daemon_threads = False  # wait for running answers when closing

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = document()
        self.status = 200
        self.to = ""
        self.asked = 0

    @property
    def source(self) -> Source:
        return Source(f"http://127.0.0.1:{self.server_port}/updates.json", KEY)


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(self.server.status)
        if self.server.to:
            self.send_header("Location", self.server.to)
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def served() -> Iterator[Served]:
    with Served() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_signed_update_is_accepted() -> None:
    release = updates.parse_release(document(), KEY)
    assert release == Release("99.0", "https://example.org/get", "- New.")
    assert release.is_newer
    assert not updates.parse_release(document(version="0.0.1"), KEY).is_newer
    assert not Release(__version__, "", "").is_newer


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (document(SigningKey.generate()), "isn’t signed"),
        (document().replace(b"99.0", b"98.0"), "isn’t signed"),
        (document(page="http://example.org"), "couldn’t be read"),
        (document(page="javascript:alert(1)"), "couldn’t be read"),
        (document(version="<b>"), "couldn’t be read"),
        (document(version="9" * 40), "couldn’t be read"),
        (b"", "couldn’t be read"),
        (b"[]", "couldn’t be read"),
        (b'{"signed": "{}", "signature": "AAAA"}', "couldn’t be read"),
        (b'{"signed": {}, "signature": 5}', "couldn’t be read"),
        (b"[" * 100_000, "couldn’t be read"),
    ],
)
def test_unsigned_update_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(UpdateError, match=says):
        updates.parse_release(content, KEY)


def test_build_without_source_never_checks_updates(tmp_path: Path) -> None:
    assert updates.load_source(tmp_path / "none.json") is None
    for wrong in ("", "[]", '{"url": "https://x", "key": "00"}', '{"url": "ftp://x", "key": 5}'):
        (tmp_path / "wrong.json").write_text(wrong)
        assert updates.load_source(tmp_path / "wrong.json") is None
    (tmp_path / "plain.json").write_text(json.dumps({"url": "http://x.org", "key": KEY.hex()}))
    assert updates.load_source(tmp_path / "plain.json") is None
    (tmp_path / "right.json").write_text(json.dumps({"url": "https://x.org", "key": KEY.hex()}))
    assert updates.load_source(tmp_path / "right.json") == Source("https://x.org", KEY)


def test_update_check_needs_consent_once_a_day(qtbot: QtBot, served: Served) -> None:
    settings = Settings()
    looking = Updates(settings, served.source)
    looking.check_if_due()
    assert settings.looked_at == 0
    settings.set(look_for_updates=True)
    with qtbot.waitSignal(looking.found) as found:
        looking.check_if_due()
    assert found.args[0].version == "99.0"
    looking.check_if_due()
    assert served.asked == 1
    settings.set(looked_at=time.time() - 2 * updates.DAY_S)
    settings.set(skipped_version="99.0")
    with qtbot.assertNotEmitted(looking.found), qtbot.waitSignal(looking.check_finished):
        looking.check_if_due()
    assert served.asked == 2


@pytest.mark.parametrize(
    ("status", "to", "content"),
    [
        (500, "", b""),
        (302, "http://example.org/elsewhere", b""),
        (302, "file:///etc/passwd", b""),
        (200, "", b"x" * (updates.LARGEST + 1)),
    ],
)
def test_bad_update_answer_is_only_reported(
    qtbot: QtBot, served: Served, status: int, to: str, content: bytes
) -> None:
    served.status, served.to, served.content = status, to, content
    looking = Updates(Settings(), served.source)
    with qtbot.assertNotEmitted(looking.found), qtbot.waitSignal(looking.check_finished) as looked:
        looking.check()
    assert looked.args[0] is None
    assert looked.args[1]


def test_unreachable_update_server_is_reported(qtbot: QtBot) -> None:
    with Served() as gone:
        looking = Updates(Settings(), gone.source)
    with qtbot.waitSignal(looking.check_finished) as looked:
        looking.check()
    assert looked.args[1].startswith("No response")


def test_update_setting_needs_a_source(qtbot: QtBot, look: Theme, served: Served) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    settings = Settings()
    without = SettingsWindow(settings, Paths.standard(), parent, updates=Updates(settings, None))
    assert not hasattr(without, "check")
    looking = Updates(settings, served.source)
    window = SettingsWindow(settings, Paths.standard(), parent, updates=looking)
    window.show()
    assert not window.pages.fields["look_for_updates"].isChecked()
    window.pages.fields["look_for_updates"].click()
    assert settings.look_for_updates
    served.content = document(version="0.0.1")
    with qtbot.waitSignal(looking.check_finished):
        qtbot.mouseClick(window.check_button, Qt.MouseButton.LeftButton)
        assert not window.check_button.isEnabled()
    served.content = document()
    with qtbot.waitSignal(looking.check_finished):
        qtbot.mouseClick(window.check_button, Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(UpdateDialog)
    dialog.close()
    window.close()


def test_update_dialog_opens_page_but_no_links_in_notes(qtbot: QtBot, look: Theme) -> None:
    parent, settings, opened = QWidget(), Settings(), []
    qtbot.addWidget(parent)
    notes = "<img src='http://example.org/x.png'> [a](file:///etc/passwd)"
    release = Release("99.0", "https://example.org/get", notes)
    dialog = UpdateDialog(release, settings, parent, opened.append)
    dialog.show()
    dialog.open_button.click()
    assert opened == ["https://example.org/get"]
    dialog = UpdateDialog(release, settings, parent, opened.append)
    dialog.show()
    dialog.skip_button.click()
    assert settings.skipped_version == "99.0"
    assert len(opened) == 1
