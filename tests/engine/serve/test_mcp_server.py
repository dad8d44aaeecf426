"""`python -m engine mcp` with the official client over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.checked import PROGRAM
from tests.engine.scripted import ANSWER, write_scripted

ROOT = Path(__file__).parents[3]
SAID = "".join(ANSWER)


def test_other_programs_ask_compare_and_close(tmp_path: Path) -> None:
    folder = write_scripted(tmp_path / "scripted")
    command, *arguments = PROGRAM
    arguments += ["mcp", str(folder), "--max-tokens", "20"]
    kept = {"STRETTO_PASSED": os.environ["STRETTO_PASSED"]}
    told = StdioServerParameters(command=command, args=arguments, cwd=ROOT, env=kept)
    asyncio.run(_used(told))


def test_half_a_surrogate_pair_is_answered() -> None:
    """The model doesn't exist, and the error repeats its invalid name."""
    version = {"protocolVersion": "2025-06-18", "capabilities": {}}
    client = {"clientInfo": {"name": "test", "version": "1"}}
    asked = {"name": "ask", "arguments": {"prompt": "a \\ud800 b \ud83d\ude00", "model": "\ud800"}}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {**version, **client}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": asked},
    ]
    with subprocess.Popen(
        [*PROGRAM, "mcp", "none"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdin
        assert program.stdout
        for message in said:
            program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        program.stdin.flush()
        answers = [json.loads(program.stdout.readline()) for _ in range(2)]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "\ufffd" in answers[1]["result"]["content"][0]["text"]


async def _used(parameters: StdioServerParameters) -> None:
    async with Client(parameters) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"ask", "compare", "sessions"}

        async def call(name: str, **arguments: Any) -> Any:
            return await client.call_tool(name, arguments)

        # Concurrent calls, each in a separate chat.
        asked = [call("ask", prompt="hello", session=name) for name in ("one", "two")]
        answers = await asyncio.gather(*asked, call("compare", prompt="hello", seeds=[1, 2]))
        assert [answer.content[0].text for answer in answers[:2]] == [SAID, SAID]
        compared = answers[2].structured_content["result"]
        assert [(one["seed"], one["answer"]) for one in compared] == [(1, SAID), (2, SAID)]

        await call("ask", prompt="and now?", session="one")
        listed = (await call("sessions")).structured_content["result"]
        assert {one["session"]: one["turns"] for one in listed} == {"one": 2, "two": 1}
        left = (await call("sessions", close="two")).structured_content["result"]
        assert [one["session"] for one in left] == ["one"]

        for wrong in (
            call("ask", prompt="hello", model="none"),
            call("sessions", close="two"),
            call("compare", prompt="hello", seeds=list(range(17))),
        ):
            refused = await wrong
            assert refused.is_error
            assert "Unknown" in refused.content[0].text or "Too many" in refused.content[0].text
