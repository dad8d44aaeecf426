"""Use langchain-openai with a server: `python langchain_script.py URL`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import openai
from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def refusal(kind: type[Exception], ask: Callable[[], Any]) -> str:
    try:
        ask()
    except kind as error:
        return str(error)
    raise AssertionError("it was answered")


def main(url: str) -> None:
    how: Any = {"base_url": f"{url}/v1", "api_key": "none", "temperature": 0, "max_retries": 0}
    model = ChatOpenAI(model="scripted", **how)
    answer = model.invoke("hello")
    assert answer.text == "It is fine.", answer
    usage: Any = answer.usage_metadata
    assert usage["output_tokens"] > 0
    print("plain")

    whole: Any = AIMessageChunk("")
    pieces = 0
    for chunk in model.stream("hello"):
        whole, pieces = whole + chunk, pieces + 1
    assert whole.text == answer.text
    assert pieces > 1
    print("streamed")

    able = model.bind_tools([weather])
    asked: Any = [HumanMessage("what is the weather?")]
    called: Any = able.invoke(asked)
    assert [call["args"] for call in called.tool_calls] == [{"city": "Turin"}, {"city": "Oslo"}]
    whole = AIMessageChunk("")
    for chunk in able.stream(asked):
        whole = whole + chunk
    assert [call["args"] for call in whole.tool_calls] == [{"city": "Turin"}, {"city": "Oslo"}]
    results = [
        ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])
        for call in called.tool_calls
    ]
    assert able.invoke([*asked, called, *results]).text == answer.text
    forced: Any = model.bind_tools([weather], tool_choice="weather", strict=True).invoke(asked)
    assert forced.tool_calls[0]["name"] == "weather", forced
    assert set(forced.tool_calls[0]["args"]) == {"city"}, forced
    print("tools")

    wrong: Any = ChatOpenAI(model="unknown-9", **how)
    assert "unknown-9" in refusal(openai.NotFoundError, lambda: wrong.invoke("hello"))
    assert "n must" in refusal(openai.BadRequestError, lambda: model.invoke("hello", n=0))
    print("errors")

    kept = ChatOpenAI(model="scripted", use_responses_api=True, **how)
    assert kept.invoke("hello").text == answer.text
    assert "".join(chunk.text for chunk in kept.stream("hello")) == answer.text
    vectors = OpenAIEmbeddings(
        model="plain",
        base_url=f"{url}/v1",
        api_key=how["api_key"],
        check_embedding_ctx_length=False,
    )
    assert len(vectors.embed_documents(["a", "b"])) == 2
    print("responses, embeddings")


if __name__ == "__main__":
    main(sys.argv[1])
