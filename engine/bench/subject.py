"""Model under test, loaded both in Stretto's engine and with `mlx_lm`."""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.engine import Engine, Session
from engine.hub.gguf import kept
from engine.messages import Event, Failed, Finished, TextDelta
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Reply
from engine.sandbox.process import engine_command


class Subject(Struct, dict=True):
    """Model for both sides of a comparison. The `mlx_lm` side is loaded on first use."""

    engine: Engine
    model: Model

    @cached_property
    def net(self) -> Any:
        import mlx.core as mx
        from mlx_lm.utils import load_model

        net = load_model(Path(self.model.path))[0]
        net.set_dtype(getattr(mx, self.model.dtype))
        mx.eval(net.parameters())
        return net

    @cached_property
    def tokenizer(self) -> Any:
        from mlx_lm.utils import load_tokenizer

        return load_tokenizer(Path(self.model.path))

    def text(self, tokens: int, salt: int = 0) -> str:
        word = f"w{salt} "
        per_word = max(1, len(self.tokenizer.encode(word * 32, add_special_tokens=False)) / 32)
        return word * max(1, round(tokens / per_word))

    def prompt_ids(self, prompts: Sequence[str]) -> list[list[int]]:
        return [
            self.tokenizer.encode(
                self.tokenizer.apply_chat_template(
                    [{"role": "user", "content": p}], tokenize=False, add_generation_prompt=True
                ),
                add_special_tokens=False,
            )
            for p in prompts
        ]


@contextmanager
def subject(path: str) -> Iterator[Subject]:
    """Load the model to measure.

    Args:
        path: folder or hub id; `random:135m` for random weights in the shape of a 135M model; or
            `real` for the small model installed by `make model`.

    Raises:
        ValueError: if the shape is unknown, or the `real` model isn't installed.
    """
    if path == "real":
        path = str(real_model())
    with tempfile.TemporaryDirectory() as scratch, Engine() as engine:
        if path.startswith("random:"):
            from engine.bench.random_models import SHAPES, write_model

            shape = path.removeprefix("random:")
            if shape not in SHAPES:
                raise ValueError(f"there is no shape {shape!r}; there are: {', '.join(SHAPES)}")
            engine.stats()  # make sure that the engine sets up BLAS before MLX is imported below
            folder = Path(scratch) / f"random-{shape}"
            path = str(write_model(folder, SHAPES[shape], every_id_a_word=True))
        yield Subject(engine, engine.load(path))


def real_model() -> Path:
    """Return the small model that `make model` installs.

    Raises:
        ValueError: if it isn't installed.
    """
    models_file = Path(__file__).resolve().parents[2] / "resources" / "models.toml"
    digest = tomllib.loads(models_file.read_text(encoding="utf-8"))["small"]["file_sha256"]
    folder = kept.find_by_digest(digest)
    if folder is None:
        raise ValueError("the small real model is not here yet: `make model` brings it")
    return folder


def measure_in_child(part: str, family: str, *options: str) -> list[dict[str, Any]]:
    """Run a part of `bench` for a tiny model of a family, in a child process.

    Raises:
        RuntimeError: if the child fails.
    """
    command = engine_command("bench", f"family:{family}", "--parts", part, "--json", "-", *options)
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        last = (process.stderr.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise RuntimeError(f"{part} of {family} failed: {last[:300]}")
    results: list[dict[str, Any]] = json.loads(process.stdout)[part]
    return results


class Stream:
    """Reply with the arrival times of its tokens (`perf_counter`)."""

    def __init__(self, awaited: int = 0) -> None:
        self.awaited = awaited
        # Set when `awaited` tokens or the end of the reply have arrived.
        self.arrived = threading.Event()
        self.moments: list[float] = []
        self.reply: Reply | None = None
        self.sent = time.perf_counter()

    def on_event(self, event: Event) -> None:
        if isinstance(event, (TextDelta, Finished)):
            self.moments.append(time.perf_counter())
        if len(self.moments) == self.awaited or isinstance(event, (Finished, Failed)):
            self.arrived.set()

    def cancel(self) -> None:
        assert self.reply is not None
        self.reply.cancel()

    def times(self) -> list[float]:
        assert self.reply is not None
        self.reply.tokens()
        return self.moments

    @property
    def first(self) -> float:
        """TTFT in seconds. Waits for the reply to end."""
        return self.times()[0] - self.sent


def send_timed(session: Session, prompt: str, params: SamplingParams, awaited: int = 0) -> Stream:
    stream = Stream(awaited)
    stream.reply = session.send(prompt, params, on_event=stream.on_event)
    return stream


def gaps(moments: Sequence[float]) -> list[float]:
    return [b - a for a, b in itertools.pairwise(moments)]
