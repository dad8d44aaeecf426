"""Cache reuse between chats: names don't matter, and domains never share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

from engine import Engine, Reply
from engine.bench.random_models import write_model
from engine.cache.prefix_index import PrefillingSession, PrefixIndex
from engine.cache.session_kv import SessionKV
from engine.model import fingerprint
from engine.model.drafting import Drafter
from engine.runtime import draft_policy
from tests.engine.cache.prompts import params, read
from tests.engine.families import FAMILIES
from tests.torture.small_copies import perturb

SYSTEM = "You are one of many voices, and every one of them was told the same at length. " * 4
STORY = "Listen to this story, all of you, and say how it goes on. " * 5
SOON = 20  # timeout in seconds for replies that usually take under one


@cache
def alone(folder: Path, prompt: str, seed: int) -> list[int]:
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder), system=SYSTEM)
        return chat.send(prompt, params(seed)).tokens(60)


# ---------------------------------------------------------------- names that are keys elsewhere


def test_session_named_like_prefix_is_not_a_prefix(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    """Regression test: with a session named "prefix 1", its caches were planned for reuse but the
    stored prefix of that name was copied. It was shorter than the plan said, so the plan repeated
    forever.
    """
    folder = model_folder("plain")
    model = engine.load(folder)
    engine.open_session(model, system=SYSTEM).send("hello", params(1)).tokens(SOON)
    for name in ("prefix 1", "('prefix', '1')"):
        holder = engine.open_session(model, name, system=SYSTEM)
        holder.send(STORY + name, params(2)).tokens(SOON)
        follower = engine.open_session(model, system=SYSTEM).send(STORY + name, params(3))
        assert follower.tokens(SOON) == alone(folder, STORY + name, 3)
        assert follower.stats.reused_tokens == follower.stats.prompt_tokens - 1
        engine.forget(name)


def test_no_caches_come_from_another_model(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Regression test: with two models loaded, a chat continued from the other model's keys."""
    folder = model_folder("plain")
    other = write_model(tmp_path / "other", FAMILIES["plain"], seed=7, scale=3.0)
    engine.open_session(engine.load(other), system=SYSTEM).send("hello", params(1)).tokens(SOON)
    model = engine.load(folder)
    engine.open_session(model, "prefix 1", system=SYSTEM).send(STORY, params(2)).tokens(SOON)
    follower = engine.open_session(model, system=SYSTEM).send(STORY, params(3))
    assert follower.tokens(SOON) == alone(folder, STORY, 3)


