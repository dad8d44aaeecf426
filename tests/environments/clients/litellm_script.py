"""Use litellm with a server: `python litellm_script.py URL`. Prints a line per successful check."""

from __future__ import annotations

import json
import sys
from typing import Any

import litellm

litellm.suppress_debug_info = True
litellm.telemetry = False

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
HELLO: Any = [{"role": "user", "content": "hello"}]


def refusal(kind: type[Exception], **fields: Any) -> str:
    try:
        litellm.completion(**{"model": "openai/scripted", "messages": HELLO, **fields})
    except kind as error:
        return str(error)
    raise AssertionError("it was answered")


def main(url: str) -> None:
    how: Any = {"api_base": f"{url}/v1", "api_key": "none", "temperature": 0, "max_tokens": 20}
    how["max_retries"] = 0
    answer: Any = litellm.completion(model="openai/scripted", messages=HELLO, **how)
    said = answer.choices[0].message.content
    assert said == "It is fine.", answer
    assert answer.usage.completion_tokens > 0
    print("plain")

    stream: Any = litellm.completion(
        model="openai/scripted",
        messages=HELLO,
        stream=True,
        stream_options={"include_usage": True},
        **how,
    )
    chunks = list(stream)
    pieces = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(pieces) == said, chunks
    assert any(getattr(c, "usage", None) for c in chunks)
    print("streamed")

    for streamed in (False, True):
        asked: Any = {"model": "openai/scripted", "messages": HELLO, "tools": [TOOL], **how}
        found: Any = litellm.completion(**asked, stream=streamed)
        if streamed:
            found = litellm.stream_chunk_builder(list(found), messages=HELLO)
        calls = found.choices[0].message.tool_calls
        assert found.choices[0].finish_reason == "tool_calls"
        given = [json.loads(call.function.arguments) for call in calls]
        assert given == [{"city": "Turin"}, {"city": "Oslo"}], given
    after: Any = [*HELLO, found.choices[0].message.model_dump()]
    after += [{"role": "tool", "tool_call_id": call.id, "content": "rain"} for call in calls]
    end: Any = litellm.completion(model="openai/scripted", messages=after, tools=[TOOL], **how)
    assert end.choices[0].message.content == said, end
    forced: Any = litellm.completion(
        model="openai/scripted", messages=HELLO, tools=[TOOL], tool_choice="required", **how
    )
    assert forced.choices[0].message.tool_calls[0].function.name == "weather"
    print("tools")

    assert "unknown-9" in refusal(litellm.NotFoundError, **{**how, "model": "openai/unknown-9"})
    robot: Any = [{"role": "robot", "content": "x"}]
    assert "robot" in refusal(litellm.BadRequestError, **{**how, "messages": robot})
    print("errors")

    message: Any = litellm.completion(
        model="anthropic/scripted",
        messages=HELLO,
        **{**how, "api_base": url},
    )
    assert message.choices[0].message.content == said, message
    response: Any = litellm.responses(
        model="openai/scripted", input="hello", api_base=f"{url}/v1", api_key="none"
    )
    assert response.output[-1].content[0].text == said, response
    vectors: Any = litellm.embedding(
        model="openai/plain", input=["a", "b"], api_base=f"{url}/v1", api_key="none"
    )
    assert len(vectors.data) == 2
    print("anthropic, responses, embeddings")


if __name__ == "__main__":
    main(sys.argv[1])
