"""Qt sorts, folds, formats and reads alike with the thinned Unicode data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def icu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import icu  # type: ignore[import-not-found]

    yield icu
    sys.modules.pop("icu", None)


def qt_libraries() -> Path:
    import PySide6

    return Path(PySide6.__file__).parent / "Qt" / "lib"


def asked(*folders: Path) -> tuple[str, Any]:
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(map(str, folders)),
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = [sys.executable, str(Path(__file__).with_name("icu_answers.py"))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    loaded, said = json.loads(done.stdout)
    return loaded, said


needs_icu = pytest.mark.skipif(
    sys.platform != "linux" or not list(qt_libraries().glob("libicudata.so.*")),
    reason="Qt has no Unicode data of its own here",
)


@needs_icu
def test_qt_says_the_same_with_less_data(icu: Any, tmp_path: Path) -> None:
    (file,) = qt_libraries().glob("libicudata.so.*")
    thin = icu.thin(file.read_bytes())
    assert len(thin) < 0.6 * file.stat().st_size
    (tmp_path / file.name).write_bytes(thin)
    loaded, said = asked(tmp_path)
    assert loaded == str(tmp_path / file.name)
    whole_loaded, whole = asked()
    assert whole_loaded == str(file.resolve())
    assert len(said["encodings"]) > 150
    for what in whole:
        assert said[what] == whole[what], what


@needs_icu
def test_qt_asks_for_nothing_that_is_left_out(icu: Any) -> None:
    libraries = [f for f in qt_libraries().parent.rglob("*.so*") if "libicu" not in f.name]
    assert icu.calls(libraries) == set()
    # Its own library asks for dictionaries of words: the search finds what there is.
    assert "ubrk_open" in icu.calls(qt_libraries().glob("libicuuc.so.*"))


def test_another_file_is_refused(icu: Any) -> None:
    with pytest.raises(ValueError, match="no library of one table"):
        icu.thin(b"\x7fELF" + bytes(200))
