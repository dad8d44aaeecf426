"""Evaluate the Guide on the held-out wordings, with Stretto's engine.

    python resources/guide/evaluate.py [--json] [--sessions 8] [--model FOLDER]
    python resources/guide/evaluate.py --stories 200 # sampled stories: has the hero a name?

Prints a line per category and every miss. Exits with 1 if, over all held-out wordings, fewer than
95% of code words are recalled or fewer than 90% of questions about Stretto are answered correctly.
The "last" sets are also shown separately: they were written without knowledge of the corpus. "new",
"minds", "first" and "date" have no bar.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent.parent))

from corpus import dates, story, talk, words  # noqa: E402
from corpus.conversation import short_distractor  # noqa: E402

BARS = {"code word": 0.95, "stretto": 0.90}
LIMIT = re.compile(r"(?i)tiny guide|I only|I cannot|bigger model|too big for me|beyond me")

# Sends the user's turns in a new chat, and returns the last answer.
Answerer = Callable[["Case"], str]


@dataclass(frozen=True)
class Case:
    category: str
    turns: tuple[str, ...]
    every: tuple[str, ...] = ()
    some: tuple[str, ...] = ()
    reasoning: bool = False
    max_tokens: int = 220
    least_words: int = 0
    tool: bool | None = None
    """True if the date tool must be called, False if not; None if it is not offered."""
    result: str = ""

    def passes(self, answer: str) -> bool:
        if len(answer.split()) < self.least_words:
            return False
        if not all(re.search(pattern, answer) for pattern in self.every):
            return False
        return not self.some or any(re.search(pattern, answer) for pattern in self.some)


@dataclass
class Score:
    right: int = 0
    total: int = 0
    misses: list[dict[str, str]] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.right / self.total if self.total else 0.0


def cases(data: dict[str, Any], seed: int = 11) -> Iterator[Case]:
    for entry in data["stretto"]:
        yield Case("stretto", (entry["ask"],), *_patterns(entry))
    yield from code_word_cases(data, seed)
    for entry in data["stretto_last"]:
        yield Case("stretto, last", (entry["ask"],), *_patterns(entry))
    last = {"tell": data["tell_last"], "ask": data["ask_last"]}
    for case in code_word_cases(last, seed + 2):
        yield replace(case, category="code word, last")
    for entry in data["memory"]:
        yield Case("other memory", tuple(entry["say"]), *_patterns(entry))
    for entry in data["task"]:
        yield Case("small tasks", (entry["ask"],), *_patterns(entry))
    for entry in data["markdown"]:
        yield Case("markdown", (entry["ask"],), *_patterns(entry), max_tokens=500)
    for entry in data["beyond"]:
        yield Case("says its limits", (entry["ask"],), (LIMIT.pattern,))
    for entry in data["unknown"]:
        yield Case("unknown features", (entry["ask"],), ("in Stretto|about Stretto",))
    for entry in data["long"]:
        yield Case("long answer", (entry["ask"],), max_tokens=1200, least_words=380)
    for entry in data["stretto_new"]:
        yield Case("new, stretto", (entry["ask"],), *_patterns(entry))
    for entry in data["stretto_minds"]:
        yield Case(f"minds, {entry['about']}", (entry["ask"],), *_patterns(entry))
    for entry in data["stretto_minds_last"]:
        yield Case(f"minds, last, {entry['about']}", (entry["ask"],), *_patterns(entry))
    for entry in data["stretto_first"]:
        yield Case("first questions", (entry["ask"],), *_patterns(entry))
    yield from date_cases(data, seed)
    for entry in data["stretto"][::4]:
        yield Case("with reasoning", (entry["ask"],), *_patterns(entry), reasoning=True)
    for case in islice(code_word_cases(data, seed + 1), 0, 12):
        yield Case("with reasoning", case.turns, case.every, reasoning=True)


def date_cases(data: dict[str, Any], seed: int) -> Iterator[Case]:
    """Yield cases with the date tool: needed, needed but not offered, and not needed."""
    rng = Random(seed)
    for entry in data["date"]:
        here = dates.moment(rng)
        every = {
            "date": (f"{here.day} {here:%B %Y}",),
            "day": (f"{here:%A}",),
            "month": (f"{here:%B}",),
            "year": (f"{here:%Y}",),
            "time": (f"{here:%H:%M}",),
        }[entry["kind"]]
        every = tuple(rf"\b{part}\b" for part in every)
        turns = (entry["ask"],)
        yield Case("date, by the tool", turns, every, tool=True, result=dates.told(here))
    for entry in data["date"]:
        yield Case("date, without it", (entry["ask"],), (LIMIT.pattern,))
    for entry in data["not_date"]:
        yield Case("date, not asked for", (entry["ask"],), *_patterns(entry), tool=False)
    for entry in data["stretto"][2::8]:
        yield Case("date, not asked for", (entry["ask"],), *_patterns(entry), tool=False)


def code_word_cases(data: dict[str, Any], seed: int) -> Iterator[Case]:
    """Yield each statement with a question at three distances."""
    rng = Random(seed)
    asks = [entry["say"] for entry in data["ask"]]
    for distance in (0, 1, 3):
        rng.shuffle(asks)
        for entry, ask in zip(data["tell"], asks, strict=True):
            word = words.secret(rng)
            between = tuple(_aside(rng) for _ in range(distance))
            turns = (entry["say"].replace("{w}", word), *between, ask)
            yield Case("code word", turns, (re.escape(word),))


def _aside(rng: Random) -> str:
    turn = talk.small_talk(rng) if rng.random() < 0.3 else short_distractor(rng)
    return turn.user


def _patterns(entry: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(entry.get("all", ())), tuple(entry.get("any", ()))


def evaluate(todo: list[Case], answer: Answerer, sessions: int) -> dict[str, Score]:
    """Run all cases, `sessions` chats at a time."""
    scores: dict[str, Score] = {}
    with ThreadPoolExecutor(sessions) as pool:
        for case, text in zip(todo, pool.map(answer, todo), strict=True):
            score = scores.setdefault(case.category, Score())
            score.total += 1
            if case.passes(text):
                score.right += 1
            else:
                score.misses.append({"turns": " / ".join(case.turns), "answer": text})
    return scores


def engine_answerer(engine: Any, model: Any) -> Answerer:
    """Return an answerer that uses the engine with a new chat per case."""
    from engine import SamplingParams, ToolResult

    about = {"name": dates.DATE[0], "description": dates.DATE[1]}
    tools = [{"type": "function", "function": about}]

    def answer(case: Case) -> str:
        chat = engine.open_session(model, reasoning=case.reasoning)
        offer = {"tools": tools} if case.tool is not None else {}
        params = SamplingParams(max_tokens=case.max_tokens, temperature=0.0, seed=7, **offer)
        try:
            for turn in case.turns:
                reply = chat.send(turn, params)
                text = reply.text(timeout=300)
                calls = (reply.message() or {}).get("tool_calls", [])
                if bool(calls) != bool(case.tool):
                    return f"calls of tools: {calls}; {text}"
                if calls:
                    back = [ToolResult(call["id"], case.result, "date") for call in calls]
                    text = chat.send(back, params).text(timeout=300)
        finally:
            chat.close()
        return text

    return answer


def together(scores: dict[str, Score], kind: str) -> Score:
    """Return the score of a category with its "last" set."""
    both = [score for name, score in scores.items() if name.partition(",")[0] == kind]
    return Score(sum(s.right for s in both), sum(s.total for s in both))


def told_stories(engine: Any, model: Any, count: int) -> Score:
    """Sample stories, and check that the hero has a name."""
    from engine import SamplingParams

    asks = (
        "Tell me a long story",
        "Tell me a story",
        "Write a story about a fox",
        "a story please",
    )
    score = Score()
    for begin in range(0, count, 8):
        numbers = range(begin, min(begin + 8, count))
        chats = [engine.open_session(model) for _ in numbers]
        asked = [
            chat.send(asks[number % len(asks)], SamplingParams(max_tokens=60, seed=number))
            for chat, number in zip(chats, numbers, strict=True)
        ]
        for chat, reply in zip(chats, asked, strict=True):
            text = reply.text(timeout=300)
            named = re.search(r"called (.+?), who|whose name was (.+?)\.", text)
            name = (named[1] or named[2]) if named else ""
            score.total += 1
            score.right += name in words.NAMES + story.NAMES
            if name not in words.NAMES + story.NAMES:
                score.misses.append({"turns": name, "answer": text[:120]})
            chat.close()
    return score


def report(scores: dict[str, Score], seconds: float) -> None:
    print(f"{'category':<20}{'right':>7}{'of':>6}{'share':>9}   bar")
    lines = {**scores, **{f"{kind}, all": together(scores, kind) for kind in BARS}}
    for category, score in lines.items():
        kind, _, part = category.partition(", ")
        bar = f"{BARS[kind]:.0%}" if part == "all" else ""
        print(f"{category:<20}{score.right:>7}{score.total:>6}{score.share:>9.1%}   {bar}")
    print(f"\n{seconds:.0f} s\n")
    for category, score in scores.items():
        for miss in score.misses:
            print(f"[{category}] {miss['turns']}\n    -> {miss['answer'][:160]!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=str(HERE))
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stories", type=int, default=0, help="only this: so many stories")
    parser.add_argument("--only", default="", help="categories that begin like this")
    args = parser.parse_args()

    from engine import Engine

    if args.stories:
        with Engine() as engine:
            score = told_stories(engine, engine.load(args.model), args.stories)
        print(f"{score.right} of {score.total} right", *score.misses, sep="\n")
        return 0 if score.right == score.total else 1

    todo = list(cases(tomllib.loads((HERE / "heldout.toml").read_text("utf-8"))))
    todo = [case for case in todo if case.category.startswith(args.only)]
    started = time.monotonic()
    with Engine() as engine:
        scores = evaluate(todo, engine_answerer(engine, engine.load(args.model)), args.sessions)
    if args.json:
        print(json.dumps({k: {"share": v.share, **vars(v)} for k, v in scores.items()}, indent=2))
    else:
        report(scores, time.monotonic() - started)
    return 0 if all(together(scores, kind).share >= bar for kind, bar in BARS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
