"""A route that can be told of in `/openapi.json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.routing import Route

from engine.serve.doors.kinds import Table


class Operation(Route):
    """A route, and what clients are told of it.

    Args:
        endpoint: a function of Starlette's, or an ASGI application.

    Attributes:
        method: of HTTP.
        about: a sentence.
        table: the fields of its body; None where it has none.
        must: whether there has to be a body.
        names_session: whether its request may name a session.
        kind: of what it answers, where that is no JSON.
        status: of a request that could be answered.
    """

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        about: str,
        *,
        table: Table | None = None,
        must: bool = False,
        names_session: bool = False,
        kind: str = "application/json",
        status: int = 200,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method
        self.about = about
        self.table = table
        self.must = must
        self.names_session = names_session
        self.kind = kind
        self.status = status
