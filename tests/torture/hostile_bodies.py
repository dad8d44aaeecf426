"""Hostile request bodies: small in the tests, large in `python -m tests.torture bodies`."""

from __future__ import annotations

import gzip
import json
import socket
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.engine.serving import CHAT, Answer, rest, status

RESPONSES, MESSAGES, OLLAMA = "/v1/responses", "/v1/messages", "/api/chat"
COMPLETIONS, EMBEDDINGS, COUNT = "/v1/completions", "/v1/embeddings", "/v1/messages/count_tokens"


@dataclass(frozen=True)
class Hostile:
    """A hostile request.

    Attributes:
        make: builds the body, which may be large.
        headers: complete header lines.
    """

    name: str
    path: str
    make: Callable[[], bytes]
    headers: tuple[str, ...] = ()


def sent(port: int, one: Hostile, patience: float = 120.0) -> Answer:
    """Return the response, with status 0 if the connection is closed without a response.

    Args:
        patience: seconds after which an accepted prompt is abandoned.
    """
    content = one.make()
    head = [f"POST {one.path} HTTP/1.1", "Host: localhost", "Connection: close", *one.headers]
    head += [f"Content-Length: {len(content)}", "", ""]
    answer = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 600) as client:
        with suppress(OSError):
            client.sendall("\r\n".join(head).encode())
            client.sendall(content)
        del content
        client.settimeout(patience)
        try:
            answer = rest(client)
        except TimeoutError:
            return Answer(200, {}, b"")
    return Answer(status(answer) if answer else 0, {}, answer.partition(b"\r\n\r\n")[2])


def wrong(answer: Answer) -> str:
    """Describe what's wrong with a response to such a body; empty if it's fine."""
    if answer.status in (200, 201):
        return ""
    if answer.status not in (400, 404, 409, 413, 415, 429, 431):
        return f"status {answer.status}: {answer.body[:200]!r}"
    error = answer.json["error"]
    told = error if isinstance(error, str) else error["message"]
    if not isinstance(told, str) or not told.strip():
        return f"no sentence: {answer.body[:200]!r}"
    return f"a sentence of {len(told)} characters" if len(told) > 800 else ""


