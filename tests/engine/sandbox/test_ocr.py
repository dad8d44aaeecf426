"""Text recognition in images by the operating system, with a timeout."""

from __future__ import annotations

import io
import shutil
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import PIL.Image
import pytest

from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError
from engine.sandbox import ocr
from engine.sandbox.jobs import draw_pages
from engine.sandbox.ocr import recognize_text
from tests.engine import document_samples as samples

Stand = Callable[[str], Path]


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_cache", OrderedDict())


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    def make(code: str) -> Path:
        path = tmp_path / "reader"
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{code}\n")
        path.chmod(0o755)
        monkeypatch.setattr(ocr, "_find_program", lambda: str(path))
        return path

    return make


def read(jpeg: bytes = b"jpeg", language: str = "de") -> str:
    return recognize_text(jpeg, "“a.png”", language, threading.Event())


def refused() -> str:
    with pytest.raises(EngineError) as error:
        read()
    assert error.value.code == INVALID_REQUEST
    return error.value.message


@pytest.mark.skipif(not shutil.which("tesseract"), reason="tesseract is not installed")
def test_tesseract_reads_page(tmp_path: Path) -> None:
    path = samples.pdf(tmp_path / "a.pdf", ["The quick brown fox\njumps over the lazy dog."])
    (page,) = draw_pages(path, [1], 2_000_000, 100)
    words = "The quick brown fox jumps over the lazy dog."
    assert " ".join(read(page.jpeg).split()) == words
    blank = io.BytesIO()
    PIL.Image.new("RGB", (300, 300), "white").save(blank, "JPEG")
    assert read(blank.getvalue()) == ""


_TESSERACT = """
if '--list-langs' in sys.argv:
    print('List of available languages (3):', 'deu', 'eng', 'osd', sep='\\n')
else:
    print(open(sys.argv[1]).read(), *sys.argv[2:], os.environ['OMP_THREAD_LIMIT'])
"""

_OSASCRIPT = """
assert 'VNRecognizeTextRequest' in sys.argv[2]
print(sys.argv[1], open(sys.argv[3]).read(), 'é')
"""


def test_tesseract_gets_installed_languages(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    stand(_TESSERACT)
    assert read() == "jpeg stdout -l deu+eng 1"
    assert read(language="ja") == "jpeg stdout -l eng 1"


def test_mac_runs_vision_script(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    stand(_OSASCRIPT)
    assert read() == "-e jpeg é"


def test_images_are_read_once_and_one_at_a_time(stand: Stand, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stand(f"print(open(sys.argv[1]).read(), file=open({str(log)!r}, 'a'))\nprint('text')")
    threads = [threading.Thread(target=read, args=(each,)) for each in (b"a", b"b", b"a", b"a")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(b"a") == "text"
    assert sorted(log.read_text().split()) == ["a", "b"]


def test_failing_recognizer_is_reported(stand: Stand) -> None:
    path = stand("sys.exit(0 if '--list-langs' in sys.argv else 3)")
    assert refused() == "“a.png” cannot be read: text recognition failed (status 3)."
    path.unlink()
    assert "text recognition could not start" in refused()


def test_slow_recognizer_is_stopped(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "TIMEOUT_S", 0.5)
    stand("time.sleep(0 if '--list-langs' in sys.argv else 600)")
    assert refused() == "“a.png” cannot be read: text recognition took longer than 0.5 seconds."


def test_reading_can_be_cancelled(stand: Stand) -> None:
    stand("time.sleep(0 if '--list-langs' in sys.argv else 600)")
    stop = threading.Event()
    stop.set()
    with pytest.raises(EngineError) as error:
        recognize_text(b"jpeg", "“a.png”", "de", stop)
    assert error.value.code == ENGINE_STOPPED
