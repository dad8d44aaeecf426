"""Check for a new version by downloading a signed file, with the user's consent.

``resources/updates.json`` has the file's URL and public key (see `packaging/release.py`). Without
it, there are no checks. Nothing else is downloaded, and nothing is installed. The user sees the
release notes and can open the download page.

The file looks like ``{"signed": "<JSON as text>", "signature": "<base64 of 64 bytes>"}``. It's
signed with Ed25519 (RFC 8032) over the UTF-8 bytes of the text, an object with ``version``,
``page`` and ``notes``.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import __version__, flows
from app.settings.language import tr
from app.settings.paths import resources
from app.settings.settings import Settings

log = logging.getLogger(__name__)

LARGEST = 256 * 1024  # maximum size of the file in bytes
TIMEOUT_S = 10.0
DAY_S = 24 * 3600.0
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


class UpdateError(Exception):
    """The update check failed. The message is for the user."""


class Source(Struct, frozen=True):
    url: str
    key: bytes


class Release(Struct, frozen=True):
    version: str
    page: str  # download page
    notes: str  # release notes in Markdown

    @property
    def is_newer(self) -> bool:
        return _version_numbers(self.version) > _version_numbers(__version__)


def load_source(file: Path | None = None) -> Source | None:
    """Return this build's update source, or None."""
    try:
        fields = json.loads((file or resources() / "updates.json").read_text(encoding="utf-8"))
        source = Source(str(fields["url"]), bytes.fromhex(fields["key"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("invalid update source: %s", error)
        return None
    return source if len(source.key) == 32 and _is_allowed_url(source.url) else None


def parse_release(document: bytes, key: bytes) -> Release:
    """Return the verified release. Raises UpdateError if it's invalid or not signed by ``key``."""
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        outer = json.loads(document)
        signed = str(outer["signed"]).encode()
        signature = base64.b64decode(outer["signature"], validate=True)
        VerifyKey(key).verify(signed, signature)
        inner = json.loads(signed)
        release = Release(str(inner["version"]), str(inner["page"]), str(inner.get("notes", "")))
    except BadSignatureError:
        raise UpdateError(
            tr("The update information isn’t signed by the makers of Stretto.")
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        raise UpdateError(tr("The update information couldn’t be read.")) from None
    if not _VERSION.fullmatch(release.version) or urlsplit(release.page).scheme != "https":
        raise UpdateError(tr("The update information couldn’t be read."))
    return release


def fetch(url: str) -> bytes:
    import urllib.error
    import urllib.request  # imported here because it takes 45 ms

    class SameKind(urllib.request.HTTPRedirectHandler):
        """Only follows redirects to allowed addresses."""

        def redirect_request(self, *args: Any) -> Any:
            if not _is_allowed_url(str(args[-1])):
                args[1].close()  # close the response that contained the redirect
                raise ValueError(tr("the request was redirected"))
            return super().redirect_request(*args)

    request = urllib.request.Request(url, headers={"User-Agent": "Stretto"})
    try:
        with urllib.request.build_opener(SameKind).open(request, timeout=TIMEOUT_S) as answer:
            document: bytes = answer.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = str(getattr(error, "reason", None) or error)
        raise UpdateError(tr("No response: {why}.", why=reason)) from None
    if len(document) > LARGEST:
        raise UpdateError(tr("The update information couldn’t be read."))
    return document


def _is_allowed_url(url: str) -> bool:
    parts = urlsplit(url)
    # HTTP is only allowed on this machine, for the tests.
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == "127.0.0.1")


def _version_numbers(version: str) -> tuple[int, ...]:
    numbers = [int(n) for n in _VERSION.match(version)[0].split(".")]  # type: ignore[index]
    return tuple(numbers + [0] * (4 - len(numbers)))


class Updates(QObject):
    FIRST_MS = 20_000  # delay after startup, which takes priority

    # (release, error): a `Release` or None, and an error message or ""
    check_finished = Signal(object, str)
    # (release): an automatic check found a new version that the user hasn't skipped.
    found = Signal(object)

    def __init__(
        self, settings: Settings, source: Source | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._source = source
        self._asking = flows.Latest(self)
        self._timer = QTimer(self, interval=3_600_000)
        self._timer.timeout.connect(self.check_if_due)

    @property
    def is_possible(self) -> bool:
        return self._source is not None

    def start(self) -> None:
        if self.is_possible:
            self._timer.start()
            QTimer.singleShot(self.FIRST_MS, self, self.check_if_due)

    def stop(self) -> None:
        self._timer.stop()
        self._source = None
        self._asking.cancel()

    @Slot()
    def check_if_due(self) -> None:
        due = not 0 <= time.time() - self._settings.looked_at < DAY_S
        if self._settings.look_for_updates and due:
            self._check(by_itself=True)

    @Slot()
    def check(self) -> None:
        self._check(by_itself=False)

    def _check(self, by_itself: bool) -> None:
        if self._source is not None and not self._asking.running:
            self._settings.set(looked_at=time.time())
            self._asking.start(self._query(self._source, by_itself))

    async def _query(self, source: Source, by_itself: bool) -> None:
        try:
            release = await flows.run_in_thread(
                lambda _: parse_release(fetch(source.url), source.key)
            )
        except UpdateError as error:
            log.info("update check failed: %s", error)
            self.check_finished.emit(None, str(error))
        except Exception:
            log.exception("unexpected error in an update check")
            self.check_finished.emit(None, tr("The check failed. See the log."))
        else:
            skipped = self._settings.skipped_version
            if by_itself and release.is_newer and release.version != skipped:
                self.found.emit(release)
            self.check_finished.emit(release, "")
