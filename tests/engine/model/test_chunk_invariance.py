"""Chunk boundaries don't change the result."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_lm.models.cache import RotatingKVCache, make_prompt_cache
from mlx_lm.utils import load_model
from msgspec.structs import replace

from engine import Engine, SamplingParams
from engine.bench.families import write_family
from engine.cache.cache_objects import Caches
from engine.model import probe, runner
from engine.model.loaded_model import LoadedModel
from engine.runtime.pacing import PrefillPacer

pytestmark = pytest.mark.usefixtures("all_cores")

PROMPT = "one two three four five six seven " * 6
SOME = SamplingParams(max_tokens=30, temperature=0.9, seed=4, logit_bias={2: -1e9})


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("families")

    def folder(name: str) -> Path:
        path = root / name
        return path if path.exists() else write_family(path, name)

    return folder


# The second model attends to one more token than its windows keep. The third adds its boolean
# mask to the scores and so sees later tokens.
@pytest.mark.parametrize(
    ("name", "prompt", "temperature"),
    [
        ("llama", PROMPT, 0.9),
        ("plamo3", PROMPT, 0.9),
        ("phi3small", "one two three four five six" * 2, 0.0),
        ("gemma3_text", PROMPT, 0.9),
        ("gemma2", PROMPT, 5.0),
    ],
)
@pytest.mark.turns(5)
def test_a_prompt_read_in_other_chunks_is_answered_alike(
    engine: Engine,
    family: Callable[[str], Path],
    name: str,
    prompt: str,
    temperature: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = engine.load(family(name))
    some = replace(SOME, temperature=temperature)
    answers = []
    for size in (1000, 64, 7, 1):
        monkeypatch.setattr(PrefillPacer, "chunk", lambda *_, size=size: size)
        chat = engine.open_session(model)
        answers.append([chat.send(p, some).tokens(60) for p in (prompt, "so")])
        chat.close()
        engine.stats()  # closed by now, so the next session can't reuse its prefix
    assert all(answer == answers[0] for answer in answers)
    assert len(set(answers[0][0])) > 1


def result(pieces: Generator[None, None, bool]) -> bool:
    while True:
        try:
            next(pieces)
        except StopIteration as done:
            return bool(done.value)


def test_lookahead_token_is_detected(family: Callable[[str], Path]) -> None:
    for name, ahead in (("llama", False), ("plamo3", False), ("phi3small", True)):
        net = load_model(family(name))[0]
        looking = probe.can_see_ahead(net, lambda net=net: make_prompt_cache(net), 300)
        assert result(looking) == ahead


def test_windows_are_as_wide_as_the_masks(family: Callable[[str], Path]) -> None:
    def windows(caches: Caches) -> list[int]:
        return [c.max_size for c in caches if isinstance(c, RotatingKVCache)]

    for name, more in (("gemma3_text", 0), ("plamo3", 1)):
        net = load_model(family(name))[0]
        plain: Callable[[], Caches] = lambda net=net: make_prompt_cache(net)  # noqa: E731
        make = probe.widen_caches(net, plain)
        assert windows(make())
        assert windows(make()) == [size + more for size in windows(plain())]
        assert (make is plain) == (more == 0)


def test_reproducible_chat_decodes_token_by_token(
    engine: Engine, family: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(family("phi3small"))
    sizes: set[int] = set()

    def watched(
        loaded: LoadedModel,
        kv: object,
        prompt: list[int],
        images: object,
        prefill: Callable[..., None] = runner.prefill,
    ) -> None:
        net = loaded.net

        def noting(tokens: mx.array, cache: Caches) -> mx.array:
            sizes.add(tokens.shape[1])
            return net(tokens, cache=cache)

        loaded.net = noting
        try:
            prefill(loaded, kv, prompt)
        finally:
            loaded.net = net

    monkeypatch.setattr(runner, "prefill", watched)
    engine.open_session(model).send("word " * 8, SOME).tokens(60)
    assert sizes == {1}
