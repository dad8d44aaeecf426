"""Contender that uses `mlx_lm.server`, running in a child process on localhost.

The server uses Stretto's BLAS and its own defaults, except that its prompt cache is disabled,
because Stretto's sessions are also new.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import IO

from engine.bench.clients import RequestSettings, run
from engine.bench.traffic import Arrival, TimedRequest

PATIENCE = 300.0  # timeout in seconds for loading the model, and for each answer

# The unmodified server, plus a thread that answers each line on stdin with MLX's current memory and
# its peak since the previous line.
CHILD = """
import os, sys, threading
from engine.model import backend
backend.load_openblas()
import mlx.core as mx
with backend.preserved_file_limit():
    from mlx_lm import server

def tell():
    for _ in sys.stdin:
        print(mx.get_active_memory(), mx.get_peak_memory(), flush=True)
        mx.reset_peak_memory()
    os._exit(0)  # whoever measured is gone

threading.Thread(target=tell, daemon=True).start()
sys.argv = ["mlx_lm.server", *sys.argv[1:]]
server.main()
"""


class MLXServer:
    """Context manager that runs the server.

    Raises:
        RuntimeError: if the server doesn't start, or responds with an error.
    """

    def __init__(self, model_path: str) -> None:
        self._model = model_path
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def __enter__(self) -> MLXServer:
        options = ["--model", self._model, "--host", "127.0.0.1", "--port", str(self.port)]
        options += ["--prompt-cache-size", "0", "--log-level", "WARNING"]
        self._child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,
        )
        try:
            self._wait()
            self([Arrival(0.0, "warm up")], 2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.communicate()
        self._log.close()

    def __call__(self, arrivals: Sequence[Arrival], tokens: int) -> list[TimedRequest]:
        config = RequestSettings(
            f"http://127.0.0.1:{self.port}/v1", tokens=tokens, seconds=PATIENCE
        )
        turns = run(config, arrivals)
        if errors := [turn.error for turn in turns if turn.error]:
            raise RuntimeError(f"mlx_lm.server: {errors[0]}: {self._last_output()}")
        return turns

    def peak(self, run: Callable[[], None]) -> int:
        """Run a function and return the growth of the child's MLX peak memory in bytes."""
        before, _ = self._memory()
        run()
        _, peak = self._memory()
        return max(0, peak - before)  # older memory may have been freed during `run`

    def _memory(self) -> tuple[int, int]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        print(file=self._child.stdin, flush=True)
        active, peak = self._child.stdout.readline().split()
        return int(active), int(peak)

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while True:
            if self._child.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"mlx_lm.server did not come up: {self._last_output()}")
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1):
                    return
            except OSError:
                time.sleep(0.1)

    def _last_output(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return " | ".join(lines[-3:]) or "it said nothing"
