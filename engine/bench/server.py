"""Servers in child processes, for comparisons over HTTP on localhost."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from engine.bench.clients import RequestSettings, run
from engine.bench.traffic import Arrival, Contender, TimedRequest

START_S = 300.0  # startup timeout, which includes loading the model

# The unmodified server with Stretto's BLAS.
MLX_SERVER = """
import sys
from engine.model import backend
backend.load_openblas()
with backend.preserved_file_limit():
    from mlx_lm import server
sys.argv[0] = "mlx_lm.server"
server.main()
"""


@contextmanager
def serving(command: Callable[[int], list[str]]) -> Iterator[str]:
    """Run a server on a free port in this block, and yield its URL once it answers.

    Raises:
        RuntimeError: if the server doesn't answer.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(command(port), stdin=subprocess.PIPE, stdout=log, stderr=log)
        try:
            end = time.monotonic() + START_S
            while error := run(RequestSettings(url, tokens=2), [Arrival(0.0, "Hi")])[0].error:
                if child.poll() is not None or time.monotonic() > end:
                    log.seek(0)
                    last = log.read().decode(errors="replace").strip().splitlines()[-3:]
                    raise RuntimeError(f"no answer from the server: {error}: {' | '.join(last)}")
                time.sleep(0.2)
            yield url
        finally:
            child.kill()
            child.communicate()


@contextmanager
def mlx_server(model_path: str) -> Iterator[Contender]:
    """Run `mlx_lm.server` in this block, with its own defaults.

    Its prompt cache is disabled, because Stretto's sessions are also new.
    """
    command = [sys.executable, "-c", MLX_SERVER, "--model", model_path, "--host", "127.0.0.1"]
    command += ["--prompt-cache-size", "0", "--log-level", "WARNING"]
    with serving(lambda port: [*command, "--port", str(port)]) as url:

        def answer(arrivals: Sequence[Arrival], tokens: int) -> list[TimedRequest]:
            turns = run(RequestSettings(url, tokens=tokens), arrivals)
            if errors := [turn.error for turn in turns if turn.error]:
                raise RuntimeError(f"mlx_lm.server: {errors[0]}")
            return turns

        yield answer
