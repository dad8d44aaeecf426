"""`/v1/messages/count_tokens`: how long a prompt would be."""

from __future__ import annotations

from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.doors.door import Asked, Body
from engine.serve.doors.fields import Fields
from engine.serve.doors.kinds import HARMLESS, MODEL, Table, only
from engine.serve.doors.messages import ASKED, error_of, how_of, offer_of, said_of
from engine.serve.sessions import Manner


class CountingDoor:
    """Counts the tokens of Anthropic's messages."""

    path = "/v1/messages/count_tokens"
    about = "How many tokens a prompt of Anthropic's messages has."
    table = Table(
        {**MODEL, **ASKED, "cache_control": HARMLESS, "speed": only("standard")},
        required=("messages",),
    )

    def read(self, body: Body, model: Model) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore(("model", "cache_control", "speed"))
        messages = said_of(fields)
        reasoning, template, _ = how_of(fields, model)
        offer = offer_of(fields, model)
        fields.end()
        return Asked(
            model,
            [messages],
            SamplingParams(),
            Manner(reasoning=reasoning),
            template={**template, **({"tools": list(offer.offered)} if offer.offered else {})},
        )

    def whole(self, tokens: int) -> Body:
        """The answer."""
        return {"input_tokens": tokens}

    def error(self, status: int, code: str, message: str) -> Body:
        """An error in the door's shape."""
        return error_of(status, code, message)
