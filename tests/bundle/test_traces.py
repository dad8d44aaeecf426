"""A bundle names nothing of the machine that built it."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINE = b"/home/somebody/src"


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import traces  # type: ignore[import-not-found]

    yield traces
    sys.modules.pop("traces", None)


def test_this_checkout_and_its_python_are_the_machine_s(traces: Any) -> None:
    assert str(ROOT).encode() in traces.machine()
    assert not {b"/", b"/usr", b"/root", b"/usr/local"} & set(traces.machine())


def test_paths_are_found_in_files_and_in_what_is_packed(traces: Any, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"\0" + MACHINE + b"/app.py\0")
    (tmp_path / "longer").write_bytes(MACHINE + b"-other/app.py")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.txt", 100 * (MACHINE + b" "))
    (tmp_path / "away").symlink_to("/etc/hostname")
    assert list(traces.traces(tmp_path, [MACHINE])) == [
        "away links to /etc/hostname",
        f"packed.zip: inner.txt names {MACHINE.decode()}",
        f"plain names {MACHINE.decode()}",
    ]


def test_modules_in_a_start_file_are_read(traces: Any) -> None:
    code = compile("def f():\n    return 'x'\n", MACHINE.decode() + "/module.py", "exec")
    texts = list(traces._texts(code))
    assert texts.count(MACHINE + b"/module.py") == 2
    assert b"x" in texts


@pytest.mark.parametrize(
    "name",
    [
        "numpy/tests/test_core.py",
        "app/__pycache__/x.pyc",
        "x.dist-info/direct_url.json",
        "pyvenv.cfg",
        "key.p8",
        "notes.log",
    ],
)
def test_what_belongs_to_no_bundle_is_found(traces: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("x")
    assert any("belongs to no bundle" in line for line in traces.traces(tmp_path, []))


def test_what_is_shipped_is_let_be(traces: Any, tmp_path: Path) -> None:
    for name in ("app/latest.py", "x.dist-info/METADATA", "mlx_lm/models/core.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(traces.traces(tmp_path, [MACHINE])) == []


def test_erasing_moves_nothing(
    traces: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "machine", lambda: [MACHINE])
    file = tmp_path / "lib-dynload" / "x.so"
    file.parent.mkdir()
    other = tmp_path / "rust.so"
    data = b"before\0" + MACHINE + b"/lib:" + MACHINE + b"\0after\0" + MACHINE + b"-not\0"
    file.write_bytes(data)
    other.write_bytes(data)
    traces.erase(tmp_path)
    erased = file.read_bytes()
    assert len(erased) == len(data)
    assert MACHINE + b"/lib" not in erased
    assert erased.endswith(b"/src\0after\0" + MACHINE + b"-not\0")  # a text may be another's end
    assert other.read_bytes() == data


def test_python_s_settings_name_no_folder_of_this_machine(traces: Any, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("shipped on Linux")
    name, file = traces.sysconfig_data(tmp_path)
    assert file.name == f"{name}.py"
    data = file.read_bytes()
    assert not [path for path in traces.machine() if traces._names(data, path)]
    settings: dict[str, Any] = {}
    exec(compile(data, file.name, "exec"), settings)
    assert settings["build_time_vars"]["EXT_SUFFIX"]
