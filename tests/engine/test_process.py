"""The engine within its process: imports, threads, idle CPU time and exit."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
import textwrap
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, PromptProgress, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from engine.cli.main import main
from engine.runtime import model_loader
from tests.checked import PROGRAM
from tests.engine.families import FAMILIES
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]


def run(script: str, *arguments: str, prefix: list[str] | None = None) -> str:
    done = subprocess.run(
        [*(prefix or []), sys.executable, "-c", textwrap.dedent(script), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_mlx_is_imported_late_and_after_openblas(tmp_path: Path) -> None:
    """Importing the engine or its commands imports neither MLX nor Qt."""
    run(
        f"""
        import sys
        from engine import Engine
        heavy = {{"mlx", "mlx_lm", "transformers", "numpy", "PySide6"}} & set(sys.modules)
        assert not heavy, heavy
        import engine.cli.bench, engine.cli.cluster, engine.cli.serve
        assert "mlx.core" not in sys.modules

        from engine.cli.main import main
        from engine.model import backend
        assert main(["serve", "--forget", "--cache", {str(tmp_path / "cache")!r}]) == 0
        assert "mlx.core" in sys.modules
        assert "imported before" not in backend.load_openblas()
        """
    )


ANSWER = """
import sys
sys.modules["PySide6"] = None  # importing it from here on raises
from engine import Engine, SamplingParams
"""


def test_program_without_stop_still_ends(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Run without Qt or a compiler, and with few file descriptors.

    mlx-lm sets RLIMIT_NOFILE on import and raises where that isn't allowed. On the CPU mx.compile
    runs g++, which fresh machines lack. When the program ends, one engine has been forgotten and
    another is still decoding.
    """
    out = run(
        ANSWER
        + textwrap.dedent(
            """
            import os, resource
            os.environ["PATH"] = sys.argv[2]
            before = resource.getrlimit(resource.RLIMIT_NOFILE)

            def chat():
                engine = Engine()
                return engine.open_session(engine.load(sys.argv[1]))

            print(len(chat().send("hi", SamplingParams(max_tokens=4, seed=1)).tokens(60)))
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
            engine = Engine()
            model = engine.load(sys.argv[1])
            reply = engine.open_session(model).send("hi", SamplingParams(max_tokens=8000, seed=1))
            next(iter(reply))
            """
        ),
        str(model_folder("plain")),
        str(tmp_path),
        prefix=["bash", "-c", 'ulimit -n 1024 && exec "$@"', "bash"],
    )
    assert out.strip() == "4"


def test_engines_may_start_at_the_same_moment(model_folder: Callable[[str], Path]) -> None:
    """mlx-lm is patched once, even if several engine threads start together.

    Using MLX next to an engine doesn't disturb the exit either.
    """
    said = run(
        """
        import sys, threading
        from engine import Engine, SamplingParams
        from engine.model.backend import load_openblas
        from tests import checked
        load_openblas()
        checked.once()
        from engine.model import attention

        # Both threads are past any check before either goes on.
        both, load = threading.Barrier(2), attention.importlib.import_module
        def slowly(name, *rest):
            if name == "mlx_lm.models.base":
                try:
                    both.wait(2)
                except threading.BrokenBarrierError:
                    pass  # the other one waits for this one, as it should
            return load(name, *rest)
        attention.importlib.import_module = slowly

        engines = [Engine(), Engine()]
        for engine in engines:
            engine.start()
        for engine in engines:
            chat = engine.open_session(engine.load(sys.argv[1]))
            print(chat.send("hi", SamplingParams(max_tokens=5, temperature=0.0)).tokens(60))
            engine.stop()

        # Compiled functions made on the engine thread and used on the main one crashed the exit.
        import mlx_lm
        with Engine() as engine:
            chat = engine.open_session(engine.load(sys.argv[1]))
            net, tokenizer = mlx_lm.load(sys.argv[1])
            list(mlx_lm.stream_generate(net, tokenizer, [5, 6, 7], max_tokens=8))
            chat.send("x" * 500, SamplingParams(max_tokens=8)).tokens(60)
        """,
        str(model_folder("plain")),
    )
    first, second = said.splitlines()
    assert first == second