def test_session_named_like_a_draft_makes_room(
    engine: Engine,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Regression test: the draft model's caches were dropped instead of the session's."""
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", math.inf)
    large = model_folder("plain")
    model = engine.load(large, draft=perturb(large, tmp_path / "small", 0.15))
    chat = engine.open_session(model, f"draft {model.id}")
    chat.send("hello", params(1)).tokens(SOON)
    held = engine.stats()["sessions"][chat.id]["kv_bytes"]
    assert 0 < held <= engine.relieve_later().result(SOON)
    assert engine.stats()["kv_bytes"] == 0


def caches_of(tokens: Iterable[int]) -> SessionKV:
    import mlx.core as mx
    from mlx_lm.models.cache import KVCache

    made = SessionKV(lambda: [KVCache()])
    made.reuse_prefix([0, 0])
    held = list(tokens)
    keys = mx.zeros((1, 1, len(held), 4))
    made.layers[0].update_and_fetch(keys, keys)
    made.record_chunk(held)
    return made


@pytest.mark.parametrize(
    ("donor", "length"), [([1, 2, 3], 3), ([1, 2, 3, 4, 5], 5), ([1, 9, 9, 9, 9, 9, 9, 9], 6)]
)
def test_adoption_without_gain_is_refused(donor: list[int], length: int) -> None:
    """Reject a copy that is longer than the common tokens or no longer than the current cache."""
    own = caches_of([1, 2, 3, 4, 5])
    prompt = list(range(1, 20))
    reader = PrefillingSession(("m",), own, prompt, 19, 0, False)
    with pytest.raises(ValueError, match="save nothing"):
        PrefixIndex(1 << 20, set()).adopt(reader, caches_of(donor), length)
    assert own.tokens == [1, 2, 3, 4, 5]
    PrefixIndex(1 << 20, set()).adopt(reader, caches_of(range(1, 9)), 7)
    assert own.tokens == [1, 2, 3, 4, 5, 6, 7]


# ---------------------------------------------------------------- domains


@pytest.mark.parametrize("family", ["plain", "MLA", "sliding window", "hybrid recurrent"])
@pytest.mark.parametrize("before", ["idle", "answering", "closed", "shared prefix"])
@pytest.mark.turns(6)
def test_s2_nothing_is_gone_on_from_across_domains(
    engine: Engine,
    model_folder: Callable[[str], Path],
    family: str,
    before: str,
) -> None:
    """Regression test: the reused token count revealed another domain's prompt word for word."""
    model = engine.load(model_folder(family))

    story = STORY * (4 if before == "shared prefix" else 1)

    def ask(domain: str, seed: int) -> Reply:
        return engine.open_session(model, system=SYSTEM, domain=domain).send(story, params(seed))

    first = engine.open_session(model, system=SYSTEM, domain="a")
    said = first.send(story, params(1, 400 if before == "answering" else 12))
    if before == "answering":
        next(iter(said))
    else:
        said.tokens(60)
    if before == "shared prefix":
        first.fork().send("and then?", params(4)).tokens(60)
    if before == "closed":
        first.close()
    assert read(stranger := ask("b", 2)) == stranger.stats.prompt_tokens
    again = ask("a", 2)
    assert read(again) < again.stats.prompt_tokens
    assert again.tokens() == stranger.tokens()
    said.cancel()


def test_simultaneous_prompts_share_within_domain_only(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    replies = [
        engine.open_session(model, domain=domain).send(STORY, params(seed))
        for seed, domain in enumerate("abcabc")
    ]
    costs = sorted(read(reply) for reply in replies)
    assert costs == [1] * 3 + [replies[0].stats.prompt_tokens] * 3


def test_fork_stays_in_its_domain(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))
    twin = engine.open_session(model, domain="a").fork()
    twin.send(STORY, params(1)).tokens(60)
    assert read(engine.open_session(model, domain="a").send(STORY, params(2))) == 1
    assert read(engine.open_session(model).send(STORY, params(2))) > 250


def test_draft_adopts_nothing_of_another_domain(
    engine: Engine,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Regression test: the drafter started ahead after another domain had received the same
    reply.
    """
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", math.inf)
    left: list[int] = []
    behind = Drafter.unread_count

    def spy(drafter: Drafter, tokens: list[int], domain: str) -> int:
        left.append(behind(drafter, tokens, domain))
        return left[-1]

    monkeypatch.setattr(Drafter, "unread_count", spy)
    large = model_folder("plain")
    model = engine.load(large, draft=perturb(large, tmp_path / "small", 0.15))

    def first_behind(domain: str) -> int:
        left.clear()
        chat = engine.open_session(model, domain=domain)
        chat.send(STORY, params(1, 30)).tokens(60)
        chat.close()
        return left[0]

    assert first_behind("a") > 250
    assert first_behind("b") > 250
    assert first_behind("b") < 30


def test_caches_on_disk_are_their_domains_alone(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Chats of two users may have the same name."""
    with Engine(cache_dir=tmp_path, cache_bytes=1 << 30) as engine:
        model = engine.load(model_folder("plain"))

        def cost(domain: str) -> int:
            chat = engine.open_session(model, "mine", domain=domain)
            found = read(chat.send([{"role": "user", "content": STORY}], params(1)))
            chat.close()
            return found

        whole = cost("a")
        assert whole > 250
        assert cost("a") < 60
        assert cost("b") == whole


def test_fingerprint_separates_files(tmp_path: Path) -> None:
    """Regression test: two model folders with different files had the same fingerprint and shared
    caches.
    """
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    (one / "merges.txt").write_text("a b")
    (one / "special_tokens_map.json").write_text("{}")
    (other / "merges.txt").write_text("a bspecial_tokens_map.json{}")
    assert fingerprint.hash_contents(one) != fingerprint.hash_contents(other)


def test_session_names_accept_any_text(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    """JSON can contain lone surrogates, which aren't allowed in file names."""
    with Engine(cache_dir=tmp_path, cache_bytes=1 << 30) as engine:
        model = engine.load(model_folder("plain"))
        for _ in range(2):
            chat = engine.open_session(model, "\ud800/../\0")
            reply = chat.send([{"role": "user", "content": STORY}], params(1))
            assert reply.tokens(SOON)
            chat.close()
        assert reply.stats.reused_tokens > 200
