"""Run langchain's agents (on langgraph) with a server: `python agent_script.py URL`.

An agent sends a request, runs the tools that the model calls, and sends their results, until the
model answers.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessageChunk
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

ran: list[str] = []


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    ran.append(city)
    return f"rain in {city}"


class Place(BaseModel, extra="forbid"):
    """A place."""

    city: Literal["Turin", "Oslo"]


def main(url: str) -> None:
    asked: Any = {"messages": [{"role": "user", "content": "what is the weather?"}]}
    for responses in (False, True):
        model = ChatOpenAI(
            model="scripted",
            base_url=f"{url}/v1",
            api_key="none",  # type: ignore[arg-type]
            temperature=0,
            max_retries=0,
            use_responses_api=responses,
        )
        agent: Any = create_agent(model, [weather])
        ran.clear()
        messages = agent.invoke(asked)["messages"]
        assert [m.type for m in messages] == ["human", "ai", "tool", "tool", "ai"], messages
        assert sorted(ran) == ["Oslo", "Turin"], "each call ran once"
        results = {m.tool_call_id: m.content for m in messages if m.type == "tool"}
        calls = {call["id"]: f"rain in {call['args']['city']}" for call in messages[1].tool_calls}
        assert results == calls, "each result went to its call"
        assert messages[-1].text == "It is fine.", messages[-1]
        print("an agent's loop, responses" if responses else "an agent's loop")

        ran.clear()
        pieces = [
            piece.text
            for piece, _ in agent.stream(asked, stream_mode="messages")
            if isinstance(piece, AIMessageChunk)
        ]
        assert "".join(pieces).endswith("It is fine."), pieces
        assert sorted(ran) == ["Oslo", "Turin"]
        print("the same, streamed")

        bound: Any = (ToolStrategy(Place), ProviderStrategy(Place, strict=True))
        for strategy in bound:
            agent = create_agent(model, [], response_format=strategy)
            found = agent.invoke(asked)["structured_response"]
            assert found.city in ("Turin", "Oslo"), found
        print("an answer of a schema, by a required call and by a form")


if __name__ == "__main__":
    main(sys.argv[1])