def test_idle_engine_uses_no_cpu_time(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    chat.send("hi", SamplingParams(max_tokens=4, seed=1)).tokens(60)
    engine.stats()
    thread = next(t for t in threading.enumerate() if t.name == "stretto-engine")
    clock = time.pthread_getcpuclockid(thread.ident) if thread.ident else 0

    def is_idle() -> bool:  # once it has finished the work above
        before = time.clock_gettime(clock)
        time.sleep(0.5)
        return time.clock_gettime(clock) - before < 0.005

    until(is_idle)


def test_stop_takes_effect_at_next_token(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    endless = SamplingParams(max_tokens=8000, temperature=0.8, seed=2, logit_bias={2: -1e9})
    finite = SamplingParams(max_tokens=80, temperature=0.8, seed=3, logit_bias={2: -1e9})
    expected = engine.open_session(model).send("b", finite).tokens(60)
    stopped = engine.open_session(model).send("a", endless)
    other = engine.open_session(model).send("b", finite)
    next(event for event in other if isinstance(event, TextDelta))
    stopped.cancel()
    assert other.tokens(60) == expected
    assert stopped.done
    assert stopped.stats.generated_tokens == len(stopped.tokens()) < 8000 - 80


def test_short_prompt_overtakes_a_long_one(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    order: list[str] = []

    def note(name: str) -> Callable[[object], None]:
        def listener(event: object) -> None:
            if isinstance(event, TextDelta) and name not in order:
                order.append(name)

        return listener

    few = SamplingParams(max_tokens=3, seed=1, logit_bias={2: -1e9})
    short = engine.open_session(model).send("short", few, note("short"))
    short.pause()
    while engine.stats()["sessions"][short.session_id]["status"] == "preparing":
        pass
    noted = note("long")

    def on_event(event: object) -> None:
        if isinstance(event, PromptProgress) and 0 < event.done < event.total:
            short.resume()  # arrives while the long prompt is read
        noted(event)

    long = engine.open_session(model).send("long " * 600, few, on_event)
    long.tokens(60)
    short.tokens(60)
    assert order == ["short", "long"]


def test_streams_continue_during_long_prefill(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    """Every streaming chat gets a token between two prompt chunks."""
    model = engine.load(model_folder("plain"))
    log: list[str] = []

    def listener(name: str) -> Callable[[object], None]:
        def note(event: object) -> None:
            if isinstance(event, (TextDelta, PromptProgress)):
                log.append(f"{name} {type(event).__name__}")

        return note

    # Printable ids only, so that each token is its own delta.
    endless = SamplingParams(max_tokens=8000, temperature=0.8, seed=2, logit_bias={72: 1e9})
    streaming = [engine.open_session(model).send(name, endless, listener(name)) for name in "abc"]
    for reply in streaming:
        next(event for event in reply if isinstance(event, TextDelta))
    engine.open_session(model).send(
        "long " * 600, SamplingParams(max_tokens=1, seed=1), listener("long")
    ).tokens(60)
    for reply in streaming:
        reply.cancel()
        reply.text(60)
    chunks = [i for i, entry in enumerate(log) if entry == "long PromptProgress"]
    assert len(chunks) > 10
    for a, b in itertools.pairwise(chunks[1:]):
        assert {f"{name} TextDelta" for name in "abc"} <= set(log[a:b])


def test_closing_and_unloading_free_memory(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    import gc

    import mlx.core as mx

    # MLX reuses freed buffers for slightly smaller arrays and counts their full size.
    mx.clear_cache()
    gc.disable()  # rely on reference counts alone, since the app turns the collector off
    try:
        before = engine.stats()["memory_in_use"]
        rows_and_alone = ("sparse MLA", "own attention", "chunked mask")
        for family in ("plain", "MLA", "hybrid recurrent", *rows_and_alone):
            model = engine.load(model_folder(family))
            chat = engine.open_session(model)
            chat.send("word " * 60, SamplingParams(max_tokens=8, seed=1)).tokens(60)
            twin = chat.fork()
            twin.send("on", SamplingParams(max_tokens=8, seed=1)).tokens(60)
            assert engine.stats()["memory_in_use"] - before > model.nbytes
            chat.close()
            twin.close()
            kept = engine.stats()["memory_in_use"] - before
            assert kept < model.nbytes + 20_000
            engine.unload(model)
            assert engine.stats()["memory_in_use"] - before < 20_000
    finally:
        gc.enable()


@pytest.mark.usefixtures("untried")
def test_loading_does_not_stop_the_chats(
    engine: Engine,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If a loading step uses its whole time budget, the loop runs a turn after each step.

    The number of steps per turn depends on their duration, which a fake clock determines here.
    """
    from mlx_lm.models import llama

    model = engine.load(model_folder("plain"))
    other = write_model(tmp_path / "other", FAMILIES["plain"], seed=9)
    endless = SamplingParams(max_tokens=8000, temperature=0.8, seed=2, logit_bias={2: -1e9})
    reply = engine.open_session(model).send("hi", endless)
    next(event for event in reply if isinstance(event, TextDelta))
    pieces: list[int] = []  # the chat's token count before each loading step
    passes: list[int] = []  # the loading step of each pass of the new model
    next_piece, forward = model_loader.ModelLoad.next_piece, llama.Model.__call__
    clock = types.SimpleNamespace(now=0.0, monotonic=time.monotonic)
    clock.perf_counter = lambda: clock.now

    def slow_piece(load: model_loader.ModelLoad) -> object:
        pieces.append(len(reply._tokens))
        clock.now += model_loader.MAX_PIECE_S
        with monkeypatch.context() as within:
            within.setattr(llama.Model, "__call__", counted)
            return next_piece(load)

    def counted(net: llama.Model, *given: Any, **named: Any) -> Any:
        passes.append(len(pieces))
        return forward(net, *given, **named)

    monkeypatch.setattr(model_loader, "time", clock)
    monkeypatch.setattr(model_loader.ModelLoad, "next_piece", slow_piece)
    loaded = engine.load_later(other).result(60)
    reply.cancel()
    assert loaded.id != model.id
    assert all(before < after for before, after in itertools.pairwise(pieces))
    assert all(before < after for before, after in itertools.pairwise(passes))
    assert len(passes) > 20
    assert engine.load(other) == loaded


@pytest.mark.stepped
def test_queue_positions_are_reported(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))
    few = SamplingParams(max_tokens=2, seed=1)
    replies = [engine.open_session(model).send("word " * n, few) for n in (300, 350, 400)]
    for reply in replies:
        reply.tokens(60)
    positions = [[e.queue_position for e in r if isinstance(e, PromptProgress)] for r in replies]
    assert [max(p) for p in positions] == [0, 2, 3]  # all three had arrived before any was read
    assert all(p[-1] == 0 for p in positions)
    progress = [e for e in replies[2] if isinstance(e, PromptProgress)]
    assert [e.done for e in progress] == sorted(e.done for e in progress)
    assert all(e.total == replies[2].stats.prompt_tokens for e in progress)


def test_the_terminal_chat(
    model_folder: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("hello\n/new\nagain\n/quit\n"))
    assert main(["chat", str(model_folder("plain")), "--max-tokens", "5"]) == 0
    assert capsys.readouterr().err.count("tok/s") == 2
    assert main(["chat", "/no/such/folder"]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_the_bench_prints_ratios_and_json() -> None:
    options = (
        "--chats 2 --tokens 8 --rounds 1 --short 16 --long 64 --every 0.05 "
        "--arriving 200 --history 100 300 --forks 3 --length 300 --json - "
        "--parts decode traffic latency"
    )
    done = subprocess.run(
        [*PROGRAM, "bench", "random:tiny", *options.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    decode = [(row["chats"], row["lengths"]) for row in figures["decode"]]
    assert decode == [(2, "equal"), (2, "one long")]
    assert all(r["over_alone"] > 0 and r["over_batch"] > 0 for r in figures["decode"])
    assert "x BatchGenerator" in done.stderr
    contenders = ["Stretto", "one after another", "BatchGenerator", "mlx_lm.server"]
    kinds = ["equal", "one long", "staggered"]
    assert [(f["server"], f["traffic"]) for f in figures["traffic"]] == [
        (contender, kind) for kind in kinds for contender in contenders
    ]
    for f in figures["traffic"]:
        assert f["rate"] > 0
        assert 0 < f["first_p50"] <= f["first_max"]
        assert (f["first_long"] is not None) == (f["traffic"] == "one long")
        assert f["memory"] >= 0  # negligible for such a small model
    assert all(t["new_tokens"] < t["history_tokens"] for t in figures["follow_ups"])
    assert [several["chats"] for several in figures["several"]] == [3, 3]
