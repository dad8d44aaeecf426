"""`python -m engine load URL --agents 16`: load a server with scripted agents and a user's chat.

All agents share a long prompt prefix, as coding agents do with their tools and rules. Each agent
repeats a script of turns: wait for an answer, pause for a tool call, send a result of some length.
In some turns it starts two sub-agents or aborts the answer. All agents use the same sizes in a
different order, so a fair server gives each about the same number of tokens. Tools and results are
plain text, so that every server reads the same tokens.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from engine.batch.results import percentile
from engine.bench.clients import RequestSettings, open_client, request_answer, words
from engine.bench.subject import gaps
from engine.bench.traffic import TimedRequest

if TYPE_CHECKING:  # the import takes 0.3 s
    import httpx2

RESULTS = (30, 120, 12, 300, 60, 20, 200, 45)  # words in the tool result of each turn
ANSWERS = (24, 8, 32, 16, 48, 12, 20, 28)  # maximum tokens per answer
TOOLS_TAKE = (0.2, 0.05, 1.0, 0.1, 0.4, 0.05, 2.0, 0.2)  # duration of tool calls in seconds
BEGINS_OTHERS, BROKEN_OFF = 3, 6
"""Turn that starts two sub-agents, and turn where the answer is aborted after a few tokens."""
CHILDREN, TURNS_OF_CHILD, BROKEN_AFTER = 2, 3, 4
TURNS_OF_TASK = len(RESULTS)
"""Turns per task. Each task is a new conversation with only the common prefix."""

QUESTIONS = (
    "What is a good name for a cat?",
    "Why is the sky blue?",
    "How do I boil an egg?",
    "Tell me something about rivers.",
    "What could I cook tonight?",
    "Which book should I read?",
)
PERSON_TOKENS = 32


class Crowd(Struct, frozen=True):
    agents: int
    beginning: int = 600  # number of words in the agents' common prefix
    every: float = 1.0  # seconds from an answer to the user's next question
    seconds: float = 60.0  # duration of the run; unfinished requests are aborted
    tasks: int = 0  # tasks per agent; 0 for no limit
    person_key: str = ""  # API key for the user, if different from the agents' key


class CrowdResult(Struct):
    """Results of all rounds for a server. Times are in seconds."""

    seconds: float = 0.0
    # The user's TTFT, and delays between chunks.
    firsts: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    turns: int = 0  # completed agent answers, including sub-agents
    # Generated tokens per agent, including its sub-agents.
    written: Counter[tuple[int, int]] = field(default_factory=Counter)
    # Total prompt tokens of the agents.
    prompts: int = 0
    read: int = 0
    new: int = 0  # prompt tokens that weren't part of an earlier turn
    failed: Counter[str] = field(default_factory=Counter)  # failed requests by error

    @property
    def figures(self) -> dict[str, float | None]:
        return {
            "first token p50": percentile(self.firsts, 50),
            "first token p99": percentile(self.firsts, 99),
            "gap p50": percentile(self.gaps, 50),
            "longest gap": max(self.gaps, default=None),
            "answers": float(len(self.firsts)),
            "turns a minute": 60 * self.turns / self.seconds if self.seconds else None,
            "tokens/s": self.written.total() / self.seconds if self.seconds else None,
            "equal share": jain(list(self.written.values())),
            "read again": float(max(0, self.read - self.new)) if self.prompts else None,
            "of tokens sent": max(0, self.read - self.new) / self.prompts if self.prompts else None,
        }


def jain(shares: Sequence[float]) -> float | None:
    """Return Jain's fairness index (Jain et al. 1984): 1 is perfectly fair, 1/n the opposite."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


def run(settings: RequestSettings, crowd: Crowd, tally: CrowdResult, salt: int) -> None:
    """Run all agents and the user for `crowd.seconds`. A new `salt` avoids cached prefixes."""
    asyncio.run(_run(settings, crowd, tally, salt))


async def _run(config: RequestSettings, crowd: Crowd, tally: CrowdResult, salt: int) -> None:
    async with open_client(config.seconds) as client:
        hall = _CrowdRun(client, config, crowd, tally, salt)
        started_at = time.perf_counter()
        agents = asyncio.gather(*(hall.run_agent(i, crowd.tasks) for i in range(crowd.agents)))
        tasks = [asyncio.ensure_future(task) for task in (agents, hall.run_user())]
        finished_tasks, _ = await asyncio.wait(
            tasks, timeout=crowd.seconds, return_when="FIRST_COMPLETED"
        )
        tally.seconds += time.perf_counter() - started_at
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in finished_tasks:
            task.result()


