"""Text recognition with the system's program: Vision on macOS, or tesseract if installed.

These programs have a time limit but aren't sandboxed, so they only get JPEGs encoded here from
decoded pixels.
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

TIMEOUT_S = 180.0
"""Time limit per image. tesseract needs three CPU seconds for a page."""

_CHECK_S = 0.1
_MAX_OUTPUT_BYTES = 4_000_000
_MAX_CACHED_IMAGES = 200

# Recognizes one image at a time, so that replies get enough CPU time.
_reader_lock = threading.Lock()
_cache: OrderedDict[tuple[str, str], str] = OrderedDict()  # results by image digest and language

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
"""Script for osascript, which every Mac has and which can be killed."""

_TESSERACT = {
    "de": "deu",
    "en": "eng",
    "es": "spa",
    "fr": "fra",
    "ja": "jpn",
    "zh": "chi_sim",
}
"""tesseract's names for the window's languages."""


def is_available() -> bool:
    return bool(_find_program())


def recognize_text(jpeg: bytes, name: str, language: str, stop: threading.Event) -> str:
    """Return the text in an image, or "". Takes seconds.

    Args:
        jpeg: a JPEG that this process has encoded.
        name: subject of error messages.
        language: language code of the window, e.g. "de". English is always tried as well.
        stop: set it to cancel.

    Raises:
        EngineError: `invalid_request` if recognition fails; `engine_stopped` if cancelled.
    """
    while not _reader_lock.acquire(timeout=_CHECK_S):
        if stop.is_set():
            raise _cancelled_error(name)
    try:
        key = hashlib.sha256(jpeg).hexdigest(), language
        if key not in _cache:
            _cache[key] = _run_reader(jpeg, name, language, stop)
            if len(_cache) > _MAX_CACHED_IMAGES:
                _cache.popitem(last=False)
        return _cache[key]
    finally:
        _reader_lock.release()


def _run_reader(jpeg: bytes, name: str, language: str, stop: threading.Event) -> str:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        path = Path(folder) / "image.jpg"
        path.write_bytes(jpeg)
        try:
            reader = subprocess.Popen(
                _command(path, language),
                stdin=subprocess.DEVNULL,
                stdout=out,  # a full pipe would block the reader
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise _unreadable_error(name, f"text recognition could not start ({error})") from None
        with reader:
            with contextlib.suppress(OSError):  # the process has already exited
                os.setpriority(os.PRIO_PROCESS, reader.pid, 10)
            _wait(reader, name, stop)
        if reader.returncode:
            raise _unreadable_error(name, f"text recognition failed (status {reader.returncode})")
        out.seek(0)
        return out.read(_MAX_OUTPUT_BYTES).decode(errors="replace").strip()


def _wait(reader: subprocess.Popen[bytes], name: str, stop: threading.Event) -> None:
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            reader.wait(_CHECK_S)
            return
        except subprocess.TimeoutExpired:
            pass
        if stop.is_set():
            reader.kill()
            raise _cancelled_error(name)
        if time.monotonic() > end:
            reader.kill()
            raise _unreadable_error(
                name, f"text recognition took longer than {TIMEOUT_S:g} seconds"
            )


def _cancelled_error(name: str) -> EngineError:
    return EngineError(ENGINE_STOPPED, f"Reading {name} was cancelled.")


def _unreadable_error(name: str, reason: str) -> EngineError:
    return EngineError(INVALID_REQUEST, f"{name} cannot be read: {reason}.")


@functools.cache
def _find_program() -> str:
    return shutil.which("osascript" if sys.platform == "darwin" else "tesseract") or ""


def _command(path: Path, language: str) -> Sequence[str]:
    if sys.platform == "darwin":
        return (_find_program(), "-e", _VISION, str(path))
    installed = _installed_languages(_find_program())
    languages = dict.fromkeys(_TESSERACT[code] for code in (language, "en") if code in _TESSERACT)
    language_list = "+".join(code for code in languages if code in installed)
    return (_find_program(), str(path), "stdout", *(("-l", language_list) if language_list else ()))


@functools.cache
def _installed_languages(program: str) -> frozenset[str]:
    process = subprocess.run(
        [program, "--list-langs"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        env=_environment(),
    )
    return frozenset(process.stdout.split())


def _environment() -> dict[str, str]:
    names = ("PATH", "HOME", "LANG", "TMPDIR", "TESSDATA_PREFIX")
    return {name: os.environ[name] for name in names if name in os.environ} | {
        "OMP_THREAD_LIMIT": "1"
    }
