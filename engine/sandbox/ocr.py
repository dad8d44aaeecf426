"""The text in an image, by the system's own reader: Vision on a Mac, tesseract where that is.

Neither is ours, and neither has our limits but that of time. So the reader is never given a file
that came from somewhere, but a JPEG that was made of its pixels here.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError

SECONDS = 180.0
"""By the clock, for an image. A page takes tesseract three seconds of one processor."""

_LOOK_S = 0.1
_MOST = 4_000_000  # bytes of what it says
_MOST_KNOWN = 200  # images

_reading = threading.Lock()  # one image at a time: chats answer meanwhile
_known: OrderedDict[tuple[str, str], str] = OrderedDict()  # by the image's digest and the language

_VISION = """
use framework "Foundation"
use framework "Vision"
on run argv
    set ca to current application
    set theData to ca's NSData's dataWithContentsOfFile:(item 1 of argv)
    set theOptions to ca's NSDictionary's dictionary()
    set theHandler to ca's VNImageRequestHandler's alloc()'s initWithData:theData options:theOptions
    set theRequest to ca's VNRecognizeTextRequest's alloc()'s init()
    theRequest's setAutomaticallyDetectsLanguage:true
    theHandler's performRequests:{theRequest} |error|:(missing value)
    set theLines to {}
    repeat with theResult in (theRequest's results() as list)
        set theBest to (theResult's topCandidates:1)'s firstObject()
        set end of theLines to (theBest's |string|() as text)
    end repeat
    set AppleScript's text item delimiters to linefeed
    return theLines as text
end run
"""
"""For osascript, which every Mac has: no dependency is needed, and it can be killed."""

_TESSERACT = {
    "de": "deu",
    "en": "eng",
    "es": "spa",
    "fr": "fra",
    "ja": "jpn",
    "zh": "chi_sim",
}
"""Its names of languages, by the window's."""


def is_there() -> bool:
    """Whether this system has a reader."""
    return bool(_program())


def read_text(jpeg: bytes, name: str, language: str, stop: threading.Event) -> str:
    """The text in an image, read once for all chats; empty if none was found. Blocks, for seconds.

    Args:
        jpeg: made here: see above.
        name: how sentences call the image.
        language: of the window, "de"; English is looked for, too.
        stop: set it from any thread to end the reading.

    Raises:
        EngineError: `invalid_request`, it was not read: a sentence that begins with `name`;
            `engine_stopped`, it was cancelled.
    """
    while not _reading.acquire(timeout=_LOOK_S):
        if stop.is_set():
            raise _cancelled(name)
    try:
        key = hashlib.sha256(jpeg).hexdigest(), language
        if key not in _known:
            _known[key] = _read(jpeg, name, language, stop)
            if len(_known) > _MOST_KNOWN:
                _known.popitem(last=False)
        return _known[key]
    finally:
        _reading.release()


def _read(jpeg: bytes, name: str, language: str, stop: threading.Event) -> str:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        path = Path(folder) / "image.jpg"
        path.write_bytes(jpeg)
        try:
            reader = subprocess.Popen(
                _command(path, language),
                stdin=subprocess.DEVNULL,
                stdout=out,  # a file: nobody has to read a pipe meanwhile
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise _refused(name, f"the reader of texts could not be started ({error})") from None
        with reader:
            with contextlib.suppress(OSError):  # it has ended already
                os.setpriority(os.PRIO_PROCESS, reader.pid, 10)
            _wait(reader, name, stop)
        if reader.returncode:
            raise _refused(name, f"the reader of texts ended with status {reader.returncode}")
        out.seek(0)
        return out.read(_MOST).decode(errors="replace").strip()


def _wait(reader: subprocess.Popen[bytes], name: str, stop: threading.Event) -> None:
    end = time.monotonic() + SECONDS
    while True:
        try:
            reader.wait(_LOOK_S)
            return
        except subprocess.TimeoutExpired:
            pass
        if stop.is_set():
            reader.kill()
            raise _cancelled(name)
        if time.monotonic() > end:
            reader.kill()
            raise _refused(name, f"the reader of texts took longer than {SECONDS:g} seconds")


def _cancelled(name: str) -> EngineError:
    return EngineError(ENGINE_STOPPED, f"{name} is not read any more.")


def _refused(name: str, why: str) -> EngineError:
    return EngineError(INVALID_REQUEST, f"{name} cannot be read: {why}.")


@functools.cache
def _program() -> str:
    return shutil.which("osascript" if sys.platform == "darwin" else "tesseract") or ""


def _command(path: Path, language: str) -> Sequence[str]:
    if sys.platform == "darwin":
        return (_program(), "-e", _VISION, str(path))
    known = _languages(_program())
    wanted = dict.fromkeys(_TESSERACT[each] for each in (language, "en") if each in _TESSERACT)
    chosen = "+".join(each for each in wanted if each in known)
    return (_program(), str(path), "stdout", *(("-l", chosen) if chosen else ()))


@functools.cache
def _languages(program: str) -> frozenset[str]:
    """Those that are installed."""
    asked = subprocess.run(
        [program, "--list-langs"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        env=_environment(),
    )
    return frozenset(asked.stdout.split())


def _environment() -> dict[str, str]:
    """Without the bundle's libraries, and with one processor: chats answer meanwhile."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "TESSDATA_PREFIX")
    return {each: os.environ[each] for each in kept if each in os.environ} | {
        "OMP_THREAD_LIMIT": "1"
    }
