"""Small data exports of other programs, in the formats that they document or write."""

from __future__ import annotations

from typing import Any


def chatgpt() -> list[dict[str, Any]]:
    def entry(key: str, parent: str | None, children: list[str], message: Any) -> dict[str, Any]:
        return {"id": key, "message": message, "parent": parent, "children": children}

    def said(role: str, content: dict[str, Any], at: float, **more: Any) -> dict[str, Any]:
        return {
            "id": "m",
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": at,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": None,
            "weight": 1.0,
            "metadata": more.pop("metadata", {}),
            "recipient": more.pop("recipient", "all"),
            "channel": None,
        }

    def words(*parts: Any) -> dict[str, Any]:
        return {"content_type": "text", "parts": list(parts)}

    hidden = {"is_visually_hidden_from_conversation": True}
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Weighing", "content": "Two roots."}],
    }
    picture = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
            "See",
        ],
    }
    model = {"model_slug": "gpt-5-thinking"}
    mapping = {
        "root": entry("root", None, ["sys"], None),
        "sys": entry("sys", "root", ["q1", "q2"], said("system", words(""), 0.0, metadata=hidden)),
        "q1": entry("q1", "sys", ["a1"], said("user", words("How many roots?"), 1700000001.5)),
        "a1": entry("a1", "q1", [], said("assistant", words("One."), 1700000002.0)),
        "q2": entry("q2", "sys", ["t2"], said("user", picture, 1700000003.0)),
        "t2": entry("t2", "q2", ["c2"], said("assistant", thoughts, 1700000004.0, metadata=model)),
        "c2": entry(
            "c2", "t2", ["r2"],
            said(
                "assistant", {"content_type": "code", "language": "python", "text": "1+1"},
                1700000005.0, recipient="python",
            ),
        ),
        "r2": entry(
            "r2", "c2", ["a2"],
            said("tool", {"content_type": "execution_output", "text": "2"}, 1700000006.0),
        ),
        "a2": entry(
            "a2", "r2", ["q3"], said("assistant", words("Two."), 1700000007.0, metadata=model)
        ),
        "q3": entry("q3", "a2", ["a3", "a4"], said("user", words("Sure?"), 1700000008.0)),
        "a3": entry("a3", "q3", [], said("assistant", words("Yes."), 1700000009.0)),
        "a4": entry("a4", "q3", [], said("assistant", words("No."), 1700000010.0)),
    }  # fmt: skip
    return [
        {
            "title": "Roots of a polynomial",
            "create_time": 1700000000.25,
            "update_time": 1700000011.0,
            "mapping": mapping,
            "moderation_results": [],
            "current_node": "a3",
            "conversation_id": "6f1c-11",
            "default_model_slug": "gpt-5",
        }
    ]


def claude() -> list[dict[str, Any]]:
    first = {
        "uuid": "c-1",
        "name": "A boat",
        "summary": "",
        "created_at": "2025-03-04T05:06:07.890000Z",
        "updated_at": "2025-03-04T05:10:00.000000Z",
        "account": {"uuid": "u"},
        "chat_messages": [
            {
                "uuid": "m-1",
                "text": "Read this",
                "content": [{"type": "text", "text": "Read this", "citations": []}],
                "sender": "human",
                "created_at": "2025-03-04T05:06:08.000000Z",
                "attachments": [
                    {
                        "file_name": "boat.txt",
                        "file_size": 4,
                        "file_type": "txt",
                        "extracted_content": "Row ``` row",
                    }
                ],
                "files": [{"file_name": "boat.png"}],
            },
            {
                "uuid": "m-2",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "It is a boat."},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "tool_result", "content": []},
                    {"type": "text", "text": "A boat."},
                ],
                "sender": "assistant",
                "created_at": "2025-03-04T05:06:09.000000Z",
                "attachments": [],
                "files": [],
            },
        ],
    }
    root = "00000000-0000-4000-8000-000000000000"
    second = {
        "uuid": "c-2",
        "name": "",
        "created_at": "2025-03-05T00:00:00Z",
        "updated_at": "2025-03-05T00:00:09Z",
        "chat_messages": [
            _claude("a", root, "human", "One?"),
            _claude("b", "a", "assistant", "First."),
            _claude("c", "a", "assistant", "Second."),
        ],
    }
    return [first, second]


def _claude(key: str, parent: str, sender: str, text: str) -> dict[str, Any]:
    return {
        "uuid": key,
        "parent_message_uuid": parent,
        "sender": sender,
        "text": text,
        "content": [],
        "created_at": "2025-03-05T00:00:01Z",
        "attachments": [],
        "files": [],
    }


def webui() -> list[dict[str, Any]]:
    messages = {
        "u1": _webui("u1", None, ["a1", "a2"], "user", "Hello"),
        "a1": {**_webui("a1", "u1", [], "assistant", "Hi."), "model": "llama3:8b"},
        "a2": {
            **_webui("a2", "u1", [], "assistant", ""),
            "model": "qwen3:4b",
            "modelName": "Qwen 3",
            "content": '<details type="reasoning" done="true" duration="2">\n'
            "<summary>Thought for 2 seconds</summary>\n> It is a\n> greeting &amp; more\n"
            "</details>\nHello there.",
        },
    }
    return [
        {
            "id": "w-1",
            "user_id": "u",
            "title": "Greeting",
            "chat": {
                "id": "",
                "title": "Greeting",
                "models": ["llama3:8b", "qwen3:4b"],
                "system": "Be kind.",
                "params": {},
                "history": {"messages": messages, "currentId": "a2"},
                "messages": list(messages.values()),
                "tags": [],
                "timestamp": 1710000000123,
            },
            "updated_at": 1710000100,
            "created_at": 1710000000,
            "archived": False,
            "pinned": True,
            "meta": {"tags": ["work"]},
        }
    ]


def _webui(
    key: str, parent: str | None, children: list[str], role: str, content: str
) -> dict[str, Any]:
    return {
        "id": key,
        "parentId": parent,
        "childrenIds": children,
        "role": role,
        "content": content,
        "timestamp": 1710000001,
    }


def lmstudio() -> dict[str, Any]:
    def step(words: str, **more: Any) -> dict[str, Any]:
        return {
            "type": "contentBlock",
            "stepIdentifier": "1720000001000-0.5",
            "content": [{"type": "text", "text": words, "tokensCount": 2}],
            "genInfo": {
                "identifier": "qwen3-4b-mlx",
                "stats": {"stopReason": "eosFound", "tokensPerSecond": 40.0},
            },
            **more,
        }

    def answer(*steps: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "multiStep",
            "role": "assistant",
            "senderInfo": {"senderName": "qwen3-4b"},
            "steps": [*steps, {"type": "debugInfoBlock", "debugInfo": "x"}],
        }

    def question(words: str) -> dict[str, Any]:
        content = [{"type": "text", "text": words}, {"type": "file", "fileIdentifier": "f.png"}]
        return {"type": "singleStep", "role": "user", "content": content}

    thought = step("Hm.", style={"type": "thinking", "ended": True})
    return {
        "name": "Sorting",
        "pinned": False,
        "createdAt": 1720000000000,
        "preset": "",
        "tokenCount": 9,
        "systemPrompt": "Short.",
        "messages": [
            {"versions": [question("Sort it")], "currentlySelected": 0},
            {
                "versions": [answer(step("Old.")), answer(thought, step("New."))],
                "currentlySelected": 1,
            },
            {"versions": [question("And now?")], "currentlySelected": 0},
        ],
        "usePerChatPredictionConfig": True,
        "perChatPredictionConfig": {"fields": []},
        "plugins": [],
    }