class _CrowdRun:
    def __init__(
        self,
        client: httpx2.AsyncClient,
        settings: RequestSettings,
        crowd: Crowd,
        tally: CrowdResult,
        salt: int,
    ) -> None:
        self._client, self._config, self._tally, self._salt = client, settings, tally, salt
        self._person_key = crowd.person_key or settings.key
        self._every, self._beginning = crowd.every, _system_prompt(crowd.beginning, salt)
        self._head_is_known = False  # set once an agent's first answer has cached the prefix

    async def run_agent(self, number: int, tasks: int) -> None:
        rng = random.Random(f"agent {number} {self._salt}")
        # Creates an entry for agents that never get an answer.
        self._tally.written[self._salt, number] += 0
        for task in range(tasks) if tasks else itertools.count():
            await self._run_task(number, number + task * TURNS_OF_TASK, TURNS_OF_TASK, rng)

    async def _run_task(self, number: int, step: int, turns: int, rng: random.Random) -> None:
        messages = [_message("system", self._beginning), _message("user", words(rng, 30))]
        cached_tokens = 0  # tokens of this conversation that the server should have cached
        for turn in range(turns):
            index = (step + turn) % len(RESULTS)
            broken = BROKEN_AFTER if index == BROKEN_OFF else 0
            request, text = await self._ask(
                messages, ANSWERS[index], "agent", self._config.key, broken
            )
            self._tally.written[self._salt, number] += request.tokens
            if request.error:
                self._tally.failed[request.error] += 1
                await asyncio.sleep(1.0)
            elif request.prompt:  # there are no token counts for aborted turns
                self._tally.turns += 1
                self._record_turn(request, cached_tokens, messages)
                cached_tokens = request.prompt + request.tokens
            if index == BEGINS_OTHERS and turns == TURNS_OF_TASK:
                children = (
                    self._run_task(number, step + 1 + i, TURNS_OF_CHILD, rng)
                    for i in range(CHILDREN)
                )
                await asyncio.gather(*children)
            await asyncio.sleep(TOOLS_TAKE[index])
            result = words(rng, RESULTS[index])
            messages += [_message("assistant", text or "…"), _message("user", f"Result: {result}")]

    def _record_turn(
        self, request: TimedRequest, cached_tokens: int, messages: Sequence[dict[str, str]]
    ) -> None:
        tally = self._tally
        tally.prompts += request.prompt
        tally.read += request.prompt - request.cached
        if not cached_tokens and self._head_is_known:
            # Only the task itself is new, because another agent has already sent the prefix. Its
            # tokens are estimated, because servers only report totals.
            share = len(self._beginning) / sum(len(message["content"]) for message in messages)
            cached_tokens = int(share * request.prompt)
        self._head_is_known = True
        tally.new += max(0, request.prompt - cached_tokens)

    async def run_user(self) -> None:
        messages: list[dict[str, str]] = []
        number = 0
        while True:
            await asyncio.sleep(self._every)
            messages.append(_message("user", QUESTIONS[number % len(QUESTIONS)]))
            request, text = await self._ask(messages, PERSON_TOKENS, "person", self._person_key)
            if request.error:
                self._tally.failed[f"person: {request.error}"] += 1
                messages = []
                continue
            self._tally.firsts.append(request.moments[0] - request.sent)
            self._tally.gaps += gaps(request.moments)
            messages.append(_message("assistant", text))
            number += 1
            if number % len(QUESTIONS) == 0:
                messages = []  # start a new chat

    async def _ask(
        self, messages: Sequence[dict[str, str]], tokens: int, role: str, key: str, broken: int = 0
    ) -> tuple[TimedRequest, str]:
        headers = {"User-Agent": f"load-{role}"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        turn, text = TimedRequest(time.perf_counter()), ""
        try:
            text = await request_answer(
                self._client, self._config, messages, turn, tokens, headers, broken
            )
        except asyncio.CancelledError:
            if role == "person" and not turn.moments:
                # The run ended before the first token, so count the time waited so far.
                self._tally.firsts.append(time.perf_counter() - turn.sent)
            raise
        return turn, text


def _system_prompt(count: int, salt: int) -> str:
    """Return a system prompt of about `count` words, with rules and tools as coding agents have."""
    rng = random.Random(f"beginning {salt}")
    parts, words_left = ["You are an agent. Work with care. These are your tools:"], count
    while words_left > 0:
        name, description = "_".join(words(rng, 2).split()), words(rng, min(words_left, 24))
        parts.append(json.dumps({"name": name, "description": description}))
        words_left -= 30  # tokens for the name and the JSON syntax
    return "\n".join(parts)


def _message(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def table(tallies: dict[str, CrowdResult]) -> str:
    figures_by_crowd = [tally.figures for tally in tallies.values()]
    head = [
        *(chr(97 + i) for i in range(len(figures_by_crowd))),
        *(["a/b"] if len(figures_by_crowd) == 2 else []),
    ]
    lines = [f"{chr(97 + i)}: {url}" for i, url in enumerate(tallies)]
    lines.append(f"{'':24}" + "".join(f"{name:>11}" for name in head))
    for name in figures_by_crowd[0]:
        values = [figures[name] for figures in figures_by_crowd]
        cells = [_format_value(name, value) for value in values]
        if len(values) == 2:
            cells.append(_ratio(values))
        owner = "person, " if name in _PERSONS else "agents, "
        lines.append(f"{owner + name:24}" + "".join(f"{cell:>11}" for cell in cells))
    for letter, tally in zip("abcdefgh", tallies.values(), strict=False):
        if tally.failed:
            failures = ", ".join(f"{count}x {reason}" for reason, count in tally.failed.items())
            lines.append(f"failed at {letter}: {failures}")
    return "\n".join(lines)


_PERSONS = ("first token p50", "first token p99", "gap p50", "longest gap", "answers")


def _format_value(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if name in _PERSONS[:4]:
        return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"
    if name == "of tokens sent":
        return f"{value:.1%}"
    return f"{value:.3f}" if name == "equal share" else f"{value:.1f}".removesuffix(".0")


def _ratio(values: Iterable[float | None]) -> str:
    own_value, other_value = values
    return f"{own_value / other_value:.3f}" if own_value is not None and other_value else "-"
