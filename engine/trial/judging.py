"""What comes of an answer's checks, each found out once: it is kept by all that it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import asdict

from engine.batch.requests import Request
from engine.batch.run import Answer, Runner
from engine.errors import JUDGE_WAVERS
from engine.params import SamplingParams
from engine.trial.checks import Checker, Verdict
from engine.trial.plan import Check, Prompt


class Kept(Protocol):
    """Where verdicts are kept, by their keys."""

    def get(self, key: str, /) -> Mapping[str, Any] | None: ...
    def put(self, key: str, content: dict[str, Any], /) -> None: ...


class Case(Struct, frozen=True):
    """An answer and what it has to be. `other`: the answer that a judge compares it with."""

    check: Check
    prompt: Prompt
    answer: str
    other: str | None = None


def digest(*parts: Any) -> str:
    """A name for what these parts say."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:24]


def eye_key(prompt: Prompt, answer: str) -> str:
    """By which it is kept what a person says of an answer."""
    return digest("eye", prompt.asked, answer)


def checked(checker: Checker, kept: Kept, case: Case) -> Verdict:
    """What comes of any check but a judge's; of a person's, what they have said."""
    check, prompt = case.check, case.prompt
    if check.kind == "eye":
        return _verdict(kept.get(eye_key(prompt, case.answer))) or Verdict(None, "")
    if check.kind != "python":
        return checker.verdict(check, prompt, case.answer)
    # It takes its time.
    key = digest("python", check.value, check.turned, prompt.text, prompt.expected)
    key = digest(key, case.answer)
    known = _verdict(kept.get(key))
    if known is None:
        known = checker.verdict(check, prompt, case.answer)
        if known.passed is not None:
            kept.put(key, asdict(known))
    return known


def judge(
    runner: Runner,
    kept: Kept,
    cases: Sequence[Case],
    judged: Callable[[int, Verdict], None],
    tick: Callable[[], None] | None = None,
) -> None:
    """Ask a model of each twice, in both orders, and take what it says in both. Waits.

    Args:
        judged: hears of each as it is known, by its place.
        tick: as `Runner.run` calls it.

    Raises:
        EngineError: as `Runner.run`.
    """
    params = SamplingParams(max_tokens=8, temperature=0.0, seed=0, choices=("A", "B"))
    said: dict[int, dict[bool, str]] = {}
    errors: dict[int, tuple[str, str]] = {}  # what went wrong, and its code
    keys: list[str] = []

    def requests() -> Iterator[Request]:
        for place, case in enumerate(cases):
            texts = [question(case, swapped=way) for way in (False, True)]
            keys.append(digest("judge", runner.model.id, case.check.turned, texts))
            known = _verdict(kept.get(keys[-1]))
            if known is not None:
                judged(place, known)
                continue
            for swapped, text in enumerate(texts):
                yield Request(2 * place + swapped, None, text, params, None, False)

    def answered(request: Request, answer: Answer) -> None:
        place, swapped = divmod(request.line, 2)
        content = answer.content
        both = said.setdefault(place, {})
        both[bool(swapped)] = content.get("text", "")
        if answer.failed:
            errors.setdefault(place, (content["error"]["message"], content["error"]["code"]))
        if len(both) < 2:
            return
        if place in errors:  # it may judge in another run
            judged(place, Verdict(None, *errors[place]))
            return
        first, second = both[False], both[True]
        if {first, second} == {"A", "B"}:
            known = Verdict((first == "A") is not cases[place].check.turned)
        elif first == second:
            known = Verdict(None, f"the judge says {first} in both orders", JUDGE_WAVERS)
        else:
            why = f"the judge says {first}, and {second} in the other order"
            known = Verdict(None, why, JUDGE_WAVERS)
        kept.put(keys[place], asdict(known))
        judged(place, known)

    runner.run(requests(), answered, tick)


def _verdict(known: Mapping[str, Any] | None) -> Verdict | None:
    return None if known is None else Verdict(known["passed"], known["why"], known.get("code", ""))


def question(case: Case, *, swapped: bool) -> str:
    """What a judge is asked. Where not `swapped`, A stands for yes, or for the answer itself."""
    prompt, mine, other = case.prompt, case.answer, case.other
    wanted = case.check.value.replace("{expected}", prompt.expected)
    parts = [f"Question:\n{prompt.text}"]
    parts += [f"A good answer:\n{prompt.expected}"] if prompt.expected else []
    if other is None:
        yes, no = ("No", "Yes") if swapped else ("Yes", "No")
        parts += [f"Answer:\n{mine}", f"Is this true of the answer? {wanted}"]
        parts += [f"A: {yes}\nB: {no}\nReply with A or B."]
    else:
        first, second = (other, mine) if swapped else (mine, other)
        parts += [f"Answer A:\n{first}", f"Answer B:\n{second}"]
        parts += [f"Of which answer is this more true? {wanted}\nReply with A or B."]
    return "\n\n".join(parts)
