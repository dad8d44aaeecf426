"""Whether there is a newer version: one signed file, read only where the person has agreed to it.

Whoever builds the program says where that file is and by which key it is signed
(``resources/updates.json``, see `packaging/release.py`); a build without that never asks anything.
Nothing is downloaded but that file, and nothing is installed: the person is shown what is new and
may open the page.

The file: ``{"signed": "<JSON as text>", "signature": "<base64 of 64 bytes>"}``. The signature is
Ed25519 (RFC 8032) over the text's UTF-8; the text is an object with ``version``, ``page`` and
``notes``.
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

LARGEST = 256 * 1024  # bytes of the file
TIMEOUT_S = 10.0
DAY_S = 24 * 3600.0
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


class UpdateError(Exception):
    """Why nothing is known of newer versions, in words for a person."""


class Source(Struct, frozen=True):
    """Where the file is, and the public key (32 bytes) that its signature must fit."""

    url: str
    key: bytes


class Release(Struct, frozen=True):
    """A version that can be had."""

    version: str
    page: str  # where a person gets it
    notes: str  # what is new, in Markdown

    @property
    def is_newer(self) -> bool:
        """Than the program that asks."""
        return _parts(self.version) > _parts(__version__)


def source(file: Path | None = None) -> Source | None:
    """What this build knows of its updates; None for nothing."""
    try:
        found = json.loads((file or resources() / "updates.json").read_text(encoding="utf-8"))
        made = Source(str(found["url"]), bytes.fromhex(found["key"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("The source of updates is not understood: %s", error)
        return None
    return made if len(made.key) == 32 and _may_ask(made.url) else None


def read(document: bytes, key: bytes) -> Release:
    """What the file says. Raises UpdateError unless it is signed by ``key`` and makes sense."""
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
            tr("The update information is not signed by the makers of Stretto.")
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        raise UpdateError(tr("The update information could not be read.")) from None
    if not _VERSION.fullmatch(release.version) or urlsplit(release.page).scheme != "https":
        raise UpdateError(tr("The update information could not be read."))
    return release


def fetch(url: str) -> bytes:
    """Get the file. Raises UpdateError when that fails."""
    import urllib.error
    import urllib.request  # 45 ms, which no start needs

    class SameKind(urllib.request.HTTPRedirectHandler):
        """Follows a redirection only to where the program would have asked itself."""

        def redirect_request(self, *asked: Any) -> Any:
            if not _may_ask(str(asked[-1])):
                asked[1].close()  # the answer that sends there
                raise ValueError(tr("the request was redirected"))
            return super().redirect_request(*asked)

    request = urllib.request.Request(url, headers={"User-Agent": "Stretto"})
    try:
        with urllib.request.build_opener(SameKind).open(request, timeout=TIMEOUT_S) as answer:
            document: bytes = answer.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        why = str(getattr(error, "reason", None) or error)
        raise UpdateError(tr("No response: {why}.", why=why)) from None
    if len(document) > LARGEST:
        raise UpdateError(tr("The update information could not be read."))
    return document


def _may_ask(url: str) -> bool:
    parts = urlsplit(url)
    # Plain HTTP only to this machine, where the tests' server is.
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == "127.0.0.1")


def _parts(version: str) -> tuple[int, ...]:
    numbers = [int(n) for n in _VERSION.match(version)[0].split(".")]  # type: ignore[index]
    return tuple(numbers + [0] * (4 - len(numbers)))


class Updates(QObject):
    """Looks once a day while the program runs, if the person wants that; or when asked."""

    FIRST_MS = 20_000  # after a start there is more important work

    # (release, error): an answer has come: a `Release` or None, and why not ("" if so)
    looked = Signal(object, str)
    # (release): it is newer, and was not skipped; only from looking by itself
    found = Signal(object)

    def __init__(
        self, settings: Settings, source: Source | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._source = source
        self._asking = flows.Latest(self)
        self._timer = QTimer(self, interval=3_600_000)
        self._timer.timeout.connect(self.look_if_due)

    @property
    def possible(self) -> bool:
        """Whether this build knows where to look."""
        return self._source is not None

    def start(self) -> None:
        """Look by itself from now on, as far as the settings allow."""
        if self.possible:
            self._timer.start()
            QTimer.singleShot(self.FIRST_MS, self, self.look_if_due)

    def stop(self) -> None:
        """Look no more. An answer that is on its way is dropped."""
        self._timer.stop()
        self._source = None
        self._asking.cancel()

    @Slot()
    def look_if_due(self) -> None:
        """Look if the person wants it and the last time was a day ago."""
        due = not 0 <= time.time() - self._settings.looked_at < DAY_S
        if self._settings.look_for_updates and due:
            self._look(by_itself=True)

    @Slot()
    def look(self) -> None:
        """Look now; the answer comes by ``looked``."""
        self._look(by_itself=False)

    def _look(self, by_itself: bool) -> None:
        if self._source is not None and not self._asking.running:
            self._settings.set(looked_at=time.time())
            self._asking.start(self._ask(self._source, by_itself))

    async def _ask(self, source: Source, by_itself: bool) -> None:
        try:
            release = await flows.aside(lambda _: read(fetch(source.url), source.key))
        except UpdateError as error:
            log.info("Looked for updates: %s", error)
            self.looked.emit(None, str(error))
        except Exception:
            log.exception("Looking for updates failed")
            self.looked.emit(None, tr("The check failed. See the log."))
        else:
            skipped = self._settings.skipped_version
            if by_itself and release.is_newer and release.version != skipped:
                self.found.emit(release)
            self.looked.emit(release, "")
