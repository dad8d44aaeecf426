"""Load generator for OpenAI-compatible servers."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from engine.bench.traffic import Arrival, TimedRequest

if TYPE_CHECKING:  # the import takes 0.3 s
    import httpx2

TRAFFIC = ("equal", "skewed", "staggered")
_WORDS = (
    *("river", "stone", "window", "garden", "letter", "morning", "engine", "winter", "silver"),
    *("market", "bridge", "paper", "lantern", "harbour", "mountain", "kitchen", "violin", "shadow"),
    *("travel", "island", "copper", "forest", "station", "mirror", "candle"),
)


class RequestSettings(Struct, frozen=True):
    url: str  # base URL, including `/v1`
    key: str = ""
    model: str = ""
    tokens: int = 64
    turns: int = 1  # requests per client, all in one conversation
    sessions: bool = False  # use a named session for each client
    seconds: float = 300.0

    @classmethod
    def for_url(cls, url: str, **fields: Any) -> RequestSettings:
        url = url if "://" in url else f"http://{url}"
        return cls(url.rstrip("/").removesuffix("/v1") + "/v1", **fields)


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(_WORDS, k=count))


def arrivals(traffic: str, clients: int, count: int, interval_s: float, salt: int) -> list[Arrival]:
    """Return start times and prompts for all clients. A new `salt` avoids cached prefixes."""
    rng = random.Random(f"{traffic} {clients} {salt}")

    planned = [Arrival(0.0, words(rng, count)) for _ in range(clients)]
    if traffic == "skewed" and clients > 1:
        planned[0] = Arrival(0.0, words(rng, 20 * count), long=True)
    elif traffic == "staggered":
        planned = [Arrival(interval_s * i, a.prompt) for i, a in enumerate(planned)]
    return planned


def run(settings: RequestSettings, several: Sequence[Arrival]) -> list[TimedRequest]:
    return asyncio.run(_run(settings, several))


def open_client(timeout_s: float, headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
    """Return a client without proxies, which would distort the results, and without connection
    limits, which would add a queue.
    """
    import httpx2

    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx2.AsyncClient(headers=headers, timeout=timeout_s, limits=limits, trust_env=False)


async def _run(settings: RequestSettings, several: Sequence[Arrival]) -> list[TimedRequest]:
    headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
    async with open_client(settings.seconds, headers) as client:
        salt = random.randrange(10**9)
        started_at = time.perf_counter()
        tasks = [
            _client(client, settings, arrival, started_at, f"load-{salt}-{i}")
            for i, arrival in enumerate(several)
        ]
        turns = [turn for client_turns in await asyncio.gather(*tasks) for turn in client_turns]
        if settings.sessions:
            for i in range(len(several)):
                await client.delete(f"{settings.url}/sessions/load-{salt}-{i}")
        return turns


async def _client(
    client: httpx2.AsyncClient,
    config: RequestSettings,
    arrival: Arrival,
    started_at: float,
    session: str,
) -> list[TimedRequest]:
    await asyncio.sleep(max(0.0, started_at + arrival.after - time.perf_counter()))
    messages: list[dict[str, str]] = []
    turns = []
    for number in range(config.turns):
        text = arrival.prompt if not number else "Go on with this, in other words."
        messages.append({"role": "user", "content": text})
        turn = TimedRequest(time.perf_counter(), number, arrival.long)
        turns.append(turn)
        extra_fields: dict[str, Any] = {"session_id": session} if config.sessions else {}
        answer = await request_answer(client, config, messages, turn, config.tokens, **extra_fields)
        if turn.error:
            break
        messages.append({"role": "assistant", "content": answer})
    return turns


async def request_answer(
    client: httpx2.AsyncClient,
    settings: RequestSettings,
    messages: Sequence[Mapping[str, str]],
    turn: TimedRequest,
    tokens: int,
    headers: Mapping[str, str] | None = None,
    broken: int = 0,
    **fields: Any,
) -> str:
    """Send a conversation and return the answer. Times and errors are stored in `turn`.

    Args:
        broken: close the connection after this many chunks; 0 to read the whole answer.
    """
    import httpx2

    body: dict[str, Any] = {
        "messages": messages,
        "max_tokens": tokens,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
        **({"model": settings.model} if settings.model else {}),
        **fields,
    }
    try:
        return await _stream_answer(client, settings.url, body, turn, dict(headers or {}), broken)
    except (httpx2.HTTPError, ValueError) as error:
        turn.error = f"{type(error).__name__}: {error}".rstrip(": ")
        return ""


async def _stream_answer(
    client: httpx2.AsyncClient,
    url: str,
    body: dict[str, Any],
    turn: TimedRequest,
    headers: dict[str, str],
    broken: int,
) -> str:
    pieces: list[str] = []
    endpoint = f"{url}/chat/completions"
    async with client.stream("POST", endpoint, json=body, headers=headers) as response:
        if response.status_code != 200:
            await response.aread()
            turn.error = f"HTTP {response.status_code}"
            return ""
        async for line in response.aiter_lines():
            if not line.startswith("data: {"):
                continue
            chunk = json.loads(line[6:])
            if chunk.get("error"):
                turn.error = str(chunk["error"].get("code") or chunk["error"].get("message"))
                return ""
            if chunk.get("usage"):
                _note_usage(turn, chunk["usage"])
            for choice in chunk.get("choices", []):
                delta = choice.get("delta", {})
                text = delta.get("content")
                if text or delta.get("reasoning_content") or delta.get("reasoning"):
                    turn.moments.append(time.perf_counter())
                    pieces.append(text or "")
            if broken and len(pieces) >= broken:
                break
    turn.tokens = turn.tokens or len(turn.moments)
    if not turn.moments:
        turn.error = "no text"
    return "".join(pieces)


def _note_usage(turn: TimedRequest, usage: dict[str, Any]) -> None:
    turn.tokens = usage["completion_tokens"]
    turn.prompt = usage.get("prompt_tokens", 0)
    turn.cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