def hostile_bodies(size: int, many: int, name: int) -> Iterator[Hostile]:
    """Yield every hostile body.

    Args:
        size: bytes of the largest bodies.
        many: number of items in oversized lists.
        name: characters of an id.
    """
    yield from _large(size)
    yield from _packed(size)
    yield from _results(size // 2)
    yield from _tools(many)
    yield from _forms(many)
    yield from _names("n" * name)


def _json(content: Any) -> Callable[[], bytes]:
    return lambda: json.dumps(content).encode()


def _large(size: int) -> Iterator[Hostile]:
    said = b'{"max_tokens":4,"messages":[{"role":"user","content":"'
    yield Hostile("a text", CHAT, lambda: said + b"word " * (size // 5) + b'"}]}')
    yield Hostile("a text", MESSAGES, lambda: said + b"word " * (size // 5) + b'"}]}')
    yield Hostile("no JSON", RESPONSES, lambda: b"x" * size)
    yield Hostile("blanks", MESSAGES, lambda: b" " * size)
    yield Hostile("lists", CHAT, lambda: b'{"messages":[' + b"[]," * (size // 3) + b"1]}")
    yield Hostile("depth", RESPONSES, lambda: b'{"input":' + b"[" * size)
    escaped = rb"\ud83d\ude00"
    yield Hostile("escapes", OLLAMA, lambda: said + escaped * (size // 12) + b'"}]}')
    yield Hostile("texts", EMBEDDINGS, lambda: b'{"input":[' + b'"a",' * (size // 4) + b'"a"]}')
    yield Hostile("a text", COUNT, lambda: said + b"word " * (size // 5) + b'"}]}')


def _packed(size: int) -> Iterator[Hostile]:
    said = b'{"max_tokens":4,"messages":[{"role":"user","content":"'

    def unpacked(filling: bytes) -> bytes:
        return said + filling * (size // len(filling)) + b'"}]}'

    ways: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
        ("gzip", lambda data: gzip.compress(data, 6)),
        ("deflate", zlib.compress),
    )
    for way, pack in ways:
        header = (f"Content-Encoding: {way}",)
        for path in (CHAT, MESSAGES):
            yield Hostile(f"a bomb of {way}", path, lambda p=pack: p(unpacked(b" ")), header)
        yield Hostile(
            f"lists in {way}",
            RESPONSES,
            lambda p=pack: p(b'{"input":[' + b"[]," * (size // 3)),
            header,
        )
        yield Hostile(
            f"half of {way}", CHAT, lambda p=pack: p(unpacked(b"w "))[: size // 2000], header
        )
        yield Hostile(f"{way} in {way}", CHAT, lambda p=pack: p(p(unpacked(b" "))), header)
        yield Hostile(f"{way} and more", CHAT, lambda p=pack: p(b"{}") + b"x" * size, header)


def _results(size: int) -> Iterator[Hostile]:
    out, function = "out " * (size // 4), {"name": "run", "arguments": "{}"}
    called = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}
    result = {"role": "tool", "tool_call_id": "c", "content": out}
    asked = {"role": "user", "content": "run"}
    yield Hostile("a result", CHAT, _json({"messages": [asked, called, result]}))
    use = {"type": "tool_use", "id": "c", "name": "run", "input": {}}
    block = {"type": "tool_result", "tool_use_id": "c", "content": out}
    turns = [asked, {"role": "assistant", "content": [use]}, {"role": "user", "content": [block]}]
    yield Hostile("a result", MESSAGES, _json({"max_tokens": 4, "messages": turns}))
    pieces = [{"type": "text", "text": "out "}] * min(size // 40, 150_000)
    turns = [*turns[:2], {"role": "user", "content": [{**block, "content": pieces}]}]
    yield Hostile("a result in pieces", MESSAGES, _json({"max_tokens": 4, "messages": turns}))
    call = {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": out}
    yield Hostile("a result", RESPONSES, _json({"input": [asked, call, output]}))
    given = {"function": {"name": "run", "arguments": {}}}
    turns = [asked, {**called, "tool_calls": [given]}, {**result, "tool_name": "run"}]
    yield Hostile("a result", OLLAMA, _json({"messages": turns}))


def _tools(many: int) -> Iterator[Hostile]:
    asked = {"messages": [{"role": "user", "content": "run"}], "max_tokens": 4}
    flat = [{"type": "function", "name": f"tool_{n}", "parameters": OPEN} for n in range(many)]
    inner = [{"type": "function", "function": one} for one in flat]
    anthropic = [{"name": f"tool_{n}", "input_schema": OPEN} for n in range(many)]
    for choice in ("auto", "required"):
        yield Hostile(f"tools, {choice}", CHAT, _json({**asked, "tools": inner, **_chosen(choice)}))
        responses = {"input": "run", "max_output_tokens": 4, "tools": flat, **_chosen(choice)}
        yield Hostile(f"tools, {choice}", RESPONSES, _json(responses))
    for kind in ("auto", "any"):
        chosen = {"tool_choice": {"type": kind}}
        yield Hostile(f"tools, {kind}", MESSAGES, _json({**asked, "tools": anthropic, **chosen}))
    yield Hostile("tools", OLLAMA, _json({**asked, "tools": inner}))
    spaces = [{"type": "namespace", "name": f"n{n}", "tools": [flat[n]]} for n in range(many)]
    yield Hostile("namespaces", RESPONSES, _json({"input": "run", "tools": spaces}))
    kinds = [{"type": f"kind_{n}"} for n in range(many)]
    yield Hostile("types of tools", RESPONSES, _json({"input": "run", "tools": kinds}))
    yield Hostile("types of tools", MESSAGES, _json({**asked, "tools": kinds}))
    calls = [{"id": f"c{n}", "function": {"name": "x", "arguments": "{}"}} for n in range(many)]
    turn = {"role": "assistant", "content": "", "tool_calls": calls}
    yield Hostile("calls", CHAT, _json({**asked, "messages": [*asked["messages"], turn]}))


OPEN = {"type": "object", "properties": {"x": {"type": "string"}}}


def _chosen(choice: str) -> dict[str, str]:
    return {"tool_choice": choice}


def _deep(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return schema


def _doubled(levels: int, way: str) -> Any:
    """Return a schema whose number of references doubles at each level."""
    named = {
        f"d{n}": {way: [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(levels)
    }
    return {"$defs": {**named, f"d{levels}": {"type": "string"}}, "$ref": "#/$defs/d0"}


def _schemas(many: int) -> dict[str, Any]:
    return {
        "deep": _deep(40),
        "anyOf that doubles": _doubled(40, "anyOf"),
        "allOf that doubles": _doubled(40, "allOf"),
        "itself": {"$ref": "#"},
        "many names": {"type": "object", "properties": {f"p{n}": OPEN for n in range(many // 2)}},
        "many values": {"enum": [f"value {n}" for n in range(4 * many)]},
        "a pattern that explodes": {"type": "string", "pattern": "^((a{1,999}){1,999}){1,999}$"},
        "repetition": {
            "type": "array",
            "minItems": 10**6,
            "items": {"type": "array", "minItems": 10**6, "items": {"type": "integer"}},
        },
        "a long text": {"type": "string", "minLength": 10**9},
    }


def _regexes(many: int) -> tuple[str, ...]:
    explodes = "((a{1,999}){1,999}){1,999}" * 20
    return explodes, "(a|aa|aaa)*" * (many // 2), "(" * (5 * many), "[^a]{1,100000}"


def _grammars(many: int) -> tuple[str, ...]:
    doubles = "".join(f"a{n}: a{n + 1} a{n + 1}\n" for n in range(60))
    return (
        f'start: a0\n{doubles}a60: "x"',
        'start: start start | "x"',
        "start: /((a{1,999}){1,999}){1,999}/",
        "start: " + " | ".join(f'"w{n}"' for n in range(2 * many)),
        "start: x" * many,
    )


def _forms(many: int) -> Iterator[Hostile]:
    asked = {"messages": [{"role": "user", "content": "run"}], "max_tokens": 4}
    for name, schema in _schemas(many).items():
        whole = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
        if "$defs" in schema:
            whole = {**whole, "$defs": schema["$defs"], "properties": {"x": {"$ref": "#/$defs/d0"}}}
        function = {"name": "run", "parameters": whole, "strict": True}
        tools = [{"type": "function", "function": function}]
        yield Hostile(
            f"schema: {name}", CHAT, _json({**asked, "tools": tools, **_chosen("required")})
        )
        bound = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        yield Hostile(f"form: {name}", CHAT, _json({**asked, "response_format": bound}))
        tool = {"name": "run", "input_schema": whole, "strict": True}
        chosen = {"tool_choice": {"type": "any"}, "tools": [tool]}
        yield Hostile(f"schema: {name}", MESSAGES, _json({**asked, **chosen}))
    for number, regex in enumerate(_regexes(many)):
        yield Hostile(f"regex {number}", CHAT, _json({**asked, "regex": regex}))
        yield _custom(f"regex {number}", "regex", regex)
    for number, grammar in enumerate(_grammars(many)):
        yield Hostile(f"grammar {number}", CHAT, _json({**asked, "grammar": grammar}))
        yield _custom(f"grammar {number}", "lark", grammar)


def _custom(name: str, syntax: str, definition: str) -> Hostile:
    form = {"type": "grammar", "syntax": syntax, "definition": definition}
    tools = [{"type": "custom", "name": "run", "format": form}]
    body = {"input": "run", "max_output_tokens": 4, "tools": tools, **_chosen("required")}
    return Hostile(f"custom: {name}", RESPONSES, _json(body))


def _names(long: str) -> Iterator[Hostile]:
    user = {"role": "user", "content": "run"}
    asked: dict[str, Any] = {"messages": [user], "max_tokens": 4}
    call = {"id": long, "type": "function", "function": {"name": "run", "arguments": "{}"}}
    turn = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": long, "content": "out"}
    tool = {"type": "function", "function": {"name": long, "parameters": OPEN}}
    chat: dict[str, Any] = {
        "model": {"model": long},
        "session_id": {"session_id": long},
        "follows": {"follows": long, "session_id": "s"},
        "user": {"user": long},
        "safety_identifier": {"safety_identifier": long},
        "prompt_cache_key": {"prompt_cache_key": long},
        "metadata": {"metadata": {"session_id": long, long: long}},
        "client_metadata": {"client_metadata": {"x": long}},
        "service_tier": {"service_tier": long},
        "a field": {long: 1},
        "call": {"messages": [user, turn, {**result, "tool_call_id": "x"}]},
        "result": {"messages": [user, turn, result]},
        "name of a message": {"messages": [{**user, "name": long}]},
        "role": {"messages": [{**user, "role": long}]},
        "tool": {"tools": [tool]},
        "choice": {
            "tools": [tool],
            "tool_choice": {"type": "function", "function": {"name": long}},
        },
        "type of a part": {"messages": [{"role": "user", "content": [{"type": long}]}]},
        "file": {"messages": [{"role": "user", "content": [_file(long)]}]},
    }
    for name, more in chat.items():
        yield Hostile(f"id: {name}", CHAT, _json({**asked, **more}))
    responses: dict[str, Any] = {
        "model": {"model": long},
        "previous_response_id": {"previous_response_id": long},
        "conversation": {"conversation": long},
        "user": {"user": long},
        "prompt_cache_key": {"prompt_cache_key": long},
        "metadata": {"metadata": {long: long}},
        "item": {"input": [{**user, "id": long}]},
        "type of an item": {"input": [{"type": long}]},
        "call": {"input": [user, {"type": "function_call", "call_id": long, "name": "run"}]},
        "called": {"input": [user, {"type": "function_call", "call_id": "c", "name": long}]},
        "namespace": {
            "input": [user, {"type": "function_call", "call_id": "c", "name": "x"}],
            "tools": [{"type": "namespace", "name": long, "tools": [{"type": "function"}]}],
        },
        "output": {"input": [{"type": "function_call_output", "call_id": long, "output": "x"}]},
        "custom": {"input": [{"type": "custom_tool_call", "call_id": long, "name": "x"}]},
        "search": {
            "input": [{"type": "tool_search_call", "call_id": long, "arguments": "{}"}],
        },
        "type of a tool": {"tools": [{"type": long}]},
        "choice": {"tool_choice": {"type": "custom", "name": long}},
    }
    for name, more in responses.items():
        yield Hostile(
            f"id: {name}", RESPONSES, _json({"input": "run", "max_output_tokens": 4, **more})
        )
    use = {"type": "tool_use", "id": long, "name": "run", "input": {}}
    given = {"type": "tool_result", "tool_use_id": long, "content": "out"}
    found = {**given, "content": [{"type": "tool_reference", "tool_name": long}]}
    thought = {"type": "thinking", "thinking": "so", "signature": long}

    def turns(*blocks: Any) -> dict[str, Any]:
        last = {"role": "user", "content": list(blocks[1:]) or "on"}
        return {"messages": [user, {"role": "assistant", "content": [blocks[0]]}, last]}

    anthropic: dict[str, Any] = {
        "model": {"model": long},
        "metadata": {"metadata": {"user_id": long}},
        "container": {"container": long},
        "call": turns(use),
        "result": turns({**use, "id": "x"}, given),
        "found": turns({**use, "id": "x"}, found),
        "signature": turns(thought),
        "called": turns({**use, "name": long}),
        "tool": {"tools": [{"name": long, "input_schema": OPEN}]},
        "type of a tool": {"tools": [{"type": long, "name": "x"}]},
        "choice": {"tool_choice": {"type": "tool", "name": long}},
        "server": {"mcp_servers": [{"name": long, "url": long}]},
        "betas": {"betas": [long]},
        "beginning": {"system": f"x-anthropic-billing-header: {long}"},
    }
    for name, more in anthropic.items():
        yield Hostile(f"id: {name}", MESSAGES, _json({**asked, **more}))
    for name, more in {
        "model": {"model": long},
        "result": {"messages": [user, {"role": "tool", "content": "x", "tool_name": long}]},
        "call": {"messages": [user, turn]},
        "keep_alive": {"keep_alive": long},
    }.items():
        yield Hostile(f"id: {name}", OLLAMA, _json({**asked, **more}))
    yield Hostile("id: model", COMPLETIONS, _json({"prompt": "x", "model": long}))
    yield Hostile("id: user", COMPLETIONS, _json({"prompt": "x", "max_tokens": 4, "user": long}))
    yield Hostile("id: model", EMBEDDINGS, _json({"input": "x", "model": long}))
    for header in ("x-session-affinity", "x-claude-code-session-id", "thread-id", "session_id"):
        for length in (len(long), 40_000):
            line = f"{header}: {long[:length]}"
            yield Hostile(f"header: {header}, {length}", CHAT, _json(asked), (line,))
    yield Hostile("id: path", f"/v1/sessions/{long}/fork", _json({}))
    yield Hostile("id: session", "/v1/sessions", _json({"id": long}))


def _file(name: str) -> dict[str, Any]:
    return {"type": "file", "file": {"filename": name, "file_data": "data:text/plain;base64,eA=="}}
