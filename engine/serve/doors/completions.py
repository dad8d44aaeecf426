"""`/v1/completions`: texts that are continued as they stand."""

from __future__ import annotations

import time
import uuid
from typing import Any

from engine.messages import RawPrompt
from engine.model.info import Model
from engine.openai.request import form
from engine.openai.schemas import FORMAT, PROMPT
from engine.params import MOST_LOGPROBS
from engine.serve.doors import odds
from engine.serve.doors.chat import reason, usage
from engine.serve.doors.choice import Choice, Piece, Text
from engine.serve.doors.door import (
    Asked,
    Body,
    OpenAIErrors,
    Telling,
    event,
)
from engine.serve.doors.fields import LIMIT, Fields, settings
from engine.serve.doors.kinds import (
    CHOICES,
    FLAG,
    MANNER,
    MODEL,
    MOST_CHOICES,
    STREAMING,
    USER,
    Kind,
    Table,
    whole,
)
from engine.serve.guests import LOCAL, Guest


class CompletionsDoor(OpenAIErrors):
    """Completions of a text, of several, or of token ids."""

    path = "/v1/completions"
    about = "Texts, continued as they stand."
    table = Table(
        {
            **settings(),
            **MODEL,
            **USER,
            **STREAMING,
            **MANNER,
            "prompt": Kind(PROMPT),
            "echo": FLAG,
            "logprobs": whole(0, MOST_LOGPROBS),
            "n": CHOICES,
            "best_of": CHOICES,
            "response_format": Kind(FORMAT),
            "max_tokens": LIMIT,
        },
        required=("prompt",),
        refused=("suffix", "messages", "system", "tools", "reasoning", "chat_template_kwargs"),
    )

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore((*MODEL, *USER))
        stream, figures = fields.streaming()
        prompts = prompts_of(fields.take("prompt"), "prompt")
        echo = fields.flag("echo")
        if echo and any(p.text is None for p in prompts):
            raise ValueError("echo goes with texts only, not with token ids")
        most = fields.take("logprobs")
        if echo and most is not None:
            raise ValueError("echo and logprobs do not go together here")
        n = fields.choices()
        if (best := fields.take("best_of", n)) != n:
            raise ValueError(f"best_of can only be n, which is {n}, not {best}")
        if n * len(prompts) > MOST_CHOICES:
            raise ValueError(f"n times the prompts must be at most {MOST_CHOICES}")
        own = form(fields.take("response_format", {"type": "text"}), "response_format")
        manner = fields.manner(None)
        limit = fields.limit("max_tokens")
        params = fields.params(model, max_tokens=limit, logprobs=most, **own)
        return Asked(
            model,
            prompts,
            params,
            manner,
            n,
            stream,
            figures=figures,
            extra={"echo": [p.text for p in prompts] if echo else []},
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return CompletionsTelling(asked, choices)


def prompts_of(given: Any, where: str) -> list[RawPrompt]:
    """One or several prompts, each a text or token ids."""
    if isinstance(given, str):
        return [RawPrompt(given)]
    if not isinstance(given, list) or not given:
        raise ValueError(f"{where} must be a text, a list of texts, or token ids")
    if all(isinstance(one, str) for one in given):
        return [RawPrompt(one) for one in given]
    lists = [given] if all(_is_id(one) for one in given) else given
    for ids in lists:
        if not isinstance(ids, list) or not ids or not all(_is_id(i) for i in ids):
            raise ValueError(f"{where} must be a text, a list of texts, or token ids")
    return [RawPrompt(None, tuple(ids)) for ids in lists]


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


class CompletionsTelling(Telling):
    """A completion, whole or in chunks."""

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        super().__init__(asked, choices)
        self._head: Body = {
            "id": f"cmpl-{uuid.uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": asked.model.name,
        }
        self._told: dict[int, int] = {}  # characters of each choice's text

    def begin(self) -> bytes:
        """The prompts, where they are to be echoed."""
        if not self.asked.extra["echo"]:
            return b""
        return b"".join(self._chunk(c, self._echo(c), None) for c in self.choices)

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text."""
        assert isinstance(piece, Text)
        before = self._told.get(choice.index, 0)
        told = odds.columns(piece.odds, before) if piece.odds else None
        if told is not None:
            self._told[choice.index] = before + sum(map(len, told["tokens"]))
        return self._chunk(choice, piece.text, None, told)

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._chunk(choice, "", reason(choice))

    def end(self) -> bytes:
        """The figures, if they are wanted, and the end."""
        last = b"data: [DONE]\n\n"
        if not self.asked.figures:
            return last
        return event({**self._head, "choices": [], "usage": usage(self.choices)}) + last

    def failed(self, told: Body) -> bytes:
        """The error as an event."""
        return event(told)

    def whole(self) -> Body:
        """The answer in one piece."""
        return {
            **self._head,
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> Body:
        told = None if self.asked.params.logprobs is None else odds.columns(choice.odds, 0)
        return {
            "index": choice.index,
            "text": self._echo(choice) + choice.text,
            "logprobs": told,
            "finish_reason": reason(choice),
        }

    def _echo(self, choice: Choice) -> str:
        echoed = self.asked.extra["echo"]
        return str(echoed[choice.prompt]) if echoed else ""

    def _chunk(self, choice: Choice, text: str, why: str | None, told: Body | None = None) -> bytes:
        one = {"index": choice.index, "text": text, "logprobs": told, "finish_reason": why}
        return event({**self._head, "choices": [one]})
