"""Importing MLX and mlx-lm in an engine and in the program that uses it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import platformdirs
import pytest

from engine.kernels import cgroups
from engine.model import backend

ON_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="Linux wheels have a BLAS of their own"
)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Another thread is stopped in the middle of importing mlx-lm until the engine thread waits for one
# of Python's import locks.
MEANWHILE = """
    import importlib.machinery, sys, threading, time, traceback
    from importlib import _bootstrap
    from engine import Engine
    from engine.model import backend

    backend.load_openblas()
    half, failed = threading.Event(), []

    class Slow:
        # Waits before it executes a module. Finders must not wait: they hold a lock of all imports.
        def __init__(self, loader):
            self._loader = loader

        def create_module(self, spec):
            return self._loader.create_module(spec)

        def exec_module(self, module):
            half.set()
            until = time.monotonic() + 30
            waiting = getattr(_bootstrap._blocking_on, "data", _bootstrap._blocking_on)  # 3.12
            while not any(t != other.ident for t in dict(waiting)):
                assert time.monotonic() < until, "the engine does not import mlx-lm"
                time.sleep(0.005)
            self._loader.exec_module(module)

    class Finder:
        def find_spec(self, name, path, target=None):
            if name != "{stop_at}" or threading.current_thread() is not other:
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            spec.loader = Slow(spec.loader)
            return spec

    def load():
        try:
            importlib.import_module("{module}")
        except BaseException:
            failed.append(traceback.format_exc())

    sys.meta_path.insert(0, Finder())
    other = threading.Thread(target=load)
    other.start()
    assert half.wait(60)
    with Engine() as engine:
        print(engine.stats()["backend"]["device"])
    other.join()
    assert not failed, failed[0]
"""


@pytest.mark.parametrize(
    ("module", "stop_at"),
    [
        ("mlx_lm", "mlx_lm.models.base"),
        ("mlx_lm", "mlx_lm.convert"),
        ("mlx_lm.utils", "mlx_lm.convert"),
    ],
)
@pytest.mark.turns(3)
def test_engine_can_start_during_mlx_lm_import(module: str, stop_at: str) -> None:
    assert run(MEANWHILE.format(module=module, stop_at=stop_at)).strip() in ("cpu", "metal", "cuda")


@ON_LINUX
def test_engine_reports_slow_blas_of_imported_mlx() -> None:
    run("""
        import logging
        import mlx.core
        from engine import Engine

        said = []
        class Heard(logging.Handler):
            def emit(self, record):
                said.append(record.getMessage())
        logging.getLogger("engine.model.backend").addHandler(Heard())
        for _ in range(2):
            with Engine() as engine:
                assert engine.stats()["backend"]["blas"] == (
                    "reference (MLX was imported before the engine started)"
                )
        assert len(said) == 1 and "MLX was imported before" in said[0], said
    """)


def test_kernels_are_kept_with_the_persons_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels take minutes to compile, so they mustn't be in a folder that is emptied on reboot."""
    name = "MLX_PTX_CACHE_DIR"
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "caches")
    monkeypatch.setenv(name, "a person's own")
    backend._set_kernel_cache("1.2")
    assert os.environ[name] == "a person's own"
    monkeypatch.delenv(name)
    backend._set_kernel_cache("1.2")
    kept = Path(os.environ[name])
    assert kept.is_relative_to(tmp_path)
    assert kept.name == "1.2"
    assert kept.stat().st_mode & 0o77 == 0
    (tmp_path / "file").touch()
    monkeypatch.delenv(name)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "file")
    backend._set_kernel_cache("1.2")
    assert name not in os.environ


def test_memory_is_limited_by_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "free_memory", lambda: 2**20)
    assert backend.available_memory() == 2**20
