"""`GET /openapi.json`: the server in OpenAPI's words, written from its routes and their tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.serve.doors.messages import MessagesDoor
from engine.serve.operation import Operation
from engine.serve.places import ALIASES, NAMED

PATH = "/openapi.json"

_STREAM = "text/event-stream"
_TEXT = {"type": "string"}
_NAMES_SESSION = "Names a session, as `session_id` in the body does."

_ERRORS: dict[str, Any] = {
    "Error": {
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "message": _TEXT,
                    "type": _TEXT,
                    "param": {"type": "null"},
                    "code": _TEXT,
                },
                "required": ["message", "type", "param", "code"],
            }
        },
        "required": ["error"],
    },
    "MessagesError": {
        "type": "object",
        "properties": {
            "type": {"const": "error"},
            "error": {
                "type": "object",
                "properties": {"type": _TEXT, "message": _TEXT, "code": _TEXT},
                "required": ["type", "message", "code"],
            },
        },
        "required": ["type", "error"],
    },
}


class OpenAPI:
    """Tells programs what can be asked here."""

    def __init__(self) -> None:
        self._document: dict[str, Any] = {}

    def route(self) -> Operation:
        """Its own route."""
        return Operation("GET", PATH, self._tell, "This description.")

    def describe(self, routes: Sequence[Operation]) -> None:
        """Write the description of these routes."""
        self._document = document(routes)

    async def _tell(self, _: Request) -> Response:
        return JSONResponse(self._document)


def document(routes: Sequence[Operation]) -> dict[str, Any]:
    """The description, in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = re.sub(r":\w+}", "}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(path, route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Stretto",
            "version": "1",
            "description": "Local models by the APIs of OpenAI and Anthropic, and sessions.",
        },
        "paths": paths,
        "components": {
            "schemas": _ERRORS,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


def _operation(path: str, route: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "summary": route.about,
        "operationId": re.sub(r"\W+", "_", f"{route.method.lower()}{path}").strip("_"),
        "responses": {
            str(route.status): {"description": "The answer.", "content": _answers(route)},
            "default": {"description": "Why there is none.", "content": _refusals(path)},
        },
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT}
        for name in re.findall(r"{(\w+)}", path)
    ]
    if route.names_session:
        # The body's name is taken before these, which are then not looked at.
        parameters += [
            {"name": alias, "in": "header", "schema": _TEXT, "description": _NAMES_SESSION}
            for alias in ALIASES
        ]
    if parameters:
        told["parameters"] = parameters
    if route.table is not None:
        schema = route.table.schema
        if route.names_session:
            session = {"anyOf": [dict(NAMED.schema), {"type": "null"}]}
            schema["properties"] = {**schema["properties"], "session_id": session}
        told["requestBody"] = {
            "required": route.must,
            "content": {"application/json": {"schema": schema}},
        }
    return told


def _answers(route: Operation) -> dict[str, Any]:
    if route.kind != "application/json":
        return {route.kind: {"schema": _TEXT}}
    content: dict[str, Any] = {route.kind: {"schema": {"type": "object"}}}
    if route.table is not None and "stream" in route.table.kinds:
        content[_STREAM] = {"schema": _TEXT}
    return content


def _refusals(path: str) -> dict[str, Any]:
    name = "MessagesError" if path.startswith(MessagesDoor.path) else "Error"
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
